import ComboEdge
import ComboKafka
import Foundation
import Testing

@testable import ComboTestSupport

extension ServiceTests {
  @Suite("`check`")
  struct CheckTests {
    private func check(_ group: TestGroup, _ more: [String] = []) throws -> (code: Int32, output: String, log: String) {
      let arguments = group.arguments(more)
      return try ServiceProcess.run(["check"] + arguments)
    }

    @Test(
      "finds a service that runs in order, and neither it nor its topics notice",
      arguments: ["exactly-once", "at-least-once"])
    func sound(delivery: String) throws {
      let group = try TestGroup(partitions: 2)
      let before = try check(group, ["--delivery", delivery])
      #expect(before.code == 0, "\(before)")
      #expect(before.output.contains("does not exist yet; the service will create it"), "\(before.output)")
      #expect(try group.control.partitionCount(group.names.output, withinMs: 5000) == nil)
      #expect(before.output.contains("the group \"\(group.group)\" has 0 members now\n"), "\(before.output)")

      let service = try group.process(TestGroup.fast + ["--delivery", delivery, "--instance", "one"])
      try group.give([TestGift(id: "a", room: "r0", sender: "u"), TestGift(id: "b", room: "r1", sender: "u")])
      try group.waitUntilSaid(["r0": 1, "r1": 1], service)
      let during = try check(group, ["--delivery", delivery])
      #expect(during.code == 0 && !during.output.contains("FAULT"), "\(during.output)")
      for words in [
        "is Kafka 4", "the input can be read", "the journal can be read", "the state topic can be read",
        "the output can be written to",
        "the journal can be written to", "the state topic can be written to", "the dead-letter topic can be written to",
        "transactions can be begun", "its offsets can be committed", "fit together in 2 of 2 partitions",
        "without a map, 2 of the newest 2 records of \"\(group.names.input)\" become events; 0 are dropped and 0 are bad",
        "clock",
        "the group \"\(group.group)\" has 1 member now: client \"combo-consumer.rules-3\", instance \"one\" at 127.0.0.1 with 2 partitions",
        "The service can work",
      ] {
        #expect(during.output.contains(words), "\(words) in \(during.output)")
      }
      try group.give([TestGift(id: "c", room: "r0", sender: "u"), TestGift(id: "d", room: "r1", sender: "u")])
      try group.waitUntilSaid(["r0": 2, "r1": 2], service)
      let trouble = service.log.filter { line in
        (line.contains(" warning ") || line.contains(" error ")) && !line.contains("[CONFWARN]") && !line.contains("[GETPID]")
      }
      #expect(trouble.isEmpty, "\(service.text)")
      #expect(try group.records(of: group.names.deadLetter).isEmpty)
      #expect(try group.state()["0 combo-consumer check"] == nil)
      try service.stop()
      try group.verify()
    }

    @Test("reports the faults of topics, each with the command that fixes it, and ends with 1")
    func policies() throws {
      let group = try TestGroup(partitions: 2, settings: [("cleanup.policy", "compact")])
      try group.control.createTopic(
        group.names.journal, partitions: 1, settings: [("cleanup.policy", "compact")], withinMs: 10_000)
      try group.control.createTopic(group.names.state, partitions: 2, settings: [("cleanup.policy", "delete")], withinMs: 10_000)
      try group.control.createTopic(
        group.names.output, partitions: 2, settings: [("max.message.bytes", "1000"), ("min.insync.replicas", "2")],
        withinMs: 10_000)
      let screens = group.names.output + ".screens"
      try group.control.createTopic(screens, partitions: 2, settings: [("cleanup.policy", "delete")], withinMs: 10_000)
      let found = try check(group, ["--screens", screens])
      #expect(found.code == 1, "\(found)")
      for words in [
        "the input is compacted", "the journal is compacted", "the cleanup.policy of the state topic is not compact alone",
        "the screens topic is not compacted", "min.insync.replicas is 2",
        "accepts records of up to 1000 bytes", "the journal has 1 partition, the input 2",
        "--alter --topic \(group.names.input) --add-config cleanup.policy=delete", "The service cannot work: ",
      ] {
        #expect(found.output.contains(words), "\(words) in \(found.output)")
      }
    }

