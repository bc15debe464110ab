import Foundation
import Testing

@testable import combo_consumer

extension ServiceTests {
  @Suite("Brokers that ask who it is and what it may", .enabled(if: TestKafka.canStartClusters))
  struct RightsTests {
    private static let sasl = ["--kafka", "security.protocol=SASL_PLAINTEXT", "--kafka", "sasl.mechanism=PLAIN"]

    private static func overrides(_ user: String, _ password: String) -> [KafkaProperties.Override] {
      [
        .init(key: "security.protocol", value: "SASL_PLAINTEXT"), .init(key: "sasl.mechanism", value: "PLAIN"),
        .init(key: "sasl.username", value: user), .init(key: "sasl.password", value: password),
      ]
    }

    private static let module = "org.apache.kafka.common.security.plain.PlainLoginModule required"
    private static let protected = """
      \(ServiceKafka.properties)
      listener.security.protocol.map=PLAINTEXT:SASL_PLAINTEXT,CONTROLLER:PLAINTEXT
      inter.broker.listener.name=PLAINTEXT
      sasl.enabled.mechanisms=PLAIN
      sasl.mechanism.inter.broker.protocol=PLAIN
      listener.name.plaintext.plain.sasl.jaas.config=\(module) username="admin" password="a" user_admin="a" user_combo="c";
      authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer
      super.users=User:admin;User:ANONYMOUS
      """

    @Test("a wrong password, mechanism and missing rights end in sentences that name them; with all rights it works")
    func rights() throws {
      let cluster = try TestKafka.cluster(properties: Self.protected)
      let group = try TestGroup(partitions: 2, brokers: cluster.brokers, kafka: Self.overrides("admin", "a"))
      func service(_ user: String, _ password: String, _ more: [String] = []) throws -> ServiceProcess {
        try group.process(
          TestGroup.fast + Self.sasl + ["--kafka", "sasl.username=\(user)", "--kafka", "sasl.password=\(password)"] + more)
      }

      let wrongPassword = try service("combo", "guess-me")
      let said = try wrongPassword.waitForLog("uthentication", "sasl.*")
      #expect(!wrongPassword.text.contains("guess-me"), "\(said)")
      wrongPassword.tellToStop()
      _ = try wrongPassword.waitForExit()

      let wrongMechanism = try service("combo", "c", ["--kafka", "sasl.mechanism=SCRAM-SHA-256"])
      try wrongMechanism.waitForLog("SCRAM-SHA-256", "sasl.*")
      wrongMechanism.tellToStop()
      _ = try wrongMechanism.waitForExit()

      // One right after the other: what it says, and what it is then given.
      let names = group.names
      let steps: [(words: [String], grants: [[String]])] = [
        ([names.input, "uthoriz"], [["--operation", "describe", "--operation", "describeconfigs", "--topic", names.input]]),
        (
          [names.output, "uthoriz"],
          [names.output, names.deadLetter, names.journal, names.state].map { ["--operation", "all", "--topic", $0] }
        ),
        (["transactional id", "uthoriz"], [["--operation", "all", "--transactional-id", group.group]]),
        (["uthoriz", "GROUP"], [["--operation", "all", "--group", group.group]]),
        ([names.input, "uthoriz"], [["--operation", "read", "--topic", names.input]]),
      ]
      for (index, step) in steps.enumerated() {
        let refused = try service("combo", "c", ["--transactional-id", group.group])
        var line: String?
        try wait(for: "step \(index): \(step.words): \(refused.text)") {
          line = refused.log.first { line in (step.words + ["kafka-acls"]).allSatisfy { line.contains($0) } }
          return line != nil || refused.exitCode != nil
        }
        #expect(
          line != nil, "step \(index): \(step.words): \(line ?? "nothing"), exit \(refused.exitCode ?? 99)\n\(refused.text)")
        refused.tellToStop()
        _ = try refused.waitForExit()
        for rights in step.grants { try allow(group, rights) }
      }

      let allowed = try service("combo", "c", ["--transactional-id", group.group])
      try group.give([TestGift(room: "r", count: 3)])
      try group.waitUntilSaid(["r": 3], allowed)
      try allowed.stop()
    }

    /// Gives the user `combo` rights, as an operator would with kafka-acls.
    private func allow(_ group: TestGroup, _ rights: [String]) throws {
      let path = NSTemporaryDirectory() + "/" + TestKafka.fresh("combo-admin")
      defer { unlink(path) }
      try """
      security.protocol=SASL_PLAINTEXT
      sasl.mechanism=PLAIN
      sasl.jaas.config=\(Self.module) username="admin" password="a";
      """.write(toFile: path, atomically: true, encoding: .utf8)
      try TestKafka.tool(
        [
          "org.apache.kafka.tools.AclCommand", "--bootstrap-server", group.brokers, "--command-config", path, "--add", "--force",
          "--allow-principal", "User:combo",
        ] + rights)
    }
  }
}
