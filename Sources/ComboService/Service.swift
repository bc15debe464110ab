package import ComboCore
package import ComboEdge
internal import ComboMaps
package import ComboRooms
package import ComboSystem
internal import ComboWire

/// The service: takes gifts in from its partitions, lets the rooms work, and gets out what came of it.
///
///     poll ─▶ decode ─▶ each room, on its queue ─▶ the delivery
///
/// What becomes of it from there is the ``Delivery``'s: in transactions, exactly once, or at once, at least once.
///
/// One thread, the loop's, owns it. Whatever fails, the answer is the same: give up what is under way, look where the journal and the
/// group stand, restore from there, take over.
package final class Service: GroupEdgeDelegate, MemberPartitionsDelegate, DeliveryHost {
  package let configuration: ServiceConfiguration
  package let edges: Edges
  package let log: ServiceLog
  package let settings: EngineSettings
  /// How what the rooms say gets out.
  private(set) var delivery: (any Delivery)!
  private(set) var intake: RecordIntake
  private var intakeVersion = 0
  var schemas = SchemaRequests()
  let schemaAnswers = Mailbox<(id: String, answer: SchemaAnswer)>()
  var mapWatch = MapWatch()

  package let partitions: MemberPartitions
  var batches = [Batch(), Batch()]
  var filling = 0
  /// How many records the last poll took in.
  var polled = 0
  /// Looked at from outside by.
  let watched: WatchedRooms
  package let metrics: LoopMetrics
  var clockWatch = ClockWatch()
  var notes = LogNotes()
  var arrivals = ArrivalWatch()
  private var backOff = BackOff()
  private var fences = Fences()
  var failuresInARow: Int { backOff.failures }
  private var hasCommittedSinceFailure = true
  /// Why it last went back to the last commit.
  private(set) var lastFault: String?
  /// A right that was denied to the member, and when that was heard.
  private(set) var denied: (reason: String, at: Int64)?
  /// True if what was tried last could not be committed, or that was so a moment ago: while a part of the work cannot be written, other
  /// work may be committed between two failures.
  var isFailing: Bool { !hasCommittedSinceFailure || !backOff.isCalm(at: edges.time.monotonicMs()) }
  /// All but what the partitions count.
  var counted = Totals()
  /// What was taken in and said, as far as it is durable.
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
  /// Set from outside once nothing more comes in: then the service ends when all is said. nil: it runs until it is told to stop.
  package var inputOver: StopFlag?
  var lookedForEndAt = Int64.min / 2
  /// Whether the group has said which partitions are its own.
  private(set) var hasJoined = false
  /// Why it cannot continue.
  package var fatal: String?
  /// If it lost its membership of the group, or a topic is gone: how. Another service in its place may continue.
  package private(set) var loss: EdgeError.Code?
  /// Called with the totals once a second.
  package var progress: Progress?

  /// - Parameters:
  ///   - observatory: for observers; nil: there are none.
  ///   - memory: that of services which ran in this process before it.
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
    partitions = MemberPartitions(configuration, edges, log: log, memory: memory)
    partitions.delegate = self
    let parts = DeliveryParts(
      configuration: configuration, edges: edges, log: log, partitions: partitions, watched: watched,
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

  /// Begins: a producer, and the group.
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

  /// One turn of the loop: waits for what comes first, a record, a deadline or the next commit, and sees to it.
  package func turn() {
    watchClock()
    let restored = partitions.takeRestored()
    for ms in partitions.takeRestoreTimes() { metrics.restored(afterMs: ms) }
    if !restored.isEmpty { delivery.begin(restored) }
    partitions.takeChecks(checked: { delivery.checked($0, $1) }, claimed: { delivery.claimed($0, takeover: $1, position: $2) })
    watchSchemas()
    if delivery.takesIn(polled: polled) { poll(maxWaitMs: waitMs()) }
    delivery.turn()
    if partitions.canGoOver() { takeOverAgain(partitions.owned.keys.sorted()) }
    logConditions()
    serveObservers()
    endIfDone()
    progress?.tell(totals, monotonic: edges.time.monotonicMs())
  }

  /// For how long it may wait for records.
  private func waitMs() -> Int32 {
    if watched.hasUrgentWork { return 0 }
    let ms = delivery.waitMs()
    // Work for partitions outside of the loop is polled.
    return partitions.isAwaited ? min(ms, Self.backgroundCheckMs) : ms
  }

  private static let backgroundCheckMs: Int32 = 5

  /// Waits until no room works.
  package func quiesce() {
    for batch in batches { batch.wait() }
  }

  /// How many partitions the group gave it.
  package var ownedCount: Int { partitions.owned.count }

  /// Whether all that the group gave it is taken over, and that is durable.
  package var hasTakenOver: Bool {
    hasJoined && partitions.areTakenOver
  }

  // MARK: - Durable, or not

  /// A transaction was committed, which began to be at `began`.
  package func committed(_ totals: Totals, _ arrivals: Arrivals, since began: Int64) {
    counted.commits += 1
    said(totals, arrivals, since: began)
  }

  /// More work is durable.
  package func said(_ totals: Totals, _ arrivals: Arrivals, since began: Int64) {
    hasCommittedSinceFailure = true
    // An entry with only a takeover is no progress: each fresh start makes one.
    if !arrivals.batches.isEmpty || totals.instructions > 0 { backOff.succeeded() }
    counted.add(totals)
    if totals.instructions > 0 { notes.output.wrote(upTo: partitions.latestActiveClock) }
    let now = edges.time.monotonicMs()
    metrics.committed(afterMs: now - began, monotonic: now)
    metrics.arrived(arrivals, wall: edges.time.wallMs(), monotonic: now)
  }

  /// Reads records by the newest map from now on, and takes those partitions over again whose journals do not have it.
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

  /// Gives up partitions after a last commit, and takes them over again, without leaving the group.
  private func takeOverAgain(_ numbers: [Int32]) {
    quiesce()
    delivery.handOver(numbers, isStop: false)
    for number in numbers { partitions.restore(number) }
  }

  /// A failure: work in progress is discarded, or counts as if its owner had crashed. All partitions are restored from what
  /// the brokers say.
  package func goBack(_ fault: TransactionFault) {
    counted.aborts += 1
    lastFault = fault.reason
    // Brokers that come back may have lost something, and what they lost may soon have grown again.
    notes.transactions.askedAt = .min / 2
    let delayMs = countFailure(fault.reason)
    log.warning("returning to the last commit: \(.reason, fault.reason)")
    quiesce()
    if fault.isFenced, fences.fenced(at: edges.time.monotonicMs(), commits: totals.commits) {
      fatal =
        "another instance uses the same transactional id, and both fence each other. \(EdgeError.fencedAdvice). \(fault.reason)"
      // The same as where the group tells it: one fresh start, and whoever loses its place again ends.
      loss = .fenced
      return
    }
    if failuresInARow > 1, endsAsTopicIsGone() { return }
    partitions.deactivateAll()
    delivery.drop(fault)
    partitions.restoreAll(afterMs: delayMs)
  }

  /// Ends the service if a topic was deleted while it ran: what is produced to it only ever times out.
  /// - Returns: whether it does.
  private func endsAsTopicIsGone() -> Bool {
    for topic in Topic.allCases {
      // Brokers that do not answer are another matter.
      guard let partitions = try? edges.reader.partitions(topic) else { return false }
      if partitions.isEmpty {
        isGone(topic)
        return true
      }
    }
    return false
  }

  /// The next service creates the topic, or waits for it.
  package func isGone(_ topic: Topic) { isLost(LostTopic(topic, "is gone: somebody has deleted it")) }

  /// The same of a topic that brokers have created again by themselves: the next service sets it up.
  func isLost(_ lost: LostTopic) {
    let next = lost.topic == .input ? "" : ". It starts again, and creates what is missing"
    fatal = "its \(lost.topic.word) topic \(lost.what)\(next)"
    loss = .unknownTopic
  }

  /// Creates the producers again, for as long as it takes.
  func renewProducers() {
    while isRunning {
      watched.observatory?.beat()
      do throws(EdgeError) {
        try delivery.renew()
        return
      } catch {
        if error.code == .badProperty { fatal = error.message }
        let delayMs = error.isRetriable ? 0 : countFailure(error.message)
        if error.code == .unknownTopic, endsAsTopicIsGone() { return }
        log.warning("the producers cannot be created, trying again: \(.reason, error)")
        pause(ms: delayMs)
      }
    }
  }

  /// Blocks the loop, but not beyond the end.
  package func pause(ms: Int64) {
    let until = edges.time.monotonicMs() + ms
    while isRunning, edges.time.monotonicMs() < until {
      watched.observatory?.beat()
      edges.time.sleep(ms: 20)
    }
  }

  /// Going back is sound, so it is done for as long as it takes, but not all the time. What has failed for so often may only be fixed
  /// by new clients: then the service begins afresh.
  /// - Returns: how long to wait before it is tried again.
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

  // MARK: - Partitions come and go

  package func assigned(_ partitions: [Int32]) {
    if !partitions.isEmpty { log.info("assigned: partitions \(.partitions, Self.list(partitions))") }
    for number in partitions { self.partitions.restore(number) }
    hasJoined = true
    countPartitions()
  }

  private static func list(_ partitions: [Int32]) -> String { partitions.map(String.init).joined(separator: ", ") }

  package func revoked(_ partitions: [Int32], lost: Bool) {
    if partitions.isEmpty { return }
    log.info(
      lost
        ? "lost: partitions \(.partitions, Self.list(partitions))" : "revoked: partitions \(.partitions, Self.list(partitions))")
    // A member without partitions is told anew which are its own, if only that none is. Until then it may be no member.
    if partitions.count == self.partitions.owned.count { hasJoined = false }
    quiesce()
    if lost {
      let isVoid = delivery.isVoidedByLoss
      for number in partitions { self.partitions.forget(number) }
      if isVoid { goBack(.abort("partitions were lost")) }
    } else {
      delivery.handOver(partitions, isStop: false)
    }
    for number in partitions { self.partitions.forget(number) }
  }

  package func began(_ active: ActivePartition) { watched.began(active) }

  package func ended(_ active: ActivePartition) {
    watched.ended(active)
    delivery.deactivated(active)
  }

  package func mustEnd(_ reason: String) { fatal = reason }

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
    log.warning("trouble with Kafka: \(.reason, error)")
    if error.code == .notAuthorized { denied = (error.message, edges.time.monotonicMs()) }
    // If the input comes back, it may be another topic: only a restore compares it with what was taken in.
    if [.unknownTopic, .unknownPartition].contains(error.code), partitions.active.contains(where: { $0 != nil }) {
      goBack(.abort("the input was not there for a moment"))
    }
  }

  // MARK: - The end

  /// Gives up in good order, and leaves the group.
  package func stop() -> Int32 {
    let hadFailed = fatal != nil
    let isFreshStart = stopRequested.endsService && !stopRequested.isSet
    if let fatal {
      log.error("the service cannot continue: \(.reason, fatal)")
      quiesce()
      delivery.abandon()
    } else {
      if isFreshStart {
        log.info("giving up all partitions for a fresh start within the process")
      } else {
        log.info("stopping: giving up all partitions")
      }
      quiesce()
      delivery.handOver(partitions.owned.keys.sorted(), isStop: true)
    }
    for number in partitions.owned.keys { partitions.forget(number) }
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
