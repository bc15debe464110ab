import ComboService
import Testing

@testable import ComboCommands

@Suite("Fresh starts within a process")
struct FreshStartTests {
  @Test("ten within ten minutes are made, the eleventh is not, and they are forgotten with time")
  func bounded() {
    var starts = FreshStarts()
    func isSound(at now: Int64) -> Bool { starts.isOneMoreSound(at: now, wasFenced: false) }
    for number in 0..<10 { #expect(isSound(at: Int64(number) * 1000), "\(number)") }
    #expect(!isSound(at: 10_000))
    #expect(!isSound(at: 600_000))
    // The first is older than that now.
    #expect(isSound(at: 600_001))
    #expect(!isSound(at: 600_002))
  }

  @Test("who is fenced twice within a minute leaves its place to the other")
  func fenced() {
    var starts = FreshStarts()
    func isSound(at now: Int64, wasFenced: Bool) -> Bool { starts.isOneMoreSound(at: now, wasFenced: wasFenced) }
    #expect(isSound(at: 0, wasFenced: true))
    #expect(!isSound(at: 60_000, wasFenced: true))
    #expect(isSound(at: 60_000, wasFenced: false))
    #expect(isSound(at: 60_001, wasFenced: true))
    #expect(!isSound(at: 60_002, wasFenced: true))
  }

  @Test("totals go on over a fresh start")
  func totals() {
    var lines: [String] = []
    var before = Service.Totals()
    before.events = 5
    before.instructions = 3
    var progress = Progress(before: before) { lines.append($0) }
    var now = Service.Totals()
    now.events = 2
    now.bad = 1
    progress.tell(now, monotonic: 0)
    progress.end(now)
    #expect(lines == ["events 7 instructions 3 bad 1", "events 7 instructions 3 bad 1"])
  }
}
