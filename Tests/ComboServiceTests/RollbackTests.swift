import ComboEdge
import ComboRooms
import ComboWire
import Foundation
import Testing

@testable import ComboService
@testable import ComboSimulation

/// Brokers that revert to an earlier state, after an unclean election or from a backup.
@Suite("Brokers that have lost what they had acknowledged")
struct RollbackTests {
  /// The instructions that viewers may have seen: the bytes by room, epoch and number.
  private final class Seen {
    private var said: [String: String] = [:]
    private(set) var doubles: [String] = []

    func look(at scene: SimScene) {
      for line in scene.lines(.output) {
        guard let place = line.firstMatch(of: /"room":"[^"]*","epoch":\d+,"seq":\d+/).map({ String($0.0) }) else { continue }
        if let before = said[place], before != line { doubles.append("\(before) and \(line)") }
        said[place] = line
      }
    }

    var count: Int { said.count }
  }

  private func ends(_ scene: SimScene, _ topics: [Topic]) -> [(log: SimLog, end: Int64)] {
    topics.flatMap { topic in
      scene.world.broker.partitions(topic).map {
        let log = scene.world.broker.log(topic, $0)
        return (log, log.end)
      }
    }
  }

  private func work(_ scene: SimScene, _ instance: SimInstance, _ seen: Seen, rounds: Int = 6) {
    for round in 0..<rounds {
      for room in 0..<3 { scene.gift("r\(room)", sender: "u\(round)") }
      scene.settle(instance)
      scene.turn(instance, 20)
      seen.look(at: scene)
    }
  }

  /// Loses what came after these ends, once the service has read the newest ones.
  private func lose(_ before: [(log: SimLog, end: Int64)], _ scene: SimScene, _ instance: SimInstance) {
    // It reads the ends of the topics every five seconds.
    scene.world.clock.advance(5000)
    scene.turn(instance, 20)
    scene.world.broker.settleDirects()
    for (log, end) in before { log.lose(from: end) }
  }

  @Test(
    "if all topics go back while it runs, no number is emitted again with other bytes, and the log says so",
    arguments: JournalEntry.Delivery.allCases)
  func all(delivery: JournalEntry.Delivery) {
    let scene = SimScene()
    scene.world.hears = true
    scene.configuration.delivery = delivery
    let (instance, seen) = (scene.start(), Seen())
    work(scene, instance, seen)
    let (before, offset) = (ends(scene, [.output, .journal, .state]), scene.world.broker.offsets[0])
    work(scene, instance, seen)
    lose(before, scene, instance)
    scene.world.broker.commit(offset!)
    scene.world.clock.advance(700)
    instance.service.goBack(.abort("brokers came back"))
    work(scene, instance, seen, rounds: 20)
    #expect(seen.doubles == [] && seen.count > 20)
    let heard = scene.world.heard
    #expect(heard.contains { $0.contains("RESET") && $0.contains("this instance has written entries up to") }, "\(heard)")
    for topic in ["output", "journal"] {
      #expect(
        heard.contains { $0.contains("the \(topic)") && $0.contains("its partition 0 ended at offset") }, "\(topic): \(heard)")
    }
  }

  @Test(
    "if the input goes back with the journal while it runs, the records that get the lost offsets are taken in",
    arguments: JournalEntry.Delivery.allCases)
  func withInput(delivery: JournalEntry.Delivery) {
    let scene = SimScene()
    scene.world.expectsErrors = true
    scene.configuration.delivery = delivery
    let (instance, seen) = (scene.start(), Seen())
    work(scene, instance, seen)
    let before = ends(scene, [.output, .journal, .state, .input])
    work(scene, instance, seen)
    lose(before, scene, instance)
    let input = scene.world.broker.log(.input, 0)
    let lost = input.end
    instance.service.goBack(.abort("brokers came back"))
    // What comes before its first look cannot be told from what was lost.
    scene.turn(instance, 20)
    work(scene, instance, seen, rounds: 40)
    #expect(seen.doubles == [] && !instance.isDead)
    let reset = scene.entries.lastIndex { $0.takeover?.reset != nil }
    let taken = reset.map { scene.entries[$0...].flatMap(\.batches).reduce(0) { $0 + $1.taken } }
    #expect(taken == Int(input.end - lost))
  }

  private final class NoLoss: TopicWatch {
    func check() throws(EdgeError) -> LostTopic? { nil }
  }

  @Test("a journal that became shorter is reported once, and the service starts again: its settings may be others")
  func shorterJournal() {
    let scene = SimScene()
    scene.world.hears = true
    scene.world.topicWatch = NoLoss()
    let (instance, seen) = (scene.start(), Seen())
    work(scene, instance, seen)
    let before = ends(scene, [.journal])
    work(scene, instance, seen)
    lose(before, scene, instance)
    for _ in 0..<10 where instance.service.isRunning {
      scene.world.clock.advance(5000)
      scene.turn(instance, 2)
    }
    #expect(
      instance.service.fatal == "its journal topic has become shorter. The service starts again, and creates what is missing")
    #expect(instance.service.loss == .unknownTopic)
    #expect(scene.world.heard.count { $0.contains("its partition 0 ended at offset") } == 1, "\(scene.world.heard)")
  }

  @Test("an acknowledged entry with a lower offset than the entry before it is noticed at once")
  func acknowledged() {
    let scene = SimScene()
    scene.world.hears = true
    scene.configuration.delivery = .atLeastOnce
    let (instance, seen) = (scene.start(), Seen())
    work(scene, instance, seen)
    let before = ends(scene, [.journal])
    work(scene, instance, seen)
    scene.world.broker.settleDirects()
    for (log, end) in before { log.lose(from: end) }
    work(scene, instance, seen, rounds: 20)
    let heard = scene.world.heard
    #expect(
      heard.contains { $0.contains("the brokers have lost records") && $0.contains("returning to the last commit") }, "\(heard)")
    #expect(heard.contains { $0.contains("RESET") })
    #expect(seen.doubles == [])
  }

  @Test("a process remembers its group's cluster, and reports it if another one answers")
  func clusters() {
    let memory = GroupMemory()
    #expect(memory.formerCluster(than: "a") == nil && memory.formerCluster(than: "a") == nil)
    #expect(memory.formerCluster(than: "b") == "a" && memory.formerCluster(than: "a") == nil)
  }
}
