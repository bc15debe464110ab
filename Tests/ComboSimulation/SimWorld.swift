import ComboCore
import ComboEdge
import ComboService
import ComboWire

@testable import ComboRooms
@testable import ComboTestSupport

/// A cluster, the instances of one group on it, their input, and a virtual clock, all from one seed.
final class SimWorld: @unchecked Sendable {
  // Sendable: a world belongs to one thread.
  let clock: SimClock
  let broker: SimBroker
  var random: SplitMix64
  var gifts: SimGifts
  private(set) var instances: [SimInstance] = []
  /// The violations by instances, and their log lines at level error.
  var complaints: [String] = []
  /// Whether all log lines are kept.
  var hears = false
  private(set) var heard: [String] = []
  /// Whether instances have an observatory, through which clients can watch their rooms.
  var hasOnlookers = false
  /// The schemas of all instances, or nil if there is no registry.
  var schemas: (any SchemaSource)?
  /// The watch of all instances, or nil if they have none.
  var topicWatch: (any TopicWatch)?
  /// The maximum number of records that one poll returns of a partition.
  var batchMax = 20
  let topics: TopicIdentity
  /// Whether services of other inputs write to the output too, so that each record must name its input.
  let sharesOutput: Bool
  var isFreezing = false
  private var nextMember = 0
  private var inputTransaction: SimTransaction?
  /// Whether any instance has at-least-once delivery.
  var hasAtLeastOnce = false
  /// Whether instances may log at level error.
  var expectsErrors = false
  /// The maximum time by which a record in the output may be ahead of the brokers' clock, or nil for no limit and no trial.
  var outputAheadMaxMs: Int64?
  var ends: [String] = []
  /// Ids of instances that are gone.
  var freeIDs: [String] = []
  var commits = 0
  var restores = 0
  var aborts = 0

  /// - Parameters:
  ///   - input: The name of the input if others share the output, or nil if it is alone.
  ///   - neighbor: The world of another input with the same output and clock, or nil if there is none.
  init(
    seed: UInt64, partitions: Int = 1, rooms: Int = 4, isCooperative: Bool = false, input: String? = nil,
    beside neighbor: SimWorld? = nil
  ) {
    var random = SplitMix64(seed: seed)
    let own = SimClock(SplitMix64(seed: random.next()))
    clock = neighbor?.clock ?? own
    topics = TopicIdentity(group: "group", input: input ?? "gifts", output: "screens")
    sharesOutput = input != nil
    broker = SimBroker(
      clock, SplitMix64(seed: random.next()), partitions: partitions, outputPartitions: 2, isCooperative: isCooperative,
      beside: neighbor?.broker)
    gifts = SimGifts(SplitMix64(seed: random.next()), rooms: rooms)
    self.random = random
  }

  /// The headers that the client adds to each record of a topic.
  func headers(of topic: Topic) -> [RecordHeader] {
    sharesOutput && topic == .output ? [RecordHeader(name: Derivation.inputHeader, value: Array(topics.input.utf8))] : []
  }

  /// Whether a record of the output is of this world's input.
  func owns(_ record: SimRecord) -> Bool {
    !sharesOutput || record.headers.last { $0.name == Derivation.inputHeader }?.value == Array(topics.input.utf8)
  }

  func said(_ line: String, by instance: SimInstance) {
    if hears { heard.append("\(clock.monotonic) \(instance.transactionalID): \(line)") }
    if line.hasPrefix("error "), !expectsErrors, !instance.mayEnd(by: line), !instance.wasMisled(into: line) {
      complaints.append("\(instance.transactionalID): \(line)")
    }
  }

  // MARK: - Instances

  func start(
    _ id: String, _ configuration: ServiceConfiguration, staticName: String? = nil, skew: Int64 = 0, crashAt: Int = .max
  ) -> SimInstance {
    let instance = SimInstance(
      self, transactionalID: id, number: nextMember, staticName: staticName, skew: skew, configuration)
    nextMember += 1
    instances.append(instance)
    instance.crashAt = crashAt
    during(instance) { instance.service.join() }
    return instance
  }

  /// Runs one turn of an instance's loop, and perhaps some of its background work.
  func turn(_ instance: SimInstance) {
    during(instance) {
      if !instance.beside.isEmpty, random.below(2) == 0 {
        let work = instance.beside.removeFirst()
        work()
      }
      if instance.service.isRunning { instance.service.turn() }
      for case let active? in instance.service.partitions.active {
        if let fault = active.partition.countFault { instance.complain(fault) }
      }
    }
    onTurn?(instance)
  }

  /// Called after each turn of an instance, which may have died in it.
  var onTurn: ((SimInstance) -> Void)?

  /// Runs `body` in an instance, and removes the instance if it has ended.
  private func during(_ instance: SimInstance, _ body: () -> Void) {
    if instance.isBusy || instance.isDead { return }
    instance.isBusy = true
    heartbeats()
    body()
    if !instance.isDead, !instance.service.isRunning { end(instance) }
    instance.isBusy = false
    if instance.isDead { bury(instance) }
  }

  private func end(_ instance: SimInstance) {
    if let fatal = instance.service.fatal, !instance.mayEnd(by: fatal) { ends.append(fatal) }
    _ = instance.service.stop()
    if !instance.isDead { instance.die() }
    broker.group.remove(instance.member)
  }

  /// Stops an instance gracefully.
  func stop(_ instance: SimInstance) {
    instance.signal()
    during(instance) {}
  }

  /// Ends an instance at once.
  func kill(_ instance: SimInstance) {
    if instance.isDead || instance.isBusy { return }
    instance.die()
    bury(instance)
  }

