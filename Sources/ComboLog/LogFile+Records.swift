internal import Synchronization

/// A committed position of a group in a partition.
package struct LogPosition: Equatable, Sendable {
  package var stream: Int
  package var offset: Int64
  package var metadata: String
}

extension LogFile {
  // MARK: - Writing

  /// Appends records, all or none, and returns once they are durable.
  /// - Parameter isSynced: Whether to wait for the disk. If false, the records are only written: they survive the end of the
  ///   process, and a power failure once ``synced`` has reached the number that is returned, with the next commit or ``sync()``.
  /// - Throws: `full`, while the log still has room for the results of the records that it accepted.
  @discardableResult
  package func append(_ batch: LogBatch, isSynced: Bool = true) throws(LogFault) -> UInt64 {
    if batch.isEmpty { return 0 }
    let numbers = try writing { () throws(LogFault) in
      try makeRoom(for: batch.size)
      try prepareWrite(isSynced: isSynced)
      try write(batch, group: "", positions: [], holds: [])
      return countWrite(isSynced: isSynced)
    }
    notifySynced(numbers)
    appended.ring()
    return numbers.write
  }

  /// Takes over a group: commits of its former owner are refused from now on.
  package func takeOver(_ group: String) -> UInt64 {
    state.withLock { state in
      let owner = (state.owners[group] ?? 0) + 1
      state.owners[group] = owner
      return owner
    }
  }

  func isOwner(_ owner: UInt64, of group: String) -> Bool { state.withLock { $0.owners[group] == owner } }

