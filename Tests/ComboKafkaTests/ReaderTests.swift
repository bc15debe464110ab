import ComboEdge
import ComboSystem
import Foundation
import Testing

@testable import ComboKafka
@testable import ComboTestSupport

@Suite("Readers on a real Kafka", .enabled(if: TestKafka.isAvailable, Comment(rawValue: TestKafka.howTo)))
struct ReaderTests {
  private let withinMs = KafkaFixture.withinMs

  @Test("a tail of aborted records and marks only is read past, and the end is reached")
  func abortedTail() throws {
    let kafka = try KafkaFixture()
    let topic = try kafka.topic()
    let (producer, handle) = try kafka.transactional(topic)
    for round in 0..<5 {
      try producer.begin()
      for number in 0..<50 { try producer.producer.produce(handle, text: "\(round)-\(number)") }
      try producer.producer.flush(withinMs: withinMs)
      if round < 2 {
        try producer.commit(withinMs: withinMs)
      } else {
        try producer.abort(withinMs: withinMs)
      }
    }
    // The last marker is written a moment after the abort is answered.
    let end: Int64 = 255
    try kafka.waitForEnd(topic, end)
    let client = try ReaderClient(kafka.properties)
    let reader = try client.reader(topic, 0, from: 0, to: end)
    #expect(try reader.values().count == 100)
    #expect(reader.position == end)
    // A reader that starts among the aborted records finds nothing, but reaches the end.
    #expect(try client.reader(topic, 0, from: 120, to: end).values() == [])
  }

  @Test(
    "what is held up by a transaction that nobody ends fails after a while, with a sentence, and can be read once it has ended")
  func heldUp() throws {
    let kafka = try KafkaFixture()
    let topic = try kafka.topic()
    // With this timeout, nothing ends the transaction before the test does.
    let (producer, handle) = try kafka.transactional(topic, timeoutMs: 600_000)
    try producer.begin()
    try producer.producer.produce(handle, text: "a")
    try producer.producer.flush(withinMs: withinMs)
    let names = TopicNames(input: topic, output: topic, journal: topic, state: topic, deadLetter: topic)
    let reading = try KafkaReading(kafka.properties, control: ControlClient(kafka.properties), names: names, silenceMaxMs: 1000)
    func read() throws -> Int {
      var count = 0
      try reading.read(.input, 0, from: 0, to: 1, unless: { false }) { _ in
        count += 1
        return true
      }
      return count
    }
    /// Retries as the service does. Slow brokers return nothing for a while either, which is a different error.
    func readAgain(until isEnough: (Result<Int, EdgeError>) -> Bool) throws {
      var last: Result<Int, EdgeError>?
      try wait(for: "an end of reading: \(last as Any)") {
        do {
          last = .success(try read())
        } catch let error as EdgeError {
          try #require(error.isRetriable, "\(error)")
          last = .failure(error)
        }
        return last.map(isEnough) ?? false
      }
    }
    try readAgain { outcome in
      guard case .failure(let error) = outcome else {
        Issue.record("what is not committed was read")
        return true
      }
      return error.message.contains("a transaction is open there. To find its producer: ")
    }
    try producer.commit(withinMs: withinMs)
    try readAgain { outcome in
      guard case .success(let count) = outcome else { return false }
      #expect(count == 1)
      return true
    }
  }

  @Test("time that the caller takes for records is no silence of the brokers")
  func slowCaller() throws {
    let kafka = try KafkaFixture()
    let topic = try kafka.topic()
    try kafka.fill(topic, 0, ["a", "b"])
    var count = 0
    try ReaderClient(kafka.properties).read(topic, 0, from: 0, to: 2, silenceMaxMs: 3000, advice: "") { _ in
      if count == 0 { MonotonicClock.sleep(ms: 3100) }
      count += 1
    }
    #expect(count == 2)
  }

  @Test("only what lies between the two offsets is delivered")
  func range() throws {
    let kafka = try KafkaFixture()
    let topic = try kafka.topic()
    try kafka.fill(topic, 0, (0..<1000).map(String.init))
    #expect(try kafka.values(topic, from: 300, to: 700) == (300..<700).map(String.init))
    #expect(try kafka.values(topic, from: 999, to: 1000) == ["999"])
    #expect(try kafka.values(topic, from: 1000, to: 1000) == [])
    #expect(try kafka.values(topic, from: 5, to: 3) == [])
  }

  @Test("many partitions are read side by side on different threads")
  func sideBySide() async throws {
    let kafka = try KafkaFixture()
    let partitions: Int32 = 6
    let topic = try kafka.topic(partitions: Int(partitions))
    for partition in 0..<partitions { try kafka.fill(topic, partition, (0..<2000).map { "\(partition)-\($0)" }) }
    let client = try ReaderClient(kafka.properties)
    let found = try await withThrowingTaskGroup(of: (Int32, [String]).self) { group in
      for partition in 0..<partitions {
        group.addTask { (partition, try client.reader(topic, partition, from: 0, to: 2000).values()) }
      }
      return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
    }
    for partition in 0..<partitions { #expect(found[partition] == (0..<2000).map { "\(partition)-\($0)" }) }
  }

  @Test("one client reads a partition once at a time, and again after that")
  func once() throws {
    let kafka = try KafkaFixture()
    let topic = try kafka.topic()
    try kafka.fill(topic, 0, ["a"])
    let client = try ReaderClient(kafka.properties)
    var first: PartitionReader? = try client.reader(topic, 0, from: 0, to: 2)
    let error = #expect(throws: EdgeError.self) { try client.reader(topic, 0, from: 0, to: 1) }
    #expect(error?.message.contains("twice at once") == true)
    #expect(first?.isAtEnd == false)
    first = nil
    #expect(try client.reader(topic, 0, from: 0, to: 1).values() == ["a"])
    #expect(try client.reader(topic, 0, from: 0, to: 1).values() == ["a"])
  }

  @Test("an offset, topic or partition that is not there ends the reading with a sentence")
  func faults() throws {
    let kafka = try KafkaFixture()
    let topic = try kafka.topic()
    try kafka.fill(topic, 0, ["a"])
    func fault(_ topic: String, _ partition: Int32, from: Int64) throws -> EdgeError? {
      let client = try ReaderClient(kafka.properties)
      do {
        _ = try client.reader(topic, partition, from: from, to: from + 5).values()
        return nil
      } catch let error as EdgeError {
        return error
      }
    }
    let beyond = try fault(topic, 0, from: 100)
    #expect(beyond?.code == .offsetOutOfRange)
    #expect(beyond?.message.contains("partition 0 of topic \"\(topic)\" from offset 100") == true)
    #expect(try fault(TestKafka.fresh("none"), 0, from: 0)?.code == .unknownTopic)
    #expect(try fault(topic, 7, from: 0)?.code == .unknownPartition)
  }
}
