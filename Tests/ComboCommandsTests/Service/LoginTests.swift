import ComboKafka
import ComboSystem
import Foundation
import Synchronization
import Testing

@testable import ComboTestSupport

extension ServiceTests {
  @Suite("Brokers with TLS that require a login", .enabled(if: TestKafka.canStartClusters))
  struct LoginTests {
    private static let module = "org.apache.kafka.common.security"

    /// Starts a broker with all mechanisms over TLS. Its certificate is for 127.0.0.1, by the authority `ca`; tokens are signed
    /// by `issuer`.
    private static func broker(_ folder: SecretFolder) throws -> TestKafka.Cluster {
      try folder.authority("ca")
      try folder.certificate("broker", by: "ca", addresses: "IP:127.0.0.1")
      try folder.tokenKey("issuer")
      let keys = "file://\(folder.path)/issuer.json"
      let cluster = try TestKafka.cluster(
        properties: """
          \(ServiceKafka.properties)
          listener.security.protocol.map=PLAINTEXT:SASL_SSL,CONTROLLER:PLAINTEXT
          inter.broker.listener.name=PLAINTEXT
          ssl.keystore.type=PEM
          ssl.keystore.location=\(folder.path)/broker.pem
          ssl.truststore.type=PEM
          ssl.truststore.location=\(folder.path)/ca.crt
          sasl.enabled.mechanisms=PLAIN,SCRAM-SHA-256,SCRAM-SHA-512,OAUTHBEARER
          sasl.mechanism.inter.broker.protocol=PLAIN
          listener.name.plaintext.plain.sasl.jaas.config=\(module).plain.PlainLoginModule required username="admin" password="a-secret" \
          user_admin="a-secret" user_combo="plain-secret";
          listener.name.plaintext.scram-sha-256.sasl.jaas.config=\(module).scram.ScramLoginModule required;
          listener.name.plaintext.scram-sha-512.sasl.jaas.config=\(module).scram.ScramLoginModule required;
          listener.name.plaintext.oauthbearer.sasl.jaas.config=\(module).oauthbearer.OAuthBearerLoginModule required;
          listener.name.plaintext.oauthbearer.sasl.server.callback.handler.class=\
          \(module).oauthbearer.OAuthBearerValidatorCallbackHandler
          listener.name.plaintext.oauthbearer.sasl.oauthbearer.jwks.endpoint.url=\(keys)
          listener.name.plaintext.oauthbearer.sasl.oauthbearer.expected.audience=kafka
          listener.name.plaintext.oauthbearer.sasl.oauthbearer.expected.issuer=test
          """,
        javaOptions: "-Dorg.apache.kafka.sasl.oauthbearer.allowed.urls=\(keys)"
          + " -Dorg.apache.kafka.sasl.oauthbearer.allowed.files=\(folder.path)/issuer.json")
      let admin = try folder.file(
        "admin.properties",
        [
          "security.protocol=SASL_SSL", "sasl.mechanism=PLAIN", "ssl.truststore.type=PEM",
          "ssl.truststore.location=\(folder.path)/ca.crt",
          #"sasl.jaas.config=\#(module).plain.PlainLoginModule required username="admin" password="a-secret";"#,
        ])
      // The tool sets one mechanism at a time, and most of its time is Java's start.
      let faults = Mutex<[any Error]>([])
      DispatchQueue.concurrentPerform(iterations: 2) { index in
        do {
          try TestKafka.tool([
            "configs", "--bootstrap-server", cluster.brokers, "--command-config", admin, "--alter", "--entity-type", "users",
            "--entity-name", "combo", "--add-config", "SCRAM-SHA-\(index == 0 ? 256 : 512)=[password=scram-secret]",
          ])
        } catch {
          faults.withLock { $0.append(error) }
        }
      }
      if let fault = faults.withLock({ $0.first }) { throw fault }
      return cluster
    }

    private static func properties(_ folder: SecretFolder, _ mechanism: String, _ more: String...) -> [String] {
      ["security.protocol=SASL_SSL", "ssl.ca.location=\(folder.path)/ca.crt", "sasl.mechanism=\(mechanism)"] + more
    }

    private static func byScram(_ folder: SecretFolder) -> [(mechanism: String, lines: [String])] {
      ["SCRAM-SHA-256", "SCRAM-SHA-512"].map {
        ($0, properties(folder, $0, "sasl.username=combo", "sasl.password=scram-secret"))
      }
    }