    @Test(
      "a topic with fewer replicas than min.insync.replicas is a note, as these brokers accept its records: the service works")
    func replicas() throws {
      let group = try TestGroup(partitions: 1)
      try group.control.createTopic(
        group.names.output, partitions: 1, settings: [("min.insync.replicas", "2")], withinMs: 10_000)
      let found = try check(group)
      #expect(
        found.code == 0 && found.output.contains("note   min.insync.replicas is 2, but the output has 1 replica: "), "\(found)")
      let service = try group.process(TestGroup.fast)
      try group.give([TestGift(id: "a", room: "r", sender: "u")])
      try group.waitUntilSaid(["r": 1], service)
      try service.stop()
      #expect(service.text.contains("min.insync.replicas is 2"), "\(service.text)")
    }

    @Test("reports what the service will log when it takes a partition over: of the group's offset, and of another output")
    func group() throws {
      let group = try TestGroup(partitions: 2)
      let service = try group.process(TestGroup.fast)
      try group.give([TestGift(id: "a", room: "r", sender: "u")])
      try group.waitUntilSaid(["r": 1], service)
      try service.stop()
      let other = try ServiceProcess.run(["check"] + group.arguments(["--output", group.names.output + ".other"]))
      let cause = "belongs to the output \"\(group.names.output)\", not to \"\(group.names.output).other\""
      #expect(other.code == 1 && other.output.contains(cause), "\(other.output)")
      #expect(other.output.split(separator: "\n").count { $0.hasPrefix("FAULT ") } == 1, "\(other.output)")
      #expect(!other.output.contains("recreated while no instance ran"), "\(other.output)")
    }

    @Test("notes, as run warns, that a new group would write to an output that holds records, unless they are of trials")
    func newGroup() throws {
      let group = try TestGroup(partitions: 2)
      let words = "the output holds records, but this group has no journal of them"
      try group.control.createTopic(group.names.output, partitions: 2, withinMs: 10_000)
      for _ in 0..<2 { #expect(!(try check(group).output.contains(words))) }
      let service = try group.process(TestGroup.fast)
      try group.give([TestGift(id: "a", room: "r", sender: "u")])
      try group.waitUntilSaid(["r": 1], service)
      let own = try check(group)
      #expect(own.code == 0 && !own.output.contains(words) && !service.has(words), "\(own.output)\n\(service.text)")
      try service.stop()
      let other = ["--group", group.group + ".other"]
      let found = try check(group, other)
      #expect(found.code == 0 && found.output.contains("note   \(words)"), "\(found.output)")
      let second = try group.process(TestGroup.fast + other)
      try second.waitForLog("warning", words)
      try second.waitForLog("new: partition 0")
      try second.stop()
    }

    @Test("notes that members of the group read another input")
    func otherInput() throws {
      let group = try TestGroup(partitions: 1)
      let service = try group.process(TestGroup.fast)
      try service.waitForLog("new: partition 0")
      let other = try TestGroup(partitions: 1)
      let found = try ServiceProcess.run(["check"] + other.arguments(["--group", group.group]))
      #expect(
        found.output.contains(
          "members of the group \"\(group.group)\" read \"\(group.names.input)\", and not \"\(other.names.input)\""),
        "\(found.output)")
      try service.stop()
    }

