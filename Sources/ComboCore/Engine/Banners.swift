/// One showing of a combo. What a gift that joins it touches comes first: 64 bytes, a line of the cache.
struct Banner: BitwiseCopyable {
  var total = 0
  var value = 0.0
  var shown = 0
  var deadline: Int64 = 0
  /// Its display data: sender, receiver, gift, with room for `capacity` bytes.
  var display: UnsafeMutableRawPointer?
  var capacity: UInt32 = 0
  var senderLength: UInt32 = 0
  var receiverLength: UInt32 = 0
  var giftLength: UInt32 = 0
  var combo: Int32 = -1
  var phase = BannerState.Phase.queued
  var slot: UInt8 = 0
  var shortLinger = false
  var takenOver = false

  var number = 0
  var base = 0
  var created: Int64 = 0
  /// Its neighbours in the queue, and among the waiting banners of its combo; -1 for none. `next` leads from one free
  /// banner to another, too.
  var previous: Int32 = -1
  var next: Int32 = -1
  var previousOfCombo: Int32 = -1
  var nextOfCombo: Int32 = -1

  /// So that the next one, too, begins at a line of the cache.
  private var padding = (0, 0, 0)
}

/// The banners of a room. Others know them by their index.
///
/// One that is gone leaves the memory of its display data to the next: in the steady state nothing is allocated.
struct Banners {
  private var entries = Block<Banner>()
  /// How many of `entries` were ever used.
  private var end: Int32 = 0
  private var firstFree: Int32 = -1
  private(set) var count: Int32 = 0
  /// How many free ones have memory for display data.
  private var spares: Int32 = 0

  init() {}

  @inline(__always)
  subscript(index: Int32) -> Banner {
    get { entries[index] }
    nonmutating _modify { yield &entries[index] }
  }

  mutating func add(_ banner: Banner) -> Int32 {
    count += 1
    if firstFree < 0 {
      end += 1
      entries.reserve(end)
      entries[end - 1] = banner
      return end - 1
    }
    let index = firstFree
    let (display, capacity) = (entries[index].display, entries[index].capacity)
    firstFree = entries[index].next
    if display != nil { spares -= 1 }
    entries[index] = banner
    entries[index].display = display
    entries[index].capacity = capacity
    return index
  }

  mutating func remove(_ index: Int32) {
    count -= 1
    // A room at rest holds no memory for banners.
    if count == 0 { return free() }
    if entries[index].display != nil {
      // After a rush most are free for long.
      if spares > count + 16 { freeDisplay(index) } else { spares += 1 }
    }
    entries[index].next = firstFree
    entries[index].combo = -1
    firstFree = index
  }

  /// Gives a banner the display data of a gift.
  @inline(__always)
  func setDisplay(_ index: Int32, _ display: Display) {
    let (sender, receiver, gift) = (display.sender.count, display.receiver.count, display.gift.count)
    let length = sender &+ receiver &+ gift
    if length > Int(entries[index].capacity) { growDisplay(index, length) }
    entries[index].senderLength = UInt32(truncatingIfNeeded: sender)
    entries[index].receiverLength = UInt32(truncatingIfNeeded: receiver)
    entries[index].giftLength = UInt32(truncatingIfNeeded: gift)
    guard let to = entries[index].display else { return }
    if let from = display.sender.baseAddress { to.copyMemory(from: from, byteCount: sender) }
    if let from = display.receiver.baseAddress { (to + sender).copyMemory(from: from, byteCount: receiver) }
    if let from = display.gift.baseAddress { (to + sender + receiver).copyMemory(from: from, byteCount: gift) }
  }

  /// The display data of a banner, borrowed until it changes.
  func display(_ index: Int32) -> Display {
    let (sender, receiver) = (Int(entries[index].senderLength), Int(entries[index].receiverLength))
    let start = entries[index].display
    return Display(
      sender: Bytes(start: start, count: sender), receiver: Bytes(start: start.map { $0 + sender }, count: receiver),
      gift: Bytes(start: start.map { $0 + sender + receiver }, count: Int(entries[index].giftLength)))
  }

  /// Where what a gift touches of a banner lies.
  @inline(__always)
  func address(_ index: Int32) -> UnsafeRawPointer { UnsafeRawPointer(entries.address(index)) }

  /// Hands out where a banner's display data lie, a line of the cache at a time.
  @inline(__always)
  func forEachPlaceOfDisplay(_ index: Int32, _ body: (UnsafeRawPointer) -> Void) {
    guard let display = entries[index].display else { return }
    for offset in stride(from: 0, to: Int(entries[index].capacity), by: 64) { body(display + offset) }
  }

  /// Two banners change their display data.
  func swapDisplays(_ a: Int32, _ b: Int32) {
    let (x, y) = (entries[a], entries[b])
    setDisplay(a, of: y)
    setDisplay(b, of: x)
  }

  /// Moves all times by `milliseconds`.
  func shift(by milliseconds: Int64) {
    for i in 0..<end where entries[i].combo >= 0 {
      entries[i].created += milliseconds
      entries[i].deadline += milliseconds
    }
  }

  /// The same banners in memory of their own.
  func copy() -> Banners {
    var copy = self
    copy.entries = entries.copy()
    for i in 0..<end {
      guard let display = entries[i].display else { continue }
      let capacity = Int(entries[i].capacity)
      let memory = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 8)
      memory.copyMemory(from: display, byteCount: capacity)
      copy.entries[i].display = memory
    }
    return copy
  }

  /// Forgets all and gives the memory back.
  mutating func free() {
    for i in 0..<end { freeDisplay(i) }
    entries.free()
    self = Banners()
  }

  private func setDisplay(_ index: Int32, of other: Banner) {
    entries[index].display = other.display
    entries[index].capacity = other.capacity
    entries[index].senderLength = other.senderLength
    entries[index].receiverLength = other.receiverLength
    entries[index].giftLength = other.giftLength
  }

  private func growDisplay(_ index: Int32, _ length: Int) {
    freeDisplay(index)
    // With a little to spare: names and counters in display data grow by a byte now and then.
    let capacity = (length + 31) & ~15
    entries[index].display = .allocate(byteCount: capacity, alignment: 8)
    entries[index].capacity = UInt32(capacity)
  }

  private func freeDisplay(_ index: Int32) {
    entries[index].display?.deallocate()
    entries[index].display = nil
    entries[index].capacity = 0
  }
}
