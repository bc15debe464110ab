internal import ComboSystem

/// Logs that records went to the dead-letter topic.
final class BadRecordProbe: Probe {
  var records = BadRecords()

  override var everyMs: Int64 { 0 }

  override func check(at now: Int64) -> Finding? {
    if let told = records.take(at: now) { log(told) }
    return nil
  }

  /// Logs what was counted and not reported yet, when the service ends.
  func logRest() {
    if let told = records.takeRest() { log(told) }
  }

  private func log(_ told: BadRecords.Told) {
    parts.log.warning(
      """
      bad records went to the dead-letter topic: \(.count, told.count) since the last report, the newest from partition \
      \(.partition, told.partition), offset \(.offset, told.offset): \(.code, told.code)
      """)
  }
}

/// Counts bad records, so that a flood of them is one line per minute.
struct BadRecords {
  struct Told: Equatable {
    var count: Int
    var code: String
    var partition: Int32
    var offset: Int64
  }

  static let everyMs: Int64 = 60_000
  private var waiting: Told?
  private var saidAt: Int64?

  mutating func add(_ code: String, partition: Int32, offset: Int64) {
    waiting = Told(count: (waiting?.count ?? 0) + 1, code: code, partition: partition, offset: offset)
  }

  /// Returns the report that is due: the first record at once, later ones together.
  mutating func take(at now: Int64) -> Told? {
    guard let told = waiting, saidAt.map({ now - $0 >= Self.everyMs }) ?? true else { return nil }
    waiting = nil
    saidAt = now
    return told
  }

  /// Returns the rest, whether it is due or not.
  mutating func takeRest() -> Told? {
    defer { waiting = nil }
    return waiting
  }
}
