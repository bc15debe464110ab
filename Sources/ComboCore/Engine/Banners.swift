/// A single display of a combo. The fields that a joining gift touches come first; they fill 64 bytes, one cache line.
@safe struct Banner: BitwiseCopyable {
  var total = 0
  var value = 0.0
  var shown = 0
  var deadline: Int64 = 0
  /// Separate memory of `capacity` bytes for display data (sender, receiver, gift) that do not fit behind the banner.
  var display: UnsafeMutableRawPointer?
  var capacity: UInt32 = 0
  var senderLength: UInt32 = 0
  var receiverLength: UInt32 = 0
  var giftLength: UInt32 = 0
  var combo: Int32 = -1
  var phase = BannerState.Phase.queued
  var slot: UInt8 = 0
  var shortLinger = false
  /// Whether its display data are still in the gift owner's memory; see ``Banners/lend(_:_:)``.
  fileprivate(set) var isLent = false

  var number = 0
  var base = 0
  /// The time of its creation while it waits, and of its `show` afterwards.
  var since: Int64 = 0
  /// Its neighbours in the queue and among the waiting banners of its combo; -1 if none. `next` also links free banners.
  var previous: Int32 = -1
  var next: Int32 = -1
  var previousOfCombo: Int32 = -1
  var nextOfCombo: Int32 = -1

  /// The address of the lent sender data, and the distances from there to the receiver's and the gift's.
  fileprivate var lentSender: UnsafeRawPointer?
  fileprivate var lentReceiver: Int32 = 0
  fileprivate var lentGift: Int32 = 0
  /// The next banner in the list of those whose display data are or were lent; -1 at the end, -2 if it is not in the list.
  fileprivate var nextLent: Int32 = -2
  var takenOver = false
  /// Whether it gives up its slot, so that no gift joins it any more. Only set while it is entering, counting or lingering.
  var isSealed = false
  /// The longest linger that one of its gifts asked for, in milliseconds.
  var ownLingerMs: UInt16 = 0
}

extension Banner {
  // A waiting banner is not shown and has no deadline, so these fields hold its place in the ``WaitingOrder``.

  /// The place in its heap.
  @inline(__always)
  var place: Int32 {
    get { Int32(truncatingIfNeeded: shown) }
    set { shown = shown & ~0xffff_ffff | Int(UInt32(bitPattern: newValue)) }
  }
  /// The heap that contains it.
  @inline(__always)
  var heap: Int32 {
    get { Int32(truncatingIfNeeded: shown >> 32) }
    set { shown = shown & 0xffff_ffff | Int(newValue) << 32 }
  }
  /// Its neighbours among the skipped waiting banners of its combo; -1 if none.
  @inline(__always)
  var previousParked: Int32 {
    get { Int32(truncatingIfNeeded: deadline) }
    set { deadline = deadline & ~0xffff_ffff | Int64(UInt32(bitPattern: newValue)) }
  }
  @inline(__always)
  var nextParked: Int32 {
    get { Int32(truncatingIfNeeded: deadline >> 32) }
    set { deadline = deadline & 0xffff_ffff | Int64(newValue) << 32 }
  }
  /// The longest time that gifts merged into it have waited without being in an update yet, in milliseconds; -1 if there are
  /// none. Uses `previous`, since a banner on screen has no neighbours in the queue. Not part of a snapshot.
  @inline(__always)
  var carriedWait: Int32 {
    get { previous }
    set { previous = newValue }
  }
  /// The first skipped waiting banner of the combo, if this banner is sealed. Uses `next`, since it has no neighbours in the
  /// queue.
  @inline(__always)
  var firstParked: Int32 {
    get { next }
    set { next = newValue }
  }
}

/// The banners of a room, identified by their index.
///
/// Display data follow their banner, and all banners reserve the cache lines that the room's longest display data needed. A
/// gift that joins a banner therefore touches one place in memory. Very long display data have separate memory, which the next
/// banner reuses. The steady state has no allocations.
@safe struct Banners {
  /// Memory for `capacity` banners of `stride` bytes each.
  private var base: UnsafeMutableRawPointer?
  private var stride: Int32 = 0
  private var capacity: Int32 = 0
  /// The number of banners ever used.
  private var end: Int32 = 0
  private var firstFree: Int32 = -1
  private(set) var count: Int32 = 0
  /// The number of free banners that have separate memory for display data.
  private var spares: Int32 = 0
  /// The first banner whose display data are or were lent; -1 if none.
  private var firstLent: Int32 = -1

  /// Display data longer than this get separate memory.
  private static let longestBehind = 512

  init() {}

