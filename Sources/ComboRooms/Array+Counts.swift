extension Array where Element == Int {
  /// Adds other counts, index by index. An empty array has counted nothing yet.
  mutating func add(_ other: [Int]) {
    if isEmpty {
      self = other
    } else {
      for place in other.indices { self[place] += other[place] }
    }
  }
}
