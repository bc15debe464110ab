internal import Synchronization

/// A committed position of a group in a partition.
package struct LogPosition: Equatable, Sendable {
  package var stream: Int
  package var offset: Int64
  package var metadata: String

  package init(stream: Int, offset: Int64, metadata: String) {
    self.stream = stream
    self.offset = offset
    self.metadata = metadata
  }
}

extension LogFile {
  // MARK: - Writing

  /// Appends records, all or none; returns once they are durable. The entries of `batch` get their offsets.
  /// - Parameter isSynced: false: they are only written. They survive the end of the process, and a power failure once ``synced`` has
  ///   come to the number that is returned: with the next commit, or ``sync()``.
  /// - Throws: `full`, early: the log still has room for the results of the records that it took.
  @discardableResult
  package func append(_ batch: LogBatch, isSynced: Bool = true) throws(LogFault) -> UInt64 {
    if batch.isEmpty { return 0 }
    let numbers: (write: UInt64, isNews: Bool)
    do {
      writing.lock()
      defer { writing.unlock() }
      try checkRoom(for: batch.size)
      try prepareWrite(isSynced: isSynced)
      try write(batch, group: "", positions: [], holds: [])
      numbers = countWrite(isSynced: isSynced)
    }
    tellSynced(numbers)
    appended.ring()
    return numbers.write
  }

  /// Begins to own a group: commits of its former owner are refused from now on.
  package func takeOver(_ group: String) -> UInt64 {
    state.withLock { state in
      let owner = (state.owners[group] ?? 0) + 1
      state.owners[group] = owner
      return owner
    }
  }

  func isOwner(_ owner: UInt64, of group: String) -> Bool { state.withLock { $0.owners[group] == owner } }

  /// Appends records and commits positions, all or nothing; returns once it is durable. The entries of `batch` get their offsets.
  /// - Parameters:
  ///   - holds: records of these streams are kept from this offset on, whatever their age.
  ///   - owner: as ``takeOver(_:)`` returned it; nil: the group has no owner.
  package func commit(
    _ batch: LogBatch, group: String, positions: [LogPosition] = [], holds: [(stream: Int, offset: Int64)] = [],
    owner: UInt64? = nil
  ) throws(LogFault) {
    let numbers: (write: UInt64, isNews: Bool)
    do {
      writing.lock()
      defer { writing.unlock() }
      if let owner, !isOwner(owner, of: group) {
        throw LogFault(.fenced, "another owner of the group \(group) has taken over \(place.name)")
      }
      // SQLite syncs nothing for a transaction that writes nothing.
      let isSynced = !batch.isEmpty || !positions.isEmpty
      try prepareWrite(isSynced: isSynced)
      do throws(LogFault) {
        try write(batch, group: group, positions: positions, holds: holds)
      } catch {
        guard error.code == .full else { throw error }
        // Room in the file itself helps only once what was written ahead is in it.
        try? writer.run("PRAGMA wal_checkpoint(RESTART)")
        try write(batch, group: group, positions: positions, holds: holds)
      }
      numbers = countWrite(isSynced: isSynced)
    }
    tellSynced(numbers)
    tellCommitted()
  }

  /// Under `writing`.
  private func write(
    _ batch: LogBatch, group: String, positions: [LogPosition], holds: [(stream: Int, offset: Int64)]
  ) throws(LogFault) {
    var streams = state.withLock { $0.streams }
    try transaction { () throws(LogFault) in
      var compacted: Set<Int> = []
      for index in 0..<batch.count {
        let entry = batch.entries[index]
        let offset = streams[entry.stream].next
        streams[entry.stream].next = offset + 1
        batch.place(index, at: offset)
        if streams[entry.stream].keeping == .compacted {
          compacted.insert(entry.stream)
          try forget(entry, of: streams[entry.stream], in: batch)
          // A deleted key needs no record: readers begin at what is there.
          if entry.value == nil { continue }
        }
        try insert(entry, offset, streams[entry.stream], in: batch)
      }
      for index in compacted { try writeBounds(streams[index]) }
      for (index, offset) in holds where streams[index].floor < offset {
        streams[index].floor = offset
        try writeBounds(streams[index])
      }
      for position in positions { try write(position, of: group, streams[position.stream]) }
    }
    state.withLock { [streams] state in
      for index in streams.indices {
        state.streams[index].next = streams[index].next
        state.streams[index].floor = streams[index].floor
      }
    }
  }

