package import ComboCore

/// How long gifts waited until an instruction showed them, and which were skipped. Each instruction counts its longest-waiting
/// gift, so that nothing is counted when a gift is consumed.
package struct WaitCounts: Equatable, Sendable {
  /// The totals skipped for one reason.
  package struct Skipped: Equatable, Sendable {
    package var banners = 0
    package var gifts = 0
    package var worth = 0.0
  }

  /// The upper bounds in milliseconds, in ascending order.
  package static let bounds: [Int64] = [
    100, 250, 500, 1000, 2000, 3000, 5000, 10_000, 20_000, 30_000, 60_000, 120_000, 300_000, 600_000,
  ]
  private static let reasons: [SkipReason] = [.overflow, .closed, .retracted]

  /// The numbers of waits above the previous bound and up to this one; the last is of those above all bounds. Empty until there
  /// is one.
  package private(set) var counts: [Int] = []
  /// The sum of all waits, in milliseconds.
  package private(set) var sum: Int64 = 0
  /// The totals by the reason's index; empty until there is one.
  private var skipped: [Skipped] = []

  package init() {}

  /// Counts a gift that waited `ms` milliseconds.
  package mutating func add(_ ms: Int64) {
    if counts.isEmpty { counts = Array(repeating: 0, count: Self.bounds.count + 1) }
    var place = 0
    while place < Self.bounds.count, ms > Self.bounds[place] { place += 1 }
    counts[place] &+= 1
    sum &+= ms
  }

  /// Counts banners and gifts that will never be shown, with their worth.
  package mutating func skip(_ banners: Int, _ gifts: Int, _ worth: Double, _ reason: SkipReason) {
    if skipped.isEmpty { skipped = Array(repeating: Skipped(), count: Self.reasons.count) }
    guard let place = Self.reasons.firstIndex(of: reason) else { preconditionFailure("a reason that is not counted") }
    skipped[place].banners += banners
    skipped[place].gifts += gifts
    skipped[place].worth += worth
  }

  package mutating func add(_ other: Self) {
    sum &+= other.sum
    counts.add(other.counts)
    if other.skipped.isEmpty { return }
    if skipped.isEmpty { skipped = Array(repeating: Skipped(), count: Self.reasons.count) }
    for place in skipped.indices {
      skipped[place].banners += other.skipped[place].banners
      skipped[place].gifts += other.skipped[place].gifts
      skipped[place].worth += other.skipped[place].worth
    }
  }

  /// The skipped totals by reason, with their wire names.
  package var skips: [(reason: String, Skipped)] {
    Self.reasons.enumerated().map { ($1.rawValue, skipped.isEmpty ? Skipped() : skipped[$0]) }
  }
}
