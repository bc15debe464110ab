import CKafka
import ComboEdge
import Foundation
import Testing

@testable import ComboKafka
@testable import ComboTestSupport

@Suite("Membership that is lost without notice", .enabled(if: TestKafka.isAvailable, Comment(rawValue: TestKafka.howTo)))
struct MembershipTests {
  private static let skipped =
    "SKIPPED: members that keep their partitions while they join again. Those of this librdkafka do not."

  private let withinMs = KafkaFixture.withinMs

  @Test(
    "a static member that is removed while it joins again commits no offsets of partitions that others may have had, and is created again"
  )
  func forgottenWhileJoining() throws {
    let kafka = try KafkaFixture()
    let topic = try kafka.topic(partitions: 4)
    let group = TestKafka.fresh("group")
    let log = RecordedLog()
    let first = try TestMember(try properties(kafka, log), .init(groupID: group, topic: topic, groupInstanceID: "one"))
    try poll([first], "all for the first") { first.owned.count == 4 }
    // Eager members have given everything up by the time they join again.
    guard first.consumer.isCooperative else { return print(Self.skipped) }
    let id = try #require(first.consumer.memberID)
    // The second does not respond to its assignment, so that the group waits for it when the first joins again.
    let second = try TestMember(kafka.properties, .init(groupID: group, topic: topic, groupInstanceID: "two"))
    try poll([first], "half of it given up") { first.owned.count == 2 }
    _ = try first.consumer.groupMetadata()
    try poll([first], "the first joins again") {
      let states = joinStates(log)
      guard let left = states.lastIndex(where: { $0.hasSuffix("-> wait-incr-unassign-to-complete") }) else { return false }
      return states[left...].contains { $0.hasSuffix("-> wait-join") }
    }
    let events = first.events
    // Meanwhile the group drops it, as after a session timeout. It joins again without reporting that.
    try TestKafka.leave(group, instance: "one", brokers: kafka.properties.brokers)
    try wait(for: "the first has another id") { first.consumer.memberID != id }
    let error = #expect(throws: EdgeError.self) { _ = try first.consumer.groupMetadata() }
    #expect(error?.code == .memberLost)
    try poll([first, second], "the first is told, or both are in the group") {
      !first.errors.isEmpty || (first.consumer.memberID != nil && second.owned.count == 2)
    }
    #expect(first.events == events)
    #expect(first.errors.map(\.code) == [.fatal])
    #expect(throws: EdgeError.self) { _ = try first.consumer.groupMetadata() }
  }

  @Test("a client that is not the member with the partitions commits nothing to a group, although an empty one would accept it")
  func tellsAsMember() throws {
    let kafka = try KafkaFixture()
    let topic = try kafka.topic()
    let group = TestKafka.fresh("group")
    let member = try GroupConsumer(kafka.properties, .init(groupID: group, topic: topic))
    // Both use one connection to the coordinator. Once a query was answered, the next one is sent after the commit.
    #expect(try member.committed([0], withinMs: withinMs)[0].offset == nil)
    member.commitWithoutWaiting([CommittedOffset(partition: 0, offset: 1, metadata: "7")])
    #expect(try member.committed([0], withinMs: withinMs)[0].offset == nil)
    let owner = try TestMember(kafka.properties, .init(groupID: group, topic: topic))
    try poll([owner], "it owns the partition") { owner.owned == [0] }
    owner.consumer.commitWithoutWaiting([CommittedOffset(partition: 0, offset: 2, metadata: "8")])
    #expect(try owner.consumer.committed([0], withinMs: withinMs)[0].offset == 2)
  }

