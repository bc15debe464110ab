import ComboCore
import ComboEdge
import ComboRooms
import ComboService
import ComboWire

@testable import ComboTestSupport

/// A cluster, the instances of one group on it, what comes in, and a virtual clock; all of it from one seed.
final class SimWorld: @unchecked Sendable {
  // The proof: a world belongs to one thread.
  let clock: SimClock
  let broker: SimBroker
  var random: SplitMix64
  var gifts: SimGifts
  private(set) var instances: [SimInstance] = []
  /// What the service did that it must not, and what it said at level error.
  var complaints: [String] = []
  /// All lines of the log are kept.
  var hears = false
  private(set) var heard: [String] = []
  /// Whether instances can be looked at from outside.
  var hasOnlookers = false
  /// Of all instances; nil: there is no registry.
  var schemas: (any SchemaSource)?
  /// Records that one poll hands out of a partition at most.
  var batchMax = 20
  let topics = TopicIdentity(group: "group", input: "gifts", output: "screens")
  var isFreezing = false
  private var nextMember = 0
  private var inputTransaction: SimTransaction?
  /// Some instance delivers at least once.
  var hasAtLeastOnce = false
  /// What instances may say at level error.
  var expectsErrors = false
  /// How far ahead of the brokers' clock the output takes a record's time; nil: as far as it likes, and nobody tries.
  var outputAheadMaxMs: Int64?
  var ends: [String] = []
  /// Ids of instances that are no more.
  var freeIDs: [String] = []
  var commits = 0
  var restores = 0
  var aborts = 0

  init(seed: UInt64, partitions: Int = 1, rooms: Int = 4, isCooperative: Bool = false) {
    var random = SplitMix64(seed: seed)
    clock = SimClock(SplitMix64(seed: random.next()))
    broker = SimBroker(
      clock, SplitMix64(seed: random.next()), partitions: partitions, outputPartitions: 2, isCooperative: isCooperative)
    gifts = SimGifts(SplitMix64(seed: random.next()), rooms: rooms)
    self.random = random
  }

  func said(_ line: String, by instance: SimInstance) {
    if hears { heard.append("\(clock.monotonic) \(instance.transactionalID): \(line)") }
    if line.hasPrefix("error "), !expectsErrors, !instance.mayEnd(by: line) {
      complaints.append("\(instance.transactionalID): \(line)")
    }
  }

  // MARK: - Instances

  /// Begins an instance.
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

  /// One turn of an instance's loop, and what else it has to do.
  func turn(_ instance: SimInstance) {
    during(instance) {
      if !instance.beside.isEmpty, random.below(2) == 0 {
        let work = instance.beside.removeFirst()
        work()
      }
      if instance.service.isRunning { instance.service.turn() }
    }
    onTurn?(instance)
  }

  /// After each turn of an instance that is still there.
  var onTurn: ((SimInstance) -> Void)?

  /// Lets an instance do something; buries it if that was its end.
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

  /// Ends an instance in good order.
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

  /// Unowned references to them may still be about.
  private var buried: [SimInstance] = []

  func heartbeats() {
    for instance in instances where !instance.member.isFrozen { instance.member.heardAt = clock.monotonic }
    broker.expire()
  }

  /// An instance stands still in the middle of whatever it is doing, for longer than the group waits for it; the others go on.
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
  /// For how many turns of the others an instance stands still, and the group gives it up; nil: as it comes.
  var freezeTurns: Int?
  /// What else happens meanwhile.
  var whileFrozen: (() -> Void)?

  // MARK: - What comes in

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

  /// Nothing goes wrong any more; the instances work until everything has been taken in and no room has anything to do.
  /// - Returns: nil, or what never came to an end.
  func drain(_ makeConfiguration: () -> ServiceConfiguration) -> String? {
    broker.faults = .none
    broker.areDirectsHeld = false
    endInputTransaction()
    for instance in instances {
      instance.crashAt = .max
      instance.freezeAt = .max
    }
    if instances.isEmpty { _ = start("last", makeConfiguration()) }
    // Rooms are idle when all banners that wait were shown: some 19 s for the longest queue met so far, of a few ms a round.
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
      // What an owner in the other delivery left unsaid goes into one transaction with the entry that is owed.
      if active.takeover != nil || active.owesEntry { return "the owner of partition \(number) has an entry to write first" }
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
