/// A combo: its key and its banners. It occupies two cache lines: one for its data, one for its key if that fits into a line.
@safe struct Combo: BitwiseCopyable {
  /// The lengths of the key's parts: sender id, receiver id, gift id and combo name.
  var senderLength: UInt16 = 0
  var receiverLength: UInt16 = 0
  var giftLength: UInt16 = 0
  var nameLength: UInt16 = 0
  var hash: UInt32 = 0
  /// The number of banners, streaks and histories that use it. The entry is free at 0.
  var references: Int32 = 0
  /// The banner that is entering, counting or lingering, or -1.
  var active: Int32 = -1
  /// Its waiting banners with the lowest and the highest number; -1 if none.
  var firstWaiting: Int32 = -1
  var lastWaiting: Int32 = -1
  /// The number of its waiting banners.
  var waiting: Int32 = 0
  /// Its neighbours in the history; -1 if none. `next` also links free combos.
  var previous: Int32 = -1
  var next: Int32 = -1
  /// The count from which the next banner continues and the last time at which it may; `historyTotal` is 0 if the combo is not
  /// in the history.
  var historyTotal = 0
  var historyExpiry: Int64 = 0
  /// The data of its pending final, or nil if there is none.
  var final: UnsafeMutablePointer<PastRun>?
  /// The key, if it fits; otherwise its first word is the key's offset in the store.
  var shortKey: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0, 0, 0, 0, 0)

  static let shortKeyMax = 64
  /// The offset of ``shortKey`` in a combo, in bytes.
  static let shortKeyOffset = 64
  /// The maximum length of a part of a key, in bytes.
  static let longestPart = Int(UInt16.max)

  /// The offset of a long key in the store.
  @inline(__always)
  var key: Int {
    get { Int(truncatingIfNeeded: shortKey.0) }
    set { shortKey.0 = UInt64(truncatingIfNeeded: newValue) }
  }

  /// The number of bytes that its key occupies in the store.
  var lengthInStore: Int { keyLength > Self.shortKeyMax ? keyLength : 0 }

  @inline(__always)
  var keyLength: Int { Int(senderLength) &+ Int(receiverLength) &+ Int(giftLength) &+ Int(nameLength) }
  /// Whether it is in the history. A combo that was shown has a total of at least 1.
  @inline(__always)
  var hasHistory: Bool { historyTotal > 0 }
}

/// The content of a `final`: the number of the run's last banner, followed in memory by its display data.
struct PastRun: BitwiseCopyable {
  var number: Int
  var senderLength: Int32
  var receiverLength: Int32
  var giftLength: Int32

  private static let head = MemoryLayout<PastRun>.stride

  static func make(_ number: Int, _ display: Display) -> UnsafeMutablePointer<PastRun> {
    let parts = unsafe [display.sender, display.receiver, display.gift]
    let bytes = unsafe parts.reduce(head) { $0 + $1.count }
    let memory = UnsafeMutableRawPointer.allocate(byteCount: bytes, alignment: 8)
    var at = unsafe memory + head
    for index in unsafe parts.indices {
      let part = unsafe parts[index]
      unsafe copyBytes(part, to: at)
      unsafe at += part.count
    }
    let run = unsafe memory.bindMemory(to: PastRun.self, capacity: 1)
    unsafe run.initialize(
      to: PastRun(
        number: number, senderLength: Int32(display.sender.count), receiverLength: Int32(display.receiver.count),
        giftLength: Int32(display.gift.count)))
    return unsafe run
  }

  /// The display data, borrowed while the run exists.
  static func display(_ run: UnsafeMutablePointer<PastRun>) -> Display {
    let start = unsafe UnsafeRawPointer(run) + head
    let (sender, receiver) = unsafe (Int(run.pointee.senderLength), Int(run.pointee.receiverLength))
    return unsafe Display(
      sender: Bytes(start: start, count: sender), receiver: Bytes(start: start + sender, count: receiver),
      gift: Bytes(start: start + sender + receiver, count: Int(run.pointee.giftLength)))
  }
}

/// The combos of a room, each stored once and identified by its index.
struct Combos {
  private var entries = Block<Combo>()
  /// The number of `entries` ever used.
  private var end: Int32 = 0
  private var firstFree: Int32 = -1
  private(set) var count: Int32 = 0
  private var table = ProbeTable()
  /// Additional orders of the combos, which most rooms never need.
  var orders: ComboOrders?

