internal import ComboMaps
internal import ComboWire

/// Notices that most records become no event: then the map is likely the wrong one, or one is missing. Values in, values out.
struct MapWatch {
  /// The sentence.
  struct Finding: Equatable {
    /// Of the last records.
    let records: Int
    let taken: Int
    let dropped: Int
    let bad: Int
  }

  /// This many records are enough for a report, or fewer after some time.
  static let recordsMin = 1000
  static let recordsLeast = 20
  static let withinMs: Int64 = 30_000
  /// It is repeated after this time at the earliest.
  static let silenceMs: Int64 = 3_600_000

  private var base = RecordOutcomes()
  private var began: Int64?
  private var said: Int64?

  /// - Parameters:
  ///   - now: by the monotonic clock.
  ///   - outcomes: of all records so far.
  mutating func check(_ now: Int64, _ outcomes: RecordOutcomes) -> Finding? {
    let began = self.began ?? now
    self.began = began
    let records = outcomes.records - base.records
    if records < Self.recordsMin, records < Self.recordsLeast || now - began < Self.withinMs { return nil }
    let found = Finding(
      records: records, taken: outcomes.taken - base.taken, dropped: outcomes.dropped - base.dropped, bad: outcomes.bad - base.bad
    )
    self.began = now
    base = outcomes
    guard found.taken * 2 < found.records else { return nil }
    if let said, now - said < Self.silenceMs { return nil }
    said = now
    return found
  }
}
