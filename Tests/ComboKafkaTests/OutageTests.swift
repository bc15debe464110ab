import CKafka
import ComboEdge
import ComboSystem
import Foundation
import Testing

@testable import ComboKafka
@testable import ComboTestSupport

@Suite("Brokers that are away")
struct OutageTests {
  private let withinMs = KafkaFixture.withinMs

  @Test("a broker that is not there is reported with its address, the reason and the remedy")
  func nobody() throws {
    let properties = try KafkaProperties(brokers: "127.0.0.1:1", log: .none)
    let control = try ControlClient(properties)
    // Before the first connection has failed, only the timeout is known.
    var error: EdgeError?
    try wait(for: "the reason: \(error as Any)") {
      error = #expect(throws: EdgeError.self) { try control.cluster(withinMs: 300) }
      #expect(error?.isRetriable == true, "\(error as Any)")
      return error.map { $0.message.contains("refused") } ?? true
    }
    #expect(error?.code == .unreachable)
    #expect(error?.message.contains("127.0.0.1:1") == true)
    #expect(error?.message.contains("Check that --brokers") == true)
    let producer = try TransactionalProducer(properties, transactionalID: "t")
    var atInit: EdgeError?
    try wait(for: "the reason: \(atInit as Any)") {
      atInit = #expect(throws: EdgeError.self) { try producer.initTransactions(withinMs: 300) }
      #expect(atInit?.isRetriable == true, "\(atInit as Any)")
      return atInit.map { $0.code == .unreachable } ?? true
    }
    #expect(atInit?.code == .unreachable)
    let atTopic = #expect(throws: EdgeError.self) { try producer.producer.topic("t", withinMs: 300) }
    #expect(atTopic?.code == .unreachable)
  }

  @Test("the same error is not reported repeatedly, but again after brokers have answered")
  func repeats() throws {
    let callbacks = ClientCallbacks(.consumer, try KafkaProperties(brokers: "h:1", log: .none))
    let allDown: Int32 = -187
    #expect(callbacks.shouldReport(allDown))
    #expect(!callbacks.shouldReport(allDown))
    #expect(callbacks.shouldReport(29))
    callbacks.answered()
    #expect(callbacks.shouldReport(allDown))
    #expect(!callbacks.shouldReport(29))
  }

  @Test("a host name that does not exist is reported")
  func noHost() throws {
    let properties = try KafkaProperties(brokers: "no-such-host.invalid:9092", log: .none)
    let control = try ControlClient(properties)
    let error = #expect(throws: EdgeError.self) { try control.cluster(withinMs: 2000) }
    #expect(error?.code == .unreachable)
    #expect(error?.message.contains("no-such-host.invalid") == true)
  }

  @Test(
    "clients made while the brokers are away continue by themselves when they return; the outage is reported once",
    .enabled(if: TestKafka.canStartClusters, Comment(rawValue: TestKafka.howTo)))
  func later() throws {
    let cluster = try TestKafka.cluster()
    do {
      let kafka = try KafkaFixture(brokers: cluster.brokers)
      try kafka.control.createTopic("later", partitions: 1, withinMs: withinMs)
      try kafka.fill("later", 0, ["a"])
    }
    try cluster.stop()
    let kafka = try KafkaFixture(brokers: cluster.brokers)
    let member = try TestMember(kafka.properties, .init(groupID: "g", topic: "later"))
    member.startAt = { _ in 0 }
    try poll([member], "the outage told") { !member.errors.isEmpty }
    for _ in 0..<100 { member.poll() }
    #expect(member.errors.map(\.code) == [.unreachable])
    #expect(throws: EdgeError.self) { try kafka.control.cluster(withinMs: 200) }
    try cluster.start()
    #expect(try kafka.control.cluster(withinMs: withinMs).brokers.count == 1)
    try poll([member], "read") { member.delivered == 1 }
  }

