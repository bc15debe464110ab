import ComboCore
import ComboEdge
import ComboGenerate
import ComboSystem
import ComboWire
import Testing

@testable import ComboCommands
@testable import ComboTestSupport

/// The guarantees of the service, both on brokers and on the log of `live` and `demo`.
@Suite("The service on any ground")
struct ServicePromiseTests {
  private static let good = #""sender":{"id":"u"},"gift":{"id":"g"}"#

  /// A bad event for each code, under the key `r`.
  private static let bad: [(code: String, value: [UInt8], why: String)] = [
    ("too_large", Array(#"{"room":"r",\#(good),"x":"\#(String(repeating: "a", count: 65_500))"}"#.utf8), "65536"),
    ("not_json", Array("{".utf8), ""),
    ("not_json", [], ""),
    ("not_json", Array(#"{"room":"r",\#(good),"x":"\ud800"}"#.utf8), ""),
    ("not_json", Array(#"{"room":"r","x":""#.utf8) + [0xff, 0xfe] + Array(#""}"#.utf8), ""),
    ("not_json", Array((String(repeating: #"{"a":"#, count: 65) + "1" + String(repeating: "}", count: 65)).utf8), "64"),
    ("unknown_type", Array(#"{"type":"gifts","room":"r"}"#.utf8), "gifts"),
    ("missing_field", Array(#"{"room":"r","gift":{"id":"g"}}"#.utf8), "sender"),
    ("wrong_type", Array(#"{"room":"r",\#(good),"count":1.5}"#.utf8), "count"),
    ("wrong_type", Array(#"{"room":"r",\#(good),"count":1e3}"#.utf8), "count"),
    ("wrong_key", Array(#"{"room":"other",\#(good)}"#.utf8), "other"),
    ("out_of_range", Array(#"{"room":"r",\#(good),"count":1000001}"#.utf8), "1000000"),
    ("out_of_range", Array(#"{"room":"r",\#(good),"count":18446744073709551617}"#.utf8), "count"),
    ("out_of_range", Array(#"{"room":"r",\#(good),"count":1,"total":1}"#.utf8), "total"),
    ("out_of_range", Array(#"{"type":"room_settings","room":"r","settings":{"slots":101}}"#.utf8), "slots"),
  ]

  @Test(
    "each gift comes out once, under the room as key, with `at` as the timestamp, where Java's producer would put it",
    arguments: GroundKind.all)
  func flow(kind: GroundKind) throws {
    // These values are from the tests of Kafka's own Utils.murmur2.
    for (text, hash) in [("21", -973_932_308), ("foobar", -790_332_482), ("a-little-bit-long-string", -985_981_536)] {
      #expect(Int(Int32(bitPattern: JavaPartitioner.murmur2(Array(text.utf8)))) == hash)
    }
    let group = try kind.make(partitions: 4)
    let service = try group.start(TestGroup.fast)
    let rooms = (0..<20).map { "room-\($0)" } + ["房间", "a room with spaces"]
    var gifts: [TestGift] = []
    for round in 1...5 { gifts += rooms.map { TestGift(room: $0, sender: "u\(round % 2)", count: round) } }
    try group.give(gifts)
    let ledger = try group.waitUntilSaid(Dictionary(uniqueKeysWithValues: rooms.map { ($0, 15) }), service)
    #expect(ledger.ops["show", default: 0] >= rooms.count)
    #expect(ledger.epochs.allSatisfy { $0.value.count == 1 })
    try service.stop()
    #expect(service.progress.last?.hasPrefix("events \(gifts.count) instructions ") == true, "\(service.text)")
    #expect(service.progress.last?.hasSuffix(" bad 0") == true)
    try group.verify()
  }

  @Test(
    "--from latest skips the records that were there before; a group that has a journal continues where it was",
    arguments: GroundKind.all)
  func fromLatest(kind: GroundKind) throws {
    let group = try kind.make(partitions: 1)
    try group.give([TestGift(room: "old", count: 1)])
    let service = try group.start(TestGroup.fast + ["--from", "latest"])
    try service.waitForLog("new: partition 0, read from its end, offset 1")
    try group.give([TestGift(room: "new", count: 2)])
    try group.waitUntilSaid(["new": 2], service)
    try service.stop()
    try group.give([TestGift(room: "meanwhile", count: 3)])
    let again = try group.start(TestGroup.fast + ["--from", "latest"])
    try group.waitUntilSaid(["new": 2, "meanwhile": 3], again)
    try again.stop()
    try group.verify()
  }

  @Test("every combo continues from its count, and the takeover names the new settings", arguments: GroundKind.all)
  func otherSettings(kind: GroundKind) throws {
    let group = try kind.make(partitions: 2)
    let rooms = (0..<20).map { "r\($0)" }
    func counts(_ each: Int) -> [String: Int] { Dictionary(uniqueKeysWithValues: rooms.map { ($0, each) }) }
    // Banners stay for an hour, so that none ends unobserved.
    let first = try group.start(["--slots", "2", "--linger-ms", "3600000", "--busy-linger-ms", "3600000"])
    for sender in ["a", "b"] { try group.give(rooms.map { TestGift(room: $0, sender: sender, count: 2) }) }
    let before = try group.waitUntilSaid(counts(4), first)
    #expect(before.ops["show"] == 40)
    try first.stop()

    let second = try group.start(["--slots", "3", "--linger-ms", "3599999", "--busy-linger-ms", "3600000"])
    try second.waitForLog("restored: ", count: 2)
    for sender in ["a", "b", "c"] { try group.give(rooms.map { TestGift(room: $0, sender: sender, count: 5) }) }
    let after = try group.waitUntilSaid(counts(19), second)
    // The two on screen were updated, not shown again; the third got a slot.
    #expect(after.ops["show"] == 60)
    #expect(after.ops["dismiss"] == nil)
    #expect(after.epochs.allSatisfy { $0.value.count == 1 })
    try second.stop()

    for entries in try group.journal() {
      let takeovers = entries.compactMap(\.takeover)
      #expect(takeovers.map(\.derivation.settings.slots) == [2, 3])
      #expect(takeovers.map(\.derivation.settings.lingerMs) == [3_600_000, 3_599_999])
      #expect(takeovers.allSatisfy { $0.reset == nil && $0.delivery == .exactlyOnce })
      #expect(takeovers.allSatisfy { $0.topics == group.identity })
    }
    try group.verify()
  }

  @Test("after several changes without a checkpoint between, all of them are run through again", arguments: GroundKind.all)
  func manyChanges(kind: GroundKind) throws {
    let group = try kind.make(partitions: 1)
    let linger = ["--linger-ms", "3600000", "--busy-linger-ms", "3600000"]
    var expected = 0
    for slots in [1, 4, 2, 3] {
      let service = try group.startMortal(linger + ["--slots", "\(slots)"])
      expected += 10
      try group.give((0..<10).map { TestGift(room: "r", sender: "s\($0)") })
      try group.waitUntilTakenIn(service)
      // A crash leaves no snapshots.
      try group.crash(service)
    }
    let last = try group.start(linger)
    try last.waitForLog("restored: ", "with the same result")
    try group.put([TestGift.close("r")])
    try group.waitUntilSaid(["r": expected], last)
    try last.stop()
    try group.verify()
  }

  @Test(
    "every code: bytes, key, timestamp and headers are kept, and combo.* say what was wrong and where",
    arguments: GroundKind.all)
  func everyCode(kind: GroundKind) throws {
    let group = try kind.make(partitions: 2)
    var given = Self.bad.enumerated().map { index, bad in
      var record = TestRecord(key: Array("r".utf8), value: bad.value)
      record.timestamp = 1_700_000_000_000 + Int64(index)
      record.headers = [
        RecordHeader(name: "trace", value: Array("t-\(index)".utf8)), RecordHeader(name: "empty", value: []),
        RecordHeader(name: "none", value: nil), RecordHeader(name: "trace", value: [0, 255]),
      ]
      return record
    }
    given[1].headers = []
    let service = try group.start(TestGroup.fast)
    try group.put(given)
    try group.give([TestGift(room: "r", count: 3)])
    try group.waitUntilSaid(["r": 3], service)
    try service.stop()

    let input = try group.records(of: .input)
    let letters = try group.records(of: .deadLetter)
    #expect(letters.count == given.count)
    for (index, bad) in Self.bad.enumerated() {
      let letter = try #require(letters.first { $0.timestamp == given[index].timestamp }, "\(bad.code)")
      let origin = try #require(input.first { $0.timestamp == given[index].timestamp })
      #expect(letter.value == bad.value && letter.key == given[index].key)
      #expect(Array(letter.headers.prefix(given[index].headers.count)) == given[index].headers)
      #expect(
        letter.headers.dropFirst(given[index].headers.count).map(\.name)
          == ["combo.error", "combo.reason", "combo.topic", "combo.partition", "combo.offset"])
      #expect(letter.header("combo.error") == bad.code)
      #expect(letter.header("combo.reason")?.contains(bad.why) == true, "\(letter.header("combo.reason") ?? "")")
      #expect((letter.header("combo.reason")?.count ?? 0) > 15)
      #expect(letter.header("combo.topic") == group.identity.input)
      #expect(letter.header("combo.partition") == "\(origin.partition!)")
      #expect(letter.header("combo.offset") == "\(origin.offset)")
      // The key decides, as with Java's producer.
      #expect(letter.partition == origin.partition)
    }
    #expect(service.progress.last?.hasSuffix(" bad \(given.count)") == true, "\(service.text)")
    try group.verify()
  }

  @Test(
    "keys that are no UTF-8, rooms of 257 bytes, and records without key are dead letters; 256 bytes are a room",
    arguments: GroundKind.all)
  func keys(kind: GroundKind) throws {
    let group = try kind.make(partitions: 1)
    let long = String(repeating: "r", count: 257)
    let notText: [UInt8] = [0x72, 0xff, 0xfe]
    let service = try group.start(TestGroup.fast)
    var records = [
      TestRecord(key: notText, value: Array(#"{"room":"r",\#(Self.good)}"#.utf8)),
      TestRecord(key: notText, value: Array(#"{\#(Self.good)}"#.utf8)),
      TestRecord(key: long, #"{"room":"\#(long)",\#(Self.good)}"#),
      TestRecord(key: long, #"{\#(Self.good)}"#),
      TestRecord(key: nil, #"{"room":"r",\#(Self.good)}"#),
      TestRecord(key: nil, #"{\#(Self.good)}"#),
      TestRecord(key: "", #"{\#(Self.good)}"#),
    ]
    for index in records.indices { records[index].timestamp = 1_700_000_000_000 + Int64(index) }
    try group.put(records)
    let longest = String(repeating: "r", count: 256)
    try group.give([TestGift(room: longest)])
    // Without a room in the event, the key is the room.
    try group.put([TestRecord(key: "by-key", #"{\#(Self.good),"count":2}"#)])
    try group.waitUntilSaid([longest: 1, "by-key": 2], service)
    try service.stop()
    let letters = try group.records(of: .deadLetter).sorted { $0.timestamp! < $1.timestamp! }
    #expect(letters.map(\.key) == records.map(\.key))
    #expect(letters.map(\.value) == records.map(\.value))
    for letter in letters { #expect(letter.header("combo.reason")?.isEmpty == false) }
    #expect(
      letters.map { $0.header("combo.error")! }
        == ["wrong_key", "wrong_key", "out_of_range", "out_of_range", "wrong_key", "missing_field", "out_of_range"])
    try group.verify()
  }

  @Test("a record without value is skipped and counted as taken in, and is no dead letter", arguments: GroundKind.all)
  func withoutValue(kind: GroundKind) throws {
    let group = try kind.make(partitions: 1)
    let service = try group.start(TestGroup.fast)
    try group.put([TestRecord(key: Array("r".utf8), value: nil), TestRecord(key: nil, value: nil)])
    try group.give([TestGift(room: "r")])
    try group.waitUntilSaid(["r": 1], service)
    try service.stop()
    #expect(service.progress.last?.hasPrefix("events 3 ") == true, "\(service.text)")
    #expect(service.progress.last?.hasSuffix(" bad 0") == true)
    #expect(try group.records(of: .deadLetter).isEmpty)
    try group.verify()
  }

  @Test("a room that has rested is no longer in the state topic after the next checkpoints", arguments: GroundKind.all)
  func rested(kind: GroundKind) throws {
    let group = try kind.make(partitions: 1)
    let brief = ["--rest-ms", "50", "--reuse-ms", "50", "--dedupe-ms", "50", "--streak-ms", "50"]
    let service = try group.start(TestGroup.fast + brief + ["--checkpoint-interval-ms", "50", "--linger-ms", "3600000"])
    try group.give((0..<50).map { TestGift(room: "r\($0)") })
    try wait(for: "snapshots of rooms: \(service.text)") { try group.state().keys.contains { $0.contains(#""r7""#) } }
    // A closed room has nothing left, so that it rests at once. A room whose banner stays cannot rest.
    try group.put((0..<50).map { TestGift.close("r\($0)") })
    // Gifts of another room keep the sweeps going.
    var count = 0
    var keys: [String] = []
    try wait(for: "only that room and the checkpoint: \(keys)") {
      count += 1
      try group.give([TestGift(room: "awake", sender: "u\(count)")])
      keys = try group.state().keys.sorted()
      return keys == [#"0 ["checkpoint"]"#, #"0 ["room","awake"]"#]
    }
    try service.stop()
    let again = try group.start(TestGroup.fast + brief)
    try again.waitForLog("restored: partition 0", " 1 room,")
    try again.stop()
    try group.verify()
  }

  @Test("rooms that rest, and become active again, during a sweep: each restart finds its digest", arguments: GroundKind.all)
  func restDuringSweep(kind: GroundKind) throws {
    let seed = testSeed("rest during a sweep")
    var random = SplitMix64(seed: seed)
    let group = try kind.make(partitions: 2)
    let options = [
      "--enter-ms", "5", "--count-ms", "5", "--linger-ms", "20", "--busy-linger-ms", "5", "--exit-ms", "5", "--reuse-ms", "20",
      "--rest-ms", "30", "--dedupe-ms", "20", "--streak-ms", "20", "--checkpoint-interval-ms", "10",
    ]
    var given: [String: Int] = [:]
    for round in 1...4 {
      let service = try group.startMortal(options)
      try service.waitForLog(round == 1 ? "new: " : "restored: ", count: 2)
      for _ in 0..<20 {
        var gifts: [TestGift] = []
        for _ in 0..<60 {
          let room = "r\(random.below(300))"
          given[room, default: 0] += 1
          gifts.append(TestGift(room: room, sender: "u\(random.below(3))"))
        }
        try group.give(gifts)
        MonotonicClock.sleep(ms: Int64(random.below(40)))
      }
      try group.crash(service)
      #expect(!service.has("RESET") && !service.has("not in the state in which it was left"), "\(service.text)")
    }
    let last = try group.startMortal(options)
    try group.waitUntilSaid(given, last)
    // On a slow machine no room may have rested between two gifts.
    var count = 0
    try wait(for: "a room that has rested and come again: \(last.text)") {
      let room = "r\(count % 300)"
      count += 1
      given[room, default: 0] += 1
      try group.give([TestGift(room: room, sender: "u")])
      return try group.ledger().epochs.contains { $0.value.count > 1 }
    }
    try group.waitUntilSaid(given, last)
    try last.stop()
    #expect(!last.has("RESET") && !last.has("not in the state in which it was left"), "\(last.text)")
    try group.verify()
  }
}
