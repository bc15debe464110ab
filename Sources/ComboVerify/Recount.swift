package import ComboCore

/// Counts the gifts of one epoch of a room independently of the engine, by engine.md's rules of *how many*: the gifts that count,
/// and the number of each.
///
/// Times are those of the partition less all shifts so far, so that shifts have no effect here.
package struct Recount {
  /// The limits of a room's memory, from its settings.
  package struct Limits {
    package var dedupeMs: Int64
    var maxIDs: Int
    package var streakMs: Int64
    package var maxStreaks: Int
    /// Whether a repeated gift may extend the expiry of its id or streak.
    var hasRefresh: Bool

    package init(_ settings: Settings, _ rules: Rules = .newest) {
      hasRefresh = rules.hasRefresh
      dedupeMs = Int64(settings.dedupeMs)
      maxIDs = settings.maxIds
      streakMs = Int64(settings.streakMs)
      maxStreaks = settings.maxStreaks
    }
  }

  /// The bytes of an id. Hashes are not enough, because two ids with equal hashes can be constructed.
  private typealias Key = [UInt8]

  /// The ids or streaks that are remembered.
  private struct Memory {
    struct Item {
      /// The highest total of a streak.
      var total: Int64
      var expiry: Int64
      var serial: Int
    }

    var items: [Key: Item] = [:]
    /// The keys with their serial numbers, the oldest first. A key that came again has another number.
    private var order: [(key: Key, serial: Int)] = []
    private var head = 0
    private var serial = 0

    mutating func add(_ key: Key, total: Int64 = 0, expiry: Int64) {
      serial += 1
      items[key] = Item(total: total, expiry: expiry, serial: serial)
      order.append((key, serial))
    }

    /// Removes what has expired, and then the oldest until at most `max` are left.
    mutating func shrink(to max: Int, at time: Int64) {
      while head < order.count {
        let oldest = order[head]
        if let item = items[oldest.key], item.serial == oldest.serial, item.expiry >= time { break }
        removeOldest()
      }
      if items.count <= max { return }
      // After a change of settings, one may expire before an older one.
      items = items.filter { $0.value.expiry >= time }
      while items.count > max, head < order.count { removeOldest() }
    }

    private mutating func removeOldest() {
      let oldest = order[head]
      if items[oldest.key]?.serial == oldest.serial { items[oldest.key] = nil }
      head += 1
      if head >= 1024, head * 2 > order.count {
        order.removeFirst(head)
        head = 0
      }
    }
  }

  /// The number of gifts processed in this epoch, mod 2^64.
  package private(set) var given: Int64 = 0
  /// The sum of these gifts, each multiplied by its combo's identity.
  private(set) var fingerprint: UInt64 = 0

  private var ids = Memory()
  private var streaks = Memory()
  private var time = Int64.min

  /// Counts a gift.
  package mutating func add(_ gift: Gift, at now: Int64, _ limits: Limits) {
    time = max(time, now)
    if isDuplicate(gift, limits) { return }
    let combo = unsafe ComboIdentity.hash(sender: gift.senderID, receiver: gift.receiverID, gift: gift.giftID)
    let count: Int64
    switch gift.amount {
    case .count(let number): count = Int64(number)
    case .total(let total, let streak):
      let (key, isNamed) = unsafe (Self.key(gift, streak), streak.count > 0)
      let ms = gift.streakMs.map(Int64.init) ?? limits.streakMs
      let refreshes = gift.refreshes && limits.hasRefresh
      count = growth(to: Int64(total), key, isNamed: isNamed, refreshes: refreshes, for: ms, limits)
      if gift.ends, !isNamed { streaks.items[key] = nil }
    }
    given &+= count
    fingerprint &+= UInt64(bitPattern: count) &* combo
  }

  /// Forgets all ids and streaks.
  mutating func forget() {
    ids = Memory()
    streaks = Memory()
  }

  /// Begins a new epoch.
  package mutating func begin() {
    given = 0
    fingerprint = 0
  }

  /// Returns the key of a streak. A named streak belongs to its sender and gift, for any receiver and combo; an unnamed one to
  /// its combo.
  private static func key(_ gift: Gift, _ streak: Bytes) -> Key {
    var key: Key = []
    let parts =
      unsafe streak.count > 0
      ? [gift.senderID, gift.giftID, streak] : [gift.senderID, gift.receiverID, gift.giftID, gift.combo]
    for index in unsafe parts.indices {
      let part = unsafe parts[index]
      unsafe withUnsafeBytes(of: UInt32(part.count)) { unsafe key += $0 }
      unsafe key += part
    }
    return key
  }

  private mutating func isDuplicate(_ gift: Gift, _ limits: Limits) -> Bool {
    if unsafe gift.id.count == 0 || limits.dedupeMs == 0 || limits.maxIDs == 0 { return false }
    let key = unsafe Key(gift.id)
    let isKnown = ids.items[key].map { $0.expiry >= time } ?? false
    if isKnown, !(gift.refreshes && limits.hasRefresh) { return true }
    // An id that has expired, or that comes again, loses its former place in the order.
    ids.items[key] = nil
    ids.shrink(to: limits.maxIDs - 1, at: time)
    ids.add(key, expiry: time + limits.dedupeMs)
    return isKnown
  }

  private mutating func growth(to total: Int64, _ key: Key, isNamed: Bool, refreshes: Bool, for ms: Int64, _ limits: Limits)
    -> Int64
  {
    var growth = total
    var total = total
    if let known = streaks.items[key], known.expiry >= time {
      if total == known.total || (total < known.total && isNamed) {
        if !refreshes { return 0 }
        (growth, total) = (0, known.total)
      } else if total > known.total {
        growth = total - known.total
      }
    }
    streaks.add(key, total: total, expiry: time + ms)
    streaks.shrink(to: limits.maxStreaks, at: time)
    return growth
  }
}
