import CKafka
import ComboEdge
import ComboSystem
import Foundation
import Synchronization
import Testing

@testable import ComboKafka

/// The clients, topics and recorded log that tests on a real broker share, with records as text.
final class KafkaFixture {
  let properties: KafkaProperties
  let control: ControlClient
  let log: RecordedLog

  init(brokers: String? = nil, overrides: [KafkaProperty] = []) throws {
    log = RecordedLog()
    properties = try KafkaProperties(
      brokers: brokers ?? TestKafka.brokers(), clientID: "test", overrides: overrides, log: log.sink)
    control = try ControlClient(properties)
  }

  static let withinMs: Int64 = 90_000

  /// Creates a topic. It keeps its records unless `settings` say otherwise: some tests write records from 1970, which the
  /// brokers' default retention would delete.
  func topic(partitions: Int = 1, settings: [(String, String)] = []) throws -> String {
    let name = TestKafka.fresh("test")
    let kept = settings.contains { $0.0 == "retention.ms" } ? [] : [("retention.ms", "-1")]
    try control.createTopic(name, partitions: partitions, settings: kept + settings, withinMs: Self.withinMs)
    return name
  }

  func end(_ topic: String, _ partition: Int32 = 0) throws -> Int64 {
    try control.watermarks(topic, partition, withinMs: Self.withinMs).end
  }

  /// Waits until partition 0 ends at `end`.
  func waitForEnd(_ topic: String, _ end: Int64) throws {
    let deadline = Deadline(afterMs: Self.withinMs)
    var found = try self.end(topic)
    while found != end {
      guard !deadline.isOver else { throw TestKafka.Failure("the topic ends at \(found), not \(end)") }
      found = try self.end(topic)
    }
  }

  /// Creates a transactional producer that is ready, and a handle for a topic.
  func transactional(_ topic: String, id: String = TestKafka.fresh("txn"), timeoutMs: Int = 60_000) throws
    -> (TransactionalProducer, ProducerTopic)
  {
    let producer = try TransactionalProducer(properties, transactionalID: id, timeoutMs: timeoutMs)
    let handle = try producer.producer.topic(topic, withinMs: Self.withinMs)
    try producer.initTransactions(withinMs: Self.withinMs)
    return (producer, handle)
  }

  /// Writes values to a partition, outside any transaction.
  func fill(_ topic: String, _ partition: Int32 = 0, _ values: [String]) throws {
    let producer = try KafkaProducer(properties, [("enable.idempotence", "true")])
    let handle = try producer.topic(topic, withinMs: Self.withinMs)
    for value in values { try producer.produce(handle, partition: partition, text: value) }
    try producer.flush(withinMs: Self.withinMs)
  }

  /// Returns all values of a partition up to `end`, in order. Pass nil to read up to its current end.
  func values(
    _ topic: String, _ partition: Int32 = 0, from: Int64 = 0, to end: Int64? = nil,
    isolation: ReaderClient.Isolation = .readCommitted
  ) throws -> [String] {
    let client = try ReaderClient(properties, isolation: isolation)
    let reader = try client.reader(topic, partition, from: from, to: try end ?? self.end(topic, partition))
    return try reader.values()
  }
}

