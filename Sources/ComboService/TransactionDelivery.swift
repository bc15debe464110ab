internal import ComboCore
internal import ComboEdge
internal import ComboRooms
internal import ComboSystem
internal import ComboWire

/// Delivers exactly once: all work of a `commit_interval` is published in one transaction.
///
/// Rooms emit into the open transaction. A commit waits until they are done. Entries, output, dead letters, snapshots and offsets
/// count together or not at all.
final class TransactionDelivery: Delivery {
  let parts: ServiceParts
  var outcome = DeliveryOutcome()
  private let output: any OutputEdge
  private let target: ProducingTarget
  let outboxes: OutboxPool
  private(set) var isOpen = false
  private var openedAt: Int64 = 0
  private var lastCommit: Int64
  private var uncommitted = ServiceTotals()
  private var arrivals = Arrivals()
  /// The entries of the commit in progress, one after the other, and the end of each.
  private let entryBuffer = ByteBuffer()
  private var entryEnds: [(partition: Int32, end: Int)] = []
  /// The time before which no checkpoint is tried, because the journal's end could not be read.
  private var nextSweep: Int64?

  init(_ parts: ServiceParts) {
    self.parts = parts
    output = parts.edges.output
    target = ProducingTarget(output, watched: parts.watched.captured, heldBytes: parts.configuration.heldBytes)
    outboxes = OutboxPool(target)
    lastCommit = parts.edges.time.monotonicMs()
  }

  func takesIn(polled: Int) -> Bool { true }

  private var configuration: ServiceConfiguration { parts.configuration }

  func renew() throws(EdgeError) { try output.renew() }

  func willProduce() {
    if isOpen { return }
    precondition(outboxes.areIdle, "rooms run in a transaction only")
    isOpen = true
    openedAt = parts.edges.time.monotonicMs()
    target.begin()
    do throws(TransactionFault) {
      try output.begin()
    } catch {
      // The commit reports and handles the failure again.
      parts.log.warning("cannot begin a transaction: \(.reason, error.reason)")
    }
  }

  func produce(_ letter: DeadLetter, of active: ActivePartition) {
    willProduce()
    unsafe target.produce(
      .deadLetter, key: letter.key, value: letter.value, timestamp: letter.timestamp, headers: letter.headers)
  }

  // MARK: - Timing

  /// The loop checks at least this often whether it must stop.
  private static let waitMaxMs: Int64 = 100

  func waitMs() -> Int32 {
    let now = parts.edges.time.monotonicMs()
    let due = commitDue(now: now)
    let next = isOpen ? due : max(due, nextWork(now: now))
    return Int32(max(0, min(next - now, Self.waitMaxMs)))
  }

  /// Returns the monotonic time at which a partition has a deadline even if no record arrives.
  private func nextWork(now: Int64) -> Int64 {
    let wall = parts.edges.time.wallMs()
    var next = Int64.max
    for case let active? in parts.partitions.active {
      if active.records.isSweeping || !parts.partitions.owed(by: active).isNothing { return now }
      next = min(next, active.nextEntry(wall: wall, monotonic: now))
    }
    return next
  }

  func turn() -> DeliveryOutcome {
    if !isOpen { beginSweeps() }
    let now = parts.edges.time.monotonicMs()
    // A larger one would take brokers and readers too long.
    let isLarge = isOpen && outboxes.bytes >= configuration.transactionBytes
    return outcome(of: { () throws(TransactionFault) in
      if isLarge || now >= commitDue(now: now) && (isOpen || nextWork(now: now) <= now) { try commit() }
    })
  }

  /// Returns when the next commit is due. A commit costs the same however much it holds. In a backlog gifts are late anyway:
  /// waiting adds less delay than the rest of the backlog takes, and the backlog is processed sooner.
  private func commitDue(now: Int64) -> Int64 {
    let due = lastCommit + Int64(configuration.commitIntervalMs)
    if now < due { return due }
    let latest = lastCommit + Int64(Self.stretchedMs(configuration.commitIntervalMs))
    return now < latest && isBehind() ? latest : due
  }

  /// Returns up to five intervals, but well below the transaction timeout, after which the coordinator would abort.
  static func stretchedMs(_ intervalMs: Int) -> Int { min(5 * intervalMs, max(intervalMs, 4000)) }

  /// Whether more than twice as many records are waiting as were consumed since the last commit, and none of these is of a
  /// partition that has caught up. Without input, deadlines alone are not urgent.
  private func isBehind() -> Bool {
    var (taken, waiting): (Int64, Int64) = (0, 0)
    for case let active? in parts.partitions.active {
      if !parts.partitions.owed(by: active).isNothing { return false }
      if parts.partitions.state(of: active.number).awaitedSchema != nil { continue }
      let left = active.waiting(upTo: parts.edges.group.end(of: active.number))
      let new = active.partition.offset - active.committedOffset
      if new > 0, left <= configuration.backlogMin { return false }
      taken += new
      waiting += left
    }
    // Records that wait because of a slow commit are not a backlog.
    return waiting > max(2 * taken, 10 * configuration.backlogMin)
  }

