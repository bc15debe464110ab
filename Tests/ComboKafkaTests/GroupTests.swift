import CKafka
import ComboEdge
import ComboSystem
import Foundation
import Testing

@testable import ComboKafka
@testable import ComboTestSupport

@Suite("Group members on a real Kafka", .enabled(if: TestKafka.isAvailable, Comment(rawValue: TestKafka.howTo)))
struct GroupTests {
  private let withinMs = KafkaFixture.withinMs

  private func values(_ prefix: String, _ count: Int) -> [String] { (0..<count).map { "\(prefix)\($0)" } }

  @Test("nothing is delivered of a partition before it is started, and then from its offset on")
  func start() throws {
    let kafka = try KafkaFixture()
    let topic = try kafka.topic(partitions: 2)
    try kafka.fill(topic, 0, values("a", 10))
    try kafka.fill(topic, 1, values("b", 10))
    let member = try TestMember(kafka.properties, .init(groupID: TestKafka.fresh("group"), topic: topic))
    try poll([member], "all partitions assigned") { member.owned == [0, 1] }
    try member.consumer.start([(0, 4)])
    try poll([member], "partition 0 read") { member.values[0]?.count == 6 }
    #expect(member.values == [0: Array(values("a", 10)[4...])])
    #expect(member.consumer.positions.position(0) == 10)
    #expect(member.consumer.positions.position(1) == nil)
    try member.consumer.start([(1, 9)])
    try poll([member], "partition 1 read") { member.values[1]?.count == 1 }
    #expect(member.values[1] == ["b9"])
    #expect(member.errors == [])
    #expect(member.consumer.memberID != nil)
    #expect(try #require(member.consumer.watermarks(0)).end == 10)
  }

  @Test("each member's rules are known to the others, also of one without partitions, and under a client id of the user")
  func memberRules() throws {
    let kafka = try KafkaFixture()
    let topic = try kafka.topic()
    let group = TestKafka.fresh("group")
    let old = try TestMember(kafka.properties, .init(groupID: group, topic: topic))
    let own = try KafkaProperties(brokers: kafka.properties.brokers, overrides: [.init(key: "client.id", value: "mine")])
    let new = try TestMember(own, .init(groupID: group, topic: topic, rules: 3))
    let control = try ControlClient(kafka.properties)
    try poll([old, new], "both are members") { try control.members(ofGroup: group, withinMs: withinMs).count == 2 }
    let members = try control.members(ofGroup: group, withinMs: withinMs)
    #expect(Set(members.map(\.clientID)) == ["test", "mine.rules-3"])
    #expect(Set(members.map(\.rules)) == [nil, 3])
  }

  @Test("a static member's rules are those of the program that is there, not of the one that was there before")
  func staticRules() throws {
    let kafka = try KafkaFixture()
    let topic = try kafka.topic()
    let group = TestKafka.fresh("group")
    let control = try ControlClient(kafka.properties)
    func found() throws -> [String] {
      try control.members(ofGroup: group, withinMs: withinMs).map { "\($0.instance ?? "-") \($0.rules ?? 2)" }.sorted()
    }
    for rules in [2, 3, 2] {
      let options = GroupConsumer.Options(groupID: group, topic: topic, groupInstanceID: "a", rules: rules)
      let member = try TestMember(kafka.properties, options)
      try poll([member], "it is a member") { try found().contains("a \(rules)") }
      try poll([member], "the session of the one before is over") { try found() == ["a \(rules)"] }
      // A static member does not leave.
      _ = member.consumer.close(timeoutMs: withinMs)
    }
  }

  @Test("starting again rewinds, and records fetched before are not delivered after it")
  func rewind() throws {
    let kafka = try KafkaFixture()
    let topic = try kafka.topic()
    let all = values("v", 5000)
    try kafka.fill(topic, 0, all)
    let member = try TestMember(kafka.properties, .init(groupID: TestKafka.fresh("group"), topic: topic))
    member.startAt = { _ in 0 }
    try poll([member], "some read") { member.delivered > 100 }
    // Much more than was delivered is in librdkafka's queue by now.
    var before = member.delivered
    for target in [3000, 10, 4990, 0] {
      try member.consumer.start([(0, Int64(target))])
      try poll([member], "read from \(target)") { member.delivered > before }
      #expect(member.values[0]?[before] == "v\(target)")
      before = member.delivered
    }
    try poll([member], "read to the end") { member.values[0]?.last == "v4999" }
    let delivered = member.values[0] ?? []
    let last = delivered.lastIndex(of: "v0") ?? 0
    #expect(Array(delivered[last...]) == all)
  }

