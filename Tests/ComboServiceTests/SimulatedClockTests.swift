import ComboCore
import ComboEdge
import ComboRooms
import ComboSystem
import ComboWire
import Testing

@testable import ComboService
@testable import ComboSimulation

/// Wrong clocks, with an output that does not accept every time.
@Suite("Wrong clocks on a simulated cluster")
struct SimulatedClockTests {
  private static let hour: Int64 = 3_600_000

  private func scene() -> SimScene {
    let scene = SimScene()
    scene.world.outputAheadMaxMs = Self.hour
    return scene
  }

  @Test("a clock that jumps ahead for a while is not followed, and no entry has its time")
  func jump() {
    let scene = scene()
    let instance = scene.start()
    scene.gift()
    scene.settle(instance)
    let before = scene.world.clock.wall
    instance.time.skew = 2 * Self.hour
    for _ in 0..<20 {
      scene.gift()
      scene.turn(instance, 10)
    }
    scene.settle(instance)
    #expect(instance.service.totals.events == 21)
    #expect(scene.entries.allSatisfy { $0.clock < before + Self.hour }, "\(scene.entries.map(\.clock))")
    // The clock of a resumed machine may jump.
    instance.time.skew = 0
    scene.turn(instance, 5)
    scene.world.clock.wall += 10 * Self.hour
    for _ in 0..<100 {
      scene.gift()
      scene.turn(instance, 10)
    }
    #expect(scene.entries.last!.clock >= before + 10 * Self.hour)
    #expect(scene.finish() == [])
  }

  @Test("with a clock too far ahead it does not join, and does once the clock is right")
  func start() {
    let scene = scene()
    scene.world.hears = true
    let instance = SimInstance(
      scene.world, transactionalID: "a", number: 0, staticName: nil, skew: 2 * Self.hour, scene.configuration)
    var waited = 0
    instance.time.onSleep = {
      waited += 1
      if waited > 100 { instance.time.skew = 0 }
    }
    instance.service.awaitSoundClock()
    #expect(waited > 100 && !instance.service.edges.clockTrial!.time.isDoubted)
    #expect(instance.service.edges.time.wallMs() < scene.world.clock.wall + Self.hour)
    #expect(scene.world.heard.contains { $0.contains("the service starts once it is right") }, "\(scene.world.heard)")
  }

  /// Creates a partition whose owner once followed a clock that was two hours ahead.
  private func ahead(_ scene: SimScene) {
    scene.world.outputAheadMaxMs = nil
    let first = scene.world.start("a", scene.configuration, skew: 2 * Self.hour)
    for _ in 0..<3 { scene.gift() }
    scene.settle(first)
    scene.world.kill(first)
    scene.world.outputAheadMaxMs = Self.hour
    scene.world.expectsErrors = true
  }

  @Test("a partition whose time is further ahead than the output accepts waits until that time is near")
  func waits() {
    let scene = scene()
    ahead(scene)
    let second = scene.start("b")
    scene.gift()
    scene.turn(second, 500)
    #expect(!second.isDead && second.service.totals.events == 0 && second.service.isRunning)
    scene.world.clock.advance(2 * Self.hour)
    scene.settle(second)
    #expect(second.service.totals.events == 1 && second.service.totals.resets == 0, "\(scene.world.ends)")
  }

  @Test("its time can be brought back, with new epochs, and the next owner keeps that")
  func broughtBack() {
    let scene = scene()
    ahead(scene)
    var configuration = scene.configuration
    configuration.purpose = .bringClocksBack
    let second = scene.world.start("b", configuration)
    for _ in 0..<2000 where !second.service.hasTakenOver { scene.turn(second) }
    #expect(second.service.totals.clocksBroughtBack == 1 && second.service.totals.resets == 1)
    scene.turn(second, 20)
    scene.world.stop(second)
    let entry = scene.entries.last { $0.takeover?.reset != nil }
    #expect(entry?.takeover?.shift ?? 0 < -Self.hour && abs((entry?.clock ?? 0) - scene.world.clock.wall) < 60_000)
    let third = scene.start("c")
    for _ in 0..<5 { scene.gift() }
    scene.settle(third)
    #expect(third.service.totals.events == 5 && third.service.totals.resets == 0, "\(scene.world.ends)")
    // Later epochs have greater numbers although time went back, also in a room that has rested since, so that clients see that
    // they are newer.
    let screens = scene.lines(.output).filter { $0.contains(#""seq":1,"#) }
    let epochs = screens.compactMap { $0.firstMatch(of: /"epoch":(\d+)/).flatMap { Int64($0.1) } }
    #expect(epochs.count >= 3 && epochs == epochs.sorted() && Set(epochs).count == epochs.count, "\(screens)")
  }
}
