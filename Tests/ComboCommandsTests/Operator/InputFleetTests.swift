import ComboService
import ComboSystem
import Synchronization
import Testing

@testable import ComboCommands
@testable import ComboKafka

@Suite("The services of several inputs")
struct InputFleetTests {
  @Test("one that has ended, and waits to start again, does not seem stuck")
  func waiting() throws {
    let words = ["--brokers", "b:9092", "--input", "a", "--output", "o"]
    let outcome = Configuration.read(.run, words, environment: { _ in nil }, host: "h")
    guard case .read(.run(let options), let table, _) = outcome else {
      Issue.record("the options were refused")
      return
    }
    let members = (0..<2).map { _ in
      InputFleet.Member(options, table, after: nil, isNew: false, log: ServiceLog(.error)) { _ in outcome }
    }
    members[1].end.withLock { $0 = .init(code: 1) }
    let before = MonotonicClock.nowMs
    while MonotonicClock.nowMs == before {}
    InputFleet.beat(members)
    #expect(members[0].observatory.lastBeat <= before && members[1].observatory.lastBeat > before)
  }
}
