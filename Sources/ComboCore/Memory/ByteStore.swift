/// The store of an engine for the long keys of its combos and the names of its streaks.
///
/// One buffer for all of them: bytes are added at its end; what is given back is waste until the owner moves the living
/// bytes to a new store (``isWasteful``). So a new combo costs a copy of its key and, in the steady state, no allocation.
/// The owner of a store copies it (``copy()``) and frees it (``free()``).
struct ByteStore {
  private var base: UnsafeMutableRawPointer?
  private var capacity: UInt32 = 0
  private var used: UInt32 = 0
  private var waste: UInt32 = 0

  /// A store with room for this many bytes.
  init(capacity: Int = 0) {
    if capacity > 0 { resize(to: capacity) }
  }

  /// The number of bytes in use.
  var live: Int { Int(used - waste) }

  /// Whether more is wasted than used, so that moving the rest costs no more than what has been added since the last time.
  @inline(__always)
  var isWasteful: Bool { waste > Self.wasteMin && waste > used - waste }

  /// Below this, moving is not worth the trouble.
  private static let wasteMin: UInt32 = 512

  /// Makes room for `count` bytes and returns their place.
  mutating func allocate(_ count: Int) -> Int {
    let offset = Int(used)
    used += UInt32(count)
    if used > capacity { resize(to: max(Int(used), Int(capacity) * 2)) }
    return offset
  }

  /// Gives `count` bytes back; the memory too, if they were the last.
  @inline(__always)
  mutating func giveBack(_ count: Int) {
    waste += UInt32(truncatingIfNeeded: count)
    if waste == used { free() }
  }

  /// Adds `source` and returns its place.
  mutating func add(_ source: Bytes) -> Int {
    let offset = allocate(source.count)
    if source.count > 0 { copyBytes(source, to: base.unsafelyUnwrapped + offset) }
    return offset
  }

  /// Lends `count` bytes at `offset`; valid until the store changes.
  @inline(__always)
  func bytes(_ offset: Int, _ count: Int) -> Bytes {
    // An empty key has no address: its offset may be one of a store that was freed since.
    if count == 0 { return Bytes(start: nil, count: 0) }
    assert(offset + count <= Int(used), "bytes beyond the end of their store")
    return Bytes(start: base.unsafelyUnwrapped + offset, count: count)
  }

  /// The address of the byte at `offset`; valid until the store changes.
  @inline(__always)
  func address(_ offset: Int) -> UnsafeRawPointer {
    assert(offset < Int(used), "bytes beyond the end of their store")
    return UnsafeRawPointer(base.unsafelyUnwrapped + offset)
  }

  /// Whether `other` is at `offset`.
  @inline(__always)
  func equals(_ other: Bytes, at offset: Int) -> Bool { sameBytes(bytes(offset, other.count), other) }

  /// A store of its own with the same bytes.
  func copy() -> ByteStore {
    guard let base else { return ByteStore() }
    var copy = ByteStore(capacity: Int(capacity))
    copy.base.unsafelyUnwrapped.copyMemory(from: base, byteCount: Int(used))
    copy.used = used
    copy.waste = waste
    return copy
  }

  /// Gives the memory back; the store is empty then.
  mutating func free() {
    base?.deallocate()
    self = ByteStore()
  }

  private mutating func resize(to count: Int) {
    let grown = UnsafeMutableRawPointer.allocate(byteCount: count, alignment: 8)
    if let base {
      grown.copyMemory(from: base, byteCount: min(Int(capacity), count))
      base.deallocate()
    }
    base = grown
    capacity = UInt32(clamping: count)
  }
}

/// Copies `bytes` to `start`.
@inline(__always)
func copyBytes(_ bytes: Bytes, to start: UnsafeMutableRawPointer) {
  guard let from = bytes.baseAddress else { return }
  let count = bytes.count
  func copy<T: BitwiseCopyable>(_ type: T.Type, _ at: Int) {
    start.storeBytes(of: from.loadUnaligned(fromByteOffset: at, as: type), toByteOffset: at, as: type)
  }
  // Names are short: a call would take longer.
  if count > 64 { return start.copyMemory(from: from, byteCount: count) }
  if count >= 8 {
    var i = 0
    while i &+ 8 < count {
      copy(UInt64.self, i)
      i &+= 8
    }
    copy(UInt64.self, count &- 8)
  } else if count >= 4 {
    copy(UInt32.self, 0)
    copy(UInt32.self, count &- 4)
  } else if count > 0 {
    copy(UInt8.self, 0)
    copy(UInt8.self, count &>> 1)
    copy(UInt8.self, count &- 1)
  }
}

/// Whether the bytes from `p` on are those of `other`.
@inline(__always)
func sameBytes(_ p: UnsafeRawPointer, _ other: Bytes) -> Bool {
  guard let q = other.baseAddress else { return true }
  return sameBytes(p, q, other.count)
}

/// Whether two runs of equal length hold the same bytes.
@inline(__always)
func sameBytes(_ a: Bytes, _ b: Bytes) -> Bool {
  guard let p = a.baseAddress, let q = b.baseAddress else { return a.count == b.count }
  return sameBytes(p, q, b.count)
}

/// Whether `count` bytes at `p` and at `q` are the same. Eight at a time, the last eight overlapping those before.
@inline(__always)
func sameBytes(_ p: UnsafeRawPointer, _ q: UnsafeRawPointer, _ count: Int) -> Bool {
  func same<T: BitwiseCopyable & Equatable>(_ type: T.Type, _ at: Int) -> Bool {
    p.loadUnaligned(fromByteOffset: at, as: type) == q.loadUnaligned(fromByteOffset: at, as: type)
  }
  if count >= 8 {
    var i = 0
    while i &+ 8 < count {
      if !same(UInt64.self, i) { return false }
      i &+= 8
    }
    return same(UInt64.self, count &- 8)
  }
  if count >= 4 { return same(UInt32.self, 0) && same(UInt32.self, count &- 4) }
  if count == 0 { return true }
  return same(UInt8.self, 0) && same(UInt8.self, count &>> 1) && same(UInt8.self, count &- 1)
}
