import ComboCore
import ComboEdge
import ComboRooms
import ComboWire
import Foundation

@testable import ComboTestSupport

/// A sequence of random events in a world, drawn from a seed.
final class SimStory {
  let seed: UInt64
  let world: SimWorld
  private var random: SplitMix64
  private var settings: [Settings]
  private var faults: [String] = []
  private var nextID = 0
  private let instancesMax: Int
  private let isStatic: Bool
  private let deliveries: [JournalEntry.Delivery]
  /// Whether instances of the previous release are started beside those of this one, whose rules are pinned until no more of
  /// them are started.
  private var isMixed: Bool
  private var starts: UInt64 = 0
  private var steps = 0
  private var step = 0

  static let isHeard = ProcessInfo.processInfo.environment["COMBO_SIM_LOG"] != nil

  /// - Parameters:
  ///   - hasOnlookers: Whether clients can watch the instances' rooms.
  ///   - input: The name of the input if others share the output, or nil if it is alone.
  ///   - neighbor: The story of another input with the same output, or nil if there is none.
  init(seed: UInt64, hasOnlookers: Bool = false, input: String? = nil, beside neighbor: SimStory? = nil) {
    self.seed = seed
    var random = SplitMix64(seed: seed &* 0x9e37_79b9 &+ 17)
    world = SimWorld(
      seed: random.next(), partitions: 1 + random.below(3), rooms: 1 + random.below(6), isCooperative: random.below(2) == 0,
      input: input, beside: neighbor?.world)
    world.hears = Self.isHeard
    world.hasOnlookers = hasOnlookers
    settings = (0..<3).map { _ in .madeUp(&random) }
    instancesMax = 1 + random.below(3)
    isStatic = random.below(4) == 0
    // Not drawn, so that it does not change the stories.
    // The previous release names no input.
    isMixed = seed % 3 == 1 && input == nil
    deliveries = [[.exactlyOnce], [.atLeastOnce], [.exactlyOnce, .atLeastOnce]][random.below(3)]
    self.random = random
    if random.below(3) > 0 {
      world.broker.faults = SimFaults(
        abortable: random.below(40), fatal: random.below(20), retriable: random.below(60), indefinite: random.below(60),
        unseekable: Int(seed % 5) * 10, lateMarks: random.below(600), staleLeaders: random.below(40))
    }
    world.clock.moves = [0, 3, 10, 40][random.below(4)]
    world.batchMax = [1, 3, 20, 200][random.below(4)]
  }

  private func configuration() -> ServiceConfiguration {
    var made = ServiceConfiguration(topics: world.topics)
    made.settings = settings[random.below(settings.count)]
    made.namesInput = world.sharesOutput
    made.delivery = deliveries[random.below(deliveries.count)]
    made.commitIntervalMs = [1, 10, 50, 100][random.below(4)]
    made.checkpointGifts = [1, 5, 40, 1_000_000][random.below(4)]
    made.checkpointIntervalMs = [50, 400, 3_000, 1_000_000][random.below(4)]
    made.sweepBudget = [1, 200, 2_000, 4 << 20][random.below(4)]
    made.partBytes = [100, 1_000, 1 << 19][random.below(3)]
    made.ownSettingsMax = random.below(4)
    if random.below(3) == 0 { made.limits.displayBytes = 60 }
    made.hopMin = .max
    // Not drawn, so that the stories of the other seeds stay the same.
    if seed % 4 == 0 { made.backlogMin = 2 }
    made.heldBytes = [0, 500, 65_536][Int(seed % 3)]
    if seed % 5 == 0 { (made.entryBytes, made.transactionBytes) = (400, 1500) }
    return made
  }

  /// Runs the whole story, and returns the faults found.
  /// - Parameter whenAtRest: Called once all is at rest; returns the faults found then.
  func run(whenAtRest: () -> [String] = { [] }) -> [String] {
    begin()
    while advance() {}
    return finish(whenAtRest: whenAtRest)
  }

  func begin() {
    steps = 60 + random.below(200)
    start()
  }

  /// Does the next step.
  /// - Returns: Whether there is another one.
  func advance() -> Bool {
    if step == steps / 2 { isMixed = false }
    act()
    step += 1
    if !world.complaints.isEmpty || !world.ends.isEmpty { return false }
    if step % 64 == 0 { faults += audit() }
    return faults.isEmpty && step < steps
  }

  /// Ends all faults, waits until all is at rest, and stops the instances.
  /// - Returns: The faults found.
  func finish(whenAtRest: () -> [String] = { [] }) -> [String] {
    if !faults.isEmpty { return lines() }
    if let unfinished = world.drain({ configuration() }) { faults.append(unfinished) }
    faults += audit(isAtEnd: true)
    faults += whenAtRest()
    for instance in world.instances { world.stop(instance) }
    faults += audit(isAtEnd: true)
    return lines()
  }

  private func lines() -> [String] {
    if Self.isHeard { for line in world.heard { print(line) } }
    return faults
  }

  func audit(isAtEnd: Bool = false) -> [String] { SimAudit(world, configuration()).faults(isAtEnd: isAtEnd) }

  private func start() {
    let id: String
    if !world.freeIDs.isEmpty, random.below(4) > 0 {
      id = world.freeIDs.removeLast()
    } else {
      id = "instance-\(nextID)"
      nextID += 1
    }
    var made = configuration()
    starts += 1
    if isMixed {
      made.rules = .oldest
      if (seed / 3 ^ starts) % 2 == 0 { made.knownRules = Rules.oldest...Rules.oldest }
    } else if seed % 3 == 1 {
      made.rulesGraceMs = 300
    }
    _ = world.start(id, made, staticName: isStatic ? id : nil, skew: Int64(random.below(400) - 200))
  }

  private func act() {
    let world = world
    switch random.below(100) {
    case 0..<58:
      if world.instances.isEmpty { start() } else { world.turn(any()) }
    case 58..<78: world.feed(1 + random.below([2, 10, 30][random.below(3)]))
    case 78..<82: world.clock.advance(Int64(random.below([20, 300, 2_500][random.below(3)])))
    case 82..<85:
      guard !world.instances.isEmpty else { return }
      let instance = any()
      instance.crashAt = instance.calls + 1 + random.below([10, 60, 400][random.below(3)])
    case 85..<87:
      guard !world.instances.isEmpty else { return }
      let instance = any()
      instance.freezeAt = instance.calls + 1 + random.below([10, 60, 400][random.below(3)])
    case 87..<90: if world.instances.count < instancesMax { start() }
    case 90..<92:
      guard !world.instances.isEmpty else { return }
      world.stop(any())
    case 92..<94: world.clock.wall += Int64(random.below(20_000) - 10_000)
    case 94: world.clock.wall += Int64(random.below(7_200_000) - 3_600_000)
    case 95..<97:
      let partition = Int32(random.below(world.broker.partitions(.state).count))
      let log = world.broker.log(.state, partition)
      log.compact(below: log.lastStable - Int64(random.below(10)), dropsDeletions: random.below(2) == 0)
    case 97: world.broker.areDirectsHeld.toggle()
    case 98: world.broker.group.prepare()
    default: for _ in 0..<random.below(10) { world.broker.tick() }
    }
    world.heartbeats()
  }

  private func any() -> SimInstance { world.instances[random.below(world.instances.count)] }
}
