import ComboService
import Testing

@testable import ComboCommands

@Suite("Fresh starts within a process")
struct FreshStartTests {
  @Test("twenty within ten minutes are made, spread over more than a minute; the next is not, and they are forgotten with time")
  func bounded() {
    var starts = FreshStarts()
    var now: Int64 = 0
    for number in 0..<20 {
      let delayMs = starts.delayMs(at: now, wasFenced: false)
      #expect(delayMs.map { number > 0 ? $0 > 0 : $0 == 0 } == true, "\(number)")
      now += delayMs ?? 0
    }
    #expect(now > 60_000 && starts.delayMs(at: now, wasFenced: false) == nil)
    #expect(starts.delayMs(at: 600_000, wasFenced: false) == nil)
    // All starts are older than that now.
    #expect(starts.delayMs(at: 600_001 + now, wasFenced: false) == 0)
  }

  @Test("an instance that is fenced twice within a minute leaves its place to the other")
  func fenced() {
    var starts = FreshStarts()
    #expect(starts.delayMs(at: 0, wasFenced: true) == 0)
    #expect(starts.delayMs(at: 60_000, wasFenced: true) == nil)
    #expect(starts.delayMs(at: 60_000, wasFenced: false) != nil)
    #expect(starts.delayMs(at: 60_001, wasFenced: true) != nil)
    #expect(starts.delayMs(at: 60_002, wasFenced: true) == nil)
  }

  @Test("totals continue over a fresh start")
  func totals() {
    var lines: [String] = []
    var before = ServiceTotals()
    before.events = 5
    before.instructions = 3
    var progress = Progress(before: before) { lines.append($0) }
    var now = ServiceTotals()
    now.events = 2
    now.bad = 1
    progress.tell(now, monotonic: 0)
    progress.end(now)
    #expect(lines == ["events 7 instructions 3 bad 1", "events 7 instructions 3 bad 1"])
  }
}
