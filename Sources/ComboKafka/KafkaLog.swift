/// A receiver of librdkafka's log lines and the clients' own warnings.
///
/// librdkafka's threads call the closure, several at once. It must neither block for long nor call Kafka.
package struct KafkaLog: Sendable {
  /// The severity, as in syslog: lower is worse.
  package enum Level: Int32, Sendable {
    case emergency = 0
    case alert, critical, error, warning, notice, info, debug
  }

  /// Writes a line: its level, librdkafka's facility (`FAIL`, `REBALANCE`), and the text without a newline.
  package let write: @Sendable (_ level: Level, _ facility: String, _ text: String) -> Void

  package init(_ write: @escaping @Sendable (_ level: Level, _ facility: String, _ text: String) -> Void) {
    self.write = write
  }

  /// A log that discards all lines.
  package static let none = KafkaLog { _, _, _ in }
}

/// Rewrites librdkafka's log lines, and filters those that are of no use to an operator.
package enum KafkaWords {
  /// Whether the line is of no use to an operator: the service reports its event itself, with advice, or it needs no action.
  package static func isReportedByService(_ facility: String, _ text: String) -> Bool {
    switch facility {
    case "FATAL", "MAXPOLL": true
    // Warns of a property that is set on purpose: without it, a lost record would leave a gap in the journal.
    case "CONFWARN": text.contains("enable.gapless.guarantee")
    // Offsets outside transactions are only for tools that show the lag.
    default: text.contains("Offset commit (manual) failed")
    }
  }

  /// Returns the topic that could not be added to a transaction for want of a right, or nil for any other line. Only the log has
  /// it: `Failed to add partition "TOPIC" [0] to transaction: Broker: Topic authorization failed`.
  static func deniedTopic(_ text: String) -> String? {
    guard let start = text.firstRange(of: "Failed to add partition \""), text.contains("authorization failed") else { return nil }
    return String(text[start.upperBound...].prefix { $0 != "\"" })
  }

  /// Returns the text without the duration of a connection's state, and with a plain message for a refused producer id.
  package static func plain(_ text: String) -> String {
    // Also reported when brokers only aborted a transaction that was open for too long.
    let text = text.replacing("Local: This instance has been fenced by a newer instance", with: "this producer was fenced")
    if let plain = ofProducerID(text) { return plain }
    guard let start = text.firstRange(of: " (after ") else { return text }
    let rest = text[start.upperBound...]
    let digits = rest.prefix { $0.isNumber }
    guard !digits.isEmpty, rest.dropFirst(digits.count).hasPrefix("ms in state ") else { return text }
    // Nested brackets belong to the text.
    var depth = 1
    guard
      let end = rest.indices.first(where: { index in
        depth += rest[index] == "(" ? 1 : rest[index] == ")" ? -1 : 0
        return depth == 0
      })
    else { return text }
    return String(text[..<start.lowerBound] + text[text.index(after: end)...])
  }

  /// Rewrites `Failed to acquire transactional PID from broker HOST: REASON: retrying`, or returns nil for any other message.
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
