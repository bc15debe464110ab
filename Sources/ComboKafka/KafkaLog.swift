/// Takes librdkafka's log lines and the clients' own warnings.
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

  /// Without how long a connection had been in which state; and a producer id that is not given, in words.
  package static func plain(_ text: String) -> String {
    // Also reported where the brokers only ended a transaction that was open for too long.
    let text = text.replacing("Local: This instance has been fenced by a newer instance", with: "this producer was fenced")
    if let plain = ofProducerID(text) { return plain }
    guard let start = text.firstRange(of: " (after ") else { return text }
    let rest = text[start.upperBound...]
    let digits = rest.prefix { $0.isNumber }
    guard !digits.isEmpty, rest.dropFirst(digits.count).hasPrefix("ms in state ") else { return text }
    // Text in brackets inside belongs to it.
    var depth = 1
    guard
      let end = rest.indices.first(where: { index in
        depth += rest[index] == "(" ? 1 : rest[index] == ")" ? -1 : 0
        return depth == 0
      })
    else { return text }
    return String(text[..<start.lowerBound] + text[text.index(after: end)...])
  }

  /// `Failed to acquire transactional PID from broker HOST: REASON: retrying`, in words; nil: it is another message.
  private static func ofProducerID(_ text: String) -> String? {
    guard let start = text.firstRange(of: "Failed to acquire "), let middle = text.firstRange(of: " PID from broker ") else {
      return nil
    }
    if start.upperBound > middle.lowerBound { return nil }
    let rest = text[middle.upperBound...]
    guard let colon = rest.firstRange(of: ": ") else { return nil }
    var reason = rest[colon.upperBound...]
    let isTriedAgain = reason.hasSuffix(": retrying")
    if isTriedAgain { reason = reason.dropLast(": retrying".count) }
    return "the broker \(rest[..<colon.lowerBound]) refuses to register this producer: \(reason)"
      + (isTriedAgain ? "; trying again" : "")
  }
}
