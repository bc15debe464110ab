internal import CMemory
internal import CSimdJSON

/// The version of this program, and of the libraries that it runs on.
enum Version {
  /// Here and nowhere else: `tools/version` reads this line for packages and archives.
  static let number = "0.1.0"

  /// What `--version` says. librdkafka's, libmicrohttpd's and jemalloc's are of those that were loaded, simdjson's of the one that it was
  /// compiled with, with the instructions of this processor that it chose.
  static var text: String {
    """
    combo-consumer \(number)
    librdkafka \(LibrdkafkaProperties.versionText), libmicrohttpd \(HTTPServer.libraryVersion), \
    simdjson \(String(cString: csj_version())) (\(String(cString: csj_implementation()))), \
    jemalloc \(String(cString: cmemory_version()).prefix { $0 != "-" })

    """
  }
}
