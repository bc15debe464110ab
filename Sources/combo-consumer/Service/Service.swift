internal import ComboCore
internal import ComboWire
internal import Dispatch
internal import Synchronization

/// The service: takes gifts in from its partitions, lets the rooms work, and commits what came of it, exactly once.
///
///     poll ─▶ decode ─▶ each room, on its queue ─▶ produce ─┐
///       ▲                                                  ├─▶ commit ─▶ (a piece of a sweep goes along)
///       └── at each commit_interval: what is due, entries ─┘
///
/// One thread, the loop's, owns it. Whatever fails in a transaction, the answer is the same: abort, ask the broker where the
/// group stands, restore from there, take over.
final class Service: GroupEdgeDelegate {
  /// What it reads and writes with.
  struct Edges {
    var group: any GroupEdge
    var output: any OutputEdge
    var reader: any ReadEdge
    var time: any TimeSource
    /// Runs what blocks, such as restoring a partition, beside the loop.
    var beside: @Sendable (@escaping @Sendable () -> Void) -> Void = { work in DispatchQueue.global().async(execute: work) }
  }

  let configuration: ServiceConfiguration
  let edges: Edges
  private let log: ServiceLog
  let lanes: Lanes
  private let decoder: EventDecoder
  private let settings: EngineSettings

  /// The partitions that are this member's, by number.
  private var owned: [Int32: Ownership] = [:]
  /// The same, for the ones that take in, by index; what a poll looks at for each record.
  private(set) var active: [ActivePartition?] = []
  private var batches = [Batch(), Batch()]
  private var filling = 0
  private var isTransactionOpen = false
  private var lastCommit: Int64
  private var restoredPartitions = Mailbox<RestoreResult>()
  private var nextToken = 0
  private var failuresInARow = 0
  private var firstFailure: Int64 = 0
  private(set) var totals = Totals()
  private var uncommitted = Totals()
  private let stopRequested: StopFlag
  /// Why it cannot go on.
  private(set) var fatal: String?
  /// If it is that it is no member of the group any more: how. Another service in its place may go on.
  private(set) var memberLoss: KafkaError.Code?
  /// Who is told the totals once a second.
  var progress: Progress?

  /// What was taken in and said, in committed transactions of this process.
  struct Totals: Equatable, Sendable {
    var events = 0
    var instructions = 0
    var bad = 0
    var withoutValue = 0
    var commits = 0
    var aborts = 0
    var restores = 0
    var resets = 0
    var stateBytes = 0
    var journalBytes = 0
  }

  init(_ configuration: ServiceConfiguration, _ edges: Edges, log: ServiceLog, stop: StopFlag) {
    self.configuration = configuration
    self.edges = edges
    self.log = log
    stopRequested = stop
    lanes = Lanes(ProducingTarget(edges.output))
    decoder = EventDecoder(limits: configuration.limits)
    settings = EngineSettings(configuration.settings)
    lastCommit = edges.time.monotonicMs()
    edges.group.delegate = self
  }

  // MARK: - The loop

  /// Runs until it is told to stop. Returns the exit code.
  func run() -> Int32 {
    join()
    while isRunning { turn() }
    return stop()
  }

  /// Begins: a producer, and the group.
  func join() {
    renewProducer()
    do throws(KafkaError) {
      try edges.group.subscribe()
    } catch {
      fatal = "cannot join the group: \(error)"
    }
  }

  /// Whether there is anything to go on for.
  var isRunning: Bool { fatal == nil && !stopRequested.isSet }

  /// One turn of the loop: waits for what comes first, a record, a deadline or the next commit, and sees to it.
  func turn() {
    takeOverRestored()
    poll(maxWaitMs: waitMs())
    if isCommitDue() { commit() }
    edges.output.serve()
    progress?.tell(totals, monotonic: edges.time.monotonicMs())
  }

