import ComboEdge
import ComboKafka
import ComboRooms
import ComboSystem
import ComboWire
import Foundation
import Testing

@testable import ComboTestSupport

/// A consumer group with its own topics on the brokers under test, and the operations on them from outside.
final class TestGroup: ServiceGround {
  let brokers: String
  let names: TopicNames
  let group: String
  let partitions: Int
  let control: ControlClient
  let properties: KafkaProperties
  /// Properties of librdkafka, in the format of `--kafka`.
  private let kafka: [String]
  private let producer: KafkaProducer
  private var reader: ReaderClient
  private var asker: GroupConsumer

  /// Creates the input topic.
  /// - Parameters:
  ///   - partitions: The number of the input's partitions, or 0 to create no input.
  ///   - sharing: Another group, whose input this one reads too, or nil.
  ///   - input: The input's name, or nil for a fresh one.
  ///   - beside: The same group with another input, whose output this one shares, or nil for a group of its own.
  ///   - lingerMs: The time within which gifts that are given together are sent together.
  init(
    partitions: Int = 4, brokers: String? = nil, settings: [(String, String)] = [], sharing other: TestGroup? = nil,
    beside neighbor: TestGroup? = nil, input name: String? = nil, kafka: [String] = [], lingerMs: Int = 5
  ) throws {
    let brokers = try other?.brokers ?? neighbor?.brokers ?? brokers ?? ServiceKafka.brokers()
    self.brokers = brokers
    self.kafka = kafka
    self.partitions = other?.partitions ?? partitions
    group = neighbor?.group ?? TestKafka.fresh("g")
    let input = other?.names.input ?? name ?? TestKafka.fresh("gifts")
    names = TopicNames(
      input: input, output: neighbor?.names.output ?? TestKafka.fresh("out"), journal: "\(input).\(group).combo-journal",
      state: "\(input).\(group).combo-state", deadLetter: "\(input).\(group).combo-dead-letter")
    properties = try KafkaProperties(
      brokers: brokers, clientID: "test", overrides: kafka.map { KafkaProperty($0)! }, log: .none)
    control = try ControlClient(properties)
    producer = try KafkaProducer(properties, [("linger.ms", "\(lingerMs)")])
    reader = try ReaderClient(properties)
    asker = try GroupConsumer(properties, .init(groupID: group, topic: input))
    if other == nil, partitions > 0 {
      try control.createTopic(input, partitions: partitions, settings: settings, withinMs: ServiceKafka.patienceMs)
    }
  }

  // MARK: - The service

  /// Returns the arguments of `run`, with `more` at the end.
  func arguments(_ more: [String] = []) -> [String] {
    [
      "--brokers", brokers, "--input", names.input, "--output", names.output, "--group", group,
      "--commit-interval-ms", "20", "--progress", "--http", "none", "--kafka", "session.timeout.ms=\(ServiceKafka.sessionMs)",
      "--kafka", "heartbeat.interval.ms=500",
    ] + more
  }

  /// Options with which nothing lasts long in rooms, so that they are soon idle. Gift ids are remembered for an hour.
  static let fast = [
    "--enter-ms", "20", "--count-ms", "20", "--linger-ms", "60", "--busy-linger-ms", "10", "--exit-ms", "20",
    "--reuse-ms", "50", "--screen-ms", "200", "--dedupe-ms", "3600000", "--max-ids", "100000",
  ]

  /// Options for tests that wait until the group has given an instance up.
  static let briefSession = ["--kafka", "session.timeout.ms=\(ServiceKafka.briefSessionMs)"]

  /// Starts the service in this process.
  func thread(_ more: [String] = []) throws -> ServiceThread { try ServiceThread(arguments(more)) }

  /// Starts the service in its own process.
  func process(_ more: [String] = []) throws -> ServiceProcess { try ServiceProcess(["run"] + arguments(more)) }

  // MARK: - Records

  /// Writes records to a topic, by default the input, each by its key, and waits until they are there.
  func produce(_ records: [TestRecord], to topic: String? = nil) throws {
    let handle = try producer.topic(topic ?? names.input, withinMs: ServiceKafka.patienceMs)
    for record in records { try produce(record, handle) }
    try producer.flush(withinMs: ServiceKafka.patienceMs)
    if let fault = producer.deliveries.firstFailedDelivery { throw fault }
  }

  private func produce(_ record: TestRecord, _ topic: ProducerTopic) throws {
    try optionally(record.key) { key in
      try optionally(record.value) { value in
        try producer.produce(
          topic, partition: record.partition, key: key, value: value, timestampMs: record.timestamp,
          headers: RecordHeaders(record.headers))
      }
    }
  }

