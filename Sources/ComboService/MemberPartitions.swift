internal import ComboCore
package import ComboEdge
internal import ComboMaps
package import ComboRooms
package import ComboSystem
internal import ComboWire

/// Hears what becomes of a member's partitions. The loop's thread alone calls it.
package protocol MemberPartitionsDelegate: AnyObject {
  /// Waits until no room works.
  func quiesce()
  /// The partition takes in from now on.
  func began(_ active: ActivePartition)
  /// It does not any more. No room works.
  func ended(_ active: ActivePartition)
  /// An operator has to act before the service can continue.
  func mustEnd(_ reason: String)
  /// Somebody has deleted this topic.
  func isGone(_ topic: Topic)
}

/// The partitions that are this member's. The loop's thread alone uses it.
///
/// One that comes is *owned*, and restored outside of the loop. In at-least-once delivery it is a *claim* then, until its takeover is known to
/// count. *Active* it takes records in.
package final class MemberPartitions {
  package weak var delegate: (any MemberPartitionsDelegate)?
  private(set) var configuration: ServiceConfiguration
  /// Counts the maps: each has more schemas than the one before.
  private(set) var mapVersion = 0
  /// The map of the partition restored last, whose schemas are known.
  var learned: String?
  let edges: Edges
  let log: ServiceLog
  let memory: GroupMemory

  private(set) var owned: [Int32: Ownership] = [:]
  /// Those of them whose takeover is not known to count yet.
  private(set) var claims: [Int32: ActivePartition] = [:]
  /// Partitions that were said to be new.
  private var toldNew: Set<Int32> = []
  /// Changes by takeovers that were reported: most partitions have the same.
  var toldChanges: Set<String> = []
  /// Those that take in, by index.
  package private(set) var active: [ActivePartition?] = [] {
    didSet {
      activeHandles = active.map { $0.map(Unmanaged.passUnretained) }
      activeCount = activeHandles.count { $0 != nil }
    }
  }
  /// The same, without a reference count for each record.
  private var activeHandles: [Unmanaged<ActivePartition>?] = []
  private var activeCount = 0

  /// What has come of restoring them.
  struct Counts {
    /// How many were restored, or begun to be; and how many of them were resets.
    var restores = 0
    var resets = 0
    /// Records of the input that were never read, according to resets.
    var lost: Int64 = 0
    /// Those whose time was brought back.
    var clocksBroughtBack = 0
    /// Those that `seek` moved on.
    var movedBySeek = 0
  }
  var counts = Counts()
  /// Since when each partition that is not active has been restored, by the monotonic clock.
  private var restoringSince: [Int32: Int64] = [:]
  /// How long the partitions took that were taken over since this was last asked, in milliseconds.
  private var restoreTimes: [Int64] = []
  /// The latest time that a partition had come to when it was given up.
  private var latestClock = Int64.min
  private var nextToken = 0
  private let restored = Mailbox<RestoreResult>()
  private let checks = Mailbox<JournalCheckResult>()

  /// Finds out to which rules of the engine the group can go over.
  var rulesWatch: RulesWatch

  package init(_ configuration: ServiceConfiguration, _ edges: Edges, log: ServiceLog, memory: GroupMemory) {
    self.memory = memory
    self.configuration = configuration
    self.edges = edges
    self.log = log
    rulesWatch = RulesWatch(configuration, edges)
  }

  /// Asks the group about newer rules, as long as a partition is not under the newest ones.
  /// - Returns: whether all partitions should be taken over again, to go over to newer rules.
  func canGoOver() -> Bool {
    let behind = active.lazy.compactMap { $0?.derivation.rules }.filter { $0 < .newest }
    rulesWatch.turn(edges, isBehind: activeCount < owned.count || !behind.isEmpty)
    guard let rules = behind.first, areTakenOver else { return false }
    return configuration.rules(after: rules, agreed: rulesWatch.agreed(isNew: false, at: edges.time.monotonicMs())) > rules
  }

  /// Whether work outside of the loop is awaited for one of them.
  var isAwaited: Bool { owned.count != activeCount && owned.contains { !isActive($0.key) && $0.value.nextTry == nil } }

  /// The partition that takes a record in; valid until partitions come or go.
  @inline(__always)
  func handle(_ number: Int32) -> Unmanaged<ActivePartition>? {
    Int(number) < activeHandles.count ? activeHandles[Int(number)] : nil
  }

  /// Whether all that the group gave this member is taken over, and that is durable.
  var areTakenOver: Bool {
    claims.isEmpty
      && owned.keys.allSatisfy { number in
        isActive(number) && active[Int(number)]!.takeover == nil && !active[Int(number)]!.mustSweep
      }
  }

  /// The latest time that one of them has come to.
  var latestActiveClock: Int64? { active.compactMap { $0?.clock.last }.max() }

  package func isActive(_ number: Int32) -> Bool { Int(number) < active.count && active[Int(number)] != nil }

  // MARK: - They come and go

  /// The partition takes in from now on.
  /// - Returns: whether it can be read; if not, it is restored again.
  func activate(_ new: ActivePartition) -> Bool {
    do throws(EdgeError) {
      if configuration.purpose == .service { try edges.group.start(new.number, at: new.partition.offset) }
    } catch {
      log.warning("partition \(.partition, new.number) cannot be read further, trying again: \(.reason, error)")
      restore(new.number)
      return false
    }
    while active.count <= Int(new.number) { active.append(nil) }
    active[Int(new.number)] = new
    delegate?.began(new)
    return true
  }

  /// Stops reading and writing of a partition.
  func deactivate(_ number: Int32) {
    claims[number] = nil
    guard isActive(number) else { return }
    // Its rooms go with it.
    delegate?.quiesce()
    let old = active[Int(number)]!
    active[Int(number)] = nil
    latestClock = max(latestClock, old.clock.last)
    delegate?.ended(old)
  }

  /// All of them, until they are restored again.
  func deactivateAll() {
    for number in owned.keys {
      edges.group.stop(number)
      deactivate(number)
    }
  }

  /// It is no longer this member's.
  func forget(_ number: Int32) {
    owned[number]?.cancellation.cancel()
    owned[number] = nil
    deactivate(number)
  }

  // MARK: - Restoring

  /// Begins to restore a partition, on a thread of its own; it is not read meanwhile. It is this member's from now on.
  /// - Parameter afterMs: not before this time has passed.
  func restore(_ number: Int32, afterMs: Int64) {
    if afterMs <= 0 { return restore(number) }
    owned[number]?.cancellation.cancel()
    nextToken += 1
    owned[number] = Ownership(
      token: nextToken, cancellation: Cancellation(), doubtedSince: owned[number]?.doubtedSince,
      failure: owned[number]?.failure, nextTry: edges.time.monotonicMs() + afterMs, backOff: owned[number]?.backOff ?? BackOff())
    deactivate(number)
    edges.group.stop(number)
  }

  /// The same at once.
  func restore(_ number: Int32) {
    let doubtedSince = owned[number]?.doubtedSince
    owned[number]?.cancellation.cancel()
    nextToken += 1
    let token = nextToken
    let cancellation = Cancellation()
    owned[number] = Ownership(
      token: token, cancellation: cancellation, doubtedSince: doubtedSince, failure: owned[number]?.failure,
      backOff: owned[number]?.backOff ?? BackOff())
    deactivate(number)
    edges.group.stop(number)
    counts.restores += 1
    if restoringSince[number] == nil { restoringSince[number] = edges.time.monotonicMs() }
    let group = edges.group
    let restorer = Restorer(
      PartitionTopics(number, configuration, edges.reader, log: log, cancellation: cancellation), time: edges.time,
      isCertain: doubtedSince.map { edges.time.monotonicMs() - $0 >= Self.doubtMs } ?? false,
      clockMin: active.reduce(latestClock) { max($0, $1?.clock.last ?? .min) }, written: memory.written(number),
      position: { () throws(EdgeError) in try group.committed(number) })
    let (mailbox, inBackground, endLeftOver) = (restored, edges.inBackground, edges.endLeftOver)
    inBackground(.query) {
      endLeftOver?(number)
      switch restorer.ask() {
      case .answer(let committed):
        inBackground(.restoring) {
          mailbox.put(RestoreResult(number: number, token: token, outcome: restorer.run(from: committed)))
        }
      case .noAnswer(let outcome):
        mailbox.put(RestoreResult(number: number, token: token, outcome: outcome))
      }
    }
  }

  /// All of them, in order.
  func restoreAll(afterMs: Int64) { for number in owned.keys.sorted() { restore(number, afterMs: afterMs) } }

  /// How long the partitions took that were restored since this was asked last, in milliseconds, tries that failed among it.
  func takeRestoreTimes() -> [Int64] {
    defer { restoreTimes.removeAll() }
    return restoreTimes
  }

  /// Those that have been restored meanwhile and can be taken over. What could not be is tried again.
  func takeRestored() -> [ActivePartition] {
    restoreDue()
    var ready: [ActivePartition] = []
    for result in restored.takeAll() {
      guard let ownership = owned[result.number], ownership.token == result.token else { continue }
      owned[result.number]?.doubtedSince = nil
      switch result.outcome {
      case .restored(let partition):
        owned[result.number]?.backOff.succeeded()
        owned[result.number]?.failure = nil
        learn(from: partition.derivation)
        if let partition = prepare(partition) {
          if let since = restoringSince.removeValue(forKey: result.number) {
            restoreTimes.append(edges.time.monotonicMs() - since)
          }
          ready.append(partition)
        }
      case .doubtful(let reason):
        log.warning(
          "partition \(.partition, result.number) is not in the state in which it was left, checking again: \(.reason, reason)"
        )
        let now = edges.time.monotonicMs()
        owned[result.number]?.doubtedSince = ownership.doubtedSince ?? now
        owned[result.number]?.nextTry = now + Self.nextTryMs
        owned[result.number]?.failure = reason
      case .refused(let reason), .otherRules(_, let reason):
        delegate?.mustEnd(reason)
      case .failed(let reason):
        log.warning("partition \(.partition, result.number) could not be restored, trying again: \(.reason, reason)")
        owned[result.number]?.failure = reason
        // Brokers that are away, or a right that is missing, come back by themselves or by an operator, and it goes on.
        restore(result.number, afterMs: owned[result.number]?.backOff.failed(at: edges.time.monotonicMs()) ?? 0)
      case .gone(let topic):
        // Without it no records are read, so nothing else would notice.
        delegate?.isGone(topic)
      case .stopped, .examined:
        break
      }
    }
    return ready
  }

  /// A leader that stood still, and does not know yet that it was replaced, reports the state from before its pause. So what
  /// contradicts itself is believed only once it was found so for as long as brokers need to notice that: a controller gives up one
  /// that is silent for 9 s (`broker.session.timeout.ms`).
  private static let doubtMs: Int64 = 10_000
  private static let nextTryMs: Int64 = 1_000
  /// So often it is looked whether the clock has caught up with a partition's time.
  private static let waitForTimeMs: Int64 = 10_000

  private func restoreDue() {
    if !owned.values.contains(where: { $0.nextTry != nil }) { return }
    let now = edges.time.monotonicMs()
    for number in owned.keys.sorted() {
      if let next = owned[number]?.nextTry, next <= now { restore(number) }
    }
  }

  /// - Returns: the partition, if it can be taken over.
  private func prepare(_ restored: RestoredPartition) -> ActivePartition? {
    let partition = restored.partition
    do throws(EdgeError) {
      try edges.output.prepare(partition.number)
    } catch {
      log.warning("partition \(.partition, partition.number) cannot be written to, trying again: \(.reason, error)")
      restore(partition.number)
      return nil
    }
    guard let shift = shift(of: restored) else {
      restore(partition.number, afterMs: Self.waitForTimeMs)
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
      // The output refused it.
      restored.unsaid.removeAll()
      counts.clocksBroughtBack += 1
    }
    var isNewBySeek = false
    if let target = configuration.purpose.target(of: partition.number) {
      isNewBySeek = partition.n == 0
      reset = seek(partition, to: target, reset)
    }
    let takeover = PendingTakeover(shift: shift, reset: reset)
    if reset != nil { counts.resets += 1 }
    counts.lost += restored.neverTaken
    // A claim that had to be repeated begins where the one before it would have begun.
    let isTold = partition.n == 0 && !toldNew.insert(partition.number).inserted
    if restored.reset != nil {
      log.warning(restored.summary)
    } else if isTold || isNewBySeek {
      log.debug(restored.summary)
    } else {
      log.info(restored.summary)
    }
    let agreed = rulesWatch.agreed(isNew: restored.derivation == nil, at: edges.time.monotonicMs())
    let derivation = configuration.derivation(
      after: restored.derivation, agreed: agreed, needed: restored.partition.neededRules)
    if case .pinned(let pinned) = configuration.rules, pinned < derivation.rules {
      // To end here would hand the partition to the next member with these rules, which would end too.
      log.warning(
        """
        partition \(.partition, partition.number) stays with rules \(.text, "\(derivation.rules)") of the engine, though --rules is \
        \(.text, "\(pinned)"): its rooms \
        have what older rules do not know, such as a sum of skips that is not yet said. Restart this instance, or send it SIGHUP, when few \
        gifts come
        """)
    }
    tellChanges(from: restored.derivation, to: derivation)
    let active = ActivePartition(restored, derivation: derivation, takeover: takeover, time: edges.time)
    active.mapVersion = mapVersion
    return active
  }

  // MARK: - Schemas

  /// From now on takeovers are by a map with these schemas. Partitions that are active keep theirs.
  func learn(_ schemas: [String: String]) throws(MapFaults) {
    guard let old = configuration.map else { return }
    let known = RecordMap.schemas(of: old.canonical)
    if schemas.keys.allSatisfy({ known[$0] != nil }) { return }
    configuration.map = try old.adding(schemas)
    mapVersion += 1
  }

  /// The partitions that are active with an earlier map.
  var behindMap: [Int32] {
    mapVersion == 0 ? [] : active.compactMap { $0 }.filter { $0.mapVersion < mapVersion }.map(\.number)
  }

  // MARK: - Claims, and looks into the journal

  func add(claim: ActivePartition) { claims[claim.number] = claim }

  /// The claims that are not written yet, in order.
  var unwrittenClaims: [ActivePartition] {
    if claims.isEmpty { return [] }
    return claims.values.filter { $0.claim == nil }.sorted { $0.number < $1.number }
  }

  /// The claim was committed: does it count?
  func confirm(_ active: ActivePartition) {
    guard let claim = active.claim, let reader = reader(active) else { return }
    let (terms, end) = (active.terms, active.journalEnd)
    check(active) { reader.find(claim, after: terms, from: end) }
  }

  /// Looks whether somebody took over between two offsets of the journal.
  func checkJournal(of active: ActivePartition, from start: Int64, to end: Int64) {
    guard let reader = reader(active) else { return }
    check(active) { reader.check(from: start, to: end) }
  }

  private func reader(_ active: ActivePartition) -> JournalReader? {
    owned[active.number].map {
      JournalReader(number: active.number, topics: configuration.topics, reader: edges.reader, cancellation: $0.cancellation)
    }
  }

  private func check(_ active: ActivePartition, _ body: @escaping @Sendable () -> JournalCheck) {
    let mailbox = checks
    let carried = Carried(value: active)
    edges.inBackground(.query) { mailbox.put(JournalCheckResult(active: carried.value, check: body())) }
  }

  /// What was found in the journal meanwhile. Claims that do not count are restored again.
  /// - Parameters:
  ///   - checked: gets what was found for a partition that takes in.
  ///   - claimed: gets a claim that counts.
  func takeChecks(
    checked: (ActivePartition, JournalCheck) -> Void,
    claimed: (_ active: ActivePartition, _ takeover: Int64, _ position: Int64) -> Void
  ) {
    for result in checks.takeAll() {
      let number = result.active.number
      if isActive(number), active[Int(number)] === result.active {
        checked(result.active, result.check)
      } else if claims[number] === result.active {
        claims[number] = nil
        switch result.check {
        case .counts(let takeover, let position):
          claimed(result.active, takeover, position)
        case .clear, .overtaken:
          log.warning("partition \(.partition, number): its last owner wrote during the takeover; restoring it again")
          restore(number)
        case .failed(let reason):
          log.warning("partition \(.partition, number) could not be taken over, trying again: \(.reason, reason)")
          restore(number)
        }
      }
    }
  }
}

/// What came of a look into the journal.
private struct JournalCheckResult {
  let active: ActivePartition
  let check: JournalCheck
}

/// Handed through another thread, which does not touch it.
private struct Carried<Value>: @unchecked Sendable {
  let value: Value
}
