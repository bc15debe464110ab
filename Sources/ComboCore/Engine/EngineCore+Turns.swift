/// Decides which banners must give up a slot, and which leave early. The specification's *Turns*.
extension EngineCore {
  /// The number of banners that leave the queue before the waiting one with this number, as of now, or nil if it does not wait.
  func waitingBefore(_ number: Int) -> Int? {
    func rank(_ index: Int32) -> Int {
      if settings.values.queueOrder == .fifo { return 0 }
      let promoteMs = settings.values.promoteMs
      return tier(index) + (promoteMs > 0 ? Int(time - banners[index].since) / promoteMs : 0)
    }
    var own = queue.first
    while own >= 0, banners[own].number != number { own = banners[own].next }
    if own < 0 { return nil }
    var before = 0
    var other = queue.first
    while other >= 0 {
      let (higher, same) = (rank(other) > rank(own), rank(other) == rank(own))
      if higher || (same && banners[other].number < number) { before += 1 }
      other = banners[other].next
    }
    return before
  }

  var waitingGifts: Int {
    var count = 0
    for i in 0..<screen.count { count += banners[screen[i]].total - banners[screen[i]].shown }
    var waiting = queue.first
    while waiting >= 0 {
      count += banners[waiting].total - banners[waiting].base
      waiting = banners[waiting].next
    }
    return count
  }

  /// The tier of a banner by its worth.
  func tier(_ index: Int32) -> Int { settings.values.tier(of: banners[index].value) }

  /// The long and the short linger of a banner of a tier. Neither is shorter than the banner's own linger.
  private func lingers(_ index: Int32, _ tier: Int) -> (long: Int, short: Int) {
    let own = min(Int(banners[index].ownLingerMs), settings.ownLingerMax)
    if tier == 0 { return (max(own, settings.values.lingerMs), max(own, settings.values.busyLingerMs)) }
    let tier = settings.values.tiers[tier - 1]
    return (max(own, tier.lingerMs), max(own, tier.busyLingerMs))
  }

  /// The end of a short linger that begins at `t`: after `dwell_ms` on screen, but no later than that of a long one, unless the
  /// short one is longer.
  private func shortEnd(_ index: Int32, _ tier: Int, from t: Int64) -> Int64 {
    let (long, short) = lingers(index, tier)
    let least = banners[index].since + Int64(settings.values.dwellMs)
    return max(t + Int64(short), min(least, t + Int64(long)))
  }

  /// The number of slots that become free without a banner, and of banners that would have to leave before it.
  private struct Free {
    var slots: Int
    var before: Int
  }

  /// - Parameter forLinger: Whether to count for a short linger of the banner. Every other banner in a short linger then
  ///   counts, even if it does not leave before this one.
  private func free(without index: Int32, _ tier: Int, at t: Int64, forLinger: Bool) -> Free {
    let end = shortEnd(index, tier, from: t)
    let (since, number) = (banners[index].since, banners[index].number)
    var free = Free(slots: max(0, settings.values.slots - Int(screen.count)), before: 0)
    for i in 0..<screen.count {
      let other = screen[i]
      if other == index { continue }
      if banners[other].isSealed || banners[other].phase == .leaving {
        free.slots += 1
        continue
      }
      if self.tier(other) > tier { continue }
      let lingers = banners[other].phase == .lingering
      let isShort = lingers && banners[other].shortLinger
      let isBefore = banners[other].since < since || (banners[other].since == since && banners[other].number < number)
      if forLinger && isShort || isBefore && (isShort || lingers && banners[other].deadline <= end) {
        free.slots += 1
      } else if isBefore {
        free.before += 1
      }
    }
    return free
  }

  /// Whether the waiting banners of tiers above its own outnumber the slots that become free without it. Only in `tier` order.
  private mutating func isOutranked(_ index: Int32, _ tier: Int, at t: Int64, forLinger: Bool) -> Bool {
    let waiting = waiting(above: tier)
    return waiting > 0 && waiting > free(without: index, tier, at: t, forLinger: forLinger).slots
  }

  /// The number of waiting banners of a tier above `tier`. Only in `tier` order.
  private mutating func waiting(above tier: Int) -> Int {
    if queue.count == 0 || tier >= settings.values.tiers.count { return 0 }
    return waitingOrder().count(above: tier)
  }

