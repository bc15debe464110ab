import CKafka
import ComboEdge
import ComboSystem
import Dispatch
import Foundation
import Synchronization
import Testing

@testable import ComboKafka
@testable import ComboTestSupport

@Suite("Topics of a real Kafka", .enabled(if: TestKafka.isAvailable, Comment(rawValue: TestKafka.howTo)))
struct ControlTests {
  private let withinMs = KafkaFixture.withinMs

  @Test("a topic is made with its partitions and settings; being there already is fine")
  func create() throws {
    let kafka = try KafkaFixture()
    let topic = TestKafka.fresh("test")
    #expect(try kafka.control.partitionCount(topic, withinMs: withinMs) == nil)
    let settings = [
      ("cleanup.policy", "compact,delete"), ("retention.ms", "86400000"), ("retention.bytes", "1000000"),
      ("max.message.bytes", "2000000"), ("message.timestamp.type", "LogAppendTime"),
    ]
    #expect(try kafka.control.createTopic(topic, partitions: 3, settings: settings, withinMs: withinMs))
    #expect(try !kafka.control.createTopic(topic, partitions: 9, withinMs: withinMs))
    #expect(try kafka.control.partitionCount(topic, withinMs: withinMs) == 3)
    let found = try kafka.control.settings(of: topic, withinMs: withinMs)
    #expect(found.isCompacted && found.isDeleted && found.hasAppendTime)
    #expect(found.retentionMs == 86_400_000)
    #expect(found.retentionBytes == 1_000_000)
    #expect(found.maxMessageBytes == 2_000_000)
    #expect(found.values["retention.ms"]?.isOwn == true)
    #expect(found.values["segment.bytes"]?.isOwn == false)
  }

  @Test("changing one setting leaves the topic's others as they are")
  func alter() throws {
    let kafka = try KafkaFixture()
    let topic = try kafka.topic(settings: [("retention.ms", "1000000"), ("max.message.bytes", "5000")])
    try kafka.control.alterSettings(of: topic, [("retention.ms", "-1")], withinMs: withinMs)
    // The answer arrives before every broker knows the change.
    let deadline = Deadline(afterMs: withinMs)
    var found = try kafka.control.settings(of: topic, withinMs: withinMs)
    while found["retention.ms"] != "-1" && !deadline.isOver {
      found = try kafka.control.settings(of: topic, withinMs: withinMs)
    }
    #expect(found.retentionMs == nil)
    #expect(found.maxMessageBytes == 5000)
    #expect(found.retentionBytes == nil)
    #expect(found.isDeleted && !found.isCompacted)
    #expect(!found.hasAppendTime)
    #expect(found.timestampAfterMaxMs != nil)
  }

  @Test("partitions are added")
  func grow() throws {
    let kafka = try KafkaFixture()
    let topic = try kafka.topic(partitions: 2)
    try kafka.control.createPartitions(topic, total: 5, withinMs: withinMs)
    #expect(try kafka.control.partitionCount(topic, withinMs: withinMs) == 5)
    try kafka.control.createPartitions(topic, total: 3, withinMs: withinMs)
    #expect(try kafka.control.partitionCount(topic, withinMs: withinMs) == 5)
  }

  @Test("a reader that knew the topic before its partitions were added gets their ends")
  func endsOfAddedPartitions() throws {
    let kafka = try KafkaFixture()
    let topic = try kafka.topic(partitions: 2)
    let reader = try ReaderClient(kafka.properties)
    #expect(try kafka.control.watermarks(topic, 0, seenBy: reader.client, withinMs: withinMs) == (0, 0))
    let other = try ReaderClient(kafka.properties)
    #expect(try kafka.control.ends(topic, [1], seenBy: other.client, withinMs: withinMs).map(\.offset) == [0])
    try kafka.control.createPartitions(topic, total: 5, withinMs: withinMs)
    #expect(try kafka.control.watermarks(topic, 4, seenBy: reader.client, withinMs: withinMs) == (0, 0))
    #expect(try kafka.control.ends(topic, [1, 4], seenBy: other.client, withinMs: withinMs).map(\.offset) == [0, 0])
  }

  @Test("a coordinator that answers long after its request was given up does no harm")
  func lateCoordinator() throws {
    let cluster = try MockCluster()
    cluster.delayAnswers(broker: 1, ms: 1500)
    let properties = try cluster.properties()
    let client = try KafkaClient(.consumer, properties, [("group.id", "g")], callbacks: ClientCallbacks(.consumer, properties))
    client.leaveSilently()
    let list = PartitionList(topic: "t", [0])
    var request = rd_kafka_ListConsumerGroupOffsets_new("g", list.pointer)
    defer { rd_kafka_ListConsumerGroupOffsets_destroy(request) }
    func ask(_ timeoutMs: Int32) -> Bool {
      let answer = ControlClient.ask(client, RD_KAFKA_ADMIN_OP_LISTCONSUMERGROUPOFFSETS, timeoutMs) {
        rd_kafka_ListConsumerGroupOffsets($0, &request, 1, $1, $2)
      } read: { _ in
        .done(())
      }
      if case .done = answer { return true }
      return false
    }
    // librdkafka aborts the process at the late answer if the request has expired.
    #expect(!ask(300))
    #expect(ask(Int32(withinMs)))
  }

