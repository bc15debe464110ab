internal import ComboEdge
internal import ComboRooms
internal import ComboSystem
internal import ComboWire

/// Delivers at least once, for low latency: the journal is a write-ahead log, without waiting for transactions.
///
///     rooms emit ─▶ held back ─▶ entry written ─▶ acknowledged, and no other owner before it? ─▶ produced ─▶ acknowledged
///
/// Entries are made as soon as records have arrived, but not too often, and not if too many are in flight. Snapshots and
/// takeovers still go in transactions, with the group's offsets, so that no zombie can write them. A snapshot is committed only
/// once everything up to its entry is acknowledged. If a record cannot be delivered, all partitions are taken over again.
package final class WriteAheadDelivery: Delivery {
  let parts: ServiceParts
  var outcome = DeliveryOutcome()
  let output: any OutputEdge
  private let direct: any DirectEdge
  private let holding = HoldingTarget()
  /// The evidence that the journal has lost entries that were acknowledged; nil if it has not.
  private var wentBack: String?
  let outboxes: OutboxPool

  private let onTheirWay = PendingEntries()
  var state: StateTransaction?
  var lastState: Int64
  var lastReport: Int64
  let entryBuffer = ByteBuffer()
  /// The time of the last entries, by the monotonic clock.
  private var lastEntries: Int64

  /// The open transaction. It ends once everything up to the entries of its snapshots is acknowledged.
  struct StateTransaction {
    var needs: [(log: PartitionLog, n: Int64)] = []
    var claims: [ActivePartition] = []
    var offsets: [CommittedOffset] = []
    var totals = ServiceTotals()

    init() {}

    /// Whether everything up to the entries of its snapshots is acknowledged.
    var isReady: Bool { needs.allSatisfy { $0.log.saidTo >= $0.n } }
  }

  init(_ parts: ServiceParts, _ direct: any DirectEdge) {
    self.parts = parts
    self.direct = direct
    output = parts.edges.output
    outboxes = OutboxPool(holding)
    lastState = parts.edges.time.monotonicMs()
    lastReport = lastState
    lastEntries = lastState
  }

  var isOpen: Bool { state != nil }

  /// The logs of the active partitions: each has one, as it becomes active when its claim counts.
  var logs: some Sequence<PartitionLog> { parts.partitions.active.lazy.compactMap { $0?.log } }

  /// The number of records of the last poll.
  private var polled = 0

  /// Whether records may be consumed: not while a partition has much output that it cannot write, nor while no entries may be
  /// made, unless there is a backlog.
  func takesIn(polled: Int) -> Bool {
    self.polled = polled
    return takesIn
  }

  private var takesIn: Bool {
    if polled < Self.backlogMin, pauseMs > 0 { return false }
    return !logs.contains { $0.active.partition.taken >= Self.takenMax && !$0.mayWrite }
  }

  /// A poll with fewer records than this is no backlog.
  private static let backlogMin = 256
  package static let takenMax = 8192

  /// The pause after entries are made, of all partitions together. Each entry costs two requests, its own and that of its output,
  /// and brokers handle those of a connection one after another. The pause delays a gift that comes right after another one,
  /// never the first.
  static let entriesEveryMs: Int64 = 5

  /// The remaining time before entries may be made, in milliseconds.
  private var pauseMs: Int64 { lastEntries + Self.entriesEveryMs - parts.edges.time.monotonicMs() }

  func renew() throws(EdgeError) {
    onTheirWay.removeAll()
    try output.renew()
    try direct.renew()
  }

  func willProduce() {}

  func produce(_ letter: DeadLetter, of active: ActivePartition) {
    guard let log = active.log else { preconditionFailure("only its owner consumes a partition") }
    unsafe log.open.add(
      .deadLetter, key: letter.key, value: letter.value, timestamp: letter.timestamp, headers: letter.headers)
  }

  // MARK: - Timing

  private static let waitMaxMs: Int64 = 100

  func waitMs() -> Int32 {
    if awaitsAcknowledgements { return 1 }
    if !parts.partitions.unwrittenClaims.isEmpty { return 0 }
    let now = parts.edges.time.monotonicMs()
    let wall = parts.edges.time.wallMs()
    var next = now + Self.waitMaxMs
    for case let active? in parts.partitions.active {
      if active.records.isSweeping || parts.partitions.owed(by: active).mustSweep {
        next = min(next, lastState + Int64(parts.configuration.commitIntervalMs))
      }
      next = min(next, active.partition.hasNews ? now : active.nextEntry(wall: wall, monotonic: now))
    }
    return Int32(max(0, next - now))
  }

  /// Whether acknowledgements are outstanding: they do not wake a thread that waits for records.
  private var awaitsAcknowledgements: Bool { !onTheirWay.isEmpty || state != nil }

  func turn() -> DeliveryOutcome {
    outcome(of: { () throws(TransactionFault) in
      let pause = pauseMs
      try takeAcknowledgements(maxWaitMs: takesIn ? 0 : pause > 0 ? Int32(pause) : 5)
      if let late = lateEntry() {
        let within = Self.deliveredWithinMs / 1000
        throw TransactionFault.fatal("entry \(late.n) and its instructions could not be delivered within \(within) s")
      }
      if pause <= 0 { closeEntries() }
      try workOnState(budget: parts.configuration.sweepBudget, isHandingOver: false)
      reportOffsets()
    })
  }

  /// Returns an entry that has been in flight for too long. The producer itself never gives up a record while it continues with
  /// later ones: that would leave a gap.
  private func lateEntry() -> PendingEntry? {
    if onTheirWay.isEmpty { return nil }
    let now = parts.edges.time.monotonicMs()
    return logs.lazy.compactMap(\.entries.first).first { now - $0.since > Self.deliveredWithinMs }
  }

  private static let deliveredWithinMs: Int64 = 30_000

  // MARK: - Entries

  /// Makes and writes the entries that are due.
  private func closeEntries(onlyNews: Bool = false) {
    let monotonic = parts.edges.time.monotonicMs()
    let wall = parts.edges.time.wallMs()
    var due: [(log: PartitionLog, now: Int64)] = []
    for log in logs where log.mayWrite {
      let active = log.active
      let now = active.clock.target(wall: wall, monotonic: monotonic)
      guard active.partition.hasNews || (!onlyNews && active.entryIsDue(at: now, monotonic: monotonic)) else { continue }
      due.append((log, now))
    }
    if due.isEmpty { return }
    let quiet = parts.batches.quiesce()
    lastEntries = monotonic
    for (log, now) in due {
      log.active.lastEntry = monotonic
      write(log, at: now, quiet)
    }
  }

  private func write(_ log: PartitionLog, at now: Int64, _ quiet: borrowing Quiescence) {
    let active = log.active
    var entry = parts.maker.entry(of: active, at: now, outboxes, quiet)
    entry.saidTo = log.saidTo
    entry.term = log.term
    entryBuffer.removeAll()
    entry.write(to: entryBuffer)
    let pending = take(active)
    precondition(pending.n == (log.entries.last?.n ?? log.saidTo) + 1, "entries are written in order, and none is left out")
    pending.totals.add(entry, deadLetters: active.partition.lastDeadLetters, bytes: entryBuffer.count)
    pending.totals.tally = active.tally
    active.tally = EventCounts()
    swap(&pending.arrivals, &active.arrivals)
    swap(&pending.held, &log.open)
    holding.set(active.number, log.open, quiet)
    log.entries.append(pending)
    unsafe direct.produce(
      .journal, partition: active.number, key: nil, value: entryBuffer.bytes, timestamp: nil, headers: [], tag: pending.journalTag
    )
  }

  private func take(_ active: ActivePartition) -> PendingEntry {
    onTheirWay.take(active, since: parts.edges.time.monotonicMs(), moment: parts.watched.moment)
  }

  // MARK: - Acknowledgements

  /// Processes acknowledgements, and the work that waited for them.
  private func takeAcknowledgements(maxWaitMs: Int32) throws(TransactionFault) {
    var unplaced: PendingEntry?
    do throws(EdgeError) {
      try direct.serve(maxWaitMs: maxWaitMs) { tag, offset in
        let entry = onTheirWay.acknowledged(tag, offset)
        if entry.active != nil, entry.journalOffset ?? 0 < 0 { unplaced = entry }
      }
    } catch {
      throw TransactionFault.fatal(EdgeError(.other, error.message, number: error.number))
    }
    if let unplaced {
      // The entries before it cannot be read now; the next takeover reads them.
      throw TransactionFault.abort("entry \(unplaced.n) is in the journal, but the brokers did not report its offset")
    }
    for log in logs { advance(log) }
    if let wentBack {
      self.wentBack = nil
      throw TransactionFault.fatal(wentBack)
    }
  }

  private func advance(_ log: PartitionLog) {
    let active = log.active
    while !log.isChecking, log.released < log.entries.count {
      let next = log.entries[log.released]
      guard let offset = next.journalOffset else { break }
      if offset < log.position {
        wentBack =
          wentBack
          ?? "entry \(next.n) of partition \(active.number) is at offset \(offset) of the journal, and the one before it"
          + " was at offset \(log.position - 1): the brokers have lost records"
        break
      }
      if offset != log.position {
        log.isChecking = true
        parts.partitions.checkJournal(of: active, from: log.position, to: offset)
        break
      }
      log.position = offset + 1
      log.released += 1
      parts.partitions.wrote(active, next.n, upTo: next.offset)
      release(next)
    }
    while let first = log.entries.first, first.isReleased, first.unacknowledged == 0 {
      precondition(first.n > log.saidTo && first.offset >= log.saidOffset, "entries become durable in order")
      log.saidTo = first.n
      log.saidOffset = first.offset
      log.entries.removeFirst()
      log.released -= 1
      becameDurable(first.totals, first.arrivals, since: first.since)
      parts.watched.tell(spoken: first.spoken, at: first.moment)
      parts.watched.tell(first.answers)
      onTheirWay.recycle(first)
    }
  }

  /// Publishes the output of an entry, which the journal holds in this owner's continuing term.
  private func release(_ pending: PendingEntry) {
    precondition(
      pending.journalOffset != nil && !pending.isReleased, "output is published once, after its entry is in the journal")
    pending.isReleased = true
    unsafe pending.held.handOut { topic, key, value, timestamp, headers in
      pending.unacknowledged += 1
      if topic == .output, let key = unsafe key, let value = unsafe value, unsafe parts.watched.watches(key) {
        unsafe pending.spoken.append(.said(room: [UInt8](key), record: [UInt8](value)))
      }
      unsafe direct.produce(
        topic, partition: nil, key: key, value: value, timestamp: timestamp, headers: headers, tag: pending.outputTag)
    }
    pending.totals.said = pending.held.said
    pending.held.removeAll()
  }

  func checked(_ active: ActivePartition, _ check: JournalCheck) -> DeliveryOutcome {
    outcome(of: { () throws(TransactionFault) in try take(check, of: active) })
  }

  private func take(_ check: JournalCheck, of active: ActivePartition) throws(TransactionFault) {
    guard let log = active.log, log.isChecking, log.released < log.entries.count else { return }
    switch check {
    case .clear:
      log.isChecking = false
      log.position = log.entries[log.released].journalOffset!
      advance(log)
    case .overtaken, .counts:
      parts.log.warning("partition \(.partition, active.number): another instance has taken it over; restoring it again")
      try takeOverAnew(log)
    case .failed(let reason):
      parts.log.warning(
        "partition \(.partition, active.number): cannot read the journal; restoring it again: \(.reason, reason)")
      try takeOverAnew(log)
    }
  }

  /// Requests a partition to be taken over again. If the open transaction has its snapshot, it is aborted, and all partitions are
  /// restored.
  private func takeOverAnew(_ log: PartitionLog) throws(TransactionFault) {
    if state?.needs.contains(where: { $0.log === log }) ?? false {
      throw TransactionFault.abort("partition \(log.active.number) must be taken over again")
    }
    outcome.overtaken = log.active.number
  }

  // MARK: - Assignment

  func begin(_ restored: [ActivePartition]) -> DeliveryOutcome {
    for active in restored {
      do throws(EdgeError) {
        try direct.prepare(active.number)
        parts.partitions.note(.claimRequired, of: active.number)
      } catch {
        parts.log.warning("partition \(.partition, active.number) cannot be written to, trying again: \(.reason, error)")
        parts.partitions.refused(active.number)
      }
    }
    return DeliveryOutcome()
  }

  func claimed(_ active: ActivePartition, takeover: Int64, position: Int64) -> DeliveryOutcome {
    if parts.partitions.activate([active]).isEmpty { return DeliveryOutcome() }
    let log = PartitionLog(
      of: active, term: takeover, position: position, onTheirWay, holding)
    active.log = log
    holding.set(active.number, log.open, parts.batches.quiesce())
    let pending = take(active)
    pending.journalOffset = takeover
    // Watchers do not get the output of an earlier owner: they get the screens after it.
    pending.moment = -1
    pending.held = active.unsaid
    log.entries.append(pending)
    log.released = 1
    release(pending)
    return outcome(of: { advance(log) })
  }

  /// Answers queries. The instructions up to the last entry are in flight; an answer that includes them is sent after them.
  func answerQueries() {
    let quiet = parts.batches.quiesce()
    for log in logs where !log.active.partition.hasNews {
      let answers = parts.finder.answers(quiet) { $0 === log.active }
      if let last = log.entries.last { last.answers += answers } else { parts.watched.tell(answers) }
    }
    // The rooms that no partition of this member has.
    parts.watched.tell(parts.finder.answers(quiet) { $0 == nil })
  }

  var uncommittedSince: Int64? { logs.compactMap(\.entries.first?.since).min() }

  func handOver(_ partitions: [Int32], isStop: Bool) -> DeliveryOutcome {
    let given = partitions.compactMap { parts.partitions.activePartition($0)?.log }
    if given.isEmpty && state == nil { return DeliveryOutcome() }
    return outcome(of: { () throws(TransactionFault) in
      try write(given, by: parts.deadline(isStop: isStop))
      reportOffsets(isLast: true)
      if isStop { parts.warnOfUnwritten(given.map(\.active), isLost: state != nil) }
      if state != nil { throw TransactionFault.abort("partitions were given up before all was acknowledged") }
    })
  }

  private func write(_ given: [PartitionLog], by deadline: Int64) throws(TransactionFault) {
    for log in given { parts.partitions.note(.handOverBegan, of: log.active.number) }
    try finish(given, by: deadline)
    // A sweep that was in progress began at an earlier entry. The next one does not repeat its records.
    while true {
      for log in given where log.entries.isEmpty && log.active.needsSweep { beginSweep(log) }
      guard given.contains(where: \.active.records.isSweeping), parts.edges.time.monotonicMs() < deadline else { return }
      try workOnState(budget: 4 * parts.configuration.sweepBudget, isHandingOver: true)
      if state != nil { try finish(given, by: deadline) }
    }
  }

  /// Writes and publishes everything consumed, as far as time permits, and ends the transaction.
  private func finish(_ given: [PartitionLog], by deadline: Int64) throws(TransactionFault) {
    while true {
      closeEntries(onlyNews: true)
      if let open = state, open.isReady { try commit(open) }
      let isSettled = state == nil && given.allSatisfy { !$0.active.partition.hasNews && $0.entries.isEmpty }
      if isSettled || parts.edges.time.monotonicMs() >= deadline { return }
      try takeAcknowledgements(maxWaitMs: 1)
    }
  }

  func drop() { state = nil }
}
