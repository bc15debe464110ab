internal import ComboEdge
internal import ComboSystem
internal import ComboWire

/// Where a transaction stays open in the group's own topics, because it hangs, or because its producer was killed and has a long timeout.
///
/// Nothing behind it is handed out as committed, but in exactly-once delivery it cannot hold anything of the group's own that may still count:
/// the group's offset was read before, which waits for every transaction that is to move it, and one that has not asked for that yet is
/// refused it, as the partition is another member's now. So the group's offset says which entries count.
extension PartitionTopics {
  /// A transaction that the last owner has just ended is in the topics in less than this.
  private static let settleMs: Int64 = 2000

  /// - Returns: the offset of the first transaction that stays open before `end`; nil: there is none.
  private func heldUp(_ topic: Topic, before end: Int64, _ time: any TimeSource) throws -> Int64? {
    let until = time.monotonicMs() + Self.settleMs
    while true {
      let stable = try kafka { () throws(EdgeError) in try reader.stableEnd(topic, number) }
      if stable >= end { return nil }
      if cancellation.isCancelled { throw Stop.cancelled }
      if time.monotonicMs() >= until { return stable }
      time.sleep(ms: 20)
    }
  }

  private func readAll(_ topic: Topic, from: Int64, to: Int64, _ take: (InputRecord) -> Bool) throws {
    try kafka { () throws(EdgeError) in try reader.readAll(topic, number, from: from, to: to, take) }
  }

  /// As ``readState(upTo:)``; does not wait for a transaction that stays open if no record behind its beginning is the service's.
  func readSettledState(_ time: any TimeSource) throws -> State {
    let bounds = try kafka { () throws(EdgeError) in try reader.bounds(.state, number) }
    guard let stable = try heldUp(.state, before: bounds.end, time) else { return try readState() }
    let keys = StateKeyDecoder()
    var hasOwn = false
    try readAll(.state, from: max(stable, bounds.first), to: bounds.end) { record in
      hasOwn = record.key.map { (try? keys.key($0)) != nil } ?? false
      return !hasOwn
    }
    if hasOwn { return try readState() }
    log.info(
      """
      partition \(.partition, number): the transaction that is open in the state topic from offset \(.offset, stable) on is not waited for: \
      no record behind that offset is the service's
      """)
    return try readState(upTo: stable)
  }

  /// As ``readJournal(from:to:_:)``; does not wait for a transaction that stays open if all entries that count are there.
  /// - Parameter last: the number of the last one, as the group's offset has it; nil: it has none.
  func readSettledJournal(
    from start: Int64, to end: Int64, _ state: State, last: Int64?, _ time: any TimeSource
  ) throws -> Journal {
    guard let stable = try heldUp(.journal, before: end, time) else { return try readJournal(from: start, to: end, state) }
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

  /// The entries that count among all records, committed or not; nil: it cannot be told which do.
  ///
  /// One that was aborted has the number of one that was committed in its place later, so where two have one number it is not known which
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
        // It may be the group's; what cannot be read is a stranger's.
        isCertain = false
      }
      return isCertain
    }
    guard isCertain else { return nil }
    if let last, last >= known { return Int64(found.count) == last - known ? found.values.sorted { $0.offset < $1.offset } : nil }
    return hasOwn ? nil : []
  }
}
