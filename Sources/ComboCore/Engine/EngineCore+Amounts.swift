/// Deduplication by gift id, and the counts that running totals add. The specification's *How many*.
extension EngineCore {
  @inline(__always)
  mutating func isDuplicate(_ gift: UnsafePointer<Gift>, at now: Int64) -> Bool {
    let (dedupeMs, maxIds) = (settings.values.dedupeMs, settings.values.maxIds)
    let id = unsafe gift.pointee.id
    if id.count == 0 || dedupeMs == 0 || maxIds == 0 { return false }
    let hash = unsafe gift.pointee.hashes.id != 0 ? gift.pointee.hashes.id : GiftIDs.hash(id, settings.hashSeed)
    if unsafe ids.contains(id, hash: hash, at: now) {
      if unsafe gift.pointee.refreshes { unsafe refresh(id, hash: hash, at: now) }
      return true
    }
    unsafe ids.add(id, hash: hash, expiry: now + Int64(dedupeMs), limit: maxIds, at: now)
    return false
  }

  /// Extends the memory of a repeated id, and keeps the engine awake until it expires.
  @inline(never)
  private mutating func refresh(_ id: Bytes, hash: UInt32, at now: Int64) {
    guard settings.rules.hasRefresh else { return }
    let expiry = now + Int64(settings.values.dedupeMs)
    unsafe ids.refresh(id, hash: hash, expiry: expiry, limit: settings.values.maxIds, at: now)
    let streaks = someStreaks()
    streaks.awakeUntil = max(streaks.awakeUntil, expiry)
  }

  /// Whether a total that changes nothing keeps its streak alive.
  private func keepsAlive(_ gift: UnsafePointer<Gift>) -> Bool { unsafe gift.pointee.refreshes && settings.rules.hasRefresh }

  /// Returns the number of gifts that a total of a named streak adds, and remembers the total, or nil if it is late or repeated.
  @inline(never)
  mutating func growth(to total: Int, streak name: Bytes, of gift: UnsafePointer<Gift>, at now: Int64) -> Int? {
    let (sender, giftID) = unsafe (gift.pointee.senderID, gift.pointee.giftID)
    let key = unsafe Streaks.Key.named(sender: sender, gift: giftID, name: name)
    let hash = unsafe Streaks.hash(sender: sender, gift: giftID, name: name, settings.hashSeed)
    let streaks = someStreaks()
    let known = streaks.find(key, hash: hash, in: store)
    let before = known >= 0 ? streaks.total(known, at: now) ?? 0 : 0
    if total <= before {
      if unsafe keepsAlive(gift) { unsafe remember(before, known, key, hash, gift, at: now, isRefresh: true) }
      return nil
    }
    unsafe remember(total, known, key, hash, gift, at: now)
    return total - before
  }

  /// Returns the number of gifts that a total adds in its combo's own streak, and remembers the total, or nil if it is repeated.
  @inline(never)
  mutating func growth(of combo: Int32, hash: UInt32, _ gift: UnsafePointer<Gift>, at now: Int64) -> Int? {
    guard case .total(let total, _) = unsafe gift.pointee.amount else { preconditionFailure("a gift without a total") }
    let streaks = someStreaks()
    var known = streaks.find(.ofCombo(combo), hash: hash, in: store)
    let before = known >= 0 ? streaks.total(known, at: now) ?? 0 : 0
    if unsafe total != before || keepsAlive(gift) {
      unsafe remember(total, known, .ofCombo(combo), hash, gift, at: now, isRefresh: total == before)
    }
    if unsafe gift.pointee.ends {
      known = streaks.find(.ofCombo(combo), hash: hash, in: store)
      if known >= 0 { streaks.forget(known, combos: &combos, store: &store) }
    }
    // A total below the remembered one begins a new streak.
    return total == before ? nil : total > before ? total - before : total
  }

  private mutating func someStreaks() -> Streaks {
    if let streaks { return streaks }
    let streaks = Streaks()
    self.streaks = streaks
    return streaks
  }

  /// Remembers a total for the gift's own duration if it has one, otherwise for the duration of the setting.
  private mutating func remember(
    _ total: Int, _ known: Int32, _ key: Streaks.Key, _ hash: UInt32, _ gift: UnsafePointer<Gift>, at now: Int64,
    isRefresh: Bool = false
  ) {
    let streaks = someStreaks()
    let own = unsafe gift.pointee.streakMs
    let expiry = now + (own.map(Int64.init) ?? Int64(settings.values.streakMs))
    if own != nil || isRefresh { streaks.awakeUntil = max(streaks.awakeUntil, expiry) }
    if known >= 0 {
      streaks.set(known, total: total, expiry: expiry)
    } else {
      streaks.add(key, hash: hash, total: total, expiry: expiry, combos: combos, store: &store)
    }
    streaks.keep(settings.values.maxStreaks, at: now, combos: &combos, store: &store)
  }
}
