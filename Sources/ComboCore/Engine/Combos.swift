/// Who gives what to whom, as an engine knows it: the key, and where its banners are. Two lines of the cache: what it is,
/// and its key, if that is not longer than a line.
struct Combo: BitwiseCopyable {
  /// Where its key is in the store, if it is longer than ``shortKey``: sender id, receiver id, gift id.
  var key = 0
  var senderLength: UInt32 = 0
  var receiverLength: UInt32 = 0
  var giftLength: UInt32 = 0
  var hash: UInt32 = 0
  /// How many banners, streaks and histories need it; at 0 it is free.
  var references: Int32 = 0
  /// The banner that is entering, counting or lingering, or -1.
  var active: Int32 = -1
  /// Its waiting banners: the lowest number and the highest; -1 for none.
  var firstWaiting: Int32 = -1
  var lastWaiting: Int32 = -1
  /// Its neighbours in the history, -1 for none; `next` leads from one free combo to another, too.
  var previous: Int32 = -1
  var next: Int32 = -1
  /// What the next banner goes on from, and until when (included); 0 if it is not in the history.
  var historyTotal = 0
  var historyExpiry: Int64 = 0
  /// The key, if it fits.
  var shortKey: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0, 0, 0, 0, 0)

  static let shortKeyMax = 64
  /// Where ``shortKey`` lies in a combo.
  static let shortKeyOffset = 64

  /// How much of the store its key takes.
  var lengthInStore: Int { keyLength > Self.shortKeyMax ? keyLength : 0 }

  @inline(__always)
  var keyLength: Int { Int(senderLength) + Int(receiverLength) + Int(giftLength) }
  /// Whether it is in the history. A combo that was shown has a total of at least 1.
  @inline(__always)
  var hasHistory: Bool { historyTotal > 0 }
}

/// The combos of a room, each once. Others know them by their index.
struct Combos {
  private var entries = Block<Combo>()
  /// How many of `entries` were ever used.
  private var end: Int32 = 0
  private var firstFree: Int32 = -1
  /// How many there are.
  private(set) var count: Int32 = 0
  private var table = ProbeTable()

  init() {}

  @inline(__always)
  subscript(index: Int32) -> Combo {
    _read { yield entries[index] }
    nonmutating _modify { yield &entries[index] }
  }

  @inline(__always)
  static func hash(_ key: ComboKey, _ seed: UInt64) -> UInt32 {
    KeyHash.fold(KeyHash.hash(key.senderID, key.receiverID, key.giftID, seed))
  }

  /// Adds where a combo with this hash would be found.
  @inline(__always)
  func addPlaces(_ hash: UInt32, to places: inout Places) {
    if table.isInUse { places.add(table.address(hash)) }
  }

  /// A combo with this hash, most likely the one that is meant, or -1.
  @inline(__always)
  func likely(_ hash: UInt32) -> Int32 {
    if !table.isInUse { return end > 0 ? 0 : -1 }
    return table.likely(hash).map { Int32(truncatingIfNeeded: $0) } ?? -1
  }

  /// Where a combo lies: two lines of the cache.
  @inline(__always)
  func address(_ index: Int32) -> UnsafeRawPointer { UnsafeRawPointer(entries.address(index)) }

  /// Where the next one that is added will most likely lie, or nil.
  @inline(__always)
  var nextAddress: UnsafeRawPointer? { firstFree >= 0 ? address(firstFree) : nil }

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
    if sender != key.senderID.count || receiver != key.receiverID.count
      || Int(entries[index].giftLength) != key.giftID.count
    {
      return false
    }
    let start = keyStart(index, in: store)
    return sameBytes(start, key.senderID) && sameBytes(start + sender, key.receiverID)
      && sameBytes(start + sender + receiver, key.giftID)
  }

  /// Where the bytes of a combo's key are, until combos are added.
  @inline(__always)
  private func keyStart(_ index: Int32, in store: ByteStore) -> UnsafeRawPointer {
    if entries[index].keyLength <= Combo.shortKeyMax {
      return UnsafeRawPointer(entries.address(index)) + Combo.shortKeyOffset
    }
    return store.address(entries[index].key)
  }

  /// Adds the combo of `key`, which is not there, with one reference.
  mutating func add(_ key: ComboKey, hash: UInt32, in store: inout ByteStore) -> Int32 {
    var combo = Combo()
    combo.senderLength = UInt32(key.senderID.count)
    combo.receiverLength = UInt32(key.receiverID.count)
    combo.giftLength = UInt32(key.giftID.count)
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
    let start = UnsafeMutableRawPointer(mutating: keyStart(index, in: store))
    copyBytes(key.senderID, to: start)
    copyBytes(key.receiverID, to: start + key.senderID.count)
    copyBytes(key.giftID, to: start + key.senderID.count + key.receiverID.count)
    count += 1
    if table.isInUse {
      table.insert(hash, UInt32(index))
    } else if count > ProbeTable.linearMax {
      table = ProbeTable(for: count)
      for i in 0..<end where entries[i].references > 0 { table.insert(entries[i].hash, UInt32(i)) }
    }
    return index
  }

  /// One more needs it.
  @inline(__always)
  func retain(_ index: Int32) { entries[index].references &+= 1 }

  /// One less needs it.
  @inline(__always)
  mutating func release(_ index: Int32, in store: inout ByteStore) {
    entries[index].references &-= 1
    if entries[index].references == 0 { remove(index, in: &store) }
  }

  private mutating func remove(_ index: Int32, in store: inout ByteStore) {
    store.giveBack(entries[index].lengthInStore)
    count -= 1
    if count == 0 { return free() }
    if table.isInUse { table.remove(entries[index].hash, UInt32(index)) }
    entries[index].next = firstFree
    firstFree = index
  }

  /// Moves all keys that are in the store to another one.
  func move(from old: ByteStore, to new: inout ByteStore) {
    for i in 0..<end where entries[i].references > 0 && entries[i].lengthInStore > 0 {
      entries[i].key = new.add(old.bytes(entries[i].key, entries[i].keyLength))
    }
  }

  /// The key of a combo, borrowed until combos are added or the store changes.
  func key(_ index: Int32, in store: ByteStore) -> ComboKey {
    let (sender, receiver) = (Int(entries[index].senderLength), Int(entries[index].receiverLength))
    let start = keyStart(index, in: store)
    return ComboKey(
      senderID: Bytes(start: start, count: sender), receiverID: Bytes(start: start + sender, count: receiver),
      giftID: Bytes(start: start + sender + receiver, count: Int(entries[index].giftLength)))
  }

  /// The same combos in memory of their own.
  func copy() -> Combos {
    var copy = self
    copy.entries = entries.copy()
    copy.table = table.copy()
    return copy
  }

  /// Forgets all and gives the memory back.
  mutating func free() {
    entries.free()
    table.free()
    self = Combos()
  }
}
