package import ComboCore
internal import ComboWire

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

  private struct ID {
    var expiry: Int64
    var serial: Int
  }

  private struct Streak {
    var total: Int64
    var expiry: Int64
    var serial: Int
  }

  /// Keys with their serial numbers, the oldest first.
  private struct Order {
    private var items: [(key: Key, mark: Int64)] = []
    private var head = 0

    var first: (key: Key, mark: Int64)? { head < items.count ? items[head] : nil }

    mutating func append(_ key: Key, _ mark: Int64) { items.append((key, mark)) }

    mutating func removeFirst() {
      head += 1
      if head >= 1024, head * 2 > items.count {
        items.removeFirst(head)
        head = 0
      }
    }
  }

  /// The number of gifts processed in this epoch, mod 2^64.
  package private(set) var given: Int64 = 0
  /// The sum of these gifts, each multiplied by its combo's identity.
  private(set) var fingerprint: UInt64 = 0

  private var ids: [Key: ID] = [:]
  private var idOrder = Order()
  private var streaks: [Key: Streak] = [:]
  private var streakOrder = Order()
  private var serial = 0
  private var time = Int64.min

  package init() {}

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
      if gift.ends, !isNamed { streaks[key] = nil }
    }
    given &+= count
    fingerprint &+= UInt64(bitPattern: count) &* combo
  }

  /// Forgets all ids and streaks.
  mutating func forget() {
    ids = [:]
    idOrder = Order()
    streaks = [:]
    streakOrder = Order()
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
    let isKnown = ids[key].map { $0.expiry >= time } ?? false
    if isKnown, !(gift.refreshes && limits.hasRefresh) { return true }
    // An id that has expired, or that comes again, loses its former place in the order.
    ids[key] = nil
    while let (old, mark) = idOrder.first {
      let isCurrent = ids[old]?.serial == Int(mark)
      if isCurrent, ids[old]!.expiry >= time { break }
      if isCurrent { ids[old] = nil }
      idOrder.removeFirst()
    }
    if ids.count >= limits.maxIDs {
      // After a change of settings, an id may expire before an older one.
      ids = ids.filter { $0.value.expiry >= time }
      while ids.count >= limits.maxIDs, let (oldest, mark) = idOrder.first {
        if ids[oldest]?.serial == Int(mark) { ids[oldest] = nil }
        idOrder.removeFirst()
      }
    }
    serial += 1
    ids[key] = ID(expiry: time + limits.dedupeMs, serial: serial)
    idOrder.append(key, Int64(serial))
    return isKnown
  }

  private mutating func growth(to total: Int64, _ key: Key, isNamed: Bool, refreshes: Bool, for ms: Int64, _ limits: Limits)
    -> Int64
  {
    var growth = total
    var total = total
    if let known = streaks[key], known.expiry >= time {
      if total == known.total || (total < known.total && isNamed) {
        if !refreshes { return 0 }
        (growth, total) = (0, known.total)
      } else if total > known.total {
        growth = total - known.total
      }
    }
    serial += 1
    streaks[key] = Streak(total: total, expiry: time + ms, serial: serial)
    streakOrder.append(key, Int64(serial))
    while let (old, mark) = streakOrder.first {
      let isCurrent = streaks[old]?.serial == Int(mark)
      if isCurrent, streaks[old]!.expiry >= time { break }
      if isCurrent { streaks[old] = nil }
      streakOrder.removeFirst()
    }
    if streaks.count > limits.maxStreaks {
      streaks = streaks.filter { $0.value.expiry >= time }
      while streaks.count > limits.maxStreaks, let (oldest, mark) = streakOrder.first {
        if streaks[oldest]?.serial == Int(mark) { streaks[oldest] = nil }
        streakOrder.removeFirst()
      }
    }
    return growth
  }
}
