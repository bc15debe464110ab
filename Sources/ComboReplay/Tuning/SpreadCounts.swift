/// A histogram of durations: counts in buckets that grow with the value.
///
/// Exact below `2 << bits`; above, the values in a bucket differ by less than 1 in `1 << bits`. Takes 8 bytes per bucket in use
/// while these are few, and then 4 bytes per bucket up to the largest value.
package struct SpreadCounts: Equatable, Sendable {
  private struct Bucket: Equatable {
    var place: Int32
    var count: UInt32
  }

  /// The number of buckets in use above which they are stored in an array indexed by place.
  private static let fewMax = 256

  private let bits: Int
  /// The buckets in use, sorted by place; empty once they are many.
  private var few: [Bucket] = []
  /// All buckets, indexed by place; empty while they are few.
  private var counts: [UInt32] = []
  /// The number of values.
  package private(set) var count = 0
  /// The sum of the values.
  package private(set) var sum: Int64 = 0
  /// The largest value; 0 if there are none.
  package private(set) var max: Int64 = 0

  package init(bits: Int) { self.bits = bits }

  /// Counts a value, which must not be below 0.
  package mutating func add(_ value: Int64) {
    add(1, at: place(of: value))
    count += 1
    sum += value
    if value > max { max = value }
  }

  /// Adds the counts of another histogram of the same precision.
  package mutating func add(_ other: SpreadCounts) {
    precondition(bits == other.bits, "counts of another precision cannot be added")
    other.forEachBucket { place, count in add(count, at: place) }
    count += other.count
    sum += other.sum
    max = Swift.max(max, other.max)
  }

  private mutating func add(_ number: UInt32, at place: Int) {
    if counts.isEmpty {
      var (low, high) = (0, few.count)
      while low < high {
        let middle = (low + high) / 2
        if few[middle].place < place { low = middle + 1 } else { high = middle }
      }
      if low < few.count, few[low].place == place {
        few[low].count += number
        return
      }
      if few.count < Self.fewMax {
        few.insert(Bucket(place: Int32(place), count: number), at: low)
        return
      }
      counts = Array(repeating: 0, count: Int(few[few.count - 1].place) + 1)
      for bucket in few { counts[Int(bucket.place)] = bucket.count }
      few = []
    }
    if place >= counts.count { counts.append(contentsOf: repeatElement(0, count: place + 1 - counts.count)) }
    counts[place] += number
  }

  /// Passes the buckets in use to `body`, the smallest first.
  private func forEachBucket(_ body: (_ place: Int, _ count: UInt32) -> Void) {
    for bucket in few { body(Int(bucket.place), bucket.count) }
    for (place, count) in counts.enumerated() where count > 0 { body(place, count) }
  }

  /// Returns the value that a share of all values, from 0 to 1, does not exceed, or nil if there are none. It is as exact as the
  /// buckets.
  package func quantile(_ share: Double) -> Int64? {
    if count == 0 { return nil }
    let rank = Swift.min(count, Swift.max(1, Int((share * Double(count)).rounded(.up))))
    var passed = 0
    var found: Int?
    forEachBucket { place, count in
      passed += Int(count)
      if found == nil, passed >= rank { found = place }
    }
    return found.map { value(at: $0) }
  }

  private func place(of value: Int64) -> Int {
    if value < 2 << bits { return Int(value) }
    let shift = 63 - value.leadingZeroBitCount - bits
    return shift << bits + Int(value >> Int64(shift))
  }

  /// Returns the smallest value of a bucket.
  private func value(at place: Int) -> Int64 {
    if place < 2 << bits { return Int64(place) }
    let shift = place >> bits - 1
    return Int64(place - shift << bits) << Int64(shift)
  }
}
