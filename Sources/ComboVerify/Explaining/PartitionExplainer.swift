internal import ComboCore
internal import ComboEdge
internal import ComboRooms
internal import ComboSystem
internal import ComboWire

/// Derives one room of a partition again, and reports the fates of the requested gifts. Used by one thread.
///
/// Other rooms are not derived, as rooms do not depend on each other. So the cost is that of reading and decoding the input, and
/// the memory is that of one room and one page of the journal.
final class PartitionExplainer {
  /// The parameters that all partitions share.
  struct Task {
    let question: GiftQuestion
    let topics: TopicIdentity
    let reader: any ReadEdge
    /// The versions of the engine's rules that can be derived.
    let rules: ClosedRange<Rules>
    let log: ServiceLog
    /// Receives each finding, in the order of the input, and the part that was read. Returns false to stop.
    let receive: (Finding, ExplainedPartition) -> Bool
    let progress: (Int) -> Void
  }

  let number: Int32
  let task: Task
  var report: ExplainedPartition
  /// The first misses, and the number of all.
  var misses: [GiftMiss] = []
  var missCount = 0
  /// The number of misses that are only guesses.
  var guessCount = 0
  /// Findings that have not been reported yet.
  var pending = PendingFindings()
  /// Gifts of the room that nearly match the question.
  var near: NearGifts
  var isStopped = false
  /// Whether all later records are after the requested span.
  private var isPastUntil = false

  private var journalEnd: Int64 = 0
  /// The offset up to which the input has been examined.
  var seenTo: Int64 = 0
  var derivation: Derivation?
  let trail = GiftTrail(followsBanners: true)
  var notes: [Note] = []
  /// The room as of its last gift.
  var room: Room?
  /// The number of notes whose entries were found to be of this input.
  var provenNotes = 0
  /// Spans in which no service ran the partition, from takeovers: start and duration, since the first gift that was not reported.
  var aways: [(from: Int64, ms: Int64)] = []
  var ids = IDOffsets()
  /// Whether the room is known before its next event.
  private(set) var knowledge = RoomKnowledge()
  // The record in progress.
  private var record: InputRecord?
  private var now = Int64.min
  var partition: Partition?
  var madeProbe: (derivation: Derivation?, probe: RecordProbe?)?
  var lastRedriven: (offset: Int64, redriven: Redriven)?

  /// Misses beyond this number are only counted.
  static let missesMax = 100
  /// The time after the requested span at which the search ends. Producers' clocks may differ by this much.
  static let lateMs: Int64 = 60_000

  /// The facts about a gift besides its fate.
  struct Note {
    var offset: Int64
    var waitingBefore: Int?
    var worth: Double
    var firstOffset: Int64?
    var sentAt: Int64?
    var redriven: Redriven?
  }

  init(_ number: Int32, _ task: Task) {
    self.number = number
    self.task = task
    near = NearGifts(question: task.question, partition: number)
    report = ExplainedPartition(number: number)
  }

  var question: GiftQuestion { task.question }
  var reader: any ReadEdge { task.reader }

  /// Answers the question for this partition. Throws a ``VerifyFault`` or an `EdgeError`.
  func run() throws {
    let journalFirst = try reader.partitions(.journal).contains(number) ? reader.bounds(.journal, number).first : 0
    journalEnd = try reader.partitions(.journal).contains(number) ? reader.stableEnd(.journal, number) : 0
    let checkpoints = try RoomCheckpoints(number, of: question.room, since: question.since, task.topics, reader)
    let bounds = try reader.bounds(.input, number)
    let inputEnd = try reader.stableEnd(.input, number)
    report.isHeldUp = inputEnd < bounds.end
    if report.isHeldUp {
      report.faults.append("a transaction is open at offset \(inputEnd) of the input: records after it cannot be read yet")
    }
    (report.from, report.end, seenTo) = (bounds.first, inputEnd, bounds.first)
    let input = bounds.first...bounds.end
    if let ahead = checkpoints.newest?.checkpoint?.input, ahead > bounds.end {
      report.faults.append(
        "the newest checkpoint names offset \(ahead) of the input, which ends at \(bounds.end): it was created again, or lost records"
      )
    }
    let starts = try (checkpoints.found + [checkpoints.newest].compactMap { $0 }).compactMap {
      try DerivationStart(
        at: $0, number, task.topics, reader, journalEnd: journalEnd, input: input, rules: task.rules, log: task.log)
    }
    // A checkpoint contains the gifts of its own time.
    for start in starts.reversed() where start.partition.clock < question.since {
      (report.from, seenTo) = (start.partition.offset, start.partition.offset)
      if case .tooLate = try pass(start, unknownUpTo: nil, mayBeTooLate: true) {
        (misses, missCount, guessCount, near) = ([], 0, 0, NearGifts(question: question, partition: number))
        pending = PendingFindings()
        continue
      }
      return try end()
    }
    (report.from, seenTo) = (bounds.first, bounds.first)
    try runAll(journalFirst, input, starts)
    try end()
  }

