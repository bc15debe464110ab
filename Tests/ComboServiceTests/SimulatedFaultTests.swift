import ComboCore
import ComboEdge
import ComboRooms
import ComboWire
import Testing

@testable import ComboService
@testable import ComboSimulation

/// Single faults, one per test.
@Suite("Faults on a simulated cluster")
struct SimulatedFaultTests {
  @Test("after an abort in the middle of a batch the engines are back at the last commit")
  func abortInMidBatch() {
    let scene = SimScene()
    let instance = scene.start()
    for _ in 0..<6 {
      scene.world.feed(4)
      scene.turn(instance, 3)
    }
    let before = instance.service.totals
    scene.world.feed(10)
    scene.world.broker.faults.abortable = 1000
    for _ in 0..<20 where instance.service.totals.aborts == before.aborts { scene.turn(instance) }
    scene.world.broker.faults.abortable = 0
    #expect(instance.service.totals.aborts > before.aborts)
    #expect(instance.service.totals.events == before.events)
    #expect(scene.audit() == [])
    #expect(scene.finish() == [])
    #expect(instance.service.totals.events > before.events)
  }

  @Test(
    "the outcome of a commit without an answer is asked for, whether it happened, did not, or is still under way",
    arguments: [SimOutputEdge.CommitFate.unheard, .lost, .late])
  func indefiniteCommits(fate: SimOutputEdge.CommitFate) {
    let scene = SimScene()
    let instance = scene.start()
    scene.gift(count: 2)
    scene.settle(instance)
    scene.gift(count: 5)
    instance.nextCommit = fate
    for _ in 0..<20 where instance.nextCommit != nil { scene.turn(instance) }
    let n = scene.entries.last!.n
    scene.turn(instance, 10)
    let takeover = scene.entries.first { $0.n == n + 1 }?.takeover
    #expect((takeover != nil) || fate == .late, "going on is a takeover")
    #expect(scene.finish() == [])
    #expect(instance.service.totals.aborts == 1)
  }

  @Test("a leader that does not know yet that it was replaced reports offsets as out of range: the partition is restored again")
  func staleLeader() {
    let scene = SimScene()
    let instance = scene.start()
    scene.gift(count: 2)
    scene.settle(instance)
    scene.world.kill(instance)
    scene.world.broker.faults.staleLeaders = 1000
    let next = startLookingInVain(scene)
    scene.world.broker.faults.staleLeaders = 0
    scene.gift(count: 3)
    #expect(scene.finish() == [])
    #expect(next.service.totals.events == 1 && next.service.totals.resets == 0)
  }

  @Test(
    "a leader that does not know yet that it was replaced reports an end of long ago: it is read again, and nothing is reset",
    arguments: [Topic.journal, .input])
  func staleEnd(topic: Topic) {
    let scene = SimScene()
    let instance = scene.start()
    scene.gift(count: 2)
    scene.settle(instance)
    scene.world.kill(instance)
    scene.world.broker.toldEnds[topic] = 0
    let next = startLookingInVain(scene)
    scene.world.broker.toldEnds = [:]
    scene.gift(count: 3)
    #expect(scene.finish() == [])
    #expect(next.service.totals.events == 1 && next.service.totals.resets == 0)
  }

  @Test("a right that is missing while a partition is restored is waited for, less and less often, and then it continues")
  func missingRight() {
    let scene = SimScene()
    let instance = scene.start()
    scene.gift(count: 2)
    scene.settle(instance)
    scene.world.kill(instance)
    scene.world.broker.forbidden = .journal
    let next = scene.start()
    let began = scene.world.clock.monotonic
    for _ in 0..<5000 where scene.world.clock.monotonic - began < 60_000 { scene.turn(next) }
    #expect(next.service.isRunning && !next.service.hasTakenOver)
    #expect((3...40).contains(next.service.totals.restores), "\(next.service.totals.restores)")
    scene.world.broker.forbidden = nil
    scene.gift(count: 3)
    #expect(scene.finish() == [])
    #expect(next.service.totals.events == 1 && next.service.totals.resets == 0)
  }