  // MARK: - Committing

  /// Makes all work since the last commit durable, or none of it.
  private func commit(sweepBudget: Int? = nil) throws(TransactionFault) {
    let quiet = parts.batches.quiesce()
    willProduce()
    precondition(entryEnds.isEmpty && entryBuffer.count == 0, "an entry belongs to one transaction")
    let began = parts.edges.time.monotonicMs()
    let wall = parts.edges.time.wallMs()
    lastCommit = began
    var offsets: [CommittedOffset] = []
    var budget = sweepBudget ?? configuration.sweepBudget
    let claims = parts.partitions.unwrittenClaims
    for (claim, takeover) in claims {
      let entry = parts.maker.claim(of: claim, takeover, quiet)
      parts.partitions.note(.claimWritten(entry), of: claim.number)
      write(entry, claim)
      offsets.append(claim.position)
    }
    for case let active? in parts.partitions.active {
      let now = active.clock.target(wall: wall, monotonic: began)
      let isDue = !parts.partitions.state(of: active.number).isDraining && active.entryIsDue(at: now, monotonic: began)
      let owed = parts.partitions.owed(by: active)
      guard !owed.isNothing || active.partition.hasNews || active.records.isSweeping || isDue else { continue }
      var owesEntry = false
      switch owed {
      case .takeover(let takeover):
        outboxes.withOutbox { write(parts.maker.takeover(of: active, takeover, outbox: $0, quiet), active) }
        parts.partitions.note(.takeoverWritten, of: active.number)
      case .entry: owesEntry = true
      case .nothing, .sweep: break
      }
      if active.partition.hasNews || owesEntry || (isDue && active.entryIsDue(at: now, monotonic: began)) {
        write(parts.maker.entry(of: active, at: now, outboxes, quiet), active)
        if owesEntry { parts.partitions.note(.entryWritten, of: active.number) }
      }
      active.lastEntry = began
      if parts.partitions.owed(by: active).mustSweep {
        // The current state of the rooms cannot be derived from anything before, so all of it must be in the topic.
        beginSweeps(of: [active])
        budget = .max
      }
      if active.records.isSweeping {
        let written = active.records.write(active.partition, budget: budget, to: StateTopicWriter(output, active.number), quiet)
        budget = max(0, budget - written.bytes)
        uncommitted.stateBytes += written.bytes
      }
      precondition(!active.partition.hasNews, "a commit holds an entry for everything that was consumed")
      precondition(active.committedOffset <= active.partition.offset, "the group's offset never goes back")
      offsets.append(active.position)
      active.committedOffset = active.partition.offset
    }
    uncommitted.said.add(outboxes.takeCounts(quiet))
    target.release()
    produceEntries()
    outcome.topics = uncommitted.topics
    precondition(Set(offsets.map(\.partition)).count == offsets.count, "a commit has one offset of a partition")
    try output.commit(offsets)
    outcome.topics = []
    isOpen = false
    uncommitted.commits = 1
    becameDurable(uncommitted, arrivals, since: began)
    uncommitted = ServiceTotals()
    arrivals.removeAll()
    parts.tellWatchers(quiet)
    for case let active? in parts.partitions.active {
      parts.partitions.wrote(active, active.partition.n, upTo: active.partition.offset)
    }
    for (claim, _) in claims { parts.partitions.note(.claimCommitted, of: claim.number) }
    beginSweeps()
  }

  private func write(_ entry: JournalEntry, _ active: ActivePartition) {
    precondition(isOpen, "an entry is written in a transaction")
    let start = entryBuffer.count
    entry.write(to: entryBuffer)
    entryEnds.append((active.number, entryBuffer.count))
    uncommitted.add(entry, deadLetters: active.partition.lastDeadLetters, bytes: entryBuffer.count - start)
    uncommitted.tally.add(active.tally)
    active.tally = EventCounts()
    arrivals.add(active.arrivals)
    active.arrivals.removeAll()
  }

  /// Produces the entries together, for the reason for which output is held back: see ``ProducingTarget``.
  private func produceEntries() {
    var start = 0
    for (partition, end) in entryEnds {
      let entry = unsafe Bytes(rebasing: entryBuffer.bytes[start..<end])
      unsafe output.produce(.journal, partition: partition, key: nil, value: entry, timestamp: nil, headers: [])
      start = end
    }
    entryEnds.removeAll(keepingCapacity: true)
    entryBuffer.removeAll()
  }

