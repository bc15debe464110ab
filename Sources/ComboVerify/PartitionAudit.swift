package import ComboCore
package import ComboEdge
internal import ComboRooms
internal import ComboSystem
package import ComboWire

/// Derives one partition again, as far as journal, input and snapshots allow. Used by one thread.
///
/// From the journal's first entry on, every room is known. If that entry or its input was deleted, the derivation begins where
/// the settings are known, without rooms. Each room is added with the first epoch that begins after a rest. At the checkpoint, if
/// there is one, the snapshots add all rooms that are still unknown.
package final class PartitionAudit {
  package struct Outcome {
    package let number: Int32
    /// The partition's part of the report.
    var report = VerifyReport()
    /// Whether it was derived to its end, without a failure or a lost room.
    var isSteady = true
    /// Offsets of the input whose dead letters were compared.
    var lettersCompared: Set<Int64> = []
    /// The offset of the input up to which it was derived.
    var inputEnd: Int64 = 0
    var isAtLeastOnce = false
    /// The time after which all new epochs must be derived. An epoch of exactly that time may have emitted before.
    var knownSince = Int64.max
    var claims: [Claim] = []
    var everUnknown: Set<RoomKey> = []
    var doubtful: [RoomKey: Int] = [:]
  }

  private let number: Int32
  private let journal: JournalReading
  private let snapshots: SnapshotReading?
  private let reader: any ReadEdge
  private let topics: TopicIdentity
  private let comparison: Comparison
  private let fromCheckpoint: Bool
  /// The rules whose entries can be derived.
  private let rules: ClosedRange<Rules>
  private let progress: (Int) -> Void
  private var outcome: Outcome
  private var clock = Int64.min

  package init(
    _ journal: JournalReading, of number: Int32, _ snapshots: SnapshotReading?, _ reader: any ReadEdge, _ topics: TopicIdentity,
    _ common: Comparison.Common, fromCheckpoint: Bool, rules: ClosedRange<Rules>, progress: @escaping (Int) -> Void
  ) {
    self.rules = rules
    self.number = number
    outcome = Outcome(number: number)
    self.journal = journal
    self.snapshots = snapshots
    self.reader = reader
    self.topics = topics
    self.fromCheckpoint = fromCheckpoint
    self.progress = progress
    comparison = Comparison(number, common)
    comparison.position.saidTo = journal.terms.saidTo
  }

  package func run() throws -> Outcome {
    outcome.report.partitions = 1
    outcome.isAtLeastOnce = journal.isAtLeastOnce
    outcome.report.said = journal.runs.reduce(0) { $1.items.reduce($0) { $0 &+ $1.entry.said } }
    let inputFirst = try reader.partitions(.input).contains(number) ? try reader.bounds(.input, number).first : 0
    // There were entries, all of which retention has deleted.
    if journal.runs.isEmpty, try reader.partitions(.journal).contains(number), try reader.bounds(.journal, number).first > 0 {
      outcome.report.isComplete = false
      outcome.isSteady = false
    }
    for run in journal.runs {
      let first = run.items[0].entry
      clock = first.clock
      // The output of an owner whose journal and state were deleted is unknown.
      if run.beginsAnew { outcome.report.isComplete = false }
      if let gap = run.gap {
        outcome.report.isComplete = false
        outcome.isSteady = false
        if first.takeover?.reset == nil { damaged(gap) }
      }
      if let version = run.otherRules {
        passOver(run.items.count, version)
        let last = run.items.last!.entry
        comparison.markNoneKnown(at: last.clock, shifted: last.shifted)
      } else {
        try derive(run, inputFirst)
      }
    }
    if let (sentence, count) = journal.broken { damaged(sentence, count) }
    if let (sentence, count) = journal.doubled { damaged(sentence, count) }
    outcome.claims = comparison.claims
    outcome.everUnknown = comparison.everUnknown
    outcome.doubtful = comparison.doubtful
    outcome.knownSince = outcome.report.isComplete ? .min : comparison.knownSince
    outcome.report.findings.merge(comparison.findings)
    outcome.report.tally = comparison.tally
    return outcome
  }

  private func damaged(_ sentence: String, _ count: Int = 1) {
    if clock >= comparison.common.from { outcome.report.findings.add(.source, sentence, at: clock, count: count) }
  }

  /// Skips entries of other rules. Their output is unknown, and so are the rooms after them.
  private func passOver(_ entries: Int, _ version: Rules) {
    outcome.report.isComplete = false
    if outcome.report.entries > 0 { outcome.isSteady = false }
    outcome.report.entriesSkipped += entries
    outcome.report.entriesOfOtherRules[version, default: 0] += entries
  }

  // MARK: - One run of entries

  private enum End {
    case finished
    /// All entries up to the checkpoint were run, and rooms are still unknown.
    case atCheckpoint
    /// All rooms began a new epoch, and differ from the derived ones. The derivation continues at this item.
    case reset(next: Int)
    case failed
  }

  private func derive(_ run: JournalReading.Run, _ inputFirst: Int64) throws {
    let checkpoint = snapshots?.state.checkpoint
    let checkpointIndex = checkpoint.flatMap { run.index(after: $0.n) }
    let beginning = checkpointIndex == nil ? nil : snapshotBeginning(run, checkpointIndex!)
    var start = fromCheckpoint ? nil : run.start(inputFrom: inputFirst, checkpoint, rules: rules)
    // Nothing before the checkpoint can be derived, so its rooms are the earliest that are known.
    if let next = start?.next, let checkpoint, let checkpointIndex, beginning != nil, checkpointIndex < next,
      checkpoint.input >= inputFirst
    {
      start = nil
    }
    if start?.isEmpty != true || start?.n != 0 { outcome.report.isComplete = false }
    if fromCheckpoint, checkpointIndex == nil, run.items.last?.offset == journal.lastItem?.offset {
      damaged("partition \(number): there is no checkpoint to begin from. Leave --from-checkpoint out")
    }
    outcome.report.entriesSkipped += (start?.next ?? (beginning == nil ? run.items.count : checkpointIndex!))
    var end = End.atCheckpoint
    repeat {
      if let here = start { end = try derive(run, from: here, beginning == nil ? nil : checkpointIndex) }
      if case .atCheckpoint = end, let beginning { end = try resume(from: beginning, run, checkpointIndex!) }
      start = self.start(after: end, run)
    } while start != nil
  }

  /// Derives the entries from a start on. Its rooms are unknown unless there are none.
  /// - Parameter checkpoint: The index of the first entry above the checkpoint, or nil if there is none.
  private func derive(_ run: JournalReading.Run, from here: JournalReading.Run.Start, _ checkpoint: Int?) throws -> End {
    comparison.markNoneKnown(at: here.clock, shifted: here.shifted)
    if here.isEmpty {
      comparison.markAllKnown(since: run.beginsAnew ? run.items[0].entry.clock : here.n == 0 ? .min : here.clock)
    }
    let partition = Partition(
      number, settings: here.derivation.engineSettings, ownSettingsMax: 0, n: here.n, clock: here.clock,
      offset: here.offset, shifted: here.shifted,
      // Only the checkpoint knows the shift before the journal's beginning.
      epochLead: run.items[..<here.next].reduce(0) { $0 + $1.entry.broughtBack })
    let until = checkpoint.flatMap { $0 >= here.next ? $0 : nil }
    return try pass(run, from: here.next, until: until, partition, here.derivation, [:], provesFrom: 0)
  }

  /// Returns the start after a reset, or nil if the derivation has ended otherwise.
  private func start(after end: End, _ run: JournalReading.Run) -> JournalReading.Run.Start? {
    guard case .reset(let next) = end else { return nil }
    let entry = run.items[next - 1].entry
    outcome.report.isComplete = false
    outcome.isSteady = false
    return JournalReading.Run.Start(
      n: entry.n, clock: entry.clock, offset: entry.batches.last?.endOffset ?? comparison.partition!.offset,
      shifted: entry.shifted,
      derivation: entry.takeover!.derivation, next: next, isEmpty: entry.rooms == 0)
  }

  /// Continues at the checkpoint, where every room is known by its snapshot, or has rested.
  private func resume(from beginning: PartitionTopics.Beginning, _ run: JournalReading.Run, _ index: Int) throws -> End {
    let partition = beginning.partition
    comparison.partition = partition
    for room in rooms(of: partition) { comparison.adopt(room) }
    // Rooms whose snapshots are newer take part only from then on.
    let provesFrom = beginning.silent.keys.max() ?? 0
    let since = run.items.first { $0.entry.n == provesFrom }?.entry.clock ?? partition.clock
    comparison.markAllKnown(since: since)
    let end = try pass(run, from: index, until: nil, partition, beginning.derivation, beginning.silent, provesFrom: provesFrom)
    if case .finished = end { outcome.report.entriesBeforeCheckpoint += index }
    return end
  }

  private func rooms(of partition: Partition) -> [Room] {
    (0..<partition.table.placeCount).compactMap { partition.table.room(at: $0) }
  }

  private func snapshotBeginning(_ run: JournalReading.Run, _ index: Int) -> PartitionTopics.Beginning? {
    guard let snapshots else { return nil }
    do {
      let beginning = try snapshots.source.beginning(snapshots.state, run.items[index...].map(\.entry), isLenient: false)
      for room in rooms(of: beginning.partition) where !room.engine.own.isEmpty {
        unsafe comparison.mayHaveOwn.insert(RoomKey(room.id))
      }
      return beginning
    } catch {
      damaged("partition \(number) of the state topic: \(error)")
      return nil
    }
  }

  /// The error that a reset has replaced the rooms with others than the derived ones.
  private struct WasReset: Error {}

  /// Runs entries over the input.
  private func pass(
    _ run: JournalReading.Run, from first: Int, until: Int?, _ partition: Partition, _ derivation: Derivation,
    _ silent: [Int64: [Room]], provesFrom: Int64
  ) throws -> End {
    comparison.partition = partition
    comparison.settle(derivation.settings)
    let start = partition.offset
    let pass = Pass(self, run.items, next: first, until: until, provesFrom: provesFrom)
    var end = End.finished
    do {
      let runner = try EntryRunner(
        partition, derivation: derivation, topics: topics, outbox: Outbox(comparison), silent: silent, rules: rules,
        observer: pass)
      try read(start, to: run.inputEnd(from: first, start: start), runner) { pass.isAtCheckpoint }
      outcome.report.records += runner.records
      outcome.report.dropped += runner.dropped
      outcome.inputEnd = max(outcome.inputEnd, partition.offset)
      if pass.isAtCheckpoint { end = .atCheckpoint }
    } catch is WasReset {
      end = .reset(next: pass.next)
    } catch let other as OtherRules {
      // Only the checkpoint has the rules, as the takeover is gone.
      passOver(run.items.count - pass.next + 1, other.rules)
      end = .failed
    } catch let fault where fault is ReplayFault || fault is FormatFault {
      outcome.report.isComplete = false
      damaged("partition \(number): \(fault)")
      end = .failed
    }
    switch end {
    case .finished: comparison.finish(failed: false)
    case .failed:
      outcome.isSteady = false
      comparison.finish(failed: true)
      comparison.markNoneKnown(at: clock, shifted: partition.shifted)
    case .atCheckpoint, .reset: break
    }
    return end
  }

  /// Follows one run of entries.
  private final class Pass: EntryObserver {
    private let audit: PartitionAudit
    private let items: ContiguousArray<JournalReading.Item>
    /// The index of the next entry.
    private(set) var next: Int
    /// The index of the first entry above the checkpoint, before which it ends if rooms are still unknown, or nil if none.
    private let until: Int?
    private let provesFrom: Int64
    private(set) var isAtCheckpoint = false

    init(_ audit: PartitionAudit, _ items: ContiguousArray<JournalReading.Item>, next: Int, until: Int?, provesFrom: Int64) {
      self.audit = audit
      self.items = items
      self.next = next
      self.until = until
      self.provesFrom = provesFrom
    }

    var checksEntries: Bool { false }

    func nextEntry() -> JournalEntry? {
      if next == until, !audit.comparison.isAllKnown { isAtCheckpoint = true }
      guard !isAtCheckpoint, next < items.count else { return nil }
      let item = items[next]
      next += 1
      audit.comparison.begin(item.entry, journalOffset: item.offset)
      return item.entry
    }

    func admits(_ event: UnsafePointer<Event>, _ own: OwnSettings?, at now: Int64) -> Bool {
      unsafe audit.comparison.admits(event, own, at: now)
    }

    func take(_ event: UnsafePointer<Event>, _ own: OwnSettings?, by room: Room, at now: Int64, outbox: Outbox) {
      unsafe room.take(event, own: own, at: now, outbox: outbox)
      unsafe audit.comparison.count(event, own, by: room, at: now)
    }

    func wasBad(_ record: InputRecord, _ bad: BadEvent, at now: Int64) {
      audit.outcome.report.deadLetters += 1
      audit.compare(record, bad)
    }

    func ended(_ recorded: JournalEntry, _ derived: JournalEntry) throws {
      try audit.finish(recorded, derived, provesFrom: provesFrom)
    }
  }

  /// Compares an entry as it was derived with the recorded one.
  private func finish(_ recorded: JournalEntry, _ derived: JournalEntry, provesFrom: Int64) throws {
    let otherRooms = recorded.roomsFault(derived)
    let isReset = recorded.takeover?.reset != nil
    clock = recorded.clock
    outcome.report.entries += 1
    if recorded.takeover != nil { outcome.report.takeovers += 1 }
    if isReset { outcome.report.resets += 1 }
    let mustBeSame = comparison.isAllKnown && recorded.n >= provesFrom
    comparison.end(recorded, isSame: otherRooms == nil && recorded.n >= provesFrom)
    if isReset, otherRooms != nil { throw WasReset() }
    // The result is compared nevertheless.
    if let fault = recorded.inputFault(derived) { damaged("partition \(number): \(fault)") }
    if !mustBeSame { return }
    if let otherRooms { throw otherRooms }
    // The number of records is known only if no room was silent in the entry.
    if recorded.n > provesFrom, recorded.said != derived.said {
      throw ReplayFault(
        "entry \(recorded.n) says that it led to \(Counted.text(recorded.said, "records")), but \(derived.said) were derived")
    }
  }

  /// Compares the dead letter of a bad record with the record.
  private func compare(_ record: InputRecord, _ bad: BadEvent) {
    let common = comparison.common
    guard let letters = common.letters, outcome.lettersCompared.insert(record.offset).inserted, clock >= common.from else {
      return
    }
    if comparison.position.n > comparison.position.saidTo { return }
    let what = "the bad record at offset \(record.offset) of input partition \(number)"
    switch letters.fault(of: record, bad, isOnce: common.lettersAreOwn && !comparison.position.isAtLeastOnce) {
    case nil: break
    case .missing: outcome.report.findings.add(.missing, "\(what) has no dead letter", at: clock)
    case .differs(let place):
      outcome.report.findings.add(
        .bytes, "the dead letter of \(what) is not what the input gives (dead-letter \(place.text))", at: clock)
    case .twice(let place):
      outcome.report.findings.add(
        .sequence, "\(what) has more than one dead letter (the first: dead-letter \(place.text))", at: clock)
    }
  }

  private func read(_ start: Int64, to end: Int64, _ runner: EntryRunner<Pass>, _ isOver: () -> Bool) throws {
    var progress = OffsetProgress(reported: start, report: progress)
    // Otherwise the read would wait in vain for the missing records.
    let there = try reader.bounds(.input, number).end
    if there < end {
      throw ReplayFault(
        "the input ends at offset \(there), but the journal has taken it in up to \(end): the input was truncated or recreated")
    }
    try reader.scan(.input, number, from: start, to: max(start, end)) { record in
      if isOver() { return false }
      comparison.position.inputOffset = record.offset
      try runner.take(record)
      progress.advance(to: record.offset)
      return true
    }
    if !isOver() {
      try runner.finish()
      progress.finish(at: end)
    }
  }
}
