/// What happens on the screen: the steps of a banner's life, and how free slots are filled.
extension EngineCore {
  mutating func advance(to now: Int64, to sink: inout some InstructionSink) {
    while earliestDeadline <= now {
      var due: Int32 = -1
      var deadline = Int64.max
      for i in 0..<screen.count {
        let index = screen[i]
        let other = banners[index].deadline
        if other < deadline || (other == deadline && due >= 0 && banners[index].number < banners[due].number) {
          due = index
          deadline = other
        }
      }
      // The screen is said after every step of the same time.
      earliestDeadline = due < 0 ? .max : min(deadline, screenDeadline)
      isEarliestExact = true
      if earliestDeadline > now { return }
      if screenDeadline < deadline {
        time = max(time, screenDeadline)
        sayScreen(at: screenDeadline, to: &sink)
        screenDeadline = settings.values.screenMs > 0 ? screenDeadline + Int64(settings.values.screenMs) : .max
      } else {
        time = max(time, deadline)
        step(due, at: deadline, to: &sink)
      }
    }
  }

  /// A banner on screen reaches its deadline, `t`.
  private mutating func step(_ index: Int32, at t: Int64, to sink: inout some InstructionSink) {
    switch banners[index].phase {
    case .queued:
      preconditionFailure("a banner that waits has no deadline")
    case .entering:
      if banners[index].total > banners[index].shown {
        update(index, at: t, to: &sink)
      } else {
        enter(.counting, index, until: t + Int64(settings.values.countMs))
      }
    case .counting:
      if banners[index].total > banners[index].shown { update(index, at: t, to: &sink) } else { linger(index, at: t) }
    case .lingering:
      dismiss(index, banners[index].shortLinger ? .busy : .idle, at: t, to: &sink)
    case .leaving:
      gone(index, at: t, to: &sink)
    }
  }

  @inline(__always)
  private mutating func enter(_ phase: BannerState.Phase, _ index: Int32, until deadline: Int64) {
    if deadline <= earliestDeadline {
      earliestDeadline = deadline
      isEarliestExact = true
    } else if banners[index].deadline == earliestDeadline {
      isEarliestExact = false
    }
    banners[index].phase = phase
    banners[index].deadline = deadline
  }

  private mutating func linger(_ index: Int32, at t: Int64) {
    let tier = settings.values.tier(of: banners[index].value)
    let isShort =
      Int(queue.count) > settings.values.busyThreshold
      || (settings.values.queueOrder == .tier && someoneWaits(above: tier))
    let duration =
      tier > 0
      ? (isShort ? settings.values.tiers[tier - 1].busyLingerMs : settings.values.tiers[tier - 1].lingerMs)
      : (isShort ? settings.values.busyLingerMs : settings.values.lingerMs)
    banners[index].shortLinger = isShort
    enter(.lingering, index, until: t + Int64(duration))
  }

  private func someoneWaits(above tier: Int) -> Bool {
    guard tier < settings.values.tiers.count else { return false }
    let value = settings.values.tiers[tier].value
    var index = queue.first
    while index >= 0 {
      if banners[index].value >= value { return true }
      index = banners[index].next
    }
    return false
  }

  private mutating func gone(_ index: Int32, at t: Int64, to sink: inout some InstructionSink) {
    screen.remove(index)
    if screen.count == 0 { screenDeadline = .max }
    history.dropExpired(before: t, &combos, &store)
    if !banners[index].takenOver {
      history.add(
        banners[index].combo, total: banners[index].total, expiry: t + Int64(settings.values.reuseMs), combos)
    }
    drop(index)
    fill(at: t, to: &sink)
    if isIdle { idleSince = t }
    if store.isWasteful { tidy() }
  }

  /// A banner is no more: neither on screen nor waiting.
  private mutating func drop(_ index: Int32) {
    let combo = banners[index].combo
    banners.remove(index)
    combos.release(combo, in: &store)
  }

  /// The new count goes to the screen.
  mutating func update(_ index: Int32, at t: Int64, to sink: inout some InstructionSink) {
    let (before, total) = (banners[index].shown, banners[index].total)
    banners[index].shown = total
    enter(.counting, index, until: t + Int64(settings.values.countMs))
    say(
      .update(
        banner: banners[index].number, slot: Int(banners[index].slot), count: total, added: total - before,
        milestone: milestone(above: before, to: total)), at: t, to: &sink)
  }

  /// A banner that is on screen leaves, unless it does so already.
  mutating func dismiss(_ index: Int32, _ reason: DismissReason, at t: Int64, to sink: inout some InstructionSink) {
    if banners[index].phase == .leaving { return }
    enter(.leaving, index, until: t + Int64(settings.values.exitMs))
    let combo = banners[index].combo
    combos[combo].active = -1
    waitingOnScreen -= waiting(combo)
    say(
      .dismiss(
        banner: banners[index].number, slot: Int(banners[index].slot), count: banners[index].total, reason: reason), at: t,
      to: &sink)
  }

  /// A banner that waits will never be shown.
  mutating func skip(_ index: Int32, _ reason: SkipReason, at t: Int64, to sink: inout some InstructionSink) {
    takeFromQueue(index)
    let banner = banners[index]
    say(
      .skip(
        banner: banner.number, count: banner.total - banner.base, reason: reason, display: banners.display(index)), at: t,
      to: &sink)
    drop(index)
  }

