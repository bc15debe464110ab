import ComboEdge
import Testing

@testable import ComboKafka
@testable import ComboTestSupport

extension ServiceTests {
  @Suite("map on a topic")
  struct MapTopicTests {
    @Test("--last counts records: neither the ends of transactions, nor aborted records, nor those without a value")
    func last() throws {
      let group = try TestGroup(partitions: 1)
      let producer = try TransactionalProducer(group.properties, transactionalID: TestKafka.fresh("map"))
      try producer.initTransactions(withinMs: ServiceKafka.patienceMs)
      let topic = try producer.producer.topic(group.names.input, withinMs: ServiceKafka.patienceMs)
      func transaction(_ id: String, commits: Bool, value: Bool = true, cutTo length: Int = .max) throws {
        try producer.begin()
        let gift = TestGift(id: id, room: "room").record
        try gift.key!.withUnsafeBytes { key in
          try Array(gift.value!.prefix(length)).withUnsafeBytes {
            try producer.producer.produce(topic, key: key, value: value ? $0 : nil)
          }
        }
        try producer.producer.flush(withinMs: ServiceKafka.patienceMs)
        if commits {
          try producer.commit(deliveredWithinMs: ServiceKafka.patienceMs, withinMs: ServiceKafka.patienceMs)
        } else {
          try producer.abort(withinMs: ServiceKafka.patienceMs)
        }
      }
      for number in 0..<6 {
        try transaction("e\(number)", commits: true)
        try transaction("aborted", commits: false)
        try transaction("none", commits: true, value: false)
      }
      func map(last: Int, _ more: String...) throws -> (code: Int32, output: String, log: String) {
        try ServiceProcess.run(
          [
            "map", "--map", "wire", "--brokers", group.brokers, "--from-topic", group.names.input, "--last", "\(last)",
          ] + more)
      }
      let (code, output, log) = try map(last: 5)
      #expect(code == 0 && output.contains("\n5 records: 5 gift, 0 dropped, 0 bad"), "\(output)\(log)")
      #expect(!output.contains("partition 0, offset 0:") && output.contains("partition 0, offset 6:"), "\(output)")
      let all = try map(last: 100)
      #expect(all.code == 0 && all.output.contains("\n6 records: 6 gift, 0 dropped, 0 bad"), "\(all.output)")
      try transaction("cut", commits: true, cutTo: 8)
      let records = try map(last: 3, "--records")
      #expect(records.code == 1 && records.output.split(separator: "\n").count == 2, "\(records)")
      #expect(records.log.contains("cannot be read: not_json"), "\(records)")
    }
  }
}
