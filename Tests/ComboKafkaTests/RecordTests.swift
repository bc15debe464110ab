import ComboEdge
import Foundation
import Synchronization
import Testing

@testable import ComboKafka
@testable import ComboTestSupport

@Suite("Records through a real Kafka", .enabled(if: TestKafka.isAvailable, Comment(rawValue: TestKafka.howTo)))
struct RecordTests {
  private let withinMs = KafkaFixture.withinMs

  /// Passes each record of a partition to `body`.
  private func read(_ kafka: KafkaFixture, _ topic: String, _ body: (KafkaMessage) -> Void) throws {
    let client = try ReaderClient(kafka.properties)
    let reader = try client.reader(topic, 0, from: 0, to: try kafka.end(topic))
    let batch = MessageBatch(capacity: 3)
    while !reader.isAtEnd {
      try reader.read(maxWaitMs: 50, into: batch)
      for index in 0..<batch.count { body(batch[index]) }
      batch.release()
    }
  }

  @Test("no key, an empty key, no value and an empty value stay what they are, with and without a timestamp")
  func nothing() throws {
    let kafka = try KafkaFixture()
    let topic = try kafka.topic()
    let producer = try KafkaProducer(kafka.properties, [])
    let handle = try producer.topic(topic, withinMs: withinMs)
    let cases: [(String?, String?)] = [("k", "v"), (nil, "v"), ("", "v"), ("k", nil), ("k", ""), (nil, nil), ("", "")]
    for timestamp: Int64? in [nil, 5000] {
      for (key, value) in cases {
        try producer.produce(handle, partition: 0, key: key, text: value, timestampMs: timestamp)
      }
    }
    try producer.flush(withinMs: withinMs)
    var found: [(String?, String?)] = []
    try read(kafka, topic) { found.append(($0.keyText, $0.valueText)) }
    #expect(found.map(\.0) == (cases + cases).map(\.0))
    #expect(found.map(\.1) == (cases + cases).map(\.1))
  }

  @Test("a record carries the timestamp that it was given, or else the time")
  func timestamps() throws {
    let kafka = try KafkaFixture()
    let topic = try kafka.topic()
    let producer = try KafkaProducer(kafka.properties, [])
    let handle = try producer.topic(topic, withinMs: withinMs)
    let before = Int64(Date().timeIntervalSince1970 * 1000) - 1
    try producer.produce(handle, text: "given", timestampMs: 1_732_104_000_123)
    try producer.produce(handle, text: "now")
    try producer.flush(withinMs: withinMs)
    let after = Int64(Date().timeIntervalSince1970 * 1000) + 1
    var times: [Int64?] = []
    try read(kafka, topic) {
      times.append($0.timestampMs)
      #expect($0.time?.isAppendTime == false)
    }
    #expect(times.first == 1_732_104_000_123)
    #expect((before...after).contains(try #require(times.last ?? nil)))
  }

