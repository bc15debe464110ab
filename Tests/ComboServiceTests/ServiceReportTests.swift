import Testing

@testable import ComboService

@Suite("The report of a process")
struct ServiceReportTests {
  @Test("for several inputs is ready once all are, and late since the first of them is")
  func inputs() {
    func report(_ at: Int64, uncommittedSince: Int64?) -> ServiceReport {
      var report = ServiceReport()
      report.at = at
      report.hasJoined = true
      report.uncommittedSince = uncommittedSince
      report.partitions = [.init(number: 0, isRunning: true)]
      return report
    }
    let (a, b, c) = (report(100, uncommittedSince: 70), report(90, uncommittedSince: 80), report(95, uncommittedSince: nil))
    for services in [[("a", a), ("b", b)], [("b", b), ("a", a)], [("a", a), ("b", b), ("c", c)]] {
      let all = ServiceReport(of: services)
      #expect(all.hasJoined && all.at == 90 && all.uncommittedSince == 70)
      #expect(all.partitions.map(\.input) == services.map(\.0))
    }
    #expect(!ServiceReport(of: [("a", a), ("b", nil)]).hasJoined && !ServiceReport(of: []).hasJoined)
  }
}