  private func poll(maxWaitMs: Int32) {
    let wall = edges.time.wallMs()
    let batch = batches[filling]
    var now: Int64 = wall
    var monotonic: Int64?
    edges.group.poll(maxWaitMs: maxWaitMs) { record in
      if monotonic == nil {
        monotonic = edges.time.monotonicMs()
        now = edges.time.wallMs()
      }
      guard Int(record.partition) < active.count, let partition = active[Int(record.partition)] else { return }
      if partition.taken == 0 { partition.now = partition.clock.now(wall: now, monotonic: monotonic!) }
      partition.taken += 1
      partition.next = record.offset + 1
      take(record, partition, into: batch)
    }
    for case let partition? in active where partition.taken > 0 {
      partition.partition.tookIn(partition.taken, upTo: partition.next, now: partition.now)
      partition.records.takenSince += partition.taken
      uncommitted.events += partition.taken
      partition.taken = 0
      // Also where no room has anything to do with it: the offset moves.
      begin()
    }
    if batch.count > 0 {
      batch.dispatch(lanes: lanes, hopMin: configuration.hopMin)
      // The other one is filled while the rooms are busy with this one.
      filling = 1 - filling
      batches[filling].wait()
    }
  }

  @inline(__always)
  private func take(_ record: InputRecord, _ active: ActivePartition, into batch: Batch) {
    guard let value = record.value else {
      uncommitted.withoutValue += 1
      return
    }
    let slot = batch.slot()
    do throws(BadEvent) {
      try decoder.decode(value, key: record.key, into: batch.arena, &slot.pointee)
    } catch {
      deadLetter(record, error, active)
      return
    }
    let own = slot.pointee.kind == .roomSettings ? decoder.own : nil
    switch active.partition.route(UnsafePointer(slot), own: own, offset: record.offset, at: active.now) {
    case .room(let room): batch.add(to: room, own: own, now: active.now)
    case .nowhere: break
    case .tooManyOwnSettings: deadLetter(record, .tooManyOwnSettings(active.partition.ownSettingsMax), active)
    }
  }

  private func deadLetter(_ record: InputRecord, _ bad: BadEvent, _ active: ActivePartition) {
    begin()
    uncommitted.bad += 1
    active.partition.deadLettered()
    let letter = DeadLetter(
      record, bad, topic: configuration.topics.input, details: edges.group.details(of: record),
      limits: configuration.deadLetterLimits, wall: edges.time.wallMs())
    edges.output.produce(
      .deadLetter, partition: nil, key: record.key, value: letter.value, timestamp: letter.timestamp, headers: letter.headers)
    log.debug("bad event in \(configuration.topics.input)/\(record.partition) at offset \(record.offset): \(bad.code.rawValue)")
  }

  private func begin() {
    if isTransactionOpen { return }
    isTransactionOpen = true
    do throws(TransactionFault) {
      try edges.output.begin()
    } catch {
      // Told again, and seen to, by the commit.
      log.warning("cannot begin a transaction: \(error.reason)")
    }
  }

  // MARK: - When

  private func isCommitDue() -> Bool {
    let now = edges.time.monotonicMs()
    if now < lastCommit + Int64(configuration.commitIntervalMs) { return false }
    return isTransactionOpen || nextWork(now: now) <= now
  }

  /// When, by the monotonic clock, a partition has something to say even if no record comes.
  private func nextWork(now: Int64) -> Int64 {
    let wall = edges.time.wallMs()
    var next = Int64.max
    for case let active? in active {
      if active.isTakingOver || active.records.isSweeping { return now }
      guard active.partition.awake > 0 else { continue }
      next = min(next, active.lastEntry + Self.entryEveryMs)
      if let look = active.partition.nextLook {
        let time = active.clock.time(wall: wall, monotonic: now)
        next = min(next, now + max(0, look - time))
      }
    }
    return next
  }

  /// A partition with rooms awake gets an entry at least so often, so that a crash makes no one lose more time.
  private static let entryEveryMs: Int64 = 1000
  /// The loop looks at least so often whether it is to stop.
  private static let waitMaxMs: Int64 = 100

