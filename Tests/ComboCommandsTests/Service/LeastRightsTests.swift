import ComboEdge
import ComboKafka
import ComboSystem
import Foundation
import Testing

@testable import ComboTestSupport

extension ServiceTests {
  @Suite("Brokers that identify clients by their certificates, with rights for each", .enabled(if: TestKafka.canStartClusters))
  struct LeastRightsTests {
    /// Clients are `User:` and the name in their certificate; `broker` may do everything.
    private static func broker(_ folder: SecretFolder) throws -> TestKafka.Cluster {
      try folder.authority("ca")
      try folder.certificate("broker", by: "ca", addresses: "IP:127.0.0.1")
      try folder.certificate("combo", by: "ca")
      try folder.certificate("audit", by: "ca")
      return try TestKafka.cluster(
        properties: """
          \(ServiceKafka.properties)
          \(folder.brokerProperties)
          ssl.principal.mapping.rules=RULE:^.*CN=([a-z]+).*$/$1/
          authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer
          super.users=User:broker;User:ANONYMOUS
          """)
    }

    private struct Lacking {
      let right: AccessRight
      let process: ServiceProcess
    }

    /// Starts services that lack one right each. Each has its own group and topics, some of which exist already, but are too
    /// small.
    private func startLacking(
      _ group: TestGroup, _ mine: String, _ admin: String,
      _ listed: (String, TopicNames, [String]) throws -> [AccessRight]
    ) throws -> [Lacking] {
      var lacking: [Lacking] = []
      let kinds = try listed("g", group.names, []).map(\.kind)
      for (index, kind) in kinds.enumerated() {
        // Transactional ids that begin with the group's name and a dot are already allowed.
        let isAboutIDs = kind == "--transactional-id"
        let id = "\(group.group)\(isAboutIDs ? "-" : ".")\(index)"
        let input = "\(id)-in"
        let names = TopicNames(
          input: input, output: "\(id)-out", journal: "\(input).\(id).combo-journal", state: "\(input).\(id).combo-state",
          deadLetter: "\(input).\(id).combo-dead-letter")
        var rights = try listed(id, names, [])
        let right = rights.remove(at: index)
        rights.removeAll { $0.kind == "--transactional-id" }
        try AccessRight.give(rights, group.control, tool: admin)
        try group.control.createTopic(input, partitions: 2, settings: [], withinMs: ServiceKafka.patienceMs)
        // Topics that are read only at the start, or altered only if they do not fit, exist already.
        if right.operation.hasPrefix("Alter") || right.operation == "Read" && [names.journal, names.state].contains(right.name) {
          // What is read must last until the service reads it.
          let retention = right.operation == "Read" ? "3600000" : "1000"
          let settings =
            right.name == names.state
            ? [("cleanup.policy", "compact")] : [("cleanup.policy", "delete"), ("retention.ms", retention)]
          try group.control.createTopic(
            right.name, partitions: right.operation == "Alter" ? 1 : 2, settings: settings, withinMs: ServiceKafka.patienceMs)
          if right.operation == "Read" { try group.produce([TestRecord(key: "r", "{}")], to: right.name) }
        }
        try group.produce([TestRecord(key: "r", TestGift(room: "r").text), TestRecord(key: "r", "no JSON")], to: input)
        lacking.append(
          Lacking(
            right: right,
            process: try ServiceProcess(
              ["run"] + group.arguments(TestGroup.fast) + [
                "--checkpoint-interval-ms", "200", "--input", input, "--output", names.output, "--group", id,
              ]
                + ["--kafka-file", mine])))
      }
      return lacking
    }

    @Test(
      "with certificates and exactly the rights of acls.sh all of it works; without any one of them, the missing right is reported"
    )
    func leastRights() throws {
      let folder = try SecretFolder()
      let cluster = try Self.broker(folder)
      let group = try TestGroup(
        partitions: 1, brokers: cluster.brokers, settings: [("retention.ms", "3600000")], kafka: folder.clientProperties("broker")
      )
      let mine = try folder.file("combo.properties", folder.clientProperties("combo"))
      let admin = try folder.file(
        "admin.properties",
        [
          "security.protocol=SSL", "ssl.truststore.type=PEM", "ssl.truststore.location=\(folder.path)/ca.crt",
          "ssl.keystore.type=PEM", "ssl.keystore.location=\(folder.path)/broker.pem",
        ])
      func listed(_ group: String, _ names: TopicNames, _ more: [String] = []) throws -> [AccessRight] {
        try AccessRight.listed(
          ["--brokers", cluster.brokers, "--principal", "User:combo", "--input", names.input, "--output", names.output] + more
            + ["--group", group])
      }

      // With all rights, the service creates topics, publishes instructions and a dead letter, and follows more partitions and a
      // longer retention.
      try AccessRight.give(try listed(group.group, group.names, ["--auditor", "User:audit"]), group.control, tool: admin)
      var service = try group.process(TestGroup.fast + ["--kafka-file", mine])
      try group.give([TestGift(room: "r", count: 3)])
      try group.produce([TestRecord(key: "r", "no JSON")])
      try group.waitUntilSaid(["r": 3], service)
      try group.waitUntilTakenIn(service)
      try service.stop()
      try group.control.createPartitions(group.names.input, total: 2, withinMs: ServiceKafka.patienceMs)
      try group.control.alterSettings(
        of: group.names.input, [("retention.ms", "7200000")], withinMs: ServiceKafka.patienceMs)
      service = try group.process(TestGroup.fast + ["--kafka-file", mine])
      try service.waitForLog("raising the retention")
      try group.give([TestGift(room: "s", count: 2)])
      try group.waitUntilSaid(["r": 3, "s": 2], service)
      try service.stop()
      #expect(!service.has("uthoriz"), "\(service.text)")
      #expect(try group.control.partitionCount(group.names.journal, withinMs: ServiceKafka.patienceMs) == 2)
      let verify = [
        "verify", "--brokers", cluster.brokers, "--input", group.names.input, "--output", group.names.output, "--group",
        group.group,
      ]
      let audit = try ServiceProcess.run(
        verify + ["--kafka-file", try folder.file("audit.properties", folder.clientProperties("audit"))])
      #expect(audit.code == 0 && audit.output.contains("proven: "), "\(audit)")

      let lacking = try startLacking(group, mine, admin, listed)
      // These clients are unknown to the broker.
      try folder.authority("other")
      try folder.certificate("stranger", by: "other")
      for (name, lines) in [
        ("stranger", folder.clientProperties("stranger")), ("nobody", Array(folder.clientProperties("combo").prefix(2))),
      ] {
        let process = try group.process(["--kafka-file", try folder.file("\(name).properties", lines)])
        try wait(for: "\(name): \(process.text)") { process.has("security.protocol, the sasl.* and ssl.*") || process.has("SSL") }
        #expect(!process.has("new: "), "\(process.text)")
        process.requestStop()
      }
      let deadline = Deadline(afterMs: ServiceKafka.patienceMs)
      for one in lacking {
        // The line contains the brokers' error, but not always the topic.
        func isLogged() -> Bool { one.process.log.contains { $0.contains("uthoriz") && $0.contains("kafka-acls") } }
        while !isLogged(), !deadline.isOver { MonotonicClock.sleep(ms: 20) }
        #expect(isLogged(), "without \(one.right):\n\(one.process.text)")
        one.process.requestStop()
      }
      for one in lacking { _ = try one.process.waitForExit() }
    }
  }
}
