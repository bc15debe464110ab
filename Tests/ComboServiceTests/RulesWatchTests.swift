import ComboCore
import ComboEdge
import ComboRooms
import Testing

@testable import ComboService
@testable import ComboSimulation

@Suite("The watch of the rules that the group can follow")
struct RulesWatchTests {
  @Test("a new partition gets the newest rules once every member can follow them, another one after the time of grace")
  func grace() {
    let scene = SimScene()
    scene.world.clock.moves = 0
    scene.configuration.rulesGraceMs = 1000
    let instance = scene.start()
    var edges = instance.service.edges
    edges.groupRules = { Rules.newest.version }
    let now = scene.world.clock.monotonic
    var watch = RulesWatch(scene.configuration, edges)
    #expect(watch.agreed(isNew: true, at: now) == .oldest)
    watch.askFirst(edges)
    #expect(watch.agreed(isNew: true, at: now) == .newest)
    #expect(watch.agreed(isNew: false, at: now + 999) == .oldest && watch.agreed(isNew: false, at: now + 1000) == .newest)
    // The answer may lack the member that caused the assignment.
    watch.assigned()
    #expect(watch.agreed(isNew: false, at: now + 1000) == .oldest)
  }
}
