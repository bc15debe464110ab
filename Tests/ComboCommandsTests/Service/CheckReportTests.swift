import ComboCore
import ComboKafka
import ComboRooms
import Testing

@testable import ComboCommands
@testable import ComboTestSupport

@Suite("The report of `check`")
struct CheckReportTests {
  @Test("has a line for each finding, with its remedy below, as in the snapshot")
  func reference() throws {
    nonisolated(unsafe) var lines: [String] = []
    var report = CheckReport { lines.append($0) }
    report.ok("all\u{1b}[2J is well")
    report.note("this", fix: "that")
    report.fault("bad", fix: "fix it")
    #expect(report.faults == 1)
    let outcome = RestoreOutcome.otherRules(Rules(version: 1), "version 1 made its entries")
    let all = [0: "3..13", 1: "4..18", 11: "0..9", 22: "0..5", 24: "0..5", 25: "0..4", 26: "0..4", 28: "0..5"]
    let findings = [
      Check.oldVersionRuns(outcome, 1, own: Rules(version: 2)),
      Check.rules([.oldest: 12], of: []), Check.rules([.oldest: 6, .newest: 6], of: []),
      Check.rules([.newest: 12], of: []),
      Check.refusal(of: 3, "the offsets were changed (to 7.5, at b:9092). Use another group. Or wait"),
      Check.refusal(of: 3, "something else"), Check.otherInput(["gifts"], "g", "own"),
      finding(all), finding(all.filter { $0.key < 22 }), finding(all.merging([28: "0..2"]) { $1 }),
      finding(all.merging([0: "3..12", 11: "2..9"]) { $1 }), finding([:]),
    ]
    for finding in findings {
      let finding = try #require(finding)
      report.add(finding)
    }
    try GeneratedPart.expect("Tests/Snapshots/check.txt", is: lines)
  }

  @Test("does not mention absent members, nor those that read the same input")
  func nothing() {
    let outcome = RestoreOutcome.otherRules(Rules(version: 1), "version 1 made its entries")
    #expect(Check.oldVersionRuns(outcome, 0, own: Rules(version: 2)) == nil)
    #expect(Check.oldVersionRuns(.refused("it is another group's"), 1, own: Rules(version: 2)) == nil)
    #expect(Check.otherInput(["gifts", "own"], "g", "own") == nil && Check.otherInput([], "g", "own") == nil)
  }

  private func finding(_ requests: [Int: String], joinsKafka400: Bool = false) -> CheckReport.Finding {
    var versions = BrokerVersions()
    for (number, range) in requests { versions.read("ApiKey Some (\(number)) Versions \(range)") }
    return Check.finding("broker 1 at b:9092", versions, joinsKafka400: joinsKafka400)
  }

  @Test("joins Kafka 4.0.0 if that is requested")
  func kafka400() {
    let four = [0: "3..12", 1: "4..18", 11: "2..9", 22: "0..5", 24: "0..5", 25: "0..4", 26: "0..4", 28: "0..5"]
    #expect(finding(four).verdict == .fault && finding(four, joinsKafka400: true).verdict == .ok)
  }
}
