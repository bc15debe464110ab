internal import Synchronization

/// The deletion of old records, up to a mark if there is one.
///
/// Everything derived from the records can be derived again from a mark. It contains the offsets from which the held streams are
/// needed after a checkpoint, and the compacted streams as they were then. The oldest mark is kept as long as the records after
/// it are, so that all of them can be proven, whatever checkpoints followed.
extension LogFile {
  /// An old checkpoint.
  struct Mark: Equatable {
    let number: Int64
    /// The time before which records are of no use to it, in milliseconds since the Unix epoch.
    let time: Int64
    /// The offsets before which records are not needed, by the id of a held stream.
    var offsets: [Int64: Int64] = [:]
  }

  /// The state that writers share with the deletion of records.
  struct Retention {
    /// Bytes appended since the last mark.
    var grown: Int64 = 0
    /// Whether ``LogFile/retain(ageMs:now:)`` is due before its time.
    var isRequested = false
    /// The records that were appended and not yet processed, by append: the offset after them, and their bytes.
    var unprocessed: [(stream: Int, next: Int64, bytes: Int64)] = []
    var unprocessedBytes: Int64 = 0

    mutating func append(_ bytes: Int, _ stream: Int, upTo next: Int64) {
      grown += Int64(bytes)
      unprocessed.append((stream, next, Int64(bytes)))
      unprocessedBytes += Int64(bytes)
    }

    mutating func commit(_ bytes: Int, _ positions: [LogPosition]) {
      grown += Int64(bytes)
      if unprocessed.isEmpty { return }
      for position in positions {
        unprocessed.removeAll { one in
          let isDone = one.stream == position.stream && one.next <= position.offset
          if isDone { unprocessedBytes -= one.bytes }
          return isDone
        }
      }
    }
  }

  /// The maximum number of bytes that one input byte may become.
  private static let growth: Int64 = 4

  /// The number of bytes after which another mark is due. It is also due after the same fraction of the time for which records
  /// are kept.
  private var markBytes: Int64 { limits.sizeMax / Self.marksMax }
  private static let marksMax: Int64 = 8
  /// The divisor of the retention time that gives how much longer old records are kept while there is no mark.
  private static let patience: Int64 = 4

  // MARK: - Marks

  /// Returns the mark from which all remaining records can be derived, or nil if nothing was deleted or there is no mark.
  package func base() throws(LogFault) -> Int64? {
    if version == 1 || !isCut { return nil }
    return try reading { () throws(LogFault) in
      try reader.integer("SELECT mark FROM marks ORDER BY mark LIMIT 1")
    }
  }

  /// Whether records that are held for a checkpoint were deleted.
  private var isCut: Bool { state.withLock { $0.streams.contains { $0.keeping == .held && $0.first > 0 } } }

  /// Returns all marks, oldest first. Requires `writing`.
  private func marks() throws(LogFault) -> [Mark] {
    var marks: [Mark] = []
    let statement = try writer.prepare("SELECT mark, stream, offset, time FROM marks ORDER BY mark")
    while try statement.step() {
      let number = statement.integer(0)
      if marks.last?.number != number { marks.append(Mark(number: number, time: statement.integer(3))) }
      marks[marks.count - 1].offsets[statement.integer(1)] = statement.integer(2)
    }
    return marks
  }

  /// Returns the oldest mark up to which not everything was deleted yet, or nil if none. Requires `writing`.
  private func nextMark() throws(LogFault) -> Mark? {
    let streams = state.withLock { $0.streams }
    return try marks().first { mark in streams.contains { mark.offsets[$0.id] ?? 0 > $0.first } }
  }

  /// Creates a mark where the group can be restored now, if that has advanced since the last mark. Requires `writing`.
  /// - Parameter isNeeded: Whether to create it even if it is large.
  private func makeMark(isNeeded: Bool = false) throws(LogFault) {
    let streams = state.withLock { $0.streams }
    let newest = try marks().last
    var (time, isNew) = (Int64.max, false)
    for stream in streams where stream.keeping == .held {
      isNew = isNew || stream.deletable > max(stream.first, newest?.offsets[stream.id] ?? 0)
      let last = try writer.integer(
        "SELECT time FROM \(stream.table) WHERE offset < \(stream.deletable) AND time IS NOT NULL ORDER BY offset DESC LIMIT 1")
      time = min(time, last ?? time)
    }
    let sizeMax = isNeeded ? limits.sizeMax / 4 : max(limits.sizeMax / 32, retention.withLock { $0.grown } / 2)
    guard isNew, time < .max, try stateSize() <= sizeMax else { return }
    let number = (newest?.number ?? 0) + 1
    try prepareWrite(isSynced: false)
    do throws(LogFault) {
      try transaction { () throws(LogFault) in
        for stream in streams where stream.keeping == .held {
          try writer.run(
            "INSERT INTO marks (mark, stream, offset, time) VALUES (\(number), \(stream.id), \(stream.deletable), \(time))")
        }
        for stream in streams where stream.keeping == .compacted {
          try writer.run(
            """
            INSERT INTO marked (mark, stream, offset, key, value, time, headers, sum)
            SELECT \(number), \(stream.id), offset, key, value, time, headers, sum FROM \(stream.table)
            """)
        }
      }
    } catch {
      // Where there is no room for it, records must still be deleted.
      if error.code != .full { throw error }
      return
    }
    retention.withLock { $0.grown = 0 }
  }

