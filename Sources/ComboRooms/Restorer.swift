internal import ComboCore
package import ComboEdge
package import ComboSystem
internal import ComboWire

/// Restores a partition's rooms to the last commit: from the newest snapshots, and by replaying the input from the checkpoint on,
/// in the journal's batches. The digest of the last entry proves that the state is the same.
///
/// Blocks; runs outside of the loop.
package struct Restorer: Sendable {
  private let source: PartitionTopics
  private let time: any TimeSource
  /// Reads the group's committed offset.
  private let position: @Sendable () throws(EdgeError) -> CommittedOffset
  /// Whether a contradiction has lasted for long enough to be believed.
  private let isCertain: Bool
  /// The earliest time at which a new partition begins, so that a room that moved to it gets a later epoch.
  private let clockMin: Int64
  /// The memory that this process has of its group; nil if it has written nothing.
  private let memory: GroupMemory?
  /// Whether only to check that the input could be replayed.
  private var isExamination = false
  /// Whether this restore runs in `BackgroundTask.onProcessor`, as one that keeps a processor busy.
  private var hasProcessor = false

  /// - Parameters:
  ///   - memory: The memory that this process has of its group; nil if it has written nothing.
  ///   - position: Reads the group's committed offset, once no transaction is open on it; waits for that.
  package init(
    _ source: PartitionTopics, time: any TimeSource, isCertain: Bool, clockMin: Int64, memory: GroupMemory? = nil,
    position: @escaping @Sendable () throws(EdgeError) -> CommittedOffset
  ) {
    self.source = source
    self.time = time
    self.isCertain = isCertain
    self.clockMin = clockMin
    self.memory = memory
    self.position = position
  }

  private typealias Stop = PartitionTopics.Stop

  private var number: Int32 { source.number }
  private var configuration: ServiceConfiguration { source.configuration }
  private var cancellation: Cancellation { source.cancellation }
  private var topics: TopicIdentity { source.topics }
  private var input: String { source.input }
  private var firstOwner: FirstOwner { FirstOwner(source, time: time, isCertain: isCertain, clockMin: clockMin) }
  /// Checks by all partitions' journals whether the input was recreated; nil to skip that check.
  private var history: InputHistory?

  /// The group's committed offset, or the reason why it cannot be known.
  package enum Answer {
    case answer(CommittedOffset)
    case noAnswer(RestoreOutcome)
  }

  /// The extents of the partition in the topics from which it is restored.
  package struct Extents: Sendable {
    let input: Extent
    let journal: Extent
    let state: Extent
  }

  /// Reads the group's committed offset, as the first step. Waits for brokers and for the end of a transaction open on the
  /// partition, but uses no processor.
  package func ask() -> Answer {
    do {
      try source.kafka { () throws(EdgeError) in try source.reader.makeRoom(for: number) }
      return .answer(try committed())
    } catch {
      return .noAnswer(outcome(of: error))
    }
  }

  /// Returns the extents of partitions. The committed offsets must have been read before: then no transaction is open on them.
  package static func extents(_ numbers: [Int32], _ reader: any ReadEdge) throws(EdgeError) -> [Extents] {
    // The journal first: a checkpoint that is read afterwards is not beyond its end.
    let journal = try reader.extents(.journal, numbers)
    let input = try reader.extents(.input, numbers)
    let state = try reader.extents(.state, numbers)
    return numbers.indices.map { Extents(input: input[$0], journal: journal[$0], state: state[$0]) }
  }

  /// Returns the result of restoring without a replay: whether group, journal, state and input are consistent. Only reads.
  package func examine(from committed: CommittedOffset, history: InputHistory) -> RestoreOutcome {
    var other = self
    other.isExamination = true
    return other.run(from: committed, history: history)
  }

  /// - Parameters:
  ///   - committed: The group's committed offset, read before.
  ///   - extents: The partition's extents, read after that; nil to read them.
  ///   - history: Checks by all partitions' journals whether the input was recreated; nil to skip that check.
  package func run(
    from committed: CommittedOffset, in extents: Extents? = nil, history: InputHistory? = nil
  ) -> RestoreOutcome {
    do {
      do {
        let extents =
          try extents ?? source.kafka { () throws(EdgeError) in try Self.extents([number], source.reader)[0] }
        var other = self
        other.history = history
        other.hasProcessor = Self.isLarge(extents.state.end - extents.state.first)
        return .restored(try Self.onProcessor(if: other.hasProcessor) { try other.restore(from: committed, in: extents) })
      } catch let stop as Stop {
        // The current owner may have committed between two of our checks.
        if stop.isAboutWhatWasFound, try self.committed() != committed { return .failed("another member is still at work on it") }
        throw stop
      }
    } catch {
      return outcome(of: error)
    }
  }

  private func outcome(of error: any Error) -> RestoreOutcome {
    switch error {
    case Stop.cancelled: .stopped
    case Stop.examined(let clock, let rules, let strangers): .examined(clock: clock, rules: rules, strangers)
    case Stop.refused(let reason): .refused(reason)
    case Stop.otherRules(let rules, let reason): .otherRules(rules, reason)
    case Stop.kafka(let error): outcome(of: error)
    case Stop.contradiction(let reason): isCertain ? .refused(reason) : .doubtful(reason)
    case Stop.lost(let reason, _): isCertain ? .failed(reason) : .doubtful(reason)
    default: .failed("\(error)")
    }
  }

  private func outcome(of error: EdgeError) -> RestoreOutcome {
    switch error.code {
    case .offsetOutOfRange:
      // A frozen leader that does not know yet that it was replaced reports later records as out of range. If they are really
      // missing, the next check finds that out.
      return .doubtful(error.message)
    case .unknownTopic, .unknownPartition:
      // Brokers that do not answer have not reported that it is gone.
      for topic in [Topic.journal, .state, .input] {
        if let partitions = try? source.reader.partitions(topic), partitions.isEmpty { return .gone(topic) }
      }
      if let partitions = try? source.reader.partitions(.input), !partitions.contains(number) { return .refused(error.message) }
      // Not every broker knows the partition yet, or it is one of journal or state that the next check creates.
      return .failed(error.message)
    default:
      // Whatever the brokers refuse now, such as a right, they may grant later; nothing is consumed until then.
      return .failed(error.message)
    }
  }

  // MARK: - Large partitions

  /// Whether a restore that reads this number of records keeps a processor busy for long, and has much in memory; others mostly
  /// wait for brokers.
  private static func isLarge(_ records: Int64) -> Bool { records > 20_000 }

  private static func onProcessor<R>(if isLarge: Bool, _ body: () throws -> R) rethrows -> R {
    isLarge ? try BackgroundTask.onProcessor(body) : try body()
  }

  // MARK: - Findings

  private func committed() throws -> CommittedOffset {
    try source.kafka { () throws(EdgeError) in try position() }
  }

  private func restore(from committed: CommittedOffset, in extents: Extents) throws -> RestoredPartition {
    let began = time.monotonicMs()
    let inputBounds = (first: extents.input.first, end: extents.input.end)
    let state = try source.readSettledState(in: extents.state, time)
    let journal = try source.readSettledJournal(
      from: max(state.checkpoint?.journal ?? 0, extents.journal.first), in: extents.journal, state, last: committed.entry, time)
    let (broken, written) = (journal.broken, memory?.written(number))
    let unknown = broken == nil ? nil : JournalStanding(unknownSince: time.wallMs())
    guard var last = JournalStanding(journal.entries, state.checkpoint) ?? unknown ?? written.map(JournalStanding.init) else {
      try checkHistory()
      let first = try firstOwner.begin(committed, inputBounds, journal)
      source.warn(of: state.strangers)
      return first
    }
    // If only entries without records are left, the group's offset still shows what was consumed.
    last.offset = last.offset ?? committed.offset
    var missing = Self.truncation(of: extents.journal, state.checkpoint)
    if broken == nil, let written, journal.entries.isEmpty && state.checkpoint == nil || written.n > last.n {
      let newest = journal.entries.last?.n ?? state.checkpoint?.n ?? 0
      missing =
        missing
        ?? "this instance has written entries up to \(written.n), but the journal ends with entry \(newest): the brokers have lost the"
        + " others, and viewers may have seen what they led to"
      resume(behind: written, inputBounds.end, &last)
    }
    if broken == nil && missing == nil {
      let isInTransactions = journal.terms.term == nil
      if let n = committed.entry, isInTransactions ? n != last.n : n > last.n {
        missing =
          "the group has committed entry \(n), but the journal ends with entry \(last.n): later entries were lost or deleted"
      }
      // Where later entries are gone, the group's offset is naturally beyond those that are left.
      if committed.entry ?? 0 <= last.n { try checkOffset(committed, against: last, isInTransactions: isInTransactions) }
    }
    if broken == nil { try checkInput(last, inputBounds, older: Self.older(state.checkpoint, journal.entries)) }
    if broken != nil || missing != nil {
      // If the entries cannot be read, the metadata of the group's offset is still the number of the last one.
      last.n = max(last.n, committed.entry ?? 0)
      // This process knows whether the input has lost what it consumed.
      let isKnown = written.map { $0.n >= committed.entry ?? .max } ?? false
      if !isKnown, let known = committed.offset, known > last.offset ?? -1 {
        last.offset = known
        last.last = nil
      }
    }
    do {
      do {
        if let broken { throw broken }
        if let missing { throw Stop.lost(reason: missing, offsets: 0) }
        return try run(state, journal, inputBounds, began: began)
      } catch let replay as ReplayFault {
        throw Stop.lost(reason: replay.description, offsets: 0)
      } catch let format as FormatFault {
        if format.code != .broken { throw Stop.refused(format.description) }
        throw Stop.lost(reason: format.description, offsets: 0)
      }
    } catch Stop.lost(let reason, let offsets) where isCertain {
      if try self.committed() != committed { throw Stop.lost(reason: reason, offsets: offsets) }
      do {
        return try source.salvage(state, journal, last, inputBounds, reason: reason, offsets: offsets)
      } catch let format as FormatFault {
        throw Stop.refused(format.description)
      }
    }
  }

  /// Continues behind the last entry that this process has written. Consumed records are not consumed again, as far as the input
  /// still has them.
  private func resume(behind written: GroupMemory.Written, _ inputEnd: Int64, _ last: inout JournalStanding) {
    last.n = max(last.n, written.n)
    last.clock = max(last.clock, written.clock)
    if written.offset > last.offset ?? -1 {
      memory?.inputEnds(number, at: inputEnd)
      last.offset = min(written.offset, inputEnd)
      last.last = nil
    }
  }

  /// Returns why the journal is not the one of the checkpoint, or nil if it may be.
  private static func truncation(of journal: Extent, _ checkpoint: Checkpoint?) -> String? {
    guard let checkpoint, journal.end < checkpoint.journal else { return nil }
    return
      "the journal ends at offset \(journal.end), but the checkpoint was written when it ended at offset \(checkpoint.journal):"
      + " it was truncated or recreated"
  }

  /// Checks that the group's offset agrees with the journal, which is authoritative. If offsets are committed beside it, for
  /// tools only, the group may be behind.
  private func checkOffset(_ committed: CommittedOffset, against last: JournalStanding, isInTransactions: Bool) throws {
    if let offset = last.offset, let known = committed.offset, isInTransactions ? known != offset : known > offset {
      throw Stop.contradiction(
        "the group has committed offset \(known) of \(input), but the journal ends at offset \(offset) (entry \(last.n)): the offsets were"
          + " changed from outside. To continue from the journal, stop all instances and run: \(source.resettingOffsets("--to-offset \(offset)")). To start over, use another"
          + " group, or delete the journal and state topics of this one")
    }
  }

  /// Checks that the input is the one that was consumed.
  private func checkInput(
    _ last: JournalStanding, _ bounds: (first: Int64, end: Int64), older: (offset: Int64, last: UInt64)?
  ) throws {
    guard let offset = last.offset else { return }
    if bounds.end < offset { throw Stop.contradiction(InputHistory.isShorter(input, bounds.end, consumed: offset)) }
    // The record before the offset was consumed, and is never a transaction marker. In a topic that was only appended to, it
    // exists until retention deletes it. The same holds for an older one: a topic that was recreated while it was read has the
    // newest record, but not that one.
    let known = [last.last.map { (offset, $0) }, older.map { ($0.offset, $0.last) }].compactMap { $0 }
    for (offset, taken) in known where bounds.first < offset {
      let found = try source.kafka { () throws(EdgeError) in
        try source.reader.fingerprint(number, before: offset, unless: { cancellation.isCancelled })
      }
      if cancellation.isCancelled { throw Stop.cancelled }
      if found == nil { throw Stop.contradiction(InputHistory.lacksRecord(input, before: offset)) }
      if found != taken { throw Stop.contradiction(InputHistory.hasOther(input, before: offset)) }
    }
    try checkHistory()
  }

  /// Checks that the input is the topic that the group has consumed, by the other partitions.
  private func checkHistory() throws {
    if let reason = try source.kafka({ () throws(EdgeError) in try history?.contradiction() }) {
      throw Stop.contradiction("partition \(number) is not read, because " + reason)
    }
  }

  /// Returns the oldest consumed record whose fingerprint is known: the one before the checkpoint's offset, or else the last one
  /// of the first entry since the last reset. A checkpoint may have been written before any record was consumed.
  private static func older(_ checkpoint: Checkpoint?, _ entries: [JournalEntry]) -> (offset: Int64, last: UInt64)? {
    if let checkpoint, let last = checkpoint.last { return (checkpoint.input, last) }
    let since = entries.lastIndex { $0.takeover?.reset != nil } ?? entries.startIndex
    guard let first = entries[since...].first(where: { $0.last != nil && !$0.batches.isEmpty }) else { return nil }
    return (first.batches.last!.endOffset, first.last!)
  }

  // MARK: - Replaying

  private func run(
    _ state: PartitionTopics.State, _ journal: PartitionTopics.Journal, _ bounds: (first: Int64, end: Int64), began: Int64
  ) throws -> RestoredPartition {
    let entries = journal.entries
    let beginning = try source.beginning(state, entries, isLenient: false)
    let partition = beginning.partition
    let last = entries.last?.n ?? partition.n
    if let newest = beginning.silent.keys.max(), newest > last {
      throw Stop.lost(reason: "a room was written after entry \(newest), but the journal ends with entry \(last)", offsets: 0)
    }
    let (start, end) = (partition.offset, entries.last(where: { !$0.batches.isEmpty })?.batches.last?.endOffset ?? 0)
    if bounds.first > max(start, end) || (bounds.first > start && end > start) {
      throw Stop.lost(
        reason: "\(input) begins at offset \(bounds.first), but is needed from offset \(start) on: earlier records were deleted",
        offsets: bounds.first - start)
    }
    if let stop = source.otherRules(in: entries, after: beginning.derivation) { throw stop }
    if entries.isEmpty, state.strangers != nil, let checkpoint = state.checkpoint {
      try source.checkRooms(partition, at: checkpoint)
    }
    if isExamination {
      let rules = entries.last { $0.takeover != nil }?.takeover?.derivation.rules ?? beginning.derivation.rules
      throw Stop.examined(clock: entries.last?.clock ?? partition.clock, rules: rules, state.strangers)
    }
    // A snapshot is committed only once all output up to its entry is.
    let saidTo = max(journal.terms.saidTo, beginning.silent.keys.max() ?? 0)
    let unsaid = UnsaidTarget(HeldBack(), isOn: false)
    let runner = try EntryRunner(
      partition, derivation: beginning.derivation, topics: topics, outbox: Outbox(unsaid), silent: beginning.silent,
      rules: configuration.knownRules,
      observer: UnsaidEntries(entries, above: saidTo, unsaid) { [topics, configuration, time] record, bad in
        DeadLetter(record, bad, topic: topics.input, limits: configuration.deadLetterLimits, wall: time.wallMs())
      })
    cancellation.begins(max(0, end - start))
    try Self.onProcessor(if: !hasProcessor && Self.isLarge(end - start)) {
      try source.read(.input, from: start, to: max(start, end)) { record in
        cancellation.came(to: record.offset - start)
        try runner.take(record)
        return true
      }
      try runner.finish()
    }
    partition.decidedRefusals = nil
    // Like those that have rested meanwhile, these rooms may have a snapshot that was not seen.
    beginning.records.isRunThrough = false
    partition.table.forEachRoom { $0.hasRecord = true }
    beginning.records.takenSince = runner.records
    source.warn(of: state.strangers)
    let ms = time.monotonicMs() - began
    let proof: LogMessage = runner.entries > 0 ? "with the same result" : "no entry since its checkpoint"
    return RestoredPartition(
      partition: partition, records: beginning.records, unsaid: unsaid.held, terms: journal.terms, journalEnd: journal.end,
      reset: nil, derivation: journal.newestDerivation ?? beginning.derivation,
      summary: """
        restored: partition \(.partition, number) at offset \(.offset, partition.offset), entry \(.entry, partition.n), \
        \(.rooms, partition.awake) rooms, \(.records, runner.records) records and \(.entries, runner.entries) entries derived again, \
        \(proof), in \(.ms, ms) ms\(unsaid.held.isEmpty ? nil : "; \(.count, unsaid.held.count) records are written again")
        """)
  }
}

/// The entries that a restore derives again. What those above `saidTo` led to may be missing from the output, and is held back.
private final class UnsaidEntries: EntryObserver {
  private var rest: IndexingIterator<[JournalEntry]>
  private let saidTo: Int64
  private let unsaid: UnsaidTarget
  private let letter: (InputRecord, BadEvent) -> DeadLetter

  init(
    _ entries: [JournalEntry], above saidTo: Int64, _ unsaid: UnsaidTarget,
    letter: @escaping (InputRecord, BadEvent) -> DeadLetter
  ) {
    rest = entries.makeIterator()
    self.saidTo = saidTo
    self.unsaid = unsaid
    self.letter = letter
  }

  func nextEntry() -> JournalEntry? {
    let next = rest.next()
    unsaid.isOn = next.map { $0.n > saidTo } ?? false
    return next
  }

  func wasBad(_ record: InputRecord, _ bad: BadEvent, at now: Int64) {
    if !unsaid.isOn { return }
    let letter = letter(record, bad)
    unsaid.held.add(.deadLetter, key: letter.key, value: letter.value, timestamp: letter.timestamp, headers: letter.headers)
  }
}