  /// Appends records and commits positions, all or nothing, and returns once that is durable.
  /// - Parameters:
  ///   - holds: Records of these streams are kept from this offset on, whatever their age.
  ///   - owner: The owner, as ``takeOver(_:)`` returned it, or nil if the group has none.
  package func commit(
    _ batch: LogBatch, group: String, positions: [LogPosition] = [], holds: [(stream: Int, offset: Int64)] = [],
    owner: UInt64? = nil
  ) throws(LogFault) {
    let numbers = try writing { () throws(LogFault) in
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
        // Room in the file itself helps only once the file contains what was written ahead.
        try checkIsOwn()
        moveAhead("RESTART")
        do throws(LogFault) {
          try write(batch, group: group, positions: positions, holds: holds)
        } catch {
          guard error.code == .full else { throw error }
          try makeRoomForResults()
          moveAhead("RESTART")
          throw error
        }
      }
      return countWrite(isSynced: isSynced)
    }
    notifySynced(numbers)
    committed.ring()
    commitHook.withLock { $0 }?()
  }

  /// Requires `writing`.
  private func write(
    _ batch: LogBatch, group: String, positions: [LogPosition], holds: [(stream: Int, offset: Int64)]
  ) throws(LogFault) {
    var streams = state.withLock { $0.streams }
    try transaction { () throws(LogFault) in
      var compacted: Set<Int> = []
      for entry in batch.entries {
        let offset = streams[entry.stream].next
        streams[entry.stream].next = offset + 1
        if streams[entry.stream].keeping == .compacted {
          compacted.insert(entry.stream)
          try delete(entry, of: streams[entry.stream], in: batch)
          // A deleted key needs no record: readers begin with those that exist.
          if entry.value == nil { continue }
        }
        try insert(entry, offset, streams[entry.stream], in: batch)
      }
      for index in compacted { try streams[index].write(to: writer) }
      for (index, offset) in holds where streams[index].floor < offset {
        streams[index].floor = offset
        try streams[index].write(to: writer)
      }
      for position in positions { try write(position, of: group, streams[position.stream]) }
    }
    retention.withLock { [streams] retention in
      if group.isEmpty, let stream = batch.entries.first?.stream, streams[stream].keeping == .held {
        retention.append(batch.size, stream, upTo: streams[stream].next)
      } else {
        retention.commit(batch.size, positions)
      }
    }
    state.withLock { [streams] state in
      for index in streams.indices {
        state.streams[index].next = streams[index].next
        state.streams[index].floor = streams[index].floor
      }
    }
  }

  /// Returns a statement, which is prepared when first needed.
  private func prepared(
    _ statement: inout Statement?, _ text: @autoclosure () -> String
  ) throws(LogFault) -> Statement {
    if let statement { return statement }
    let made = try writer.prepare(text())
    statement = made
    return made
  }

  private func insert(_ entry: LogBatch.Entry, _ offset: Int64, _ stream: Stream, in batch: LogBatch) throws(LogFault) {
    let statement = try prepared(
      &written.insert[entry.stream],
      "INSERT INTO \(stream.table) (offset, key, value, time, headers, sum) VALUES (?, ?, ?, ?, ?, ?)")
    try batch.bytes.withUnsafeBufferPointer { (bytes) throws(LogFault) in
      let bytes = UnsafeRawBufferPointer(bytes)
      let key = entry.key.map { UnsafeRawBufferPointer(rebasing: bytes[$0]) }
      let value = entry.value.map { UnsafeRawBufferPointer(rebasing: bytes[$0]) }
      let headers = entry.headers.map { UnsafeRawBufferPointer(rebasing: bytes[$0]) }
      statement.bind(1, offset)
      statement.bind(2, lasting: key)
      statement.bind(3, lasting: value)
      statement.bind(4, entry.timestamp)
      statement.bind(5, lasting: headers)
      statement.bind(6, LogSum.record(stream.id, offset, key: key, value: value, time: entry.timestamp, headers: headers))
      try statement.run()
    }
  }

  /// Deletes the record of a key from a compacted stream.
  private func delete(_ entry: LogBatch.Entry, of stream: Stream, in batch: LogBatch) throws(LogFault) {
    guard let key = entry.key else { return }
    let statement = try prepared(&written.replace[entry.stream], "DELETE FROM \(stream.table) WHERE key = ?")
    try batch.bytes.withUnsafeBufferPointer { (bytes) throws(LogFault) in
      statement.bind(1, lasting: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[key]))
      try statement.run()
    }
  }

  private func write(_ position: LogPosition, of group: String, _ stream: Stream) throws(LogFault) {
    let statement = try prepared(
      &written.offsets, "INSERT OR REPLACE INTO positions (owner, stream, offset, metadata, sum) VALUES (?, ?, ?, ?, ?)")
    statement.bind(1, group)
    statement.bind(2, stream.id)
    statement.bind(3, position.offset)
    statement.bind(4, position.metadata)
    statement.bind(5, LogSum.position(group, stream.id, position.offset, position.metadata))
    try statement.run()
  }

  // MARK: - Reading

  /// Returns the position that a group has committed in a partition, or nil if none.
  package func position(_ group: String, _ stream: Int) throws(LogFault) -> LogPosition? {
    let known = state.withLock { $0.streams[stream] }
    return try reading { () throws(LogFault) in
      let sum = version == 1 ? "0" : "sum"
      let statement = try reader.prepare("SELECT offset, metadata, \(sum) FROM positions WHERE owner = ? AND stream = ?")
      statement.bind(1, group)
      statement.bind(2, known.id)
      guard try statement.step() else { return nil }
      defer { statement.reset() }
      let position = LogPosition(stream: stream, offset: statement.integer(0), metadata: statement.text(1))
      if version > 1, statement.integer(2) != LogSum.position(group, known.id, position.offset, position.metadata) {
        throw failing(
          LogFault(
            .damaged, Database.damaged(place.name, "the position of the group \(group) in \(known.place) is not what was written")
          ))
      }
      return position
    }
  }

  /// Calls `body` with all committed records that a partition has now, page by page, until it returns false.
  /// - Parameters:
  ///   - damaged: Called with the fault of each record that is left out because it is not what was written; if nil, the first
  ///     fault is thrown.
  ///   - deleted: Called with the offsets of records that the owner has deleted since the first page was read.
  /// - Returns: Whether `body` never returned false.
  package func forEachPage(
    of stream: Int, damaged: ((LogFault) -> Void)? = nil, deleted: ((Range<Int64>) -> Void)? = nil, _ body: (LogPage) -> Bool
  ) throws(LogFault) -> Bool {
    let page = LogPage()
    var (position, end) = bounds(stream)
    let start = position
    var leap: Int64 = 1
    while position < end {
      page.removeAll()
      do throws(LogFault) {
        position = try read(stream, from: position, to: end, damaged: damaged, into: page)
        leap = 1
      } catch {
        position = page.records.last.map { $0.offset + 1 } ?? position
        if error.code == .outOfRange {
          // Retention has deleted these records.
          try refresh()
          let first = bounds(stream).first
          if position >= first { throw error }
          if position > start { deleted?(position..<first) }
          position = first
        } else if let damaged, error.code == .damaged {
          // A page of SQLite cannot be read: what follows it is searched for in ever larger steps.
          damaged(error)
          position += leap
          leap *= 2
        } else {
          throw error
        }
      }
      if !page.isEmpty, !body(page) { return false }
    }
    return true
  }

  /// Adds committed records to `page`, from `start` on, below `end`, up to limits of number and bytes.
  /// - Parameters:
  ///   - damaged: As in ``forEachPage(of:damaged:deleted:_:)``.
  ///   - mark: The mark whose records of a compacted stream are read, or nil for its newest records.
  /// - Returns: The offset to continue at: `end`, or the end of the partition, if there are no more before it.
  /// - Throws: `outOfRange` if `start` was deleted, or is beyond the end. `damaged` if a record is not what was written; those
  ///   before it are in the page.
  package func read(
    _ stream: Int, from start: Int64, to end: Int64 = .max, recordsMax: Int = 4096, bytesMax: Int = 1 << 20,
    damaged: ((LogFault) -> Void)? = nil, mark: Int64? = nil, into page: LogPage
  ) throws(LogFault) -> Int64 {
    let known = state.withLock { $0.streams[stream] }
    let end = min(end, known.next)
    if start < known.first || start > known.next { throw outOfRange(start, known) }
    if start >= end { return start }
    return try reading { () throws(LogFault) in
      do throws(LogFault) {
        return try read(stream, known, mark, start..<end, page.records.count + recordsMax, page.size + bytesMax, damaged, page)
      } catch {
        throw failing(error)
      }
    }
  }

  /// Requires `reading`.
  private func read(
    _ index: Int, _ stream: Stream, _ mark: Int64?, _ offsets: Range<Int64>, _ recordsMax: Int, _ bytesMax: Int,
    _ damaged: ((LogFault) -> Void)?,
    _ page: LogPage
  ) throws(LogFault) -> Int64 {
    let statement: Statement
    if mark == nil, let made = read.select[index] {
      statement = made
    } else {
      let sum = version == 1 ? "NULL" : "sum"
      let table = mark.map { "marked WHERE mark = \($0) AND stream = \(stream.id) AND" } ?? "\(stream.table) WHERE"
      statement = try reader.prepare(
        "SELECT offset, key, value, time, headers, \(sum) FROM \(table) offset >= ? AND offset < ? ORDER BY offset")
      if mark == nil { read.select[index] = statement }
    }
    defer { statement.reset() }
    statement.bind(1, offsets.lowerBound)
    statement.bind(2, offsets.upperBound)
    func report(_ fault: LogFault) throws(LogFault) {
      guard let damaged else { throw fault }
      damaged(fault)
    }
    var next = offsets.lowerBound
    while try statement.step() {
      let offset = statement.integer(0)
      // Damaged pages of SQLite can lead back to records that were read before, again and again.
      if offset < next { throw self.damaged(stream, next, isMissing: true) }
      if offset > next { try checkDeleted(next, stream, report) }
      next = offset + 1
      let time = statement.isNull(3) ? nil : statement.integer(3)
      let (key, value, headers) = (statement.bytes(1), statement.bytes(2), statement.bytes(4))
      let sum = statement.isNull(5) ? nil : statement.integer(5)
      let isRight =
        sum.map { $0 == LogSum.record(stream.id, offset, key: key, value: value, time: time, headers: headers) }
        ?? (offset < stream.summedFrom)
      if !isRight {
        try report(self.damaged(stream, offset))
        continue
      }
      page.append(offset, key: key, value: value, timestamp: time, headers: headers)
      if page.records.count >= recordsMax || page.size >= bytesMax { return next }
    }
    if next < offsets.upperBound { try checkDeleted(next, stream, report) }
    return offsets.upperBound
  }

  /// Throws `outOfRange` if a missing record was deleted; reports it as damage otherwise. Only a compacted stream has gaps.
  private func checkDeleted(
    _ offset: Int64, _ stream: Stream, _ report: (LogFault) throws(LogFault) -> Void
  ) throws(LogFault) {
    if stream.keeping == .compacted { return }
    // It may have been deleted since the list of streams was read.
    let first = try reader.integer("SELECT first FROM streams WHERE id = \(stream.id)") ?? 0
    if offset < first { throw outOfRange(offset, stream) }
    try report(damaged(stream, offset, isMissing: true))
  }

  private func outOfRange(_ offset: Int64, _ stream: Stream) -> LogFault {
    LogFault(
      .outOfRange,
      "offset \(offset) of \(stream.place) is not in \(place.name), which has \(stream.first) to \(stream.next)")
  }

  /// Returns the first offset whose record is of this time or later, or nil if none.
  package func offset(_ stream: Int, atMs time: Int64) throws(LogFault) -> Int64? {
    let table = state.withLock { $0.streams[stream].table }
    return try reading { () throws(LogFault) in
      try reader.integer("SELECT offset FROM \(table) WHERE time >= \(time) ORDER BY offset LIMIT 1")
    }
  }
}
