/// A hash table from 32-bit hashes to 32-bit places with a meaning for its owner, without removal: the owner knows
/// which are gone, and rebuilds the table when it is full.
///
/// A place has a tag, eight bits of its hash; the tags of eight places are in one word, and are compared at once. So a look-up that finds
/// nothing, as most do, reads one word, and it depends on nothing how often it goes round: where words of different hashes are looked
/// through place by place, a processor seldom foresees when that ends. All tags together take one fifth of the table, so more of them
/// are in a cache.
///
/// The idea, an array of tags that is searched a group at a time, is that of Abseil's Swiss tables (https://abseil.io/about/design/swisstables);
/// matching bytes of a word without vector instructions is from "Bit Twiddling Hacks" (https://graphics.stanford.edu/~seander/bithacks.html).
struct TagTable {
  /// The tags, 0 for an empty place, then the places.
  private var base: UnsafeMutableRawPointer?
  /// The number of places: a power of two, 16 at least; 0 while it is not in use.
  private(set) var capacity: Int32 = 0
  /// The number of those that are not empty.
  private(set) var used: Int32 = 0

  private static let ones: UInt64 = 0x0101_0101_0101_0101
  private static let lows: UInt64 = 0x7f7f_7f7f_7f7f_7f7f

  init() {}

  /// Whether it is in use.
  @inline(__always)
  var isInUse: Bool { capacity > 0 }

  /// Whether the next one needs a new table: with more than three of four places in use, too many groups of eight would be full.
  @inline(__always)
  var isFull: Bool { used &* 4 >= capacity &* 3 }

  /// Empties it, and gives it this many places.
  mutating func reset(capacity wanted: Int32) {
    if wanted != capacity {
      free()
      let bytes = Int(wanted) * 5
      base = UnsafeMutableRawPointer.allocate(byteCount: bytes, alignment: bytes > 256 ? 64 : 16)
      capacity = wanted
    }
    base.unsafelyUnwrapped.initializeMemory(as: UInt8.self, repeating: 0, count: Int(capacity))
    used = 0
  }

  /// Adds where a look-up for `hash` begins, and where a place would be written.
  @inline(__always)
  func addPlaces(_ hash: UInt32, to all: inout Places) {
    let group = home(hash)
    all.add(base.unsafelyUnwrapped + group)
    all.add(placeAddress(group))
  }

  /// The first place of that hash's tag for which `matches` holds, or nil. The table must be in use.
  @inline(__always)
  func find(_ hash: UInt32, where matches: (UInt32) -> Bool) -> UInt32? {
    let wanted = UInt64(Self.tag(hash)) &* Self.ones
    var group = home(hash)
    while true {
      let tags = tags(group)
      var same = Self.zeros(tags ^ wanted)
      while same != 0 {
        let place = placeAddress(group &+ same.trailingZeroBitCount &>> 3).load(as: UInt32.self)
        if matches(place) { return place }
        same &= same &- 1
      }
      if Self.zeros(tags) != 0 { return nil }
      group = next(group)
    }
  }

  /// Adds a place. The table must be in use, and not full.
  @inline(__always)
  mutating func insert(_ hash: UInt32, _ place: UInt32) {
    var group = home(hash)
    while true {
      let empty = Self.zeros(tags(group))
      if empty != 0 {
        let index = group &+ empty.trailingZeroBitCount &>> 3
        base.unsafelyUnwrapped.storeBytes(of: Self.tag(hash), toByteOffset: index, as: UInt8.self)
        placeAddress(index).storeBytes(of: place, as: UInt32.self)
        used &+= 1
        return
      }
      group = next(group)
    }
  }

  /// Gives the memory back.
  mutating func free() {
    base?.deallocate()
    self = TagTable()
  }

  /// The highest bit of each byte that is 0. Exact: the shorter way, which may also mark a 1 above a 0, would take an empty place for one.
  @inline(__always)
  private static func zeros(_ word: UInt64) -> UInt64 { ~(((word & lows) &+ lows) | word | lows) }

  /// The upper eight bits of a hash, but never 0.
  @inline(__always)
  private static func tag(_ hash: UInt32) -> UInt8 {
    let bits = UInt8(truncatingIfNeeded: hash &>> 24)
    return bits == 0 ? 1 : bits
  }

  /// The first place of the group at which a look-up begins, by bits of the hash that are not the tag's while there are at most 2^18 places.
  @inline(__always)
  private func home(_ hash: UInt32) -> Int { Int(hash &>> 6) & Int(capacity &- 8) }

  /// That of the next group.
  @inline(__always)
  private func next(_ group: Int) -> Int { (group &+ 8) & Int(capacity &- 8) }

  /// The tags of the eight places from `group` on.
  @inline(__always)
  private func tags(_ group: Int) -> UInt64 { base.unsafelyUnwrapped.load(fromByteOffset: group, as: UInt64.self) }

  @inline(__always)
  private func placeAddress(_ index: Int) -> UnsafeMutableRawPointer {
    base.unsafelyUnwrapped + (Int(capacity) &+ index &* 4)
  }
}