    @Test("PLAIN, SCRAM and OAUTHBEARER over TLS work, and reveal no secret")
    func mechanisms() throws {
      let folder = try SecretFolder()
      let cluster = try Self.broker(folder)
      let admin = Self.properties(folder, "PLAIN", "sasl.username=admin", "sasl.password=a-secret")
      let tokenFile = "\(folder.path)/token"
      let short = try folder.token(signedBy: "issuer", seconds: 6)
      try folder.file("token", [short])
      // The token is renewed all the time, so that it is valid however long a login takes.
      let isEnough = StopSignal()
      let renewer = WorkThread {
        while !isEnough.isSet {
          _ = try? folder.file("token", [folder.token(signedBy: "issuer", seconds: 6)])
          MonotonicClock.sleep(ms: 2000)
        }
      }
      defer { isEnough.set() }

      var running: [(name: String, group: TestGroup, service: ServiceProcess)] = []
      func begin(_ name: String, _ lines: [String]) throws {
        let group = try TestGroup(partitions: 1, brokers: cluster.brokers, kafka: admin)
        let file = try folder.file(name, lines)
        running.append((name, group, try group.process(TestGroup.fast + ["--kafka-file", file])))
      }
      try begin("oauthbearer", Self.properties(folder, "OAUTHBEARER", "sasl.oauthbearer.config=token_file=\(tokenFile)"))
      try begin("plain", Self.properties(folder, "PLAIN", "sasl.username=combo", "sasl.password=plain-secret"))
      if LibrdkafkaProperties.hasSoundScram { for (mechanism, lines) in Self.byScram(folder) { try begin(mechanism, lines) } }
      for (_, group, service) in running {
        try group.give([TestGift(room: "r", count: 3)])
        try group.waitUntilSaid(["r": 3], service)
      }
      // The token is read again before it expires. An expired one is logged, and existing connections continue.
      isEnough.set()
      renewer.join()
      let bearer = running[0]
      try bearer.service.waitForLog("oken", "expired")
      try folder.file("token", [try folder.token(signedBy: "issuer", seconds: 3600)])
      try bearer.group.give([TestGift(room: "s", count: 2)])
      try bearer.group.waitUntilSaid(["r": 3, "s": 2], bearer.service)
      for (name, _, service) in running {
        try service.stop()
        #expect(!service.text.contains("secret") && !service.text.contains(short), "\(name)")
      }
    }

    private typealias Wrong = (name: String, lines: [String], words: [String])

    /// Wrong properties, and the words that the sentence about each must contain.
    private func wrong(_ folder: SecretFolder) throws -> [Wrong] {
      try folder.authority("other")
      try folder.tokenKey("forger")
      let forged = try folder.file("forged", [try folder.token(signedBy: "forger", seconds: 3600)])
      let late = try folder.file("late", [try folder.token(signedBy: "issuer", seconds: -100)])
      let byPassword = ["sasl.username=combo", "sasl.password=guessed-secret"]
      var wrong: [Wrong] = [
        ("password", Self.properties(folder, "PLAIN") + byPassword, ["uthentication", "sasl.*"]),
        ("scram", Self.properties(folder, "SCRAM-SHA-512") + byPassword, ["uthentication", "sasl.*"]),
        (
          "authority", Self.properties(folder, "PLAIN", "ssl.ca.location=\(folder.path)/other.crt") + byPassword,
          ["certificate", "ssl.*"]
        ),
        (
          "forged", Self.properties(folder, "OAUTHBEARER", "sasl.oauthbearer.config=token_file=\(forged)"),
          ["uthentication", "sasl.*"]
        ),
        (
          "late", Self.properties(folder, "OAUTHBEARER", "sasl.oauthbearer.config=token_file=\(late)"),
          ["sasl.oauthbearer.config", "expired"]
        ),
        (
          "gone", Self.properties(folder, "OAUTHBEARER", "sasl.oauthbearer.config=token_file=\(folder.path)/none"),
          ["sasl.oauthbearer.config", "No such file"]
        ),
        ("plaintext", ["security.protocol=PLAINTEXT"], ["security.protocol"]),
      ]
      if !LibrdkafkaProperties.hasSoundScram {
        for (mechanism, lines) in Self.byScram(folder) {
          wrong.append((mechanism, lines, [mechanism, "before 2.6.1", "sasl.*"]))
        }
      }
      return wrong
    }

    @Test("each wrong login ends in a sentence that reveals no secret")
    func wrongMechanisms() throws {
      let folder = try SecretFolder()
      let cluster = try Self.broker(folder)
      let admin = Self.properties(folder, "PLAIN", "sasl.username=admin", "sasl.password=a-secret")
      let group = try TestGroup(partitions: 1, brokers: cluster.brokers, kafka: admin)
      let wrong = try wrong(folder)
      var failing = try wrong.map { one in
        (one, try group.process(TestGroup.fast + ["--kafka-file", try folder.file("wrong-\(one.name)", one.lines)]))
      }
      // The certificate is for the address, not for the name.
      let named = Self.properties(folder, "PLAIN", "sasl.username=combo", "sasl.password=plain-secret")
      let atName = cluster.brokers.replacingOccurrences(of: "127.0.0.1", with: "localhost")
      failing.append(
        (
          ("name", named, ["certificate", "ssl.*"]),
          try group.process(
            TestGroup.fast + [
              "--brokers", atName, "--kafka-file", try folder.file("wrong-name", named), "--kafka", "broker.address.family=v4",
            ])
        ))
      let deadline = Deadline(afterMs: ServiceKafka.patienceMs)
      for (one, service) in failing {
        func isLogged() -> Bool { service.log.contains { line in one.words.allSatisfy { line.contains($0) } } }
        while !isLogged(), !deadline.isOver { MonotonicClock.sleep(ms: 20) }
        #expect(isLogged(), "\(one.name): \(one.words)\n\(service.text)")
        service.requestStop()
      }
      for (one, service) in failing {
        _ = try service.waitForExit()
        #expect(!service.text.contains("secret"), "\(one.name): \(service.text)")
        for file in ["forged", "late"] {
          let token = try String(contentsOfFile: "\(folder.path)/\(file)", encoding: .utf8).prefix(60)
          #expect(!service.text.contains(token), "\(one.name): \(service.text)")
        }
      }
    }
  }
}
