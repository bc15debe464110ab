/// The store of an engine for its combos' long keys and its streaks' names.
///
/// It is one buffer: bytes are added at its end, and released bytes are waste until the owner moves the live ones to a new
/// store (``isWasteful``). A new combo therefore costs a copy of its key and, in the steady state, no allocation. Keys are bytes,
/// since the canonical equivalence of `String` could make two ids equal. The owner copies a store with ``copy()`` and frees it
/// with ``free()``.
@safe struct ByteStore {
  private var base: UnsafeMutableRawPointer?
  private var capacity: UInt32 = 0
  private var used: UInt32 = 0
  private var waste: UInt32 = 0

  init(capacity: Int = 0) {
    if capacity > 0 { resize(to: capacity) }
  }

  /// The number of bytes in use.
  var live: Int { Int(used - waste) }

  /// Whether there is more waste than live data, so that moving the latter costs no more than the bytes added since the last
  /// move.
  @inline(__always)
  var isWasteful: Bool { waste > Self.wasteMin && waste > used - waste }

  /// The minimum waste, in bytes, at which moving is worthwhile.
  private static let wasteMin: UInt32 = 512

  /// Allocates `count` bytes and returns their offset.
  mutating func allocate(_ count: Int) -> Int {
    let offset = Int(used)
    used += UInt32(count)
    if used > capacity { resize(to: max(Int(used), Int(capacity) * 2)) }
    return offset
  }

  /// Releases `count` bytes, and frees the memory if no live bytes remain.
  @inline(__always)
  mutating func giveBack(_ count: Int) {
    waste += UInt32(truncatingIfNeeded: count)
    if waste == used { free() }
  }

  /// Adds `source` and returns its offset.
  mutating func add(_ source: Bytes) -> Int {
    let offset = allocate(source.count)
    if source.count > 0 { unsafe copyBytes(source, to: base.unsafelyUnwrapped + offset) }
    return offset
  }

  /// The `count` bytes at `offset`, borrowed until the store changes.
  @inline(__always)
  func bytes(_ offset: Int, _ count: Int) -> Bytes {
    // An empty key has no address: its offset may refer to a store that has been freed since.
    if count == 0 { return unsafe Bytes(start: nil, count: 0) }
    assert(offset + count <= Int(used), "bytes beyond the end of their store")
    return unsafe Bytes(start: base.unsafelyUnwrapped + offset, count: count)
  }

  /// The address of the byte at `offset`; valid until the store changes.
  @inline(__always)
  func address(_ offset: Int) -> UnsafeRawPointer {
    assert(offset < Int(used), "bytes beyond the end of their store")
    return unsafe UnsafeRawPointer(base.unsafelyUnwrapped + offset)
  }

  /// Whether the bytes at `offset` equal `other`.
  @inline(__always)
  func equals(_ other: Bytes, at offset: Int) -> Bool { unsafe sameBytes(bytes(offset, other.count), other) }

  /// Returns a copy with its own memory.
  func copy() -> ByteStore {
    guard let base = unsafe base else { return ByteStore() }
    var copy = ByteStore(capacity: Int(capacity))
    unsafe copy.base.unsafelyUnwrapped.copyMemory(from: base, byteCount: Int(used))
    copy.used = used
    copy.waste = waste
    return copy
  }

  mutating func free() {
    unsafe base?.deallocate()
    self = ByteStore()
  }

  private mutating func resize(to count: Int) {
    let grown = UnsafeMutableRawPointer.allocate(byteCount: count, alignment: 8)
    if let base = unsafe base {
      unsafe grown.copyMemory(from: base, byteCount: min(Int(capacity), count))
      unsafe base.deallocate()
    }
    unsafe base = unsafe grown
    capacity = UInt32(clamping: count)
  }
}

@inline(__always)
func copyBytes(_ bytes: Bytes, to start: UnsafeMutableRawPointer) {
  guard let from = bytes.baseAddress else { return }
  let count = bytes.count
  func copy<T: BitwiseCopyable>(_ type: T.Type, _ at: Int) {
    unsafe start.storeBytes(of: from.loadUnaligned(fromByteOffset: at, as: type), toByteOffset: at, as: type)
  }
  // Names are short, so a call would take longer.
  if count > 64 { return unsafe start.copyMemory(from: from, byteCount: count) }
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

@inline(__always)
func sameBytes(_ p: UnsafeRawPointer, _ other: Bytes) -> Bool {
  guard let q = other.baseAddress else { return true }
  return unsafe sameBytes(p, q, other.count)
}

@inline(__always)
func sameBytes(_ a: Bytes, _ b: Bytes) -> Bool {
  guard let p = a.baseAddress, let q = b.baseAddress else { return a.count == b.count }
  return unsafe sameBytes(p, q, b.count)
}

/// Whether `count` bytes at `p` and at `q` are equal. Compares eight at a time; the last eight overlap those before.
@inline(__always)
func sameBytes(_ p: UnsafeRawPointer, _ q: UnsafeRawPointer, _ count: Int) -> Bool {
  func same<T: BitwiseCopyable & Equatable>(_ type: T.Type, _ at: Int) -> Bool {
    unsafe p.loadUnaligned(fromByteOffset: at, as: type) == q.loadUnaligned(fromByteOffset: at, as: type)
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