  @inline(__always)
  subscript(index: Int32) -> Banner {
    _read { yield unsafe at(index).pointee }
    nonmutating _modify { yield unsafe &at(index).pointee }
  }

  @inline(__always)
  private func at(_ index: Int32) -> UnsafeMutablePointer<Banner> { unsafe memory(index).assumingMemoryBound(to: Banner.self) }

  @inline(__always)
  private func memory(_ index: Int32) -> UnsafeMutableRawPointer {
    assert(index >= 0 && index < capacity, "an index beyond the end of its banners")
    return unsafe base.unsafelyUnwrapped + Int(index) &* Int(stride)
  }

  /// Adds a banner with the display data of a gift, which may be lent.
  mutating func add(_ banner: Banner, _ display: Display, isLent: Bool = false) -> Int32 {
    count += 1
    if firstFree < 0 {
      end += 1
      if end > capacity {
        let behind = display.length <= Self.longestBehind ? display.length : 0
        resize(to: max(end, capacity + max(1, capacity / 4)), stride: max(stride, Self.stride(behind)))
      }
      self[end - 1] = banner
      setDisplay(end - 1, display, isLent: isLent)
      return end - 1
    }
    let index = firstFree
    let (spare, capacity, nextLent) = unsafe (self[index].display, self[index].capacity, self[index].nextLent)
    firstFree = self[index].next
    if unsafe spare != nil { spares -= 1 }
    self[index] = banner
    unsafe self[index].display = unsafe spare
    self[index].capacity = capacity
    self[index].nextLent = nextLent
    setDisplay(index, display, isLent: isLent)
    return index
  }

  mutating func remove(_ index: Int32) {
    count -= 1
    // An empty room holds no memory for banners.
    if count == 0 { return free() }
    if unsafe self[index].display != nil {
      // After a rush, most banners stay free for a long time.
      if spares > count + 16 { freeDisplay(index) } else { spares += 1 }
    }
    self[index].next = firstFree
    self[index].combo = -1
    self[index].isLent = false
    firstFree = index
  }

  /// Sets the display data of a banner to a copy of the gift's or, if they are lent, to their address.
  @inline(__always)
  mutating func setDisplay(_ index: Int32, _ display: Display, isLent: Bool) {
    if !isLent || !lend(index, display) { copyDisplay(index, display) }
  }

  /// Records where lent display data are. They are copied only by ``keepLent()``, since most are replaced before that by
  /// another gift's.
  /// - Returns: false if the parts are too far apart.
  @inline(__always)
  private mutating func lend(_ index: Int32, _ display: Display) -> Bool {
    guard let sender = unsafe display.sender.baseAddress, let gift = unsafe display.gift.baseAddress,
      let giftOffset = unsafe Int32(exactly: gift - sender),
      let receiverOffset = unsafe Int32(exactly: (display.receiver.baseAddress ?? sender) - sender)
    else { return false }
    self[index].senderLength = unsafe UInt32(truncatingIfNeeded: display.sender.count)
    self[index].receiverLength = unsafe UInt32(truncatingIfNeeded: display.receiver.count)
    self[index].giftLength = unsafe UInt32(truncatingIfNeeded: display.gift.count)
    self[index].isLent = true
    unsafe self[index].lentSender = unsafe sender
    self[index].lentReceiver = receiverOffset
    self[index].lentGift = giftOffset
    if self[index].nextLent == -2 {
      self[index].nextLent = firstLent
      firstLent = index
    }
    return true
  }

  /// Copies the display data that are still lent. The lender calls it before it releases the lent bytes.
  mutating func keepLent() {
    while firstLent >= 0 {
      let index = firstLent
      firstLent = self[index].nextLent
      self[index].nextLent = -2
      if self[index].isLent { copyDisplay(index, display(index)) }
    }
  }

  @inline(__always)
  private mutating func copyDisplay(_ index: Int32, _ display: Display) {
    let (sender, receiver, gift) = unsafe (display.sender.count, display.receiver.count, display.gift.count)
    let length = display.length
    if length > Int(stride) &- Self.displayOffset { makeRoom(index, length) }
    self[index].senderLength = UInt32(truncatingIfNeeded: sender)
    self[index].receiverLength = UInt32(truncatingIfNeeded: receiver)
    self[index].giftLength = UInt32(truncatingIfNeeded: gift)
    self[index].isLent = false
    let to = unsafe displayStart(index)
    if let from = unsafe display.sender.baseAddress { unsafe to.copyMemory(from: from, byteCount: sender) }
    if let from = unsafe display.receiver.baseAddress { unsafe (to + sender).copyMemory(from: from, byteCount: receiver) }
    if let from = unsafe display.gift.baseAddress { unsafe (to + sender + receiver).copyMemory(from: from, byteCount: gift) }
  }

