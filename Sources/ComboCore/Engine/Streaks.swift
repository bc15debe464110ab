/// The running totals that a room remembers.
///
/// They form a list in the order in which they were last set; the one set longest ago is first and is removed first. Most
/// expire in that order. Once one expires before its predecessor, a heap keeps the order of expiries until all are removed. It
/// is an object, so that rooms without running totals need not have one; each engine has its own.
final class Streaks {
  @safe enum Key {
    /// A combo's own streak.
    case ofCombo(Int32)
    /// A named streak of this sender and gift, for any receiver.
    case named(sender: Bytes, gift: Bytes, name: Bytes)
  }

  private struct Streak: BitwiseCopyable {
    /// Its combo; -1 if it has a name.
    var combo: Int32 = -1
    var hash: UInt32 = 0
    /// The offset of sender id, gift id and name in the store, and their lengths.
    var key = 0
    var senderLength: UInt16 = 0
    var giftLength: UInt16 = 0
    var nameLength: UInt32 = 0
    var previous: Int32 = -1
    /// The next streak in the list, or the next free one.
    var next: Int32 = -1
    var total = 0
    var expiry: Int64 = 0

    var keyLength: Int { Int(senderLength) + Int(giftLength) + Int(nameLength) }
  }

  private var entries = Block<Streak>()
  /// The number of `entries` ever used.
  private var end: Int32 = 0
  private var firstFree: Int32 = -1
  private(set) var count: Int32 = 0
  private var first: Int32 = -1
  private var last: Int32 = -1
  private var table = ProbeTable()
  /// The order of expiries if it differs from that of the list, otherwise nil. An entry is stale if its streak does not expire
  /// at that time.
  private var expiries: DeadlineHeap?
  /// The latest expiry that a gift's own `streak_ms` or a refresh caused; `.min` if there was none.
  var awakeUntil = Int64.min

  init() {}

  @inline(__always)
  static func hash(sender: Bytes, gift: Bytes, name: Bytes, _ seed: UInt64) -> UInt32 {
    unsafe KeyHash.fold(KeyHash.hash(sender, gift, name, seed))
  }

  /// The index of the streak with that key, even if it has expired, or -1.
  @inline(__always)
  func find(_ key: Key, hash: UInt32, in store: ByteStore) -> Int32 {
    if table.isInUse {
      return table.find(hash) { matches(Int32($0), key, hash, store) }.map { Int32($0) } ?? -1
    }
    var index = first
    while index >= 0, !matches(index, key, hash, store) { index = entries[index].next }
    return index
  }

  private func matches(_ index: Int32, _ key: Key, _ hash: UInt32, _ store: ByteStore) -> Bool {
    let streak = entries[index]
    if streak.hash != hash { return false }
    switch key {
    case .ofCombo(let combo): return streak.combo == combo
    case .named(let sender, let gift, let name):
      let (senderLength, giftLength) = (Int(streak.senderLength), Int(streak.giftLength))
      return unsafe streak.combo < 0 && senderLength == sender.count && giftLength == gift.count
        && Int(streak.nameLength) == name.count && store.equals(sender, at: streak.key)
        && store.equals(gift, at: streak.key + senderLength) && store.equals(name, at: streak.key + senderLength + giftLength)
    }
  }

  /// The total of a streak that was found, or nil if it has expired at `now`.
  func total(_ index: Int32, at now: Int64) -> Int? { entries[index].expiry >= now ? entries[index].total : nil }

  /// Sets a new total for a streak that was found.
  func set(_ index: Int32, total: Int, expiry: Int64) {
    entries[index].total = total
    unlink(index)
    link(index, expiry: expiry)
  }

  /// Adds a streak that was not found, as the one set last.
  func add(_ key: Key, hash: UInt32, total: Int, expiry: Int64, combos: Combos, store: inout ByteStore) {
    var streak = Streak()
    streak.hash = hash
    streak.total = total
    switch key {
    case .ofCombo(let combo):
      streak.combo = combo
      combos.retain(combo)
    case .named(let sender, let gift, let name):
      streak.senderLength = UInt16(sender.count)
      streak.giftLength = UInt16(gift.count)
      streak.nameLength = UInt32(name.count)
      streak.key = unsafe store.add(sender)
      _ = unsafe store.add(gift)
      _ = unsafe store.add(name)
    }
    let index: Int32
    if firstFree >= 0 {
      index = firstFree
      firstFree = entries[index].next
    } else {
      index = end
      end += 1
      entries.reserve(end)
    }
    entries[index] = streak
    count += 1
    link(index, expiry: expiry)
    if table.isInUse {
      table.insert(hash, UInt32(index))
    } else if count > ProbeTable.linearMax {
      table = ProbeTable(for: count)
      forEachIndex { table.insert(entries[$0].hash, UInt32($0)) }
    }
  }