  @Test("several clients that add the same partitions at once all find them there")
  func growAtOnce() throws {
    let kafka = try KafkaFixture()
    let clients = 6
    let topic = try kafka.topic(partitions: 1)
    let controls = try (0..<clients).map { _ in try KafkaFixture().control }
    // All clients know the topic before, so that they all send their requests at the same moment.
    for control in controls { #expect(try control.partitionCount(topic, withinMs: withinMs) == 1) }
    let failures = Mutex<[String]>([])
    DispatchQueue.concurrentPerform(iterations: clients) { index in
      do throws(EdgeError) {
        try controls[index].createPartitions(topic, total: 4, withinMs: withinMs)
      } catch {
        failures.withLock { $0.append(error.message) }
      }
    }
    #expect(failures.withLock { $0 } == [])
    #expect(try kafka.control.partitionCount(topic, withinMs: withinMs) == 4)
  }

  @Test("a topic is deleted; none of that name is fine")
  func delete() throws {
    let kafka = try KafkaFixture()
    let topic = try kafka.topic()
    try kafka.control.deleteTopic(topic, withinMs: withinMs)
    try kafka.control.deleteTopic(topic, withinMs: withinMs)
    let deadline = Deadline(afterMs: withinMs)
    while try kafka.control.partitionCount(topic, withinMs: withinMs) != nil && !deadline.isOver {}
    #expect(try kafka.control.partitionCount(topic, withinMs: withinMs) == nil)
  }

  @Test("requests that the brokers refuse are reported with the brokers' reason")
  func refused() throws {
    let kafka = try KafkaFixture()
    let name = #expect(throws: EdgeError.self) {
      try kafka.control.createTopic("no/slashes", partitions: 1, withinMs: withinMs)
    }
    #expect(name?.code == .invalidRequest)
    #expect(name?.message.contains("\"no/slashes\"") == true)
    let setting = #expect(throws: EdgeError.self) {
      try kafka.control.createTopic(
        TestKafka.fresh("test"), partitions: 1, settings: [("cleanup.policy", "burn")], withinMs: withinMs)
    }
    #expect(setting?.code == .invalidRequest)
    #expect(setting?.message.contains("burn") == true)
    let replicas = #expect(throws: EdgeError.self) {
      try kafka.control.createTopic(TestKafka.fresh("test"), partitions: 1, replicationFactor: 1000, withinMs: withinMs)
    }
    #expect(replicas?.code == .invalidRequest)
    let unknown = #expect(throws: EdgeError.self) {
      try kafka.control.settings(of: TestKafka.fresh("none"), withinMs: withinMs)
    }
    #expect(unknown?.code == .unknownTopic)
  }

  @Test("the end counts open transactions, unless asked as a read_committed reader sees it; times are looked up")
  func offsets() throws {
    let kafka = try KafkaFixture()
    let topic = try kafka.topic(partitions: 2)
    let (producer, handle) = try kafka.transactional(topic)
    try producer.begin()
    for time in 1...5 { try producer.producer.produce(handle, partition: 0, text: "v", timestampMs: Int64(time * 1000)) }
    try producer.producer.flush(withinMs: withinMs)
    #expect(try kafka.control.watermarks(topic, 0, withinMs: withinMs) == (0, 5))
    let reader = try ReaderClient(kafka.properties)
    #expect(try kafka.control.watermarks(topic, 0, seenBy: reader.client, withinMs: withinMs) == (0, 0))
    #expect(try kafka.control.watermarks(topic, 1, withinMs: withinMs) == (0, 0))
    try producer.commit(withinMs: withinMs)
    try kafka.waitForEnd(topic, 6)
    let found = try kafka.control.offsets(topic, [0, 1], atMs: 2500, withinMs: withinMs)
    #expect(found.map(\.offset) == [2, nil])
  }

  @Test("the cluster names its brokers")
  func cluster() throws {
    let kafka = try KafkaFixture()
    let cluster = try kafka.control.cluster(withinMs: withinMs)
    #expect(!cluster.brokers.isEmpty)
    #expect(cluster.id?.isEmpty == false)
    #expect(kafka.properties.brokers.contains(cluster.brokers[0].address))
  }
}
