/// Joins a gift to a banner, or creates one for it. The specification's *Where it goes*.
extension EngineCore {
  /// The maximum of a total.
  static var most: Int { (1 << 53) - 1 }

  @inline(__always)
  func tell(
    _ options: TakeOptions, _ outcome: TakenGift.Outcome, _ banner: Int, _ count: Int, base: Int = 0,
    _ sink: inout some InstructionSink
  ) {
    if options.contains(.followed) {
      sink.took(TakenGift(epoch: epoch, at: time, outcome: outcome, count: count, banner: banner, base: base))
    }
  }

  /// Adds `count` gifts to a banner of their combo, or creates one.
  @inline(__always)
  mutating func join(
    _ combo: Int32, _ gift: UnsafePointer<Gift>, _ count: Int, _ options: TakeOptions, at now: Int64,
    to sink: inout some InstructionSink
  ) {
    let active = combos[combo].active
    if active >= 0, !banners[active].isSealed {
      let count = unsafe add(count, gift, options, to: active)
      tell(options, .joined, banners[active].number, count, &sink)
      if banners[active].phase == .lingering { update(active, at: now, to: &sink) }
      return
    }
    let waiting = combos[combo].firstWaiting
    if waiting >= 0 {
      let joined = settings.values.queueMerge == .anywhere ? waiting : queue.last
      if banners[joined].combo == combo {
        let count = unsafe add(count, gift, options, to: joined)
        tell(options, .waiting, banners[joined].number, count, &sink)
        if settings.values.queueOrder == .tier {
          queue.order?.move(joined, toTier: tier(joined), banners)
          hurry(for: joined, at: now)
        }
        return
      }
    }
    unsafe queueNew(combo, gift, count, options, at: now, to: &sink)
  }

  /// Adds `count` gifts to a banner and returns the number for which there was room.
  @inline(__always)
  private mutating func add(_ count: Int, _ gift: UnsafePointer<Gift>, _ options: TakeOptions, to index: Int32) -> Int {
    let count = min(count, Self.most &- banners[index].total)
    banners[index].total &+= count
    unsafe banners[index].value += gift.pointee.value * Double(count)
    if unsafe gift.pointee.lingerMs > banners[index].ownLingerMs, settings.rules.hasOwnLinger {
      unsafe banners[index].ownLingerMs = gift.pointee.lingerMs
    }
    unsafe banners.setDisplay(index, gift.pointee.display, isLent: options.contains(.lent))
    return count
  }

  /// Creates a new banner of `count` gifts, which waits, if only for a moment.
  private mutating func queueNew(
    _ combo: Int32, _ gift: UnsafePointer<Gift>, _ count: Int, _ options: TakeOptions, at now: Int64,
    to sink: inout some InstructionSink
  ) {
    let base = takeOver(combo, at: now)
    let count = min(count, Self.most &- base)
    let worth = unsafe gift.pointee.value * Double(count)
    if isSurplus(worth) { return unsafe skipNew(gift.pointee.display, count, worth, base: base, options, at: now, to: &sink) }
    lastBanner += 1
    let number = lastBanner
    var banner = Banner()
    banner.number = number
    banner.base = base
    banner.total = base + count
    banner.value += worth
    banner.since = now
    banner.combo = combo
    if settings.rules.hasOwnLinger { unsafe banner.ownLingerMs = gift.pointee.lingerMs }
    combos.retain(combo)
    let index = unsafe banners.add(banner, gift.pointee.display, isLent: options.contains(.lent))
    tell(options, .new, number, count, base: base, &sink)
    queue.append(index, banners, combos)
    if let order = queue.order { order.insert(index, tier: settings.values.queueOrder == .tier ? tier(index) : 0, banners) }
    fill(at: now, to: &sink)
    keepQueue(at: now, to: &sink)
    // The banner is the last in the queue if it still waits.
    if settings.values.queueOrder == .tier, queue.last >= 0, banners[queue.last].number == number {
      hurry(for: queue.last, at: now)
    }
  }

  /// Whether a new banner of this value would be skipped at once: the queue is full, no banner can leave it for the screen, and
  /// none is worth less. Such a banner need not be created, which is the case for most banners of a room that overflows.
  @inline(__always)
  mutating func isSurplus(_ worth: Double) -> Bool {
    if Int(queue.count) != settings.values.maxQueue || waitingOnScreen > 0 { return false }
    return freeSlot() == nil && worth <= banners[queue.leastValuable(banners)].value
  }

  /// Skips a banner that was not created.
  mutating func skipNew(
    _ display: Display, _ count: Int, _ worth: Double, base: Int, _ options: TakeOptions, at now: Int64,
    to sink: inout some InstructionSink
  ) {
    lastBanner += 1
    tell(options, .new, lastBanner, count, base: base, &sink)
    if settings.skipMs > 0 {
      sum(banner: lastBanner, count, worth, at: now, to: &sink)
      if settings.values.finals, base > 0 {
        say(.final(banner: lastBanner, count: base + count, reason: .overflow, display: display), at: now, to: &sink)
      }
      return
    }
    say(.skip(banner: lastBanner, count: count, reason: .overflow, display: display), at: now, worth: worth, to: &sink)
    if settings.values.finals {
      say(.final(banner: lastBanner, count: base + count, reason: .overflow, display: display), at: now, to: &sink)
    }
  }

  /// Returns the count from which a new banner of `combo` continues, and marks it as taken over.
  private mutating func takeOver(_ combo: Int32, at now: Int64) -> Int {
    var left: Int32 = -1
    for i in 0..<screen.count {
      let index = screen[i]
      if banners[index].combo != combo || banners[index].takenOver { continue }
      if banners[index].phase != .leaving && !banners[index].isSealed { continue }
      if left < 0 || banners[index].number > banners[left].number { left = index }
    }
    if left >= 0 {
      banners[left].takenOver = true
      return banners[left].total
    }
    guard combos[combo].hasHistory, combos[combo].historyExpiry >= now else { return 0 }
    let total = combos[combo].historyTotal
    if unsafe combos[combo].final != nil { isEarliestExact = false }
    history.forget(combo, &combos, &store)
    return total
  }
}