  /// Derives from the journal's beginning, or from the first checkpoint if the beginning is gone.
  private func runAll(_ journalFirst: Int64, _ input: ClosedRange<Int64>, _ checkpoints: [DerivationStart]) throws {
    var next = try beginning(from: journalFirst, input)
    // The journal is empty: nothing has been taken in yet.
    if next == nil, checkpoints.isEmpty, journalEnd == journalFirst { return }
    if let first = checkpoints.first, first.partition.n < next?.partition.n ?? .max { next = first }
    while let start = next, !isStopped {
      try readUnknown(to: start.partition.offset, start.derivation, isBeginning: start.isFirst)
      // If the room is not known, the next checkpoint has its state.
      let later = checkpoints.first { $0.partition.n > start.partition.n }
      next = nil
      switch try pass(start, unknownUpTo: start.isKnown ? nil : later?.partition.n, mayBeTooLate: false) {
      case .finished, .tooLate: return
      case .atCheckpoint: next = later
      case .failed(let n, let journal):
        let checkpoint = checkpoints.first { $0.partition.n > n }
        let takeover = try beginning(from: journal, input, after: n)
        next = (checkpoint?.partition.n ?? .max) <= (takeover?.partition.n ?? .max) ? checkpoint : takeover
      }
    }
    // No entry covers the rest.
    if !isStopped { try readUnknown(to: report.end, derivation) }
  }

  private func beginning(from journal: Int64, _ input: ClosedRange<Int64>, after n: Int64 = 0) throws -> DerivationStart? {
    try DerivationStart(
      from: journal, after: n, number, task.topics, reader, journalEnd: journalEnd, input: input, rules: task.rules)
  }

  // MARK: - One run of entries

  private enum End {
    case finished
    case atCheckpoint
    /// The room became known only after the beginning of the requested span, or never.
    case tooLate
    /// The run failed. A new start must be above entry `n`, and is searched from offset `journal` of the journal on.
    case failed(n: Int64, journal: Int64)
  }

  private func pass(_ start: DerivationStart, unknownUpTo: Int64?, mayBeTooLate: Bool) throws -> End {
    try begin(start)
    let partition = start.partition
    let pass = ExplainingPass(
      self, JournalPages(number, task.topics, reader, from: start.journal, to: journalEnd, after: start.terms), start,
      unknownUpTo: unknownUpTo, mayBeTooLate: mayBeTooLate)
    do {
      let runner = try EntryRunner(
        partition, derivation: start.derivation, topics: task.topics, outbox: Outbox(self), silent: start.silent,
        rules: task.rules, observer: pass)
      try read(from: partition.offset) { [self] record in
        if !runner.isOver { try runner.take(record) }
        if pass.isOver { return false }
        if runner.isOver { try notCommitted(record) }
        isPastUntil = isBeyond(record)
        return !isPastUntil
      }
      report.records += runner.records
      // In the middle of an entry there is nothing to finish.
      if !isPastUntil, !pass.isOver {
        pass.isAtEnd = true
        try runner.finish()
      }
      if pass.isAtCheckpoint { return .atCheckpoint }
      // The requested span, or the input, may end before the room is known.
      let staysUnknown = mayBeTooLate && !isStopped && knowledge.silentUpTo > partition.n
      return pass.isTooLate || staysUnknown ? .tooLate : .finished
    } catch let other as OtherRules {
      report.faults.append(
        "entry \(other.n) and later ones need version \(other.rules) of the engine's rules, which this program does not have"
      )
    } catch let fault where fault is ReplayFault || fault is FormatFault {
      report.faults.append("\(fault)")
    }
    publishGifts(all: true, provenOnly: true)
    // After a gap, the entry itself may be a valid start.
    let isGap = pass.current.n > partition.n + 1
    return .failed(n: isGap ? pass.current.n - 1 : pass.current.n, journal: pass.current.journal)
  }

  private func begin(_ start: DerivationStart) throws {
    let partition = start.partition
    self.partition = partition
    derivation = start.derivation
    knowledge = RoomKnowledge(start)
    ids = IDOffsets()
    if start.isKnown, !start.isEmpty { try rememberIDs(before: partition.offset, start.derivation, at: partition.clock) }
    if knowledge.isKnown, knowledge.silentUpTo <= partition.n { setKnown(since: partition.clock) }
  }

  func processTakeover(_ takeover: JournalEntry.Takeover, at clock: Int64) {
    derivation = takeover.derivation
    if takeover.shift > 0, !trail.isEmpty { aways.append((clock - takeover.shift, takeover.shift)) }
  }

