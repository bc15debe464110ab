import ComboEdge
import ComboKafka
import Glibc
import Testing

@testable import ComboTestSupport

extension ServiceTests {
  @Suite("Topics")
  struct TopicTests {
    @Test(
      "another cluster behind the same address is named, and nothing is created there", .enabled(if: TestKafka.canStartClusters))
    func otherCluster() throws {
      let cluster = try TestKafka.cluster(properties: ServiceKafka.properties + "\nauto.create.topics.enable=false")
      let group = try TestGroup(partitions: 1, brokers: cluster.brokers)
      let service = try group.process(TestGroup.fast + TestGroup.briefSession)
      try group.give([TestGift(id: "1", room: "r")])
      try group.waitUntilSaid(["r": 1], service)
      try cluster.replace()
      let control = try ControlClient(group.properties)
      try control.createTopic(group.names.input, partitions: 1, settings: [], withinMs: ServiceKafka.patienceMs)
      try service.waitForLog(
        "belong to another cluster now: its id is AnotherClusterAtAllAAA", "The service creates no topics there")
      for topic in [group.names.journal, group.names.state, group.names.output] {
        #expect(try control.partitionCount(topic, withinMs: ServiceKafka.patienceMs) == nil, "\(topic)")
      }
      #expect(!service.has("deleted"), "\(service.text)")
      let transactions = try TestKafka.tool(["transactions", "--bootstrap-server", cluster.brokers, "list"])
      #expect(transactions.contains("TransactionalId") && !transactions.contains(group.group), "\(transactions)\n\(service.text)")
      service.requestStop()
      _ = try service.waitForExit()
    }

    private static func settings(_ group: TestGroup, _ topic: String) throws -> TopicSettings {
      try group.control.settings(of: topic, withinMs: ServiceKafka.patienceMs)
    }

    @Test("missing topics are made with the input's partitions, the right policy and limits")
    func created() throws {
      let group = try TestGroup(partitions: 5, settings: [("retention.ms", "777000000")])
      let service = try group.thread()
      try service.waitForLog("new: partition 4")
      try service.stop()
      for topic in [group.names.output, group.names.deadLetter, group.names.journal, group.names.state] {
        #expect(try group.control.partitionCount(topic, withinMs: ServiceKafka.patienceMs) == 5, "\(topic)")
        #expect(service.has("created topic \"\(topic)\" with 5 partitions"))
        let settings = try Self.settings(group, topic)
        #expect(settings["max.message.bytes"] == "8388608", "\(topic)")
        // A clock that was ahead must not stop anything.
        #expect(settings["message.timestamp.after.max.ms"] == "\(Int64.max)", "\(topic)")
      }
      let journal = try Self.settings(group, group.names.journal)
      #expect(!journal.isCompacted && journal.retentionMs == 777_000_000 && journal.retentionBytes == nil)
      #expect(try Self.settings(group, group.names.state)["cleanup.policy"] == "compact")
      #expect(try Self.settings(group, group.names.output)["cleanup.policy"] == "delete")
    }

    @Test("a journal that would be kept for less long than the input is kept for as long")
    func retention() throws {
      let group = try TestGroup(partitions: 1, settings: [("retention.ms", "777000000")])
      try group.control.createTopic(
        group.names.journal, partitions: 1, settings: [("retention.ms", "1000"), ("retention.bytes", "1000")],
        withinMs: ServiceKafka.patienceMs)
      let service = try group.thread()
      try service.waitForLog("new: partition 0")
      try service.stop()
      #expect(service.has("raising the retention", group.names.journal))
      let journal = try Self.settings(group, group.names.journal)
      #expect(journal.retentionMs == 777_000_000 && journal.retentionBytes == nil)
    }

