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
}