  /// Completes an entry.
  /// - Returns: Whether the room is known only from here on.
  func ended(_ recorded: JournalEntry, _ derived: JournalEntry) throws -> Bool {
    if let fault = recorded.inputFault(derived) { throw fault }
    provenNotes = notes.count
    report.clock = recorded.clock
    report.entry = recorded.n
    let becomesKnown = knowledge.silentUpTo == recorded.n
    if becomesKnown { setKnown(since: recorded.clock) }
    publishGifts(all: false)
    return becomesKnown
  }

  private func read(from start: Int64, _ body: (InputRecord) throws -> Bool) throws {
    var progress = OffsetProgress(reported: start, report: task.progress)
    try reader.scan(.input, number, from: start, to: max(report.end, start)) { record in
      self.record = record
      defer { self.record = nil }
      progress.advance(to: record.offset)
      // The last record may belong to the next run, which begins with it.
      let needsMore = try body(record)
      if needsMore { seenTo = record.offset + 1 }
      return needsMore
    }
  }

  /// Whether neither this record nor a later one can be in the requested span.
  private func isBeyond(_ record: InputRecord) -> Bool {
    if question.until == .max || now < question.until || !trail.isEmpty { return false }
    return record.time.map { $0.ms >= question.until &+ Self.lateMs } ?? true
  }

  private func setKnown(since clock: Int64) {
    if report.knownSince == nil { report.knownSince = clock }
  }

  private func end() throws {
    publishGifts(all: true)
    // Without any entry, nothing was derived from these records: they are not committed yet.
    if seenTo < report.end, report.entry == 0, !isStopped, !isPastUntil {
      try read(from: seenTo) { record in
        try notCommitted(record); return true
      }
    }
    report.seenTo = seenTo
    if trail.hasLostRetractions {
      report.faults.append(
        "more than \(GiftTrail.onScreenMax) gifts came while a banner was on screen, so some retractions are not reported"
      )
    }
    publish(pending.takeAll())
  }

  // MARK: - Events

  func admits(_ event: UnsafePointer<Event>, _ own: OwnSettings?, at now: Int64) -> Bool {
    self.now = now
    guard unsafe question.isAbout(event.pointee.room), let partition, let record else { return false }
    report.hasRoom = true
    let wasKnown = knowledge.isKnown
    guard knowledge.silentUpTo <= partition.n,
      unsafe knowledge.admits(event.pointee.kind, own, at: now, shifted: partition.shifted, partition.settings.values)
    else {
      unsafe missed(event.pointee, record, .beforeJournal, at: now)
      return false
    }
    if !wasKnown { setKnown(since: now) }
    return true
  }

  func process(_ event: UnsafePointer<Event>, _ own: OwnSettings?, by room: Room, at now: Int64, outbox: Outbox) {
    guard unsafe event.pointee.kind == .gift, let record, let partition else {
      if unsafe event.pointee.kind == .roomClosed { ids = IDOffsets() }
      return unsafe room.take(event, own: own, at: now, outbox: outbox)
    }
    let gift = unsafe event.pointee.gift
    self.room = room
    var note = unsafe Note(offset: record.offset, worth: gift.value, sentAt: event.pointee.time(in: record))
    if unsafe gift.id.count > 0 {
      let settings = room.engine.own.isEmpty ? partition.settings.values : partition.settings.values.with(room.engine.own)
      note.firstOffset = unsafe ids.register(
        gift.id, offset: record.offset, at: now - partition.shifted, dedupeMs: settings.dedupeMs, idsMax: settings.maxIds,
        refreshes: gift.refreshes && partition.settings.rules.hasRefresh)
    }
    guard unsafe question.isAsked(event.pointee, record, at: now) else {
      unsafe near.consider(event.pointee, record, at: now)
      return unsafe room.take(event, own: own, at: now, outbox: outbox)
    }
    note.redriven = redriven(record)
    trail.process(gift, at: now, by: &room.engine)
    room.forgetWakeup()
    let taken = trail.last!.taken
    note.worth *= Double(taken.count)
    if taken.outcome != .duplicate { note.firstOffset = nil }
    if taken.banner > 0 { note.waitingBefore = room.engine.waitingBefore(taken.banner) }
    notes.append(note)
  }

  /// Processes a gift that is older than the maximum age: no engine receives it, even if its room is known.
  func processOld(_ event: UnsafePointer<Event>, at now: Int64) {
    self.now = now
    guard let record, unsafe question.isAbout(event.pointee.room) else { return }
    report.hasRoom = true
    guard unsafe question.isAsked(event.pointee, record, at: now) else {
      return unsafe near.consider(event.pointee, record, at: now)
    }
    unsafe trail.addOld(event.pointee.gift, at: now)
    unsafe notes.append(
      Note(offset: record.offset, worth: 0, sentAt: event.pointee.time(in: record), redriven: redriven(record)))
  }
}