  @Test("a journal whose reported end lacks its last entry, which took nothing in, is not mistaken for the whole")
  func staleEndBehindTheLastGift() {
    let scene = SimScene()
    let instance = scene.start()
    scene.gift(count: 2)
    scene.settle(instance)
    for _ in 0..<1000 where scene.entries.last!.batches.contains(where: { $0.taken > 0 }) { scene.turn(instance) }
    scene.world.kill(instance)
    scene.world.broker.toldEnds[.journal] = scene.world.broker.log(.journal, 0).records.last { $0.isCommitted }!.offset
    _ = startLookingInVain(scene)
    scene.world.broker.toldEnds = [:]
    scene.gift(count: 3)
    #expect(scene.finish() == [])
  }

  @Test(
    "a state topic whose reported end lacks its last snapshots: a room that rests before or after the restart stays at rest",
    arguments: [true, false])
  func staleStateEnd(hasRested: Bool) {
    let scene = SimScene()
    scene.configuration.checkpointGifts = 1
    let instance = scene.start()
    scene.gift("once")
    scene.settle(instance)
    if hasRested { rest(instance, scene) } else { scene.turn(instance, 20) }
    scene.world.kill(instance)
    scene.world.broker.toldEnds[.state] = 0
    // The second instance must not write the room again before it rests.
    if !hasRested { scene.configuration.checkpointGifts = 1000 }
    let second = scene.start(until: 1)
    scene.world.broker.toldEnds = [:]
    if !hasRested { rest(second, scene) }
    scene.gift("other")
    scene.settle(second)
    scene.turn(second, 20)
    #expect(scene.audit() == [])
    // An orderly stop leaves nothing to replay.
    scene.world.stop(second)
    _ = scene.start(until: 1)
    #expect(scene.finish() == [])
  }

  /// Starts an instance that cannot restore what it finds, and keeps trying.
  func startLookingInVain(_ scene: SimScene) -> SimInstance {
    let next = scene.start()
    for _ in 0..<1000 where next.service.isRunning && next.service.totals.restores < 3 { scene.turn(next) }
    #expect(next.service.isRunning && next.service.totals.restores == 3)
    return next
  }

  func rest(_ instance: SimInstance, _ scene: SimScene) {
    for _ in 0..<5000 where instance.service.partitions.active[0]?.partition.awake != 0 { scene.turn(instance) }
    #expect(instance.service.partitions.active[0]?.partition.awake == 0)
  }

  @Test("a partition in which nothing happens gets a checkpoint all the same, so that its journal may be deleted")
  func quietPartition() {
    let scene = SimScene()
    scene.configuration.checkpointIntervalMs = 60_000
    scene.world.stop(scene.start(until: 1))
    let quiet = scene.start(until: 1)
    scene.world.clock.advance(Int64(scene.configuration.checkpointIntervalMs))
    scene.turn(quiet, 20)
    let journal = scene.world.broker.log(.journal, 0)
    journal.cut(before: journal.end)
    scene.world.kill(quiet)
    #expect(!scene.start(until: 1).isDead, "\(scene.world.ends)")
    #expect(scene.world.instances.allSatisfy { $0.service.totals.resets == 0 })
  }

  @Test("entries that were deleted behind the checkpoint, though they took nothing in: one reset, and the service continues")
  func lostEnd() {
    let scene = SimScene()
    let instance = scene.start()
    scene.gift(count: 2)
    scene.settle(instance)
    scene.world.stop(instance)
    scene.world.kill(scene.start(until: 1))
    let journal = scene.world.broker.log(.journal, 0)
    journal.cut(before: journal.end)
    scene.world.expectsErrors = true
    let next = scene.start(until: 1)
    #expect(!next.isDead && next.service.totals.resets == 1, "\(scene.world.ends)")
  }

