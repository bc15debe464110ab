/// Memory for plain values that grows by doubling: what an array is, less what makes an array dear here.
///
/// A gift touches a dozen lists of its room, and most rooms are not in the processor's cache. An array's count and
/// reference count lie in front of its elements, one more cache line each; and each change of an element asks whether the
/// array is shared. A block asks nothing: whoever owns it copies it (``copy()``) and gives it back (``free()``), and knows
/// how many of its elements mean something. Indices are checked in debug builds only.
struct Block<Element: BitwiseCopyable> {
  private var base: UnsafeMutablePointer<Element>?
  private(set) var capacity: Int32 = 0

  init() {}

  @inline(__always)
  subscript(index: Int32) -> Element {
    get {
      assert(index >= 0 && index < capacity, "an index beyond the end of its block")
      return base.unsafelyUnwrapped[Int(index)]
    }
    nonmutating _modify {
      assert(index >= 0 && index < capacity, "an index beyond the end of its block")
      yield &base.unsafelyUnwrapped[Int(index)]
    }
  }

  /// Makes room for at least `count` elements. What is new has no value yet.
  mutating func reserve(_ count: Int32) {
    if count <= capacity { return }
    resize(to: max(count, capacity * 2))
  }

  /// Gives back what is beyond `count` elements, which is not more than the capacity.
  mutating func resize(to count: Int32) {
    // From a few elements on they begin at a line of the cache.
    let bytes = Int(count) * MemoryLayout<Element>.stride
    let grown = UnsafeMutableRawPointer.allocate(byteCount: bytes, alignment: bytes > 256 ? 64 : 16)
      .bindMemory(to: Element.self, capacity: Int(count))
    if let base {
      grown.update(from: base, count: Int(min(count, capacity)))
      base.deallocate()
    }
    base = grown
    capacity = count
  }

  /// A block of so many equal elements.
  init(repeating element: Element, count: Int32) {
    resize(to: count)
    base.unsafelyUnwrapped.initialize(repeating: element, count: Int(count))
  }

  /// Gives all elements the same value.
  func fill(with element: Element) { base?.update(repeating: element, count: Int(capacity)) }

  /// Where an element is; valid until the block grows.
  @inline(__always)
  func address(_ index: Int32) -> UnsafeMutableRawPointer {
    assert(index >= 0 && index < capacity, "an index beyond the end of its block")
    return UnsafeMutableRawPointer(base.unsafelyUnwrapped + Int(index))
  }

  /// A block of its own with the same elements.
  func copy() -> Block {
    guard let base else { return Block() }
    var copy = Block()
    copy.resize(to: capacity)
    copy.base.unsafelyUnwrapped.update(from: base, count: Int(capacity))
    return copy
  }

  /// Gives the memory back; the block is empty then.
  mutating func free() {
    base?.deallocate()
    base = nil
    capacity = 0
  }
}
