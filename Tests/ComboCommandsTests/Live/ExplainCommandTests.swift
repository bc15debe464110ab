import ComboCore
import ComboEdge
import ComboLog
import ComboMaps
import ComboRooms
import ComboSystem
import ComboWire
import Foundation
import Testing

@testable import ComboCommands
@testable import ComboVerify

/// Explanations of gifts that vanished, on a log.
@Suite("The fate of a gift")
struct ExplainCommandTests {
  private struct Answer {
    var gifts: [ExplainedGift] = []
    var outcome: Explainer.Outcome
    var text: String
  }

  private func explain(_ scene: LogScene, id: String? = nil, room: String = "r", sender: String? = nil) throws -> Answer {
    var question = GiftQuestion(room: Array(room.utf8))
    question.id = id.map { Array($0.utf8) }
    question.sender = sender.map { Array($0.utf8) }
    let explainer = Explainer(
      try LogReading(scene.stage.file, names: LogStage.names),
      topics: TopicIdentity(group: LogStage.group, input: LogStage.input, output: LogStage.output), notice: { _ in })
    var words = GiftWords()
    var gifts: [ExplainedGift] = []
    var text = ""
    let outcome = try explainer.run(question) { finding, reach in
      switch finding {
      case .gift(let gift):
        gifts.append(gift)
        text += words.text(of: gift)
      case .miss(let miss): text += words.text(of: miss, reach: reach)
      }
      return true
    }
    for miss in outcome.nearest {
      text += words.text(of: miss, reach: outcome.partitions.first { $0.number == miss.partition })
    }
    return Answer(gifts: gifts, outcome: outcome, text: text)
  }

  private func gift(_ id: String, room: String = "r", sender: String, value: Int = 10, _ more: String = "") -> String {
    #"{"id":"\#(id)","room":"\#(room)","sender":{"id":"\#(sender)"},"gift":{"id":"rose","value":\#(value)}\#(more)}"#
  }

  private func run(_ scene: LogScene, _ configuration: ServiceConfiguration, _ records: [String]) throws {
    let service = scene.start(configuration)
    for record in records {
      try scene.give([record])
    }
    try scene.settle()
    service.stop.set()
    #expect(try service.end() == 0, "\(service.log)")
  }

  /// Waits until the journal has more entries than these.
  private func awaitEntry(_ scene: LogScene, after entries: Int) throws {
    let deadline = Deadline(afterMs: 60_000)
    while true {
      let rings = scene.stage.file.committed.rings
      if try scene.records(.journal).count > entries { return }
      if deadline.isOver { throw LogScene.Failure(description: "no entry follows the first \(entries)") }
      scene.stage.file.committed.wait(after: rings, maxMs: 1000)
    }
  }

  @Test("each of ten ways to vanish is reported, with place and reason")
  func vanished() throws {
    let scene = try LogScene()
    var configuration = LogScene.configuration()
    configuration.settings.slots = 1
    configuration.settings.maxQueue = 2
    configuration.fromLatest = true
    try scene.give([gift("early", sender: "u0")])
    let hold = scene.start(configuration)
    // The service begins after the first gift once it has taken the partition over.
    try awaitEntry(scene, after: 0)
    hold.stop.set()
    #expect(try hold.end() == 0)
    configuration.fromLatest = false
    try run(
      scene, configuration,
      [
        gift("shown", sender: "u1"), gift("taken-back", sender: "u2"), gift("closed", sender: "u3"),
        gift("full", sender: "u4", value: 5, #","count":2"#), gift("shown", sender: "u9"),
        gift("total", sender: "u1", value: 10, #","total":5,"streak":"s""#),
        gift("late-total", sender: "u1", value: 10, #","total":3,"streak":"s""#),
        #"{"id":"broken","room":"r","sender":{"id":"u5"},"gift":7}"#, gift("elsewhere", room: "r2", sender: "u6"),
      ])
    try run(
      scene, configuration,
      [
        #"{"type":"retract","room":"r","sender":{"id":"u2"}}"#, #"{"type":"room_closed","room":"r"}"#,
      ])
    // An operator moves the group past a gift.
    try scene.give([gift("jumped", sender: "u7")])
    configuration.purpose = .seek([0: scene.stage.file.bounds(scene.stage.stream(.input)).next])
    let entries = try scene.records(.journal).count
    let mover = scene.start(configuration)
    try awaitEntry(scene, after: entries)
    mover.stop.set()
    #expect(try mover.end() == 0)
    configuration.purpose = .service
    try run(scene, configuration, [gift("after", sender: "u8")])
    try scene.give([gift("later", sender: "u8")])

    try checkVanished(scene)
  }

  private func checkVanished(_ scene: LogScene) throws {
    func check(_ id: String, _ expected: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
      let answer = try explain(scene, id: id)
      #expect(answer.text.contains(expected), "\(id): \(answer.text)", sourceLocation: sourceLocation)
      #expect(answer.outcome.hasFound == (id != "elsewhere"), sourceLocation: sourceLocation)
    }
    try check("full", "rose ×2 from sender u4: skipped: the queue was full, worth 10\n")
    try check("taken-back", "rose ×1 from sender u2: queued as the next, skipped at ")
    try check("taken-back", ": it was retracted\n")
    try check("closed", "rose ×1 from sender u3: queued behind 1, skipped at ")
    try check("closed", ": the room was closed\n")
    try check("late-total", "rose from sender u1: changed nothing: its total is late, or was there before\n")
    try check("broken", "dead letter, offset 8 of partition 0: wrong_type: gift is an integer")
    try check("elsewhere", "rose from sender u6: a gift of another room, \"r2\", offset 9 of partition 0\n")
    try check(
      "early", "rose from sender u0: from before the group began, offset 0 of partition 0: the group reads this partition from ")
    try check("jumped", "rose from sender u7: passed over, offset 12 of partition 0: an operator skipped offsets 12 to 12\n")
    try check("later", "rose from sender u8: not yet committed, offset 14 of partition 0: the group's last entry is ")
    let twice = try explain(scene, id: "shown")
    #expect(twice.gifts.map(\.fate.taken.outcome) == [.new, .duplicate] && twice.gifts.map(\.firstOffset) == [nil, 1])
    #expect(
      twice.text.contains("rose ×1 from sender u1: shown at ") && twice.text.contains(" in banner 1, at once\n"), "\(twice.text)")
    #expect(
      twice.text.contains("rose from sender u9: duplicate of the gift at offset 1: the id \"shown\" is remembered\n"),
      "\(twice.text)")
    // Joining a banner in the queue is described with the same words as a new one.
    var joined = twice.gifts[0]
    joined.fate.taken.outcome = .waiting
    var words = GiftWords()
    for (before, told) in [(0, "joined banner 1, queued as the next, "), (3, "joined banner 1, queued behind 3, ")] {
      joined.waitingBefore = before
      let text = words.text(of: joined)
      #expect(text.contains(told), "\(text)")
    }
    let never = try explain(scene, id: "never")
    #expect(!never.outcome.hasFound && never.outcome.partitions[0].hasRoom && never.text.isEmpty)
    // The explanation of the whole room contains every accepted gift once, with its end.
    let all = try explain(scene)
    #expect(all.gifts.count == 8 && !all.gifts.contains { $0.fate.end == .open && $0.fate.taken.banner > 0 }, "\(all.text)")
    #expect(try explain(scene, id: "elsewhere", room: "r2").gifts.count == 1)
    #expect(try !explain(scene, room: "nowhere").outcome.hasFound)
  }

  @Test("the sum names the lines that did not become gifts, of one gift too")
  func sum() {
    #expect(ExplainAnswer.sum(26, ["seen": 22, "still waiting": 4], [:]) == "26 gifts: seen 22, still waiting 4")
    #expect(
      ExplainAnswer.sum(1, ["seen": 1], [.passedOver: 1_000, .deadLetter: 2])
        == "1 gift: seen 1. 1,002 records did not become gifts: dead letters 2, passed over 1,000")
  }

