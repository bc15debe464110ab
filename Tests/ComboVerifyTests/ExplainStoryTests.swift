import ComboCore
import ComboEdge
import ComboRooms
import ComboService
import ComboSystem
import ComboWire
import Testing

@testable import ComboSimulation
@testable import ComboTestSupport
@testable import ComboVerify

/// The contents of answers, and their order.
@Suite("The text about the fate of a gift")
struct ExplainStoryTests {
  private struct Answer {
    var lines: [String] = []
    var objects: [String] = []
    var outcome: Explainer.Outcome
  }

  private func explain(_ scene: SimScene, id: String? = nil, sender: String? = nil, room: String = "r") throws -> Answer {
    scene.world.broker.settleAll()
    var explainer = Explainer(SimReadEdge(scene.world.broker, instance: nil), topics: scene.world.topics, notice: { _ in })
    explainer.placement = { key, count in Int(SimBroker.partition(of: [UInt8](key), count)) }
    var question = GiftQuestion(room: Array(room.utf8))
    question.id = id.map { Array($0.utf8) }
    question.sender = sender.map { Array($0.utf8) }
    var words = GiftWords()
    var (text, objects) = ("", [String]())
    let buffer = ByteBuffer()
    func object(_ write: (Bytes) -> Void) {
      buffer.removeAll()
      Array("\"\(room)\"".utf8).withUnsafeBytes(write)
      objects.append(String(decoding: buffer.bytes, as: UTF8.self))
    }
    let outcome = try explainer.run(question) { finding, reach in
      switch finding {
      case .gift(let gift):
        text += words.text(of: gift)
        object { gift.write(room: $0, to: buffer) }
      case .miss(let miss):
        text += words.text(of: miss, reach: reach)
        object { miss.write(room: $0, reach: reach, to: buffer) }
      }
      return true
    }
    for object in objects { #expect(Array(object.utf8).withUnsafeBytes { JSONValue($0) } != nil, "\(object)") }
    return Answer(lines: text.split(separator: "\n").map(String.init), objects: objects, outcome: outcome)
  }

  private func run(_ scene: SimScene, _ instance: SimInstance) {
    scene.settle(instance)
    for _ in 0..<20 {
      scene.world.clock.advance(400)
      scene.turn(instance, 3)
    }
  }

  private func put(_ scene: SimScene, _ json: String, room: String = "r") { scene.world.put(room, json) }

  @Test("a banner that was shown and then retracted is reported as such, and one that was not is not")
  func retracted() throws {
    let scene = SimScene()
    scene.configuration.settings.lingerMs = 10_000
    let instance = scene.start()
    put(scene, #"{"id":"a","sender":{"id":"u1"},"gift":{"id":"g"}}"#)
    put(scene, #"{"id":"b","sender":{"id":"u2"},"gift":{"id":"g"}}"#)
    scene.settle(instance)
    scene.world.clock.advance(1000)
    put(scene, #"{"type":"retract","sender":{"id":"u1"}}"#)
    run(scene, instance)
    // The next one is shown in its own banner.
    put(scene, #"{"id":"c","sender":{"id":"u1"},"gift":{"id":"g"}}"#)
    run(scene, instance)
    let first = try explain(scene, id: "a")
    #expect(first.lines.count == 2 && first.lines[1].contains(" in banner 1, at once, retracted at "), "\(first.lines)")
    #expect(first.lines[1].hasSuffix(": the banner left the screen"), "\(first.lines)")
    #expect(first.objects[0].contains(#","retracted_at":"#), "\(first.objects)")
    for id in ["b", "c"] {
      let other = try explain(scene, id: id)
      #expect(other.lines.count == 2 && !other.lines[1].contains("retracted"), "\(other.lines)")
      #expect(!other.objects[0].contains("retracted"), "\(other.objects)")
    }
    let all = try explain(scene)
    #expect(all.outcome.gifts == 3 && all.lines.count { $0.contains("retracted") } == 1, "\(all.lines)")
  }

  @Test("reads as in the snapshot")
  func reference() throws {
    let scene = SimScene()
    scene.configuration.settings.slots = 1
    scene.configuration.settings.lingerMs = 10_000
    let instance = scene.start()
    for (id, sender) in [("a", "u1"), ("b", "u2"), ("c", "u3"), ("a", "u4")] {
      put(scene, #"{"id":"\#(id)","sender":{"id":"\#(sender)"},"gift":{"id":"g","value":2.5}}"#)
    }
    put(scene, #"{"id":"d","sender":{"id":"u5"},"gift":{"id":"g"},"count":"x"}"#)
    put(scene, #"{"id":"e","sender":{"id":"u5"},"gift":{"id":"g","na"#)
    put(scene, #"{"type":"room_settings","settings":{"slots":0}}"#, room: "q")
    put(scene, #"{"id":"p","sender":{"id":"u"},"gift":{"id":"g"}}"#, room: "q")
    scene.settle(instance)
    scene.world.clock.advance(1000)
    put(scene, #"{"type":"retract","sender":{"id":"u1"}}"#)
    scene.settle(instance)
    scene.world.kill(instance)
    scene.world.clock.advance(60_000)
    let second = scene.start()
    run(scene, second)
    scene.world.kill(second)
    put(scene, #"{"id":"new","sender":{"id":"u"},"gift":{"id":"g"}}"#)
    let texts = try [
      ("all gifts of a room", explain(scene)), ("a sender", explain(scene, sender: "u5")),
      ("a paused room", explain(scene, room: "q")),
    ].flatMap { what, answer in
      [
        (title: what, text: answer.lines.joined(separator: "\n")),
        ("\(what), for programs", answer.objects.joined(separator: "\n")),
      ]
    }
    try GeneratedPart.expect(snapshot: "explain.txt", is: texts)
  }

  @Test(
    "a gift that was a dead letter and was sent back is reported once, in the order in which it happened, also after two rounds")
  func redriven() throws {
    let scene = SimScene()
    scene.configuration.limits.requireTs = true
    var instance = scene.start()
    let bad = #"{"id":"late","sender":{"id":"u"},"gift":{"id":"g"}}"#
    func send(_ rounds: Int) {
      scene.world.put(
        SimRecord(
          key: Array("r".utf8), value: Array(bad.utf8), timestamp: scene.world.clock.wall,
          headers: rounds == 0 ? [] : [RecordHeader(name: "combo.redriven", value: Array(String(rounds).utf8))]))
      scene.settle(instance)
    }
    send(0)
    put(scene, #"{"id":"good","sender":{"id":"u"},"gift":{"id":"g"},"ts":\#(scene.world.clock.wall)}"#)
    scene.settle(instance)
    send(1)
    scene.world.kill(instance)
    scene.configuration.limits.requireTs = false
    instance = scene.start()
    scene.settle(instance)
    send(2)
    run(scene, instance)
    let answer = try explain(scene, id: "late")
    #expect(answer.outcome.gifts == 1 && answer.outcome.missCount == 0 && answer.lines.count == 2, "\(answer.lines)")
    let reason = "missing_field: ts is missing"
    let story = answer.lines.last ?? ""
    #expect(story.contains("g ×1 from sender u: went to the dead-letter topic (offset 0: \(reason)"), "\(story)")
    #expect(story.contains("), sent back as offset 2; went to the dead-letter topic again (offset 2: \(reason)"), "\(story)")
    #expect(story.contains("), sent back as offset 3; joined banner 1 on screen, seen at "), "\(story)")
    #expect(answer.objects[0].contains(#","redriven":2,"dead_letters":[{"offset":0,"time":"#), "\(answer.objects)")
    // The room's other gifts keep their places.
    let all = try explain(scene, sender: "u")
    #expect(all.lines.count == 3 && all.lines[2] == story && all.outcome.missCount == 0, "\(all.lines)")
  }

  @Test("if a record that was sent back is no gift of the requested room, only its last copy is named")
  func redrivenElsewhere() throws {
    let scene = SimScene()
    scene.configuration.limits.requireTs = true
    let instance = scene.start()
    put(scene, #"{"id":"good","sender":{"id":"u"},"gift":{"id":"g"},"ts":\#(scene.world.clock.wall)}"#)
    for rounds in 0..<3 {
      scene.world.put(
        SimRecord(
          key: Array("r".utf8), value: Array(#"{"id":"late","sender":{"id":"u"},"gift":{"id":"g"}}"#.utf8),
          timestamp: scene.world.clock.wall,
          headers: rounds == 0 ? [] : [RecordHeader(name: "combo.redriven", value: Array(String(rounds).utf8))]))
      scene.settle(instance)
    }
    run(scene, instance)
    let answer = try explain(scene, id: "late", room: "other")
    #expect(answer.outcome.nearest.map(\.offset) == [3] && answer.outcome.nearest[0].kind == .deadLetter, "\(answer.outcome)")
  }

  @Test("dead letters are reported between the gifts before and after them")
  func order() throws {
    let scene = SimScene()
    let instance = scene.start()
    for number in 0..<6 {
      put(
        scene,
        number % 2 == 0
          ? #"{"id":"e\#(number)","sender":{"id":"u"},"gift":{"id":"g"}}"#
          : #"{"id":"e\#(number)","sender":{"id":"u"},"gift":{"id":"g"},"count":"x"}"#)
      scene.settle(instance)
    }
    run(scene, instance)
    let answer = try explain(scene, sender: "u")
    let kinds = answer.lines.dropFirst().map { $0.contains("dead letter, offset ") ? "dead" : "gift" }
    #expect(kinds == ["gift", "dead", "gift", "dead", "gift", "dead"], "\(answer.lines)")
    #expect(answer.objects.map { $0.contains(#""missed":"dead_letter""#) } == [false, true, false, true, false, true])
  }

  @Test(
    "a record that cannot be read is named only if what is asked for is a whole value in it, and then as a guess unless its field is clear"
  )
  func unreadable() throws {
    let scene = SimScene()
    let instance = scene.start()
    put(scene, #"{"id":"e-a","sender":{"id":"ua"},"gift":{"id":"a b"},"a":1,"count":"x"}"#)
    put(scene, #"{"id":"e-1","sender":{"id":"other"},"gift":{"id":"a"},"count":"x"}"#)
    put(scene, #"{"id":"e-2","sender":{"id":"a"},"gift":{"id":"g"},"count":"x"}"#)
    put(scene, #"{"id":"e-3","sender":"a","gift":{"id":"g"}}"#)
    put(scene, #"{"id":"e-4","sender":{"id":"a"},"gift":{"id":"g","na"#)
    run(scene, instance)
    let answer = try explain(scene, sender: "a")
    #expect(answer.outcome.misses.map(\.offset) == [2, 3, 4] && answer.outcome.guessCount == 2, "\(answer.lines)")
    #expect(answer.lines.dropFirst().map { $0.contains(" (a guess: ") } == [false, true, true], "\(answer.lines)")
    #expect(answer.objects.map { $0.contains(#","guess":true"#) } == [false, true, true], "\(answer.objects)")
    #expect(answer.outcome.isSure && answer.outcome.hasFound)
    let guessed = try explain(scene, id: "e-4")
    #expect(guessed.outcome.hasFound && !guessed.outcome.isSure && guessed.outcome.nearest.isEmpty, "\(guessed.outcome)")
  }

  @Test(
    "what is a whole value of a record that cannot be read",
    arguments: [
      (#"{"x":"a"}"#, true), (#"{"a":"x"}"#, false), (#"{"x":"an a"}"#, false), (#"{"x":["b","a"]}"#, true),
      (#"{"x":"\u0061"}"#, true), (#"{"x":"{\"y\":\"a\"}"}"#, true), (#"{"x":"{\"a\":\"y\"}"}"#, false),
      (#"{"x":"a","y"#, true), (#"{"x":"a"#, false), (#"{"a": "x","y"#, false), (#"{"x":"{\"y\":\"a\"}","z"#, true),
      ("cmd@=gift/uid@=a/", true), ("cmd@=gift/uid@=ab/", false), ("cmd=a-b", false), ("", false),
    ])
  func wholeValues(_ record: String, _ isValue: Bool) {
    #expect(match("a", in: record) == (isValue ? .guess : .none))
  }

  @Test(
    "what is a whole number of a record that cannot be read",
    arguments: [
      (#"{"x":12}"#, true), (#"{"x":123}"#, false), (#"{"x":"12"}"#, true), (#"{"x":12,"y"#, true), (#"{"x":[1, 12 ],"y"#, true),
      (#"{"x":112,"y"#, false), (#"{"x":12.5,"y"#, false), (#"{"x":12"#, false), ("12 34", true), ("123", false),
    ])
  func wholeNumbers(_ record: String, _ isValue: Bool) {
    #expect(match("12", in: record) == (isValue ? .guess : .none))
  }

  private func match(_ sender: String, in text: String) -> UnreadRecord.Match {
    var question = GiftQuestion(room: Array("r".utf8))
    question.sender = Array(sender.utf8)
    return Array("r".utf8).withUnsafeBytes { key in
      Array(text.utf8).withUnsafeBytes { value in
        UnreadRecord(record: InputRecord(partition: 0, offset: 0, key: key, value: value), derivation: nil).match(question)
      }
    }
  }

  @Test(
    "an object has all that the words have: place, wait behind others, worth, the first gift of a duplicate, an outage, a pause")
  func objects() throws {
    let scene = SimScene()
    scene.configuration.settings.slots = 1
    let instance = scene.start()
    for (id, sender) in [("a", "u1"), ("b", "u2"), ("c", "u3"), ("a", "u4")] {
      put(scene, #"{"id":"\#(id)","sender":{"id":"\#(sender)"},"gift":{"id":"g","value":2.5}}"#)
    }
    put(scene, #"{"type":"room_settings","settings":{"slots":0}}"#, room: "q")
    put(scene, #"{"id":"p","sender":{"id":"u"},"gift":{"id":"g"}}"#, room: "q")
    scene.settle(instance)
    scene.world.kill(instance)
    scene.world.clock.advance(60_000)
    let second = scene.start()
    run(scene, second)
    let objects = try explain(scene).objects
    #expect(objects.count == 4 && objects[0].contains(#","partition":0,"offset":0,"sent_at":"#), "\(objects)")
    #expect(objects[2].contains(#","waiting_before":1,"worth":2.5,"away_ms":"#), "\(objects)")
    #expect(objects[3].hasSuffix(#","first_offset":0}"#) && objects[3].contains(#""became":"duplicate""#), "\(objects)")
    #expect(try explain(scene, room: "q").objects[0].hasSuffix(#","paused":true}"#))
    scene.world.kill(second)
    put(scene, #"{"id":"new","sender":{"id":"u"},"gift":{"id":"g"}}"#)
    let waiting = try explain(scene, id: "new")
    #expect(waiting.objects[0].contains(#""missed":"not_committed""#), "\(waiting.objects)")
    #expect(
      waiting.objects[0].contains(#","group_entry":"#) && waiting.objects[0].contains(#","group_time":"#), "\(waiting.objects)")
  }
}