  private func waitMs() -> Int32 {
    let now = edges.time.monotonicMs()
    let due = lastCommit + Int64(configuration.commitIntervalMs)
    let next = isTransactionOpen ? due : max(due, nextWork(now: now))
    return Int32(max(0, min(next - now, Self.waitMaxMs)))
  }

  // MARK: - Committing

  /// All that has happened since the last commit becomes durable, or nothing of it.
  /// - Returns: whether it did.
  @discardableResult
  private func commit(sweepBudget: Int? = nil) -> Bool {
    for batch in batches { batch.wait() }
    begin()
    let began = edges.time.monotonicMs()
    let wall = edges.time.wallMs()
    lastCommit = began
    var offsets: [OffsetToCommit] = []
    var closed: [ActivePartition] = []
    var budget = sweepBudget ?? configuration.sweepBudget
    for case let active? in active {
      let now = active.clock.now(wall: wall, monotonic: began)
      guard active.hasWork(at: now, monotonic: began, entryEvery: Self.entryEveryMs) else { continue }
      if let takeover = active.takeover {
        takeOver(active, takeover)
        active.takeover = nil
        if takeover.reset != nil {
          // What the rooms begin with now cannot be derived from anything before: it must all be in the topic.
          beginSweep(active)
          budget = .max
        }
      }
      let partition = active.partition
      if partition.hasNews || active.entryIsDue(at: now, monotonic: began, entryEvery: Self.entryEveryMs) {
        let due = partition.due(at: now)
        lanes.withLane { lane in
          for room in due { room.queue.sync { room.advance(to: now, lane: lane) } }
        }
        write(partition.closeEntry(clock: now, of: configuration.topics), active)
      }
      active.lastEntry = began
      if active.records.isSweeping {
        let written = active.records.write(partition, budget: budget, to: StateTopicWriter(edges.output, partition.number))
        budget = max(0, budget - written.bytes)
        uncommitted.stateBytes += written.bytes
      }
      offsets.append(OffsetToCommit(partition: partition.number, offset: partition.offset, metadata: String(partition.n)))
      closed.append(active)
    }
    do throws(TransactionFault) {
      try edges.output.commit(offsets)
    } catch {
      rollBack(error)
      return false
    }
    isTransactionOpen = false
    failuresInARow = 0
    totals.add(uncommitted)
    totals.commits += 1
    uncommitted = Totals()
    for active in closed { beginSweepIfWorthIt(active) }
    return true
  }

  private let entryBuffer = ByteBuffer()

  private func write(_ entry: JournalEntry, _ active: ActivePartition) {
    entryBuffer.removeAll()
    entry.write(to: entryBuffer)
    edges.output.produce(
      .journal, partition: active.partition.number, key: nil, value: entryBuffer.bytes, timestamp: nil, headers: [])
    uncommitted.instructions += entry.said - active.partition.lastDeadLetters
    uncommitted.journalBytes += entryBuffer.count
  }

  private func beginSweepIfWorthIt(_ active: ActivePartition) {
    let records = active.records
    guard !records.isSweeping, active.partition.n > active.sweptAtEntry else { return }
    let now = edges.time.monotonicMs()
    guard
      records.takenSince >= configuration.checkpointGifts
        || now - active.sweptAt >= Int64(configuration.checkpointIntervalMs)
    else { return }
    beginSweep(active)
  }

  private func beginSweep(_ active: ActivePartition) {
    active.sweptAt = edges.time.monotonicMs()
    do throws(KafkaError) {
      // What comes above entry n will stand at this offset or behind it.
      let end = try edges.reader.bounds(.journal, active.partition.number).end
      active.records.begin(active.partition, journalOffset: end, derivation: configuration.derivation)
      active.sweptAtEntry = active.partition.n
    } catch {
      log.warning("no checkpoint of partition \(active.partition.number) for now: \(error)")
    }
  }

  // MARK: - Going back

  /// A transaction failed: nothing since the last commit counts. All partitions are restored from what the broker says.
  private func rollBack(_ fault: TransactionFault) {
    totals.aborts += 1
    countFailure(fault.reason)
    log.warning("transaction given up, going back to the last commit: \(fault.reason)")
    for batch in batches { batch.wait() }
    uncommitted = Totals()
    for number in owned.keys { edges.group.stop(number) }
    end(fault)
    for number in owned.keys.sorted() { restore(number) }
  }

