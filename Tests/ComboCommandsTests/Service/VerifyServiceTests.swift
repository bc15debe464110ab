import ComboEdge
import ComboKafka
import ComboWire
import Testing

@testable import ComboTestSupport

extension ServiceTests {
  @Suite("verify on a real broker")
  struct VerifyServiceTests {
    /// Runs `verify`, and returns its exit code, output and log.
    private func verify(_ group: TestGroup, _ more: [String] = []) throws -> (code: Int32, output: String, log: String) {
      try ServiceProcess.run(
        [
          "verify", "--brokers", group.brokers, "--input", group.names.input, "--output", group.names.output, "--group",
          group.group,
        ] + more)
    }

    @Test("beside a service that works, is killed and started again, it proves all that is committed, as often as it is run")
    func besideTheService() throws {
      let group = try TestGroup(partitions: 4)
      let options = TestGroup.fast + ["--instance", "one", "--checkpoint-gifts", "2000", "--checkpoint-interval-ms", "500"]
      var made = 0
      func give(_ count: Int) throws {
        try group.give(
          (0..<count).map { _ in
            made += 1
            return TestGift(id: "e\(made)", room: "room-\(made % 40)", sender: "u\(made % 7)", count: 1 + made % 3)
          })
      }
      for round in 0..<3 {
        // Read before the start, as the service may process all gifts before a later reading.
        let before = try group.takenIn()
        let service = try group.process(options)
        try give(8_000)
        try wait(for: "a commit: \(service.text)") { try group.takenIn() > before || service.exitCode != nil }
        let (code, output, log) = try verify(group)
        #expect(
          code == 0 && output.contains("proven: ") && output.contains("conservation: "), "round \(round): \(output)\n\(log)")
        if round < 2 { try service.crash() } else { try group.waitUntilTakenIn(service); try service.stop() }
      }
      let (code, output, log) = try verify(group)
      #expect(code == 0 && output.contains("each instruction once") && !output.contains("not provable"), "\(output)\n\(log)")
      let (quick, quickOutput, quickLog) = try verify(group, ["--from-checkpoint"])
      #expect(quick == 0 || quickOutput.contains("no instruction follows the checkpoint"), "\(quickOutput)\n\(quickLog)")
      #expect(!quickOutput.contains("DIFFERS"), "\(quickOutput)")

      // Another program writes to the output.
      try group.produce([TestRecord(key: "room-1", "hello")], to: group.names.output)
      let (spoilt, spoiltOutput, _) = try verify(group)
      #expect(
        spoilt == 1 && spoiltOutput.contains("DIFFERS: the output holds a record that is not an instruction"), "\(spoiltOutput)")
    }

    @Test("topics that are not there, and a group that has done nothing, are reported in a sentence")
    func nothingThere() throws {
      let group = try TestGroup(partitions: 1)
      let missing = try verify(group)
      #expect(
        missing.code == 1 && missing.log.contains("the topic \"\(group.names.output)\" does not exist: check --input"),
        "\(missing)")
      for topic in [group.names.output, group.names.journal] {
        try group.control.createTopic(topic, partitions: 1, settings: [], withinMs: ServiceKafka.patienceMs)
      }
      let empty = try verify(group)
      #expect(empty.code == 1 && empty.log.contains("there is nothing to verify"), "\(empty)")
      let wrong = try verify(group, ["--from", "yesterday"])
      #expect(wrong.code == 2 && wrong.log.contains("--from must be a time such as 2026-11-21T13:00:00Z"), "\(wrong)")
    }
  }
}