  /// Begins sweeps that are due, also of idle partitions: otherwise their last entries would be in the journal alone, which keeps
  /// them only for a while.
  private func beginSweeps() {
    if let next = nextSweep, parts.edges.time.monotonicMs() < next { return }
    nextSweep = nil
    var due: [ActivePartition] = []
    for case let active? in parts.partitions.active where !active.partition.hasNews {
      let owed = parts.partitions.owed(by: active)
      if !owed.isEntry, parts.maker.isSweepDue(active, owed) { due.append(active) }
    }
    beginSweeps(of: due)
  }

  private static let sweepAgainMs: Int64 = 5000

  private func beginSweeps(of swept: [ActivePartition]) {
    if swept.isEmpty { return }
    do throws(EdgeError) {
      let ends = try parts.edges.reader.ends(.journal, swept.map(\.number))
      let end = Dictionary(ends.map { ($0.partition, $0.end) }) { $1 }
      for active in swept {
        // Entries above n will be at this offset or after it.
        if let end = end[active.number] {
          parts.maker.beginSweep(active, journalOffset: end, term: nil)
          parts.partitions.note(.sweepBegun, of: active.number)
        }
      }
    } catch {
      nextSweep = parts.edges.time.monotonicMs() + Self.sweepAgainMs
      parts.log.warning("the checkpoint of partition \(.partition, swept[0].number) is postponed: \(.reason, error)")
    }
  }

  // MARK: - Assignment

  /// Takes over many partitions in one transaction: the coordinator refuses the first partitions of the next one while it is
  /// still ending the last.
  func begin(_ restored: [ActivePartition]) -> DeliveryOutcome {
    outcome(of: { () throws(TransactionFault) in
      var rest = restored[...]
      while !rest.isEmpty {
        let next = rest.prefix(Self.takeoversMax)
        // Their last owners may still be writing; output may be written only once that is known not to count.
        for active in next where active.terms.term != nil { parts.partitions.note(.claimRequired, of: active.number) }
        for active in parts.partitions.activate(next.filter { $0.terms.term == nil }) { say(active.unsaid) }
        try commit()
        rest = rest.dropFirst(Self.takeoversMax)
      }
    })
  }

  /// A transaction with more partitions might be aborted because it takes longer than its time-out.
  private static let takeoversMax = 250

  func claimed(_ active: ActivePartition, takeover: Int64, position: Int64) -> DeliveryOutcome {
    if !parts.partitions.activate([active]).isEmpty { say(active.unsaid) }
    return DeliveryOutcome()
  }

  private func say(_ held: HeldBack) {
    if held.isEmpty { return }
    willProduce()
    unsafe held.handOut { topic, key, value, timestamp, headers in
      unsafe target.produce(topic, key: key, value: value, timestamp: timestamp, headers: headers)
    }
    uncommitted.said.add(held.said)
    held.removeAll()
  }

  func checked(_ active: ActivePartition, _ check: JournalCheck) -> DeliveryOutcome { DeliveryOutcome() }

  /// Writes all rooms as of the last entry, as far as time permits, so that the next owner has little to replay. No entry is made
  /// meanwhile: it would be above the checkpoint.
  func handOver(_ partitions: [Int32], isStop: Bool) -> DeliveryOutcome {
    let given = partitions.compactMap(parts.partitions.activePartition)
    if given.isEmpty { return DeliveryOutcome() }
    var outcome = self.outcome(of: { () throws(TransactionFault) in try write(given, by: parts.deadline(isStop: isStop)) })
    if isStop {
      if outcome.fault == nil { parts.warnOfUnwritten(given) } else { outcome.unwritten = given }
    }
    return outcome
  }

  private func write(_ given: [ActivePartition], by deadline: Int64) throws(TransactionFault) {
    if isOpen || given.contains(where: { parts.partitions.owed(by: $0).isEntry }) { try commit() }
    for active in given { parts.partitions.note(.handOverBegan, of: active.number) }
    // A sweep that was in progress began at an earlier entry. The next one does not repeat its records.
    while true {
      // A frozen broker answers no request.
      if parts.edges.time.monotonicMs() < deadline {
        beginSweeps(of: given.filter(\.needsSweep))
      }
      guard given.contains(where: \.records.isSweeping), parts.edges.time.monotonicMs() < deadline else { return }
      try commit(sweepBudget: 4 * configuration.sweepBudget)
    }
  }

  /// Answers queries between two transactions, when all instructions are published.
  func answerQueries() {
    if !isOpen { parts.watched.tell(parts.finder.answers(parts.batches.quiesce()) { _ in true }) }
  }

  var uncommittedSince: Int64? { isOpen ? openedAt : nil }

  func drop() {
    uncommitted = ServiceTotals()
    arrivals.removeAll()
    _ = outboxes.takeCounts(parts.batches.quiesce())
    parts.watched.captured.removeAll()
    isOpen = false
  }
}
