internal import ComboMaps
internal import ComboRooms
internal import ComboSystem
internal import ComboWire

/// Detects that most records become no event: the map is probably the wrong one, or one is missing. It does no I/O.
struct MapWatch {
  /// The figures of a warning.
  struct Finding: Equatable {
    let records: Int
    let taken: Int
    let dropped: Int
    let bad: Int
  }

  /// The number of records that is enough for a report, or the smaller one that is enough after ``withinMs``.
  static let recordsMin = 1000
  static let recordsLeast = 20
  static let withinMs: Int64 = 30_000
  /// The minimum interval of reports.
  static let silenceMs: Int64 = 3_600_000

  private var base = RecordOutcomes()
  private var began: Int64?
  private var said: Int64?

  /// Returns a finding if less than half of the records became events.
  /// - Parameters:
  ///   - now: The time by the monotonic clock.
  ///   - outcomes: The outcomes of all records so far.
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

/// Logs a warning if most records are no events.
final class MapProbe: Probe {
  private let reader: InputReader
  private var watch = MapWatch()
  /// The version of the map that is watched.
  private var version = 0

  init(_ parts: ServiceParts, _ reader: InputReader) {
    self.reader = reader
    super.init(parts)
  }

  override var everyMs: Int64 { 0 }

  override func check(at now: Int64) -> Finding? {
    let decoder = reader.intake.decoder
    if version != reader.mapVersion { (version, watch) = (reader.mapVersion, MapWatch()) }
    guard let found = watch.check(reader.polledAt, decoder.outcomes) else { return nil }
    let most = decoder.commonestLoss
    let keys = most.flatMap { $0.keys.isEmpty ? nil : $0.keys } ?? "no fields that were looked at"
    let reason = most?.row.cause ?? "unknown"
    parts.log.warning(
      """
      of the last \(.records, found.records) records only \(.count, found.taken) became events: \(.dropped, found.dropped) were dropped and \
      \(.bad, found.bad) are bad, most often: \(.reason, reason); such a record has \(.keys, keys). If those are gifts, the service \
      needs another map than \(.map, parts.partitions.configuration.map?.name ?? "none"): combo-consumer map --map … --brokers … --from-topic … shows what becomes of each record
      """)
    return nil
  }
}
