import ComboCore
import ComboEdge
import ComboRooms
import Testing

@testable import ComboService
@testable import ComboSimulation

@Suite("Rooms that rest for long, by simulation")
struct SimulatedRestTests {
  @Test("a room that wakes from its rest again and again gets no new deadline for the end of each, and continues as before")
  func deadlines() {
    let scene = SimScene()
    scene.configuration.settings.restMs = 86_400_000
    let instance = scene.start()
    let rooms = 3
    let rounds = 300
    for _ in 0..<rounds {
      for room in 0..<rooms { scene.gift("r\(room)") }
      scene.settle(instance)
      // Its banner is gone by then, and the room is idle.
      scene.world.clock.advance(1000)
      scene.turn(instance, 4)
    }
    let partition = instance.service.partitions.active[0]!.partition
    #expect(partition.awake == rooms)
    #expect(partition.deadlines >= rooms && partition.deadlines <= 2 * rooms + 64)
    #expect(scene.lines(.output).filter { $0.contains(#""op":"dismiss""#) }.count == rooms * rounds)
    #expect(scene.audit() == [])

    // The remaining deadlines suffice to bring them to rest.
    scene.world.kill(instance)
    let next = scene.start(until: 1)
    #expect(next.service.totals.resets == 0 && next.service.partitions.active[0]?.partition.awake == rooms)
    scene.world.clock.advance(86_500_000)
    for _ in 0..<100 where next.service.partitions.active[0]?.partition.awake != 0 { scene.turn(next) }
    #expect(next.service.partitions.active[0]?.partition.awake == 0)
    #expect(scene.finish() == [])
  }
}