  /// Removes the expired streaks at the front and, above `limit`, first the other expired ones, then those set longest ago.
  func keep(_ limit: Int, at now: Int64, combos: inout Combos, store: inout ByteStore) {
    while first >= 0, entries[first].expiry < now { remove(first, combos: &combos, store: &store) }
    while count > limit {
      if let entry = expiries?.first, entry.time < now {
        expiries?.popFirst()
        if entries[entry.index].expiry == entry.time { remove(entry.index, combos: &combos, store: &store) }
      } else {
        remove(first, combos: &combos, store: &store)
      }
    }
  }

  func forget(_ index: Int32, combos: inout Combos, store: inout ByteStore) {
    remove(index, combos: &combos, store: &store)
  }

  func removeAll(combos: inout Combos, store: inout ByteStore) {
    while first >= 0 { remove(first, combos: &combos, store: &store) }
    awakeUntil = .min
  }

  func shift(by milliseconds: Int64) {
    forEachIndex { entries[$0].expiry += milliseconds }
    expiries?.shift(by: milliseconds)
    if awakeUntil != .min { awakeUntil += milliseconds }
  }

  func move(from old: ByteStore, to new: inout ByteStore) {
    forEachIndex { index in
      if entries[index].combo < 0 { entries[index].key = unsafe new.add(old.bytes(entries[index].key, entries[index].keyLength)) }
    }
  }

  /// Calls `body` with each streak valid at `now`, the one set longest ago first; names are borrowed from the store.
  func forEach(validAt now: Int64, in store: ByteStore, _ body: (Key, _ total: Int, _ expiry: Int64) -> Void) {
    forEachIndex { index in
      let streak = entries[index]
      if streak.expiry < now { return }
      if streak.combo >= 0 { return body(.ofCombo(streak.combo), streak.total, streak.expiry) }
      let (sender, gift) = (Int(streak.senderLength), Int(streak.giftLength))
      let key = unsafe Key.named(
        sender: store.bytes(streak.key, sender), gift: store.bytes(streak.key + sender, gift),
        name: store.bytes(streak.key + sender + gift, Int(streak.nameLength)))
      body(key, streak.total, streak.expiry)
    }
  }

  /// Returns a copy with its own memory.
  func copy() -> Streaks {
    let copy = Streaks()
    copy.entries = entries.copy()
    copy.end = end
    copy.firstFree = firstFree
    copy.count = count
    copy.first = first
    copy.last = last
    copy.table = table.copy()
    copy.expiries = expiries
    copy.awakeUntil = awakeUntil
    return copy
  }

  deinit {
    entries.free()
    table.free()
  }

  /// Frees the memory after the last streak was removed.
  private func reset() {
    entries.free()
    table.free()
    end = 0
    firstFree = -1
    first = -1
    last = -1
    expiries = nil
  }

  private func remove(_ index: Int32, combos: inout Combos, store: inout ByteStore) {
    Steps.count()
    let streak = entries[index]
    if streak.combo >= 0 { combos.release(streak.combo, in: &store) } else { store.giveBack(streak.keyLength) }
    count -= 1
    if count == 0 { return reset() }
    if table.isInUse { table.remove(streak.hash, UInt32(index)) }
    unlink(index)
    entries[index].next = firstFree
    entries[index].expiry = .max
    firstFree = index
    if expiries?.isStale(count) ?? false { order() }
  }

  private func link(_ index: Int32, expiry: Int64) {
    entries[index].expiry = expiry
    entries[index].previous = last
    entries[index].next = -1
    let isEarlier = last >= 0 && expiry < entries[last].expiry
    if last >= 0 { entries[last].next = index } else { first = index }
    last = index
    if expiries != nil {
      expiries?.push(.init(time: expiry, number: 0, index: index))
      if expiries?.isStale(count) ?? false { order() }
    } else if isEarlier {
      order()
    }
  }

  /// Rebuilds the order of expiries.
  private func order() {
    var heap = DeadlineHeap()
    forEachIndex { heap.push(.init(time: entries[$0].expiry, number: 0, index: $0)) }
    expiries = heap
  }

  private func unlink(_ index: Int32) {
    let (previous, next) = (entries[index].previous, entries[index].next)
    if previous >= 0 { entries[previous].next = next } else { first = next }
    if next >= 0 { entries[next].previous = previous } else { last = previous }
  }

  @inline(__always)
  private func forEachIndex(_ body: (Int32) -> Void) {
    var index = first
    while index >= 0 {
      body(index)
      index = entries[index].next
    }
  }
}