  private func insert(_ entry: LogBatch.Entry, _ offset: Int64, _ stream: Stream, in batch: LogBatch) throws(LogFault) {
    let statement: Statement
    if let made = written.insert[entry.stream] {
      statement = made
    } else {
      statement = try writer.prepare("INSERT INTO \(stream.table) (offset, key, value, time, headers) VALUES (?, ?, ?, ?, ?)")
      written.insert[entry.stream] = statement
    }
    var fault: LogFault?
    batch.bytes.withUnsafeBytes { bytes in
      statement.bind(1, offset)
      statement.bind(2, lasting: entry.key.map { UnsafeRawBufferPointer(rebasing: bytes[$0]) })
      statement.bind(3, lasting: entry.value.map { UnsafeRawBufferPointer(rebasing: bytes[$0]) })
      statement.bind(4, entry.timestamp)
      statement.bind(5, lasting: entry.headers.map { UnsafeRawBufferPointer(rebasing: bytes[$0]) })
      do throws(LogFault) { try statement.run() } catch { fault = error }
    }
    if let fault { throw fault }
  }

  /// Deletes what a compacted stream holds of a record's key.
  private func forget(_ entry: LogBatch.Entry, of stream: Stream, in batch: LogBatch) throws(LogFault) {
    guard let key = entry.key else { return }
    let statement: Statement
    if let made = written.replace[entry.stream] {
      statement = made
    } else {
      statement = try writer.prepare("DELETE FROM \(stream.table) WHERE key = ?")
      written.replace[entry.stream] = statement
    }
    var fault: LogFault?
    batch.bytes.withUnsafeBytes { bytes in
      statement.bind(1, lasting: UnsafeRawBufferPointer(rebasing: bytes[key]))
      do throws(LogFault) { try statement.run() } catch { fault = error }
    }
    if let fault { throw fault }
  }

  func writeBounds(_ stream: Stream) throws(LogFault) {
    try writer.run(
      "UPDATE streams SET first = \(stream.first), next = \(stream.next), floor = \(stream.floor) WHERE id = \(stream.id)")
  }

  private func write(_ position: LogPosition, of group: String, _ stream: Stream) throws(LogFault) {
    let statement: Statement
    if let made = written.offsets {
      statement = made
    } else {
      statement = try writer.prepare("INSERT OR REPLACE INTO positions (owner, stream, offset, metadata) VALUES (?, ?, ?, ?)")
      written.offsets = statement
    }
    statement.bind(1, group)
    statement.bind(2, stream.id)
    statement.bind(3, position.offset)
    statement.bind(4, position.metadata)
    try statement.run()
  }

  // MARK: - Reading

  /// The position that a group has committed of a partition; nil: none.
  package func position(_ group: String, _ stream: Int) throws(LogFault) -> LogPosition? {
    let id = state.withLock { $0.streams[stream].id }
    reading.lock()
    defer { reading.unlock() }
    let statement = try reader.prepare("SELECT offset, metadata FROM positions WHERE owner = ? AND stream = ?")
    statement.bind(1, group)
    statement.bind(2, id)
    guard try statement.step() else { return nil }
    defer { statement.reset() }
    return LogPosition(stream: stream, offset: statement.integer(0), metadata: statement.text(1))
  }

  /// The groups that have committed something.
  package func groups() throws(LogFault) -> [String] {
    reading.lock()
    defer { reading.unlock() }
    var groups: [String] = []
    let statement = try reader.prepare("SELECT DISTINCT owner FROM positions ORDER BY owner")
    while try statement.step() { groups.append(statement.text(0)) }
    return groups
  }

  /// Calls `body` with all committed records that a partition has now, page by page, until it returns false.
  /// - Returns: whether it never did.
  package func forEachPage(of stream: Int, _ body: (LogPage) -> Bool) throws(LogFault) -> Bool {
    let page = LogPage()
    var (position, end) = bounds(stream)
    while position < end {
      page.removeAll()
      position = try read(stream, from: position, to: end, into: page)
      if !body(page) { return false }
    }
    return true
  }

