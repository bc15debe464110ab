internal import ComboEdge
internal import ComboKafka
internal import ComboSystem

extension Check {
  /// The skew beyond which the times in logs and records of different machines cannot be compared.
  static let skewMsNoted: Int64 = 1000
  static let skewMsMax: Int64 = 10_000
  /// The age of the trial record's timestamp.
  static let trialAgeMs: Int64 = 3_600_000
  /// The longest delay between the answer and the transaction's mark.
  static let markMs: Int64 = 50

  /// Determines the distance between the broker's clock and this machine's. Writes to the dead-letter topic and finds the
  /// broker's time of the mark that ends the transaction, as Kafka exposes its clock in no other way. The record's timestamp is
  /// `trialAgeMs` old, so that the search for the newest time finds the mark.
  mutating func checkClock(_ control: ControlClient, _ trial: Trial) throws(EdgeError) {
    let topic = names.deadLetter
    let before = try control.watermarks(topic, 0, withinMs: Self.withinMs).end
    let began = WallClock.nowMs
    try trial.write(to: topic, partition: 0, timestampMs: began - Self.trialAgeMs)
    let ended = WallClock.nowMs
    // The mark is written a moment after the answer.
    let deadline = Deadline(afterMs: 2000)
    var end = before
    while end < before + 2, !deadline.isOver {
      end = try control.watermarks(topic, 0, withinMs: Self.withinMs).end
      if end < before + 2 { MonotonicClock.sleep(ms: 5) }
    }
    let mark = end - 1
    /// The offset of the first record with this time or a later one, or nil if there is none up to the mark.
    func found(_ atMs: Int64) throws(EdgeError) -> Int64? {
      try control.offsets(topic, [0], atMs: atMs, withinMs: Self.withinMs)[0].offset.flatMap { $0 <= mark ? $0 : nil }
    }
    var (low, high) = (began - (1 << 31), began + (1 << 31))
    while high - low > 1 {
      let middle = low + (high - low) / 2
      if try found(middle) == nil { high = middle } else { low = middle }
    }
    // If that clock is further behind than the record's timestamp, the record is the newest.
    let isRecord = low == began - Self.trialAgeMs && end == before + 2
    let isMark = if isRecord { true } else { try found(low) == mark }
    guard end >= before + 2, isMark || table.settings[topic]?.hasAppendTime == true else {
      report.note(
        "the distance of the broker's clock from this machine's could not be determined: the dead-letter topic was busy")
      return
    }
    // The mark was made somewhere between the two moments.
    let skew = low < began ? low - began : low > ended + Self.markMs ? low - ended : 0
    let words =
      "the broker's clock is \(isRecord ? "at least " : "")\(abs(skew)) ms \(skew < 0 ? "behind" : "ahead of") this machine's"
    switch abs(skew) {
    case 0: report.ok("the broker's clock and this machine's differ by at most \(ended + Self.markMs - began) ms")
    case ..<Self.skewMsNoted: report.ok(words)
    case ..<Self.skewMsMax: report.note(words, fix: "let both follow the same time servers (NTP)")
    default:
      report.fault(
        words, fix: "let both follow the same time servers (NTP): until then, the times of gifts, banners and retention are wrong"
      )
    }
  }
}
