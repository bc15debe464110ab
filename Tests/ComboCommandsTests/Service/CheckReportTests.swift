import ComboCore
import ComboKafka
import ComboRooms
import Testing

@testable import ComboCommands

@Suite("What `check` has found")
struct CheckReportTests {
  @Test("is a line a finding, with what to do about it below")
  func lines() {
    nonisolated(unsafe) var lines: [String] = []
    var report = CheckReport { lines.append($0) }
    report.ok("all\u{1b}[2J is well")
    report.note("this", fix: "that")
    report.fault("bad", fix: "fix it")
    #expect(lines == ["ok     all[2J is well", "note   this", "       → that", "FAULT  bad", "       → fix it"])
    #expect(report.faults == 1)
  }

  @Test("says that the old version still runs if the group has members, and calls its entries a fault only if it has none")
  func oldVersion() {
    let outcome = RestoreOutcome.otherRules(Rules(version: 1), "version 1 made its entries")
    let note = CheckGroup.oldVersionRuns(outcome, 1, own: Rules(version: 2))
    #expect(
      note?.verdict == .note && note?.text.contains("still runs") == true
        && note?.text.contains("the group has 1 member,") == true)
    #expect(note?.fix?.hasPrefix("stop it with SIGTERM") == true && note?.fix?.contains("then check again") == true)
    #expect(CheckGroup.oldVersionRuns(outcome, 0, own: Rules(version: 2)) == nil)
    #expect(CheckGroup.oldVersionRuns(.refused("it is another group's"), 1, own: Rules(version: 2)) == nil)
  }

  @Test("says that the release before can come back only while no partition is under rules that it does not know")
  func rules() {
    let before = CheckGroup.rules([.oldest: 12], of: [])
    #expect(before.verdict == .ok && before.text.contains("12 partitions under rules 2: every member offers rules 3"))
    #expect(before.text.contains("until then the release before can be started again"))
    let between = CheckGroup.rules([.oldest: 6, .newest: 6], of: [])
    #expect(between.verdict == .note && between.fix?.contains("docs/operating.md") == true)
    #expect(between.text.hasSuffix("releases that do not know rules 3 can no longer run this group"))
    let after = CheckGroup.rules([.newest: 12], of: [])
    #expect(after.verdict == .ok && after.text.hasSuffix("releases that do not know rules 3 can no longer run this group"))
  }

  @Test("says what is wrong and what to do in two lines, for what run would end with")
  func refusals() {
    let found = CheckGroup.refusal(of: 3, "the offsets were changed (to 7.5, at b:9092). Use another group. Or wait")
    #expect(found.text == "partition 3: the offsets were changed (to 7.5, at b:9092)")
    #expect(found.fix == "Use another group. Or wait")
    let short = CheckGroup.refusal(of: 3, "something else")
    #expect(short.text == "partition 3: something else" && short.fix?.contains("docs/operating.md") == true)
  }

  @Test("notes that the group's members read another input")
  func otherInput() {
    let found = CheckGroup.otherInput(["gifts"], "g", "own")
    #expect(found?.verdict == .note && found?.text == "members of the group \"g\" read \"gifts\", and not \"own\"")
    #expect(found?.fix?.hasPrefix("if --input was changed") == true)
    #expect(CheckGroup.otherInput(["gifts", "own"], "g", "own") == nil && CheckGroup.otherInput([], "g", "own") == nil)
  }

  private func finding(_ requests: [Int: String], joinsKafka400: Bool = false) -> CheckReport.Finding {
    var versions = BrokerVersions()
    for (number, range) in requests { versions.take("ApiKey Some (\(number)) Versions \(range)") }
    return Check.finding("broker 1 at b:9092", versions, joinsKafka400: joinsKafka400)
  }

  @Test("says of a broker without transactions what that means, of an old one, and of Kafka 4.0.0")
  func brokers() {
    let all = [0: "3..13", 1: "4..18", 11: "0..9", 22: "0..5", 24: "0..5", 25: "0..4", 26: "0..4", 28: "0..5"]
    #expect(
      finding(all)
        == .init(verdict: .ok, text: "broker 1 at b:9092 answers; judging by its protocol, it is Kafka 4.1 or later", fix: nil))
    let without = finding(all.filter { $0.key < 22 })
    #expect(
      without.verdict == .fault
        && without.text.contains("has no transactions: it does not take InitProducerId, AddPartitionsToTxn"))
    #expect(without.text.contains("neither delivery is possible") && without.fix?.contains("docs/brokers.md") == true)
    #expect(finding(all.merging([28: "0..2"]) { $1 }).fix?.contains("KIP-447") == true)
    let four = all.merging([0: "3..12", 11: "2..9"]) { $1 }
    #expect(finding(four).verdict == .fault && finding(four, joinsKafka400: true).verdict == .ok)
    #expect(finding([:]).verdict == .note)
  }
}