  @Test("a paused partition delivers nothing, and continues where it was")
  func pause() throws {
    let kafka = try KafkaFixture()
    let topic = try kafka.topic(partitions: 2)
    let all = values("v", 3000)
    try kafka.fill(topic, 0, all)
    let member = try TestMember(kafka.properties, .init(groupID: TestKafka.fresh("group"), topic: topic))
    member.startAt = { _ in 0 }
    try poll([member], "some read") { member.delivered > 100 }
    try member.consumer.pause([0])
    let before = member.delivered
    try kafka.fill(topic, 1, ["other"])
    try poll([member], "the other partition goes on") { member.values[1] == ["other"] }
    #expect(member.values[0]?.count == before)
    try member.consumer.start(member.consumer.positions.started.filter { $0.partition == 0 })
    try poll([member], "all read") { member.delivered == 3001 }
    #expect(member.values[0] == all)
  }

  @Test("members share the partitions; each rebalance is reported, and every record goes to an owner once it is started")
  func rebalance() throws {
    let kafka = try KafkaFixture()
    let topic = try kafka.topic(partitions: 4)
    let options = GroupConsumer.Options(groupID: TestKafka.fresh("group"), topic: topic)
    for partition: Int32 in 0..<4 { try kafka.fill(topic, partition, values("p\(partition)-", 50)) }
    let first = try TestMember(kafka.properties, options)
    first.startAt = { _ in 0 }
    try poll([first], "all read by the first") { first.delivered == 200 }
    #expect(first.events == [.assigned([0, 1, 2, 3])])

    let second = try TestMember(kafka.properties, options)
    second.startAt = { _ in 45 }
    first.startAt = { _ in 48 }
    try poll([first, second], "two partitions each") {
      first.owned.count == 2 && second.owned.count == 2 && first.owned.isDisjoint(with: second.owned)
    }
    try poll([first, second], "the second reads") { second.delivered == 10 }
    for partition in second.owned {
      #expect(second.values[partition] == (45..<50).map { "p\(partition)-\($0)" })
    }
    guard first.events.count > 1, case .revoked(let revoked, let lost) = first.events[1] else {
      Issue.record("no revocation was told: \(first.events)")
      return
    }
    #expect(!lost)
    #expect(first.consumer.isCooperative ? revoked.count == 2 : revoked == [0, 1, 2, 3])

    // The first leaves gracefully, and the second takes over its partitions.
    #expect(first.consumer.close(timeoutMs: withinMs))
    #expect(first.owned == [])
    try poll([second], "all for the second") { second.owned.count == 4 }
    for partition: Int32 in 0..<4 { try kafka.fill(topic, partition, ["last"]) }
    try poll([second], "the last ones read") { (0..<4).allSatisfy { second.values[$0]?.last == "last" } }
    #expect(first.errors == [] && second.errors == [])
  }

  @Test("many rebalances while records flow: nothing is delivered twice or left out between start and revocation")
  func rebalancesUnderLoad() throws {
    let kafka = try KafkaFixture()
    let topic = try kafka.topic(partitions: 3)
    let options = GroupConsumer.Options(groupID: TestKafka.fresh("group"), topic: topic)
    let perPartition = 20_000
    for partition: Int32 in 0..<3 { try kafka.fill(topic, partition, values("", perPartition)) }
    // The next offset of each partition is kept centrally, as committed offsets would be.
    var next: [Int32: Int64] = [0: 0, 1: 0, 2: 0]
    var members: [TestMember] = []
    // Kept, so that no later member can have the identity of one that left.
    var gone: [TestMember] = []
    var seen: [ObjectIdentifier: [Int32: Int]] = [:]
    func collect() {
      for member in members {
        for (partition, values) in member.values {
          let from = seen[ObjectIdentifier(member), default: [:]][partition, default: 0]
          for value in values[from...] {
            if Int64(value) != next[partition] {
              Issue.record("partition \(partition): \(value) came, \(next[partition] ?? -1) was due")
            }
            next[partition] = (Int64(value) ?? -1) + 1
          }
          seen[ObjectIdentifier(member), default: [:]][partition] = values.count
        }
      }
    }
    for round in 0..<6 {
      let joining = try TestMember(kafka.properties, options)
      joining.startAt = { next[$0] ?? 0 }
      members.append(joining)
      let stayed = members.count > 1 ? members[0] : nil
      let deadline = Deadline(afterMs: 60_000)
      while joining.owned.isEmpty || joining.delivered < 500 {
        if next.values.allSatisfy({ $0 >= perPartition }) { break }
        try #require(!deadline.isOver, "round \(round): the new member does not get its records")
        for member in members {
          member.poll(maxWaitMs: 5)
          collect()
        }
      }
      if let stayed, round % 2 == 1 {
        #expect(stayed.consumer.close(timeoutMs: withinMs))
        collect()
        gone.append(members.removeFirst())
      }
    }
    try poll(members, "all read") {
      collect()
      return next.values.allSatisfy { $0 == perPartition }
    }
    #expect(gone.count == 3)
  }

