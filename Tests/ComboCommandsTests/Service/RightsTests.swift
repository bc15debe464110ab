import ComboEdge
import ComboSystem
import Foundation
import Testing

@testable import ComboTestSupport

extension ServiceTests {
  @Suite("Brokers that require a login and rights", .enabled(if: TestKafka.canStartClusters))
  struct RightsTests {

    private static func properties(_ user: String, _ password: String) -> [String] {
      ["security.protocol=SASL_PLAINTEXT", "sasl.mechanism=PLAIN", "sasl.username=\(user)", "sasl.password=\(password)"]
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

    /// Creates a group of two partitions on its own brokers, which live as long as the cluster is kept, and the file that makes a
    /// tool the administrator.
    private static func protectedGroup() throws -> (
      cluster: TestKafka.Cluster, folder: SecretFolder, admin: String, group: TestGroup
    ) {
      let folder = try SecretFolder()
      let cluster = try TestKafka.cluster(properties: protected)
      let admin = try folder.file(
        "admin.properties",
        [
          "security.protocol=SASL_PLAINTEXT", "sasl.mechanism=PLAIN",
          #"sasl.jaas.config=\#(module) username="admin" password="a";"#,
        ])
      return (cluster, folder, admin, try TestGroup(partitions: 2, brokers: cluster.brokers, kafka: properties("admin", "a")))
    }

    private static func all(_ group: TestGroup) -> [AccessRight] {
      let names = group.names
      return [
        ("--topic", names.input), ("--topic", names.output), ("--topic", names.deadLetter), ("--topic", names.journal),
        ("--topic", names.state), ("--transactional-id", group.group), ("--group", group.group),
      ].map { AccessRight(principal: "User:combo", operation: "All", kind: $0, name: $1) }
    }

    /// Denies a right to the service's user, or removes the denial.
    private static func deny(
      _ action: String, _ operation: String, _ kind: String, _ name: String, _ cluster: TestKafka.Cluster, _ admin: String
    ) throws {
      try TestKafka.tool(
        [
          "org.apache.kafka.tools.AclCommand", "--bootstrap-server", cluster.brokers, "--command-config", admin, action,
          "--deny-principal", "User:combo", "--operation", operation, kind, name,
        ] + (action == "--remove" ? ["--force"] : []))
    }

    @Test("a right that is taken from a running service is named by its readiness, and so is its return")
    func takenAway() throws {
      let (cluster, folder, admin, group) = try Self.protectedGroup()
      let names = group.names
      try AccessRight.give(Self.all(group), group.control, tool: admin)
      let service = try group.process(
        TestGroup.fast + [
          "--kafka-file", try folder.file("combo", Self.properties("combo", "c")), "--http", "127.0.0.1:0", "--transactional-id",
          group.group, "--kafka", "topic.metadata.refresh.interval.ms=1000", "--checkpoint-interval-ms", "2000",
        ])
      let port = try service.httpPort()
      func health() throws -> HTTPWire.Response {
        let wire = try HTTPWire(port: port)
        wire.send(HTTPStage.request("/health/ready"))
        let answer = try wire.response()
        #expect(!answer.text.contains("have not answered"), "\(answer.text)")
        return answer
      }
      func change(_ action: String, _ operation: String, _ kind: String, _ name: String) throws {
        try Self.deny(action, operation, kind, name, cluster, admin)
      }
      try wait(for: "readiness: \(service.text)") { try health().status == 200 }
      var gifts = 0
      func give() throws {
        gifts += 1
        try group.give([TestGift(id: "g\(gifts)", room: "r\(gifts % 7)")])
      }
      for (operation, kind, name, words) in [
        ("Write", "--topic", names.journal, "The right Write is missing on \"\(names.journal)\""),
        ("Read", "--topic", names.input, names.input),
        ("Write", "--topic", names.output, "The right Write is missing on \"\(names.output)\""),
        ("Write", "--topic", names.state, "The right Write is missing on \"\(names.state)\""),
        ("Write", "--topic", names.deadLetter, "The right Write is missing on \"\(names.deadLetter)\""),
        ("Describe", "--topic", names.output, names.output),
        ("Describe", "--topic", names.input, names.input),
        ("Read", "--group", group.group, "The right Read is missing on the group"),
        ("Write", "--transactional-id", group.group, "The right Write is missing on the transactional id"),
      ] {
        try change("--add", operation, kind, name)
        try wait(for: "\(operation) on \(name) to be named: \(service.text)", withinMs: 90_000) {
          try give()
          if name == names.deadLetter { try group.produce([TestRecord(key: "r", "no JSON")]) }
          let answer = try health()
          return answer.status == 503 && answer.text.contains(words) && answer.text.contains("uthoriz")
        }
        // Also while other transactions are committed.
        if name == names.state {
          let count = service.log.count { $0.contains("returning to the last commit") }
          try wait(for: "two more checkpoints that fail: \(service.text)") {
            try give()
            let answer = try health()
            #expect(answer.status == 503 && answer.text.contains(words), "\(answer.text)")
            return service.log.count { $0.contains("returning to the last commit") } >= count + 2
          }
        }
        try change("--remove", operation, kind, name)
        let back = Deadline(afterMs: 30_000)
        try wait(for: "readiness: \(service.text)") {
          let answer = try health()
          // The offsets cannot be committed without the right to read the input.
          #expect(name != names.input || !answer.text.contains("The right Write"), "\(answer.text)")
          return answer.status == 200
        }
        #expect(!back.isOver, "\(operation) on \(name) was named long after it was back")
      }
      try group.waitUntilTakenIn(service)
      #expect(!service.has("RESET"), "\(service.text)")
      try service.stop()
    }

    @Test("a wrong password, mechanism and missing rights end in sentences that name them; with all rights it works")
    func rights() throws {
      let (cluster, folder, admin, group) = try Self.protectedGroup()
      defer { withExtendedLifetime(cluster) {} }
      func service(_ user: String, _ password: String, _ more: [String] = []) throws -> ServiceProcess {
        let file = try folder.file("\(user)-\(password)", Self.properties(user, password))
        return try group.process(TestGroup.fast + ["--kafka-file", file] + more)
      }

      let wrongPassword = try service("combo", "guess-me")
      let output = try wrongPassword.waitForLog("uthentication", "sasl.*")
      #expect(!wrongPassword.text.contains("guess-me"), "\(output)")
      wrongPassword.requestStop()
      _ = try wrongPassword.waitForExit()

      let wrongMechanism = try service("combo", "c", ["--kafka", "sasl.mechanism=SCRAM-SHA-256"])
      try wrongMechanism.waitForLog("SCRAM-SHA-256", "sasl.*")
      wrongMechanism.requestStop()
      _ = try wrongMechanism.waitForExit()

      // One step after another: the words that the service logs, and the rights that it is then given.
      let names = group.names
      func right(_ operation: String, _ kind: String, _ name: String) -> AccessRight {
        AccessRight(principal: "User:combo", operation: operation, kind: kind, name: name)
      }
      let steps: [(words: [String], grants: [AccessRight])] = [
        ([names.input, "uthoriz"], ["Describe", "DescribeConfigs"].map { right($0, "--topic", names.input) }),
        (
          [names.output, "uthoriz"],
          [names.output, names.deadLetter, names.journal, names.state].map { right("All", "--topic", $0) }
        ),
        (["transactional id", "uthoriz"], [right("All", "--transactional-id", group.group)]),
        (["uthoriz", "GROUP"], [right("All", "--group", group.group)]),
        ([names.input, "uthoriz"], [right("Read", "--topic", names.input)]),
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
        refused.requestStop()
        _ = try refused.waitForExit()
        try AccessRight.give(step.grants, group.control, tool: admin)
      }

      let allowed = try service("combo", "c", ["--transactional-id", group.group])
      try group.give([TestGift(room: "r", count: 3)])
      try group.waitUntilSaid(["r": 3], allowed)
      try allowed.stop()
    }
  }
}
