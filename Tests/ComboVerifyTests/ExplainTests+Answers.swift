import ComboCore
import ComboEdge
import ComboRooms
import ComboService
import ComboSystem
import ComboWire
import Testing

@testable import ComboSimulation
@testable import ComboVerify

extension ExplainTests {
  func put(_ scene: SimScene, _ id: String, sender: String = "u", gift: String = "g", room: String = "r") {
    scene.world.put(room, #"{"id":"\#(id)","sender":{"id":"\#(sender)"},"gift":{"id":"\#(gift)"}}"#)
  }

  @Test("where the group has committed nothing yet, a gift is reported as not committed")
  func nothingCommitted() throws {
    let scene = SimScene()
    put(scene, "a")
    var question = question("r")
    question.id = Array("a".utf8)
    let (gifts, outcome) = try explain(scene, question)
    #expect(gifts.isEmpty && outcome.misses.map(\.kind) == [.notCommitted] && outcome.misses.map(\.offset) == [0], "\(outcome)")
  }

  @Test("a gift that was processed at the very time of a checkpoint is found, although the checkpoint contains it")
  func atCheckpoint() throws {
    let topics = VerifyScene()
    let scene = topics.scene
    scene.configuration.checkpointGifts = 2
    let instance = scene.start()
    scene.gift("r0")
    scene.settle(instance)
    topics.rest(instance)
    scene.world.clock.moves = 0
    scene.gift("new")
    for _ in 0..<100 {
      if try topics.checkpoint() != nil { break }
      scene.world.clock.advance(20)
      scene.turn(instance)
    }
    let clock = try #require(try topics.checkpoint()).clock
    scene.gift("new")
    scene.settle(instance)
    var question = question("new")
    (question.since, question.until) = (clock, clock + 1)
    #expect(try explain(scene, question).gifts.map(\.fate.taken.at) == [clock])
  }

  @Test("a time that ends within an entry is no fault, and the gift of another time is named")
  func endsWithinAnEntry() throws {
    let scene = SimScene()
    let instance = scene.start()
    for number in 0..<6 { scene.gift("r", sender: "u\(number)") }
    scene.settle(instance)
    scene.world.kill(instance)
    var early = question("r")
    early.since = 1
    early.until = 2
    let (none, outcome) = try explain(scene, early)
    #expect(none.isEmpty && outcome.partitions[0].faults == [], "\(outcome)")
    #expect(outcome.nearest.map(\.kind) == [.otherTime] && outcome.nearest[0].offset == 0, "\(outcome)")
  }

  @Test("a duplicate names the gift whose id is remembered, not one whose id had been forgotten, also from a checkpoint on")
  func duplicates() throws {
    let scene = SimScene()
    scene.configuration.settings.maxIds = 2
    scene.configuration.settings.dedupeMs = 60_000
    scene.configuration.checkpointIntervalMs = 50
    let instance = scene.start()
    for id in ["a", "b", "c", "a", "a", "c"] {
      put(scene, id)
      scene.settle(instance)
    }
    for _ in 0..<20 {
      scene.world.clock.advance(20)
      scene.turn(instance, 2)
    }
    let before = scene.world.clock.wall
    scene.world.clock.advance(20)
    put(scene, "a")
    scene.settle(instance)
    let (all, _) = try explain(scene, question("r"))
    #expect(all.map { $0.fate.taken.outcome == .duplicate } == [false, false, false, false, true, true, true], "\(all)")
    #expect(all.map(\.firstOffset) == [nil, nil, nil, nil, 3, 2, 3], "\(all)")
    var last = question("r")
    last.since = before
    let (some, outcome) = try explain(scene, last)
    #expect(outcome.partitions[0].from > 3 && some.map(\.firstOffset) == [3], "\(some) \(outcome)")
  }

  @Test("gifts of an input that was created again are not taken for those of the old one")
  func createdAgain() throws {
    let scene = SimScene()
    let instance = scene.start()
    for number in 0..<6 {
      scene.gift("r", sender: "u\(number)")
      scene.settle(instance)
    }
    scene.world.kill(instance)
    scene.world.broker.log(.input, 0).makeAnew()
    scene.gift("r", sender: "new")
    let (gifts, outcome) = try explain(scene, question("r"))
    #expect(gifts.isEmpty && outcome.partitions[0].faults.count == 1, "\(gifts) \(outcome)")
    #expect(outcome.misses.map(\.kind) == [.beforeJournal] && outcome.misses[0].offset == 0, "\(outcome)")
  }

  @Test("a gift that waits in a room without slots is reported with that reason")
  func paused() throws {
    let scene = SimScene()
    let instance = scene.start()
    scene.world.put("r", #"{"type":"room_settings","settings":{"slots":0}}"#)
    scene.gift("r", sender: "first")
    scene.gift("q", sender: "second")
    scene.gift("q", sender: "third")
    scene.settle(instance)
    var words = GiftWords()
    let paused = try explain(scene, question("r")).gifts
    #expect(paused.count == 1 && words.text(of: paused[0]).hasSuffix(", still waits: the room is paused, as slots is 0\n"))
    #expect(try explain(scene, question("q")).gifts.allSatisfy { !$0.isPaused })
  }

  @Test("an outage is distinguished from the rest of a wait")
  func outage() throws {
    let scene = SimScene()
    scene.configuration.settings.slots = 1
    let instance = scene.start()
    scene.gift("r", sender: "first")
    scene.gift("r", sender: "second")
    scene.settle(instance)
    scene.world.kill(instance)
    scene.world.clock.advance(60_000)
    let second = scene.start()
    scene.settle(second)
    for _ in 0..<20 {
      scene.world.clock.advance(400)
      scene.turn(second, 3)
    }
    scene.gift("r", sender: "third")
    scene.settle(second)
    let (gifts, _) = try explain(scene, question("r"))
    #expect(gifts.count == 3 && gifts[0].awayMs == 0 && gifts[2].awayMs == 0, "\(gifts)")
    guard case .seen(let at, _, _) = gifts[1].fate.end else {
      Issue.record("\(gifts)")
      return
    }
    let rest = at - gifts[1].fate.taken.at - gifts[1].awayMs
    #expect(gifts[1].awayMs > 50_000 && (0...1000).contains(rest), "\(gifts[1])")
    var words = GiftWords()
    #expect(words.text(of: gifts[1]).hasSuffix(" s of that time)\n"))
  }

  @Test("a name that is spelled in another way, an id of another sender and another kind of gift are named as the nearest")
  func nearest() throws {
    let scene = SimScene()
    let instance = scene.start()
    put(scene, "one", sender: "Anna_01", gift: "rocket")
    put(scene, "two", sender: "bob", gift: "rose")
    scene.settle(instance)
    func nearest(sender: String? = nil, gift: String? = nil, id: String? = nil) throws -> [GiftMiss.Kind] {
      var asked = question("r")
      asked.sender = sender.map { Array($0.utf8) }
      asked.gift = gift.map { Array($0.utf8) }
      asked.id = id.map { Array($0.utf8) }
      let (gifts, outcome) = try explain(scene, asked)
      #expect(gifts.isEmpty && outcome.misses.isEmpty && !outcome.hasFound)
      return outcome.nearest.map(\.kind)
    }
    #expect(try nearest(sender: "@anna01") == [.otherSender])
    #expect(try nearest(sender: "carl") == [])
    #expect(try nearest(sender: "anna_01", gift: "rose") == [])
    #expect(try nearest(sender: "bob", gift: "rocket") == [.otherGift])
    #expect(try nearest(gift: "ROCKET") == [.otherGift])
    #expect(try nearest(sender: "bob", id: "one") == [.otherSender])
    #expect(try nearest(gift: "rose", id: "one") == [.otherGift])
    #expect(try nearest(id: "three") == [])
  }

  @Test(
    "a gift that another partitioner put elsewhere is explained there, and one with a wrong key is a dead letter",
    arguments: ["", "gifts:"])
  func elsewhere(prefix: String) throws {
    let scene = SimScene(partitions: 3)
    scene.configuration.limits.roomPrefix = prefix
    let instance = scene.start()
    scene.gift("r")
    scene.gift("other", sender: "x")
    let own = SimBroker.partition(of: Array("r".utf8), 3)
    let other = Int32((Int(own) + 1) % 3)
    let log = scene.world.broker.log(.input, other)
    log.append(
      SimRecord(
        key: Array("r".utf8), value: Array(#"{"sender":{"id":"lost"},"gift":{"id":"g"}}"#.utf8), timestamp: scene.world.clock.wall
      ))
    log.append(
      SimRecord(
        key: Array("q".utf8), value: Array(#"{"room":"r","sender":{"id":"key"},"gift":{"id":"g"}}"#.utf8),
        timestamp: scene.world.clock.wall))
    let alone = (0...).lazy.map { "s\($0)" }.first { SimBroker.partition(of: Array($0.utf8), 3) == own }!
    for count in [1, -1] {
      log.append(
        SimRecord(
          key: Array(alone.utf8), value: Array(#"{"sender":{"id":"a"},"gift":{"id":"g"},"count":\#(count)}"#.utf8),
          timestamp: scene.world.clock.wall))
    }
    scene.settle(instance)
    let (all, others) = try explain(scene, question(prefix + alone))
    #expect(all.map(\.partition) == [other] && others.misses.map(\.kind) == [.deadLetter], "\(others)")
    var asked = question(prefix + "r")
    asked.sender = Array("lost".utf8)
    let (found, outcome) = try explain(scene, asked)
    #expect(found.count == 1 && found[0].partition == other && outcome.misses.isEmpty, "\(outcome)")
    asked.sender = Array("key".utf8)
    let (_, wrongKey) = try explain(scene, asked)
    #expect(wrongKey.misses.map(\.kind) == [.deadLetter] && wrongKey.misses[0].detail.hasPrefix("wrong_key: "), "\(wrongKey)")
    #expect(wrongKey.nearest.isEmpty && !wrongKey.misses[0].isGuess)
    asked.sender = Array("x".utf8)
    let (_, otherRoom) = try explain(scene, asked)
    #expect(otherRoom.nearest.map(\.kind) == [.otherRoom] && otherRoom.nearest[0].detail == prefix + "other", "\(otherRoom)")
  }
}
