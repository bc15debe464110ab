internal import ComboCore
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
package final class Service: GroupEdgeDelegate {
  package let configuration: ServiceConfiguration
  package let edges: Edges
  package let log: ServiceLog
  let parts: ServiceParts
  /// The delivery, which publishes the rooms' instructions.
  let delivery: any Delivery
  let reader: InputReader
  let probes: Probes

  package let partitions: MemberPartitions
  /// The rooms that observers watch, and their queries.
  let watched: WatchedRooms
  private var backOff = BackOff()
  private var fences = Fences()
  var failuresInARow: Int { backOff.failures }
  private var hasCommittedSinceFailure = true
  /// Why it last returned to the last commit.
  private(set) var lastFault = LastFault()
  private(set) var deniedWrite = DeniedWrite()
  /// Whether the last attempt to commit failed, or failed a moment ago: while a part of the work cannot be written, other work
  /// may be committed between two failures.
  var isFailing: Bool { !hasCommittedSinceFailure || !backOff.isCalm(at: edges.time.monotonicMs()) }
  /// The totals, without those that the partitions and the reader count.
  private var counted = ServiceTotals()
  /// The records consumed and the instructions emitted, as far as they are durable.
  package var totals: ServiceTotals {
    var totals = counted
    totals.add(partitions.counts)
    totals.add(reader.counts)
    return totals
  }
  /// The flag that is set once the input has ended; the service then ends when everything is emitted. nil if it runs until it is
  /// stopped.
  package var inputOver: StopFlag? {
    get { probes.end.inputOver }
    set { probes.end.inputOver = newValue }
  }
  /// Why the service cannot continue; nil if it can.
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
    let (batches, metrics) = (Batches(), observatory?.metrics ?? LoopMetrics())
    watched = WatchedRooms(observatory)
    (self.configuration, self.edges, self.log) = (configuration, edges, log)
    let settings = EngineSettings(configuration.settings)
    partitions = MemberPartitions(
      configuration, edges, log: log, memory: memory, batches: batches, watched: watched, metrics: metrics)
    parts = ServiceParts(
      configuration: configuration, edges: edges, log: log, stop: stop, partitions: partitions, batches: batches,
      watched: watched,
      finder: RoomFinder(partitions: partitions, watched: watched, limits: configuration.limits, settings: settings),
      maker: EntryMaker(configuration: configuration, time: edges.time, log: log), metrics: metrics)
    switch configuration.delivery {
    case .exactlyOnce:
      delivery = TransactionDelivery(parts)
    case .atLeastOnce:
      guard let direct = edges.direct else { preconditionFailure("at-least-once delivery needs a producer without transactions") }
      delivery = WriteAheadDelivery(parts, direct)
    }
    reader = InputReader(parts, delivery)
    probes = Probes(parts, reader, delivery)
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

  /// Waits until the output accepts the clock's time.
  func awaitSoundClock() {
    while isRunning {
      watched.observatory?.beat()
      guard let ms = probes.clock.tryFirst() else { return }
      pause(ms: ms)
    }
  }

  package var isRunning: Bool { fatal == nil && !parts.stop.endsService }

  /// Runs one turn of the loop: waits for a record, a deadline or the next commit, whichever comes first, and processes it.
  package func turn() {
    let restored = partitions.takeRestored()
    for fault in restored.faults { act(on: fault) }
    if !restored.ready.isEmpty { act(on: delivery.begin(restored.ready)) }
    for result in partitions.checks.takeAll() {
      switch partitions.take(result) {
      case .checked(let active, let check): act(on: delivery.checked(active, check))
      case .claimed(let active, let takeover, let position):
        act(on: delivery.claimed(active, takeover: takeover, position: position))
      case nil: break
      }
    }
    reader.useNewestMap()
    takeOverAgain(partitions.behindMap)
    if delivery.takesIn(polled: reader.polled) { reader.poll(maxWaitMs: waitMs()) }
    act(on: delivery.turn())
    // After a failure it serves the new producer.
    edges.output.serve()
    partitions.beginRestores()
    for finding in probes.check(at: edges.time.monotonicMs()) { act(on: finding) }
    serveObservers()
    progress?.tell(totals, monotonic: edges.time.monotonicMs())
  }

  /// Returns how long it may wait for records, in milliseconds.
  private func waitMs() -> Int32 {
    if !watched.surveys.isEmpty { return 0 }
    let ms = delivery.waitMs()
    // Work for partitions that runs outside of the loop is polled.
    return partitions.isAwaited ? min(ms, Self.backgroundCheckMs) : ms
  }

  private static let backgroundCheckMs: Int32 = 5

  /// Whether all assigned partitions are taken over, and their takeovers are durable.
  package var hasTakenOver: Bool { partitions.hasTakenOver }

  // MARK: - Commits and failures

  /// Counts what a delivery has made durable, and handles its failure.
  private func act(on outcome: DeliveryOutcome) {
    if let durable = outcome.durable {
      if durable.commits > 0 { probes.rights.denied.wasAccepted() }
      hasCommittedSinceFailure = true
      deniedWrite.committed(durable.topics)
      if outcome.hasProgress { backOff.succeeded() }
      counted.add(durable)
    }
    if let overtaken = outcome.overtaken { partitions.note(.overtaken, of: overtaken) }
    if let fault = outcome.fault { goBack(fault, writingTo: outcome.topics) }
    parts.warnOfUnwritten(outcome.unwritten, isLost: true)
  }

  /// Does what a probe, or a restore, has found to be necessary.
  func act(on finding: Finding) {
    switch finding {
    case .lost(let topic): end(topic)
    case .refused(let reason): fatal = reason
    // Unless an earlier finding has begun to take partitions over again: all rooms are written before the end.
    case .finished where !partitions.hasTakenOver: break
    case .finished:
      log.info("the input has ended, and all instructions are written")
      parts.stop.set()
    case .goBack(let fault): goBack(fault)
    case .takeOverAgain(let numbers):
      // After an earlier finding some may be active no more: they are taken over again anyway.
      takeOverAgain(numbers.filter(partitions.isActive))
    }
  }

  /// Gives up partitions after a last commit, and takes them over again without leaving the group.
  private func takeOverAgain(_ numbers: [Int32]) {
    if numbers.isEmpty { return }
    parts.batches.quiesce()
    act(on: delivery.handOver(numbers, isStop: false))
    for number in numbers { partitions.note(.handedOver, of: number) }
  }

  /// Handles a failure: work in progress is discarded, or treated as if its owner had crashed, and all partitions are restored
  /// from what the brokers report.
  package func goBack(_ fault: TransactionFault, writingTo topics: Set<Topic> = []) {
    counted.aborts += 1
    if fault.error.topic == .input {
      probes.rights.denied.failed(fault.error, at: edges.time.monotonicMs())
    } else {
      deniedWrite.failed(fault.error, writingTo: topics)
    }
    lastFault.failed(fault, at: edges.time.monotonicMs())
    probes.transactions.askSoon()
    let delayMs = countFailure(fault.reason)
    log.warning("returning to the last commit: \(.reason, fault.reason)")
    parts.batches.quiesce()
    if fault.isFenced, fences.fenced(at: edges.time.monotonicMs(), commits: totals.commits) {
      fatal =
        "another instance uses the same transactional id, and both fence each other. \(EdgeError.fencedAdvice). \(fault.reason)"
      // As when the group reports it: one fresh start, and an instance that loses its place again ends.
      loss = .fenced
      return
    }
    if failuresInARow > 1, endsAsTopicIsGone() { return }
    partitions.discardWork()
    let isOpen = delivery.isOpen
    delivery.drop()
    endTransaction(isOpen: isOpen, after: fault)
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
    probes.rules.assigned()
    for number in partitions { self.partitions.note(.assigned, of: number) }
    probes.rights.denied.wasAccepted()
    self.partitions.hasJoined = true
    probes.partitionCount.askSoon()
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
    parts.batches.quiesce()
    if lost {
      let isVoid = delivery.isOpen
      for number in partitions { self.partitions.note(.revoked, of: number) }
      if isVoid { goBack(.abort("partitions were lost")) }
    } else {
      act(on: delivery.handOver(partitions, isStop: false))
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
      if partitions.isActive(partition) { goBack(.abort("partition \(partition) cannot be read further")) }
      return
    }
    if [.fatal, .fenced, .otherTopic].contains(error.code) {
      // The member is gone, and with it the right to its partitions.
      fatal = error.message
      loss = error.code
      return
    }
    log.warning("the Kafka client reports an error, trying again: \(.reason, error)")
    probes.rights.denied.failed(error, at: edges.time.monotonicMs())
    // Committing the input's offsets requires the right to read it.
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
    let isFreshStart = parts.stop.endsService && !parts.stop.isSet
    if let fatal {
      log.error("the service cannot continue: \(.reason, fatal)")
      parts.batches.quiesce()
      if delivery.isOpen { try? edges.output.abort() }
      delivery.drop()
    } else {
      if isFreshStart {
        log.info("giving up all partitions for a fresh start within the process")
      } else {
        log.info("stopping: giving up all partitions")
      }
      parts.batches.quiesce()
      act(on: delivery.handOver(partitions.owned, isStop: true))
    }
    for number in partitions.owned { partitions.note(.revoked, of: number) }
    edges.group.close()
    reader.badRecords.logRest()
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