  @Test("an offset that is not there is reported, with its partition, once that is started; others continue")
  func outOfRange() throws {
    let kafka = try KafkaFixture()
    let topic = try kafka.topic(partitions: 2)
    try kafka.fill(topic, 0, values("a", 3))
    try kafka.fill(topic, 1, values("b", 3))
    let member = try TestMember(kafka.properties, .init(groupID: TestKafka.fresh("group"), topic: topic))
    member.startAt = { $0 == 0 ? 1000 : 0 }
    try poll([member], "the error and the other partition") { !member.errors.isEmpty && member.values[1]?.count == 3 }
    #expect(member.errors.map(\.code) == [.offsetOutOfRange])
    #expect(try #require(member.errors.first).message.contains("partition 0"))
    try member.consumer.start([(0, 0)])
    try poll([member], "started anew") { member.values[0]?.count == 3 }
  }

  @Test("nothing is left out of partitions that are started together, though one of them must be assigned again")
  func startTogether() throws {
    // Otherwise a fetch that waits for more records at the end would delay the next one until all is over.
    let kafka = try KafkaFixture(overrides: [.init(key: "fetch.wait.max.ms", value: "5")])
    let topic = try kafka.topic(partitions: 2)
    let all = values("a", 100)
    try kafka.fill(topic, 0, all)
    try kafka.fill(topic, 1, ["b"])
    let member = try TestMember(kafka.properties, .init(groupID: TestKafka.fresh("group"), topic: topic))
    try poll([member], "all partitions assigned") { member.owned == [0, 1] }
    try member.consumer.start([(0, 0), (1, 1000)])
    try poll([member], "one is read, the other's offset is not there") { member.values[0] == all && !member.errors.isEmpty }
    #expect(member.errors.map(\.code) == [.offsetOutOfRange])
    // The first partition is fetched all the time, the second no longer.
    try member.consumer.start([(0, 0), (1, 0)])
    try poll([member], "the other is read") { member.values[1] == ["b"] }
    try kafka.fill(topic, 0, ["last"])
    try poll([member], "the last one is read") { member.values[0]?.last == "last" }
    #expect(member.values[0] == all + all + ["last"])
  }

  @Test("consuming the waiting records ends, although more are fetched all the time")
  func consumeWaiting() throws {
    // Each fetch returns one batch of records, and few of them are fetched ahead.
    let kafka = try KafkaFixture(overrides: [
      .init(key: "fetch.message.max.bytes", value: "100"), .init(key: "queued.min.messages", value: "10"),
      .init(key: "fetch.wait.max.ms", value: "5"),
    ])
    let topic = try kafka.topic()
    for _ in 0..<20 { try kafka.fill(topic, 0, values("v", 10)) }
    let member = try TestMember(kafka.properties, .init(groupID: TestKafka.fresh("group"), topic: topic))
    try poll([member], "assigned") { member.owned == [0] }
    try member.consumer.start([(0, 0)])
    let queue = member.consumer.queue
    try wait(for: "records wait") { rd_kafka_queue_length(queue) >= 10 }
    let waiting = rd_kafka_queue_length(queue)
    #expect(waiting < 100)
    var taken = 0
    member.consumer.consumeWaiting { batch in
      taken += batch.count
      if taken == 200 { return }
      try? wait(for: "more has come") { rd_kafka_queue_length(queue) > 0 }
    }
    #expect(taken > 0 && taken < 200, "\(waiting) waited")
  }