  /// Ends a transaction that failed, with a new producer if need be.
  private func end(_ fault: TransactionFault) {
    let wasOpen = isTransactionOpen
    isTransactionOpen = false
    if case .abort = fault {
      if !wasOpen { return }
      do throws(TransactionFault) {
        try edges.output.abort()
        return
      } catch {
        log.warning("the transaction could not be aborted: \(error.reason)")
      }
    }
    renewProducer()
  }

  private func renewProducer() {
    while isRunning {
      do throws(KafkaError) {
        try edges.output.renew()
        return
      } catch {
        if !error.isRetriable { countFailure(error.message) }
        log.warning("the transactional producer cannot be made, trying again: \(error)")
      }
    }
  }

  /// Going back is sound, so it is done as often as brokers fail. But what fails at once, again and again, will not
  /// mend itself: then the process ends, for whoever watches it to see.
  private func countFailure(_ reason: String) {
    let now = edges.time.monotonicMs()
    if failuresInARow == 0 || now - firstFailure > Self.failuresWithinMs {
      failuresInARow = 0
      firstFailure = now
    }
    failuresInARow += 1
    if failuresInARow >= Self.failuresMax {
      fatal = "gave up after \(failuresInARow) failures within \(Self.failuresWithinMs / 1000) s, without a commit between: \(reason)"
    }
  }

  private static let failuresMax = 20
  private static let failuresWithinMs: Int64 = 60_000

  // MARK: - Partitions come and go

  func assigned(_ partitions: [Int32]) {
    if !partitions.isEmpty { log.info("assigned: partitions \(partitions.map(String.init).joined(separator: ", "))") }
    for number in partitions { restore(number) }
  }

  func revoked(_ partitions: [Int32], lost: Bool) {
    if partitions.isEmpty { return }
    log.info("\(lost ? "lost" : "revoked"): partitions \(partitions.map(String.init).joined(separator: ", "))")
    for batch in batches { batch.wait() }
    if lost {
      if isTransactionOpen || !uncommitted.isEmpty {
        for number in partitions { forget(number) }
        rollBack(.abort("partitions were lost"))
      }
    } else if partitions.contains(where: { isActive($0) }) {
      if isTransactionOpen { commit() }
      handOver(partitions)
    }
    for number in partitions { forget(number) }
  }

  private func isActive(_ number: Int32) -> Bool { Int(number) < active.count && active[Int(number)] != nil }

  private func forget(_ number: Int32) {
    owned[number]?.cancellation.cancel()
    owned[number] = nil
    if Int(number) < active.count { active[Int(number)] = nil }
  }

  /// Before partitions are given up, as many rooms are written as can be in a second, so that the next owner has little to
  /// run through.
  private func handOver(_ partitions: [Int32]) {
    let deadline = edges.time.monotonicMs() + Self.handOverMs
    for number in partitions where isActive(number) {
      let active = self.active[Int(number)]!
      if active.takeover == nil, !active.records.isSweeping { beginSweep(active) }
    }
    while partitions.contains(where: { isActive($0) && active[Int($0)]!.records.isSweeping }),
      edges.time.monotonicMs() < deadline
    {
      if !commit(sweepBudget: 4 * configuration.sweepBudget) { return }
    }
  }

  private static let handOverMs: Int64 = 1000

  func failed(_ error: KafkaError, partition: Int32?) {
    if let partition, error.code == .offsetOutOfRange {
      log.error("partition \(partition): \(error); restoring it anew")
      if isActive(partition) { rollBack(.abort("an offset of partition \(partition) is out of range")) }
      return
    }
    if error.code == .fatal || error.code == .fenced {
      // The member is gone, and with it the right to its partitions.
      fatal = error.message
      memberLoss = error.code
      return
    }
    log.warning("\(error)")
  }

  // MARK: - Restoring