  @Test("a restart with other settings keeps every combo")
  func otherSettings() {
    let scene = SimScene()
    let instance = scene.start()
    scene.gift(count: 5)
    scene.settle(instance)
    scene.world.stop(instance)
    scene.world.clock.advance(60_000)
    scene.configuration.settings.lingerMs = 700
    scene.configuration.settings.enterMs = 0
    scene.configuration.settings.slots = 3
    let next = scene.start()
    scene.turn(next, 4)
    scene.gift(count: 2)
    #expect(scene.finish() == [])
    let said = scene.lines(.output).filter { $0.contains(#""op":"show""#) || $0.contains(#""op":"update""#) }
    #expect(said.count == 2 && said[1].contains(#""count":7,"added":2"#), "\(said)")
    #expect(scene.entries.contains { $0.takeover?.derivation.settings.lingerMs == 700 })
  }

  @Test("new settings without durations, under which a banner enters and leaves at once, are derived again")
  func takeoverThatSaysSomething() {
    let scene = SimScene()
    scene.configuration.settings.slots = 1
    let instance = scene.start()
    for sender in ["a", "b", "c"] { scene.gift(sender: sender) }
    scene.settle(instance)
    scene.world.kill(instance)
    scene.configuration.settings = Settings()
    scene.configuration.settings.slots = 3
    scene.configuration.settings.enterMs = 0
    scene.configuration.settings.countMs = 0
    scene.configuration.settings.lingerMs = 0
    _ = scene.start()
    #expect(scene.finish() == [])
  }

  @Test("offsets that somebody else has moved are refused, with the command that fixes it")
  func movedOffsets() {
    let scene = SimScene()
    let instance = scene.start()
    for _ in 0..<5 { scene.gift() }
    scene.settle(instance)
    scene.world.stop(instance)
    scene.world.broker.moveOffset(0, to: 2)
    let next = startInVain(scene)
    #expect(next.isDead)
    let offset = scene.entries.last { !$0.batches.isEmpty }!.batches.last!.endOffset
    #expect(
      scene.world.ends.first?.contains(
        "kafka-consumer-groups.sh --bootstrap-server BROKERS --group group --topic gifts:0 --reset-offsets --to-offset \(offset) --execute"
      ) == true,
      "\(scene.world.ends)")
  }

  @Test("offsets that have expired are taken from the journal")
  func expiredOffsets() {
    let scene = SimScene()
    let instance = scene.start()
    for _ in 0..<5 { scene.gift() }
    scene.settle(instance)
    scene.world.stop(instance)
    scene.world.broker.moveOffset(0, to: nil)
    _ = scene.start()
    scene.gift()
    #expect(scene.finish() == [])
  }

  @Test("a recreated input is refused")
  func newInput() {
    let scene = SimScene()
    let instance = scene.start()
    for _ in 0..<5 { scene.gift() }
    scene.settle(instance)
    scene.world.stop(instance)
    scene.world.broker.log(.input, 0).makeAnew()
    _ = startInVain(scene)
    #expect(scene.world.ends.first?.contains("the topic was truncated or recreated") == true, "\(scene.world.ends)")
  }

  /// Processes some gifts, followed by an orderly stop, a stop and starts without input, or a kill.
  func takenIn(_ scene: SimScene, _ end: String) {
    let instance = scene.start()
    for _ in 0..<5 { scene.gift() }
    scene.settle(instance)
    if end == "kill" { scene.world.kill(instance) } else { scene.world.stop(instance) }
    for _ in 0..<(end == "idle starts" ? 3 : 0) { scene.world.stop(scene.start(until: 2)) }
  }

  @Test(
    "a recreated input that is longer by now than what was taken in of the old one is refused",
    arguments: JournalEntry.Delivery.allCases, ["stop", "idle starts", "kill"])
  func newLongerInput(delivery: JournalEntry.Delivery, end: String) {
    let scene = SimScene()
    scene.configuration.delivery = delivery
    takenIn(scene, end)
    scene.world.broker.log(.input, 0).makeAnew()
    for _ in 0..<9 { scene.gift(sender: "another") }
    #expect(startInVain(scene).isDead)
    #expect(
      scene.world.ends.first?.hasPrefix(
        "gifts partition 0 has a different record at offset 4 than the one that was taken in: the topic was truncated or recreated. Stop all instances, then follow docs/operating.md"
      ) == true, "\(scene.world.ends)")
  }