  /// Returns the minimum size of a mark, in bytes. Requires `writing`.
  private func stateSize() throws(LogFault) -> Int64 {
    var size: Int64 = 0
    for stream in state.withLock({ $0.streams }) where stream.keeping == .compacted {
      size += try writer.integer("SELECT coalesce(sum(length(key) + length(value)), 0) FROM \(stream.table)") ?? 0
    }
    return size
  }

  // MARK: - Room

  /// Whether ``retain(ageMs:now:)`` should be called soon.
  package var needsRetention: Bool { retention.withLock { $0.isRequested } }

  /// Makes room for records by deleting old ones, if necessary; throws if no more may be deleted. Requires `writing`.
  func makeRoom(for bytes: Int) throws(LogFault) {
    var used = try usedBytes().used + Int64(bytes)
    if used > limits.sizeMax / 10 * 9 || retention.withLock({ $0.grown }) > markBytes { requestRetention() }
    while used > limits.sizeMax, try deleteSome(towards: nextCut()) > 0 { used = try usedBytes().used + Int64(bytes) }
    try checkRoom(for: bytes)
    let waiting = retention.withLock { $0.unprocessedBytes }
    if waiting > 0, used + Self.growth * (waiting + Int64(bytes)) > limits.fileMax {
      throw LogFault(
        .full,
        "\(place.name) has room only for the results of the records that were accepted just before. Send these again, or raise --data-max-mib"
      )
    }
  }

  /// The overhead of a record, in bytes: its row, and that of a dead letter. Measured with 150,000 records of two bytes.
  private static let besideRecord = 128

  /// Returns the reason why records of this size are never accepted together, or nil if they may be. Half of the log is reserved
  /// for their results.
  package func refusal(of batch: LogBatch) -> LogFault? {
    let size = batch.size + batch.count * Self.besideRecord
    if size <= limits.sizeMax / 2 { return nil }
    return LogFault(
      .tooLarge,
      "the records need \(size) bytes with their results, and at most \(limits.sizeMax / 2), half of --data-max-mib, are accepted at once:"
        + " send fewer at a time, or raise it")
  }

  /// Returns the reason why no record would be accepted now, or nil if one would be.
  package func refusal() -> LogFault? {
    writing {
      do throws(LogFault) {
        try makeRoom(for: 0)
        return nil
      } catch {
        return error
      }
    }
  }

  /// Makes room for the results of accepted records by deleting old ones, even if less can be proven afterwards. Requires
  /// `writing`.
  func makeRoomForResults() throws(LogFault) {
    // If the log is not nearly full, deleting would not help: the results are too large.
    if try usedBytes().used > limits.sizeMax / 10 * 9 { _ = try deleteSome(towards: nextCut(isForced: true)) }
  }

  /// Whether the log is so full that the next mark may not fit.
  private func hasNoRoom() throws(LogFault) -> Bool {
    return try writing { () throws(LogFault) in
      let (used, max, markMax) = (try usedBytes().used, limits.sizeMax / 10 * 9, limits.sizeMax / 4)
      if used > max || used <= max - markMax { return used > max }
      return try used > max - min(stateSize(), markMax)
    }
  }

  private func requestRetention() {
    let isNew = retention.withLock { retention in
      defer { retention.isRequested = true }
      return !retention.isRequested
    }
    if isNew { attention.ring() }
  }

  /// Deletes records that are older than `ageMs`, and the oldest ones if the log is nearly full, but never those that are held.
  /// Deletes up to a mark. If there is none, old records are kept for a quarter of their time longer. A log that is nearly full
  /// loses a tenth if no mark can be made because the state is too large, and nothing before the next checkpoint.
  /// - Returns: The number of deleted records.
  @discardableResult
  package func retain(ageMs: Int64, now: Int64) throws(LogFault) -> Int64 {
    let isGrown = retention.withLock { retention in
      retention.isRequested = false
      return retention.grown > markBytes
    }
    let limit = now - ageMs
    var deleted = try delete { () throws(LogFault) in
      let (newest, oldest) = (try marks().last?.time, try oldestTime())
      if isGrown || newest ?? oldest ?? .max <= now - ageMs / Self.marksMax { try makeMark() }
      if oldest ?? .max < limit - ageMs / Self.patience, try nextMark() == nil { try makeMark(isNeeded: true) }
      return try agedCut(limit, latest: limit - ageMs / Self.patience)
    }
    while try hasNoRoom() {
      let round = try delete { () throws(LogFault) in try nextCut() }
      if round == 0 { break }
      deleted += round
    }
    try writing { () throws(LogFault) in
      // The last mark may have been deleted because there was no room for another one beside it.
      if isCut, try marks().isEmpty { try makeMark(isNeeded: true) }
    }
    return deleted
  }