  private func bury(_ instance: SimInstance) {
    commits += instance.service.totals.commits
    restores += instance.service.totals.restores
    aborts += instance.service.totals.aborts
    instances.removeAll { $0 === instance }
    freeIDs.append(instance.transactionalID)
    buried.append(instance)
  }

  /// The instances that are gone, to which there may still be unowned references.
  private var buried: [SimInstance] = []

  func heartbeats() {
    for instance in instances where !instance.member.isFrozen { instance.member.heardAt = clock.monotonic }
    broker.expire()
  }

  /// Freezes an instance in the middle of a call while the others continue. The group may give it up meanwhile.
  func freeze(_ instance: SimInstance) {
    if isFreezing { return }
    isFreezing = true
    instance.member.isFrozen = true
    let turns = freezeTurns ?? random.below(40)
    for turn in 0..<turns {
      if turn == turns / 3, freezeTurns != nil || random.below(4) > 0 { broker.group.remove(instance.member) }
      if freezeTurns == nil, random.below(3) == 0 { feed(random.below(4)) }
      let others = instances.filter { !$0.isBusy }
      if others.isEmpty {
        clock.advance(Int64(random.below(300)))
        heartbeats()
      } else {
        self.turn(others[random.below(others.count)])
      }
    }
    whileFrozen?()
    instance.member.isFrozen = false
    isFreezing = false
  }
  /// The number of turns of the others for which an instance is frozen, in which the group gives it up, or nil if chance decides.
  var freezeTurns: Int?
  /// Called before a frozen instance resumes.
  var whileFrozen: (() -> Void)?

  // MARK: - Input

  func feed(_ count: Int) {
    for _ in 0..<count {
      var record = gifts.next(at: clock.wall)
      if inputTransaction == nil, random.below(20) == 0 {
        inputTransaction = SimTransaction(producer: "gifts", epoch: 0, deadline: .max)
      }
      record.transaction = inputTransaction
      put(record)
      if inputTransaction != nil, random.below(4) == 0 { endInputTransaction() }
    }
  }

  func put(_ record: SimRecord) {
    broker.log(.input, SimBroker.partition(of: record.key, broker.partitions(.input).count)).append(record)
  }

  func put(_ room: String, _ json: String) {
    put(SimRecord(key: Array(room.utf8), value: Array(json.utf8), timestamp: clock.wall))
  }

  func endInputTransaction() {
    guard let transaction = inputTransaction else { return }
    transaction.state = random.below(3) == 0 ? .aborted : .committed
    for log in transaction.unmarked { log.mark(transaction) }
    inputTransaction = nil
  }

  // MARK: - The end

  /// Ends all faults, and runs the instances until all input is processed and no room has anything left to do.
  /// - Returns: The work that was not finished, or nil if all was.
  func drain(_ makeConfiguration: () -> ServiceConfiguration) -> String? {
    broker.faults = .none
    broker.areDirectsHeld = false
    endInputTransaction()
    for instance in instances {
      instance.crashAt = .max
      instance.freezeAt = .max
    }
    if instances.isEmpty { _ = start("last", makeConfiguration()) }
    // Rooms are idle once all waiting banners were shown: after some 19 s for the longest queue met so far, at a few ms a round.
    for round in 0..<20_000 {
      if instances.isEmpty {
        if !ends.isEmpty { return "no instance is left: \(ends)" }
        _ = start("last", makeConfiguration())
      }
      for instance in instances { turn(instance) }
      heartbeats()
      if round % 8 == 7, isDone() { return nil }
    }
    return "it never came to rest: \(unfinished())"
  }

  private func isDone() -> Bool { unfinished().isEmpty }

  private func unfinished() -> String {
    broker.settleAll()
    for number in broker.partitions(.input) {
      guard
        let owner = instances.first(where: {
          $0.service.partitions.active.count > Int(number) && $0.service.partitions.active[Int(number)] != nil
        })
      else { return "nobody has partition \(number)" }
      let active = owner.service.partitions.active[Int(number)]!
      let partition = active.partition
      let input = broker.log(.input, number)
      if let last = input.records.last(where: { $0.isCommitted })?.offset, (broker.offsets[number]?.offset ?? -1) <= last {
        return "the group stands at \(broker.offsets[number]?.offset ?? -1) of partition \(number), which ends at \(input.end)"
      }
      if partition.hasNews { return "partition \(number) has news" }
      // Instructions that an owner with the other delivery has not published go into one transaction with the owed entry.
      if owner.service.partitions.owed(by: active).isEntry {
        return "the owner of partition \(number) has an entry to write first"
      }
      if let log = active.log, !log.entries.isEmpty {
        return "entries of partition \(number) are on their way"
      }
      var restless = 0
      partition.table.forEachRoom { if !$0.engine.isIdle || $0.engine.hasPendingSkips { restless += 1 } }
      if restless > 0 { return "\(restless) rooms of partition \(number) are not idle" }
    }
    return ""
  }
}

extension Partition {
  /// The fault of its counts, which each event updates, or nil if they agree with its rooms.
  fileprivate var countFault: String? {
    var (rooms, sum, own) = (0, UInt64(0), 0)
    table.forEachRoom { room in
      if room.isGhost { return }
      rooms += 1
      sum &+= room.foldedHash
      own += room.hasOwn ? 1 : 0
    }
    if (rooms, sum, own) == (awake, digest, ownSettingsCount) { return nil }
    return "partition \(number) counts \(awake) rooms, \(ownSettingsCount) with own settings, but has \(rooms), \(own) with them"
      + (sum == digest ? "" : "; and its digest is not theirs")
  }
}
