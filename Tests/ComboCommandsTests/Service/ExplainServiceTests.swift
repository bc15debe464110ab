import ComboEdge
import ComboSystem
import ComboWire
import Foundation
import Testing

@testable import ComboKafka
@testable import ComboTestSupport

extension ServiceTests {
  @Suite("explain on a real broker")
  struct ExplainServiceTests {
    private func explain(_ group: TestGroup, _ more: [String]) throws -> (code: Int32, output: String, log: String) {
      try ServiceProcess.run(
        [
          "explain", "--brokers", group.brokers, "--input", group.names.input, "--output", group.names.output, "--group",
          group.group,
        ] + more)
    }

    @Test(
      "beside a service that works, a gift is found in its room's partition, in words and as an object, and one of nobody is not")
    func besideTheService() throws {
      let group = try TestGroup(partitions: 4)
      let service = try group.process(TestGroup.fast + ["--checkpoint-gifts", "500", "--checkpoint-interval-ms", "300"])
      try group.give((0..<3000).map { TestGift(id: "e\($0)", room: "room-\($0 % 40)", sender: "u\($0 % 7)") })
      try group.waitUntilTakenIn(service)
      let (code, output, log) = try explain(group, ["--room", "room-5", "--id", "e45"])
      #expect(code == 0 && output.contains("(UTC)\n") && output.contains("rose ×1 from sender u3: "), "\(output)\n\(log)")
      #expect(!log.contains("searching all"), "\(log)")
      let (jsonCode, json, _) = try explain(group, ["--room", "room-5", "--format", "json"])
      let lines = json.split(separator: "\n")
      #expect(jsonCode == 0 && lines.count == 75, "\(json)")
      #expect(lines.allSatisfy { $0.hasPrefix(#"{"room":"room-5","epoch":"#) && $0.contains(#""became":""#) }, "\(json)")
      let (other, elsewhere, _) = try explain(group, ["--room", "room-6", "--id", "e45"])
      #expect(other == 1 && elsewhere.hasPrefix("no gift matches; the nearest ones:\n"), "\(elsewhere)")
      #expect(elsewhere.contains("a gift of another room, \"room-5\""), "\(elsewhere)")
      let (none, nothing, unhinted) = try explain(group, ["--room", "room-5", "--id", "nobody's"])
      #expect(
        none == 1 && nothing.contains("never seen: no such gift in the room's input \"\(group.names.input)\", partition "),
        "\(nothing)")
      #expect(!unhinted.contains("time zone"), "\(unhinted)")
      let (_, earlier, hint) = try explain(group, ["--room", "room-5", "--id", "e45", "--until", "1971-01-01T00:00:00Z"])
      #expect(earlier.hasPrefix("never seen: ") && hint.contains("if the time zone may be wrong"), "\(earlier)\n\(hint)")
      let (wrong, _, sentence) = try explain(group, ["--id", "e45"])
      #expect(wrong == 2 && sentence.contains("explain needs --room ROOM"), "\(sentence)")
      try service.stop()
    }

    @Test("a gift in another partition than its room's is found by the settings of that partition's own takeover")
    func settingsOfItsPartition() throws {
      let group = try TestGroup(partitions: 4)
      let first = try group.process(TestGroup.fast)
      try group.give((0..<40).map { TestGift(id: "e\($0)", room: "room-\($0)") })
      try group.waitUntilTakenIn(first)
      try first.stop()
      func partition(_ key: String) -> Int {
        key.utf8CString.withUnsafeBytes { KeyPartitioner.partition(.init(rebasing: $0.dropLast()), 4) }
      }
      let key = try #require((0..<100).map { "key-\($0)" }.first { partition($0) != partition("late") })
      let second = try group.process(TestGroup.fast + ["--room-from-body"])
      try group.put([TestRecord(key: key, TestGift(id: "late-1", room: "late").text)])
      try group.waitUntilTakenIn(second)
      for asked in [[], ["--id", "late-1"]] {
        let (code, output, log) = try explain(group, ["--room", "late"] + asked)
        #expect(code == 0 && output.contains("rose ×1 from sender u1: shown"), "\(output)\n\(log)")
      }
      try second.stop()
    }

    @Test("gifts of an aborted and of an open transaction are found, and distinguished from those never sent")
    func transactions() throws {
      let group = try TestGroup(partitions: 2)
      let service = try group.process(TestGroup.fast)
      func transaction(_ id: String) throws -> TransactionalProducer {
        // It must stay open for as long as the test takes.
        let properties = try KafkaProperties(
          brokers: group.brokers, overrides: [.init(key: "transaction.timeout.ms", value: "600000")], log: .none)
        let producer = try TransactionalProducer(properties, transactionalID: TestKafka.fresh(id))
        try producer.initTransactions(withinMs: ServiceKafka.patienceMs)
        let topic = try producer.producer.topic(group.names.input, withinMs: ServiceKafka.patienceMs)
        try producer.begin()
        let gift = TestGift(id: id, room: "room").record
        try gift.key!.withUnsafeBytes { key in
          try gift.value!.withUnsafeBytes { try producer.producer.produce(topic, key: key, value: $0) }
        }
        try producer.producer.flush(withinMs: ServiceKafka.patienceMs)
        return producer
      }
      try transaction("aborted").abort(withinMs: ServiceKafka.patienceMs)
      try group.give([TestGift(id: "good", room: "room")])
      try group.waitUntilSaid(["room": 1], service)
      let open = try transaction("open")
      try group.give([TestGift(id: "behind", room: "room")])
      let (_, aborted, _) = try explain(group, ["--room", "room", "--id", "aborted"])
      #expect(aborted.contains("rose from sender u1: aborted, offset 0 of partition "), "\(aborted)")
      for id in ["open", "behind"] {
        let (code, text, _) = try explain(group, ["--room", "room", "--id", id])
        #expect(code == 0 && text.contains(": not yet committed, offset ") && text.contains(" that is still open"), "\(text)")
      }
      let (_, json, _) = try explain(group, ["--room", "room", "--id", "open", "--format", "json"])
      #expect(json.hasPrefix(#"{"room":"room","missed":"not_committed","partition":"#), "\(json)")
      let (none, never, _) = try explain(group, ["--room", "room", "--id", "nobody's"])
      #expect(none == 1 && never.contains("; nor in any other room or partition (all 2 were searched)"), "\(never)")
      try open.commit(withinMs: ServiceKafka.patienceMs)
      try group.waitUntilSaid(["room": 3], service)
      let (_, seen, _) = try explain(group, ["--room", "room", "--id", "open"])
      #expect(seen.contains("rose ×1 from sender u1: "), "\(seen)")
      try service.stop()
    }
  }
}
