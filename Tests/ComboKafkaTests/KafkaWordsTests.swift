import CKafka
import ComboEdge
import Testing

@testable import ComboKafka

@Suite("librdkafka's messages")
struct KafkaWordsTests {
  @Test("for two members with one id, the remedy is a name for each instance, and not another group")
  func fenced() {
    let sentence = EdgeError(RD_KAFKA_RESP_ERR_FENCED_INSTANCE_ID, failed: "x", brokers: "b").message
    #expect(
      sentence.contains("Give each instance of the group its own --instance") && !sentence.contains("--group"), "\(sentence)")
  }

  @Test("are logged without how long a connection was in which state")
  func plain() {
    for more in ["", ", 1 identical error(s) suppressed"] {
      #expect(KafkaWords.plain("b:1/0: Disconnected (after 2024264ms in state UP\(more))") == "b:1/0: Disconnected")
    }
    #expect(
      KafkaWords.plain("Failed to acquire transactional PID from broker TxnCoordinator/1: Broker: Not authorized: retrying")
        == "the broker TxnCoordinator/1 refuses to register this producer: Broker: Not authorized; trying again")
    #expect(
      KafkaWords.plain("Failed to end transaction: Local: This instance has been fenced by a newer instance")
        == "Failed to end transaction: this producer was fenced")
    #expect(KafkaWords.plain("timed out (after lunch)") == "timed out (after lunch)")
    #expect(KafkaWords.plain("x (after 5ms in state CONNECT): y") == "x: y")
  }

  @Test("name the topic on which a right is missing")
  func deniedTopic() {
    #expect(
      KafkaWords.deniedTopic(
        "TxnCoordinator/0: Failed to add partition \"gifts.g.combo-journal\" [3] to transaction: Broker: Topic authorization failed"
      )
        == "gifts.g.combo-journal")
    #expect(
      KafkaWords.deniedTopic("Failed to add partition \"gifts\" [3] to transaction: Broker: Operation not attempted") == nil)
    #expect(KafkaWords.deniedTopic("Topic authorization failed") == nil)
  }

  @Test("are left out where the service logs the same itself")
  func known() {
    #expect(
      KafkaWords.isReportedByService("FATAL", "Fatal error: fenced") && KafkaWords.isReportedByService("MAXPOLL", "exceeded"))
    #expect(!KafkaWords.isReportedByService("FAIL", "Disconnected"))
    #expect(
      KafkaWords.isReportedByService("COMMITFAIL", "Offset commit (manual) failed for 2/2 partition(s): Broker: Unknown member"))
  }

  @Test(
    "a property that holds a secret is one, however it is written",
    arguments: [
      (
        "sasl.jaas.config",
        "org.apache.kafka.common.security.plain.PlainLoginModule required username=\"u\" password=\"hunter22\";", true
      ),
      ("sasl.oauthbearer.config", "principal=admin secret=hunter22", true),
      ("sasl.oauthbearer.config", "token_file=/run/token", false), ("sasl.password", "x", true), ("client.id", "x", false),
      ("sasl.kerberos.kinit.cmd", "echo hunter22 | kinit u", true),
      ("ssl.keystore.key", "hunter22", true), ("SASL.PASSWORD", "hunter22", true),
      ("sasl.oauthbearer.token.endpoint.url", "https://id:hunter22@login.example/token", true),
      ("sasl.oauthbearer.token.endpoint.url", "https://login.example/token?client_secret=hunter22", true),
      ("sasl.oauthbearer.token.endpoint.url", "https://login.example/token", false),
    ])
  func secret(key: String, value: String, isSecret: Bool) {
    let property = KafkaProperty(key: key, value: value)
    #expect(property.isSecret == isSecret)
    if value.contains("hunter22") { #expect(property.secrets.contains { $0.contains("hunter22") }) }
    let fault = KafkaProperties.fault(of: key, value) ?? ""
    #expect(!fault.contains("hunter22"), "\(fault)")
  }

  @Test("no error shows the value of a property, whichever librdkafka rejects")
  func errors() {
    var rejected: [String] = []
    for (key, value) in [
      ("sasl.jaas.config", "password=hunter22"), ("sasl.oauthbearer.config", "principal=hunter22 bad"),
      ("ssl.key.pem", "hunter22"),
    ] {
      do throws(EdgeError) {
        let properties = try KafkaProperties(
          brokers: "b:1", overrides: [.init(key: "sasl.mechanism", value: "PLAIN"), .init(key: key, value: value)])
        _ = try TransactionalProducer(properties, transactionalID: "t")
      } catch {
        rejected.append(key)
        #expect(!error.message.contains("hunter22"), "\(error.message)")
      }
    }
    #expect(rejected.contains("sasl.jaas.config"), "no librdkafka has it")
  }
}
