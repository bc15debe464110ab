/// The running totals that a room remembers.
///
/// A list in the order in which they were last set: the one set longest ago stands first and is the first to go. They
/// expire in that order, unless `streak_ms` was lowered meanwhile: then one that has expired behind another that lives on
/// waits there without effect. An object, so that rooms without running totals need not have it; each engine has its own.
final class Streaks {
  private struct Streak: BitwiseCopyable {
    var combo: Int32 = -1
    var hash: UInt32 = 0
    /// Where its name is in the store.
    var name = 0
    var nameLength: UInt32 = 0
    var previous: Int32 = -1
    /// Leads from one free streak to another, too.
    var next: Int32 = -1
    var total = 0
    var expiry: Int64 = 0
  }

  private var entries = Block<Streak>()
  /// How many of `entries` were ever used.
  private var end: Int32 = 0
  private var firstFree: Int32 = -1
  private(set) var count: Int32 = 0
  private var first: Int32 = -1
  private var last: Int32 = -1
  private var table = ProbeTable()
  /// A time at or before the expiry of each.
  private var earliestExpiry = Int64.max
  /// Whether one may have expired behind another that has not.
  private var isOutOfOrder = false

  init() {}

  @inline(__always)
  static func hash(combo: UInt32, name: Bytes, _ seed: UInt64) -> UInt32 {
    KeyHash.fold(KeyHash.hash(name, seed ^ UInt64(combo)))
  }

  /// The streak of that combo and name, whether it has expired or not, or -1.
  func find(_ combo: Int32, name: Bytes, hash: UInt32, in store: ByteStore) -> Int32 {
    if table.isInUse {
      return table.find(hash) { matches(Int32($0), combo, name, hash, store) }.map { Int32($0) } ?? -1
    }
    var index = first
    while index >= 0, !matches(index, combo, name, hash, store) { index = entries[index].next }
    return index
  }

  private func matches(_ index: Int32, _ combo: Int32, _ name: Bytes, _ hash: UInt32, _ store: ByteStore) -> Bool {
    let streak = entries[index]
    return streak.hash == hash && streak.combo == combo && Int(streak.nameLength) == name.count
      && store.equals(name, at: streak.name)
  }

  /// The total of a streak that was found, if it is still remembered at `now`.
  func total(_ index: Int32, at now: Int64) -> Int? { entries[index].expiry >= now ? entries[index].total : nil }

  /// Remembers a new total for a streak that was found.
  func set(_ index: Int32, total: Int, expiry: Int64) {
    entries[index].total = total
    unlink(index)
    link(index, expiry: expiry)
  }

  /// Remembers a streak that was not found, as the one set last.
  func add(
    _ combo: Int32, name: Bytes, hash: UInt32, total: Int, expiry: Int64, combos: Combos, store: inout ByteStore
  ) {
    var streak = Streak()
    streak.combo = combo
    streak.hash = hash
    streak.name = store.add(name)
    streak.nameLength = UInt32(name.count)
    streak.total = total
    combos.retain(combo)
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

  /// Forgets what has expired at `now`, as far as it stands in front, and those set longest ago above `limit`.
  func keep(_ limit: Int, at now: Int64, combos: inout Combos, store: inout ByteStore) {
    while first >= 0, entries[first].expiry < now { remove(first, combos: &combos, store: &store) }
    if count <= limit { return }
    if isOutOfOrder, earliestExpiry < now { dropExpired(at: now, combos: &combos, store: &store) }
    while count > limit { remove(first, combos: &combos, store: &store) }
  }

  /// Forgets all.
  func removeAll(combos: inout Combos, store: inout ByteStore) {
    while first >= 0 { remove(first, combos: &combos, store: &store) }
  }

  /// Moves every expiry by `milliseconds`.
  func shift(by milliseconds: Int64) {
    forEachIndex { entries[$0].expiry += milliseconds }
    if earliestExpiry != .max { earliestExpiry += milliseconds }
  }

  /// Moves all names to another store.
  func move(from old: ByteStore, to new: inout ByteStore) {
    forEachIndex { entries[$0].name = new.add(old.bytes(entries[$0].name, Int(entries[$0].nameLength))) }
  }

  /// Hands out those valid at `now`, the one set longest ago first; names are borrowed from the store.
  func forEach(validAt now: Int64, in store: ByteStore, _ body: (Int32, Bytes, Int, Int64) -> Void) {
    forEachIndex {
      let streak = entries[$0]
      if streak.expiry < now { return }
      body(streak.combo, store.bytes(streak.name, Int(streak.nameLength)), streak.total, streak.expiry)
    }
  }

  /// The same streaks in memory of their own.
  func copy() -> Streaks {
    let copy = Streaks()
    copy.entries = entries.copy()
    copy.end = end
    copy.firstFree = firstFree
    copy.count = count
    copy.first = first
    copy.last = last
    copy.table = table.copy()
    copy.earliestExpiry = earliestExpiry
    copy.isOutOfOrder = isOutOfOrder
    return copy
  }

  deinit {
    entries.free()
    table.free()
  }

  /// All are gone: the memory is given back.
  private func reset() {
    entries.free()
    table.free()
    end = 0
    firstFree = -1
    first = -1
    last = -1
    earliestExpiry = .max
    isOutOfOrder = false
  }

  private func dropExpired(at now: Int64, combos: inout Combos, store: inout ByteStore) {
    isOutOfOrder = false
    earliestExpiry = .max
    var latest = Int64.min
    var index = first
    while index >= 0 {
      let (next, expiry) = (entries[index].next, entries[index].expiry)
      if expiry < now {
        remove(index, combos: &combos, store: &store)
      } else {
        if expiry < latest { isOutOfOrder = true }
        latest = max(latest, expiry)
        earliestExpiry = min(earliestExpiry, expiry)
      }
      index = next
    }
  }

  private func remove(_ index: Int32, combos: inout Combos, store: inout ByteStore) {
    let streak = entries[index]
    store.giveBack(Int(streak.nameLength))
    combos.release(streak.combo, in: &store)
    count -= 1
    if count == 0 { return reset() }
    if table.isInUse { table.remove(streak.hash, UInt32(index)) }
    unlink(index)
    entries[index].next = firstFree
    firstFree = index
  }

  private func link(_ index: Int32, expiry: Int64) {
    entries[index].expiry = expiry
    entries[index].previous = last
    entries[index].next = -1
    if last >= 0 {
      if expiry < entries[last].expiry { isOutOfOrder = true }
      entries[last].next = index
    } else {
      first = index
    }
    last = index
    earliestExpiry = min(earliestExpiry, expiry)
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
