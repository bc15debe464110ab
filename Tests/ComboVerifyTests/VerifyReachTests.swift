import ComboCore
import ComboEdge
import ComboRooms
import ComboService
import ComboWire
import Testing

@testable import ComboSimulation
@testable import ComboVerify

/// The limits of proof if records are gone: what can be proved, and what is only counted.
@Suite("Verifying the rest of journal, input and output")
struct VerifyReachTests {
  @Test(
    "where the journal's beginning is gone, rooms count from their first epoch after a rest; the others are counted, not proven")
  func cutJournal() throws {
    let scene = VerifyScene()
    scene.story()
    let second = try scene.takeovers()[1]
    second.log.cut(before: second.record.offset)
    let report = try scene.verify()
    #expect(report.faults == [] && report.isProven)
    #expect(report.unprovenRooms == 3 && report.unprovenInstructions > 20, "\(report)")
    #expect(report.tally.equal > 20 && report.tally.equal + report.unprovenInstructions == report.instructions)
    #expect(
      report.summary.contains("not provable: 3 rooms with \(report.unprovenInstructions) instructions"), "\(report.summary)")
    #expect(report.summary.hasSuffix("each instruction once\n") && report.summary.contains("proven: as far as it can be derived"))
    // Proven instructions are really compared, and one that cannot be derived is found.
    let last = scene.output("r1").last!
    let text = last.text
    scene.spoil("r1")
    #expect(try scene.verify().findings.count(.bytes) == 1)
    scene.spoil("r1")
    #expect(try scene.verify().faults == [])
    last.log.append(
      SimRecord(key: Array("r1".utf8), value: Array(InstructionScanner(text).with(seq: InstructionScanner(text).seq + 1).utf8)))
    #expect(try scene.verify().findings.count(.madeUp) == 1)
    last.remove()
    #expect(try scene.verify().findings.count(.missing) == 1)
  }

  @Test("where journal and state were deleted, earlier instructions are no fault, and later ones are proven")
  func restarted() throws {
    let scene = VerifyScene()
    let second = scene.story()
    scene.scene.world.stop(second)
    for topic in [Topic.journal, .state] {
      for number in scene.broker.partitions(topic) { scene.broker.log(topic, number).makeAnew() }
    }
    scene.scene.world.expectsErrors = true
    let third = scene.scene.start()
    for _ in 0..<2000 where third.service.totals.resets == 0 { scene.scene.turn(third) }
    scene.burst(third)
    scene.rest(third)
    let report = try scene.verify()
    #expect(report.faults == [] && report.resets == 1 && report.isProven, "\(report.summary)")
    #expect(report.tally.equal > 20 && report.unprovenInstructions > 20, "\(report.summary)")
    #expect(report.summary.contains("proven: as far as it can be derived"))
  }

  @Test(
    "dead letters are compared: one that is missing, that says something else, that stands there twice, or that nothing led to")
  func deadLetters() throws {
    let scene = VerifyScene()
    let instance = scene.scene.start()
    for _ in 0..<3 {
      scene.scene.world.put("r", "no event")
      scene.scene.gift()
    }
    scene.scene.settle(instance)
    scene.rest(instance)
    let sound = try scene.verify()
    #expect(sound.faults == [] && sound.lettersCompared == 3, "\(sound.summary)")
    let number = scene.broker.partitions(.deadLetter).first { !scene.broker.log(.deadLetter, $0).records.isEmpty }!
    let log = scene.broker.log(.deadLetter, number)
    let place = log.records.lastIndex { $0.isCommitted && $0.value != nil }!
    let record = log.records[place]
    log.alter(place) { $0.value = Array("another".utf8) }
    #expect(try scene.verify().findings.count(.bytes) == 1)
    log.alter(place) { $0 = record }
    log.append(SimRecord(key: record.key, value: record.value, headers: record.headers))
    #expect(try scene.verify().findings.count(.sequence) == 1)
    let found = VerifyScene.Found(log: log, index: log.records.count - 1)
    found.remove()
    VerifyScene.Found(log: log, index: place).remove()
    #expect(try scene.verify().findings.count(.missing) == 1)
  }

  @Test("dead letters that were sent back do not suggest that a map is missing")
  func sentBack() throws {
    let scene = VerifyScene()
    let instance = scene.scene.start()
    for _ in 0..<3 { scene.scene.world.put("r", "no event") }
    scene.scene.settle(instance)
    #expect(try scene.verify().summary.contains("But 3 of 3 records were bad"))
    let number = scene.broker.partitions(.deadLetter).first { !scene.broker.log(.deadLetter, $0).records.isEmpty }!
    let log = scene.broker.log(.deadLetter, number)
    let places = log.records.filter { $0.isCommitted && $0.value != nil }.map { "\(number):\($0.offset)" }
    func receipt(_ places: some Sequence<String>) {
      let value = Array(places.joined(separator: ",").utf8)
      log.append(SimRecord(key: nil, value: nil, headers: [RecordHeader(name: "combo.redrive.receipt", value: value)]))
    }
    receipt(places.prefix(1))
    #expect(try scene.verify().summary.contains("But 2 of 3 records were bad"))
    receipt(places.dropFirst())
    let summary = try scene.verify().summary
    #expect(summary.contains("dead letters 3 (compared with their topic), 3 of them sent back by redrive\n"), "\(summary)")
    #expect(!summary.contains("were bad"), "\(summary)")
  }

  @Test("a group that has read no records has nothing to verify, though it has taken partitions over")
  func nothingRead() throws {
    let scene = VerifyScene()
    let instance = scene.scene.start()
    scene.scene.settle(instance)
    #expect(try scene.verify().isEmpty)
    scene.scene.world.put("r", "no event")
    scene.scene.settle(instance)
    #expect(try !scene.verify().isEmpty)
  }

  @Test("where all of the journal has expired, no fault is reported")
  func expiredJournal() throws {
    let scene = VerifyScene()
    scene.story()
    for number in scene.broker.partitions(.journal) {
      let log = scene.broker.log(.journal, number)
      log.cut(before: log.end)
    }
    let report = try scene.verify()
    #expect(report.faults == [] && !report.isProven, "\(report.faults)")
    #expect(report.unprovenInstructions == report.instructions && report.instructions > 0)
    #expect(report.summary.contains("\nconservation: not compared, because no epoch begins in the compared part\n"))
  }

  @Test("the report has dead letters, unfinished epochs, and gifts that a reset forgot")
  func words() {
    var report = VerifyReport()
    (report.deadLetters, report.lettersCompared, report.dropped) = (6, 6, 3)
    (report.tally.leftByResets, report.tally.openEpochs, report.tally.openGifts) = (2, 1, 5)
    #expect(report.summary.contains("dead letters 6 (compared with their topic), dropped by the map 3\n"), "\(report.summary)")
    #expect(
      report.summary.contains(
        "0 epochs add up; 1 epoch is not over yet, with 5 gifts to come; 2 gifts were never shown because of a reset\n"),
      "\(report.summary)")
  }

  @Test("where a file has no room for an old checkpoint, the report says so instead of doubting the output")
  func noOldCheckpoint() {
    var report = VerifyReport()
    (report.unprovenInstructions, report.evicted) = (1, 0)
    #expect(report.summary.contains("NOT proven: the output cannot be derived"), "\(report.summary)")
    report.evicted = 1
    #expect(report.summary.contains("raise --data-max-mib, which keeps an old one"), "\(report.summary)")
  }

  @Test("a room's id does nothing to a terminal")
  func hostileID() {
    var report = VerifyReport()
    report.findings.add(.sequence, "room \u{1b}]0;x\u{7}\u{202e}\n: a gap", at: 0)
    #expect(!report.summary.contains { $0 == "\u{1b}" || $0 == "\u{7}" || $0 == "\u{202e}" }, "\(report.summary)")
    #expect(report.summary.split(separator: "\n").contains { $0.hasPrefix("DIFFERS: room ") && $0.hasSuffix(": a gap") })
  }

  @Test("where the input's beginning is gone, the derivation begins behind it")
  func cutInput() throws {
    let scene = VerifyScene()
    scene.story()
    scene.broker.log(.input, 0).cut(before: 30)
    let report = try scene.verify()
    #expect(report.faults == [] && report.isProven, "\(report.faults)")
    #expect(report.unprovenRooms == 3 && report.tally.equal > 20 && report.entriesSkipped > 0)
  }

  @Test("where nothing can be derived, nothing is proven")
  func nothingLeft() throws {
    let scene = VerifyScene()
    scene.story()
    // No remaining takeover contains the settings.
    let takeover = try scene.takeovers()[1]
    takeover.log.cut(before: takeover.record.offset + 1)
    let report = try scene.verify()
    #expect(report.faults == [] && !report.isProven && report.unprovenInstructions == report.instructions)
    #expect(report.summary.contains("NOT proven: the output cannot be derived"), "\(report.summary)")
  }

  @Test("records that were deleted from the output are counted, and not missing")
  func cutOutput() throws {
    let scene = VerifyScene()
    scene.story()
    let room = scene.output("r1")
    room[0].log.cut(before: room[6].record.offset)
    let report = try scene.verify()
    #expect(report.faults == [] && report.isProven && report.tally.deleted >= 6, "\(report.faults)")
    #expect(report.summary.contains("\(report.tally.deleted) instructions deleted from the output"))
  }

  @Test(
    "through a reset: rooms continue in a later epoch, and all is compared that can be",
    arguments: ["input", "snapshot", "journal"])
  func reset(what: String) throws {
    let scene = VerifyScene()
    scene.scene.configuration.checkpointGifts = 3
    scene.scene.configuration.sweepBudget = what == "input" ? 1 : 4 << 20
    let first = scene.scene.start()
    scene.burst(first, gifts: 9)
    scene.scene.world.kill(first)
    switch what {
    case "input":
      scene.scene.gift("r2")
      scene.broker.log(.input, 0).cut(before: scene.broker.log(.input, 0).end)
    case "snapshot":
      scene.scene.alter(.state, where: { String(decoding: $0.key!, as: UTF8.self).contains(#""r1""#) && $0.value != nil }) {
        $0.value![$0.value!.count / 2] ^= 1
      }
    default: scene.scene.alter(.journal, where: { _ in true }) { $0.value![30] ^= 1 }
    }
    scene.scene.world.expectsErrors = true
    let second = scene.scene.start()
    scene.burst(second)
    scene.rest(second)
    scene.burst(second)
    scene.rest(second)
    #expect(second.service.totals.resets == 1)
    let report = try scene.verify()
    #expect(report.faults == [] && report.isProven && report.resets == 1, "\(what): \(report.faults)")
    #expect(report.unprovenInstructions > 0 && report.tally.equal > 20, "\(report)")
    scene.spoil("r1")
    #expect(try scene.verify().findings.count(.bytes) == 1)
  }

  @Test("a room that is awake when the input gains partitions may have instructions from two of them")
  func grown() throws {
    let scene = VerifyScene()
    let instance = scene.scene.start()
    scene.burst(instance, gifts: 16, rooms: 8)
    scene.broker.grow(to: 3)
    for _ in 0..<40 { scene.scene.turn(instance) }
    scene.burst(instance, gifts: 32, rooms: 8)
    scene.rest(instance)
    let report = try scene.verify()
    #expect(report.faults == [] && report.isProven && report.movedRooms > 0, "\(report.faults)")
    #expect(report.tally.equal == report.instructions)
    #expect(report.summary.contains("\(report.movedRooms) rooms moved to another input partition"))
  }

  @Test("the journal records whether the room is the event's whatever its key: verify needs no option")
  func roomFromBody() throws {
    let scene = VerifyScene()
    scene.scene.configuration.limits.roomFromBody = true
    let first = scene.scene.start()
    let gift = #"{"room":"r1","sender":{"id":"u"},"gift":{"id":"g"}}"#
    scene.scene.world.put("another key", gift)
    scene.scene.settle(first)
    scene.rest(first)
    scene.scene.world.kill(first)
    scene.scene.configuration.limits.roomFromBody = false
    let second = scene.scene.start()
    scene.scene.world.put("another key", gift)
    scene.scene.settle(second)
    scene.rest(second)
    let report = try scene.verify()
    #expect(report.faults == [] && report.rooms == 1 && report.tally.gifts == 1 && report.deadLetters == 1, "\(report)")
  }

  @Test("in at-least-once delivery the same bytes may stand there again, entries of an older term count for nothing")
  func atLeastOnce() throws {
    let scene = VerifyScene()
    scene.story()
    var term: Int64?
    var last: VerifyScene.Found!
    for found in scene.records(.journal) {
      var entry = try scene.entry(found)
      if entry.takeover != nil {
        entry.takeover!.delivery = .atLeastOnce
        term = found.record.offset
      } else {
        entry.term = term
      }
      entry.saidTo = entry.n - 1
      scene.replace(entry, at: found)
      last = found
    }
    let again = scene.output("r1")[4]
    again.log.append(SimRecord(key: again.record.key, value: again.record.value))
    // An owner that was given up continues to write.
    var zombie = try scene.entry(last)
    zombie.term = 0
    zombie.n += 1
    zombie.digest ^= 1
    let buffer = ByteBuffer()
    zombie.write(to: buffer)
    last.log.append(SimRecord(key: nil, value: [UInt8](buffer.bytes)))
    var report = try scene.verify()
    #expect(report.faults == [] && report.isProven && report.repetitions == 1, "\(report.faults)")
    #expect(report.summary.contains("1 repeated") && report.summary.contains("except for identical repetitions"))
    #expect(report.summary.contains("seq: no gap, none twice except for identical repetitions\n"))
    // The same seq with other bytes.
    again.log.append(SimRecord(key: again.record.key, value: Array(again.text.replacing("}", with: #","x":1}"#).utf8)))
    report = try scene.verify()
    #expect(!report.isProven, "\(report.faults)")
  }

  @Test(
    "where the journal's beginning is gone, an entry of an owner given up before does not stand for those of the next")
  func zombieFirst() throws {
    let scene = VerifyScene()
    scene.scene.world.kill(scene.story())
    let third = scene.scene.start()
    scene.burst(third)
    scene.rest(third)
    try scene.markAtLeastOnce()
    let takeovers = try scene.takeovers()
    let journal = scene.records(.journal)
    let left = try #require(journal.first { $0.record.offset > takeovers[1].record.offset })
    var zombie = try scene.entry(left)
    #expect(zombie.takeover == nil && zombie.term == takeovers[1].record.offset)
    zombie.term = takeovers[0].record.offset
    zombie.n += 2
    scene.replace(zombie, at: left)
    left.log.cut(before: left.record.offset)
    let report = try scene.verify()
    #expect(report.faults == [] && report.isProven && report.tally.equal > 20, "\(report.faults)")
  }

  @Test("in at-least-once delivery the instructions of the last entries may not be said yet")
  func pending() throws {
    let scene = VerifyScene()
    let instance = scene.scene.start()
    scene.burst(instance)
    var term: Int64?
    for found in scene.records(.journal) {
      var entry = try scene.entry(found)
      if entry.takeover != nil { term = found.record.offset } else { entry.term = term }
      entry.takeover?.delivery = .atLeastOnce
      entry.saidTo = 1
      scene.replace(entry, at: found)
    }
    for room in ["r0", "r1", "r2"] { scene.output(room).last!.remove() }
    let report = try scene.verify()
    #expect(report.faults == [] && report.tally.pending == 3, "\(report.faults)")
  }
}

extension VerifyScene {
  /// Returns the entry of a room's newest record in the state topic, and whether the room has rested.
  func snapshot(_ room: String) throws -> (n: Int64, isRested: Bool)? {
    let decoder = StateDecoder()
    let found = records(.state).last { found in
      found.record.value != nil
        && found.record.key!.withUnsafeBytes { key in
          guard case .room(let name)? = try? StateKeyDecoder().key(key) else { return false }
          return name.elementsEqual(room.utf8)
        }
    }
    return try found.map { found in
      try found.record.value!.withUnsafeBytes { value in
        try found.record.key!.withUnsafeBytes { key in
          let record = try decoder.room(value, key: key)
          if case .rested = record.content { return (record.n, true) }
          return (record.n, false)
        }
      }
    }
  }

  /// Returns the newest checkpoint, or nil if there is none.
  func checkpoint() throws -> Checkpoint? {
    let found = records(.state).last { String(decoding: $0.record.key!, as: UTF8.self) == #"["checkpoint"]"# }
    return try found.map { found in
      try found.record.value!.withUnsafeBytes { value in
        try found.record.key!.withUnsafeBytes { try StateDecoder().checkpoint(value, key: $0) }
      }
    }
  }
}
