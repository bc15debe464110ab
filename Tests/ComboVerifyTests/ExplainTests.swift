import ComboCore
import ComboEdge
import ComboRooms
import ComboService
import ComboSystem
import ComboWire
import Testing

@testable import ComboSimulation
@testable import ComboVerify

/// Explanations of gifts, derived from simulated topics.
@Suite("The fate of a gift, from topics")
struct ExplainTests {
  /// Returns all gifts of a question, and the outcome.
  func explain(
    _ scene: SimScene, _ question: GiftQuestion
  ) throws -> (gifts: [ExplainedGift], outcome: Explainer.Outcome) {
    scene.world.broker.settleAll()
    var explainer = Explainer(SimReadEdge(scene.world.broker, instance: nil), topics: scene.world.topics, notice: { _ in })
    explainer.placement = { key, count in Int(SimBroker.partition(of: [UInt8](key), count)) }
    var gifts: [ExplainedGift] = []
    let outcome = try explainer.run(question) { finding, _ in
      if case .gift(let gift) = finding { gifts.append(gift) }
      return true
    }
    return (gifts, outcome)
  }

  func question(_ room: String) -> GiftQuestion { GiftQuestion(room: Array(room.utf8)) }

  /// Sends bursts, with kills in between, to crowded rooms whose banners wait, are merged and are skipped.
  func story(_ scene: SimScene, bursts: Int = 4) {
    scene.configuration.settings.slots = 1
    scene.configuration.settings.maxQueue = 3
    var instance = scene.start()
    for burst in 0..<bursts {
      for number in 0..<40 {
        scene.gift("r\(number % 2)", sender: "u\((number * 7 + burst) % 9)", count: 1 + number % 3)
        scene.turn(instance, number % 3)
      }
      scene.settle(instance)
      scene.world.kill(instance)
      instance = scene.start()
    }
    scene.settle(instance)
    for _ in 0..<40 {
      scene.world.clock.advance(400)
      scene.turn(instance, 3)
    }
  }

