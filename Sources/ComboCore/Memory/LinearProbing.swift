/// The common part of tables with open addressing and linear probing.
package enum LinearProbing {
  /// Closes a hole by moving up the entries behind it, none of them past the place at which its own search begins.
  /// - Parameters:
  ///   - mask: One less than the number of places, which is a power of two.
  ///   - home: Returns the place at which the search for an entry begins; nil if the place is empty.
  ///   - move: Copies an entry from one place to another.
  /// - Returns: The place that must be emptied.
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