  /// The order of the waiting banners, created if there is none.
  mutating func waitingOrder() -> WaitingOrder {
    if let order = queue.order { return order }
    let byTier = settings.values.queueOrder == .tier
    let order = WaitingOrder(tiers: byTier ? settings.values.tiers.count + 1 : 1)
    queue.order = order
    for i in 0..<screen.count where banners[screen[i]].isSealed { banners[screen[i]].firstParked = -1 }
    var index = queue.first
    while index >= 0 {
      Steps.count()
      order.insert(index, tier: byTier ? tier(index) : 0, banners)
      index = banners[index].next
    }
    return order
  }

  /// Whether a banner whose counting has ended at `t` must give up its slot.
  @inline(__always)
  mutating func mustGiveUp(_ index: Int32, at t: Int64) -> Bool {
    if queue.count == 0 { return false }
    let isHeld = settings.values.holdMs > 0 && t >= banners[index].since + Int64(settings.values.holdMs)
    if !isHeld, settings.values.queueOrder == .fifo { return false }
    return mustGiveUp(index, at: t, isHeld: isHeld)
  }

  @inline(never)
  private mutating func mustGiveUp(_ index: Int32, at t: Int64, isHeld: Bool) -> Bool {
    if settings.values.slots == 0 || t < banners[index].since + Int64(settings.values.dwellMs) { return false }
    let tier = tier(index)
    if settings.values.queueOrder == .tier, isOutranked(index, tier, at: t, forLinger: false) { return true }
    if !isHeld { return false }
    let free = free(without: index, tier, at: t, forLinger: false)
    let limit = free.slots + free.before
    return waitingForTurn(tier, at: t, limit: limit) > limit
  }

  /// The number of banners that wait for a turn; if that is above `limit`, any number above it.
  private mutating func waitingForTurn(_ tier: Int, at t: Int64, limit: Int) -> Int {
    let holdMs = settings.values.holdMs
    if settings.values.queueOrder == .tier {
      return waitingOrder().waitingForTurn(
        at: t, tier: tier, promoteMs: settings.values.promoteMs, holdMs: holdMs, limit: limit, banners)
    }
    // Seen banners count once they have waited long enough. These come first in the queue, with few others between them.
    var waiting = Int(queue.unseen)
    var index = queue.first
    while index >= 0, waiting <= limit, banners[index].since <= t - Int64(holdMs) {
      Steps.count()
      if banners[index].base > 0 { waiting += 1 }
      index = banners[index].next
    }
    return waiting
  }

  /// Seals a banner, so that no gift joins it any more.
  mutating func seal(_ index: Int32) {
    banners[index].isSealed = true
    banners[index].firstParked = -1
    waitingOnScreen -= combos[banners[index].combo].waiting
  }

  /// Starts the linger of a banner that has counted to its end.
  mutating func linger(_ index: Int32, at t: Int64) {
    let tier = tier(index)
    let isShort =
      banners[index].isSealed || Int(queue.count) > settings.values.busyThreshold
      || (settings.values.queueOrder == .tier && isOutranked(index, tier, at: t, forLinger: true))
    banners[index].shortLinger = isShort
    enter(.lingering, index, until: isShort ? shortEnd(index, tier, from: t) : t + Int64(lingers(index, tier).long))
  }

  /// Shortens the lingers of banners on screen that are worth less than a waiting one. Called in `tier` order after a gift has
  /// created or joined the waiting banner.
  mutating func hurry(for waiting: Int32, at now: Int64) {
    let tier = tier(waiting)
    while true {
      var first: (tier: Int, deadline: Int64, number: Int, index: Int32)?
      for i in 0..<screen.count {
        let index = screen[i]
        if banners[index].phase != .lingering || banners[index].shortLinger || banners[index].isSealed { continue }
        let candidate = (tier: self.tier(index), deadline: banners[index].deadline, number: banners[index].number, index: index)
        if candidate.tier >= tier { continue }
        if let first,
          (candidate.tier, candidate.deadline, candidate.number) > (first.tier, first.deadline, first.number)
        {
          continue
        }
        if isOutranked(index, candidate.tier, at: now, forLinger: true) { first = candidate }
      }
      guard let first else { return }
      banners[first.index].shortLinger = true
      let end = shortEnd(first.index, first.tier, from: now)
      if end < first.deadline { enter(.lingering, first.index, until: end) }
    }
  }
}