  @Test("a partition that must be assigned again while partitions are being revoked waits until that is answered")
  func assignedAgainWhileRevoking() throws {
    let kafka = try KafkaFixture()
    let topic = try kafka.topic(partitions: 2)
    let group = TestKafka.fresh("group")
    for partition: Int32 in 0..<2 { try kafka.fill(topic, partition, ["a", "b", "c"]) }
    let log = RecordedLog()
    let first = try TestMember(try properties(kafka, log), .init(groupID: group, topic: topic))
    first.startAt = { _ in 1000 }
    try poll([first], "both offsets out of range") { first.errors.count == 2 }
    guard first.consumer.isCooperative else { return print(Self.skipped) }
    first.startAt = nil
    let second = try TestMember(kafka.properties, .init(groupID: group, topic: topic))
    try wait(for: "a revocation waits to be told") {
      second.poll()
      return joinStates(log).last?.hasSuffix("-> wait-unassign-call") ?? false
    }
    // librdkafka would mistake the start for the answer, and let others own what this member has not given up.
    for partition: Int32 in 0..<2 {
      let error = #expect(throws: EdgeError.self) { try first.consumer.start([(partition, 0)]) }
      #expect(error?.isRetriable == true)
    }
    #expect(joinStates(log).last?.hasSuffix("-> wait-unassign-call") ?? false)
    #expect(first.events == [.assigned([0, 1])])
    // The first is notified once more of what it keeps, with no new partitions.
    try poll([first, second], "one each, and the first knows it") {
      first.owned.count == 1 && second.owned.count == 1 && first.events.last == .assigned([])
    }
    for member in [first, second] {
      let partition = try #require(member.owned.first)
      // The rebalance may still wait for other answers.
      try poll([first, second], "it is started") { (try? member.consumer.start([(partition, 0)])) != nil }
    }
    try poll([first, second], "all read") { first.delivered == 3 && second.delivered == 3 }
    // The partition was assigned paused. Records fetched before all is in order would be mistaken for old ones in the queue, and
    // left out.
    let lines = log.all
    let paused = try #require(lines.lastIndex { $0.contains("Application pausing 1 partition(s)") })
    let assigned = try #require(lines.lastIndex { $0.contains("Added 1 partition(s) to assignment") })
    let resumed = try #require(lines.lastIndex { $0.contains("Application resuming 1 partition(s)") })
    #expect(paused < assigned && assigned < resumed)
  }