  @Test("records that librdkafka cannot read are reported each time, and none after them is delivered")
  func damaged() throws {
    let cluster = try MockCluster(log: .none)
    try cluster.createTopic("gifts", partitions: 1)
    let kafka = try KafkaFixture(
      brokers: cluster.brokers,
      overrides: [.init(key: "check.crcs", value: "true"), .init(key: "fetch.wait.max.ms", value: "5")])
    try kafka.fill("gifts", 0, ["a"])
    try TestKafka.produceDamaged("b", to: "gifts", brokers: cluster.brokers)
    try kafka.fill("gifts", 0, ["c"])
    #expect(try kafka.end("gifts") == 3)
    let member = try TestMember(kafka.properties, .init(groupID: "g", topic: "gifts"))
    member.startAt = { _ in 0 }
    // Until the partition is paused, further fetches may fail.
    var reports: [EdgeError] { member.errors.filter { $0.message.contains("cannot be read, and are not skipped") } }
    for count in 1...2 {
      try poll([member], "it is told \(count) times") { reports.count >= count }
      #expect(member.consumer.positions.position(0) == nil)
      // The service starts it like this once it has returned to the last commit.
      try member.consumer.start([(0, 1)])
    }
    try poll([member], "it is told again") { reports.count >= 3 }
    #expect(member.errors.allSatisfy { $0.message.contains("offset 1 ") })
    #expect(reports.allSatisfy { $0.code == .positionLost })
    #expect(member.values == [0: ["a"]])
  }

  @Test(
    "partitions of an earlier topic with the same name are never accepted as its own: the member fails, and reports the reason")
  func otherTopic() throws {
    let kafka = try KafkaFixture()
    let (own, other) = (try kafka.topic(partitions: 2), try kafka.topic(partitions: 2))
    let group = TestKafka.fresh("group")
    let before = try TestMember(kafka.properties, .init(groupID: group, topic: other, groupInstanceID: "one"))
    try poll([before], "it has the other topic") { before.owned == [0, 1] }
    // The coordinator assigns what the member of this name had, without a new assignment.
    let member = try TestMember(kafka.properties, .init(groupID: group, topic: own, groupInstanceID: "one"))
    try poll([member], "it is told, or owns something") { !member.errors.isEmpty || !member.owned.isEmpty }
    #expect(member.owned.isEmpty)
    let error = try #require(member.errors.first)
    #expect(
      error.code == .otherTopic && error.message.contains("\"\(other)\"") && error.message.contains("--instance"), "\(error)")
  }

  @Test("a static member that returns keeps its partitions, without a rebalance for the others")
  func staticMembership() throws {
    let kafka = try KafkaFixture()
    let topic = try kafka.topic(partitions: 2)
    let group = TestKafka.fresh("group")
    let first = try TestMember(kafka.properties, .init(groupID: group, topic: topic, groupInstanceID: "one"))
    var second: TestMember? = try TestMember(kafka.properties, .init(groupID: group, topic: topic, groupInstanceID: "two"))
    // The one that had both may receive the last generation later than the other.
    try poll([first, second].compactMap(\.self), "one each, in one generation") {
      first.owned.count == 1 && second?.owned.count == 1 && first.generation == second?.generation
    }
    let (kept, others) = (second?.owned, first.owned)
    let generation = try #require(first.generation)
    second?.consumer.close(timeoutMs: withinMs)
    second = nil
    let back = try TestMember(kafka.properties, .init(groupID: group, topic: topic, groupInstanceID: "two"))
    try poll([first, back], "the member is back") { !back.owned.isEmpty }
    #expect(back.owned == kept)
    #expect(first.owned == others)
    #expect((first.generation, back.generation) == (generation, generation))
  }

  @Test("an unknown topic is reported from time to time, and joined when it is created")
  func unknownTopic() throws {
    let kafka = try KafkaFixture(overrides: [.init(key: "topic.metadata.refresh.interval.ms", value: "500")])
    let topic = TestKafka.fresh("test")
    let member = try TestMember(kafka.properties, .init(groupID: TestKafka.fresh("group"), topic: topic))
    try poll([member], "the error") { !member.errors.isEmpty }
    #expect(member.errors.map(\.code) == [.unknownTopic])
    #expect(try #require(member.errors.first).message.contains(topic))
    try kafka.control.createTopic(topic, partitions: 1, withinMs: withinMs)
    try poll([member], "assigned") { member.owned == [0] }
  }

  @Test("closing ends within its time limit")
  func closeIsBounded() throws {
    let kafka = try KafkaFixture()
    let topic = try kafka.topic()
    let member = try TestMember(kafka.properties, .init(groupID: TestKafka.fresh("group"), topic: topic))
    try poll([member], "assigned") { member.owned == [0] }
    #expect(member.consumer.close(timeoutMs: withinMs))
    #expect(member.events == [.assigned([0]), .revoked([0], lost: false)])
    // Closing again has no effect.
    #expect(member.consumer.close(timeoutMs: withinMs))
  }
}
