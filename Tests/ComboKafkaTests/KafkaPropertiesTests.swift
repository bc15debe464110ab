import ComboEdge
import Testing

@testable import ComboKafka
@testable import ComboTestSupport

@Suite("Kafka properties")
struct KafkaPropertiesTests {
  private func fault(_ overrides: [KafkaProperty], brokers: String = "h:9092") -> EdgeError? {
    do {
      _ = try KafkaProperties(brokers: brokers, overrides: overrides, log: .none)
      return nil
    } catch {
      return error
    }
  }

  @Test("a property that librdkafka does not know is named")
  func unknown() throws {
    let error = try #require(fault([.init(key: "no.such.thing", value: "1")]))
    #expect(error.code == .badProperty)
    #expect(error.message.hasPrefix("There is no Kafka property \"no.such.thing\" in librdkafka "))
  }

  @Test("a value that librdkafka refuses is named with its property")
  func badValue() throws {
    let error = try #require(fault([.init(key: "linger.ms", value: "soon")]))
    #expect(error.code == .badProperty)
    #expect(error.message.contains("linger.ms"))
    #expect(error.message.contains("soon"))
  }

  @Test(
    "a property on which the service's promises rest is refused with the reason",
    arguments: [
      "enable.auto.commit", "isolation.level", "enable.idempotence", "transactional.id", "group.id", "auto.offset.reset",
      "partition.assignment.strategy", "bootstrap.servers", "partitioner", "acks",
      "topic.partitioner", "topic.auto.offset.reset", "topic.acks", "topic.blacklist", "group.instance.id",
    ])
  func reserved(_ key: String) throws {
    let error = try #require(fault([.init(key: key, value: "x")]))
    #expect(error.message.hasPrefix("The Kafka property \(key) cannot be set here: "))
  }

  @Test("the group protocol can be named if it is the classic one; the other one is refused with the reason")
  func groupProtocol() throws {
    #expect(KafkaProperties.fault(of: "group.protocol", "classic") == nil)
    let fault = try #require(KafkaProperties.fault(of: "group.protocol", "consumer"))
    #expect(fault.contains("must be classic") && fault.contains("block its own replacement"), "\(fault)")
    #expect(
      KafkaProperties.fault(of: "group.protocol", "foo") == "The Kafka property group.protocol must be classic here, not \"foo\"."
    )
    #expect(KafkaProperties.fault(of: "topic.group.protocol", "classic") != nil, "no client could be created with it")
    // Libraries that do not know the name must not receive it.
    let properties = try KafkaProperties(
      brokers: "127.0.0.1:1", clientID: "test", overrides: [.init(key: "group.protocol", value: "classic")], log: .none)
    _ = try GroupConsumer(properties, .init(groupID: "g", topic: "t"))
  }

  @Test("all faults are reported at once")
  func allAtOnce() throws {
    let error = try #require(
      fault([.init(key: "no.such", value: ""), .init(key: "group.id", value: "g"), .init(key: "linger.ms", value: "-")]))
    for key in ["no.such", "group.id", "linger.ms"] { #expect(error.message.contains(key)) }
  }

  @Test("no brokers is a fault")
  func noBrokers() throws {
    #expect(try #require(fault([], brokers: "")).message.contains("--brokers"))
  }

  @Test(
    "an address is a host, with a port or without",
    arguments: [
      ("h", true), ("h:9092", true), ("a:1, b:2", true), ("[::1]:9092", true), ("[::1]", true), ("SASL_SSL://h:9093", true),
      (",", false), ("h:", false), ("h:0", false), ("h:99999", false), ("http://h:1", false), ("a:1,,b:1", false),
      ("::1:9092", false),
      ("[::1:9092", false), ("h h:1", false),
    ])
  func addresses(_ brokers: String, isRight: Bool) {
    #expect((fault([], brokers: brokers) == nil) == isRight, "\(brokers)")
  }

  @Test("KEY=VALUE is taken apart at the first equals sign", arguments: ["a=b=c", "a=", "novalue", "=x"])
  func parsing(_ text: String) {
    switch text {
    case "a=b=c": #expect(KafkaProperty(text) == .init(key: "a", value: "b=c"))
    case "a=": #expect(KafkaProperty(text) == .init(key: "a", value: ""))
    default: #expect(KafkaProperty(text) == nil)
    }
  }

  @Test("a property reaches the clients that have it, and no other is warned of it")
  func kinds() throws {
    #expect(LibrdkafkaProperties.applies("linger.ms", to: .producer))
    #expect(!LibrdkafkaProperties.applies("linger.ms", to: .consumer))
    #expect(!LibrdkafkaProperties.applies("fetch.min.bytes", to: .producer))
    #expect(LibrdkafkaProperties.applies("socket.timeout.ms", to: .producer))
    #expect(LibrdkafkaProperties.applies("compression.codec", to: .producer))
    let log = RecordedLog()
    let properties = try KafkaProperties(
      brokers: "127.0.0.1:1",
      overrides: [.init(key: "linger.ms", value: "7"), .init(key: "fetch.min.bytes", value: "2")], log: log.sink)
    _ = try ControlClient(properties)
    _ = try KafkaProducer(properties, [])
    #expect(log.all.filter { $0.contains("CONFWARN") } == [])
  }

  @Test("a combination that is detected only when the client is created is reported by the client")
  func combination() throws {
    let properties = try KafkaProperties(
      brokers: "127.0.0.1:1", overrides: [.init(key: "max.in.flight.requests.per.connection", value: "100")], log: .none)
    let error = #expect(throws: EdgeError.self) { try TransactionalProducer(properties, transactionalID: "t") }
    #expect(error?.code == .badProperty)
    #expect(error?.message.contains("max.in.flight") == true)
  }

  @Test("transactions may be shorter than an answer may take otherwise", arguments: ["1000", "10000", "60000"])
  func shortTransactions(_ timeout: String) throws {
    let properties = try KafkaProperties(
      brokers: "127.0.0.1:1", overrides: [.init(key: "transaction.timeout.ms", value: timeout)], log: .none)
    _ = try TransactionalProducer(properties, transactionalID: "t")
  }

  @Test("the time limit of other responses does not depend on transactions", arguments: ["1000", "30000"])
  func longAnswers(_ timeout: String) throws {
    let properties = try KafkaProperties(
      brokers: "127.0.0.1:1", overrides: [.init(key: "socket.timeout.ms", value: timeout)], log: .none)
    _ = try TransactionalProducer(properties, transactionalID: "t")
  }
}
