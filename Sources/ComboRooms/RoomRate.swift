/// How many gifts a room took in, and how many of late: plain numbers, counted by the loop, an addition a gift and a comparison a
/// batch.
package struct RoomRate {
  /// Since it woke in this process.
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

  /// A second, over about the last ten: all of the present period, and of the one before the part that is not ten seconds old.
  package func perSecond(at monotonic: Int64) -> Double {
    var now = self
    let period = Self.period(at: monotonic)
    if period != self.period { now.move(to: period) }
    let past = Double(monotonic % Self.periodMs) / Double(Self.periodMs)
    return (Double(now.before) * (1 - past) + Double(now.count)) * 1000 / Double(Self.periodMs)
  }
}
