/// How often which durations came up: counts in buckets that grow with the value.
///
/// Exact below `2 << bits`; above, what a bucket holds differs by less than 1 in `1 << bits`. Takes 4 bytes a bucket, up to the largest value.
package struct SpreadCounts: Equatable, Sendable {
  private let bits: Int
  private var counts: [UInt32] = []
  /// How many there are.
  package private(set) var count = 0
  /// Their sum.
  package private(set) var sum: Int64 = 0
  /// The largest; 0 if there are none.
  package private(set) var max: Int64 = 0

  package init(bits: Int) { self.bits = bits }

  /// Counts a value, which must not be below 0.
  package mutating func add(_ value: Int64) {
    let place = place(of: value)
    if place >= counts.count { counts.append(contentsOf: repeatElement(0, count: place + 1 - counts.count)) }
    counts[place] += 1
    count += 1
    sum += value
    if value > max { max = value }
  }

  /// Counts what another one of the same precision has counted.
  package mutating func add(_ other: SpreadCounts) {
    precondition(bits == other.bits, "counts of another precision cannot be added")
    if other.counts.count > counts.count {
      counts.append(contentsOf: repeatElement(0, count: other.counts.count - counts.count))
    }
    for (place, count) in other.counts.enumerated() { counts[place] += count }
    count += other.count
    sum += other.sum
    max = Swift.max(max, other.max)
  }

  /// The value that this share of all is not above, from 0 to 1; nil if there are none. As exact as the buckets are.
  package func quantile(_ share: Double) -> Int64? {
    if count == 0 { return nil }
    let rank = Swift.min(count, Swift.max(1, Int((share * Double(count)).rounded(.up))))
    var passed = 0
    for (place, count) in counts.enumerated() {
      passed += Int(count)
      if passed >= rank { return Swift.min(value(at: place), max) }
    }
    return max
  }

  /// The mean; nil if there are none.
  package var mean: Double? { count == 0 ? nil : Double(sum) / Double(count) }

  private func place(of value: Int64) -> Int {
    if value < 2 << bits { return Int(value) }
    let shift = 63 - value.leadingZeroBitCount - bits
    return shift << bits + Int(value >> Int64(shift))
  }

  /// The least value of a bucket.
  private func value(at place: Int) -> Int64 {
    if place < 2 << bits { return Int64(place) }
    let shift = place >> bits - 1
    return Int64(place - shift << bits) << Int64(shift)
  }
}
