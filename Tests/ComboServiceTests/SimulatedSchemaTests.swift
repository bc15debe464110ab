import ComboEdge
import ComboMaps
import ComboRooms
import ComboWire
import Testing

@testable import ComboService
@testable import ComboSimulation
@testable import ComboTestSupport

/// Avro records on simulated brokers, with a registry that is not always there.
@Suite("Schemas of a registry, simulated")
struct SimulatedSchemaTests {
  private let scene: SimScene
  private let registry = SimRegistry()

  init() throws { try self.init(SimScene(partitions: 2)) }

  private init(_ scene: SimScene) throws {
    self.scene = scene
    scene.configuration.map = try SimRegistry.map()
    scene.world.schemas = registry
  }

  /// Puts a gift with count 2, by default in a room where the audit counts every gift.
  private func gift(_ id: Int, room: String = SimGifts.plainRooms[0]) {
    scene.world.put(SimRegistry.gift(id, room: room, at: scene.world.clock.wall))
  }

  /// A room of the other partition.
  private var elsewhere: String {
    let own = SimBroker.partition(of: Array(SimGifts.plainRooms[0].utf8), 2)
    return (0...).lazy.map { "r\($0)" }.first { SimBroker.partition(of: Array($0.utf8), 2) != own }!
  }

  private func shown(_ room: String) -> Int { scene.lines(.output).count { $0.contains(#""room":"\#(room)""#) } }

  @Test("hold up only the partitions that need them, until the registry answers")
  func waiting() throws {
    registry.answer = { $0 == "1" ? SimRegistry.known($0) : .none("away") }
    let instance = scene.start()
    gift(1)
    gift(1, room: elsewhere)
    scene.settle(instance)
    #expect(shown(SimGifts.plainRooms[0]) > 0 && shown(elsewhere) > 0)
    gift(1)
    gift(2)
    gift(1)
    scene.turn(instance, 50)
    let own = SimBroker.partition(of: Array(SimGifts.plainRooms[0].utf8), 2)
    #expect(instance.service.partitions.active[Int(own)]?.partition.offset == 2)
    let report = instance.service.report(scene.world.clock.monotonic)
    #expect(report.partitions[Int(own)].schemaWait?.reason == "away")
    #expect(Health.reasonNotReady(report, at: report.at, isStopping: false) == nil)
    scene.world.clock.advance(5000)
    scene.turn(instance, 5)
    let later = instance.service.report(scene.world.clock.monotonic)
    let reason = Health.reasonNotReady(later, at: later.at, isStopping: false)
    #expect(reason?.hasPrefix("partition \(own) has waited for schema 2 for ") == true && reason!.hasSuffix(" s: away"))
    let before = shown(elsewhere)
    gift(1, room: elsewhere)
    scene.turn(instance, 20)
    #expect(shown(elsewhere) > before)
    registry.answer = SimRegistry.known
    scene.world.clock.advance(10_000)
    scene.settle(instance)
    #expect(instance.service.totals.bad == 0)
    #expect(scene.finish() == [])
  }

  @Test("are never forgotten: the next owner has them without a registry")
  func lasting() throws {
    registry.answer = SimRegistry.known
    let first = scene.start("a")
    for id in 1...3 { gift(id) }
    scene.settle(first)
    scene.world.kill(first)
    registry.answer = { _ in .none("away") }
    let second = scene.start("b")
    for id in 1...3 { gift(id) }
    scene.settle(second)
    #expect(second.service.totals.bad == 0)
    #expect(scene.finish() == [])
  }

  @Test("that do not exist make bad events, until they are asked for again")
  func refused() throws {
    registry.answer = { $0 == "1" ? SimRegistry.known($0) : .unusable("no Avro") }
    let instance = scene.start()
    for id in [1, 2, 1, 2, 2, 1] { gift(id, room: elsewhere) }
    scene.settle(instance)
    #expect(instance.service.totals.bad == 3)
    // The first of them was read twice: before the registry had answered, and after.
    #expect(instance.service.reader.intake.decoder.outcomes.bad == 3)
    #expect(registry.asked.count { $0 == "2" } == 1)
    registry.answer = SimRegistry.known
    gift(2, room: elsewhere)
    scene.settle(instance)
    #expect(instance.service.totals.bad == 4)
    registry.isRetryRequested = true
    scene.turn(instance)
    gift(2, room: elsewhere)
    scene.settle(instance)
    #expect(instance.service.totals.bad == 4)
    #expect(registry.asked.count { $0 == "2" } == 2)
    #expect(scene.finish() == [])
  }

  @Test("that are refused while the partition cannot be read further: its gifts count once", arguments: [false, true])
  func unreadable(isAtLeastOnce: Bool) throws {
    if isAtLeastOnce { scene.configuration.delivery = .atLeastOnce }
    scene.world.hasAtLeastOnce = isAtLeastOnce
    scene.configuration.commitIntervalMs = 1000
    registry.answer = { $0 == "1" ? SimRegistry.known($0) : .unusable("no Avro") }
    let instance = scene.start()
    for room in [SimGifts.plainRooms[0], elsewhere] { gift(1, room: room) }
    scene.settle(instance)
    scene.world.clock.advance(5000)
    scene.turn(instance, 5)
    gift(1)
    scene.settle(instance)
    // From here on nothing is committed until the partition has failed.
    scene.world.clock.moves = 0
    for id in [1, 2, 1] { gift(id, room: elsewhere) }
    scene.world.broker.faults.unseekable = 1000
    let (commits, restores) = (instance.service.totals.commits, instance.service.partitions.counts.restores)
    for _ in 0..<50 where instance.service.partitions.counts.restores == restores { scene.turn(instance) }
    #expect(instance.service.totals.commits == commits && instance.service.partitions.counts.restores > restores)
    scene.world.broker.faults.unseekable = 0
    scene.world.clock.moves = 3
    scene.world.clock.advance(2000)
    gift(1)
    scene.settle(instance)
    #expect(instance.service.totals.bad == 1)
    #expect(scene.finish() == [])
  }

  @Test("are in the journal before their records, whatever dies and whenever the registry is away", arguments: [false, true])
  func random(isAtLeastOnce: Bool) throws {
    for seed in UInt64(1)...10 {
      var random = SplitMix64(seed: seed)
      let scene = SimScene(seed: seed, partitions: 2)
      if isAtLeastOnce { scene.configuration.delivery = .atLeastOnce }
      scene.world.hasAtLeastOnce = isAtLeastOnce
      let test = try SimulatedSchemaTests(scene)
      var newest = 1
      for step in 0..<60 {
        if random.below(6) == 0 { newest += 1 }
        let isAway = random.below(3) == 0
        let isYoung = random.below(4) == 0
        test.registry.answer = { isAway ? .none("away") : isYoung ? .unknown("not yet") : SimRegistry.known($0) }
        for _ in 0..<random.below(12) {
          test.gift(1 + random.below(newest), room: random.below(2) == 0 ? SimGifts.plainRooms[0] : test.elsewhere)
        }
        if scene.world.instances.count < 2 { _ = scene.start("i\(step)") }
        for instance in scene.world.instances { scene.turn(instance, 1 + random.below(6)) }
        if random.below(5) == 0, let victim = scene.world.instances.first { scene.world.kill(victim) }
        if random.below(8) == 0 { scene.world.clock.advance(1000) }
      }
      test.registry.answer = SimRegistry.known
      #expect(scene.finish() == [], "seed \(seed)")
      #expect(scene.lines(.deadLetter) == [], "seed \(seed)")
    }
  }
}
