/// Where librdkafka's log lines and the clients' own warnings go.
///
/// The closure is called on librdkafka's threads, several at once; it must neither block for long nor call into Kafka.
package struct KafkaLog: Sendable {
  /// As in syslog: the lower, the worse.
  package enum Level: Int32, Sendable, Comparable {
    case emergency = 0
    case alert, critical, error, warning, notice, info, debug

    package static func < (a: Level, b: Level) -> Bool { a.rawValue < b.rawValue }
  }

  /// Takes one line: how bad, librdkafka's word for where in it (`FAIL`, `REBALANCE`), and the text without a newline.
  package let write: @Sendable (_ level: Level, _ facility: String, _ text: String) -> Void

  package init(_ write: @escaping @Sendable (_ level: Level, _ facility: String, _ text: String) -> Void) {
    self.write = write
  }

  /// Nowhere.
  package static let none = KafkaLog { _, _, _ in }
}