  private mutating func takeFromQueue(_ index: Int32) {
    if combos[banners[index].combo].active >= 0 { waitingOnScreen -= 1 }
    queue.remove(index, banners, combos)
  }

  /// How many banners of a combo wait.
  private func waiting(_ combo: Int32) -> Int32 {
    var count: Int32 = 0
    var index = combos[combo].firstWaiting
    while index >= 0 {
      count += 1
      index = banners[index].nextOfCombo
    }
    return count
  }

  /// Those that wait come on screen, as far as there is room at `t`.
  mutating func fill(at t: Int64, to sink: inout some InstructionSink) {
    while queue.count > 0 {
      let slot = freeSlot()
      // Nothing can be shown, nothing merged: no need to find out who would be next.
      if slot == nil && waitingOnScreen == 0 { return }
      let index = next(at: t)
      let active = combos[banners[index].combo].active
      if active >= 0 {
        merge(index, into: active, at: t, to: &sink)
      } else if let slot {
        show(index, pushing: slot, at: t, to: &sink)
      } else {
        return
      }
    }
  }

  /// While too many wait, the one with the lowest value is skipped.
  mutating func keepQueue(at t: Int64, to sink: inout some InstructionSink) {
    while Int(queue.count) > settings.values.maxQueue { skip(queue.leastValuable(banners), .overflow, at: t, to: &sink) }
  }

  /// The lowest free slot, if a banner may enter: none is pushed while it slides out.
  func freeSlot() -> Int32? {
    let slots = Int32(settings.values.slots)
    if screen.count >= slots { return nil }
    // Fewer banners than slots: one of the lowest `screen.count + 1` slots is free.
    var slot: Int32 = 0
    while slot < screen.count, banners[screen[slot]].slot == slot {
      if banners[screen[slot]].phase == .leaving { return nil }
      slot += 1
    }
    return slot
  }

  /// Who is next in the queue, which is not empty.
  private func next(at t: Int64) -> Int32 {
    if settings.values.queueOrder == .fifo { return queue.first }
    var best = queue.first
    var bestRank = -1
    var index = queue.first
    while index >= 0 {
      var rank = settings.values.tier(of: banners[index].value)
      if settings.values.promoteMs > 0 { rank += Int(t - banners[index].created) / settings.values.promoteMs }
      if rank > bestRank {
        best = index
        bestRank = rank
      }
      index = banners[index].next
    }
    return best
  }

  /// A banner that waits joins the one of its combo that is on screen.
  private mutating func merge(_ index: Int32, into active: Int32, at t: Int64, to sink: inout some InstructionSink) {
    takeFromQueue(index)
    banners[active].total += banners[index].total - banners[index].base
    banners[active].value += banners[index].value
    banners.setDisplay(active, banners.display(index), isLent: banners[index].isLent)
    drop(index)
    if banners[active].phase == .lingering { update(active, at: t, to: &sink) }
  }

  /// A banner enters at the bottom; those in the slots below `slot` move up.
  private mutating func show(_ index: Int32, pushing slot: Int32, at t: Int64, to sink: inout some InstructionSink) {
    takeFromQueue(index)
    if screen.count == 0 {
      screenDeadline = settings.values.screenMs > 0 ? t + Int64(settings.values.screenMs) : .max
      earliestDeadline = min(earliestDeadline, screenDeadline)
    }
    for i in stride(from: slot - 1, through: 0, by: -1) {
      banners[screen[i]].slot += 1
      say(.moveUp(banner: banners[screen[i]].number, slot: Int(i) + 1), at: t, to: &sink)
    }
    screen.insertFirst(index)
    banners[index].slot = 0
    banners[index].shown = banners[index].total
    enter(.entering, index, until: t + Int64(settings.values.enterMs))
    let banner = banners[index]
    combos[banner.combo].active = index
    waitingOnScreen += waiting(banner.combo)
    say(
      .show(
        banner: banner.number, count: banner.total, base: banner.base,
        milestone: milestone(above: banner.base, to: banner.total), display: banners.display(index)), at: t, to: &sink)
  }

  /// The whole screen, for those who join late.
  mutating func sayScreen(at t: Int64, to sink: inout some InstructionSink) {
    say(.screen(screenBanners), at: t, to: &sink)
  }

  /// What a `screen` tells, lowest slot first; borrowed.
  var screenBanners: [Instruction.ScreenBanner] {
    (0..<screen.count).compactMap { place in
      let banner = banners[screen[place]]
      if banner.phase == .leaving { return nil }
      return Instruction.ScreenBanner(
        banner: banner.number, slot: Int(banner.slot), count: banner.shown, base: banner.base,
        display: banners.display(screen[place]))
    }
  }

  private func milestone(above before: Int, to count: Int) -> Int? {
    if settings.values.milestones.isEmpty { return nil }
    return settings.values.milestones.last { $0 > before && $0 <= count }
  }

  @inline(__always)
  mutating func say(_ operation: Instruction.Operation, at t: Int64, to sink: inout some InstructionSink) {
    seq += 1
    sink.say(Instruction(epoch: epoch, seq: seq, at: t, operation: operation))
  }
}
