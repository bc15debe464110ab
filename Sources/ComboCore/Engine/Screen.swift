/// The banners that hold a slot, lowest slot first.
///
/// The first two are stored inline, since by default there are no more.
@safe struct Screen {
  /// The banners after the first two, with room for the maximum.
  private var others: UnsafeMutablePointer<Int32>?
  private var first: Int32 = -1
  private var second: Int32 = -1
  private(set) var count: Int32 = 0

  /// The maximum number of slots.
  static let most = 100
  private static let othersMax = most - 2

  init() {}

  @inline(__always)
  private(set) subscript(place: Int32) -> Int32 {
    get {
      assert(place >= 0 && place < count, "a place beyond the end of the screen")
      return unsafe place == 0 ? first : place == 1 ? second : others.unsafelyUnwrapped[Int(place) &- 2]
    }
    set {
      switch place {
      case 0: first = newValue
      case 1: second = newValue
      default: unsafe others.unsafelyUnwrapped[Int(place) &- 2] = newValue
      }
    }
  }

  /// Inserts a banner at the bottom.
  mutating func insertFirst(_ index: Int32) {
    insert(index, at: 0)
  }

  /// Adds a banner above all others.
  mutating func append(_ index: Int32) {
    insert(index, at: count)
  }

  mutating func remove(_ index: Int32) {
    var place: Int32 = 0
    while self[place] != index { place += 1 }
    while place + 1 < count {
      self[place] = self[place + 1]
      place += 1
    }
    count -= 1
    if count == 0 { free() }
  }

  /// Returns a copy with its own memory.
  func copy() -> Screen {
    var copy = self
    if let others = unsafe others {
      unsafe copy.others = .allocate(capacity: Self.othersMax)
      unsafe copy.others.unsafelyUnwrapped.initialize(from: others, count: max(0, Int(count) - 2))
    }
    return copy
  }

  mutating func free() {
    unsafe others?.deallocate()
    self = Screen()
  }

  private mutating func insert(_ index: Int32, at place: Int32) {
    precondition(count < Self.most, "more banners on screen than there are slots")
    count += 1
    if count > 2, unsafe others == nil { unsafe others = .allocate(capacity: Self.othersMax) }
    var i = count - 1
    while i > place {
      self[i] = self[i - 1]
      i -= 1
    }
    self[place] = index
  }
}
