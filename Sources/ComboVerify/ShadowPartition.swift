internal import ComboCore
internal import ComboEdge
internal import ComboMaps
internal import ComboRooms
internal import ComboWire

/// Derives one partition beside its owner: from the newest checkpoint up to the journal's end, then entry by entry as its owner
/// writes them. Used by one thread.
final class ShadowPartition {
  /// The reason why the partition cannot continue from here. It may continue from a newer checkpoint.
  struct Lost: Error {
    let reason: String
  }

  /// The state of a partition that is followed.
  private struct Course {
    let runner: EntryRunner<ShadowEntries>
    let entries: ShadowEntries
    var journal: JournalCursor
    var journalOffset: Int64
  }

  private let source: PartitionTopics
  private let ledger: ShadowLedger
  /// The derivation that this program would use as the owner. Once the journal is read, it has the group's rules if this program
  /// supports them.
  private(set) var own: Derivation
  private let knownRules: ClosedRange<Rules>
  private var state: PartitionTopics.State?
  private var course: Course?
  /// The time at which it is to be restarted.
  private(set) var dueAt = Int64.min

  var number: Int32 { source.number }
  var isFollowed: Bool { course != nil }
  var isAtLeastOnce: Bool { course?.journal.terms.term != nil }
  var rooms: Int { course?.runner.partition.awake ?? 0 }
  var entry: Int64 { course?.runner.partition.n ?? 0 }

  init(_ source: PartitionTopics, _ ledger: ShadowLedger, own: Derivation, knownRules: ClosedRange<Rules>) {
    self.knownRules = knownRules
    self.source = source
    self.ledger = ledger
    self.own = own
  }

  /// Whether all output of an entry is in the topic.
  func isSaid(_ n: Int64) -> Bool { course.map { n <= $0.journal.terms.saidTo } ?? true }

  /// Discards the derivation, to be restarted at the given time.
  func lose(until time: Int64) {
    course = nil
    state = nil
    dueAt = time
    ledger.discard(number)
  }

  // MARK: - Beginning

  /// Reads the state. Must be called before the journal's end is determined, as snapshots must not be newer.
  func readState() throws {
    state = try source.readState()
  }

  /// Derives everything up to the journal's end, without comparing it.
  /// - Returns: The group's derivation there, or nil if there is no journal yet.
  func begin(from first: Int64, to end: Int64) throws -> Derivation? {
    guard let state else { return nil }
    self.state = nil
    let journal = try source.readJournal(from: max(state.checkpoint?.journal ?? 0, first), to: end, state)
    if let broken = journal.broken { throw Lost(reason: "\(broken)") }
    if journal.entries.isEmpty, state.checkpoint == nil { return nil }
    let beginning = try source.beginning(state, journal.entries, isLenient: false)
    beginning.records.isOnlyRead = true
    let group = journal.newestDerivation ?? beginning.derivation
    own.addSchemas(of: group)
    own.namesInput = group.namesInput
    let hasOtherRules = ([beginning.derivation] + journal.entries.compactMap { $0.takeover?.derivation }).contains {
      !knownRules.contains($0.rules)
    }
    if !hasOtherRules { (own.rules, own.unknownSettings) = (group.rules, group.unknownSettings) }
    ledger.entry = nil
    let entries = ShadowEntries(
      number, ledger, checksRooms: !hasOtherRules, provesFrom: beginning.silent.keys.max() ?? 0)
    let runner = try EntryRunner(
      beginning.partition, derivation: beginning.derivation, topics: source.topics, outbox: Outbox(ledger),
      silent: beginning.silent,
      // Entries of other rules are nevertheless derived with these rules: that is the comparison.
      rules: hasOtherRules ? nil : knownRules, observer: entries)
    if hasOtherRules { try runner.derive(by: own) }
    // Appended only now, as the runner requests its first entry when it is created.
    for entry in journal.entries { entries.append(entry) }
    course = Course(runner: runner, entries: entries, journal: journal.cursor, journalOffset: end)
    do {
      try runEntries()
    } catch {
      course = nil
      throw error
    }
    if !hasOtherRules, group != own {
      // Continues as if the group had been restarted with these options now. The instructions that follow at once are compared.
      ledger.entry = (number, runner.partition.n)
      try runner.derive(by: own)
      ledger.entry = nil
      entries.checksRooms = false
    }
    return group
  }