  init() {}

  @inline(__always)
  subscript(index: Int32) -> Combo {
    _read { yield entries[index] }
    nonmutating _modify { yield &entries[index] }
  }

  @inline(__always)
  static func hash(_ key: ComboKey, _ seed: UInt64) -> UInt32 {
    unsafe KeyHash.combo(key.senderID, key.receiverID, key.giftID, key.combo, seed)
  }

  /// Adds the address at which the search for a combo with this hash begins.
  @inline(__always)
  func addPlaces(_ hash: UInt32, to places: inout Places) {
    if table.isInUse { unsafe places.add(table.address(hash)) }
  }

  /// The likely combo with this hash, or -1.
  @inline(__always)
  func likely(_ hash: UInt32) -> Int32 {
    if !table.isInUse { return end > 0 ? 0 : -1 }
    return table.likely(hash).map { Int32(truncatingIfNeeded: $0) } ?? -1
  }

  /// The address of a combo, which spans two cache lines.
  @inline(__always)
  func address(_ index: Int32) -> UnsafeRawPointer { unsafe UnsafeRawPointer(entries.address(index)) }

  @inline(__always)
  var nextAddress: UnsafeRawPointer? { unsafe firstFree >= 0 ? address(firstFree) : nil }

  /// The combo of `key`, or -1.
  @inline(__always)
  func find(_ key: ComboKey, hash: UInt32, in store: ByteStore) -> Int32 {
    if !table.isInUse { return search(key, hash: hash, in: store) }
    return table.find(hash) { matches(Int32(truncatingIfNeeded: $0), key, hash, store) }
      .map { Int32(truncatingIfNeeded: $0) } ?? -1
  }

  private func search(_ key: ComboKey, hash: UInt32, in store: ByteStore) -> Int32 {
    for i in 0..<end where matches(i, key, hash, store) { return i }
    return -1
  }

  @inline(__always)
  private func matches(_ index: Int32, _ key: ComboKey, _ hash: UInt32, _ store: ByteStore) -> Bool {
    if entries[index].hash != hash || entries[index].references == 0 { return false }
    let (sender, receiver) = (Int(entries[index].senderLength), Int(entries[index].receiverLength))
    let gift = Int(entries[index].giftLength)
    if unsafe sender != key.senderID.count || receiver != key.receiverID.count || gift != key.giftID.count
      || Int(entries[index].nameLength) != key.combo.count
    {
      return false
    }
    let start = unsafe keyStart(index, in: store)
    return unsafe sameBytes(start, key.senderID) && sameBytes(start + sender, key.receiverID)
      && sameBytes(start + sender + receiver, key.giftID)
      && (key.combo.count == 0 || sameBytes(start + sender + receiver + gift, key.combo))
  }

  /// The address of a combo's key, valid until combos are added.
  @inline(__always)
  private func keyStart(_ index: Int32, in store: ByteStore) -> UnsafeRawPointer {
    if entries[index].keyLength <= Combo.shortKeyMax {
      return unsafe UnsafeRawPointer(entries.address(index)) + Combo.shortKeyOffset
    }
    return unsafe store.address(entries[index].key)
  }

  /// Adds the combo of `key`, which must not exist yet, with one reference.
  mutating func add(_ key: ComboKey, hash: UInt32, in store: inout ByteStore) -> Int32 {
    var combo = Combo()
    combo.senderLength = unsafe UInt16(key.senderID.count)
    combo.receiverLength = unsafe UInt16(key.receiverID.count)
    combo.giftLength = unsafe UInt16(key.giftID.count)
    combo.nameLength = unsafe UInt16(key.combo.count)
    combo.hash = hash
    combo.references = 1
    if combo.lengthInStore > 0 { combo.key = store.allocate(combo.keyLength) }
    let index: Int32
    if firstFree >= 0 {
      index = firstFree
      firstFree = entries[index].next
    } else {
      index = end
      end += 1
      entries.reserve(end)
    }
    entries[index] = combo
    let start = unsafe UnsafeMutableRawPointer(mutating: keyStart(index, in: store))
    unsafe copyBytes(key.senderID, to: start)
    unsafe copyBytes(key.receiverID, to: start + key.senderID.count)
    unsafe copyBytes(key.giftID, to: start + key.senderID.count + key.receiverID.count)
    if unsafe key.combo.count > 0 { unsafe copyBytes(key.combo, to: start + (combo.keyLength - key.combo.count)) }
    unsafe orders?.senders?.add(index, key.senderID)
    count += 1
    if table.isInUse {
      table.insert(hash, UInt32(index))
    } else if count > ProbeTable.linearMax {
      table = ProbeTable(for: count)
      for i in 0..<end where entries[i].references > 0 { table.insert(entries[i].hash, UInt32(i)) }
    }
    return index
  }

