import ComboEdge
import ComboRooms
import ComboWire
import Testing

@testable import ComboService
@testable import ComboSimulation

@Suite("An output that others recreate")
struct OutputLossTests {
  @Test("offsets that fall are a loss, reported once")
  func ends() {
    let memory = GroupMemory()
    func fall(_ partition: Int32, _ end: Int64) -> [Int64] {
      memory.ends(.output, [(partition, end)]).flatMap { [$0.from, $0.to] }
    }
    for (partition, end) in [(0, 10), (0, 12), (1, 3), (0, 4)] as [(Int32, Int64)] { #expect(fall(partition, end) == []) }
    // The second reading proves that no stalled broker gave the first, even if the topic has grown meanwhile.
    #expect(fall(0, 6) == [12, 4] && fall(0, 6) == [] && fall(0, 5) == [] && fall(0, 6) == [])
    #expect(memory.ends(.journal, [(0, 1)]) == [])
  }

  @Test("a check that the brokers do not answer is made again by the next one")
  func unanswered() throws {
    let scene = scene(.exactlyOnce)
    let instance = SimInstance(scene.world, transactionalID: "a", number: 0, staticName: nil, skew: 0, scene.configuration)
    let memory = OutputMemory()
    memory.wrote(upTo: 1000)
    scene.world.broker.unanswered = (.output, 0)
    let reader = SimReadEdge(scene.world.broker, instance: instance)
    #expect(throws: EdgeError.self) { try memory.loss(reader, comparesTimes: true) }
    scene.world.broker.unanswered = nil
    #expect(try memory.loss(reader, comparesTimes: true) != nil)
  }

  /// The fate of the output while the service runs.
  enum Fate: CaseIterable { case stays, recreated, retained }

  @Test(
    "it is noticed in the service's first seconds, even if it is longer by now; retention is none",
    arguments: Fate.allCases, JournalEntry.Delivery.allCases)
  func whileRunning(_ fate: Fate, _ delivery: JournalEntry.Delivery) {
    let scene = scene(delivery)
    let instance = scene.start()
    scene.turn(instance, 100)
    scene.gift()
    scene.settle(instance)
    scene.turn(instance, 50)
    let output = written(scene)
    let before = output.end
    switch fate {
    case .stays: break
    case .recreated: output.makeAnew()
    case .retained: output.cut(before: output.end)
    }
    for _ in 0..<100 where output.end <= before + 2 {
      scene.gift()
      scene.settle(instance)
      scene.turn(instance, 5)
    }
    #expect(output.end > before + 2)
    scene.world.clock.advance(15_000)
    scene.turn(instance, 50)
    let told = scene.world.heard.filter { $0.contains("the output was deleted and recreated") }
    #expect(told.count == (fate == .recreated ? 1 : 0), "\(told)")
  }

  @Test(
    "after a stop it is known by the journal, although an aborted trial is in the new one",
    arguments: Fate.allCases, JournalEntry.Delivery.allCases)
  func betweenRuns(_ fate: Fate, _ delivery: JournalEntry.Delivery) throws {
    let scene = scene(delivery)
    let reader = SimReadEdge(scene.world.broker, instance: nil)
    let instance = scene.start()
    #expect(try !OutputLoss(reader, of: scene.world.topics).happenedBeforeStart(), "nothing was written yet")
    scene.gift()
    scene.settle(instance)
    scene.turn(instance, 100)
    scene.world.kill(instance)
    scene.world.clock.advance(60_000)
    let output = written(scene)
    switch fate {
    case .stays: break
    case .recreated: output.makeAnew()
    case .retained: output.cut(before: output.end)
    }
    #expect(try OutputLoss(reader, of: scene.world.topics).happenedBeforeStart() == (fate == .recreated))
    output.append(SimRecord(key: nil, value: nil, timestamp: scene.world.clock.wall))
    output.skip()
    #expect(try OutputLoss(reader, of: scene.world.topics).happenedBeforeStart() == (fate == .recreated))
  }

  /// The partition of the output that has the room's instructions.
  private func written(_ scene: SimScene) -> SimLog {
    let broker = scene.world.broker
    let found = broker.partitions(.output).map { broker.log(.output, $0) }.filter { $0.end > 0 }
    #expect(found.count == 1)
    return found.first ?? SimLog()
  }

  private func scene(_ delivery: JournalEntry.Delivery) -> SimScene {
    let scene = SimScene()
    scene.configuration.delivery = delivery
    scene.configuration.comparesOutputTimes = true
    scene.world.expectsErrors = true
    scene.world.hears = true
    return scene
  }
}
