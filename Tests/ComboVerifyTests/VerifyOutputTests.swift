import ComboCore
import ComboEdge
import ComboWire
import Testing

@testable import ComboSimulation
@testable import ComboVerify

/// Verification across the output's partitions, with repetitions, gaps, and deleted and lost records.
@Suite("Verifying an output of several partitions, parts of which are gone")
struct VerifyOutputTests {
  /// Runs a story in which another room publishes to this partition of the output.
  private func story(inOutput partition: Int32) -> (scene: VerifyScene, room: String, instance: SimInstance) {
    let scene = VerifyScene()
    let room = scene.room(inOutput: partition)
    let instance = scene.scene.start()
    for round in 0..<3 {
      scene.burst(instance)
      for number in 0..<9 {
        scene.scene.gift(room, sender: "u\(number % 3)", count: 1 + round)
        scene.scene.turn(instance, 3)
      }
      scene.scene.settle(instance)
      scene.rest(instance)
    }
    return (scene, room, instance)
  }

  @Test("an instruction that is repeated in another partition was said twice; one with other bytes there is altered")
  func doubledElsewhere() throws {
    let (scene, room, _) = story(inOutput: 1)
    #expect(try scene.verify().faults == [])
    let victim = scene.output(room)[4]
    let other = scene.broker.log(.output, 0)
    other.append(SimRecord(key: victim.record.key, value: victim.record.value))
    var report = try scene.verify()
    #expect(report.findings.count(.sequence) == 1 && report.first(.sequence).contains("it was written twice"), "\(report.faults)")
    let copy = VerifyScene.Found(log: other, index: other.records.count - 1)
    copy.set(copy.text.replacing(#""slot":"#, with: #""slot":1"#))
    report = try scene.verify()
    #expect(report.findings.count(.sequence) == 1 && report.first(.sequence).contains("says something else"), "\(report.faults)")
  }

  @Test("in at-least-once delivery a room that has moved may repeat in its new partition the records of its old one")
  func saidAgainElsewhere() throws {
    let (scene, room, _) = story(inOutput: 1)
    try scene.markAtLeastOnce()
    let all = scene.output(room)
    for one in all[..<4] {
      var copy = one.record
      copy.transaction = nil
      scene.broker.log(.output, 0).append(copy)
    }
    for one in scene.output(room).filter({ $0.log === all[0].log }).prefix(2) { one.remove() }
    let report = try scene.verify()
    #expect(report.faults == [] && report.repetitions == 2 && report.isProven, "\(report.faults)")
  }

  @Test("a room that is lost as a whole is missed, though the partition's beginning was deleted")
  func lostRoom() throws {
    let (scene, _, instance) = story(inOutput: 1)
    let late = scene.room(inOutput: 1, from: 100)
    scene.scene.gift(late)
    scene.scene.settle(instance)
    scene.rest(instance)
    let log = scene.broker.log(.output, 1)
    let records = scene.output(late)
    #expect(records.count > 1 && records.allSatisfy { $0.log === log })
    for record in records { record.remove() }
    log.cut(before: log.records.first { $0.isCommitted }!.offset + 1)
    let report = try scene.verify()
    #expect(
      report.findings.count(.missing) == records.count && report.first(.missing).contains("room \(late)"), "\(report.faults)")
    #expect(report.tally.deleted == 1)
  }

  @Test("where nothing is left to be compared, nothing is proven", arguments: ["deleted", "made anew", "--from"])
  func nothingCompared(what: String) throws {
    let scene = VerifyScene()
    scene.story()
    var options = Verifier.Options()
    switch what {
    case "deleted": for number in scene.broker.partitions(.output) { cutAll(scene.broker.log(.output, number)) }
    case "made anew":
      for number in scene.broker.partitions(.output) { scene.broker.log(.output, number).makeAnew() }
      for number in scene.broker.partitions(.input) { cutAll(scene.broker.log(.input, number)) }
    default: options.from = .max
    }
    let report = try scene.verify(options)
    #expect(report.faults == [] && report.tally.equal == 0 && !report.isProven, "\(report)")
    let reason = what == "made anew" ? "the output cannot be derived" : "nothing was compared"
    #expect(report.summary.contains("NOT proven: \(reason)"), "\(report.summary)")
  }

  @Test("an epoch may continue after one of another group, and not after the next one of its own")
  func foreignEpoch() throws {
    let scene = VerifyScene()
    let instance = scene.scene.start()
    scene.scene.gift("r0")
    scene.scene.settle(instance)
    let first = try #require(scene.output("r0").first)
    let number = try #require(first.text.firstMatch(of: /"epoch":(\d+),"seq":\d+,"at":(\d+)/))
    let other = first.text.replacing("\"epoch\":\(number.1)", with: "\"epoch\":\(Int64(number.1)! + 1)")
    first.log.append(SimRecord(key: first.record.key, value: Array(other.utf8)))
    scene.rest(instance)
    let last = try #require(scene.output("r0").last)
    scene.scene.gift("r0")
    scene.scene.settle(instance)
    scene.rest(instance)
    let options = Verifier.Options(from: Int64(number.2)! + 1)
    let report = try scene.verify(options)
    #expect(report.faults == [] && report.tally.equal > 0, "\(report.faults)")

    let seq = try #require(last.text.firstMatch(of: /"seq":(\d+)/))
    let late = last.text.replacing("\"seq\":\(seq.1)", with: "\"seq\":\(Int(seq.1)! + 1)")
    last.log.append(SimRecord(key: last.record.key, value: Array(late.utf8)))
    #expect(try scene.verify(options).first(.sequence).contains("continues after a later one has begun"))
  }

  private func cutAll(_ log: SimLog) { log.cut(before: log.end) }

  @Test("a group that has processed events and emitted nothing is proven, and not only as far as it can be derived")
  func nothingSaid() throws {
    let scene = VerifyScene()
    let instance = scene.scene.start()
    scene.scene.world.put("r1", "no gift")
    scene.scene.settle(instance)
    let report = try scene.verify()
    #expect(report.isProven && report.deadLetters == 1 && report.instructions == 0, "\(report)")
    #expect(report.summary.contains("each instruction once. But 1 of 1 record was bad"))
    #expect(!report.summary.contains("as far as"))
  }

  @Test("an altered copy of a deleted record is compared like any other; so is an unaltered one out of order")
  func lateCopy() throws {
    for isAltered in [false, true] {
      let (scene, room, _) = story(inOutput: 1)
      let first = scene.output(room)[0]
      let (key, text) = (first.record.key, first.text)
      first.log.cut(before: first.record.offset + 1)
      #expect(try scene.verify().faults == [])
      let copy = isAltered ? text.replacing(#""count":"#, with: #""count":77"#) : text
      first.log.append(SimRecord(key: key, value: Array(copy.utf8)))
      let report = try scene.verify()
      #expect(report.findings.count(.bytes) == (isAltered ? 1 : 0), "\(report.faults)")
      if !isAltered {
        #expect(
          report.findings.count(.sequence) == 1 && report.first(.sequence).contains("comes after later ones"),
          "\(report.faults)")
      }
      try scene.markAtLeastOnce()
      let again = try scene.verify()
      #expect(again.isProven == !isAltered && again.repetitions == 1, "\(again.faults)")
      // If nothing was deleted, the copy is out of order with either delivery.
      if !isAltered {
        let (other, room, _) = story(inOutput: 1)
        let first = other.output(room)[0]
        let record = first.record
        first.remove()
        first.log.append(SimRecord(key: record.key, value: record.value))
        try other.markAtLeastOnce()
        let report = try other.verify()
        #expect(report.first(.sequence).contains("comes after later ones"), "\(report.faults)")
      }
    }
  }

  @Test("an epoch whose beginning is missing behind an earlier one is a gap, though nothing can be derived of it")
  func gapWithoutJournal() throws {
    for isCut in [false, true] {
      let (scene, room, _) = story(inOutput: 1)
      let takeover = try scene.takeovers()[0]
      takeover.log.cut(before: takeover.record.offset + 1)
      let epochs = Set(scene.output(room).map { InstructionScanner($0.text).epoch }).sorted()
      let firsts = scene.output(room).filter { InstructionScanner($0.text).seq == 1 }
      #expect(epochs.count == 3 && firsts.count == 3)
      // The beginning of the first epoch may have been deleted, but not that of the second, which comes after it.
      if isCut { firsts[0].log.cut(before: firsts[0].record.offset + 1) }
      let second = scene.output(room).first {
        InstructionScanner($0.text).seq == 1 && InstructionScanner($0.text).epoch == epochs[1]
      }!
      #expect(try scene.verify().faults == [])
      second.remove()
      let report = try scene.verify()
      // Two epochs of a room cannot overlap if they are from one partition of the input.
      #expect(report.findings.count(.sequence) == 1, "\(report.faults)")
      #expect(
        report.first(.sequence).contains("seq 2: 1 instruction is missing before it, from seq 1 on"), "\(report.first(.sequence))"
      )
    }
  }

