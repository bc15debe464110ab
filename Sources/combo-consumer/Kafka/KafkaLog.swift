internal import Glibc

/// Where librdkafka's log lines and the clients' own warnings go.
///
/// The closure is called on librdkafka's threads, several at once; it must neither block for long nor call into Kafka.
struct KafkaLog: Sendable {
  /// As in syslog: the lower, the worse.
  enum Level: Int32, Sendable, Comparable {
    case emergency = 0
    case alert, critical, error, warning, notice, info, debug

    static func < (a: Level, b: Level) -> Bool { a.rawValue < b.rawValue }

    /// As it stands in a log line.
    var name: String {
      switch self {
      case .emergency, .alert, .critical, .error: "error"
      case .warning: "warning"
      case .notice, .info: "info"
      case .debug: "debug"
      }
    }
  }

  /// Takes one line: how bad, librdkafka's word for where in it (`FAIL`, `REBALANCE`), and the text without a newline.
  let write: @Sendable (_ level: Level, _ facility: String, _ text: String) -> Void

  init(_ write: @escaping @Sendable (_ level: Level, _ facility: String, _ text: String) -> Void) {
    self.write = write
  }

  /// One line each to standard error.
  static let standardError = KafkaLog { level, facility, text in
    let line = "kafka: \(level.name): \(text) [\(facility)]\n"
    line.utf8.withContiguousStorageIfAvailable { bytes in
      // One call a line, so that lines of several threads do not mix.
      _ = Glibc.write(STDERR_FILENO, bytes.baseAddress, bytes.count)
    }
  }

  /// Nowhere.
  static let none = KafkaLog { _, _, _ in }
}