  @Test(
    "a full queue blocks the producer for its time and is then reported; nothing is lost when the brokers are back",
    .enabled(if: TestKafka.canStartClusters, Comment(rawValue: TestKafka.howTo)))
  func fullQueue() throws {
    let cluster = try TestKafka.cluster()
    let kafka = try KafkaFixture(
      brokers: cluster.brokers, overrides: [.init(key: "queue.buffering.max.messages", value: "100")])
    let topic = try kafka.topic()
    let producer = try KafkaProducer(kafka.properties, [], queueFullWaitMs: 200)
    let handle = try producer.topic(topic, withinMs: withinMs)
    try cluster.stop()
    var count = 0
    let error = #expect(throws: EdgeError.self) {
      while count < 10_000 {
        try producer.produce(handle, partition: 0, text: "\(count)")
        count += 1
      }
    }
    #expect(error?.code == .queueFull)
    #expect(error?.isRetriable == true, "\(error as Any)")
    #expect(count == 100)
    try cluster.start()
    try producer.flush(withinMs: withinMs)
    #expect(producer.deliveries.failedDeliveries == 0)
    #expect(try kafka.values(topic) == (0..<100).map(String.init))
  }

  @Test("without transactions a full queue holds one record up, and none after it: after that the producer cannot be used")
  func fullQueueWithoutTransactions() throws {
    let cluster = try MockCluster(log: .none)
    let names = TopicNames(input: "in", output: "out", journal: "journal", state: "state", deadLetter: "bad")
    for topic in [names.output, names.journal, names.deadLetter] { try cluster.createTopic(topic, partitions: 1) }
    let properties = try cluster.properties(overrides: [.init(key: "queue.buffering.max.messages", value: "10")], log: .none)
    let output = KafkaDirectOutput(properties, names: names, queueFullWaitMs: 1000)
    try output.renew()
    cluster.takeAway(broker: 1)
    // If each record waited, the last one would be produced after a quarter of an hour.
    let patience = Deadline(afterMs: 60_000)
    var produced: UInt = 0
    while produced < 1000 && !patience.isOver {
      produced += 1
      withBytes(Array("v".utf8)) {
        output.produce(.output, partition: 0, key: nil, value: $0, timestamp: nil, headers: [], tag: produced)
      }
    }
    #expect(produced == 1000)
    let error = #expect(throws: EdgeError.self) { try output.serve(maxWaitMs: 0) { _, _ in } }
    #expect(error?.code == .queueFull)
  }

  @Test("a record that the brokers report only as a duplicate is acknowledged without an offset")
  func acknowledgedWithoutOffset() throws {
    let cluster = try MockCluster(log: .none)
    let names = TopicNames(input: "in", output: "out", journal: "journal", state: "state", deadLetter: "bad")
    for topic in [names.output, names.journal, names.deadLetter] { try cluster.createTopic(topic, partitions: 1) }
    let output = KafkaDirectOutput(try cluster.properties(log: .none), names: names)
    try output.renew()
    cluster.answerProducing(with: [RD_KAFKA_RESP_ERR_DUPLICATE_SEQUENCE_NUMBER])
    for tag: UInt in 1...2 {
      var offset: Int64?
      withBytes(Array("v".utf8)) {
        output.produce(.journal, partition: 0, key: nil, value: $0, timestamp: nil, headers: [], tag: tag)
      }
      try wait(for: "record \(tag) is acknowledged") {
        try output.serve(maxWaitMs: 10) { if $0 == tag { offset = $1 } }
        return offset != nil
      }
      let isUnknown = try #require(offset) < 0
      #expect(isUnknown == (tag == 1), "\(offset as Any)")
    }
  }

  @Test(
    "a full queue holds one record of a transaction up, and none after it: the commit fails, and the next transaction succeeds"
  )
  func fullQueueInATransaction() throws {
    let cluster = try MockCluster(log: .none)
    let names = TopicNames(input: "in", output: "out", journal: "journal", state: "state", deadLetter: "bad")
    for topic in Topic.allCases { try cluster.createTopic(names[topic], partitions: 1) }
    // Records in the queue time out with their transaction.
    let properties = try cluster.properties(
      overrides: [
        .init(key: "queue.buffering.max.messages", value: "10"), .init(key: "transaction.timeout.ms", value: "600000"),
        // The broker is then soon found again, however long it was away.
        .init(key: "reconnect.backoff.max.ms", value: "100"),
      ], log: .none)
    let group = try KafkaGroup(properties, .init(groupID: "g", topic: names.input))
    let output = KafkaOutput(properties, transactionalID: "t", names: names, group: group, queueFullWaitMs: 1000)
    try output.renew()
    try output.begin()
    cluster.takeAway(broker: 1)
    // If each record waited, the last one would be produced after a quarter of an hour.
    let patience = Deadline(afterMs: 60_000)
    var produced = 0
    func produce() {
      produced += 1
      withBytes(Array("v".utf8)) {
        output.produce(.output, partition: 0, key: nil, value: $0, timestamp: nil, headers: [])
      }
    }
    while produced < 1000 && !patience.isOver { produce() }
    #expect(produced == 1000)
    let fault = #expect(throws: TransactionFault.self) { try output.commit([]) }
    #expect(fault?.reason.contains("queue") == true, "\(fault as Any)")
    cluster.bringBack(broker: 1)
    try output.abort()
    try output.begin()
    produce()
    try output.commit([])
  }

  @Test(
    "offsets and a commit that brokers do not answer in time are indefinite, and a new producer with the same id settles it",
    .enabled(if: TestKafka.canStartClusters, Comment(rawValue: TestKafka.howTo)))
  func indefinite() throws {
    let cluster = try TestKafka.cluster()
    let kafka = try KafkaFixture(brokers: cluster.brokers)
    let topic = try kafka.topic()
    let (producer, handle) = try kafka.transactional(topic, id: "one", timeoutMs: 10_000)
    try producer.begin()
    try producer.producer.produce(handle, text: "maybe")
    try producer.producer.flush(withinMs: withinMs)
    let member = try TestMember(kafka.properties, .init(groupID: "g", topic: topic))
    try poll([member], "joined") { !member.owned.isEmpty }
    // librdkafka itself waits almost this long for an answer, whatever timeout it is given.
    let (sender, _) = try kafka.transactional(topic, id: "sender", timeoutMs: 2000)
    try sender.begin()
    let (filler, fillerHandle) = try kafka.transactional(topic, id: "filler", timeoutMs: 10_000)
    try filler.begin()
    let metadata = try member.consumer.groupMetadata()
    try cluster.kill()
    do {
      try sender.sendOffsets(
        [CommittedOffset(partition: 0, offset: 1, metadata: "")], topic: topic, of: metadata, withinMs: 500)
      Issue.record("offsets were sent without brokers")
    } catch {
      #expect(error.kind == .indefinite, "\(error)")
    }
    // The commit was not even requested.
    try filler.producer.produce(fillerHandle, text: "never")
    let undelivered = try #require(throws: TransactionFault.self) { try filler.commit(deliveredWithinMs: 500, withinMs: 500) }
    #expect(undelivered.kind == .abort && undelivered.reason.contains("not delivered"))
    let fault = try #require(throws: TransactionFault.self) { try producer.commit(deliveredWithinMs: 500, withinMs: 500) }
    #expect(fault.kind == .indefinite && (fault.error.code == .unreachable || fault.error.code == .timedOut))
    try cluster.start()
    let (second, secondHandle) = try kafka.transactional(topic, id: "one")
    try second.begin()
    try second.producer.produce(secondHandle, text: "after")
    try second.commit(withinMs: withinMs)
    let values = try kafka.values(topic)
    #expect(values == ["after"] || values == ["maybe", "after"])
  }
}

