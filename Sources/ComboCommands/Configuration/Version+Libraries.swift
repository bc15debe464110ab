internal import CMemory
internal import CSimdJSON
internal import ComboCore
internal import ComboHTTP
internal import ComboKafka
internal import ComboSystem

extension Version {
  /// The text of `--version`. librdkafka's, libmicrohttpd's and jemalloc's are of those that were loaded, simdjson's of the one that it was
  /// compiled with, with the instructions of this processor that it chose.
  static var text: String {
    """
    combo-consumer \(number)
    librdkafka \(LibrdkafkaProperties.versionText), libmicrohttpd \(HTTPServer.libraryVersion), \
    simdjson \(String(cString: csj_version())) (\(String(cString: csj_implementation()))), \
    jemalloc \(String(cString: cmemory_version()).prefix { $0 != "-" })
    rules of the engine: \(rules)

    """
  }
  /// The versions of the rules that this program has: `2 and 3`.
  static var rules: String { "\(Rules.known.lowerBound) and \(Rules.known.upperBound)" }
}