extension ControlClient {
  /// Deletes a partition's records below an offset, as retention does, and waits until they are gone.
  func deleteRecords(_ topic: String, _ partition: Int32, before offset: Int64) throws {
    let list = rd_kafka_topic_partition_list_new(1)
    defer { rd_kafka_topic_partition_list_destroy(list) }
    rd_kafka_topic_partition_list_add(list, topic, partition).pointee.offset = offset
    var request = rd_kafka_DeleteRecords_new(list)
    defer { rd_kafka_DeleteRecords_destroy(request) }
    let queue = rd_kafka_queue_new(client.handle)
    defer { rd_kafka_queue_destroy(queue) }
    var text = [CChar](repeating: 0, count: 512)
    let options = rd_kafka_AdminOptions_new(client.handle, RD_KAFKA_ADMIN_OP_DELETERECORDS)
    defer { rd_kafka_AdminOptions_destroy(options) }
    // The brokers have this time both to receive the request and to carry it out.
    rd_kafka_AdminOptions_set_request_timeout(options, 300_000, &text, text.count)
    rd_kafka_AdminOptions_set_operation_timeout(options, 300_000, &text, text.count)
    rd_kafka_DeleteRecords(client.handle, &request, 1, options, queue)
    let event = rd_kafka_queue_poll(queue, Int32(ServiceKafka.patienceMs))
    defer { rd_kafka_event_destroy(event) }
    guard let event, rd_kafka_event_error(event) == RD_KAFKA_RESP_ERR_NO_ERROR else {
      throw TestKafka.Failure("records were not deleted")
    }
    try wait(for: "the deletion") { try watermarks(topic, partition, withinMs: KafkaFixture.withinMs).first >= offset }
  }
}

extension PartitionReader {
  /// Returns all values up to the end, as text.
  func values() throws -> [String] {
    let batch = MessageBatch(capacity: 100)
    var values: [String] = []
    let deadline = Deadline(afterMs: KafkaFixture.withinMs)
    while !isAtEnd {
      guard !deadline.isOver else { throw TestKafka.Failure("stuck at \(position) of \(end)") }
      try read(maxWaitMs: 50, into: batch)
      for index in 0..<batch.count { values.append(batch[index].valueText ?? "null") }
      batch.release()
    }
    return values
  }
}

extension KafkaMessage {
  var valueText: String? { value.map { String(decoding: $0, as: UTF8.self) } }
  var keyText: String? { key.map { String(decoding: $0, as: UTF8.self) } }
}

extension KafkaProducer {
  /// Produces one record of text.
  func produce(
    _ topic: ProducerTopic, partition: Int32? = nil, key: String? = nil, text: String?, timestampMs: Int64? = nil,
    tag: UInt = 0
  ) throws(EdgeError) {
    let key = key.map { Array($0.utf8) }
    let value = text.map { Array($0.utf8) }
    var fault: EdgeError?
    withBytes(key) { key in
      withBytes(value) { value in
        do throws(EdgeError) {
          try produce(topic, partition: partition, key: key, value: value, timestampMs: timestampMs, tag: tag)
        } catch {
          fault = error
        }
      }
    }
    if let fault { throw fault }
  }
}

func withBytes<Result>(_ bytes: [UInt8]?, _ body: (UnsafeRawBufferPointer?) -> Result) -> Result {
  guard let bytes else { return body(nil) }
  return bytes.withUnsafeBytes { body($0) }
}

/// Log lines of a test's clients, kept instead of shown.
final class RecordedLog: Sendable {
  private let lines = Mutex<[String]>([])

  var sink: KafkaLog {
    KafkaLog { [self] _, facility, text in lines.withLock { $0.append("\(facility): \(text)") } }
  }

  var all: [String] { lines.withLock { $0 } }
}

/// A group member that records its events. Driven by the test's thread.
final class TestMember: GroupEdgeDelegate {
  enum Event: Equatable {
    case assigned([Int32])
    case revoked([Int32], lost: Bool)
  }

  let consumer: GroupConsumer
  private(set) var events: [Event] = []
  private(set) var errors: [EdgeError] = []
  private(set) var values: [Int32: [String]] = [:]
  private(set) var owned: Set<Int32> = []
  private(set) var delivered = 0
  /// The offset at which to start an assigned partition within the callback, or nil to start none.
  var startAt: ((Int32) -> Int64)?
  private let batch = MessageBatch(capacity: 300)

  init(_ properties: KafkaProperties, _ options: GroupConsumer.Options) throws {
    var options = options
    // No test waits until a member times out, and a busy machine delays members.
    options.sessionTimeoutMs = 60_000
    consumer = try GroupConsumer(properties, options)
    consumer.delegate = self
    try consumer.subscribe()
  }