  @Test("the brokers' time is reported as theirs")
  func appendTime() throws {
    let kafka = try KafkaFixture()
    let topic = try kafka.topic(settings: [("message.timestamp.type", "LogAppendTime")])
    try kafka.fill(topic, 0, ["a"])
    try read(kafka, topic) { #expect($0.time?.isAppendTime == true) }
  }

  @Test("headers are delivered byte for byte and in order, and can be passed on with more after them")
  func headers() throws {
    let kafka = try KafkaFixture()
    let topic = try kafka.topic()
    let producer = try KafkaProducer(kafka.properties, [])
    let handle = try producer.topic(topic, withinMs: withinMs)
    try [UInt8]("v".utf8).withUnsafeBytes { value in
      let headers = RecordHeaders()
      headers.add("a", "1")
      [UInt8](arrayLiteral: 0, 255, 10).withUnsafeBytes { headers.add("raw", bytes: $0) }
      headers.add("none", bytes: nil)
      headers.add("empty", "")
      headers.add("a", "2")
      try producer.produce(handle, key: nil, value: value, timestampMs: 7, headers: headers)
    }
    try producer.flush(withinMs: withinMs)
    func all(_ message: KafkaMessage) -> [String] {
      var all: [String] = []
      message.forEachHeader { name, value in all.append("\(name)=\(value.map { "\(Array($0))" } ?? "null")") }
      return all
    }
    let expected = ["a=[49]", "raw=[0, 255, 10]", "none=null", "empty=[]", "a=[50]"]
    try read(kafka, topic) { message in
      #expect(all(message) == expected)
      let more = RecordHeaders()
      message.forEachHeader { more.add($0, bytes: $1) }
      more.add("combo.error", "not_json")
      do {
        try producer.produce(handle, key: message.key, value: message.value, timestampMs: message.timestampMs, headers: more)
      } catch {
        Issue.record("\(error)")
      }
    }
    try producer.flush(withinMs: withinMs)
    var last: [String] = []
    var time: Int64?
    try read(kafka, topic) {
      last = all($0)
      time = $0.timestampMs
    }
    #expect(last == expected + ["combo.error=[110, 111, 116, 95, 106, 115, 111, 110]"])
    #expect(time == 7)
    try kafka.fill(topic, 0, ["without"])
    try read(kafka, topic) { if $0.valueText == "without" { #expect(all($0) == []) } }
  }

  @Test("a key goes to the partition to which Java's clients would put it")
  func partitioner() throws {
    let kafka = try KafkaFixture()
    let topic = try kafka.topic(partitions: 8)
    let producer = try KafkaProducer(kafka.properties, [])
    let handle = try producer.topic(topic, withinMs: withinMs)
    for key in ["r1", "room-17", "小明"] { try producer.produce(handle, key: key, text: key) }
    try producer.flush(withinMs: withinMs)
    for key in ["r1", "room-17", "小明"] {
      let partition = Int32((murmur2(Array(key.utf8)) & 0x7fff_ffff) % 8)
      #expect(try kafka.values(topic, partition).contains(key))
    }
  }

  @Test("a record too large for the client is refused at once, with the option to raise")
  func tooLarge() throws {
    let kafka = try KafkaFixture()
    let topic = try kafka.topic()
    let producer = try KafkaProducer(kafka.properties, [])
    let handle = try producer.topic(topic, withinMs: withinMs)
    let error = #expect(throws: EdgeError.self) {
      try producer.produce(handle, text: String(repeating: "x", count: 11_000_000))
    }
    #expect(error?.code == .recordTooLarge)
    #expect(error?.message.contains("message.max.bytes") == true)
    let wrong = #expect(throws: EdgeError.self) { try producer.produce(handle, partition: 5, text: "x") }
    #expect(wrong?.code == .unknownPartition)
  }

  @Test("a small queue holds the producer up, and everything is delivered")
  func backPressure() throws {
    let kafka = try KafkaFixture(overrides: [.init(key: "queue.buffering.max.messages", value: "50")])
    let topic = try kafka.topic()
    let producer = try TopicProducer(kafka.properties, topic: topic, withinMs: withinMs)
    for number in 0..<5000 {
      try Array("\(number)".utf8).withUnsafeBytes { try producer.produce(key: nil, value: $0) }
    }
    try producer.flush(withinMs: withinMs)
    #expect(producer.deliveries.failedDeliveries == 0)
    #expect(try kafka.values(topic) == (0..<5000).map(String.init))
  }

  /// Records what became of tagged records.
  private final class Deliveries: DeliveryReceiver, Sendable {
    let all = Mutex<[UInt: Int64]>([:])

    func delivered(tag: UInt, partition: Int32, offset: Int64, error: EdgeError?) {
      all.withLock { $0[tag] = error == nil ? offset : -1 }
    }
  }

  @Test("the idempotent producer reports the offset of each tagged record")
  func acknowledgements() throws {
    let kafka = try KafkaFixture()
    let topic = try kafka.topic()
    let deliveries = Deliveries()
    let producer = try IdempotentProducer.make(kafka.properties, receiver: deliveries)
    let handle = try producer.topic(topic, withinMs: withinMs)
    for number: UInt in 1...100 {
      try producer.produce(handle, text: "\(number)", tag: number % 10 == 0 ? number : 0)
    }
    try producer.flush(withinMs: withinMs)
    let expected = (1...10).map { (UInt($0) * 10, Int64($0) * 10 - 1) }
    let found = deliveries.all.withLock { $0 }
    #expect(found == Dictionary(uniqueKeysWithValues: expected))
  }
}

/// Kafka's own partitioning hash, implemented from its description.
private func murmur2(_ data: [UInt8]) -> UInt32 {
  let m: UInt32 = 0x5bd1_e995
  var h = 0x9747_b28c ^ UInt32(data.count)
  var i = 0
  while i + 4 <= data.count {
    var k = UInt32(data[i]) | UInt32(data[i + 1]) << 8 | UInt32(data[i + 2]) << 16 | UInt32(data[i + 3]) << 24
    k = k &* m
    k ^= k >> 24
    k = k &* m
    h = (h &* m) ^ k
    i += 4
  }
  let rest = data.count - i
  if rest == 3 { h ^= UInt32(data[i + 2]) << 16 }
  if rest >= 2 { h ^= UInt32(data[i + 1]) << 8 }
  if rest >= 1 { h = (h ^ UInt32(data[i])) &* m }
  h ^= h >> 13
  h = h &* m
  return h ^ h >> 15
}