  // MARK: - Following

  /// Derives the entries that the owner has written since.
  func step(to end: Int64) throws {
    guard course != nil else { return }
    try readJournal(to: end)
    ledger.entry = (number, 0)
    defer { ledger.entry = nil }
    try runEntries()
  }

  private func readJournal(to end: Int64) throws {
    try source.read(.journal, from: course!.journalOffset, to: end) { record in
      course!.journalOffset = record.offset + 1
      let taken = unsafe course!.journal.take(record.value, at: record.offset)
      if let fault = taken.fault { throw fault }
      if let entry = taken.counting { course!.entries.append(entry) }
      return true
    }
    course!.journalOffset = max(course!.journalOffset, end)
  }

  private func runEntries() throws {
    guard let course, !course.entries.isEmpty else { return }
    let runner = course.runner
    let (records, dropped) = (runner.records, runner.dropped)
    let end = course.entries.inputEnd
    try runner.resume()
    let start = runner.partition.offset
    try source.read(.input, from: start, to: max(start, end)) { record in
      try runner.take(record)
      if ledger.bytes > Shadow.bytesMax { throw Lost(reason: "the output is too far behind") }
      return true
    }
    try runner.finish()
    if ledger.entry == nil { return }
    ledger.report.records += runner.records - records
    ledger.report.dropped += runner.dropped - dropped
  }
}

/// The entries of a journal that were read and not run yet.
private final class ShadowEntries: EntryObserver {
  private let number: Int32
  private let ledger: ShadowLedger
  /// Whether the rooms must be those of the journal.
  var checksRooms: Bool
  private let provesFrom: Int64
  private var entries: ArraySlice<JournalEntry> = []

  init(_ number: Int32, _ ledger: ShadowLedger, checksRooms: Bool, provesFrom: Int64) {
    self.number = number
    self.ledger = ledger
    self.checksRooms = checksRooms
    self.provesFrom = provesFrom
  }

  var isEmpty: Bool { entries.isEmpty }
  /// The offset after the last record of the input in the entries.
  var inputEnd: Int64 { entries.last { !$0.batches.isEmpty }?.batches.last?.endOffset ?? 0 }

  func append(_ entry: JournalEntry) { entries.append(entry) }

  var checksEntries: Bool { false }

  func nextEntry() -> JournalEntry? {
    guard let next = entries.popFirst() else {
      entries = []
      return nil
    }
    if ledger.entry != nil { ledger.entry = (number, next.n) }
    return next
  }

  func wasBad(_ record: InputRecord, _ bad: BadEvent, at now: Int64) {
    if ledger.entry != nil { ledger.report.deadLetters += 1 }
  }

  /// Compares the rooms with those that the journal has after this entry.
  func ended(_ recorded: JournalEntry, _ derived: JournalEntry) throws {
    if ledger.entry != nil { ledger.report.entries += 1 }
    let fault = recorded.roomsFault(derived)
    if recorded.takeover?.reset != nil, fault != nil || !checksRooms {
      throw ShadowPartition.Lost(
        reason: "entry \(recorded.n) is a reset, after which the rooms are those that the service could still find")
    }
    if let fault = recorded.inputFault(derived) { throw fault }
    guard checksRooms, let fault, recorded.n >= provesFrom else { return }
    checksRooms = false
    ledger.report.otherRooms += 1
    ledger.differs("partition \(number): \(fault)")
  }
}
