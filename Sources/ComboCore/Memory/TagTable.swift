/// A hash table from 32-bit hashes to 32-bit places defined by its owner, without removal. The owner recognises removed entries
/// and rebuilds the table when it is full.
///
/// Each place has a tag, eight bits of its hash. The tags of eight places form one word and are compared at once. A look-up
/// that finds nothing, as most do, reads one word in a loop whose end is predictable; a loop over single places has an end that
/// a processor seldom predicts. The tags take one fifth of the table's memory, so more of them fit into a cache.
///
/// The array of tags that is searched in groups comes from Abseil's Swiss tables (https://abseil.io/about/design/swisstables).
/// Matching the bytes of a word without vector instructions is from "Bit Twiddling Hacks"
/// (https://graphics.stanford.edu/~seander/bithacks.html).
@safe struct TagTable {
  /// The tags, 0 for an empty place, followed by the places.
  private var base: UnsafeMutableRawPointer?
  /// The number of places: a power of two, at least 16; 0 while the table is not in use.
  private(set) var capacity: Int32 = 0
  /// The number of occupied places.
  private(set) var used: Int32 = 0

  private static let ones: UInt64 = 0x0101_0101_0101_0101
  private static let lows: UInt64 = 0x7f7f_7f7f_7f7f_7f7f

  init() {}

  @inline(__always)
  var isInUse: Bool { capacity > 0 }

  /// Whether the next insertion needs a new table. With more than three quarters of the places in use, too many groups of eight
  /// would be full.
  @inline(__always)
  var isFull: Bool { used &* 4 >= capacity &* 3 }

  /// Empties the table and sets its number of places.
  mutating func reset(capacity wanted: Int32) {
    if wanted != capacity {
      free()
      let bytes = Int(wanted) * 5
      unsafe base = UnsafeMutableRawPointer.allocate(byteCount: bytes, alignment: bytes > 256 ? 64 : 16)
      capacity = wanted
    }
    unsafe base.unsafelyUnwrapped.initializeMemory(as: UInt8.self, repeating: 0, count: Int(capacity))
    used = 0
  }

  /// Adds the address at which a look-up for `hash` begins, and the one at which a place would be written.
  @inline(__always)
  func addPlaces(_ hash: UInt32, to all: inout Places) {
    let group = home(hash)
    unsafe all.add(base.unsafelyUnwrapped + group)
    unsafe all.add(placeAddress(group))
  }

  /// The first place with that hash's tag for which `matches` returns true, or nil. The table must be in use.
  @inline(__always)
  func find(_ hash: UInt32, where matches: (UInt32) -> Bool) -> UInt32? {
    let wanted = UInt64(Self.tag(hash)) &* Self.ones
    var group = home(hash)
    while true {
      let tags = tags(group)
      var same = Self.zeros(tags ^ wanted)
      while same != 0 {
        let place = unsafe placeAddress(group &+ same.trailingZeroBitCount &>> 3).load(as: UInt32.self)
        if matches(place) { return place }
        same &= same &- 1
      }
      if Self.zeros(tags) != 0 { return nil }
      group = next(group)
    }
  }

  /// Adds a place. The table must be in use and not full.
  @inline(__always)
  mutating func insert(_ hash: UInt32, _ place: UInt32) {
    var group = home(hash)
    while true {
      let empty = Self.zeros(tags(group))
      if empty != 0 {
        let index = group &+ empty.trailingZeroBitCount &>> 3
        unsafe base.unsafelyUnwrapped.storeBytes(of: Self.tag(hash), toByteOffset: index, as: UInt8.self)
        unsafe placeAddress(index).storeBytes(of: place, as: UInt32.self)
        used &+= 1
        return
      }
      group = next(group)
    }
  }

  mutating func free() {
    unsafe base?.deallocate()
    self = TagTable()
  }

  /// The highest bit of each byte that is 0. It is exact; the shorter formula may also mark a 1 above a 0 and thus mistake an
  /// occupied place for an empty one.
  @inline(__always)
  private static func zeros(_ word: UInt64) -> UInt64 { ~(((word & lows) &+ lows) | word | lows) }

  /// The upper eight bits of a hash, but never 0.
  @inline(__always)
  private static func tag(_ hash: UInt32) -> UInt8 {
    let bits = UInt8(truncatingIfNeeded: hash &>> 24)
    return bits == 0 ? 1 : bits
  }

  /// The first place of the group at which a look-up begins. Up to 2^18 places, it depends on bits of the hash that are not in
  /// the tag.
  @inline(__always)
  private func home(_ hash: UInt32) -> Int { Int(hash &>> 6) & Int(capacity &- 8) }

  @inline(__always)
  private func next(_ group: Int) -> Int { (group &+ 8) & Int(capacity &- 8) }

  /// The tags of the eight places from `group` on.
  @inline(__always)
  private func tags(_ group: Int) -> UInt64 { unsafe base.unsafelyUnwrapped.load(fromByteOffset: group, as: UInt64.self) }

  @inline(__always)
  private func placeAddress(_ index: Int) -> UnsafeMutableRawPointer {
    unsafe base.unsafelyUnwrapped + (Int(capacity) &+ index &* 4)
  }
}
