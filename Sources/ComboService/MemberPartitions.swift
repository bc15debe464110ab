internal import ComboCore
internal import ComboEdge
internal import ComboMaps
internal import ComboRooms
internal import ComboSystem
internal import ComboWire

/// The partitions assigned to this member. Used by the loop's thread only.
///
/// An assigned partition is *owned*. Its ``PartitionState`` takes the facts about it; this performs the actions.
@safe package final class MemberPartitions {
  private(set) var configuration: ServiceConfiguration
  /// The number of the map. Each map has more schemas than the one before.
  private(set) var mapVersion = 0
  /// The map of the partition restored last, whose schemas have been added.
  var learned: String?
  let edges: Edges
  let log: ServiceLog
  let memory: GroupMemory
  private let batches: Batches
  private let watched: WatchedRooms
  private let metrics: LoopMetrics

  /// The partitions up to the highest one that was assigned, by number.
  private var ownerships: [Ownership] = []
  /// Whether the group has assigned this member its partitions.
  var hasJoined = false
  /// The numbers of the owned partitions, in order.
  package private(set) var owned: [Int32] = []
  /// Partitions logged as new.
  private var loggedAsNew: Set<Int32> = []
  /// Changes by takeovers that were logged: most partitions have the same.
  var toldChanges: Set<String> = []
  /// The partitions that are consumed, by number.
  package private(set) var active: [ActivePartition?] = [] {
    didSet {
      unsafe activeHandles = unsafe active.map { unsafe $0.map(Unmanaged.passUnretained) }
      activeCount = unsafe activeHandles.count { unsafe $0 != nil }
    }
  }
  /// Handles of the active partitions, which cost no reference count for each record.
  private var activeHandles: [Unmanaged<ActivePartition>?] = unsafe []
  private var activeCount = 0

  /// Counts of restores and what they led to.
  var counts = ServiceTotals()
  /// When the restore of each partition that is not active began, by the monotonic clock.
  private var restoringSince: [Int32: Int64] = [:]
  /// The latest time that a partition had reached when it was given up.
  private var latestClock = Int64.min
  private var nextToken = 0
  /// The restores that begin at the end of the turn.
  private var beginning: [Gathering.Restore] = []
  private let restored = Mailbox<RestoreResult>()
  let checks = Mailbox<JournalCheckResult>()

  /// Determines to which rules of the engine the group can upgrade.
  var rulesWatch: RulesWatch

  init(
    _ configuration: ServiceConfiguration, _ edges: Edges, log: ServiceLog, memory: GroupMemory, batches: Batches,
    watched: WatchedRooms, metrics: LoopMetrics
  ) {
    (self.configuration, self.edges, self.log, self.memory) = (configuration, edges, log, memory)
    (self.batches, self.watched, self.metrics) = (batches, watched, metrics)
    rulesWatch = RulesWatch(configuration, edges)
  }

  /// Whether all assigned partitions are consumed.
  var areAllActive: Bool { activeCount == owned.count }

  /// Whether a partition waits for work outside of the loop.
  var isAwaited: Bool { !areAllActive && owned.contains { ownerships[Int($0)].state.isAwaited } }

  /// Returns the partition that consumes a record; valid until the active partitions change.
  @inline(__always)
  func handle(_ number: Int32) -> Unmanaged<ActivePartition>? {
    unsafe Int(number) < activeHandles.count ? activeHandles[Int(number)] : nil
  }

  /// Whether all assigned partitions are taken over, and their takeovers are durable.
  var areTakenOver: Bool {
    areAllActive
      && owned.allSatisfy { number in
        switch ownerships[Int(number)].state.owed {
        case .nothing, .entry(thenSweep: false): true
        case .sweep, .entry, .takeover: false
        }
      }
  }

  /// Whether the group has assigned this member its partitions, and all of them are taken over.
  var hasTakenOver: Bool { hasJoined && areTakenOver }

  /// The latest time that an active partition has reached.
  var latestActiveClock: Int64? { active.compactMap { $0?.clock.last }.max() }

  package func isActive(_ number: Int32) -> Bool { activePartition(number) != nil }

  func activePartition(_ number: Int32) -> ActivePartition? { Int(number) < active.count ? active[Int(number)] : nil }

  // MARK: - States

  func state(of number: Int32) -> PartitionState { Int(number) < ownerships.count ? ownerships[Int(number)].state : .unassigned }

  /// Returns what is due to be written for an active partition.
  package func owed(by active: ActivePartition) -> PartitionState.Owed { ownerships[Int(active.number)].state.owed }

  /// Takes a fact about a partition, and performs the actions that follow.
  func note(_ fact: PartitionState.Fact, of number: Int32) {
    let index = Int(number)
    while ownerships.count <= index { ownerships.append(Ownership()) }
    let wasOwned = !ownerships[index].state.isUnassigned
    let actions = ownerships[index].state.take(fact)
    let isOwned = !ownerships[index].state.isUnassigned
    if isOwned, !wasOwned { owned.insert(number, at: owned.firstIndex { $0 > number } ?? owned.endIndex) }
    if wasOwned, !isOwned { owned.removeAll { $0 == number } }
    for action in actions { perform(action, number) }
    if !isOwned {
      ownerships[index] = Ownership()
      restoringSince[number] = nil
    }
  }

  private func perform(_ action: PartitionState.Action, _ number: Int32) {
    switch action {
    case .cancel:
      nextToken += 1
      ownerships[Int(number)].cancel(next: nextToken)
    case .stopReading: edges.group.stop(number)
    case .pauseReading: edges.group.pause(number)
    case .restore(let doubtedSince): restore(number, doubtedSince: doubtedSince)
    case .confirm(let active, let claim): confirm(active, claim)
    case .consume(let new):
      precondition(new.number == number && !isActive(number), "a partition has one consumer")
      while active.count <= Int(number) { active.append(nil) }
      active[Int(number)] = new
      watched.began(new, batches.quiesce())
    case .close(let old):
      precondition(activePartition(number) === old, "what ends is what is consumed")
      // Its rooms are released with it, so none may be running.
      let quiet = batches.quiesce()
      active[Int(number)] = nil
      latestClock = max(latestClock, old.clock.last)
      watched.ended(old)
      if let log = old.log { watched.askAgain(log.close(quiet)) }
    }
  }

  func cancellation(of number: Int32) -> Cancellation { ownerships[Int(number)].cancellation }

  /// Distinguishes the current restore from earlier ones.
  func token(of number: Int32) -> Int { Int(number) < ownerships.count ? ownerships[Int(number)].token : 0 }

  /// Starts consuming partitions.
  /// - Returns: Those that can be read; the others are restored again.
  func activate(_ partitions: [ActivePartition]) -> [ActivePartition] {
    do throws(EdgeError) {
      if configuration.purpose == .service {
        try edges.group.start(partitions.map { (partition: $0.number, offset: $0.partition.offset) })
      }
    } catch {
      if partitions.count > 1 { return partitions.flatMap { activate([$0]) } }
      let number = partitions[0].number
      log.warning("partition \(.partition, number) cannot be read further, trying again: \(.reason, error)")
      refused(number)
      return []
    }
    for new in partitions {
      // Only now: what was restored may still be refused.
      ownerships[Int(new.number)].backOff.succeeded()
      note(.started, of: new.number)
    }
    return partitions
  }

  /// Discards the work of all partitions, which are restored once that is planned.
  func discardWork() { for number in owned { note(.workDiscarded, of: number) } }

  /// - Parameter afterMs: The delay before the restores begin.
  func planRestores(afterMs: Int64) { for number in owned { note(.retryPlanned(nextTry: time(afterMs: afterMs)), of: number) } }

  /// Records that the brokers do not let a partition be read or written, which is restored again after a while.
  func refused(_ number: Int32) { note(.refused(nextTry: nextTry(of: number)), of: number) }

  /// Returns when to restore a partition again after a failure; nil if that is now.
  private func nextTry(of number: Int32) -> Int64? {
    time(afterMs: ownerships[Int(number)].backOff.failed(at: edges.time.monotonicMs()))
  }

  /// Returns the time of a retry; nil if it is now.
  private func time(afterMs: Int64) -> Int64? { afterMs <= 0 ? nil : edges.time.monotonicMs() + afterMs }

  // MARK: - Restoring

  /// Prepares the restore of a partition on another thread.
  private func restore(_ number: Int32, doubtedSince: Int64?) {
    let ownership = ownerships[Int(number)]
    counts.restores += 1
    if restoringSince[number] == nil { restoringSince[number] = edges.time.monotonicMs() }
    let offsets = edges.group.offsets
    let restorer = Restorer(
      PartitionTopics(number, configuration, edges.reader, log: log, cancellation: ownership.cancellation), time: edges.time,
      isCertain: doubtedSince.map { edges.time.monotonicMs() - $0 >= Self.doubtMs } ?? false,
      clockMin: active.reduce(latestClock) { max($0, $1?.clock.last ?? .min) }, memory: memory,
      position: { () throws(EdgeError) in try offsets.committed(number) })
    beginning.append(Gathering.Restore(number: number, token: ownership.token, restorer: restorer))
  }

  /// Begins the restores that were planned since the last call, together.
  func beginRestores() {
    if beginning.isEmpty { return }
    let restores = beginning.filter { ownerships[Int($0.number)].token == $0.token }
    beginning = []
    if restores.isEmpty { return }
    let gathering = Gathering(restores, of: configuration.topics, edges, results: restored)
    edges.inBackground(.query) { gathering.run() }
  }

  /// The results of restores.
  struct Restored {
    /// The partitions that can be taken over.
    var ready: [ActivePartition] = []
    /// Why the service cannot continue, in the order in which the reasons were found.
    var faults: [Finding] = []
  }

  /// Returns the results of restores since the last call. Partitions that could not be restored are tried again.
  func takeRestored() -> Restored {
    if owned.contains(where: { ownerships[Int($0)].state.isPlanned }) {
      let now = edges.time.monotonicMs()
      for number in owned where ownerships[Int(number)].state.isDue(at: now) { note(.retryDue, of: number) }
    }
    var found = Restored()
    for result in restored.takeAll() {
      let number = result.number
      guard ownerships[Int(number)].token == result.token else { continue }
      switch result.outcome {
      case .restored(let partition):
        learn(from: partition.derivation)
        if let partition = prepare(partition) {
          // The time includes failed attempts.
          if let since = restoringSince.removeValue(forKey: number) {
            metrics.restored(afterMs: edges.time.monotonicMs() - since)
          }
          found.ready.append(partition)
        }
      case .doubtful(let reason):
        log.warning(
          "partition \(.partition, number) is not in the state in which it was left, checking again: \(.reason, reason)"
        )
        let now = edges.time.monotonicMs()
        note(.restoreContradicted(reason, at: now, nextTry: now + Self.nextTryMs), of: number)
      case .refused(let reason), .otherRules(_, let reason):
        found.faults.append(.refused(reason))
      case .failed(let reason):
        log.warning("partition \(.partition, number) could not be restored, trying again: \(.reason, reason)")
        // Brokers that are away come back, a missing right is granted by an operator, and the restore succeeds.
        note(.restoreFailed(reason, nextTry: nextTry(of: number)), of: number)
      case .gone(let topic):
        // Without the topic no records are read, so nothing else would notice.
        found.faults.append(.lost(.gone(topic)))
      case .stopped, .examined:
        break
      }
    }
    return found
  }

  /// A frozen leader that does not know yet that it was replaced reports the state from before its pause. So a contradiction is
  /// believed only once it has lasted for as long as brokers need to notice that: a controller gives up a leader that is silent
  /// for 9 s (`broker.session.timeout.ms`).
  static let doubtMs: Int64 = 10_000
  private static let nextTryMs: Int64 = 1_000
  /// The interval of checks whether the clock has caught up with a partition's time.
  private static let waitForTimeMs: Int64 = 10_000

  /// Returns the partition, if it can be taken over.
  private func prepare(_ restored: RestoredPartition) -> ActivePartition? {
    let partition = restored.partition
    do throws(EdgeError) {
      try edges.output.prepare(partition.number)
    } catch {
      log.warning("partition \(.partition, partition.number) cannot be written to, trying again: \(.reason, error)")
      refused(partition.number)
      return nil
    }
    guard let shift = shift(of: restored) else {
      note(.timeRefused(nextTry: edges.time.monotonicMs() + Self.waitForTimeMs), of: partition.number)
      return nil
    }
    var reset = restored.reset
    if shift < 0 {
      let ms = -shift
      log.warning(
        "RESET: the time of partition \(.partition, partition.number) is brought back by \(.ms, ms) ms, all its rooms begin a new epoch"
      )
      reset =
        reset ?? JournalEntry.Reset(reason: "its time was \(ms) ms ahead of the clock, and was brought back", offsetsLost: 0)
      // The output refused these instructions.
      restored.unsaid.removeAll()
      counts.clocksBroughtBack += 1
    }
    var isNewBySeek = false
    if let target = configuration.purpose.target(of: partition.number) {
      isNewBySeek = partition.n == 0
      reset = seek(partition, to: target, reset)
    }
    if reset != nil { counts.resets += 1 }
    counts.lost += Int(restored.neverTaken)
    // A claim that had to be repeated begins where the previous one would have begun.
    let isLogged = partition.n == 0 && !loggedAsNew.insert(partition.number).inserted
    if restored.reset != nil {
      log.warning(restored.summary)
    } else if isLogged || isNewBySeek {
      log.debug(restored.summary)
    } else {
      log.info(restored.summary)
    }
    let agreed = rulesWatch.agreed(isNew: restored.derivation == nil, at: edges.time.monotonicMs())
    let derivation = configuration.derivation(
      after: restored.derivation, agreed: agreed, needed: restored.partition.neededRules)
    if case .pinned(let pinned) = configuration.rules, pinned < derivation.rules {
      // Ending here would hand the partition to the next member with these rules, which would end too.
      log.warning(
        """
        partition \(.partition, partition.number) stays with rules \(.text, "\(derivation.rules)") of the engine, though --rules is \
        \(.limit, pinned.version): its rooms have state that older rules do not support, such as an unpublished sum of skips, or settings of \
        their own. Restart this instance when there are few gifts, and after a room_closed for rooms with such settings
        """)
    }
    tellChanges(from: restored.derivation, to: derivation)
    let active = ActivePartition(restored, derivation: derivation, shift: shift, time: edges.time)
    active.mapVersion = mapVersion
    note(.restored(active, PendingTakeover(shift: shift, reset: reset)), of: partition.number)
    return active
  }

  // MARK: - Schemas

  /// Makes takeovers use a map with these schemas from now on. Active partitions keep theirs.
  func learn(_ schemas: [String: String]) throws(MapFaults) {
    guard let old = configuration.map else { return }
    let known = RecordMap.schemas(of: old.canonical)
    if schemas.keys.allSatisfy({ known[$0] != nil }) { return }
    configuration.map = try old.adding(schemas)
    mapVersion += 1
  }

  /// The partitions active with an earlier map.
  var behindMap: [Int32] {
    mapVersion == 0 ? [] : active.compactMap { $0 }.filter { $0.mapVersion < mapVersion }.map(\.number)
  }
}
