import ComboEdge
import ComboKafka
import Testing

@testable import ComboTestSupport

extension ServiceTests {
  @Suite("Dead letters")
  struct DeadLetterTests {
    private static let good = #""sender":{"id":"u"},"gift":{"id":"g"}"#

    @Test("64 KiB is taken in, one byte more is a dead letter")
    func largest() throws {
      let group = try TestGroup(partitions: 1)
      func event(_ room: String, bytes: Int) -> TestRecord {
        let head = #"{"room":"\#(room)",\#(Self.good),"x":""#
        return TestRecord(key: room, head + String(repeating: "a", count: bytes - head.utf8.count - 2) + #""}"#)
      }
      let service = try group.thread(TestGroup.fast)
      try group.produce([event("fits", bytes: 65_536), event("too-large", bytes: 65_537)])
      try group.waitUntilTakenIn(service)
      try group.waitUntilSaid(["fits": 1], service)
      try service.stop()
      let letters = try group.records(of: group.names.deadLetter)
      #expect(letters.map { $0.value?.count } == [65_537])
      #expect(letters.map { $0.header("combo.error") } == ["too_large"])
    }

    @Test("a bad record of some megabytes, from an input that accepts them, is passed on whole")
    func megabytes() throws {
      let group = try TestGroup(partitions: 1, settings: [("max.message.bytes", "5000000")])
      let service = try group.thread(TestGroup.fast)
      var record = TestRecord(key: "r", String(repeating: "x", count: 3_000_000))
      record.timestamp = 1_700_000_000_000
      try group.produce([record])
      try group.give([TestGift(room: "r")])
      try group.waitUntilSaid(["r": 1], service)
      try service.stop()
      let letters = try group.records(of: group.names.deadLetter)
      #expect(letters.map { $0.value?.count } == [3_000_000])
      #expect(letters.first?.timestamp == record.timestamp)
      #expect(letters.first?.header("combo.truncated") == nil)
    }

    @Test("where the topic accepts neither its size nor its time, the first 64 KiB are sent, and headers name what was left out")
    func truncated() throws {
      let group = try TestGroup(
        partitions: 1, settings: [("max.message.bytes", "2000000"), ("message.timestamp.after.max.ms", "\(Int64.max)")])
      try group.control.createTopic(
        group.names.deadLetter, partitions: 1,
        settings: [("max.message.bytes", "200000"), ("message.timestamp.after.max.ms", "3600000")],
        withinMs: ServiceKafka.patienceMs)
      let service = try group.thread(TestGroup.fast)
      var large = TestRecord(key: "r", String(repeating: "x", count: 1_000_000))
      large.timestamp = 1_700_000_000_000
      large.headers = [RecordHeader(name: "trace", value: [1])]
      var future = TestRecord(key: "r", "{")
      future.timestamp = 32_503_680_000_000  // the year 3000
      try group.produce([large, future])
      try group.give([TestGift(room: "r")])
      try group.waitUntilSaid(["r": 1], service)
      try service.stop()
      let letters = try group.records(of: group.names.deadLetter)
      try #require(letters.count == 2)
      #expect(letters[0].value == Array(large.value!.prefix(65_536)))
      #expect(letters[0].header("combo.truncated") == "1000000")
      #expect(letters[0].header("combo.timestamp") == "1700000000000")
      #expect(letters[0].header("trace") != nil)
      #expect(letters[1].value == future.value)
      #expect(letters[1].header("combo.timestamp") == "32503680000000")
      #expect(letters[1].timestamp != future.timestamp)
      #expect(letters.map { $0.header("combo.error") } == ["too_large", "not_json"])
    }

    @Test("a bad record whose key or headers are too large for the topic is sent there too, without the parts that do not fit")
    func largeKeysAndHeaders() throws {
      let group = try TestGroup(partitions: 1, settings: [("max.message.bytes", "8000000")])
      try group.control.createTopic(
        group.names.deadLetter, partitions: 1, settings: [("max.message.bytes", "16384")], withinMs: ServiceKafka.patienceMs)
      let service = try group.thread(TestGroup.fast + ["--kafka", "message.max.bytes=20000"])
      let key = [UInt8](repeating: 0x6b, count: 2_000_000)
      var records = [TestRecord(key: key, value: Array("{".utf8)), TestRecord(key: "r", "{"), TestRecord(key: "r", "{")]
      records[1].headers = (0..<5000).map { RecordHeader(name: "h\($0)", value: Array(repeating: 1, count: 1000)) }
      records[2].headers = [
        RecordHeader(name: "combo.own", value: Array(repeating: 2, count: 3_000_000)), RecordHeader(name: "trace", value: [1]),
        RecordHeader(name: String(repeating: "n", count: 30_000), value: nil),
      ]
      try group.produce(records)
      try group.give([TestGift(room: "r")])
      try group.waitUntilSaid(["r": 1], service)
      try service.stop()
      let letters = try group.records(of: group.names.deadLetter)
      try #require(letters.count == 3)
      #expect(letters.allSatisfy { $0.header("combo.error") != nil && $0.value == [0x7b] })
      #expect(letters[0].header("combo.key_truncated") == "2000000")
      #expect(letters[0].key == Array(key.prefix(letters[0].key?.count ?? 0)) && (letters[0].key?.count ?? 0) > 2000)
      #expect(letters[1].header("h0") != nil && letters[1].header("h4999") == nil && letters[1].key == Array("r".utf8))
      #expect(letters[2].headers.first == RecordHeader(name: "trace", value: [1]) && letters[2].header("combo.own") == nil)
      #expect(letters.dropFirst().allSatisfy { $0.header("combo.key_truncated") == nil && $0.header("combo.truncated") == "1" })
      try group.verify()
    }

    @Test("a dead-letter topic with a tiny record limit is refused at the start")
    func tinyTopic() throws {
      let group = try TestGroup(partitions: 1)
      try group.control.createTopic(
        group.names.deadLetter, partitions: 1, settings: [("max.message.bytes", "16383")], withinMs: ServiceKafka.patienceMs)
      let service = try group.process(TestGroup.fast)
      #expect(try service.waitForExit() == 1)
      #expect(service.has("accepts records of up to 16383 bytes"), "\(service.text)")
    }
  }
}
