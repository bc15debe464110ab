/// The banners that hold a slot, lowest slot first; at most 100.
struct Screen {
  private var indices = Block<Int32>()
  private(set) var count: Int32 = 0

  init() {}

  @inline(__always)
  subscript(place: Int32) -> Int32 { indices[place] }

  /// Where the first ones stand; there must be one.
  @inline(__always)
  var address: UnsafeRawPointer { UnsafeRawPointer(indices.address(0)) }

  /// A banner comes in at the bottom.
  mutating func insertFirst(_ index: Int32) {
    insert(index, at: 0)
  }

  /// A banner is put above all others.
  mutating func append(_ index: Int32) {
    insert(index, at: count)
  }

  /// A banner is gone.
  mutating func remove(_ index: Int32) {
    var place: Int32 = 0
    while indices[place] != index { place += 1 }
    count -= 1
    while place < count {
      indices[place] = indices[place + 1]
      place += 1
    }
    if count == 0 { indices.free() }
  }

  /// The same in memory of its own.
  func copy() -> Screen {
    var copy = self
    copy.indices = indices.copy()
    return copy
  }

  /// Gives the memory back.
  mutating func free() {
    indices.free()
    count = 0
  }

  private mutating func insert(_ index: Int32, at place: Int32) {
    indices.reserve(max(2, count + 1))
    var i = count
    while i > place {
      indices[i] = indices[i - 1]
      i -= 1
    }
    indices[place] = index
    count += 1
  }
}