  @Test("a recreated input with a transaction's marker where a record was taken in is refused")
  func newInputWithMark() {
    let scene = SimScene()
    takenIn(scene, "stop")
    let input = scene.world.broker.log(.input, 0)
    let old = input.records
    input.makeAnew()
    for record in old.dropLast() { input.append(record) }
    input.skip()
    scene.gift()
    #expect(startInVain(scene).isDead)
    #expect(scene.world.ends.first?.contains("has no record at offset 4") == true, "\(scene.world.ends)")
  }

  @Test(
    "where nothing can be compared nothing is refused: the record was deleted meanwhile, or there never was one",
    arguments: JournalEntry.Delivery.allCases)
  func nothingToCompare(delivery: JournalEntry.Delivery) {
    let scene = SimScene()
    scene.configuration.delivery = delivery
    let input = scene.world.broker.log(.input, 0)
    // Nothing was processed before a start at the end of the input.
    scene.configuration.fromLatest = true
    scene.gift(sender: "nobody's")
    scene.world.stop(scene.start(until: 1))
    #expect(scene.entries.allSatisfy { $0.last == nil })
    takenIn(scene, "stop")
    #expect(scene.entries.last { !$0.batches.isEmpty }?.last == input.records.last!.fingerprint)
    input.cut(before: input.end)
    let instance = scene.start()
    scene.gift()
    scene.settle(instance)
    #expect(instance.service.totals.resets == 0 && scene.world.complaints == [] && scene.world.ends == [])
  }

  @Test("a journal or a state of a newer version is refused", arguments: [Topic.journal, .state])
  func newerVersion(topic: Topic) {
    let scene = SimScene()
    // The journal before a checkpoint is not read.
    if topic == .state { scene.configuration.checkpointGifts = 2 }
    let instance = takeGiftsIn(scene)
    scene.world.kill(instance)
    scene.alter(topic, where: { $0.value != nil }) { $0.value![5] = UInt8(ascii: "2") }
    let next = startInVain(scene)
    #expect(next.service.totals.resets == 0)
    #expect(scene.world.ends.first?.contains("version 2") == true, "\(scene.world.ends)")
  }

  @Test("a takeover by newer rules of the engine is refused, and nothing is reset")
  func newerRules() {
    let scene = SimScene()
    let instance = takeGiftsIn(scene)
    scene.world.kill(instance)
    scene.alter(.journal, where: { String(decoding: $0.value!, as: UTF8.self).contains(#""limits":{"#) }) { record in
      let text = String(decoding: record.value!.dropLast(26), as: UTF8.self)
        .replacing(#""version":3,"#, with: #""version":4,"#, maxReplacements: 1)
      let sum = String(text.utf8.withContiguousStorageIfAvailable { XXH3.hash(Bytes($0)) }!, radix: 16)
      record.value = Array(#"\#(text),"sum":"\#(String(repeating: "0", count: 16 - sum.count))\#(sum)"}"#.utf8)
    }
    let next = startInVain(scene)
    #expect(next.service.totals.resets == 0)
    #expect(scene.world.ends.first?.contains("version 4 of the engine's rules") == true, "\(scene.world.ends)")
  }

  @Test("topics of another group, input or output are refused")
  func foreignTopics() {
    let scene = SimScene()
    scene.configuration.checkpointGifts = 2
    let instance = takeGiftsIn(scene)
    scene.world.stop(instance)
    scene.configuration.topics = TopicIdentity(group: "group", input: "gifts", output: "elsewhere")
    _ = startInVain(scene)
    let said = #"belongs to the output "screens", not to "elsewhere""#
    #expect(scene.world.ends.first?.contains(said) == true, "\(scene.world.ends)")
  }

  @Test("a partition is logged as new once, however often its first transaction has to be repeated")
  func newOnce() {
    let scene = SimScene()
    scene.world.hears = true
    scene.world.broker.faults.abortable = 1000
    let instance = scene.start()
    for _ in 0..<200 { scene.turn(instance) }
    scene.world.broker.faults = .none
    scene.gift("r")
    scene.settle(instance)
    let lines = scene.world.heard.filter { $0.contains("new: partition 0") }
    #expect(lines.count > 1 && lines.count { $0.contains("info new: ") } == 1, "\(lines)")
  }
}