  private func optionally<R>(_ bytes: [UInt8]?, _ body: (UnsafeRawBufferPointer?) throws -> R) rethrows -> R {
    guard let bytes else { return try body(nil) }
    return try bytes.withUnsafeBytes { try body($0) }
  }

  /// Returns all records of a topic that a `read_committed` reader sees, partition by partition.
  func records(of topic: String) throws -> [TestRecord] {
    var records: [TestRecord] = []
    let batch = MessageBatch(capacity: 4096)
    for partition in 0..<(try control.partitionCount(topic, withinMs: ServiceKafka.patienceMs) ?? 0) {
      let (first, end) = try control.watermarks(topic, Int32(partition), withinMs: ServiceKafka.patienceMs)
      let partition = try reader.reader(topic, Int32(partition), from: first, to: end)
      let deadline = Deadline(afterMs: ServiceKafka.patienceMs)
      while !partition.isAtEnd {
        guard !deadline.isOver else { throw TestKafka.Failure("stuck at \(partition.position) of \(end) in \(topic)") }
        try partition.read(maxWaitMs: 50, into: batch)
        for index in 0..<batch.count { records.append(TestRecord(batch[index])) }
        batch.release()
      }
    }
    return records
  }

  /// Whether the output may contain repeats.
  var isRepeating = false

  // MARK: - Waiting

  func committed() throws -> [CommittedOffset] {
    try asker.committed((0..<Int32(partitions)).map { $0 }, withinMs: ServiceKafka.patienceMs)
  }

  /// Returns the number of offsets of the input that the group has committed.
  func takenIn() throws -> Int64 { try committed().reduce(0) { $0 + ($1.offset ?? 0) } }

  // MARK: - As a ground

  var identity: TopicIdentity { TopicIdentity(group: group, input: names.input, output: names.output) }

  func start(_ more: [String]) throws -> any RunningService { try thread(more + ["--instance", "one"]) }

  func startMortal(_ more: [String]) throws -> any RunningService { try process(more + ["--instance", "one"]) }

  func crash(_ service: any RunningService) throws { try (service as! ServiceProcess).crash() }

  func put(_ records: [TestRecord]) throws { try produce(records) }

  func records(of topic: Topic) throws -> [TestRecord] { try records(of: names[topic]) }

  func ends() throws -> [Int64] {
    try (0..<Int32(partitions)).map { try control.watermarks(names.input, $0, withinMs: ServiceKafka.patienceMs).end }
  }

  /// Runs `verify`, which must prove the output, with no reset.
  func prove(_ sourceLocation: SourceLocation) throws {
    let (code, output, log) = try ServiceProcess.run(
      [
        "verify", "--brokers", brokers, "--input", names.input, "--output", names.output, "--group", group,
      ] + kafka.flatMap { ["--kafka", $0] })
    #expect(code == 0, "\(output)\n\(log)", sourceLocation: sourceLocation)
    #expect(output.contains("proven: "), "\(output)\n\(log)", sourceLocation: sourceLocation)
    #expect(output.contains("resets 0"), "\(output)", sourceLocation: sourceLocation)
  }
}

/// A record, to be produced or as it was read.
struct TestRecord: Equatable {
  var partition: Int32?
  var offset: Int64 = -1
  var key: [UInt8]?
  var value: [UInt8]?
  var timestamp: Int64?
  var headers: [RecordHeader] = []

  init(key: [UInt8]?, value: [UInt8]?) {
    self.key = key
    self.value = value
  }

  init(key: String?, _ text: String) { self.init(key: key.map { Array($0.utf8) }, value: Array(text.utf8)) }

  init(_ message: KafkaMessage) {
    partition = message.partition
    offset = message.offset
    key = message.key.map { [UInt8]($0) }
    value = message.value.map { [UInt8]($0) }
    timestamp = message.timestampMs
    message.forEachHeader { headers.append(RecordHeader(name: $0, value: $1.map { [UInt8]($0) })) }
  }

  /// Returns a header's value as text.
  func header(_ name: String) -> String? {
    headers.last { $0.name == name }?.value.map { String(decoding: $0, as: UTF8.self) }
  }
}

/// A gift as a producer would send it.
struct TestGift {
  var id: String?
  var room: String
  var sender = "u1"
  var gift = "rose"
  var count = 1

  var text: String {
    (id.map { #"{"id":"\#($0)","# } ?? "{")
      + #""room":"\#(room)","sender":{"id":"\#(sender)","name":"小明"},"gift":{"id":"\#(gift)","value":10},"count":\#(count)}"#
  }

  var record: TestRecord { TestRecord(key: room, text) }

  /// Returns a record that closes a room, which publishes at once what is left in it.
  static func close(_ room: String) -> TestRecord { TestRecord(key: room, #"{"type":"room_closed","room":"\#(room)"}"#) }
}
