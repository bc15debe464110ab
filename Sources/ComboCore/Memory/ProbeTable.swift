/// A hash table from 32-bit hashes to numbers defined by its owner, with open addressing and linear probing. Its owner frees it.
///
/// Up to ``linearMax`` entries, an engine does without it and searches them linearly: most rooms are small, and a million of
/// them must fit into a gigabyte.
package struct ProbeTable {
  /// The number of entries up to which owners search linearly.
  static let linearMax: Int32 = 4

  /// The places; their number is a power of two. A place has the hash in its upper half, with the lowest bit set, and the
  /// number in its lower half. 0 is an empty place.
  private var places = Block<UInt64>()
  /// The number of occupied places.
  package private(set) var used: Int32 = 0

  package init() {}

  /// Creates an empty table for `count` entries and half as many more.
  package init(for count: Int32) {
    var capacity: Int32 = 16
    while capacity < count * 2 { capacity *= 2 }
    places = Block(repeating: 0, count: capacity)
  }

  @inline(__always)
  var isInUse: Bool { places.capacity > 0 }

  /// Whether the next insertion needs a larger table.
  @inline(__always)
  var isFull: Bool { used &* 4 >= places.capacity &* 3 }

  /// The first number under `hash` for which `matches` returns true, or nil. The table must be in use.
  @inline(__always)
  package func find(_ hash: UInt32, where matches: (UInt32) -> Bool) -> UInt32? {
    let mask = places.capacity &- 1
    let tag = UInt64(hash | 1)
    var i = home(tag << 32)
    while true {
      let place = places[i]
      if place == 0 { return nil }
      if place >> 32 == tag {
        let number = UInt32(truncatingIfNeeded: place)
        if matches(number) { return number }
      }
      i = (i &+ 1) & mask
    }
  }

  /// The first number whose hash agrees with `hash` except for the lowest bit, most likely the wanted one, or nil. The table
  /// must be in use.
  @inline(__always)
  package func likely(_ hash: UInt32) -> UInt32? { find(hash) { _ in true } }

  /// The address at which the search for `hash` begins. The table must be in use.
  @inline(__always)
  package func address(_ hash: UInt32) -> UnsafeRawPointer {
    unsafe UnsafeRawPointer(places.address(home(UInt64(hash | 1) << 32)))
  }

  /// Adds `number` under `hash`; the table grows if it is full.
  @inline(__always)
  package mutating func insert(_ hash: UInt32, _ number: UInt32) {
    if isFull { grow() }
    put(Self.place(hash, number))
    used &+= 1
  }

  /// Removes `number`, which must exist under `hash`.
  package mutating func remove(_ hash: UInt32, _ number: UInt32) {
    let mask = places.capacity - 1
    let wanted = Self.place(hash, number)
    var hole = home(wanted)
    while places[hole] != wanted {
      precondition(places[hole] != 0, "a number that is not in the table")
      hole = (hole + 1) & mask
    }
    // Closes the hole by moving up the entries behind it, none of them past the place at which its own search begins.
    var place = hole
    while true {
      place = (place &+ 1) & mask
      if places[place] == 0 { break }
      if (place &- home(places[place])) & mask >= (place &- hole) & mask {
        places[hole] = places[place]
        hole = place
      }
    }
    places[hole] = 0
    used -= 1
  }

  /// Returns the number of places that a search for this hash reads before an empty place.
  package func probes(_ hash: UInt32) -> Int {
    var i = home(UInt64(hash | 1) << 32)
    var count = 0
    while places[i] != 0 {
      i = (i + 1) & (places.capacity - 1)
      count += 1
    }
    return count
  }

  /// Returns a copy with its own memory.
  func copy() -> ProbeTable {
    var copy = self
    copy.places = places.copy()
    return copy
  }

  package mutating func free() {
    places.free()
    used = 0
  }

  @inline(__always)
  private static func place(_ hash: UInt32, _ number: UInt32) -> UInt64 { UInt64(hash | 1) << 32 | UInt64(number) }

  /// The place at which the search for an entry begins.
  @inline(__always)
  private func home(_ place: UInt64) -> Int32 { Int32(truncatingIfNeeded: place >> 33) & (places.capacity &- 1) }

  @inline(__always)
  private func put(_ place: UInt64) {
    let mask = places.capacity &- 1
    var i = home(place)
    while places[i] != 0 { i = (i &+ 1) & mask }
    places[i] = place
  }

  private mutating func grow() {
    var old = places
    places = Block(repeating: 0, count: max(16, old.capacity * 2))
    for i in 0..<old.capacity where old[i] != 0 { put(old[i]) }
    old.free()
  }
}
