internal import ComboEdge
internal import ComboSystem
internal import ComboWire

/// Transactions that stay open in the group's own topics, because they hang, or their producer was killed and has a long timeout.
///
/// Nothing behind such a transaction is returned as committed. But in exactly-once delivery it cannot hold anything of the group
/// that may still count. The group's offset was read before, which waits for every transaction that has requested to move it. A
/// transaction that requests it later is refused, as the partition now belongs to another member. So the group's offset shows
/// which entries count.
extension PartitionTopics {
  /// The time within which the end of the last owner's transaction becomes visible in the topics, in milliseconds.
  private static let settleMs: Int64 = 2000

  /// - Returns: The offset of the first transaction that stays open before the topic's end; nil if none.
  private func heldUp(_ topic: Topic, in extent: Extent, _ time: any TimeSource) throws -> Int64? {
    if extent.stableEnd >= extent.end { return nil }
    let until = time.monotonicMs() + Self.settleMs
    while true {
      let stable = try kafka { () throws(EdgeError) in try reader.stableEnd(topic, number) }
      if stable >= extent.end { return nil }
      if cancellation.isCancelled { throw Stop.cancelled }
      if time.monotonicMs() >= until { return stable }
      time.sleep(ms: 20)
    }
  }

  private func readAll(_ topic: Topic, from: Int64, to: Int64, _ take: (InputRecord) -> Bool) throws {
    try kafka { () throws(EdgeError) in try reader.readAll(topic, number, from: from, to: to, take) }
  }

  /// Reads the state like ``readState(from:to:)``, but does not wait for a transaction that stays open if no record behind its
  /// beginning is the service's.
  func readSettledState(in extent: Extent, _ time: any TimeSource) throws -> State {
    guard let stable = try heldUp(.state, in: extent, time) else { return try readState(from: extent.first, to: extent.end) }
    let keys = StateKeyDecoder()
    var hasOwn = false
    try readAll(.state, from: max(stable, extent.first), to: extent.end) { record in
      hasOwn = record.key.map { (try? keys.key($0)) != nil } ?? false
      return !hasOwn
    }
    if hasOwn { return try readState(from: extent.first, to: extent.end) }
    log.info(
      """
      partition \(.partition, number): the transaction that is open in the state topic from offset \(.offset, stable) on is not waited for: \
      no record behind that offset is the service's
      """)
    return try readState(from: extent.first, to: stable)
  }

  /// Reads the journal like ``readJournal(from:to:_:)``, but does not wait for a transaction that stays open if all entries that
  /// count are there.
  /// - Parameter last: The number of the last entry according to the group's offset; nil if it has none.
  func readSettledJournal(
    from start: Int64, in extent: Extent, _ state: State, last: Int64?, _ time: any TimeSource
  ) throws -> Journal {
    let end = extent.end
    guard let stable = try heldUp(.journal, in: extent, time) else { return try readJournal(from: start, to: end, state) }
    let begin = max(start, stable)
    var journal = try readJournal(from: start, to: begin, state)
    guard let behind = try entries(from: begin, to: end, after: journal, last: last) else {
      return try readJournal(from: start, to: end, state)
    }
    var terms = journal.terms
    for (offset, entry) in behind where terms.counts(entry, at: offset) { journal.entries.append(entry) }
    journal.cursor = JournalCursor(topics, after: terms)
    journal.end = end
    log.info(
      """
      partition \(.partition, number): the transaction that is open in the journal from offset \(.offset, stable) on is not waited for: \
      the group's offset says which entries count, and all of them are there
      """)
    return journal
  }

  /// Returns the entries that count among all records, committed or not; nil if it is unknown which do.
  ///
  /// An aborted entry has the number of one that was committed in its place later, so if two have one number it is unknown which
  /// counts. In at-least-once delivery entries are written outside of transactions, and the group's offset may be behind them.
  private func entries(
    from start: Int64, to end: Int64, after journal: Journal, last: Int64?
  ) throws -> [(offset: Int64, entry: JournalEntry)]? {
    var cursor = JournalCursor(topics)
    let known = journal.terms.n ?? 0
    var found: [Int64: (offset: Int64, entry: JournalEntry)] = [:]
    var (hasOwn, isCertain) = (false, journal.terms.term == nil && journal.broken == nil)
    try readAll(.journal, from: start, to: end) { record in
      let taken = cursor.take(record.value, at: record.offset)
      if let entry = taken.own {
        hasOwn = true
        if entry.term != nil || entry.takeover?.delivery == .atLeastOnce {
          isCertain = false
        } else if entry.n > known, entry.n <= last ?? 0 {
          if let other = found[entry.n], other.entry != entry { isCertain = false }
          found[entry.n] = found[entry.n] ?? (record.offset, entry)
        }
      } else if case .newer = taken {
        // It may be the group's; a record that cannot be read is another program's.
        isCertain = false
      }
      return isCertain
    }
    guard isCertain else { return nil }
    if let last, last >= known { return Int64(found.count) == last - known ? found.values.sorted { $0.offset < $1.offset } : nil }
    return hasOwn ? nil : []
  }
}
