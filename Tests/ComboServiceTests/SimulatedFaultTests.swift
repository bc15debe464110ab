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
  @Test("after an abort in the middle of a batch the engines stand at the last commit")
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
    "a commit without an answer is asked for, whether it happened, did not, or is still under way",
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

  @Test("a leader that does not know yet that it was replaced calls what is read out of range: the partition is restored anew")
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
    "a leader that does not know yet that it was replaced tells an end of long ago: it is looked again, and nothing begins anew",
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

  @Test("a right that is missing while a partition is restored is waited for, less and less often, and then all goes on")
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

  @Test("a journal that is told without its last entry, which took nothing in, is not taken for the whole")
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

  /// The case in which it rests later is seed 9804.
  @Test(
    "a state topic that is told without its last snapshots: a room that has rested since, or will, does not come back to life",
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
  private func startLookingInVain(_ scene: SimScene) -> SimInstance {
    let next = scene.start()
    for _ in 0..<1000 where next.service.isRunning && next.service.totals.restores < 3 { scene.turn(next) }
    #expect(next.service.isRunning && next.service.totals.restores == 3)
    return next
  }

  private func rest(_ instance: SimInstance, _ scene: SimScene) {
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

  @Test("entries that were deleted behind the checkpoint, though they took nothing in: one reset, and it goes on")
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

  @Test("new settings without durations, under which a banner comes and has to go on at once, are derived again")
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

  @Test("an input made anew is refused")
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
  private func takenIn(_ scene: SimScene, _ end: String) {
    let instance = scene.start()
    for _ in 0..<5 { scene.gift() }
    scene.settle(instance)
    if end == "kill" { scene.world.kill(instance) } else { scene.world.stop(instance) }
    for _ in 0..<(end == "idle starts" ? 3 : 0) { scene.world.stop(scene.start(until: 2)) }
  }

  @Test(
    "an input made anew that is longer by now than the old one was taken in is refused",
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
        "gifts partition 0 has a different record at offset 4 than the one that was taken in: the topic was truncated or recreated. Use another group"
      ) == true, "\(scene.world.ends)")
  }

  @Test("an input made anew with a transaction's mark where a record was taken in is refused")
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
    #expect(scene.world.ends.first?.contains("has a different record at offset 4") == true, "\(scene.world.ends)")
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

  /// Breaks something between a kill and a start.
  /// - Returns: The resets of the first start after it, and of the second.
  private func resets(checkpoints: Bool, _ scene: SimScene, _ harm: () -> Void) -> (Int, Int) {
    if checkpoints { scene.configuration.checkpointGifts = 3 }
    let instance = scene.start()
    for number in 0..<8 {
      scene.gift("r\(number % 3)", sender: "u\(number)")
      scene.turn(instance, 3)
    }
    scene.settle(instance)
    scene.world.kill(instance)
    harm()
    scene.world.expectsErrors = true
    let second = scene.start()
    scene.gift("r0", sender: "again")
    scene.settle(second)
    scene.turn(second, 5)
    scene.world.kill(second)
    let third = scene.start()
    scene.gift("r1", sender: "again")
    scene.settle(third)
    #expect(third.service.totals.restores > 0 && !third.isDead, "\(scene.world.ends)")
    return (second.service.totals.resets, third.service.totals.resets)
  }

  @Test("input that was deleted too early: one reset, counted, in the journal, a new epoch with an empty screen")
  func cutInput() {
    let scene = SimScene()
    let counts = resets(checkpoints: false, scene) { scene.world.broker.log(.input, 0).cut(before: 6) }
    #expect(counts == (1, 0))
    let reset = scene.entries.compactMap { $0.takeover?.reset }
    #expect(reset.count == 1 && reset[0].offsetsLost == 6, "\(reset)")
    let epochs = scene.lines(.output).filter { $0.contains(#""seq":1,"#) && $0.contains(#""op":"screen","banners":[]"#) }
    // Rooms are known only by their snapshots, of which there are none.
    #expect(epochs.count == 0)
  }

  @Test("a reset under other settings says nothing of the old epochs again")
  func resetUnderOtherSettings() {
    let scene = SimScene()
    scene.configuration.checkpointGifts = 3
    let first = scene.start()
    for _ in 0..<3 { scene.gift() }
    scene.settle(first)
    scene.turn(first, 5)
    // The room's snapshot was written before its banners ended.
    scene.turn(first, 300)
    scene.world.kill(first)
    scene.gift()
    scene.world.broker.log(.input, 0).cut(before: scene.world.broker.log(.input, 0).end)
    scene.world.expectsErrors = true
    scene.configuration.settings.slots = 5
    let second = scene.start()
    for _ in 0..<400 where second.service.totals.resets == 0 { scene.turn(second) }
    scene.gift("r", sender: "again")
    scene.settle(second)
    #expect(second.service.totals.resets == 1 && !second.isDead, "\(scene.world.ends)")
    let lines = scene.lines(.output)
    #expect(lines.contains { $0.contains(#""reason":"idle""#) }, "\(lines)")
    #expect(lines.contains { $0.contains(#""seq":1,"#) && $0.contains(#""op":"screen","banners":[]"#) }, "\(lines)")
    let places = lines.map { $0.prefix(upTo: $0.firstRange(of: #","at":"#)!.lowerBound) }
    #expect(Set(places).count == lines.count, "\(lines.joined(separator: "\n"))")
  }

  @Test("input that was deleted too early: rooms with a snapshot begin a later epoch with an empty screen")
  func cutInputBehindTheCheckpoint() {
    let scene = SimScene()
    scene.configuration.sweepBudget = 1
    let counts = resets(checkpoints: true, scene) {
      scene.gift("r2")
      scene.world.broker.log(.input, 0).cut(before: scene.world.broker.log(.input, 0).end)
    }
    #expect(counts.0 == 1 && counts.1 == 0, "\(counts)")
    let anew = scene.lines(.output).filter { $0.contains(#""seq":1,"#) && $0.contains(#""op":"screen","banners":[]"#) }
    #expect(!anew.isEmpty)
  }

  @Test("input that is deleted under a running service: one reset, and it goes on")
  func cutInputUnderTheService() {
    let scene = SimScene()
    let instance = scene.start()
    scene.gift()
    scene.settle(instance)
    for _ in 0..<6 { scene.gift() }
    scene.world.broker.log(.input, 0).cut(before: 4)
    scene.world.expectsErrors = true
    scene.settle(instance)
    #expect(instance.service.totals.resets == 1 && !instance.isDead)
    #expect(scene.entries.compactMap { $0.takeover?.reset?.offsetsLost } == [4])
    #expect(scene.world.broker.offsets[0]?.offset == 7)
  }

  @Test("a partition that cannot be read on for sure is restored, with the others going back to their last commit")
  func positionLost() {
    let scene = SimScene(partitions: 2)
    let instance = scene.start()
    for room in 0..<8 { scene.gift("r\(room)") }
    scene.settle(instance)
    for room in 0..<8 { scene.gift("r\(room)") }
    let before = instance.service.totals
    instance.service.failed(EdgeError(.positionLost, "where it is cannot be made sure of"), partition: 1)
    #expect(instance.service.totals.restores == before.restores + 2)
    #expect(!instance.service.partitions.isActive(1))
    // A failure of a partition that is not active has no effect.
    instance.service.failed(EdgeError(.positionLost, "where it is cannot be made sure of"), partition: 1)
    #expect(instance.service.totals.aborts == before.aborts + 1)
    #expect(scene.finish() == [])
  }

  @Test("of input and journal only what lies behind the checkpoint is needed")
  func retentionBeforeTheCheckpoint() {
    let scene = SimScene()
    scene.configuration.checkpointGifts = 4
    var instance = scene.start()
    for round in 0..<4 {
      for number in 0..<10 {
        scene.gift("r\(number % 4)", sender: "u\(number % 3)")
        scene.turn(instance, 3)
      }
      scene.settle(instance)
      let checkpoints = scene.world.broker.log(.state, 0).records.filter {
        $0.isCommitted && String(decoding: $0.key!, as: UTF8.self) == #"["checkpoint"]"#
      }
      let checkpoint = checkpoints.last!.value!.withUnsafeBytes { value in
        checkpoints.last!.key!.withUnsafeBytes { key in try? StateDecoder().checkpoint(value, key: key) }
      }!
      scene.world.broker.log(.input, 0).cut(before: checkpoint.input)
      scene.world.broker.log(.journal, 0).cut(before: checkpoint.journal)
      scene.world.broker.log(.state, 0).compact(below: .max, dropsDeletions: true)
      if round % 2 == 0 { scene.world.kill(instance) } else { scene.world.stop(instance) }
      instance = scene.start()
      scene.gift()
      scene.settle(instance)
      #expect(instance.service.totals.resets == 0 && scene.world.complaints == [] && scene.world.ends == [])
    }
  }

  @Test("an input that gains partitions: they are taken in, without a restart")
  func grownInput() {
    let scene = SimScene()
    let (one, other) = (scene.start("a"), scene.start("b"))
    func work(_ turns: Int) {
      for _ in 0..<turns {
        scene.turn(one)
        scene.turn(other)
      }
    }
    for number in 0..<6 { scene.gift("r\(number)") }
    work(60)
    // A room that moves loses what it remembered. Therefore all rest before.
    scene.world.clock.advance(3_000)
    work(60)
    scene.world.broker.grow(to: 3)
    for number in 0..<12 { scene.gift("r\(number)") }
    work(60)
    #expect(scene.world.broker.partitions(.journal).count == 3)
    #expect(scene.finish() == [])
  }

  @Test("a snapshot with a flipped bit: one reset, and the next start is well")
  func brokenSnapshot() {
    let scene = SimScene()
    let counts = resets(checkpoints: true, scene) {
      scene.alter(.state, where: { String(decoding: $0.key!, as: UTF8.self).contains(#""r1""#) && $0.value != nil }) {
        $0.value![$0.value!.count / 2] ^= 1
      }
    }
    #expect(counts == (1, 0))
    #expect(roomsAnew(scene) == ["r0", "r1", "r2"], "the screen of each is cleared, whatever is known of it")
  }

  @Test("a snapshot of which a part is missing: one reset, and the other rooms are known")
  func missingPart() {
    let scene = SimScene()
    // This is less than the size of any snapshot here.
    scene.configuration.partBytes = 100
    let counts = resets(checkpoints: true, scene) {
      scene.alter(.state, where: { String(decoding: $0.key!, as: UTF8.self).contains(#""r1",0"#) && $0.value != nil }) {
        $0.value = nil
      }
    }
    #expect(counts == (1, 0))
    #expect(roomsAnew(scene) == ["r0", "r1", "r2"])
  }

  /// The rooms that began a new epoch with an empty screen.
  private func roomsAnew(_ scene: SimScene) -> Set<String> {
    let anew = scene.lines(.output).filter { $0.contains(#""seq":1,"#) && $0.contains(#""op":"screen","banners":[]"#) }
    return Set(["r0", "r1", "r2"].filter { room in anew.contains { $0.contains(#""room":"\#(room)""#) } })
  }

  @Test("a broken checkpoint is done without where the journal reaches back")
  func brokenCheckpoint() {
    let scene = SimScene()
    let counts = resets(checkpoints: true, scene) {
      scene.alter(.state, where: { String(decoding: $0.key!, as: UTF8.self) == #"["checkpoint"]"# }) { $0.value![20] ^= 1 }
    }
    #expect(counts == (0, 0))
  }

  @Test("a journal whose last entry is broken: one reset, and its numbers go on", arguments: [false, true])
  func brokenJournal(checkpoints: Bool) {
    let scene = SimScene()
    let counts = resets(checkpoints: checkpoints, scene) { scene.alter(.journal, where: { _ in true }) { $0.value![30] ^= 1 } }
    #expect(counts == (1, 0))
    let numbers = scene.entries.map(\.n)
    #expect(Set(numbers).count == numbers.count)
    #expect(numbers.last! == Int64(numbers.count) + 1, "only the broken one is missing")
  }

  /// Starts a service that processes gifts and has nothing more to do.
  private func takeGiftsIn(_ scene: SimScene) -> SimInstance {
    let instance = scene.start()
    for _ in 0..<5 {
      scene.gift()
      scene.turn(instance, 4)
    }
    scene.settle(instance)
    return instance
  }

  /// Starts a service that is expected to end by itself.
  private func startInVain(_ scene: SimScene) -> SimInstance {
    scene.world.expectsErrors = true
    let next = scene.start()
    for _ in 0..<400 where !next.isDead { scene.turn(next) }
    return next
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

  @Test("a partition is said to be new once, however often its first transaction has to be repeated")
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
