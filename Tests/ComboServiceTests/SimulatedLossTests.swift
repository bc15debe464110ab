import ComboCore
import ComboEdge
import ComboRooms
import ComboWire
import Testing

@testable import ComboService
@testable import ComboSimulation

/// Data that the brokers have lost, or do not report.
@Suite("Losses on a simulated cluster")
struct SimulatedLossTests {
  @Test("rooms that were written after the journal's last entry prove nothing: one reset, and the service continues")
  func stateNewerThanTheJournal() {
    let scene = SimScene(rooms: 8)
    scene.configuration.sweepBudget = 1
    scene.configuration.checkpointGifts = 8
    let instance = scene.start()
    for room in 0..<8 { scene.gift("r\(room)") }
    scene.settle(instance)
    for _ in 0..<1000 where !isInMidSweep(instance) {
      scene.gift("r0")
      scene.turn(instance)
    }
    #expect(isInMidSweep(instance))
    scene.world.kill(instance)
    // This is the state after a stop for longer than journal and offsets are retained.
    let journal = scene.world.broker.log(.journal, 0)
    journal.cut(before: journal.end)
    scene.world.broker.moveOffset(0, to: nil)
    // It is no longer known what was processed since the checkpoint.
    resume(scene, takesInAgain: true)
  }

  private func isInMidSweep(_ instance: SimInstance) -> Bool {
    guard let active = instance.service.partitions.active[0] else { return false }
    return active.records.isSweeping && active.partition.n > active.sweptAtEntry + 2 && active.sweptAtEntry > 2
  }

  @Test("a recreated journal is not mistaken for one in which nothing happened", arguments: [false, true])
  func newJournal(withoutOffset: Bool) {
    let scene = SimScene()
    scene.configuration.checkpointGifts = 2
    let instance = scene.start()
    for _ in 0..<5 { scene.gift() }
    scene.settle(instance)
    scene.world.stop(instance)
    scene.world.broker.log(.journal, 0).makeAnew()
    if withoutOffset { scene.world.broker.moveOffset(0, to: nil) }
    resume(scene)
  }

  @Test("if a record is gone that an entry took in, there is a reset, and the journal says that none was lost unread")
  func missingRecord() {
    let scene = SimScene()
    let instance = scene.start()
    for _ in 0..<5 { scene.gift() }
    scene.settle(instance)
    scene.world.kill(instance)
    let aborted = SimTransaction(producer: "nobody", epoch: 0, deadline: .max)
    aborted.state = .aborted
    scene.alter(.input, where: { $0.offset == 2 }) { $0.transaction = aborted }
    scene.world.expectsErrors = true
    let next = scene.start()
    for _ in 0..<2000 where next.service.totals.resets == 0 && !next.isDead { scene.turn(next) }
    #expect(next.service.totals.resets == 1 && next.service.totals.lost == 0, "\(scene.world.ends)")
    #expect(scene.entries.compactMap { $0.takeover?.reset?.offsetsLost } == [0])
  }

  @Test(
    "without journal and state there is a reset at the group's offset, and input that was deleted unread is counted"
  )
  func nothingLeft() {
    let scene = SimScene()
    let instance = scene.start()
    for _ in 0..<5 { scene.gift() }
    scene.settle(instance)
    scene.world.stop(instance)
    let stood = scene.world.broker.offsets[0]!.offset!
    scene.world.broker.log(.journal, 0).makeAnew()
    scene.world.broker.log(.state, 0).makeAnew()
    for _ in 0..<7 { scene.gift() }
    let input = scene.world.broker.log(.input, 0)
    input.cut(before: stood + 3)
    scene.world.expectsErrors = true
    let next = scene.start()
    for _ in 0..<2000 where next.service.totals.resets == 0 && !next.isDead { scene.turn(next) }
    #expect(next.service.totals.resets == 1 && next.service.totals.lost == 3, "\(scene.world.ends)")
    scene.settle(next)
    #expect(next.service.totals.events == 4)
    scene.world.kill(next)
    let last = scene.start(until: 1)
    #expect(!last.isDead && last.service.totals.resets == 0, "\(scene.world.ends)")
  }

