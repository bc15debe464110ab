extension Array where Element == Int {
  /// Adds counts of the same things, place by place. An empty array has counted nothing yet.
  mutating func add(_ other: [Int]) {
    if isEmpty {
      self = other
    } else {
      for place in other.indices { self[place] += other[place] }
    }
  }
}
