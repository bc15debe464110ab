import ComboEdge
import ComboKafka
import Glibc
import Testing

@testable import ComboTestSupport

extension ServiceTests {
  @Suite("`run --shadow`")
  struct ShadowRunTests {
    private func give(_ group: TestGroup, _ range: Range<Int>) throws {
      try group.give(range.map { TestGift(id: "e\($0)", room: "room-\($0 % 5)", sender: "u\($0 % 3)") })
      try group.waitUntilTakenIn()
    }

    /// Waits until it has compared something.
    private func compares(_ shadow: ServiceProcess) throws {
      func count() -> Int { shadow.log.count { $0.contains("compared so far") } }
      try wait(for: "it compares: \(shadow.text)") { count() > 0 || shadow.exitCode != nil }
    }

    private func follows(_ shadow: ServiceProcess, _ partitions: Int) throws {
      try wait(for: "the shadow follows: \(shadow.text)") {
        shadow.log.count { $0.contains("the shadow follows partition") } == partitions || shadow.exitCode != nil
      }
    }

    @Test(
      "compares beside the service and through its restart, is no member of the group, writes nothing, and ends with a report")
    func beside() throws {
      let group = try TestGroup(partitions: 2)
      let first = try group.process(TestGroup.fast + ["--instance", "one"])
      try give(group, 0..<40)
      let shadow = try ServiceProcess(["run", "--shadow", "--log-level", "debug"] + group.arguments(TestGroup.fast))
      let other = try ServiceProcess(
        ["run", "--shadow", "--log-level", "debug"] + group.arguments(TestGroup.fast + ["--slots", "1"]))
      try follows(shadow, 2)
      try follows(other, 2)
      #expect(try group.control.members(ofGroup: group.group, withinMs: 10_000).count == 1)
      try give(group, 40..<80)
      try compares(shadow)
      try compares(other)
      try first.crash()
      let second = try group.process(TestGroup.fast + ["--instance", "one"])
      try give(group, 80..<120)
      try second.stop()
      let before = try group.records(of: group.names.output).count
      for process in [shadow, other] { process.signal(SIGINT) }
      #expect(try shadow.waitForExit() == 0, "\(shadow.text)")
      #expect(try other.waitForExit() == 0, "\(other.text)")
      let report = shadow.progress.joined(separator: "\n")
      #expect(report.hasSuffix("the same: this program derives what the group wrote, byte for byte"), "\(report)")
      #expect(report.contains(" 0 changed, 0 only here, 0 only in the output"), "\(report)")
      let others = other.progress.joined(separator: "\n")
      #expect(others.contains("slots 1, in the group 2") && others.contains("differences are expected"), "\(others)")
      #expect(try group.records(of: group.names.output).count == before)
      try group.verify()
    }

    @Test("reports the fault where there is no such group, and ends with 1")
    func nothingThere() throws {
      let group = try TestGroup(partitions: 1)
      let run = try ServiceProcess.run(["run", "--shadow"] + group.arguments())
      #expect(run.code == 1 && run.log.contains("does not exist: check --input"), "\(run)")
    }
  }
}
