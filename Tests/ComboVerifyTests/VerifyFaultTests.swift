import ComboCore
import ComboEdge
import ComboWire
import Testing

@testable import ComboSimulation
@testable import ComboTestSupport
@testable import ComboVerify

/// Planted faults, each of which is found and reported with its place.
@Suite("Verifying an output in which something is wrong")
struct VerifyFaultTests {
  @Test("where nothing is wrong, all of it is proven: bytes, seq, screens and gifts")
  func nothing() throws {
    let scene = VerifyScene()
    scene.story()
    let report = try scene.verify()
    #expect(report.faults == [] && report.isProven)
    #expect(report.instructions > 50 && report.tally.equal == report.instructions)
    #expect(report.rooms == 3 && report.epochs >= 6 && report.screens > 5 && report.takeovers == 2)
    #expect(report.tally.countedEpochs == report.epochs && report.tally.openEpochs == 0)
    let given = scene.records(.input).reduce(0) { $0 + Int($1.text.split(separator: ":").last!.dropLast())! }
    #expect(report.tally.gifts == Int64(given))
    #expect(report.unprovenRooms == 0 && report.unprovenInstructions == 0)
    #expect(report.summary.hasSuffix("byte for byte, each instruction once\n"), "\(report.summary)")
  }

  @Test("reads as in the snapshot")
  func reference() throws {
    func summary(_ damage: (VerifyScene) -> Void) throws -> String {
      let scene = VerifyScene()
      scene.story()
      damage(scene)
      return try scene.verify().summary
    }
    try GeneratedPart.expect(
      snapshot: "verify.txt",
      is: [
        ("nothing is wrong", summary { _ in }),
        (
          "a byte differs",
          summary {
            let victim = $0.output("r1").last { $0.text.contains(#""reason":"idle""#) }!
            victim.set(victim.text.replacing(#""reason":"idle""#, with: #""reason":"idlE""#))
          }
        ),
        ("a record is missing", summary { $0.output("r2")[5].remove() }),
        (
          "a record stands there twice",
          summary {
            let victim = $0.output("r1")[4]
            victim.log.append(SimRecord(key: victim.record.key, value: victim.record.value))
          }
        ),
        ("something that is no instruction", summary { $0.broker.log(.output, 0).append(SimRecord(key: [], value: [0xff, 0])) }),
      ])
  }

  @Test("one byte that differs is named with room, output offset, input offset and entry; the rest is compared all the same")
  func changedByte() throws {
    let scene = VerifyScene()
    scene.story()
    let clean = try scene.verify()
    let victim = scene.output("r1").last { $0.text.contains(#""reason":"idle""#) }!
    let changed = victim.text.replacing(#""reason":"idle""#, with: #""reason":"idlE""#)
    victim.set(changed)
    let report = try scene.verify()
    #expect(!report.isProven && report.tally.equal == clean.tally.equal - 1)
    let sentence = report.first(.bytes)
    #expect(sentence.contains("room r1, epoch ") && sentence.contains("offset \(victim.record.offset))"), "\(sentence)")
    #expect(sentence.contains("Derived in input partition 0 at offset ") && sentence.contains(", entry "), "\(sentence)")
    #expect(sentence.contains(#""reason":"idle""#), "what was derived is shown: \(sentence)")
    #expect(report.summary.contains("DIFFERS: room r1") && report.summary.contains("NOT proven: 1 difference,"))
  }

  @Test("a wrong count also differs from the drawing of a client")
  func changedCount() throws {
    let scene = VerifyScene()
    scene.story()
    let victim = scene.output("r0").first { $0.text.contains(#""op":"show""#) && $0.text.contains(#""count":1,"#) }!
    victim.set(victim.text.replacing(#""count":1,"#, with: #""count":2,"#))
    let report = try scene.verify()
    #expect(report.findings.count(.bytes) == 1 && report.findings.count(.screen) > 0, "\(report.faults)")
  }

  @Test("a record that is missing is a gap, and derived but not there")
  func missing() throws {
    let scene = VerifyScene()
    scene.story()
    let all = scene.output("r2")
    all[5].remove()
    let report = try scene.verify()
    #expect(report.findings.count(.missing) == 1 && report.findings.count(.sequence) == 1, "\(report.faults)")
    #expect(
      report.first(.missing).contains("room r2")
        && report.first(.missing).contains("missing in the output, where it should follow"))
    #expect(
      report.first(.sequence).contains("seq 7: 1 instruction is missing before it, from seq 6 on"), "\(report.first(.sequence))")
  }

  @Test("the last record of a room that is missing is found")
  func missingLast() throws {
    let scene = VerifyScene()
    scene.story()
    scene.output("r2").last!.remove()
    let report = try scene.verify()
    #expect(report.findings.count(.missing) == 1 && report.findings.count(.sequence) == 0, "\(report.faults)")
  }

  @Test("a record that stands there twice is a fault in exactly-once delivery")
  func doubled() throws {
    let scene = VerifyScene()
    scene.story()
    let victim = scene.output("r1")[4]
    victim.log.append(SimRecord(key: victim.record.key, value: victim.record.value))
    let report = try scene.verify()
    #expect(report.findings.count(.sequence) == 1 && report.first(.sequence).contains("it was written twice"), "\(report.faults)")
    #expect(report.first(.sequence).contains("offset \(victim.log.records.last!.offset)"))
  }

  @Test("records out of order are found")
  func outOfOrder() throws {
    let scene = VerifyScene()
    scene.story()
    let all = scene.output("r1")
    let (one, two) = (all[6].text, all[7].text)
    all[6].set(two)
    all[7].set(one)
    let report = try scene.verify()
    #expect(report.findings.count(.sequence) > 0 && !report.isProven, "\(report.faults)")
  }

  @Test("records without a cause are found: an extra instruction, an epoch, a room", arguments: ["seq", "epoch", "room"])
  func madeUp(what: String) throws {
    let scene = VerifyScene()
    scene.story()
    let last = scene.output("r1").last!
    let text = InstructionScanner(last.text)
    var record = SimRecord(key: Array("r1".utf8), value: nil)
    switch what {
    case "seq": record.value = Array(text.with(seq: text.seq + 1).utf8)
    case "epoch":
      record.value = Array(
        text.with(seq: 1).replacing(#""epoch":\#(text.epoch)"#, with: #""epoch":\#(text.epoch + 90_000)"#).utf8)
    default:
      record.key = Array("r9".utf8)
      record.value = Array(text.with(seq: 1).replacing(#""room":"r1""#, with: #""room":"r9""#).utf8)
    }
    last.log.append(record)
    let report = try scene.verify()
    #expect(report.findings.count(.madeUp) == 1, "\(report.faults)")
    #expect(report.first(.madeUp).contains("offset \(last.log.records.last!.offset)"))
  }

  @Test("a record that is no instruction, and a key that is not the room, do not belong in the output")
  func foreign() throws {
    let scene = VerifyScene()
    scene.story()
    let log = scene.broker.log(.output, 0)
    let values: [[UInt8]?] = [
      Array("hello".utf8), nil, [0xff, 0], Array(#"{"v":2,"room":"r1"}"#.utf8),
      Array(#"{"v":1,"room":"r1","epoch":1,"seq":"#.utf8),
    ]
    for value in values { log.append(SimRecord(key: Array("r1".utf8), value: value)) }
    let report = try scene.verify()
    #expect(report.findings.count(.foreign) == 5 && report.first(.foreign).contains("not an instruction"), "\(report.faults)")
    let other = VerifyScene()
    other.story()
    let victim = other.output("r1")[3]
    victim.log.alter(victim.index) { $0.key = Array("r2".utf8) }
    #expect(try other.verify().findings.count(.foreign) == 1)
  }

  @Test(
    "a record in a partition that is not its room's, or of another time than its instruction, is reported; a broker's time is not"
  )
  func place() throws {
    let scene = VerifyScene()
    let room = scene.room(inOutput: 0)
    let instance = scene.scene.start()
    for _ in 0..<6 { scene.scene.gift(room); scene.scene.turn(instance, 3) }
    scene.scene.settle(instance)
    scene.rest(instance)
    let all = scene.output(room)
    #expect(try scene.verify().faults == [])
    all[1].log.alter(all[1].index) { $0.timestamp! += 1 }
    var report = try scene.verify()
    let at = InstructionScanner(all[1].text).at
    #expect(
      report.findings.count(.place) == 1 && report.first(.place).contains("its record's time is \(at + 1), not \(at)"),
      "\(report.faults)")
    all[1].log.alter(all[1].index) { $0.timestamp = nil }
    report = try scene.verify()
    #expect(report.faults == [] && report.untimed == 1 && report.summary.contains("not compared: the times of 1 record,"))
    // Partition 1 is not the room's with two partitions, and did not exist with one.
    let count = all.count
    scene.move(all, to: 1)
    report = try scene.verify()
    #expect(report.findings.count(.place) == count, "\(report.faults)")
    #expect(report.first(.place).contains("room \(room)") && report.first(.place).contains("output partition 1, offset "))
  }

  @Test("a gift that is missing in the input is reported with the entry that had taken it in")
  func missingGift() throws {
    let scene = VerifyScene()
    scene.story()
    scene.records(.input)[20].remove()
    let report = try scene.verify()
    #expect(report.findings.count(.source) == 1 && report.first(.source).contains("the input now holds"), "\(report.faults)")
    #expect(report.first(.source).contains("partition 0: entry "))
  }

  @Test("an input that was created again is reported as such, where any entry ends with another record")
  func otherInput() throws {
    let scene = VerifyScene()
    scene.story()
    let last = scene.records(.input).last!
    // The gifts stay the same: only bytes that are in no instruction change.
    last.set(last.text.replacing("{", with: "{ "))
    let report = try scene.verify()
    #expect(report.findings.count(.source) == 1 && report.findings.count(.bytes) == 0, "\(report.faults)")
    #expect(
      report.first(.source).contains("the record at offset \(last.record.offset), the last of entry ")
        && report.first(.source).hasSuffix(", is not the one that was taken in: the input was truncated or recreated"))
  }

  @Test("an input that was created again and is shorter is reported as such, and not waited for")
  func shorterInput() throws {
    let scene = VerifyScene()
    scene.story()
    let log = scene.records(.input)[0].log
    let end = log.end
    log.makeAnew()
    for number in 0..<3 { log.append(SimRecord(key: Array("r".utf8), value: Array("{\(number)}".utf8))) }
    let report = try scene.verify()
    #expect(
      report.first(.source).hasSuffix(
        "the input ends at offset 3, but the journal has taken it in up to \(end): the input was truncated or recreated"),
      "\(report.faults)")
  }

  @Test("an input with another gift in its place is found by the bytes that differ")
  func otherGift() throws {
    let scene = VerifyScene()
    scene.story()
    let victim = scene.records(.input)[20]
    victim.set(victim.text.replacing(#""count":"#, with: #""count":5"#))
    #expect(try scene.verify().findings.count(.bytes) > 0)
  }

  @Test(
    "an entry of the journal that is gone, broken, or occurs twice is reported with its place",
    arguments: ["gone", "broken", "twice"])
  func journal(what: String) throws {
    let scene = VerifyScene()
    scene.story()
    let entries = scene.records(.journal)
    let victim = entries[entries.count / 2]
    let n = try scene.entry(victim).n
    switch what {
    case "gone": victim.remove()
    case "broken": victim.log.alter(victim.index) { $0.value![30] ^= 1 }
    default: victim.log.append(SimRecord(key: nil, value: victim.record.value))
    }
    let report = try scene.verify()
    let sentence = report.first(.source)
    #expect(!report.isProven)
    switch what {
    case "twice": #expect(sentence.contains("entry \(n) stands there after entry"), "\(report.faults)")
    default: #expect(sentence.contains("follows entry \(n - 1) "), "\(report.faults)")
    }
    if what == "broken" { #expect(report.findings.count(.source) == 2) }
  }

  @Test(
    "a takeover that occurs twice in a journal written in transactions is reported; elsewhere another owner may have come between"
  )
  func takeoverTwice() throws {
    let scene = VerifyScene()
    scene.story()
    let victim = try scene.takeovers()[1]
    let entry = try scene.entry(victim)
    let takeover = victim.record
    victim.log.append(SimRecord(key: nil, value: takeover.value))
    let report = try scene.verify()
    #expect(report.findings.count(.source) == 1, "\(report.faults)")
    #expect(report.first(.source).contains("entry \(entry.n) stands there after entry"), "\(report.first(.source))")
    try scene.markAtLeastOnce()
    #expect(try scene.verify().faults == [])
  }

  @Test(
    "a journal of another group, or of a newer version, gives no verdict but a sentence",
    arguments: ["newer", "foreign"])
  func refused(what: String) throws {
    let scene = VerifyScene()
    scene.story()
    let victim = try scene.takeovers()[0]
    var entry = try scene.entry(victim)
    switch what {
    case "newer": victim.log.alter(victim.index) { $0.value![5] = UInt8(ascii: "2") }
    default:
      entry.takeover!.topics = TopicIdentity(group: "other", input: "gifts", output: "screens")
      entry.of = entry.takeover!.topics.hash
      scene.replace(entry, at: victim)
    }
    let fault = #expect(throws: VerifyFault.self) { try scene.verify() }
    let expected = ["newer": "version 2", "foreign": "belongs to the group \"other\", not to"][what]!
    #expect(
      fault?.description.contains(expected) == true && fault?.description.contains("offset 0") == true,
      "\(String(describing: fault))")
  }

  @Test("--from ignores differences before it, and none after it")
  func from() throws {
    let scene = VerifyScene()
    scene.story()
    let texts = scene.output("r1")
    let at = InstructionScanner(texts[8].text).at
    let early = texts.first { $0.text.contains(#""count":"#) }!
    early.set(early.text.replacing(#""count":"#, with: #""count":1"#))
    #expect(try scene.verify().findings.count(.bytes) == 1)
    let later = try scene.verify(Verifier.Options(from: at))
    #expect(later.faults == [] && later.tally.skipped > 0 && later.tally.equal > 0, "\(later.faults)")
    // Another group wrote this instruction, before that time.
    early.log.append(
      SimRecord(
        key: Array("r9".utf8),
        value: Array(
          InstructionScanner(texts[0].text).with(seq: 1).replacing(#""room":"r1""#, with: #""room":"r9""#).utf8)))
    let more = try scene.verify(Verifier.Options(from: at))
    #expect(more.faults == [] && more.tally.skipped == later.tally.skipped + 1, "\(more.faults)")
    #expect(more.summary.contains("\nnot compared: \(more.tally.skipped) instructions from before --from\n"), "\(more.summary)")
    #expect(more.summary.contains("proven: as far as it can be derived"), "\(more.summary)")
    scene.spoil("r1")
    #expect(try scene.verify(Verifier.Options(from: at)).findings.count(.bytes) == 1)
  }
}

/// The numbers at the beginning of an instruction.
struct InstructionScanner {
  let text: String
  let epoch: Int
  let seq: Int
  let at: Int64

  init(_ text: String) {
    self.text = text
    func number(_ name: String) -> Int { Int(text.split(separator: "\"\(name)\":")[1].prefix { $0.isNumber })! }
    epoch = number("epoch")
    seq = number("seq")
    at = Int64(number("at"))
  }

  func with(seq: Int) -> String { text.replacing(#""seq":\#(self.seq),"#, with: #""seq":\#(seq),"#) }
}
