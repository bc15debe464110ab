internal import CMemory
internal import CSimdJSON
internal import ComboCore
internal import ComboHTTP
internal import ComboKafka
internal import ComboSystem

extension Version {
  /// The text of `--version`. The versions of librdkafka, libmicrohttpd and jemalloc are those of the loaded libraries. That of
  /// simdjson is the one it was compiled with, together with the instruction set that it chose for this processor.
  static var text: String {
    """
    combo-consumer \(number)
    librdkafka \(LibrdkafkaProperties.versionText), libmicrohttpd \(HTTPServer.libraryVersion), \
    simdjson \(String(cString: csj_version())) (\(String(cString: csj_implementation()))), \
    jemalloc \(String(cString: cmemory_version()).prefix { $0 != "-" })
    rules of the engine: \(rules)

    """
  }
  /// The versions of the engine's rules that this program supports: `2 and 3`.
  static var rules: String { "\(Rules.known.lowerBound) and \(Rules.known.upperBound)" }
}