  @Test("records that the map drops are reported with its rule")
  func dropped() throws {
    let scene = try LogScene()
    var configuration = LogScene.configuration()
    let map = #"""
      {"map": 1, "name": "t", "rules": [
        {"when": {"at": "/cmd", "is": "CHAT"}, "drop": "a chat message"},
        {"when": {"at": "/cmd", "is": "GIFT"}, "event": "gift",
         "fields": {"id": "/id", "room": "/room", "sender": {"id": "/u"}, "gift": {"id": "/g"}}}],
       "otherwise": {"drop": "no gift"}}
      """#
    configuration.map = try RecordMap(Array(map.utf8), file: "t")
    try run(
      scene, configuration,
      [
        #"{"cmd":"GIFT","id":"good","room":"r","u":"u1","g":"rose"}"#, #"{"cmd":"CHAT","id":"chat","room":"r","u":"u1"}"#,
        #"{"cmd":"PRESENT","id":"other","room":"r","u":"u1","g":"rose"}"#,
      ])
    #expect(try explain(scene, id: "good").gifts.count == 1)
    let chat = try explain(scene, id: "chat")
    #expect(
      chat.text.contains("dropped by the map, offset 1 of partition 0: a chat message (t, rule 1) (a guess: "), "\(chat.text)")
    let other = try explain(scene, id: "other")
    #expect(
      other.text.contains("dropped by the map, offset 2 of partition 0: no gift (t, otherwise) (a guess: "), "\(other.text)")
  }

  @Test("the offsets that were read are named without the one behind them")
  func offsets() {
    #expect(ExplainAnswer.offsets(20, 20) == "no records from offset 20 on")
    #expect(ExplainAnswer.offsets(20, 21) == "offset 20")
    #expect(ExplainAnswer.offsets(20, 35) == "offsets 20 to 34")
  }

  @Test("objects have the members of the specification, in its order, and misses are objects too")
  func objects() throws {
    let scene = try LogScene()
    try run(scene, LogScene.configuration(), [gift("a", sender: "u1", #","receiver":{"id":"h"},"count":3"#)])
    let answer = try explain(scene, id: "a")
    let buffer = ByteBuffer()
    #""r""#.withUTF8Copy { answer.gifts[0].fate.write(room: $0, to: buffer) }
    let taken = answer.gifts[0].fate.taken
    #expect(
      String(decoding: buffer.bytes, as: UTF8.self)
        == #"{"room":"r","epoch":\#(taken.epoch),"at":\#(taken.at),"id":"a","sender":"u1","receiver":"h","gift":"rose","n":3,"#
        + #""became":"new","banner":1,"seen_at":\#(taken.at),"seen_by":"show","wait_ms":0}"#)
    buffer.removeAll()
    let miss = GiftMiss(kind: .otherRoom, partition: 3, offset: 7, time: 12, detail: "x\"y")
    #""r""#.withUTF8Copy { miss.write(room: $0, to: buffer) }
    #expect(
      String(decoding: buffer.bytes, as: UTF8.self)
        == #"{"room":"r","missed":"other_room","partition":3,"offset":7,"time":12,"other_room":"x\"y"}"#)
  }
}

extension String {
  fileprivate func withUTF8Copy(_ body: (UnsafeRawBufferPointer) -> Void) { Array(utf8).withUnsafeBytes(body) }
}
