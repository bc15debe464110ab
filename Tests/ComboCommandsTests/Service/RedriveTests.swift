import ComboEdge
import ComboKafka
import Testing

@testable import ComboCommands
@testable import ComboTestSupport

extension ServiceTests {
  @Suite("`redrive`")
  struct RedriveTests {
    private func redrive(_ group: TestGroup, _ more: [String] = []) throws -> String {
      let run = try ServiceProcess.run(
        ["redrive", "--brokers", group.brokers, "--input", group.names.input, "--group", group.group] + more)
      #expect(run.code == 0, "\(run)")
      return run.output
    }

    @Test("sends each dead letter back once, unchanged, and none endlessly")
    func once() throws {
      let group = try TestGroup(partitions: 2)
      var bad = TestRecord(key: Array("r".utf8), value: Array("no json".utf8))
      bad.timestamp = 1_700_000_000_000
      bad.headers = [RecordHeader(name: "trace", value: [0, 255]), RecordHeader(name: "none", value: nil)]
      let other = TestRecord(key: "r", #"{"type":"gifts","room":"r"}"#)
      let service = try group.thread(TestGroup.fast)
      try group.produce([bad, other])
      try waitForLetters(2, group)

      #expect(try redrive(group).contains("2 would be sent back"))
      #expect(try group.records(of: group.names.input).count == 2)
      #expect(try redrive(group, ["--code", "not_json", "--yes"]).contains("1 was sent back"))
      #expect(try redrive(group, ["--code", "not_json", "--yes"]).contains("0 were sent back"))
      let input = try group.records(of: group.names.input)
      #expect(input.count == 3)
      let again = try #require(input.first { $0.header("combo.redriven") == "1" })
      #expect(again.value == bad.value && again.key == bad.key && again.timestamp == bad.timestamp)
      #expect(Array(again.headers.dropLast()) == bad.headers)
      #expect(again.partition == input.first { $0.timestamp == bad.timestamp }?.partition)

      // It is still bad, so that it becomes a dead letter again, and stays one.
      try waitForLetters(3, group)
      let rest = try redrive(group, ["--yes"])
      #expect(rest.contains("1 was sent back") && rest.contains("1  of the listed ones came back after"), "\(rest)")
      try waitForLetters(4, group)
      #expect(try redrive(group, ["--yes"]).contains("0 were sent back"))
      #expect(try redrive(group, ["--yes", "--max-redrives", "2"]).contains("2 were sent back"))
      try waitForLetters(6, group)
      try service.stop()
      let proof = try ServiceProcess.run([
        "verify", "--brokers", group.brokers, "--input", group.names.input, "--output", group.names.output, "--group",
        group.group,
      ])
      #expect(proof.output.contains("proven: "), "\(proof)")
    }

    @Test("sends a record back once, though at-least-once delivery has written its dead letter twice, with other reasons")
    func repeated() throws {
      let group = try TestGroup(partitions: 1)
      let bad = TestRecord(key: Array("r".utf8), value: Array("no json".utf8))
      let service = try group.thread(TestGroup.fast)
      try group.produce([bad])
      try waitForLetters(1, group)
      try service.stop()
      var again = try #require(try group.records(of: group.names.deadLetter).first { $0.header("combo.error") != nil })
      again.headers = again.headers.map {
        $0.name == "combo.reason" ? RecordHeader(name: $0.name, value: Array("else".utf8)) : $0
      }
      try group.produce([again], to: group.names.deadLetter)
      try waitForLetters(2, group)
      #expect(try redrive(group).contains("1 would be sent back"))
      let sent = try redrive(group, ["--reason", "else", "--yes"])
      #expect(sent.contains("1 was sent back"), "\(sent)")
      let rest = try redrive(group, ["--yes"])
      #expect(rest.contains("0 were sent back") && rest.contains("1  more, not listed, are further dead letters"), "\(rest)")
      #expect(try group.records(of: group.names.input).count == 2)
    }

    @Test("sends the rest if some are larger than the input accepts, alone or in one batch, and counts those")
    func tooLarge() throws {
      let group = try TestGroup(partitions: 1)
      var numbers = SplitMix64(seed: 1)
      // Random bytes hardly get smaller by compression.
      func bad(_ bytes: Int) -> TestRecord {
        TestRecord(key: Array("r".utf8), value: (0..<bytes).map { _ in UInt8.random(in: 0...255, using: &numbers) })
      }
      let service = try group.thread(TestGroup.fast)
      try group.produce([bad(6000), bad(20_000), bad(6000), bad(6000)])
      try waitForLetters(4, group)
      try service.stop()
      try group.control.alterSettings(of: group.names.input, [("max.message.bytes", "10000")], withinMs: ServiceKafka.patienceMs)
      try wait(for: "the brokers know of it") {
        try group.control.settings(of: group.names.input, withinMs: ServiceKafka.patienceMs).maxMessageBytes == 10_000
      }
      let json = try redrive(group, ["--json"])
      #expect(
        json.contains(#""wouldSend":3"#) && json.contains(#""tooLarge":1"#) && json.contains(#""verdict":"tooLarge""#), "\(json)")
      let sent = try redrive(group, ["--yes"])
      #expect(sent.contains("3 were sent back"), "\(sent)")
      #expect(sent.contains("1  of the listed ones are larger than the input's max.message.bytes: raise it"), "\(sent)")
      #expect(try group.records(of: group.names.input).count == 7)
    }

    /// Waits for this number of dead letters. The input ends with transaction markers, so that its end cannot be used.
    private func waitForLetters(_ count: Int, _ group: TestGroup) throws {
      try wait(for: "\(count) dead letters") {
        try group.records(of: group.names.deadLetter).count { $0.header("combo.error") != nil } == count
      }
    }
  }
}
