package import ComboCore
package import ComboEdge
internal import ComboMaps
package import ComboRooms
package import ComboSystem
internal import ComboWire

/// The service: consumes gifts from its partitions, runs the rooms, and publishes the resulting instructions.
///
///     poll ─▶ decode ─▶ each room, on its queue ─▶ the delivery
///
/// The ``Delivery`` publishes: exactly once, in transactions, or at least once, without waiting for them.
///
/// One thread, the loop's, owns it. Whatever fails, the response is the same: discard work in progress, read the positions of the
/// journal and the group, restore from there, take over.
package final class Service: GroupEdgeDelegate, DeliveryHost {
  package let configuration: ServiceConfiguration
  package let edges: Edges
  package let log: ServiceLog
  package let settings: EngineSettings
  /// The delivery, which publishes the rooms' instructions.
  private(set) var delivery: (any Delivery)!
  private(set) var intake: RecordIntake
  private var intakeVersion = 0
  var schemas = SchemaRequests()
  let schemaAnswers = Mailbox<(id: String, answer: SchemaAnswer)>()
  var mapWatch = MapWatch()

  package let partitions: MemberPartitions
  let batches = Batches()
  /// The number of records that the last poll consumed.
  var polled = 0
  /// The rooms that observers watch, and their queries.
  let watched: WatchedRooms
  package let metrics: LoopMetrics
  var clockWatch = ClockWatch()
  var notes = LogNotes()
  var arrivals = ArrivalWatch()
  private var backOff = BackOff()
  private var fences = Fences()
  var failuresInARow: Int { backOff.failures }
  private var hasCommittedSinceFailure = true
  /// Why it last returned to the last commit.
  private(set) var lastFault = LastFault()
  var denied = DeniedRight()
  private(set) var deniedWrite = DeniedWrite()
  /// Whether the last attempt to commit failed, or failed a moment ago: while a part of the work cannot be written, other work
  /// may be committed between two failures.
  var isFailing: Bool { !hasCommittedSinceFailure || !backOff.isCalm(at: edges.time.monotonicMs()) }
  /// The totals, without those that the partitions count.
  var counted = Totals()
  /// The records consumed and the instructions emitted, as far as they are durable.
  package var totals: Totals {
    var totals = counted
    totals.restores = partitions.counts.restores
    totals.resets = partitions.counts.resets
    totals.lost = Int(partitions.counts.lost)
    totals.clocksBroughtBack = partitions.counts.clocksBroughtBack
    totals.movedBySeek = partitions.counts.movedBySeek
    return totals
  }
  let stopRequested: StopFlag
  /// Set from outside once the input has ended; the service then ends when everything is emitted. nil if it runs until it is
  /// stopped.
  package var inputOver: StopFlag?
  var lookedForEndAt = Int64.min / 2
  let finder: RoomFinder
  /// Why the service cannot continue.
  package var fatal: String?
  /// How it lost its membership of the group, or a topic; nil if it did not. Another service in its place may continue.
  package internal(set) var loss: EdgeError.Code?
  /// Whether there have been producers.
  private var hasProducers = false
  /// Called with the totals once a second.
  package var progress: Progress?

  /// - Parameters:
  ///   - observatory: The exchange with observers; nil if none.
  ///   - memory: The memory of services that ran in this process before it.
  package init(
    _ configuration: ServiceConfiguration, _ edges: Edges, log: ServiceLog, stop: StopFlag, observatory: Observatory? = nil,
    memory: GroupMemory = GroupMemory()
  ) {
    watched = WatchedRooms(observatory)
    metrics = observatory?.metrics ?? LoopMetrics()
    self.configuration = configuration
    self.edges = edges
    self.log = log
    stopRequested = stop
    intake = RecordIntake(RecordDecoder(limits: configuration.limits, map: configuration.map))
    settings = EngineSettings(configuration.settings)
    partitions = MemberPartitions(configuration, edges, log: log, memory: memory, batches: batches, watched: watched)
    finder = RoomFinder(partitions: partitions, watched: watched, limits: configuration.limits, settings: settings)
    let parts = DeliveryParts(
      configuration: configuration, edges: edges, log: log, partitions: partitions, batches: batches, watched: watched,
      finder: finder,
      maker: EntryMaker(configuration, time: edges.time, log: log))
    switch configuration.delivery {
    case .exactlyOnce:
      delivery = TransactionDelivery(parts, host: self)
    case .atLeastOnce:
      guard let direct = edges.direct else { preconditionFailure("at-least-once delivery needs a producer without transactions") }
      delivery = WriteAheadDelivery(parts, direct, host: self)
    }
    edges.group.delegate = self
  }

  // MARK: - The loop

  /// Runs until it is asked to stop. Returns the exit code.
  package func run() -> Int32 {
    join()
    while isRunning { turn() }
    return stop()
  }

  /// Creates the producers, and joins the group.
  package func join() {
    awaitSoundClock()
    partitions.rulesWatch.askFirst(edges)
    renewProducers()
    do throws(EdgeError) {
      try edges.group.subscribe()
    } catch {
      fatal = "cannot join the group: \(error)"
    }
  }

  /// Whether to continue.
  package var isRunning: Bool { fatal == nil && !stopRequested.endsService }

  /// Runs one turn of the loop: waits for a record, a deadline or the next commit, whichever comes first, and processes it.
  package func turn() {
    watchClock()
    let restored = partitions.takeRestored()
    for ms in partitions.takeRestoreTimes() { metrics.restored(afterMs: ms) }
    for fault in restored.faults {
      switch fault {
      case .refused(let reason): fatal = reason
      case .gone(let topic): isGone(topic)
      }
    }
    if !restored.ready.isEmpty { delivery.begin(restored.ready) }
    partitions.takeChecks(checked: { delivery.checked($0, $1) }, claimed: { delivery.claimed($0, takeover: $1, position: $2) })
    watchSchemas()
    if delivery.takesIn(polled: polled) { poll(maxWaitMs: waitMs()) }
    delivery.turn()
    if partitions.canGoOver() { takeOverAgain(partitions.owned) }
    partitions.beginRestores()
    logConditions()
    serveObservers()
    endIfDone()
    progress?.tell(totals, monotonic: edges.time.monotonicMs())
  }

  /// Returns how long it may wait for records, in milliseconds.
  private func waitMs() -> Int32 {
    if watched.hasUrgentWork { return 0 }
    let ms = delivery.waitMs()
    // Work for partitions that runs outside of the loop is polled.
    return partitions.isAwaited ? min(ms, Self.backgroundCheckMs) : ms
  }

  private static let backgroundCheckMs: Int32 = 5

  /// The number of partitions that the group has assigned.
  package var ownedCount: Int { partitions.owned.count }

  /// Whether all assigned partitions are taken over, and their takeovers are durable.
  package var hasTakenOver: Bool {
    partitions.hasJoined && partitions.areTakenOver
  }

  // MARK: - Commits and failures

  package func committed(_ totals: Totals, _ arrivals: Arrivals, since began: Int64) {
    counted.commits += 1
    denied.wasAccepted()
    said(totals, arrivals, since: began)
  }

  package func said(_ totals: Totals, _ arrivals: Arrivals, since began: Int64) {
    hasCommittedSinceFailure = true
    deniedWrite.committed(totals.topics)
    // An entry with only a takeover is no progress: each fresh start makes one.
    if !arrivals.batches.isEmpty || totals.instructions > 0 { backOff.succeeded() }
    counted.add(totals)
    if totals.instructions > 0 { notes.output.wrote(upTo: partitions.latestActiveClock) }
    let now = edges.time.monotonicMs()
    metrics.committed(afterMs: now - began, monotonic: now)
    metrics.arrived(arrivals, wall: edges.time.wallMs(), monotonic: now)
  }

  /// Reads records by the newest map from now on, and takes partitions over again whose journals do not have it.
  func useNewestMap() {
    if partitions.mapVersion == intakeVersion, partitions.behindMap.isEmpty { return }
    if partitions.mapVersion != intakeVersion {
      intakeVersion = partitions.mapVersion
      intake = RecordIntake(RecordDecoder(limits: configuration.limits, map: partitions.configuration.map))
      mapWatch = MapWatch()
    }
    let behind = partitions.behindMap
    if !behind.isEmpty { takeOverAgain(behind) }
  }

  /// Gives up partitions after a last commit, and takes them over again without leaving the group.
  private func takeOverAgain(_ numbers: [Int32]) {
    batches.quiesce()
    delivery.handOver(numbers, isStop: false)
    for number in numbers { partitions.note(.handedOver, of: number) }
  }

  /// Handles a failure: work in progress is discarded, or treated as if its owner had crashed, and all partitions are restored
  /// from what the brokers report.
  package func goBack(_ fault: TransactionFault, writingTo topics: Set<Topic> = []) {
    counted.aborts += 1
    if fault.error.topic == .input {
      denied.failed(fault.error, at: edges.time.monotonicMs())
    } else {
      deniedWrite.failed(fault.error, writingTo: topics)
    }
    lastFault.failed(fault, at: edges.time.monotonicMs())
    // Brokers that come back may have lost records, and their partitions may soon have grown to the old size again.
    notes.transactions.query.askSoon()
    let delayMs = countFailure(fault.reason)
    log.warning("returning to the last commit: \(.reason, fault.reason)")
    batches.quiesce()
    if fault.isFenced, fences.fenced(at: edges.time.monotonicMs(), commits: totals.commits) {
      fatal =
        "another instance uses the same transactional id, and both fence each other. \(EdgeError.fencedAdvice). \(fault.reason)"
      // As when the group reports it: one fresh start, and an instance that loses its place again ends.
      loss = .fenced
      return
    }
    if failuresInARow > 1, endsAsTopicIsGone() { return }
    partitions.discardWork()
    endTransaction(isOpen: delivery.drop(), after: fault)
    partitions.planRestores(afterMs: delayMs)
  }

  /// Ends a failed transaction, if one is open, and continues with new producers.
  private func endTransaction(isOpen: Bool, after fault: TransactionFault) {
    if fault.kind == .abort {
      if !isOpen { return }
      do throws(TransactionFault) {
        // Faster than letting the new producer find it open. It may register the producer again, so the brokers must be known.
        if cluster() == .own { try edges.output.abort() }
      } catch {
        log.warning("the transaction could not be aborted: \(.reason, error.reason)")
      }
    }
    renewProducers()
  }

  private func renewProducers() {
    while isRunning {
      watched.observatory?.beat()
      do throws(EdgeError) {
        // The first ones are created just after the cluster was checked.
        if hasProducers, try checkCluster() { return }
        try delivery.renew()
        hasProducers = true
        return
      } catch {
        if error.code == .badProperty { fatal = error.message }
        let delayMs = error.isRetriable ? 0 : countFailure(error.message)
        if error.isDenied {
          // The loop does not turn meanwhile, and its last report would say that brokers do not answer.
          let now = edges.time.monotonicMs()
          lastFault.failed(.fatal(error), at: now)
          watched.observatory?.publish(report(now))
        }
        if error.code == .unknownTopic, endsAsTopicIsGone() { return }
        log.warning("the producers cannot be created, trying again: \(.reason, error)")
        pause(ms: delayMs)
      }
    }
  }

  /// Blocks the loop, at most until the service ends.
  package func pause(ms: Int64) {
    let until = edges.time.monotonicMs() + ms
    while isRunning, edges.time.monotonicMs() < until {
      watched.observatory?.beat()
      edges.time.sleep(ms: 20)
    }
  }

  /// Records a failure. Returning to the last commit is safe, so it is repeated for as long as it takes, with pauses. After too
  /// many failures new clients may be the only fix: then the service starts afresh.
  /// - Returns: The time to wait before the next attempt, in milliseconds.
  private func countFailure(_ reason: String) -> Int64 {
    let delayMs = backOff.failed(at: edges.time.monotonicMs())
    hasCommittedSinceFailure = false
    if backOff.failures >= Self.failuresMax {
      fatal = "\(backOff.failures) failures in a row, without a commit between: \(reason)"
      loss = .fatal
    }
    return delayMs
  }

  static let failuresMax = 20

  // MARK: - Assignment

  package func assigned(_ partitions: [Int32]) {
    if !partitions.isEmpty { log.info("assigned: partitions \(.partitions, Self.list(partitions))") }
    self.partitions.rulesWatch.assigned()
    for number in partitions { self.partitions.note(.assigned, of: number) }
    denied.wasAccepted()
    self.partitions.hasJoined = true
    countPartitions()
  }

  private static func list(_ partitions: [Int32]) -> String { partitions.map(String.init).joined(separator: ", ") }

  package func revoked(_ partitions: [Int32], lost: Bool) {
    if partitions.isEmpty { return }
    deniedWrite.forget()
    log.info(
      lost
        ? "lost: partitions \(.partitions, Self.list(partitions))" : "revoked: partitions \(.partitions, Self.list(partitions))")
    // A member without partitions is assigned its partitions anew, even if there are none. Until then it may not be a member.
    if partitions.count == self.partitions.owned.count { self.partitions.hasJoined = false }
    batches.quiesce()
    if lost {
      let isVoid = delivery.isVoidedByLoss
      for number in partitions { self.partitions.note(.revoked, of: number) }
      if isVoid { goBack(.abort("partitions were lost")) }
    } else {
      delivery.handOver(partitions, isStop: false)
    }
    for number in partitions { self.partitions.note(.revoked, of: number) }
  }

  package func failed(_ error: EdgeError, partition: Int32?) {
    if let partition, error.code == .offsetOutOfRange {
      log.error("partition \(.partition, partition): \(.reason, error); restoring it again")
      if partitions.isActive(partition) { goBack(.abort("an offset of partition \(partition) is out of range")) }
      return
    }
    if let partition, error.code == .positionLost {
      log.warning("partition \(.partition, partition): \(.reason, error); restoring it again")
      if partitions.isActive(partition) { goBack(.abort("partition \(partition) cannot be read on")) }
      return
    }
    if [.fatal, .fenced, .otherTopic].contains(error.code) {
      // The member is gone, and with it the right to its partitions.
      fatal = error.message
      loss = error.code
      return
    }
    log.warning("trouble, and trying again: \(.reason, error)")
    denied.failed(error, at: edges.time.monotonicMs())
    // To commit the input's offsets takes the right to read it.
    if error.isTopicDenied { deniedWrite.forget() }
    // If the input comes back, it may be another topic: only a restore compares it with what was consumed.
    if [.unknownTopic, .unknownPartition].contains(error.code), partitions.active.contains(where: { $0 != nil }) {
      goBack(.abort("the input was not there for a moment"))
    }
  }

  // MARK: - The end

  /// Gives up all partitions in good order, and leaves the group. Returns the exit code.
  package func stop() -> Int32 {
    let hadFailed = fatal != nil
    let isFreshStart = stopRequested.endsService && !stopRequested.isSet
    if let fatal {
      log.error("the service cannot continue: \(.reason, fatal)")
      batches.quiesce()
      delivery.abandon()
    } else {
      if isFreshStart {
        log.info("giving up all partitions for a fresh start within the process")
      } else {
        log.info("stopping: giving up all partitions")
      }
      batches.quiesce()
      delivery.handOver(partitions.owned, isStop: true)
    }
    for number in partitions.owned { partitions.note(.revoked, of: number) }
    edges.group.close()
    logRest()
    if let fatal {
      if !hadFailed { log.error("the service cannot continue: \(.reason, fatal)") }
      return 1
    }
    progress?.end(totals)
    if isFreshStart {
      log.info("all partitions are given up; the process continues with a fresh start")
    } else {
      log.info("stopped")
    }
    return 0
  }
}