@Suite("The broker inside the process")
struct MockClusterTests {
  @Test("produced records are read back by a group member, without anything installed")
  func roundTrip() throws {
    let cluster = try MockCluster(log: .none)
    try cluster.createTopic("gifts", partitions: 2)
    try cluster.createTopic("gifts", partitions: 2)
    let properties = try cluster.properties(log: .none)
    let producer = try TransactionalProducer(properties, transactionalID: "t")
    try producer.initTransactions(withinMs: 30_000)
    let handle = try producer.producer.topic("gifts", withinMs: 30_000)
    try producer.begin()
    for number in 0..<100 { try producer.producer.produce(handle, key: "\(number % 7)", text: "\(number)") }
    try producer.commit(withinMs: 30_000)
    let member = try TestMember(properties, .init(groupID: "g", topic: "gifts"))
    member.startAt = { _ in 0 }
    try poll([member], "all read") { member.delivered == 100 }
    #expect(member.errors == [])
    let control = try ControlClient(properties)
    let ends = try (0..<2).map { try control.watermarks("gifts", $0, withinMs: 30_000).end }
    #expect(ends.reduce(0, +) == 100)
    let client = try ReaderClient(properties)
    let values = try (0..<2).map { try client.reader("gifts", Int32($0), from: 0, to: ends[$0]).values() }
    #expect(values.joined().count == 100)
  }

  @Test("the end of a partition is reported although its leader has died, once another leads; until then it is an error in time")
  func leaderDied() throws {
    let cluster = try MockCluster(brokers: 3, log: .none)
    try cluster.createTopic("gifts", partitions: 1)
    cluster.lead("gifts", 0, by: 1)
    let control = try ControlClient(try cluster.properties(log: .none))
    #expect(try control.watermarks("gifts", 0, withinMs: 30_000) == (0, 0))
    cluster.takeAway(broker: 1)
    let error = #expect(throws: EdgeError.self) { try control.watermarks("gifts", 0, withinMs: 2000) }
    #expect(error?.isRetriable == true, "\(error as Any)")
    cluster.lead("gifts", 0, by: 2)
    #expect(try control.watermarks("gifts", 0, withinMs: 30_000) == (0, 0))
  }

  @Test("a group's offset is reported after its coordinator has moved, whether the former one reports that or has died")
  func coordinatorMoved() throws {
    let cluster = try MockCluster(brokers: 3, log: .none)
    try cluster.createTopic("gifts", partitions: 1)
    let control = try ControlClient(try cluster.properties(log: .none))
    func committed() throws -> Int64? {
      try control.committed(ofGroup: "g", "gifts", [0], withinMs: 30_000)[0].offset
    }
    cluster.coordinate(group: "g", by: 1)
    #expect(try committed() == nil)
    let offsetFetch: Int16 = 9
    cluster.answer(request: offsetFetch, to: 1, with: RD_KAFKA_RESP_ERR_NOT_COORDINATOR, times: 10_000)
    cluster.coordinate(group: "g", by: 2)
    #expect(try committed() == nil)
    cluster.takeAway(broker: 2)
    cluster.coordinate(group: "g", by: 3)
    #expect(try committed() == nil)
  }
}