  // MARK: - Deleting

  /// Returns the cut at the newest mark whose records are all from before `limit`, and beyond it at the records from before
  /// `latest`. Requires `writing`.
  /// - Returns: The offsets up to which records are deleted, by the id of a stream.
  private func agedCut(_ limit: Int64, latest: Int64) throws(LogFault) -> [Int64: Int64] {
    let mark = try marks().last { $0.time <= limit }
    var cut: [Int64: Int64] = [:]
    for stream in state.withLock({ $0.streams }) where stream.keeping != .compacted {
      cut[stream.id] = try first(of: stream, since: latest)
      if let mark { cut[stream.id] = try max(cut[stream.id]!, end(of: stream, at: mark)) }
    }
    return cut
  }

  /// Returns the next cut if there is no room: at the next mark, or after a tenth of everything on the way there. Requires
  /// `writing`.
  /// - Parameter isForced: Whether to delete even the results of held records, which can no longer be proven then.
  private func nextCut(isForced: Bool = false) throws(LogFault) -> [Int64: Int64] {
    if try nextMark() == nil { try makeMark(isNeeded: true) }
    let (mark, streams) = (try nextMark(), state.withLock { $0.streams })
    let held = streams.filter { $0.keeping == .held }
    if mark == nil, !isForced, !held.isEmpty, held.allSatisfy({ $0.deletable <= $0.first }) { return [:] }
    var cut: [Int64: Int64] = [:]
    for stream in streams where stream.keeping != .compacted {
      let tenth = stream.first + max(1, (stream.next - stream.first) / 10)
      cut[stream.id] = tenth
      if let mark {
        let end = try end(of: stream, at: mark)
        let isNear = end - stream.first <= (stream.next - stream.first) / 4
        cut[stream.id] = isNear ? end : min(end, tenth)
      }
    }
    return cut
  }

  /// Returns the end of a stream's records that a mark does not need. Requires `writing`.
  private func end(of stream: Stream, at mark: Mark) throws(LogFault) -> Int64 {
    if let offset = mark.offsets[stream.id] { return offset }
    return try first(of: stream, since: mark.time)
  }

  /// Returns the offset of the first record of a stream that is of this time or later. Requires `writing`.
  private func first(of stream: Stream, since time: Int64) throws(LogFault) -> Int64 {
    try writer.integer(
      """
      SELECT offset FROM \(stream.table) WHERE offset >= \(stream.first) AND (time IS NULL OR time >= \(time))
      ORDER BY offset LIMIT 1
      """) ?? stream.next
  }

  /// Returns the time of the oldest held record, or nil if none. Requires `writing`.
  private func oldestTime() throws(LogFault) -> Int64? {
    var oldest: Int64?
    for stream in state.withLock({ $0.streams }) where stream.keeping == .held {
      let time = try writer.integer("SELECT time FROM \(stream.table) WHERE time IS NOT NULL ORDER BY offset LIMIT 1")
      oldest = [oldest, time].compactMap { $0 }.min()
    }
    return oldest
  }

  /// Deletes everything up to a cut, in pieces.
  /// - Returns: The number of deleted records.
  private func delete(_ find: () throws(LogFault) -> [Int64: Int64]) throws(LogFault) -> Int64 {
    var cut: [Int64: Int64]?
    var deleted: Int64 = 0
    while true {
      let round = try writing { () throws(LogFault) in
        if cut == nil { cut = try find() }
        return try deleteSome(towards: cut!)
      }
      if round == 0 { return deleted }
      deleted += round
    }
  }

  private static let deletedAtOnce: Int64 = 5000

  /// Deletes at most ``deletedAtOnce`` records of each stream, so that other threads do not wait long. Requires `writing`.
  /// - Returns: The number of deleted records.
  private func deleteSome(towards cut: [Int64: Int64]) throws(LogFault) -> Int64 {
    var deleted: Int64 = 0
    for index in state.withLock({ Array($0.streams.indices) }) {
      var stream = state.withLock { $0.streams[index] }
      let end = min(cut[stream.id] ?? 0, stream.deletable, stream.first + Self.deletedAtOnce)
      if stream.keeping == .compacted || end <= stream.first { continue }
      deleted += end - stream.first
      stream.first = end
      // If a power failure brings them back, they are deleted again.
      try prepareWrite(isSynced: false)
      try transaction { () throws(LogFault) in
        try writer.run("DELETE FROM \(stream.table) WHERE offset < \(end)")
        try stream.write(to: writer)
        // Marks that are no longer complete.
        let broken = "SELECT mark FROM marks, streams WHERE marks.stream = streams.id AND offset < first"
        try writer.run("DELETE FROM marked WHERE mark IN (\(broken)); DELETE FROM marks WHERE mark IN (\(broken))")
      }
      state.withLock { $0.streams[index].first = end }
    }
    return deleted
  }
}
