import ComboCore
import ComboEdge
import ComboRooms
import ComboWire
import Testing

@testable import ComboService
@testable import ComboSimulation

/// Faults that the simulation found, each as a short test.
@Suite("What the simulation found")
struct SimulationFindTests {
  @Test("records without value are committed, also when nothing else comes")
  func tombstonesAlone() {
    let scene = SimScene()
    let instance = scene.start()
    scene.turn(instance, 4)
    scene.world.put(SimRecord(key: Array("r".utf8), value: nil))
    scene.turn(instance, 10)
    #expect(scene.world.broker.offsets[0]?.offset == 1)
    #expect(instance.service.totals.withoutValue == 1)
  }

  @Test("a hand-over right after records without value writes a checkpoint that includes them")
  func tombstonesBeforeHandOver() {
    let scene = SimScene()
    scene.configuration.commitIntervalMs = 1_000_000
    let instance = scene.start()
    for _ in 0..<100 where instance.service.partitions.active.isEmpty { scene.turn(instance) }
    scene.world.put(SimRecord(key: Array("r".utf8), value: nil))
    scene.turn(instance)
    scene.world.stop(instance)
    #expect(scene.lines(.state).contains { $0.contains(#""input":1"#) })
    #expect(scene.audit() == [])
  }

  @Test("a member that stands still while it restores tries again, and refuses nothing")
  func zombieThatRestores() {
    for call in 1...12 {
      let scene = SimScene()
      let first = scene.start("first")
      scene.gift()
      scene.settle(first)
      scene.world.kill(first)
      let slow = scene.start("slow")
      let other = scene.start("other")
      for _ in 0..<30 where slow.beside.isEmpty {
        scene.world.turn(slow)
        scene.world.turn(other)
      }
      scene.world.freezeTurns = 30
      scene.world.whileFrozen = {
        for _ in 0..<4 {
          scene.gift()
          scene.turn(other, 3)
        }
      }
      slow.freezeAt = slow.calls + call
      for _ in 0..<20 { scene.turn(slow) }
      #expect(scene.finish() == [], "stood still at call \(call)")
    }
  }

  @Test("partitions that were restored meanwhile are taken over in one transaction")
  func takeoversTogether() {
    let scene = SimScene(partitions: 4)
    let instance = scene.start()
    for _ in 0..<100 where instance.beside.isEmpty { scene.turn(instance) }
    while !instance.beside.isEmpty { instance.beside.removeFirst()() }
    scene.turn(instance)
    #expect((0..<4).allSatisfy { instance.service.partitions.isActive($0) })
    #expect(instance.service.totals.commits == 1)
    #expect(scene.finish() == [])
  }

  @Test("while the wall clock is behind, what is due is said when it is due")
  func wallClockBehind() {
    let scene = SimScene()
    let instance = scene.start()
    scene.gift()
    scene.settle(instance)
    scene.world.clock.wall -= 3_600_000
    let begin = scene.world.clock.monotonic
    for _ in 0..<300 where !scene.lines(.output).contains(where: { $0.contains("dismiss") }) { scene.turn(instance) }
    // The banner is shown for 50 + 300 ms, and the loop checks at least every 100 ms.
    #expect(scene.world.clock.monotonic - begin < 600)
    #expect(scene.finish() == [])
  }

  @Test("what an event makes due at the very moment of its entry belongs to that entry")
  func dueAtTheEntrysClock() {
    let scene = SimScene()
    scene.world.clock.moves = 0
    scene.configuration.settings.enterMs = 0
    scene.configuration.settings.countMs = 0
    scene.configuration.settings.lingerMs = 0
    let instance = scene.start()
    scene.turn(instance, 6)
    scene.world.clock.advance(100)
    scene.gift()
    scene.turn(instance)
    #expect(scene.entries.last?.said == 2, "shown and dismissed")
    #expect(scene.audit() == [])
  }

  @Test("a retract may forget the last combos of a room")
  func retractOfTheLastCombos() {
    let scene = SimScene()
    let instance = scene.start()
    for sender in ["a", "b", "c"] { scene.gift(sender: sender) }
    scene.settle(instance)
    for _ in 0..<300 where scene.lines(.output).count(where: { $0.contains("dismiss") }) < 3 { scene.turn(instance) }
    for sender in ["a", "b", "c"] { scene.world.put("r", #"{"type":"retract","sender":{"id":"\#(sender)"}}"#) }
    #expect(scene.finish() == [])
  }
}
