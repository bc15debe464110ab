import ComboEdge
import Testing

@testable import ComboCommands
@testable import ComboTestSupport

extension ServiceTests {
  @Suite("`seek`")
  struct SeekTests {
    private func seek(_ group: TestGroup, _ more: [String]) throws -> (code: Int32, output: String, log: String) {
      try ServiceProcess.run(
        [
          "seek", "--brokers", group.brokers, "--input", group.names.input, "--output", group.names.output, "--group",
          group.group,
          "--http", "none",
        ] + more)
    }

    @Test("skips a part of the input once, reports that first, and the rest is proven")
    func skips() throws {
      let group = try TestGroup(partitions: 1)
      var service = try group.process(TestGroup.fast)
      try group.give([TestGift(id: "a", room: "r", count: 2)])
      try group.waitUntilSaid(["r": 2], service)
      try service.stop()
      try group.give((0..<3).map { TestGift(id: "poison\($0)", room: "r", count: 100) })

      let dry = try seek(group, ["--skip-to-end"])
      #expect(dry.code == 0 && dry.output.contains("dry run"), "\(dry)")
      #expect(dry.output.contains("up to 3 records are skipped, and 1 room begin"), "\(dry)")
      let done = try seek(group, ["--skip-to-end", "--yes"])
      #expect(done.code == 0 && done.output.contains("1 partition was moved"), "\(done)")
      #expect(done.log.contains("RESET: partition 0 skips 3 offsets"), "\(done)")
      let again = try seek(group, ["--skip-to-end", "--yes"])
      #expect(again.code == 0 && again.output.contains("nothing to do"), "\(again)")
      let back = try seek(group, ["--to-offset", "0:0", "--yes"])
      #expect(back.code == 1 && back.output.contains("would count"), "\(back)")

      service = try group.process(TestGroup.fast)
      try group.give([TestGift(id: "b", room: "r", count: 5)])
      try group.waitUntilSaid(["r": 7], service)
      try service.crash()
      service = try group.process(TestGroup.fast)
      try service.waitForLog("restored: partition 0")
      try service.stop()
      let proof = try ServiceProcess.run([
        "verify", "--brokers", group.brokers, "--input", group.names.input, "--output", group.names.output, "--group",
        group.group,
      ])
      #expect(proof.output.contains("proven: "), "\(proof)")
    }

    @Test("the dry run reports the lost gifts as verify counts them, other settings and another output")
    func tells() throws {
      let group = try TestGroup(partitions: 1)
      let service = try group.process(["--slots", "1"])
      try group.give((0..<20).map { TestGift(id: "a\($0)", room: "r", sender: "u\($0)", count: 3) })
      try group.waitUntilTakenIn(service)
      try service.stop()
      try group.give([TestGift(id: "poison", room: "r", count: 100)])

      let dry = try seek(group, ["--slots", "2", "--skip-to-end"])
      #expect(dry.code == 0 && dry.output.contains("Settings would change: slots 1 → 2"), "\(dry)")
      let count = dry.output.firstMatch(of: #/new epoch: ([0-9]+) gifts? that wait/#)?.1
      let other = try seek(group, ["--slots", "1", "--skip-to-end", "--output", group.names.output + ".other"])
      #expect(other.code == 1 && other.log.contains("the journal belongs to the output \"\(group.names.output)\""), "\(other)")
      let done = try seek(group, ["--slots", "1", "--skip-to-end", "--yes"])
      #expect(done.code == 0 && !done.output.contains("Settings would change"), "\(done)")
      let proof = try ServiceProcess.run([
        "verify", "--brokers", group.brokers, "--input", group.names.input, "--output", group.names.output, "--group",
        group.group,
      ])
      #expect(proof.output.contains("proven: "), "\(proof)")
      let lost = proof.output.firstMatch(of: #/; ([0-9]+) gifts? (was|were) never shown because of a reset/#)?.1
      #expect(count != nil && count == lost, "\(dry) \(proof)")
    }

    @Test("lets a group that has read nothing begin anywhere")
    func begins() throws {
      let group = try TestGroup(partitions: 1)
      try group.give((0..<4).map { TestGift(id: "a\($0)", room: "r") })
      let done = try seek(group, ["--to-offset", "0:3", "--yes"])
      #expect(done.code == 0 && done.output.contains("would begin at 3"), "\(done)")
      let service = try group.process(TestGroup.fast)
      try group.waitUntilSaid(["r": 1], service)
      try service.stop()
      try group.verify()
    }
  }
}