  /// The display data of a banner, borrowed until it changes or a banner is added.
  func display(_ index: Int32) -> Display {
    let (sender, receiver) = (Int(self[index].senderLength), Int(self[index].receiverLength))
    if self[index].isLent {
      let start = unsafe self[index].lentSender.unsafelyUnwrapped
      return unsafe Display(
        sender: Bytes(start: start, count: sender),
        receiver: Bytes(start: start + Int(self[index].lentReceiver), count: receiver),
        gift: Bytes(start: start + Int(self[index].lentGift), count: Int(self[index].giftLength)))
    }
    let start = unsafe UnsafeRawPointer(displayStart(index))
    return unsafe Display(
      sender: Bytes(start: start, count: sender), receiver: Bytes(start: start + sender, count: receiver),
      gift: Bytes(start: start + sender + receiver, count: Int(self[index].giftLength)))
  }

  @inline(__always)
  private func displayStart(_ index: Int32) -> UnsafeMutableRawPointer {
    unsafe self[index].display ?? memory(index) + Self.displayOffset
  }

  /// The address of a banner. It spans two cache lines: a joining gift touches the first, and the second if it lends its data.
  @inline(__always)
  func address(_ index: Int32) -> UnsafeRawPointer { unsafe UnsafeRawPointer(memory(index)) }

  /// Adds the memory that a gift touches when it joins a banner.
  @inline(__always)
  func addPlaces(_ index: Int32, to places: inout Places) {
    unsafe places.addTwo(address(index))
    unsafe places.addLines(address(index) + Self.displayOffset, Int(stride) &- Self.displayOffset)
  }

  /// Adds the memory that the next new banner will most likely touch.
  @inline(__always)
  func addPlacesOfNext(to places: inout Places) {
    if firstFree >= 0 { unsafe places.addLines(address(firstFree), Int(stride)) }
  }

  func shift(by milliseconds: Int64) {
    for i in 0..<end where self[i].combo >= 0 {
      self[i].since += milliseconds
      if self[i].phase != .queued { self[i].deadline += milliseconds }
    }
  }

  /// Returns a copy with its own memory.
  func copy() -> Banners {
    guard unsafe base != nil else { return self }
    var copy = self
    unsafe copy.base = nil
    copy.capacity = 0
    copy.resize(to: capacity, stride: stride)
    for i in 0..<end { unsafe copy.memory(i).copyMemory(from: memory(i), byteCount: Int(stride)) }
    for i in 0..<end {
      guard let display = unsafe self[i].display else { continue }
      let capacity = Int(self[i].capacity)
      let memory = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 8)
      unsafe memory.copyMemory(from: display, byteCount: capacity)
      unsafe copy[i].display = unsafe memory
    }
    copy.keepLent()
    return copy
  }

  mutating func free() {
    for i in 0..<end { freeDisplay(i) }
    unsafe base?.deallocate()
    self = Banners()
  }

  // MARK: - Memory

  private static let displayOffset = MemoryLayout<Banner>.stride

  /// The distance between banners that have this many bytes of display data, rounded up to whole cache lines.
  private static func stride(_ length: Int) -> Int32 { Int32((displayOffset + length + 63) & ~63) }

  /// Makes room for display data that are longer than the space after a banner.
  private mutating func makeRoom(_ index: Int32, _ length: Int) {
    if length <= Self.longestBehind { return resize(to: capacity, stride: Self.stride(length)) }
    if length <= Int(self[index].capacity) { return }
    freeDisplay(index)
    // A little room to spare: names and counters in display data sometimes grow by a byte.
    let capacity = (length + 31) & ~15
    unsafe self[index].display = .allocate(byteCount: capacity, alignment: 8)
    self[index].capacity = UInt32(capacity)
  }

  private mutating func resize(to newCapacity: Int32, stride newStride: Int32) {
    let grown = UnsafeMutableRawPointer.allocate(byteCount: Int(newCapacity) * Int(newStride), alignment: 64)
    if let base = unsafe base {
      for i in 0..<min(end, capacity) {
        unsafe (grown + Int(i) * Int(newStride)).copyMemory(from: memory(i), byteCount: Int(stride))
      }
      unsafe base.deallocate()
    }
    unsafe (base, capacity, stride) = unsafe (grown, newCapacity, newStride)
  }

  private func freeDisplay(_ index: Int32) {
    unsafe self[index].display?.deallocate()
    unsafe self[index].display = nil
    self[index].capacity = 0
  }
}
