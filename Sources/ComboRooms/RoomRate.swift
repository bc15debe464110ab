/// The number of gifts that a room received, in all and recently. Plain numbers, counted by the loop: an addition per gift and a
/// comparison per batch.
package struct RoomRate {
  /// Gifts since it woke in this process.
  package var gifts = 0
  private var period: Int32 = -1
  private var count: Int32 = 0
  private var before: Int32 = 0

  package init() {}

  static let periodMs: Int64 = 10_000

  package static func period(at monotonic: Int64) -> Int32 { Int32(truncatingIfNeeded: monotonic / periodMs) }

  @inline(__always)
  package mutating func count(_ events: Int32, in period: Int32) {
    if self.period != period { move(to: period) }
    count &+= events
  }

  private mutating func move(to period: Int32) {
    before = self.period == period - 1 ? count : 0
    count = 0
    self.period = period
  }

  /// Returns the events per second over about the last ten seconds, nearly all of them gifts: those of the current period, and a
  /// share of the previous one's, for its part that is not ten seconds old.
  package func perSecond(at monotonic: Int64) -> Double {
    var now = self
    let period = Self.period(at: monotonic)
    if period != self.period { now.move(to: period) }
    let past = Double(monotonic % Self.periodMs) / Double(Self.periodMs)
    return (Double(now.before) * (1 - past) + Double(now.count)) * 1000 / Double(Self.periodMs)
  }
}