    @Test("a topic that is deleted under the service is created again, and the service continues")
    func deleted() throws {
      let group = try TestGroup(partitions: 1)
      let service = try group.process(TestGroup.fast)
      try service.waitForLog("new: partition 0")
      try group.give([TestGift(id: "a", room: "r", sender: "u")])
      try group.waitUntilSaid(["r": 1], service)
      try group.control.deleteTopic(group.names.output, withinMs: ServiceKafka.patienceMs)
      try group.give([TestGift(id: "b", room: "r", sender: "u")])
      // Brokers may recreate the topic themselves when a record is produced to it. Otherwise the service does.
      try group.waitUntilTakenIn(service)
      if service.has("its output topic is gone") {
        try service.waitForLog("created topic \"\(group.names.output)\"", count: 2)
      }
      #expect(try group.control.partitionCount(group.names.output, withinMs: ServiceKafka.patienceMs) != nil)
      try service.stop()
    }

    /// Sends a gift to each of eight rooms.
    private func give(_ id: String, _ group: TestGroup, _ given: inout [String: Int]) throws {
      try group.give((0..<8).map { TestGift(id: "\(id)\($0)", room: "r\($0)", sender: "u") })
      for room in 0..<8 { given["r\(room)", default: 0] += 1 }
    }

    /// Uses its own cluster, as brokers that create a missing topic for its first record would hide the loss.
    @Test(
      "journal or state deleted under the service, where brokers create no topics: it starts again, logs why, and continues",
      .enabled(if: TestKafka.canStartClusters), arguments: [Topic.journal, .state])
    func deletedForGood(_ topic: Topic) throws {
      let cluster = try TestKafka.cluster(properties: ServiceKafka.properties + "\nauto.create.topics.enable=false")
      let group = try TestGroup(partitions: 2, brokers: cluster.brokers)
      let service = try group.process(TestGroup.fast + ["--checkpoint-interval-ms", "50"])
      var given: [String: Int] = [:]
      try give("a", group, &given)
      try group.waitUntilSaid(given, service)
      // Without a checkpoint, nothing contradicts a journal that is gone.
      try wait(for: "checkpoints: \(service.text)") {
        let keys = try group.state().keys
        return (0..<2).allSatisfy { keys.contains(#"\#($0) ["checkpoint"]"#) }
      }
      let name = group.names[topic]
      try group.control.deleteTopic(name, withinMs: ServiceKafka.patienceMs)
      try give("b", group, &given)
      try service.waitForLog("its \(topic.word) topic is gone")
      try service.waitForLog("starting again within the process")
      try service.waitForLog("created topic \"\(name)\"", count: 2)
      try give("c", group, &given)
      try group.waitUntilTakenIn(service)
      if topic == .state {
        // The journal is complete from its first entry on.
        try group.waitUntilSaid(given, service)
      }
      try service.stop()
      if topic == .state {
        try group.verify()
      } else {
        for partition in 0..<2 {
          #expect(service.has("RESET: partition \(partition)", "it was truncated or recreated"), "\(service.text)")
        }
      }
    }

    @Test("a state topic that brokers recreate with their defaults is noticed, set up, and the service continues")
    func recreated() throws {
      let group = try TestGroup(partitions: 2)
      let options = TestGroup.fast + ["--checkpoint-interval-ms", "50"]
      let service = try group.process(options)
      var given: [String: Int] = [:]
      try give("a", group, &given)
      try group.waitUntilSaid(given, service)
      try group.control.deleteTopic(group.names.state, withinMs: ServiceKafka.patienceMs)
      try service.waitForLog("its state topic ")
      try service.waitForLog("starting again within the process")
      try give("b", group, &given)
      // The journal is complete from its first entry on.
      try group.waitUntilSaid(given, service)
      try service.stop()
      let state = try group.control.settings(of: group.names.state, withinMs: ServiceKafka.patienceMs)
      #expect(state.isCompacted && !state.isDeleted, "\(service.text)")
      let next = try group.process(options)
      try next.waitForLog("restored: partition 0")
      try next.stop()
      try group.verify()
    }

    @Test("an input that is recreated and has grown beyond the old one before it is read again is refused")
    func recreatedInput() throws {
      let group = try TestGroup(partitions: 1)
      let first = try group.process(TestGroup.fast)
      try first.waitForLog("new: partition 0")
      try wait(for: "an entry: \(first.text)") { try group.records(of: group.names.journal).count > 0 }
      // Its checkpoint is from before the first record.
      try first.stop()
      let service = try group.process(TestGroup.fast)
      try group.give((0..<20).map { TestGift(id: "old\($0)", room: "r\($0)") })
      // Progress is reported once a second, and processed offsets are recorded as often.
      try wait(for: "three reports: \(service.text)") { service.text.matches(of: #/events 20 /#).count > 2 }
      service.signal(SIGSTOP)
      try group.control.deleteTopic(group.names.input, withinMs: ServiceKafka.patienceMs)
      try group.control.createTopic(group.names.input, partitions: 1, withinMs: ServiceKafka.patienceMs)
      try group.give((0..<100).map { TestGift(id: "new\($0)", room: "r\($0 % 20)") })
      service.signal(SIGCONT)
      #expect(try service.waitForExit() == 1)
      #expect(service.has("error", "the input has another record at offset "), "\(service.text)")
      // What was read of the new topic is no proof that it is the old one.
      let again = try group.process(TestGroup.fast)
      #expect(try again.waitForExit() == 1)
      #expect(again.has("error", "Stop all instances, then follow docs/operating.md") && !again.has("RESET"), "\(again.text)")
    }

    @Test("an input that is recreated with more partitions is refused before any of them is read")
    func recreatedLarger() throws {
      let group = try TestGroup(partitions: 1)
      let service = try group.process(TestGroup.fast)
      try group.give((0..<20).map { TestGift(id: "old\($0)", room: "r\($0)") })
      try group.waitUntilTakenIn(service)
      try service.stop()
      let emitted = try group.records(of: group.names.output).count
      try group.control.deleteTopic(group.names.input, withinMs: ServiceKafka.patienceMs)
      try wait(for: "the deletion") {
        try group.control.partitionCount(group.names.input, withinMs: ServiceKafka.patienceMs) == nil
      }
      try group.control.createTopic(group.names.input, partitions: 3, withinMs: ServiceKafka.patienceMs)
      try group.give((0..<100).map { TestGift(id: "new\($0)", room: "r\($0 % 20)") })
      let other = try group.process(TestGroup.fast)
      #expect(try other.waitForExit() == 1)
      #expect(other.has("error", "the topic was truncated or recreated") && !other.has("new: partition"), "\(other.text)")
      #expect(try group.records(of: group.names.output).count == emitted, "\(other.text)")
    }

    enum Which: CaseIterable { case input, journal, state }

    @Test("a policy that would lose something is refused, with a sentence and exit code 1", arguments: Which.allCases)
    func refused(_ which: Which) throws {
      let group = try TestGroup(partitions: 1, settings: which == .input ? [("cleanup.policy", "compact")] : [])
      let words: [String]
      switch which {
      case .input: words = ["the input is compacted", group.names.input, "cleanup.policy"]
      case .journal:
        try group.control.createTopic(
          group.names.journal, partitions: 1, settings: [("cleanup.policy", "compact")], withinMs: ServiceKafka.patienceMs)
        words = ["the journal is compacted", group.names.journal, "cleanup.policy"]
      case .state:
        try group.control.createTopic(
          group.names.state, partitions: 1, settings: [("cleanup.policy", "compact,delete")],
          withinMs: ServiceKafka.patienceMs)
        words = ["the cleanup.policy of the state topic is not compact alone", group.names.state, "cleanup.policy"]
      }
      let service = try group.process()
      #expect(try service.waitForExit() == 1)
      #expect(service.log.contains { line in words.allSatisfy { line.contains($0) } }, "\(service.text)")
    }

    @Test("an input that is not there yet is waited for")
    func inputMissing() throws {
      let group = try TestGroup(partitions: 0)
      let service = try group.thread()
      try service.waitForLog("the input topic", group.names.input, "does not exist", "--input")
      try group.control.createTopic(group.names.input, partitions: 2, withinMs: ServiceKafka.patienceMs)
      try service.waitForLog("new: partition 1")
      try service.stop()
    }

    @Test("two groups on one input do not touch each other")
    func twoGroups() throws {
      let one = try TestGroup(partitions: 3)
      let other = try TestGroup(sharing: one)
      let gifts = (0..<300).map { TestGift(id: "e\($0)", room: "r\($0 % 30)") }
      let expected = Dictionary(uniqueKeysWithValues: (0..<30).map { ("r\($0)", 10) })
      let first = try one.thread(TestGroup.fast)
      let second = try other.thread(TestGroup.fast + ["--slots", "1"])
      try one.give(gifts)
      try one.waitUntilSaid(expected, first)
      try other.waitUntilSaid(expected, second)
      // A group that stops and starts again finds its own state.
      try first.stop()
      try one.give([TestGift(room: "r0")])
      let again = try one.thread(TestGroup.fast)
      let more = expected.merging(["r0": 11]) { $1 }
      try one.waitUntilSaid(more, again)
      try other.waitUntilSaid(more, second)
      try again.stop()
      try second.stop()
      try one.verify()
      try other.verify()
    }

    @Test("a journal of another output is refused")
    func foreign() throws {
      let group = try TestGroup(partitions: 1)
      let service = try group.thread(TestGroup.fast)
      try group.give([TestGift(room: "r")])
      try group.waitUntilSaid(["r": 1], service)
      try service.stop()
      // The group and the input are the same, but the instructions derived so far went to another output.
      let other = try ServiceProcess(["run"] + group.arguments(["--output", group.names.output + "-other"]))
      #expect(try other.waitForExit() == 1)
      #expect(
        other.has("belongs to the output \"\(group.names.output)\", not to \"\(group.names.output)-other\""), "\(other.text)")
    }

    @Test("an input that was deleted and made anew, and is longer by now, is refused after an orderly stop")
    func inputMadeAnew() throws {
      let group = try TestGroup(partitions: 1)
      let service = try group.thread(TestGroup.fast)
      try group.give((0..<10).map { TestGift(id: "e\($0)", room: "r") })
      try group.waitUntilSaid(["r": 10], service)
      try service.stop()

      let input = group.names.input
      try group.control.deleteTopic(input, withinMs: ServiceKafka.patienceMs)
      try wait(for: "the topic to be gone") { try group.control.partitionCount(input, withinMs: ServiceKafka.patienceMs) == nil }
      try group.control.createTopic(input, partitions: 1, settings: [], withinMs: ServiceKafka.patienceMs)
      // The producer did not know the old topic.
      try TestGroup(sharing: group).give((0..<20).map { TestGift(id: "f\($0)", room: "r") })
      let refused = try group.process(TestGroup.fast)
      #expect(try refused.waitForExit() == 1)
      #expect(refused.has("has a different record at offset 9 than the one that was taken in"), "\(refused.text)")
    }

    @Test("offsets that somebody moved are refused, with the command that fixes them, which does")
    func movedOffsets() throws {
      let group = try TestGroup(partitions: 1)
      let service = try group.thread(TestGroup.fast)
      try group.give((0..<10).map { TestGift(id: "e\($0)", room: "r") })
      try group.waitUntilSaid(["r": 10], service)
      try service.stop()

      let move = ["groups", "--bootstrap-server", group.brokers, "--group", group.group, "--topic", "\(group.names.input):0"]
      // The tool refuses while brokers still consider the service a member.
      try wait(for: "the group at offset 3") {
        try TestKafka.tool(move + ["--reset-offsets", "--to-offset", "3", "--execute"])
        return try group.committed()[0].offset == 3
      }
      let refused = try group.process(TestGroup.fast)
      #expect(try refused.waitForExit() == 1)
      let line = try #require(refused.log.first { $0.contains("the group has committed offset 3") }, "\(refused.text)")
      #expect(line.contains("the journal ends at offset 10"))

      // The command in the line can be pasted as it is.
      let found = line.firstMatch(of: /kafka-consumer-groups.sh (--bootstrap-server [^ ]+ --group .* --execute)\./)
      let command = try #require(found).1
      try TestKafka.tool(["groups"] + command.split(separator: " ").map(String.init))
      try group.give([TestGift(id: "e10", room: "r")])
      let again = try group.thread(TestGroup.fast)
      try group.waitUntilSaid(["r": 11], again)
      try again.stop()
      try group.verify()
    }
  }
}
