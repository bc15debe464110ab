package import ComboRooms

/// A histogram with fixed bounds. One thread counts; others may read a copy.
package struct Histogram: Equatable, Sendable {
  /// The upper bounds, in ascending order.
  package let bounds: [Double]
  /// The numbers of values above the previous bound and up to this one; the last is of those above all bounds.
  package private(set) var counts: [Int]
  package private(set) var sum = 0.0

  package init(bounds: [Double]) {
    self.bounds = bounds
    counts = Array(repeating: 0, count: bounds.count + 1)
  }

  /// Creates a histogram from existing counts, one more than bounds.
  package init(bounds: [Double], counts: [Int], sum: Double) {
    precondition(counts.count == bounds.count + 1, "a histogram has one count more than bounds")
    self.bounds = bounds
    self.counts = counts
    self.sum = sum
  }

  /// Creates a histogram of how long gifts waited, in seconds.
  package init(_ waits: WaitCounts) {
    let bounds = WaitCounts.bounds.map { Double($0) / 1000 }
    let counts = waits.counts.isEmpty ? Array(repeating: 0, count: bounds.count + 1) : waits.counts
    self.init(bounds: bounds, counts: counts, sum: Double(waits.sum) / 1000)
  }

  /// Adds a value that occurred `times` times.
  package mutating func add(_ value: Double, times: Int = 1) {
    var place = 0
    while place < bounds.count, value > bounds[place] { place += 1 }
    counts[place] += times
    sum += value * Double(times)
  }

  package var count: Int { counts.reduce(0, +) }

  /// Bounds in seconds, for durations of milliseconds to a minute.
  package static let seconds: [Double] = [
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60,
  ]
  /// Bounds in seconds, for delays of up to hours.
  static let lateness: [Double] = [
    0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.3, 0.5, 0.75, 1, 2.5, 5, 10, 30, 60, 300, 1800, 7200,
  ]
  package static let records: [Double] = [1, 4, 16, 64, 256, 1024, 2048, 4096, 8192]
}

/// Durations of the last ten seconds in milliseconds, for percentiles and the maximum: exact below 16 ms, from there on to an
/// eighth.
///
/// Fixed memory: ten windows of one second. One thread.
package struct RecentTimes {
  private struct Window {
    var second = Int64.min
    var counts: [Int32] = []
    var most: Int64 = 0
  }

  /// Percentiles and the maximum, in milliseconds.
  package struct Figures: Equatable, Sendable {
    package var p50: Int64
    package var p99: Int64
    package var max: Int64

    /// Returns those with the larger 99th percentile; nil if there are none.
    static func larger(_ one: Figures?, _ other: Figures?) -> Figures? {
      guard let one, let other else { return one ?? other }
      return one.p99 >= other.p99 ? one : other
    }
  }

  private var windows = Array(repeating: Window(), count: Self.seconds)

  package init() {}
  private static let seconds = 10
  private static let places = 16 + 8 * 36

  package mutating func add(_ ms: Int64, times: Int = 1, monotonic now: Int64) {
    let second = now / 1000
    let index = Int(second % Int64(Self.seconds))
    if windows[index].second != second {
      windows[index].second = second
      windows[index].most = 0
      windows[index].counts = Array(repeating: 0, count: Self.places)
    }
    let ms = max(0, ms)
    windows[index].most = max(windows[index].most, ms)
    windows[index].counts[Self.place(ms)] &+= Int32(clamping: times)
  }

  package func figures(monotonic now: Int64) -> Figures? {
    let second = now / 1000
    var counts = Array(repeating: 0, count: Self.places)
    var most: Int64 = 0
    for window in windows where window.second > second - Int64(Self.seconds) && window.second <= second {
      most = max(most, window.most)
      for place in 0..<Self.places { counts[place] += Int(window.counts[place]) }
    }
    let all = counts.reduce(0, +)
    if all == 0 { return nil }
    func quantile(_ share: Double) -> Int64 {
      var left = Int((Double(all) * share).rounded(.up))
      for place in 0..<Self.places {
        left -= counts[place]
        if left <= 0 { return min(most, Self.upperBound(place)) }
      }
      return most
    }
    return Figures(p50: quantile(0.5), p99: quantile(0.99), max: most)
  }

  private static func place(_ ms: Int64) -> Int {
    if ms < 16 { return Int(ms) }
    let power = 63 - ms.leadingZeroBitCount  // at least 4
    let eighth = Int(ms >> Int64(power - 3)) & 7
    return min(places - 1, 16 + (power - 4) * 8 + eighth)
  }

  private static func upperBound(_ place: Int) -> Int64 {
    if place < 16 { return Int64(place) }
    let power = (place - 16) / 8 + 4
    let eighth = Int64((place - 16) % 8)
    return (8 + eighth + 1) << Int64(power - 3) - 1
  }
}