  /// Returns the gifts that the committed output of a room shows and skips, summed from each instruction.
  func totals(_ scene: SimScene, _ room: String) throws -> (seen: [String: Int], skipped: Int) {
    var seen: [String: Int] = [:]
    var shown: [Int: Int] = [:]
    var skipped: Int = 0
    for line in scene.lines(.output) {
      let value = try #require(Array(line.utf8).withUnsafeBytes { JSONValue($0) })
      guard value["room"]?.string == room, let op = value["op"]?.string, let count = value["count"]?.integer else { continue }
      if op == "skip" {
        skipped += count
        continue
      }
      let (banner, at) = (try #require(value["banner"]?.integer), try #require(value["at"]?.integer))
      var added = 0
      switch op {
      case "show": added = count - (value["base"]?.integer ?? 0)
      case "update", "dismiss": added = count - (shown[banner] ?? 0)
      default: continue
      }
      shown[banner] = count
      if added > 0 { seen["\(at) \(op) \(banner)", default: 0] += added }
    }
    return (seen, skipped)
  }

  @Test("adds up to the shown and skipped gifts of the output, instruction by instruction, over kills and shifts")
  func conservation() throws {
    let scene = SimScene()
    story(scene)
    for room in ["r0", "r1"] {
      let (gifts, outcome) = try explain(scene, question(room))
      #expect(gifts.count == 80 && outcome.partitions.count == 1 && outcome.partitions[0].faults == [], "\(outcome)")
      var seen: [String: Int] = [:]
      var skipped: Int = 0
      for gift in gifts {
        switch gift.fate.end {
        case .seen(let at, let by, let banner): seen["\(at) \(by) \(banner)", default: 0] += gift.fate.taken.count
        case .skipped: skipped += gift.fate.taken.count
        case .open, .forgotten: Issue.record("\(gift)")
        }
      }
      let totals = try totals(scene, room)
      #expect(seen == totals.seen && skipped == totals.skipped)
      #expect(skipped > 0 && Set(gifts.map(\.fate.taken.outcome)).count >= 2)
      #expect(gifts.map(\.offset) == gifts.map(\.offset).sorted() && Set(gifts.map(\.offset)).count == 80)
    }
  }

  @Test("from the nearest checkpoint is the same as from the beginning, and reads less")
  func checkpoints() throws {
    let scene = SimScene(seed: 2)
    scene.configuration.checkpointIntervalMs = 50
    story(scene, bursts: 6)
    let (all, whole) = try explain(scene, question("r1"))
    #expect(whole.partitions[0].from == 0 && all.count == 120)
    var fromCheckpoint = 0
    for place in stride(from: 5, to: 120, by: 9) {
      var question = question("r1")
      question.since = all[place].fate.taken.at
      question.until = question.since + 200
      let (some, outcome) = try explain(scene, question)
      // Gifts match by their own time, too: sent before the question's time and processed within it, or the other way round.
      let expected = all.filter { gift in
        let own = scene.world.broker.log(.input, 0).records.first { $0.offset == gift.offset }!.timestamp!
        return question.holds(gift.fate.taken.at) || question.holds(own)
      }
      #expect(some == expected, "since \(question.since)")
      if outcome.partitions[0].from > 0 { fromCheckpoint += 1 }
    }
    #expect(fromCheckpoint > 3)
  }

  @Test(
    "from a checkpoint without the room, whose older record a later one replaced, says what it says from the beginning",
    arguments: [false, true])
  func replaced(isNewest: Bool) throws {
    let topics = VerifyScene()
    let scene = topics.scene
    scene.configuration.checkpointIntervalMs = 50
    let instance = scene.start()
    for _ in 0..<6 {
      topics.burst(instance)
      scene.world.clock.advance(400)
      scene.turn(instance, 3)
    }
    let (all, _) = try explain(scene, question("r1"))
    func ask(since clock: Int64, until end: Int64 = .max) throws -> Int {
      var question = question("r1")
      (question.since, question.until) = (clock, end)
      let (some, _) = try explain(scene, question)
      let expected = all.filter { gift in
        let sent = scene.world.broker.log(.input, 0).records.first { $0.offset == gift.offset }!.timestamp!
        return question.holds(gift.fate.taken.at) || question.holds(sent)
      }
      #expect(some == expected, "since \(clock)")
      return some.count
    }
    let (keys, decoder) = (StateKeyDecoder(), StateDecoder())
    let records = topics.records(.state)
    var old: [VerifyScene.Found] = []
    var checkpoint: (clock: Int64, found: VerifyScene.Found)?
    var isReplaced = false
    var asked = 0
    for found in records where found.record.isCommitted {
      let key = found.record.key!
      switch try key.withUnsafeBytes({ try keys.key($0) }) {
      case .checkpoint:
        let clock = try key.withUnsafeBytes { key in
          try found.record.value!.withUnsafeBytes { try decoder.checkpoint($0, key: key).clock }
        }
        if isReplaced, let checkpoint {
          asked += try ask(since: checkpoint.clock)
          asked += try ask(since: checkpoint.clock, until: clock - 1)
        }
        checkpoint = (clock, found)
        isReplaced = false
        old.append(found)
      case .room where key == Array(#"["room","r1"]"#.utf8):
        // Compacts up to this record: of the older ones, only the newest checkpoint stays.
        for older in old where older.index != checkpoint?.found.index { older.remove() }
        old = [checkpoint?.found, found].compactMap(\.self)
        isReplaced = true
        if isNewest, let checkpoint, found.index > records.count / 2 {
          for later in records where later.index > found.index { later.remove() }
          asked = try ask(since: checkpoint.clock)
        }
      case .room, .part: break
      }
    }
    #expect(asked > 20)
  }

  @Test("a journal with an entry of another group leads to a sentence")
  func foreign() throws {
    let topics = VerifyScene()
    topics.story()
    let victim = topics.records(.journal)[2]
    var entry = try topics.entry(victim)
    entry.of = TopicIdentity(group: "other", input: "gifts", output: "screens").hash
    topics.replace(entry, at: victim)
    let fault = #expect(throws: VerifyFault.self) { try explain(topics.scene, question("r1")) }
    #expect(fault?.description.contains("offset \(victim.record.offset): the journal belongs to another group") == true)
  }

  @Test("a room that was awake when journal and input begin is known after a rest; earlier gifts are reported as unknown")
  func beginningGone() throws {
    let scene = SimScene()
    let instance = scene.start()
    for number in 0..<20 {
      scene.gift("r", sender: "u\(number % 3)")
      scene.turn(instance, 3)
    }
    scene.settle(instance)
    scene.world.kill(instance)
    let second = scene.start()
    scene.gift("r", sender: "early")
    scene.settle(second)
    scene.world.clock.advance(2 * EventDecoder.longestStreakMs)
    scene.turn(second, 40)
    scene.gift("r", sender: "late")
    scene.settle(second)
    let takeovers = scene.writtenEntries.filter { $0.entry.takeover != nil }
    #expect(takeovers.count >= 2)
    scene.world.broker.log(.journal, 0).cut(before: takeovers[1].offset)
    var early = question("r")
    early.sender = Array("early".utf8)
    let (none, missed) = try explain(scene, early)
    #expect(none.isEmpty && missed.misses.map(\.kind) == [.beforeJournal], "\(missed)")
    var late = question("r")
    late.sender = Array("late".utf8)
    let (found, outcome) = try explain(scene, late)
    #expect(found.count == 1 && found[0].fate.taken.outcome == .new && outcome.misses.isEmpty, "\(outcome)")
  }

  @Test("gifts above the maximum age reach no room, in any derivation alike, and a later total counts them in")
  func maximumAge() throws {
    let scene = SimScene()
    scene.configuration.settings.streakMs = 60_000
    scene.configuration.limits.maxAgeMs = 1000
    let instance = scene.start()
    let total = { (total: Int, more: String) in
      #"{"sender":{"id":"u"},"gift":{"id":"g"},"total":\#(total),"streak":"s"\#(more)}"#
    }
    scene.world.put("r", total(2, ""))
    scene.settle(instance)
    scene.world.kill(instance)
    // An outage. The age of a gift follows from its own time or from that of its record.
    scene.world.put("r", total(5, ""))
    scene.gift("asleep", sender: "old")
    scene.world.clock.advance(5000)
    scene.world.put("r", #"{"sender":{"id":"told"},"gift":{"id":"g"},"ts":\#(scene.world.clock.wall - 4000)}"#)
    scene.world.put("r", total(8, #","ts":\#(scene.world.clock.wall - 100)"#))
    let second = scene.start()
    scene.settle(second)
    for _ in 0..<20 {
      scene.world.clock.advance(400)
      scene.turn(second, 3)
    }
    let (gifts, outcome) = try explain(scene, question("r"))
    #expect(gifts.map(\.fate.taken.outcome).filter { $0 == .old }.count == 2 && outcome.partitions[0].faults == [], "\(gifts)")
    #expect(gifts.map(\.fate.taken.count) == [2, 0, 0, 6], "\(gifts)")
    let (asleep, _) = try explain(scene, question("asleep"))
    #expect(asleep.map(\.fate.taken.outcome) == [.old] && !scene.lines(.output).contains { $0.contains("asleep") })
    let buffer = ByteBuffer()
    Array(#""asleep""#.utf8).withUnsafeBytes { asleep[0].fate.write(room: $0, to: buffer) }
    #expect(
      String(decoding: buffer.bytes, as: UTF8.self)
        == #"{"room":"asleep","at":\#(asleep[0].fate.taken.at),"sender":"old","gift":"g","n":0,"became":"old"}"#)
    #expect(second.service.totals.tally.old == 3)
    // Restore and verify derive the same.
    scene.world.kill(second)
    #expect(scene.finish() == [])
    scene.world.broker.settleAll()
    var options = Verifier.Options()
    options.placement = { key, count in Int(SimBroker.partition(of: [UInt8](key), count)) }
    let report = try Verifier(SimReadEdge(scene.world.broker, instance: nil), topics: scene.world.topics, options: options).run()
    #expect(report.isProven && report.findings.byKind.isEmpty, "\(report.summary)")
    #expect(scene.entries.compactMap { $0.takeover?.derivation.limits.maxAgeMs }.allSatisfy { $0 == 1000 })
  }

  @Test("records that are not committed yet are read as the newest takeover reads records")
  func newestReading() throws {
    let scene = SimScene()
    for readsRoom in [false, true] {
      scene.configuration.limits.roomFromBody = readsRoom
      let instance = scene.start()
      scene.gift("r")
      scene.settle(instance)
      scene.world.kill(instance)
    }
    let count = scene.world.broker.partitions(.input).count
    func partition(_ key: String) -> Int32 { SimBroker.partition(of: Array(key.utf8), count) }
    let key = (0...).lazy.map { "other-\($0)" }.first { partition($0) == partition("r") }!
    scene.world.put(key, #"{"room":"r","sender":{"id":"late"},"gift":{"id":"g"}}"#)
    var question = question("r")
    question.sender = Array("late".utf8)
    let (_, outcome) = try explain(scene, question)
    #expect(outcome.misses.map(\.kind) == [.notCommitted] && outcome.misses.map(\.detail) == [""], "\(outcome)")
  }

  @Test("after a reset, gifts that waited are reported as forgotten, and those of the new epoch are not mixed up with them")
  func reset() throws {
    let scene = SimScene()
    scene.configuration.settings.slots = 1
    let instance = scene.start()
    for number in 0..<6 { scene.gift("r", sender: "u\(number)") }
    scene.settle(instance)
    scene.world.kill(instance)
    // An operator skips a gift.
    scene.gift("r", sender: "jumped")
    let end = scene.world.broker.log(.input, 0).end
    scene.configuration.purpose = .seek([0: end])
    let mover = scene.start()
    scene.turn(mover, 60)
    scene.world.kill(mover)
    scene.configuration.purpose = .service
    let second = scene.start()
    scene.gift("r", sender: "after")
    scene.settle(second)
    for _ in 0..<20 {
      scene.world.clock.advance(400)
      scene.turn(second, 3)
    }
    let (gifts, outcome) = try explain(scene, question("r"))
    #expect(gifts.count == 7 && outcome.partitions[0].faults == [], "\(outcome)")
    #expect(gifts.count { $0.fate.end == .forgotten } >= 4)
    guard case .seen? = gifts.last?.fate.end else {
      Issue.record("\(gifts)")
      return
    }
    #expect(outcome.misses.map(\.kind) == [.passedOver])
  }
}