  @Test(
    "a member that is fenced while an assignment waits to be reported is freed, closed before or not", arguments: [false, true])
  func fencedWhileAssigned(isClosed: Bool) throws {
    let kafka = try KafkaFixture()
    let topic = try kafka.topic()
    let options = GroupConsumer.Options(groupID: TestKafka.fresh("group"), topic: topic, groupInstanceID: "one")
    let log = RecordedLog()
    let first = Freed(try TestMember(try properties(kafka, log), options))
    // The first is never polled.
    try wait(for: "an assignment waits to be told") { joinStates(log).last?.hasSuffix("-> wait-assign-call") ?? false }
    let second = try TestMember(kafka.properties, options)
    try wait(for: "the first is fenced") {
      second.poll()
      return first.hasFatalError
    }
    let done = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      if isClosed { first.close() }
      first.free()
      done.signal()
    }
    #expect(done.wait(timeout: .now() + 60) == .success, "it still waits for the answer")
    try poll([second], "the second has its place") { second.owned == [0] }
  }

  @Test(
    "a member that is closed while its first assignment waits to be reported waits for no answer that never comes",
    arguments: [nil, "one"])
  func closedWhileAssigned(instance: String?) throws {
    let kafka = try KafkaFixture()
    let topic = try kafka.topic()
    // librdkafka ends at once, or some hundred microseconds later, so that each try hits another moment.
    for index in 0..<10 {
      let log = RecordedLog()
      let options = GroupConsumer.Options(groupID: TestKafka.fresh("group"), topic: topic, groupInstanceID: instance)
      let member = Freed(try TestMember(try properties(kafka, log), options))
      try wait(for: "an assignment waits to be told") { joinStates(log).last?.hasSuffix("-> wait-assign-call") ?? false }
      let done = DispatchSemaphore(value: 0)
      Thread.detachNewThread {
        member.close()
        done.signal()
      }
      try #require(done.wait(timeout: .now() + 60) == .success, "try \(index): it still waits")
      member.free()
    }
  }

  /// A member that another thread frees, after which it is not used.
  private final class Freed: @unchecked Sendable {
    private var member: TestMember?

    init(_ member: TestMember) { self.member = member }

    var hasFatalError: Bool {
      member.map { rd_kafka_fatal_error($0.consumer.client.handle, nil, 0) != RD_KAFKA_RESP_ERR_NO_ERROR } ?? false
    }

    func close() { _ = member?.consumer.close(timeoutMs: 3000) }
    func free() { member = nil }
  }

  @Test("partitions that are yet to be started fetch nothing while another one is assigned again")
  func waitingWhileAssignedAgain() throws {
    let kafka = try KafkaFixture()
    let topic = try kafka.topic(partitions: 3)
    for partition: Int32 in 0..<3 {
      try kafka.fill(topic, partition, ["a", "b", "c"])
      try kafka.control.deleteRecords(topic, partition, before: 2)
    }
    let log = RecordedLog()
    let member = try TestMember(try properties(kafka, log), .init(groupID: TestKafka.fresh("group"), topic: topic))
    member.startAt = { _ in 2 }
    try poll([member], "all read") { member.delivered == 3 }
    // The service does this when it returns to the last commit.
    for partition: Int32 in 0..<3 { member.consumer.positions.stop(partition) }
    try member.consumer.start([(0, 0)])
    try poll([member], "the offset out of range") { !member.errors.isEmpty }
    try member.consumer.start([(0, 2)])
    // One request fetches all partitions of a broker. The second record arrives in a response that would include the others.
    for value in ["d", "e"] {
      try kafka.fill(topic, 0, [value])
      try poll([member], "\(value) read") { member.values[0]?.last == value }
    }
    let assignments = assignedCount(log)
    #expect(assignments > 3)
    // Otherwise librdkafka would have fetched these from the beginning, which is deleted, and have stopped there.
    for partition: Int32 in 1..<3 { try member.consumer.start([(partition, 2)]) }
    try poll([member], "all read again") { member.values[1] == ["c", "c"] && member.values[2] == ["c", "c"] }
    #expect(assignedCount(log) == assignments)
    #expect(member.errors.map(\.code) == [.offsetOutOfRange])
  }

  private func assignedCount(_ log: RecordedLog) -> Int {
    log.all.count { $0.contains("Starting pending assigned partition") }
  }

  @Test("in a group that assigns its partitions in another way it reports the remedy, and keeps trying")
  func otherAssignor() throws {
    let kafka = try KafkaFixture()
    let topic = try kafka.topic()
    let group = TestKafka.fresh("group")
    let configuration = rd_kafka_conf_new()
    for (key, value) in [
      ("bootstrap.servers", kafka.properties.brokers), ("group.id", group), ("partition.assignment.strategy", "roundrobin"),
    ] { rd_kafka_conf_set(configuration, key, value, nil, 0) }
    let other = try #require(rd_kafka_new(RD_KAFKA_CONSUMER, configuration, nil, 0))
    defer { rd_kafka_destroy(other) }
    let list = rd_kafka_topic_partition_list_new(1)
    rd_kafka_topic_partition_list_add(list, topic, -1)
    rd_kafka_subscribe(other, list)
    rd_kafka_topic_partition_list_destroy(list)
    try wait(for: "the other is in the group") {
      if let message = rd_kafka_consumer_poll(other, 10) { rd_kafka_message_destroy(message) }
      var assigned: UnsafeMutablePointer<rd_kafka_topic_partition_list_t>?
      rd_kafka_assignment(other, &assigned)
      defer { rd_kafka_topic_partition_list_destroy(assigned) }
      return assigned?.pointee.cnt == 1
    }
    let member = try TestMember(kafka.properties, .init(groupID: group, topic: topic))
    try poll([member], "it is told") { !member.errors.isEmpty }
    #expect(member.errors.map(\.code) == [.otherAssignor])
    #expect(member.errors.first?.message.contains("2.6.1 or later, or all an older one") == true)
    rd_kafka_consumer_close(other)
    try poll([member], "it has the other's place") { member.owned == [0] }
  }

  /// Returns properties with which librdkafka logs everything about the group.
  private func properties(_ kafka: KafkaFixture, _ log: RecordedLog) throws -> KafkaProperties {
    try KafkaProperties(
      brokers: kafka.properties.brokers, clientID: "test", overrides: [.init(key: "debug", value: "cgrp,topic")],
      logLevel: .debug,
      log: log.sink)
  }

  private func joinStates(_ log: RecordedLog) -> [String] {
    log.all.compactMap { line in
      line.contains("changed join state") ? line.range(of: " (state").map { String(line[..<$0.lowerBound]) } : nil
    }
  }
}