  @Test("a room that has moved to a new partition, whose beginning is deleted, is no fault")
  func movedAndDeleted() throws {
    let (scene, room, _) = story(inOutput: 1)
    let all = scene.output(room)
    let epoch = InstructionScanner(all[0].text).epoch
    let end = all.firstIndex { InstructionScanner($0.text).epoch != epoch }!
    #expect(end > 8)
    let behind = all[end - 2].record.offset
    scene.move(Array(all[..<4]), to: 0)
    var report = try scene.verify()
    #expect(report.faults == [] && report.tally.equal == report.instructions, "\(report.faults)")
    scene.broker.log(.output, 1).cut(before: behind)
    report = try scene.verify()
    #expect(report.faults == [] && report.isProven && report.tally.deleted >= end - 6, "\(report.faults)")
    // A record that is lost after the first remaining one is reported.
    scene.output(room).filter { $0.log === scene.broker.log(.output, 1) }[4].remove()
    report = try scene.verify()
    #expect(report.findings.count(.missing) == 1 && report.findings.count(.sequence) == 1, "\(report.faults)")
  }

  @Test(
    "however far the output is deleted, partition by partition, nothing is missed and nothing else differs",
    arguments: ["story", "at least once", "grown"])
  func deletedBitByBit(what: String) throws {
    let scene = VerifyScene()
    if what == "grown" {
      let instance = scene.scene.start()
      scene.burst(instance, gifts: 16, rooms: 8)
      scene.broker.grow(to: 3)
      for _ in 0..<40 { scene.scene.turn(instance) }
      scene.burst(instance, gifts: 32, rooms: 8)
      scene.rest(instance)
    } else {
      scene.story()
    }
    if what == "at least once" { try scene.markAtLeastOnce() }
    var deleted = 0
    for number in scene.broker.partitions(.output) {
      let log = scene.broker.log(.output, number)
      for offset in stride(from: log.first, to: log.end, by: 3) {
        log.cut(before: offset)
        let report = try scene.verify()
        #expect(report.faults == [], "\(what), partition \(number) from \(offset)")
        #expect(report.tally.deleted >= deleted && report.isProven == (report.tally.equal > 0))
        deleted = report.tally.deleted
      }
    }
    #expect(deleted > 20)
  }

  @Test(
    "gifts that a paused room takes in before it says anything are counted, also after an earlier epoch",
    arguments: [false, true])
  func paused(isAwakeBefore: Bool) throws {
    let scene = VerifyScene()
    let instance = scene.scene.start()
    if isAwakeBefore {
      scene.scene.gift("p", sender: "early")
      scene.scene.settle(instance)
      scene.rest(instance)
    }
    scene.scene.world.put("p", #"{"type":"room_settings","settings":{"slots":0}}"#)
    scene.scene.gift("p", sender: "a", count: 2)
    scene.scene.gift("p", sender: "b")
    scene.scene.settle(instance)
    scene.scene.world.put("p", #"{"type":"retract","sender":{"id":"a"}}"#)
    scene.scene.settle(instance)
    scene.scene.world.put("p", #"{"type":"room_settings","settings":{"slots":2}}"#)
    scene.scene.settle(instance)
    scene.rest(instance)
    let report = try scene.verify()
    #expect(report.isProven && report.tally.equal > 0, "\(report.summary)")
  }
}
