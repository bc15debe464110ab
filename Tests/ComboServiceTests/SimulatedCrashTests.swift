import ComboCore
import ComboEdge
import ComboRooms
import ComboWire
import Testing

@testable import ComboService
@testable import ComboSimulation

@Suite("Crashes and zombies, at every single step")
struct SimulatedCrashTests {
  /// Runs a fixed sequence with two partitions, in which an instance processes input and sweeps now and then.
  /// - Returns: The number of the instance's calls at its edges.
  private func story(
    _ scene: SimScene, crashAt: Int = .max, freezeAt: Int = .max, successor: String, turns: Int = 40
  ) -> Int {
    scene.configuration.checkpointGifts = 12
    scene.configuration.sweepBudget = 300
    let first = scene.start("a", crashAt: crashAt)
    first.freezeAt = freezeAt
    var current = first
    for step in 0..<turns {
      scene.world.feed(2)
      scene.turn(current, 2)
      if step == turns / 2 { scene.world.clock.wall -= 3_000 }
      if current.isDead { current = scene.start(successor) }
    }
    return first.calls
  }

  @Test("an instance that ends at any call leaves nothing lost and nothing twice", arguments: ["a", "b"])
  func crashes(successor: String) {
    let calls = story(SimScene(seed: 5, partitions: 2), successor: successor)
    #expect(calls > 200)
    for call in stride(from: 1, through: calls, by: SimScene.stride) {
      let scene = SimScene(seed: 5, partitions: 2)
      _ = story(scene, crashAt: call, successor: successor)
      let faults = scene.finish()
      #expect(faults == [], "ended at call \(call), went on as \(successor)")
      if !faults.isEmpty { return }
    }
  }

  @Test("an instance that stands still at any call, while another takes over, writes nothing that counts")
  func zombies() {
    let calls = story(SimScene(seed: 6, partitions: 2), successor: "b", turns: 24)
    #expect(calls > 100)
    var takeovers = 0
    for call in stride(from: 1, through: calls, by: SimScene.stride) {
      let scene = SimScene(seed: 6, partitions: 2)
      let other = scene.start("other")
      scene.world.freezeTurns = 24
      scene.world.whileFrozen = { if scene.hasTwoOwners { takeovers += 1 } }
      for _ in 0..<4 { scene.turn(other) }
      let first = scene.start("a")
      first.freezeAt = call
      for _ in 0..<24 {
        scene.world.feed(2)
        scene.turn(first)
        scene.turn(other)
      }
      let faults = scene.finish()
      #expect(faults == [], "stood still at call \(call)")
      if !faults.isEmpty { return }
    }
    #expect(takeovers > 40 / SimScene.stride)
  }

  @Test("a commit of deadlines alone is refused if another has the partition by then")
  func deadlineOnlyCommits() {
    var refused = 0
    for call in 1...14 {
      let scene = SimScene(seed: 7)
      scene.world.hears = true
      let stopped = scene.start("stopped")
      scene.gift(count: 3)
      scene.settle(stopped)
      let other = scene.start("other")
      for _ in 0..<6 {
        scene.turn(stopped)
        scene.turn(other)
      }
      guard stopped.service.partitions.active.contains(where: { $0 != nil }) else { continue }
      let offset = scene.world.broker.offsets[0]!.offset
      scene.world.freezeTurns = 30
      stopped.freezeAt = stopped.calls + call
      scene.world.clock.advance(60)
      scene.turn(stopped)
      // No offset has moved, only time. The group has to refuse the commit, or the journal would fork.
      #expect(scene.world.broker.offsets[0]!.offset == offset)
      refused += scene.world.heard.count { $0.contains("stopped") && $0.contains("the group has gone on without this member") }
      #expect(scene.finish() == [], "stood still at call \(call)")
    }
    #expect(refused > 0)
  }

  @Test("at any point of a sweep, a restore finds what the journal leads to", arguments: [1, 3, 10, 25])
  func checkpoints(gifts: Int) {
    // Counted over all three budgets, as a drawn run may end with no room at rest.
    var rested = 0
    var deleted = 0
    for budget in [1, 400, 1 << 20] {
      let scene = SimScene(seed: UInt64(gifts + 1), rooms: 6)
      scene.configuration.checkpointGifts = gifts
      scene.configuration.sweepBudget = budget
      scene.configuration.partBytes = 250
      var instance = scene.start()
      for turn in 0..<160 {
        if turn % 50 < 30 {
          if turn % 3 == 0 { scene.world.feed(2) }
        } else {
          scene.world.clock.advance(100)
        }
        scene.turn(instance)
        if turn % SimScene.auditStride == 0 {
          let faults = scene.audit()
          #expect(faults == [], "turn \(turn), budget \(budget)")
          if !faults.isEmpty { return }
        }
        if turn % 40 == 39 {
          scene.world.kill(instance)
          scene.world.clock.advance(700)
          instance = scene.start()
        }
      }
      #expect(scene.finish() == [])
      let state = scene.world.broker.log(.state, 0).records
      func count(_ text: String) -> Int {
        state.count { String(decoding: $0.value ?? [], as: UTF8.self).contains(text) }
      }
      #expect(state.count { String(decoding: $0.key!, as: UTF8.self) == #"["checkpoint"]"# } >= (gifts < 10 ? 3 : 1))
      #expect(count(#""parts":"#) > 0)
      #expect(scene.entries.contains { ($0.takeover?.shift ?? 0) > 0 })
      rested += count(#""rested":true"#)
      deleted += state.count { $0.value == nil }
    }
    #expect(rested > 0 && deleted > 0)
  }
}
