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

/// librdkafka's log lines, without those that are of no use to an operator.
package enum KafkaWords {
  /// Lines of which the service says the same itself, and what is to be done: that a client was given up, that it was not polled.
  package static func isKnownBetter(_ facility: String, _ text: String) -> Bool {
    switch facility {
    case "FATAL", "MAXPOLL": true
    // Of a property that is set on purpose: without it a lost record would leave a gap in the journal.
    case "CONFWARN": text.contains("enable.gapless.guarantee")
    default: false
    }
  }

  /// Without how long a connection had been in which state.
  package static func plain(_ text: String) -> String {
    guard let start = text.firstRange(of: " (after ") else { return text }
    let rest = text[start.upperBound...]
    let digits = rest.prefix { $0.isNumber }
    guard !digits.isEmpty, rest.dropFirst(digits.count).hasPrefix("ms in state ") else { return text }
    // What stands in brackets inside belongs to it.
    var depth = 1
    guard
      let end = rest.indices.first(where: { index in
        depth += rest[index] == "(" ? 1 : rest[index] == ")" ? -1 : 0
        return depth == 0
      })
    else { return text }
    return String(text[..<start.lowerBound] + text[text.index(after: end)...])
  }
}