    @Test("a record of somebody else in the state topic is a note, and the service passes over it with a warning")
    func strangers() throws {
      let group = try TestGroup(partitions: 1)
      let service = try group.process(TestGroup.fast)
      try group.give([TestGift(id: "a", room: "r", sender: "u")])
      try group.waitUntilSaid(["r": 1], service)
      try service.stop()
      try group.produce([TestRecord(key: "somebody", "else")], to: group.names.state)
      let found = try check(group)
      #expect(
        found.code == 0 && found.output.contains("note   partition 0 of the state topic holds 1 record of somebody else"),
        "\(found)")
      let next = try group.process(TestGroup.fast)
      try group.give([TestGift(id: "b", room: "r", sender: "u")])
      try group.waitUntilSaid(["r": 2], next)
      try next.stop()
      #expect(next.text.contains("records that are not this service's: 1, the first at offset "), "\(next.text)")
      try group.verify()
    }

    @Test("names the command that shows the map's results, if few records become events")
    func map() throws {
      let group = try TestGroup(partitions: 1)
      try group.produce([TestRecord(key: "r", "{}")])
      let without = try check(group).output
      #expect(without.contains("give a map with --map"), "\(without)")
      let found = try check(group, ["--map", "tiktok"])
      let with = found.output
      #expect(found.code == 0 && with.contains("note   none of the newest 1 record becomes an event"), "\(with)")
      #expect(with.contains("0 of the newest 1 record of") && with.contains("The most common cause: "), "\(with)")
      #expect(
        with.contains("combo-consumer map --map tiktok --brokers \(group.brokers) --from-topic \(group.names.input)\n"), "\(with)"
      )
    }

    @Test(
      "reports the same about topics that are gone as the service logs",
      arguments: [[Topic.journal], [.state], [.journal, .state], [.output]])
    func gone(topics: [Topic]) throws {
      let group = try TestGroup(partitions: 1)
      let service = try group.process(TestGroup.fast + ["--checkpoint-interval-ms", "50"])
      try group.give([TestGift(id: "a", room: "r", sender: "u")])
      try group.waitUntilSaid(["r": 1], service)
      try wait(for: "a checkpoint: \(service.text)") { try group.state().keys.contains(#"0 ["checkpoint"]"#) }
      try service.stop()
      for topic in topics {
        try group.control.deleteTopic(group.names[topic], withinMs: ServiceKafka.patienceMs)
        try wait(for: "the topic to be gone") {
          try group.control.partitionCount(group.names[topic], withinMs: ServiceKafka.patienceMs) == nil
        }
      }
      let found = try check(group)
      let next = try group.process(TestGroup.fast)
      try next.waitForLog(topics == [.state] ? "restored: partition 0" : topics == [.output] ? "restored: partition 0" : "RESET")
      try next.stop()
      let reason = next.log.first { $0.contains("RESET: ") }?.split(separator: ": ", maxSplits: 2).last
      #expect(reason.map { found.output.contains($0) } ?? !found.output.contains("RESET"), "\(found.output)\n\(next.text)")
      let lost = "the output was deleted and recreated while no instance ran"
      #expect(found.output.contains(lost) == (topics == [.output]) && next.has(lost) == (topics == [.output]), "\(found.output)")
    }

    @Test("names the brokers and topics that are not there")
    func nobody() throws {
      let none = try ServiceProcess.run(["check", "--brokers", "127.0.0.1:1", "--input", "a", "--output", "b"])
      #expect(none.code == 1 && none.output.contains("FAULT  no broker of 127.0.0.1:1 answers"), "\(none)")
      let group = try TestGroup(partitions: 0)
      let missing = try check(group)
      #expect(
        missing.code == 1 && missing.output.contains("FAULT  the input \"\(group.names.input)\" does not exist"), "\(missing)")
    }

    private static let module = "org.apache.kafka.common.security.plain.PlainLoginModule required"

    /// Starts a broker with two users that allows nothing to one of them, `combo`.
    private static func brokerWithRights() throws -> TestKafka.Cluster {
      try TestKafka.cluster(
        properties: """
          \(ServiceKafka.properties)
          listener.security.protocol.map=PLAINTEXT:SASL_PLAINTEXT,CONTROLLER:PLAINTEXT
          inter.broker.listener.name=PLAINTEXT
          sasl.enabled.mechanisms=PLAIN
          sasl.mechanism.inter.broker.protocol=PLAIN
          listener.name.plaintext.plain.sasl.jaas.config=\(Self.module) username="admin" password="a" user_admin="a" user_combo="c";
          authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer
          super.users=User:admin;User:ANONYMOUS
          """)
    }

    private static func allow(_ rights: [String], _ group: TestGroup) throws {
      let path = NSTemporaryDirectory() + "/" + TestKafka.fresh("combo-admin")
      defer { unlink(path) }
      try
        "security.protocol=SASL_PLAINTEXT\nsasl.mechanism=PLAIN\nsasl.jaas.config=\(module) username=\"admin\" password=\"a\";\n"
        .write(toFile: path, atomically: true, encoding: .utf8)
      try TestKafka.tool(
        [
          "org.apache.kafka.tools.AclCommand", "--bootstrap-server", group.brokers, "--command-config", path, "--add", "--force",
          "--allow-principal", "User:combo",
        ] + rights)
    }

    /// Expects the rights on topics that acls.sh grants.
    private func expectAll(in output: String, _ group: TestGroup, _ missing: (String, String) -> String) throws {
      let listed = try AccessRight.listed([
        "--brokers", group.brokers, "--principal", "User:combo", "--input", group.names.input, "--output", group.names.output,
        "--group", group.group,
      ])
      // The dead-letter topic has those of the output.
      for topic in [group.names.input, group.names.output, group.names.journal, group.names.state] {
        let operations = listed.filter { $0.kind == "--topic" && $0.name == topic }.map(\.operation)
        #expect(
          operations.count > 1 && output.contains(missing(operations.joined(separator: " --operation "), "--topic \(topic)")),
          "\(topic) \(operations): \(output)")
      }
    }

    @Test(
      "tries every right, and names those that are missing as kafka-acls takes them", .enabled(if: TestKafka.canStartClusters))
    func rights() throws {
      let cluster = try Self.brokerWithRights()
      func properties(_ user: String, _ password: String) -> [String] {
        ["security.protocol=SASL_PLAINTEXT", "sasl.mechanism=PLAIN", "sasl.username=\(user)", "sasl.password=\(password)"]
      }
      let group = try TestGroup(partitions: 1, brokers: cluster.brokers, kafka: properties("admin", "a"))
      let names = group.names
      for topic in [names.output, names.journal, names.deadLetter] {
        try group.control.createTopic(topic, partitions: 1, withinMs: 10_000)
      }
      try group.control.createTopic(names.state, partitions: 1, settings: [("cleanup.policy", "compact")], withinMs: 10_000)
      let folder = try SecretFolder()
      func login(_ password: String) throws -> [String] {
        ["--kafka-file", try folder.file(password, properties("combo", password))]
      }
      let combo = try login("c")

      let topics = [names.input, names.output, names.deadLetter, names.journal, names.state]
      func allow(_ rights: [String]) throws { try Self.allow(rights, group) }
      func missing(_ operation: String, _ what: String) -> String {
        "kafka-acls.sh --bootstrap-server \(group.brokers) --add --allow-principal User:… --operation \(operation) \(what)"
      }

      // If nothing is allowed, all that is needed is named at once.
      let none = try check(group, combo).output
      #expect(none.contains(missing("Read", "--group \(group.group)")), "\(none)")
      try expectAll(in: none, group, missing)

      // The client may only describe the topics: neither their settings nor records, nor transactions or the group.
      try allow(["--operation", "Describe"] + topics.flatMap { ["--topic", $0] })
      let nothing = try check(group, combo)
      #expect(nothing.code == 1)
      for topic in topics {
        #expect(nothing.output.contains(missing("DescribeConfigs", "--topic \(topic)")), "\(nothing.output)")
      }
      for topic in [names.input, names.journal, names.state] {
        #expect(nothing.output.contains(missing("Read", "--topic \(topic)")), "\(nothing.output)")
      }
      #expect(
        nothing.output.contains(missing("Write", "--resource-pattern-type prefixed --transactional-id \(group.group).")),
        "\(nothing.output)")

      // The client may use transactions, but write nothing in them.
      try allow(["--operation", "Write", "--resource-pattern-type", "prefixed", "--transactional-id", "\(group.group)."])
      let unwritable = try check(group, combo)
      for topic in [names.output, names.journal, names.state, names.deadLetter] {
        #expect(unwritable.output.contains(missing("Write", "--topic \(topic)")), "\(unwritable.output)")
      }
      #expect(unwritable.output.contains(missing("Read", "--group \(group.group)")), "\(unwritable.output)")

      // What the service changes at its start takes more.
      try group.control.createPartitions(names.input, total: 2, withinMs: 10_000)
      try group.control.alterSettings(of: names.journal, [("retention.ms", "1000")], withinMs: 10_000)
      try allow(["Read", "Write", "DescribeConfigs"].flatMap { ["--operation", $0] } + topics.flatMap { ["--topic", $0] })
      let unalterable = try check(group, combo)
      for (operation, topic) in [("Alter", names.journal), ("Alter", names.state), ("AlterConfigs", names.journal)] {
        #expect(unalterable.output.contains(missing(operation, "--topic \(topic)")), "\(unalterable.output)")
      }

      try allow(["--operation", "All", "--group", group.group] + topics.flatMap { ["--topic", $0] })
      let all = try check(group, combo)
      #expect(all.code == 0, "\(all)")

      let stranger = try check(group, try login("hunter22"))
      #expect(
        stranger.code == 1 && stranger.output.contains("uthentication") && !"\(stranger)".contains("hunter22"), "\(stranger)")
    }
  }
}