  func assigned(_ partitions: [Int32]) {
    events.append(.assigned(partitions.sorted()))
    owned.formUnion(partitions)
    guard let startAt else { return }
    do {
      try consumer.start(partitions.map { ($0, startAt($0)) })
    } catch {
      Issue.record("cannot start \(partitions): \(error)")
    }
  }

  func revoked(_ partitions: [Int32], lost: Bool) {
    events.append(.revoked(partitions.sorted(), lost: lost))
    owned.subtract(partitions)
  }

  func failed(_ error: EdgeError, partition: Int32?) { errors.append(error) }

  /// The group's generation as this member knows it, which grows by one with each rebalance. It is only in librdkafka's
  /// serialized form of the metadata: "CGMDv2:", then the generation in the machine's byte order.
  var generation: Int32? {
    guard let metadata = try? consumer.groupMetadata() else { return nil }
    var bytes: UnsafeMutableRawPointer?
    var count = 0
    guard rd_kafka_consumer_group_metadata_write(metadata.pointer, &bytes, &count) == nil, let bytes else { return nil }
    defer { rd_kafka_mem_free(nil, bytes) }
    let magic = Array("CGMDv2:".utf8)
    guard count >= magic.count + 4, UnsafeRawBufferPointer(start: bytes, count: magic.count).elementsEqual(magic) else {
      Issue.record("librdkafka serializes the group's metadata in another way")
      return nil
    }
    return bytes.loadUnaligned(fromByteOffset: magic.count, as: Int32.self)
  }

  /// A summary for the message of a failing test.
  var story: String {
    let positions = owned.sorted().map { "\($0) at \(consumer.positions.position($0) ?? -1)" }
    return "\(events), owns \(positions), \(delivered) delivered, errors \(errors.map(\.message))"
  }

  func poll(maxWaitMs: Int32 = 10) {
    consumer.poll(maxWaitMs: maxWaitMs, into: batch)
    batch.deliver { message, _ in
      if !owned.contains(message.partition) {
        Issue.record("record \(message.offset) of partition \(message.partition), which is others'")
      }
      values[message.partition, default: []].append(message.valueText ?? "null")
      delivered += 1
    }
    batch.release()
    if !batch.isEmpty { Issue.record("a released batch holds \(batch.count) messages") }
  }
}

extension TransactionalProducer {
  /// Commits with as much time for the records as for the commit.
  func commit(withinMs: Int64) throws(TransactionFault) { try commit(deliveredWithinMs: withinMs, withinMs: withinMs) }
}

/// Polls these members in turn until `isSo` returns true.
func poll(_ members: [TestMember], _ what: String, until isSo: () throws -> Bool) throws {
  let deadline = Deadline(afterMs: ServiceKafka.patienceMs)
  while try !isSo() {
    guard !deadline.isOver else { throw TestKafka.Failure("it never came to pass: \(what); so far: \(members.map(\.story))") }
    for member in members { member.poll() }
  }
}

extension ControlClient {
  /// Deletes a topic with all its records. It is no error if there is none of that name.
  func deleteTopic(_ name: String, withinMs: Int64) throws(EdgeError) {
    try attempt("cannot delete topic \"\(name)\"", withinMs: withinMs) { timeoutMs -> Attempt<Void> in
      var topic = rd_kafka_DeleteTopic_new(name)
      defer { rd_kafka_DeleteTopic_destroy(topic) }
      let answer = Self.admin(client, RD_KAFKA_ADMIN_OP_DELETETOPICS, timeoutMs) { options, queue in
        rd_kafka_DeleteTopics(client.handle, &topic, 1, options, queue)
      } read: { event in
        Self.result { rd_kafka_DeleteTopics_result_topics(rd_kafka_event_DeleteTopics_result(event), &$0) }
      }
      if case .failed(RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART, _, _) = answer { return .done(()) }
      return answer
    }
  }
}