  /// Begins to restore a partition, on a thread of its own; nothing of it is taken in meanwhile.
  private func restore(_ number: Int32) {
    owned[number]?.cancellation.cancel()
    nextToken += 1
    let token = nextToken
    let cancellation = Cancellation()
    owned[number] = Ownership(token: token, cancellation: cancellation)
    if Int(number) < active.count { active[Int(number)] = nil }
    edges.group.stop(number)
    totals.restores += 1
    let restorer = Restorer(
      number, configuration, edges, log: log, cancellation: cancellation,
      clockMin: active.reduce(Int64.min) { max($0, $1?.clock.last ?? .min) })
    let mailbox = restoredPartitions
    edges.beside {
      mailbox.put(RestoreResult(number: number, token: token, outcome: restorer.run()))
    }
  }

  private func takeOverRestored() {
    for result in restoredPartitions.takeAll() {
      guard let ownership = owned[result.number], ownership.token == result.token else { continue }
      switch result.outcome {
      case .restored(let restored):
        activate(restored)
      case .refused(let reason):
        fatal = reason
      case .failed(let reason):
        log.warning("partition \(result.number) could not be restored, trying again: \(reason)")
        restore(result.number)
      case .stopped:
        break
      }
    }
  }

  private func activate(_ restored: RestoredPartition) {
    let number = restored.partition.number
    do throws(KafkaError) {
      try edges.output.prepare(number)
      try edges.group.start(number, at: restored.partition.offset)
    } catch {
      log.warning("partition \(number) cannot be read on, trying again: \(error)")
      restore(number)
      return
    }
    while active.count <= Int(number) { active.append(nil) }
    let partition = restored.partition
    let shift = max(0, edges.time.wallMs() - partition.clock)
    let isNew = partition.n == 0
    let active = ActivePartition(
      partition, records: restored.records, clock: PartitionClock(partition.clock + shift, edges.time),
      takeover: PendingTakeover(shift: isNew ? 0 : shift, reset: restored.reset), sweptAt: edges.time.monotonicMs())
    self.active[Int(number)] = active
    if restored.reset != nil { totals.resets += 1 }
    log.info(restored.summary)
    commit()
  }

  private func takeOver(_ active: ActivePartition, _ takeover: PendingTakeover) {
    let partition = active.partition
    // Not what time it is by now: rooms may have been due in between.
    let clock = partition.clock + takeover.shift
    // An empty batch says from which offset it goes on.
    partition.tookIn(0, upTo: partition.offset, now: clock)
    lanes.withLane { lane in
      partition.takeOver(shift: takeover.shift, settings: settings, lane: lane)
      if takeover.reset != nil { partition.reset(at: clock, lane: lane) }
      // Under new settings a room may say something that is over at once.
      for room in partition.due(at: clock) { room.queue.sync { room.advance(to: clock, lane: lane) } }
    }
    var entry = partition.closeEntry(clock: clock, of: configuration.topics)
    entry.takeover = JournalEntry.Takeover(
      shift: takeover.shift, derivation: configuration.derivation, delivery: .exactlyOnce, topics: configuration.topics,
      reset: takeover.reset)
    write(entry, active)
  }

  // MARK: - The end

  /// Commits, hands over, leaves the group.
  func stop() -> Int32 {
    if let fatal {
      log.error(fatal)
      for batch in batches { batch.wait() }
      if isTransactionOpen { try? edges.output.abort() }
      isTransactionOpen = false
      active = []
      owned = [:]
      edges.group.close()
      return 1
    }
    log.info("stopping: committing and leaving the group")
    if isTransactionOpen { commit() }
    handOver(owned.keys.sorted())
    active = []
    owned = [:]
    edges.group.close()
    progress?.end(totals)
    log.info("stopped")
    return 0
  }
}

extension Service.Totals {
  var isEmpty: Bool { self == Service.Totals() }

  mutating func add(_ other: Service.Totals) {
    events += other.events
    instructions += other.instructions
    bad += other.bad
    withoutValue += other.withoutValue
    stateBytes += other.stateBytes
    journalBytes += other.journalBytes
  }
}