  @Test("a journal without its beginning, and no checkpoint, is a reset that says so")
  func noCheckpoint() {
    let scene = SimScene()
    let instance = scene.start()
    for _ in 0..<5 {
      scene.gift()
      scene.settle(instance)
    }
    scene.world.stop(instance)
    scene.world.broker.log(.state, 0).makeAnew()
    let journal = scene.world.broker.log(.journal, 0)
    journal.cut(before: journal.records[2].offset)
    scene.world.hears = true
    resume(scene)
    let resets = scene.world.heard.filter { $0.contains("RESET: ") }
    #expect(
      resets.count == 1 && resets[0].contains(", and there is no checkpoint: the entries before it were deleted"), "\(resets)")
  }

  @Test("a journal that has only an entry without records left, and no checkpoint, is a reset that begins at the group's offset")
  func onlyDeadlinesLeft() {
    let scene = SimScene()
    let instance = scene.start()
    for _ in 0..<5 { scene.gift() }
    scene.settle(instance)
    let journal = scene.world.broker.log(.journal, 0)
    func hasOnlyDeadlines(_ record: SimRecord) -> Bool {
      String(decoding: record.value!, as: UTF8.self).contains(#""batches":[]"#)
    }
    for _ in 0..<1000 where !hasOnlyDeadlines(journal.records.last!) { scene.turn(instance) }
    #expect(hasOnlyDeadlines(journal.records.last!))
    scene.world.kill(instance)
    scene.world.broker.log(.state, 0).makeAnew()
    journal.cut(before: journal.records.last!.offset)
    resume(scene)
  }

  @Test("an input that has the newest record that was taken in, but not the checkpoint's, is refused")
  func otherRecordAtTheCheckpoint() {
    let scene = crashedAfterCheckpoint()
    let newest = scene.world.broker.log(.input, 0).records.last!.offset
    for offset in 0..<newest { scene.alter(.input, where: { $0.offset == offset }) { $0.value![30] ^= 1 } }
    scene.world.expectsErrors = true
    let next = scene.start(until: 1)
    #expect(next.isDead && next.service.totals.resets == 0, "\(scene.world.ends)")
    #expect(scene.world.ends.contains { $0.contains("than the one that was taken in") }, "\(scene.world.ends)")
  }

  @Test("an input that was away for a moment is compared with what was taken in before it is read on", arguments: [false, true])
  func inputWasAway(isAnother: Bool) {
    let scene = SimScene()
    let instance = scene.start()
    for _ in 0..<5 { scene.gift() }
    scene.settle(instance)
    if isAnother { scene.alter(.input, where: { _ in true }) { $0.value![30] ^= 1 } }
    scene.world.expectsErrors = true
    instance.service.failed(EdgeError(.unknownTopic, "it is gone"), partition: nil)
    scene.gift()
    scene.turn(instance, 400)
    #expect(instance.isDead == isAnother && instance.service.totals.aborts == 1, "\(scene.world.ends)")
    #expect(instance.service.totals.events == (isAnother ? 5 : 6))
    if isAnother { #expect(scene.world.ends.contains { $0.contains("than the one that was taken in") }, "\(scene.world.ends)") }
  }

  @Test("a record of somebody else in the state topic is ignored, and logged once")
  func strangers() {
    let scene = SimScene()
    let instance = scene.start()
    for _ in 0..<3 { scene.gift() }
    scene.settle(instance)
    scene.world.stop(instance)
    let state = scene.world.broker.log(.state, 0)
    let offset = state.end
    state.append(SimRecord(key: Array("somebody".utf8), value: Array("else".utf8)))
    state.append(SimRecord(key: Array("gone".utf8), value: Array("x".utf8)))
    state.append(SimRecord(key: Array("gone".utf8), value: nil))
    scene.world.hears = true
    let next = scene.start(until: 1)
    scene.gift()
    scene.settle(next)
    #expect(!next.isDead && next.service.totals.resets == 0 && next.service.totals.events == 1, "\(scene.world.ends)")
    let said = scene.world.heard.filter { $0.contains("that are not this service's: 1, the first at offset \(offset)") }
    #expect(said.count == 1, "\(scene.world.heard)")
    #expect(scene.finish() == [])
  }

  @Test("a room whose record has a damaged key is missed: a reset", arguments: [false, true])
  func damagedKey(hasEntriesSince: Bool) {
    let scene = SimScene()
    scene.configuration.checkpointGifts = hasEntriesSince ? 2 : 1000
    let instance = scene.start()
    for _ in 0..<5 {
      scene.gift()
      scene.turn(instance, 4)
    }
    scene.settle(instance)
    if hasEntriesSince { scene.world.kill(instance) } else { scene.world.stop(instance) }
    scene.alter(.state, where: { String(decoding: $0.key!, as: UTF8.self) == #"["room","r"]"# }) { $0.key![3] ^= 1 }
    resume(scene)
  }

  /// A scene whose only instance has crashed some entries after its checkpoint.
  private func crashedAfterCheckpoint() -> SimScene {
    let scene = SimScene()
    scene.configuration.checkpointGifts = 2
    let instance = scene.start()
    for _ in 0..<5 {
      scene.gift()
      scene.turn(instance, 4)
    }
    scene.settle(instance)
    scene.world.kill(instance)
    return scene
  }

  /// Checks that the next owner resets the rooms, once, and processes nothing twice, and that the one after it finds all intact.
  private func resume(_ scene: SimScene, takesInAgain: Bool = false) {
    scene.world.expectsErrors = true
    let next = scene.start(until: 1)
    #expect(!next.isDead && next.service.totals.resets == 1, "\(scene.world.ends)")
    scene.settle(next)
    let before = next.service.totals.events
    scene.gift()
    scene.settle(next)
    #expect(takesInAgain || before == 0)
    #expect(next.service.totals.events == before + 1)
    scene.world.kill(next)
    let last = scene.start(until: 1)
    #expect(!last.isDead && last.service.totals.resets == 0, "\(scene.world.ends)")
  }

  @Test("a broken journal beside a state of a newer version is refused, not tried again for ever")
  func brokenAndNewer() {
    let scene = crashedAfterCheckpoint()
    scene.alter(.journal, where: { _ in true }) { $0.value![30] ^= 1 }
    scene.alter(.state, where: { String(decoding: $0.key!, as: UTF8.self) == #"["room","r"]"# }) {
      $0.value![5] = UInt8(ascii: "2")
    }
    scene.world.expectsErrors = true
    let next = scene.start()
    for _ in 0..<5000 where !next.isDead { scene.turn(next) }
    #expect(next.isDead && next.service.totals.resets == 0)
    #expect(scene.world.ends.first?.contains("version 2") == true, "\(scene.world.ends)")
  }

  @Test("--from latest: records that were there before are skipped in every partition, and none in one that is added later")
  func fromLatest() {
    let scene = SimScene(partitions: 4)
    scene.configuration.fromLatest = true
    for room in 0..<16 { scene.gift("r\(room)") }
    scene.world.clock.advance(1000)
    let instance = scene.start()
    for _ in 0..<1000 where (0..<4).contains(where: { scene.world.broker.offsets[$0] == nil }) { scene.turn(instance) }
    scene.turn(instance, 20)
    #expect(instance.service.totals.events == 0)
    for room in 0..<16 { scene.gift("r\(room)") }
    scene.settle(instance)
    #expect(instance.service.totals.events == 16)
    scene.world.broker.grow(to: 5)
    for room in 0..<40 { scene.gift("r\(room)") }
    #expect(!scene.world.broker.log(.input, 4).records.isEmpty)
    scene.settle(instance)
    #expect(instance.service.totals.events == 56)
  }

  @Test("an output that is gone when the producers are renewed is reported as gone, so that the next service creates it")
  func goneOutput() {
    for delivery in [JournalEntry.Delivery.exactlyOnce, .atLeastOnce] {
      let scene = SimScene()
      scene.configuration.delivery = delivery
      scene.world.expectsErrors = true
      let instance = scene.start()
      scene.gift()
      scene.settle(instance)
      scene.world.broker.gone = [.output]
      instance.service.goBack(.fatal("nothing can be delivered"))
      #expect(instance.service.loss == .unknownTopic)
      #expect(instance.service.fatal?.contains("output topic is gone") == true)
      scene.turn(instance)
    }
  }

  @Test("a topic that is gone when a partition is restored is reported as gone, so that the next service creates or awaits it")
  func goneWhileRestoring() {
    for topic in [Topic.journal, .state, .input] {
      for delivery in [JournalEntry.Delivery.exactlyOnce, .atLeastOnce] {
        let scene = SimScene()
        scene.configuration.delivery = delivery
        scene.world.expectsErrors = true
        let instance = scene.start()
        scene.gift()
        scene.settle(instance)
        scene.world.broker.gone = [topic]
        // The service does not check for topics after the first failure in a row.
        instance.service.goBack(.abort("made up"))
        #expect(instance.service.isRunning)
        for _ in 0..<1000 where instance.service.isRunning { scene.turn(instance) }
        #expect(instance.service.loss == .unknownTopic)
        #expect(instance.service.fatal?.contains("its \(topic.word) topic is gone") == true, "\(instance.service.fatal ?? "")")
      }
    }
  }

  @Test("a partition that brokers have not heard of yet, though its topic is there, is tried again")
  func unheardOf() {
    for topic in [Topic.journal, .state, .input] {
      let scene = SimScene()
      let instance = scene.start()
      scene.gift()
      scene.settle(instance)
      scene.world.broker.unheardOf = topic
      instance.service.goBack(.abort("made up"))
      let before = instance.service.totals.restores
      for _ in 0..<1000 where instance.service.isRunning && instance.service.totals.restores < before + 5 { scene.turn(instance) }
      #expect(instance.service.isRunning && instance.service.totals.restores >= before + 5)
      scene.world.broker.unheardOf = nil
      scene.gift()
      scene.settle(instance)
      #expect(instance.service.totals.events == 2 && instance.service.totals.resets == 0)
      #expect(scene.finish() == [])
    }
  }

  @Test("after a failure it is ready again once something is committed, though no gift comes, or once it owns nothing")
  func readyAgain() {
    let scene = SimScene()
    scene.world.hasOnlookers = true
    let instance = scene.start()
    scene.gift()
    scene.settle(instance)
    scene.turn(instance, 50)
    instance.service.failed(EdgeError(.positionLost, "where it is cannot be made sure of"), partition: 0)
    #expect(instance.service.isFailing)
    for _ in 0..<1000 where instance.service.isFailing { scene.turn(instance) }
    #expect(!instance.service.isFailing && instance.service.failuresInARow == 1)
    scene.turn(instance, 50)
    #expect(instance.observatory!.report?.isFailing == false)
    instance.service.goBack(.abort("made up"))
    instance.service.revoked([0], lost: true)
    scene.world.clock.advance(1000)
    scene.turn(instance, 10)
    #expect(instance.observatory!.report?.isFailing == false)
  }

  @Test("a journal whose end is not answered is asked for once in a while, not for each partition in turn")
  func unansweredEnds() {
    let scene = SimScene(partitions: 4)
    scene.configuration.checkpointIntervalMs = 1000
    scene.configuration.checkpointGifts = 1
    let instance = scene.start()
    scene.turn(instance, 100)
    scene.world.broker.unanswered = (.journal, 0)
    for room in 0..<16 { scene.gift("r\(room)") }
    scene.settle(instance)
    scene.turn(instance, 10)
    #expect(scene.world.broker.unanswered?.questions == 1)
    scene.world.clock.advance(6000)
    scene.turn(instance, 10)
    // One of the requests is that of the watch for open transactions.
    #expect(scene.world.broker.unanswered?.questions == 3)
    scene.world.broker.unanswered = nil
    scene.world.clock.advance(6000)
    scene.turn(instance, 100)
    #expect(instance.service.partitions.active.allSatisfy { $0!.sweptAtEntry > 1 })
    #expect(scene.finish() == [])
  }
}