  /// Adds committed records to `page`, from `start` on, below `end`, up to limits of number and bytes.
  /// - Returns: where to read on: `end`, or the end of the partition, if there are no more before it.
  /// - Throws: `outOfRange` if `start` was deleted, or is beyond the end.
  package func read(
    _ stream: Int, from start: Int64, to end: Int64 = .max, recordsMax: Int = 4096, bytesMax: Int = 1 << 20,
    into page: LogPage
  ) throws(LogFault) -> Int64 {
    let known = state.withLock { $0.streams[stream] }
    let end = min(end, known.next)
    if start < known.first || start > known.next {
      throw LogFault(
        .outOfRange,
        "offset \(start) of topic \"\(known.topic)\" partition \(known.partition) is not in \(place.name), which has \(known.first) to"
          + " \(known.next)")
    }
    if start >= end { return start }
    reading.lock()
    defer { reading.unlock() }
    let statement: Statement
    if let made = read.select[stream] {
      statement = made
    } else {
      statement = try reader.prepare(
        "SELECT offset, key, value, time, headers FROM \(known.table) WHERE offset >= ? AND offset < ? ORDER BY offset")
      read.select[stream] = statement
    }
    statement.bind(1, start)
    statement.bind(2, end)
    let (recordsMax, bytesMax) = (page.records.count + recordsMax, page.size + bytesMax)
    while try statement.step() {
      let offset = statement.integer(0)
      page.append(
        offset, key: statement.bytes(1), value: statement.bytes(2), timestamp: statement.isNull(3) ? nil : statement.integer(3),
        headers: statement.bytes(4))
      if page.records.count >= recordsMax || page.size >= bytesMax {
        statement.reset()
        return offset + 1
      }
    }
    return end
  }

  /// The first offset whose record is of this time or later; nil: there is none.
  package func offset(_ stream: Int, atMs time: Int64) throws(LogFault) -> Int64? {
    let table = state.withLock { $0.streams[stream].table }
    reading.lock()
    defer { reading.unlock() }
    return try reader.integer("SELECT offset FROM \(table) WHERE time >= \(time) ORDER BY offset LIMIT 1")
  }

  // MARK: - Retention

  /// Deletes records that are older, and the oldest ones if the log is nearly full; never those that are held.
  /// - Returns: how many it deleted.
  @discardableResult
  package func retain(ageMs: Int64, now: Int64) throws(LogFault) -> Int64 {
    var deleted: Int64 = 0
    let count = state.withLock { $0.streams.count }
    for index in 0..<count {
      let stream = state.withLock { $0.streams[index] }
      if stream.keeping == .compacted { continue }
      writing.lock()
      let kept: Int64?
      do {
        defer { writing.unlock() }
        kept = try writer.integer(
          """
          SELECT offset FROM \(stream.table) WHERE offset >= \(stream.first) AND (time IS NULL OR time >= \(now - ageMs))
          ORDER BY offset LIMIT 1
          """)
      }
      deleted += try delete(index, below: kept ?? stream.next)
    }
    // By size: a tenth of everything at a time.
    while try size() > limits.sizeMax / 10 * 9 {
      var round: Int64 = 0
      for index in 0..<count {
        let stream = state.withLock { $0.streams[index] }
        if stream.keeping == .compacted { continue }
        round += try delete(index, below: stream.first + max(1, (stream.next - stream.first) / 10))
      }
      if round == 0 { break }
      deleted += round
    }
    return deleted
  }

  private static let deletedAtOnce: Int64 = 5000

  /// Deletes records below an offset, some at a time, so that others do not wait long.
  private func delete(_ index: Int, below offset: Int64) throws(LogFault) -> Int64 {
    var deleted: Int64 = 0
    while true {
      writing.lock()
      defer { writing.unlock() }
      var stream = state.withLock { $0.streams[index] }
      let cut = min(offset, stream.deletable, stream.first + Self.deletedAtOnce)
      if cut <= stream.first { return deleted }
      deleted += cut - stream.first
      stream.first = cut
      try transaction { () throws(LogFault) in
        try writer.run("DELETE FROM \(stream.table) WHERE offset < \(cut)")
        try writeBounds(stream)
      }
      state.withLock { $0.streams[index].first = cut }
    }
  }
}