  func isInUse(_ index: Int32) -> Bool { index < end && entries[index].references > 0 }

  @inline(__always)
  func retain(_ index: Int32) { entries[index].references &+= 1 }

  @inline(__always)
  mutating func release(_ index: Int32, in store: inout ByteStore) {
    entries[index].references &-= 1
    if entries[index].references == 0 { remove(index, in: &store) }
  }

  private mutating func remove(_ index: Int32, in store: inout ByteStore) {
    store.giveBack(entries[index].lengthInStore)
    count -= 1
    orders?.senders?.remove(index)
    if count == 0 { return free() }
    if table.isInUse { table.remove(entries[index].hash, UInt32(index)) }
    entries[index].next = firstFree
    firstFree = index
  }

  func move(from old: ByteStore, to new: inout ByteStore) {
    for i in 0..<end where entries[i].references > 0 && entries[i].lengthInStore > 0 {
      entries[i].key = unsafe new.add(old.bytes(entries[i].key, entries[i].keyLength))
    }
  }

  /// The key of a combo, borrowed until combos are added or the store changes.
  func key(_ index: Int32, in store: ByteStore) -> ComboKey {
    let (sender, receiver) = (Int(entries[index].senderLength), Int(entries[index].receiverLength))
    let start = unsafe keyStart(index, in: store)
    let gift = Int(entries[index].giftLength)
    return unsafe ComboKey(
      senderID: Bytes(start: start, count: sender), receiverID: Bytes(start: start + sender, count: receiver),
      giftID: Bytes(start: start + sender + receiver, count: gift),
      combo: Bytes(start: start + sender + receiver + gift, count: Int(entries[index].nameLength)))
  }

  /// Calls `body` with each combo of a sender. No combo may be added or removed meanwhile.
  mutating func forEach(of sender: Bytes, in store: ByteStore, _ body: (Int32) -> Void) {
    if count > Self.searchedMax, orders?.senders == nil {
      let index = SenderIndex()
      for i in 0..<end where entries[i].references > 0 {
        Steps.count()
        unsafe index.add(i, key(i, in: store).senderID)
      }
      someOrders().senders = index
    }
    func isOfSender(_ index: Int32) -> Bool {
      Steps.count()
      let length = Int(entries[index].senderLength)
      return unsafe length == sender.count && sameBytes(keyStart(index, in: store), sender)
    }
    if let senders = orders?.senders {
      unsafe senders.forEach(sender) { if isOfSender($0) { body($0) } }
    } else {
      for i in 0..<end where entries[i].references > 0 && isOfSender(i) { body(i) }
    }
  }

  mutating func someOrders() -> ComboOrders {
    if let orders { return orders }
    let orders = ComboOrders()
    self.orders = orders
    return orders
  }

  /// The number of combos up to which they are searched linearly.
  private static let searchedMax: Int32 = 16

  /// Returns a copy with its own memory.
  func copy() -> Combos {
    var copy = self
    copy.entries = entries.copy()
    copy.table = table.copy()
    copy.orders = nil
    for i in 0..<end where entries[i].references > 0 {
      if let final = unsafe entries[i].final {
        unsafe copy[i].final = unsafe PastRun.make(final.pointee.number, PastRun.display(final))
      }
    }
    return copy
  }

  mutating func free() {
    if count > 0 { for i in 0..<end where entries[i].references > 0 { unsafe entries[i].final?.deallocate() } }
    entries.free()
    table.free()
    self = Combos()
  }
}

/// Orders of a room's combos, each created when it is first needed.
final class ComboOrders {
  /// The combos by sender, for a retract.
  var senders: SenderIndex?
  /// The combos by the time at which their history expires.
  var deadlines: HistoryDeadlines?
}
