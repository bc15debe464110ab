/// The common part of tables with open addressing and linear probing.
package enum LinearProbing {
  /// Closes a hole: what follows moves up, as far as it may without getting ahead of the place where its own search begins.
  /// - Parameters:
  ///   - mask: one less than the number of places, which is a power of two.
  ///   - home: the place where the search for what is at a place begins; nil: the place is empty.
  ///   - move: copies what is at one place to another.
  /// - Returns: the place that must be emptied.
  @inline(__always)
  package static func close(
    _ hole: Int, mask: Int, home: (_ place: Int) -> Int?, move: (_ from: Int, _ to: Int) -> Void
  ) -> Int {
    var hole = hole
    var place = hole
    while true {
      place = (place &+ 1) & mask
      guard let home = home(place) else { return hole }
      if (place &- home) & mask >= (place &- hole) & mask {
        move(place, hole)
        hole = place
      }
    }
  }
}
