import ComboEdge
import ComboRooms
import ComboWire
import Testing

@testable import ComboService
@testable import ComboSimulation

/// An input that was deleted and recreated: which of its partitions are read, if some cannot tell by their own journals.
@Suite("Recreated inputs")
struct RecreatedInputTests {
  private let scene = SimScene(partitions: 2, rooms: 20)

  /// A room whose gifts are in this partition.
  private func room(in partition: Int32, of count: Int) -> String {
    (0...).lazy.map { "r\($0)" }.first { SimBroker.partition(of: Array($0.utf8), count) == partition }!
  }

  /// Consumes gifts of partition 0 only, and stops.
  private func begin() {
    let instance = scene.start()
    let room = room(in: 0, of: 2)
    for _ in 0..<5 { scene.gift(room) }
    scene.settle(instance)
    scene.world.stop(instance)
  }

  private func recreate() { for number in Int32(0)..<2 { scene.world.broker.log(.input, number).makeAnew() } }

  /// Starts an instance, and runs it until it has ended.
  private func startInVain() {
    scene.world.expectsErrors = true
    let next = scene.start()
    for _ in 0..<400 where !next.isDead { scene.turn(next) }
    #expect(next.isDead)
    #expect(
      scene.world.ends.contains { $0.contains("the topic was truncated or recreated") }, "\(scene.world.ends)")
  }

  @Test(
    "a partition that the old topic had not, or of which nothing was consumed, is not read while another one contradicts its journal",
    arguments: [2, 3], [0, 9])
  func heldBack(partitions: Int, longer: Int) {
    begin()
    let said = scene.lines(.output)
    recreate()
    scene.world.broker.grow(to: partitions)
    for _ in 0..<longer { scene.gift(room(in: 0, of: partitions), sender: "another") }
    for _ in 0..<4 { scene.gift(room(in: Int32(partitions - 1), of: partitions)) }
    startInVain()
    #expect(scene.lines(.output) == said)
  }

  @Test("a topic that is recreated while it is read is refused, although its newest record and the checkpoint show nothing")
  func whileReadBeforeCheckpoint() {
    scene.configuration.checkpointIntervalMs = 100
    let instance = scene.start()
    // The checkpoint is from before the first record.
    for _ in 0..<1000 where scene.lines(.state).isEmpty { scene.turn(instance) }
    #expect(!scene.lines(.state).isEmpty)
    scene.configuration.checkpointIntervalMs = 1_000_000
    scene.world.stop(instance)
    let second = scene.start()
    let room = room(in: 0, of: 2)
    for _ in 0..<5 { scene.gift(room) }
    scene.settle(second)
    recreate()
    for _ in 0..<9 { scene.gift(room, sender: "another") }
    scene.settle(second)
    #expect(scene.world.broker.offsets[0]?.offset == 9)
    scene.world.kill(second)
    for _ in 0..<2 { startInVain() }
    #expect(!scene.entries.contains { $0.takeover?.reset != nil })
  }

  @Test("a topic that is recreated while it is read is refused, although its newest record and the checkpoint are of the new one")
  func whileReadAfterCheckpoint() {
    scene.configuration.checkpointIntervalMs = 100
    let instance = scene.start()
    for _ in 0..<5 { scene.gift(room(in: 0, of: 2)) }
    scene.settle(instance)
    recreate()
    let written = scene.lines(.state).count
    for _ in 0..<9 { scene.gift(room(in: 0, of: 2), sender: "another") }
    scene.settle(instance)
    for _ in 0..<1000 where scene.lines(.state).count == written { scene.turn(instance) }
    #expect(scene.world.broker.offsets[0]?.offset == 9)
    scene.world.kill(instance)
    startInVain()
    #expect(!scene.entries.contains { $0.takeover?.reset != nil })
  }

  @Test(
    "an instance that has consumed nothing also notices that the topic was recreated, and says what may have been taken in")
  func otherInstance() {
    scene.world.expectsErrors = true
    let instances = ["a", "b"].map { scene.world.start($0, scene.configuration, staticName: $0) }
    func isActive(_ instance: SimInstance, _ partition: Int32) -> Bool { instance.service.partitions.isActive(partition) }
    for _ in 0..<5 { scene.gift(room(in: 0, of: 2)) }
    for _ in 0..<3000 where scene.world.broker.offsets[0]?.offset != 5 || isActive(instances[0], 0) == isActive(instances[1], 0) {
      for instance in instances { scene.turn(instance) }
    }
    let other = isActive(instances[0], 0) ? instances[1] : instances[0]
    recreate()
    scene.gift(room(in: 1, of: 2))
    // The owner of partition 0 stands still meanwhile.
    for _ in 0..<3000 where !other.isDead { scene.turn(other) }
    #expect(other.isDead && !isActive(other, 0))
    #expect(
      scene.world.ends.contains { $0.contains("if it is read from its beginning, use another --output") }, "\(scene.world.ends)")
  }

  @Test("a contradiction found while reading is believed once all answers of ten seconds say so: a leader may have been replaced")
  func believedLate() {
    let instance = scene.start()
    scene.gift(room(in: 0, of: 2))
    scene.settle(instance)
    let probe = HistoryProbe(instance.service.parts)
    for (at, reason, isBelieved) in [
      (1000, "old", false), (5000, "old", false), (9000, nil, false), (13_000, "new", false), (17_000, "new", false),
      (22_999, "new", false), (23_000, "new", true),
    ] as [(Int64, String?, Bool)] {
      let finding = probe.take(reason, at: at)
      #expect((finding != nil) == isBelieved, "\(at)")
      if case .refused(let sentence)? = finding { #expect(sentence.hasPrefix("new. Some of the new topic")) }
    }
  }

  @Test("a journal that has expired, but for the checkpoint, is a reset and no contradiction")
  func expired() {
    scene.configuration.checkpointIntervalMs = 100
    let instance = scene.start()
    let room = room(in: 0, of: 2)
    for _ in 0..<5 { scene.gift(room) }
    scene.settle(instance)
    scene.world.stop(instance)
    scene.configuration.checkpointIntervalMs = 1_000_000
    let second = scene.start()
    for _ in 0..<5 { scene.gift(room) }
    scene.settle(second)
    scene.world.kill(second)
    for topic in [Topic.journal, .input] {
      let log = scene.world.broker.log(topic, 0)
      log.cut(before: log.end)
    }
    let next = scene.start()
    scene.gift(room, sender: "later")
    scene.settle(next)
    #expect(!next.isDead, "\(scene.world.ends)")
    #expect(scene.entries.last { $0.takeover != nil }?.takeover?.reset != nil)
    #expect(scene.world.broker.offsets[0]?.offset == 11)
  }

  @Test(
    "a topic that has only gained partitions is read on, although retention has deleted all that was consumed",
    arguments: [true, false])
  func grown(retained: Bool) {
    begin()
    if retained { scene.world.broker.log(.input, 0).cut(before: 5) }
    scene.world.broker.grow(to: 3)
    for _ in 0..<4 { scene.gift(room(in: 2, of: 3)) }
    let next = scene.start()
    scene.settle(next)
    #expect(!next.isDead)
    #expect(scene.lines(.output).contains { $0.contains(room(in: 2, of: 3)) })
  }
}
