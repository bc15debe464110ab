import ComboCore
import Testing

@testable import ComboRooms

@Suite("Counts of waits")
struct WaitCountsTests {
  @Test("a wait counts up to the first bound that it is not above; skips count by reason")
  func counts() {
    var counts = WaitCounts()
    for ms: Int64 in [0, 100, 101, 600_000, 600_001, 86_400_000] { counts.add(ms) }
    #expect(counts.counts.count == WaitCounts.bounds.count + 1 && counts.counts.reduce(0, +) == 6)
    #expect(counts.counts[0] == 2 && counts.counts[1] == 1 && counts.counts[WaitCounts.bounds.count - 1] == 1)
    #expect(counts.counts[WaitCounts.bounds.count] == 2 && counts.sum == 87_600_202)
    counts.skip(2, 3, 30, .overflow)
    counts.skip(1, 1, 0.5, .retracted)
    #expect(counts.skips.map(\.reason) == ["overflow", "closed", "retracted"])
    #expect(counts.skips.map(\.1.banners) == [2, 0, 1])
    #expect(counts.skips.map(\.1.gifts) == [3, 0, 1] && counts.skips.map(\.1.worth) == [30, 0, 0.5])
    var sum = WaitCounts()
    #expect(sum.skips.map(\.1.gifts) == [0, 0, 0])
    sum.add(counts)
    sum.add(WaitCounts())
    sum.add(counts)
    #expect(sum.counts[0] == 4 && sum.sum == 2 * 87_600_202 && sum.skips.map(\.1.gifts) == [6, 0, 2])
    #expect(sum.skips.map(\.1.banners) == [4, 0, 2])
  }
}
