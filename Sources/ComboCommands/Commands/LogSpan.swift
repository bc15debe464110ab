internal import ComboEdge
internal import ComboLog
internal import ComboMaps
internal import ComboReplay
internal import ComboRooms
internal import ComboSystem
internal import ComboWire

/// A span of the input that `live` or `demo` stores in a file: its records with their times of arrival, for `tune`.
struct LogSpan {
  private let reader: LogReading
  private let since: Int64?
  private let until: Int64?

  /// - Parameters:
  ///   - since: The time of the first records, in milliseconds since the Unix epoch, or nil for the oldest.
  ///   - until: The time from which records are left out, or nil for the present end.
  init(_ path: String, since: Int64?, until: Int64?) throws {
    reader = try LogReading(LogFile(.file(path), use: .read), names: LogStage.names)
    self.since = since
    self.until = until
  }

  /// Returns the map that read the records last, or nil if there was none.
  func map() throws -> RecordMap? {
    let source = PartitionTopics(0, ServiceConfiguration(topics: LogStage.topics), reader, log: .silent)
    return try source.standing().derivation?.mapping.map { try RecordMap(canonical: $0) }
  }

  /// Reads the whole span, and ends the feed.
  func read(into feed: RecordFeed) {
    do throws(EdgeError) {
      let bounds = try reader.bounds(.input, 0)
      let start = try offset(of: since, else: bounds.first, bounds.end)
      let end = try offset(of: until, else: bounds.end, bounds.end)
      try reader.read(.input, 0, from: max(start, bounds.first), to: end, unless: { false }) { record in
        if let value = record.value { feed.add(key: record.key, value: value, time: record.time?.ms) }
        return true
      }
      feed.end()
    } catch {
      feed.end(error.message)
    }
  }

  /// Returns the offset of the first record at or after `time`: `none` if `time` is nil, `end` if there is no such record.
  private func offset(of time: Int64?, else none: Int64, _ end: Int64) throws(EdgeError) -> Int64 {
    guard let time else { return none }
    return try reader.offset(.input, 0, atMs: max(0, time)) ?? end
  }
}
