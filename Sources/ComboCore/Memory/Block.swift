/// Memory for plain values that grows by doubling: an array without an array's costs.
///
/// A gift touches a dozen lists of its room, and most rooms are not in the processor's cache. An array stores its count and
/// reference count in front of its elements, which costs one more cache line, and each change of an element checks whether the
/// array is shared. A block has no such checks. Its owner copies it (``copy()``), frees it (``free()``) and tracks how many
/// elements are valid. Indices are checked in debug builds only.
@safe struct Block<Element: BitwiseCopyable> {
  // Raw memory, with the bounds checked outside of this type: in debug builds, where nothing is specialised, each access would
  // otherwise look up these types twice at run time, which is half of an engine's time.
  private var base: UnsafeMutableRawPointer?
  private(set) var capacity: Int32 = 0

  init() {}

  @inline(__always)
  subscript(index: Int32) -> Element {
    _read {
      checkBounds(index, capacity)
      yield unsafe Self.at(base.unsafelyUnwrapped, index).pointee
    }
    nonmutating _modify {
      checkBounds(index, capacity)
      yield unsafe &Self.at(base.unsafelyUnwrapped, index).pointee
    }
  }

  @inline(__always)
  private static func at(_ base: UnsafeMutableRawPointer, _ index: Int32) -> UnsafeMutablePointer<Element> {
    unsafe (base + Int(index) &* MemoryLayout<Element>.stride).assumingMemoryBound(to: Element.self)
  }

  /// Makes room for at least `count` elements. New elements are uninitialised.
  mutating func reserve(_ count: Int32) {
    if count <= capacity { return }
    resize(to: max(count, capacity * 2))
  }

  /// Reallocates the block to exactly `count` elements.
  mutating func resize(to count: Int32) {
    // Larger blocks are aligned to a cache line.
    let bytes = Int(count) * MemoryLayout<Element>.stride
    let grown = UnsafeMutableRawPointer.allocate(byteCount: bytes, alignment: bytes > 256 ? 64 : 16)
    _ = unsafe grown.bindMemory(to: Element.self, capacity: Int(count))
    if let base = unsafe base {
      unsafe grown.copyMemory(from: base, byteCount: Int(min(count, capacity)) * MemoryLayout<Element>.stride)
      unsafe base.deallocate()
    }
    unsafe base = unsafe grown
    capacity = count
  }

  init(repeating element: Element, count: Int32) {
    resize(to: count)
    unsafe Self.at(base.unsafelyUnwrapped, 0).initialize(repeating: element, count: Int(count))
  }

  /// The address of an element; valid until the block grows.
  @inline(__always)
  func address(_ index: Int32) -> UnsafeMutableRawPointer {
    checkBounds(index, capacity)
    return unsafe base.unsafelyUnwrapped + Int(index) &* MemoryLayout<Element>.stride
  }

  /// Returns a copy with its own memory.
  func copy() -> Block {
    guard let base = unsafe base else { return Block() }
    var copy = Block()
    copy.resize(to: capacity)
    unsafe copy.base.unsafelyUnwrapped.copyMemory(from: base, byteCount: Int(capacity) * MemoryLayout<Element>.stride)
    return copy
  }

  mutating func free() {
    unsafe base?.deallocate()
    unsafe base = nil
    capacity = 0
  }
}

@inline(__always)
private func checkBounds(_ index: Int32, _ capacity: Int32) {
  assert(index >= 0 && index < capacity, "an index beyond the end of its block")
}
