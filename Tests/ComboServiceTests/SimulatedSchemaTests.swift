import ComboEdge
import ComboMaps
import ComboRooms
import ComboWire
import Testing

@testable import ComboService
@testable import ComboSimulation
@testable import ComboTestSupport

/// A registry whose answers a test decides.
private final class SimRegistry: SchemaSource, @unchecked Sendable {
  // The proof: a world belongs to one thread.
  var answer: (String) -> SchemaAnswer = { _ in .none("away") }
  var asked: [String] = []
  var wantsRetry = false

  func ask(_ id: String) -> SchemaAnswer {
    asked.append(id)
    return answer(id)
  }

  func takeRetry() -> Bool {
    defer { wantsRetry = false }
    return wantsRetry
  }
}

/// Records in Avro on simulated brokers, with a registry that comes and goes.
@Suite("Schemas of a registry, simulated")
struct SimulatedSchemaTests {
  private let scene: SimScene
  private let registry = SimRegistry()

  init() throws { try self.init(SimScene(partitions: 2)) }

  private init(_ scene: SimScene) throws {
    self.scene = scene
    scene.configuration.map = try Self.map()
    scene.world.schemas = registry
  }

  private static func map() throws -> RecordMap {
    let text = #"{"map":1,"name":"t","include":"wire","record":{"framing":"confluent","schemas":{}}}"#
    return try RecordMap(Array(text.utf8), file: "t")
  }

  /// Each has one field more than the one before.
  private static func schema(_ id: Int) -> String {
    let more = (0..<id).map { #"{"name":"x\#($0)","type":"int"},"# }.joined()
    let party = #"{"type":"record","name":"P","fields":[{"name":"id","type":"string"}]}"#
    return #"{"type":"record","name":"G","fields":[\#(more){"name":"sender","type":\#(party)},{"name":"gift","type":"P"},"#
      + #"{"name":"count","type":"int"}]}"#
  }

  private static func known(_ id: String) -> SchemaAnswer { .schema(schema(Int(id)!)) }

  /// A gift of two, in a room where the audit counts every gift, or in another partition.
  private func gift(_ id: Int, room: String = SimGifts.plainRooms[0]) {
    func text(_ text: String) -> [UInt8] { [UInt8(text.utf8.count * 2)] + Array(text.utf8) }
    let frame: [UInt8] = [0, 0, 0, UInt8(id >> 8), UInt8(id & 255)]
    var record = SimRecord(
      key: Array(room.utf8), value: frame + [UInt8](repeating: 2, count: id) + text("u") + text("g") + [4],
      timestamp: scene.world.clock.wall)
    if SimGifts.plainRooms.contains(room) { record.plainCount = 2 }
    scene.world.put(record)
  }

  /// A room of the other partition.
  private var elsewhere: String {
    let own = SimBroker.partition(of: Array(SimGifts.plainRooms[0].utf8), 2)
    return (0...).lazy.map { "r\($0)" }.first { SimBroker.partition(of: Array($0.utf8), 2) != own }!
  }

  private func shown(_ room: String) -> Int { scene.lines(.output).count { $0.contains(#""room":"\#(room)""#) } }

  @Test("hold up only the partitions that need them, until the registry answers")
  func waiting() throws {
    registry.answer = { $0 == "1" ? Self.known($0) : .none("away") }
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
    let before = shown(elsewhere)
    gift(1, room: elsewhere)
    scene.turn(instance, 20)
    #expect(shown(elsewhere) > before)
    registry.answer = Self.known
    scene.world.clock.advance(10_000)
    scene.settle(instance)
    #expect(instance.service.totals.bad == 0)
    #expect(scene.finish() == [])
  }

  @Test("are never forgotten: the next owner has them without a registry")
  func lasting() throws {
    registry.answer = Self.known
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
    registry.answer = { $0 == "1" ? Self.known($0) : .unusable("no Avro") }
    let instance = scene.start()
    for id in [1, 2, 1, 2, 2, 1] { gift(id, room: elsewhere) }
    scene.settle(instance)
    #expect(instance.service.totals.bad == 3)
    #expect(registry.asked.count { $0 == "2" } == 1)
    registry.answer = Self.known
    gift(2, room: elsewhere)
    scene.settle(instance)
    #expect(instance.service.totals.bad == 4)
    registry.wantsRetry = true
    gift(2, room: elsewhere)
    scene.settle(instance)
    #expect(instance.service.totals.bad == 4)
    #expect(registry.asked.count { $0 == "2" } == 2)
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
        test.registry.answer = { isAway ? .none("away") : isYoung ? .unknown("not yet") : Self.known($0) }
        for _ in 0..<random.below(12) {
          test.gift(1 + random.below(newest), room: random.below(2) == 0 ? SimGifts.plainRooms[0] : test.elsewhere)
        }
        if scene.world.instances.count < 2 { _ = scene.start("i\(step)") }
        for instance in scene.world.instances { scene.turn(instance, 1 + random.below(6)) }
        if random.below(5) == 0, let victim = scene.world.instances.first { scene.world.kill(victim) }
        if random.below(8) == 0 { scene.world.clock.advance(1000) }
      }
      test.registry.answer = Self.known
      #expect(scene.finish() == [], "seed \(seed)")
      #expect(scene.lines(.deadLetter) == [], "seed \(seed)")
    }
  }
}
