/// The steps of a banner's life on screen, and the assignment of free slots.
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
      let final = history.nextFinal(combos)
      let finalDue = final?.due ?? .max
      // At the same time, banners step first; then follow the screen, finals and the sum of skips.
      let sumDue = skipSum.deadline
      earliestDeadline = min(min(deadline, screenDeadline), min(finalDue, sumDue))
      isEarliestExact = true
      if earliestDeadline > now { return }
      let t = earliestDeadline
      precondition(t >= time, "a step that was due earlier")
      time = t
      if deadline == t {
        step(due, at: t, to: &sink)
      } else if screenDeadline == t {
        say(.screen(screenBanners), at: t, to: &sink)
        screenDeadline = settings.values.screenMs > 0 ? t + Int64(settings.values.screenMs) : .max
      } else if finalDue == t, let final {
        sayFinal(final.combo, at: t, to: &sink)
        history.forget(final.combo, &combos, &store)
        if store.isWasteful { tidy() }
      } else {
        sayDueSum(at: t, to: &sink)
      }
    }
  }

  /// Runs the step of a banner on screen that reaches its deadline, `t`.
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
      if !banners[index].isSealed, mustGiveUp(index, at: t) { seal(index) }
      if banners[index].total > banners[index].shown { update(index, at: t, to: &sink) } else { linger(index, at: t) }
    case .lingering:
      let reason = banners[index].isSealed ? DismissReason.turn : banners[index].shortLinger ? .busy : .idle
      dismiss(index, reason, at: t, to: &sink)
    case .leaving:
      gone(index, at: t, to: &sink)
    }
  }

  @inline(__always)
  mutating func enter(_ phase: BannerState.Phase, _ index: Int32, until deadline: Int64) {
    if deadline <= earliestDeadline {
      earliestDeadline = deadline
      isEarliestExact = true
    } else if banners[index].deadline == earliestDeadline {
      isEarliestExact = false
    }
    banners[index].phase = phase
    banners[index].deadline = deadline
  }

  private mutating func gone(_ index: Int32, at t: Int64, to sink: inout some InstructionSink) {
    screen.remove(index)
    if screen.count == 0 { screenDeadline = .max }
    history.dropExpired(before: t, &combos, &store)
    if !banners[index].takenOver { becomeHistory(index, at: t, to: &sink) }
    drop(index)
    fill(at: t, to: &sink)
    if isIdle { idleSince = t }
    if store.isWasteful { tidy() }
  }

  /// Adds the combo of a banner that has left to the history, so that its count can be taken over.
  private mutating func becomeHistory(_ index: Int32, at t: Int64, to sink: inout some InstructionSink) {
    let combo = banners[index].combo
    if combos[combo].hasHistory {
      if unsafe combos[combo].final != nil { sayFinal(combo, at: t, to: &sink) }
      history.forget(combo, &combos, &store)
    }
    let expiry = t + Int64(settings.values.reuseMs)
    var final: UnsafeMutablePointer<PastRun>?
    if settings.values.finals {
      unsafe final = unsafe PastRun.make(banners[index].number, banners.display(index))
      earliestDeadline = min(earliestDeadline, expiry + 1)
    }
    unsafe history.add(combo, total: banners[index].total, expiry: expiry, final: final, &combos)
    while Int(history.count) > settings.values.maxHistory {
      if unsafe combos[history.first].final != nil { sayFinal(history.first, at: t, to: &sink) }
      history.forget(history.first, &combos, &store)
    }
  }

  /// Emits the pending final of a combo in the history.
  private mutating func sayFinal(_ combo: Int32, at t: Int64, to sink: inout some InstructionSink) {
    guard let run = unsafe combos[combo].final else { preconditionFailure("a combo without a final to come") }
    // The memory is freed when the history is forgotten, which happens later.
    unsafe say(
      .final(banner: run.pointee.number, count: combos[combo].historyTotal, reason: .over, display: PastRun.display(run)),
      at: t, to: &sink)
    isEarliestExact = false
  }

  /// Removes a banner that is neither on screen nor waiting any more.
  mutating func drop(_ index: Int32) {
    let combo = banners[index].combo
    banners.remove(index)
    combos.release(combo, in: &store)
  }

  /// Emits the new count if it has grown.
  mutating func update(_ index: Int32, at t: Int64, to sink: inout some InstructionSink) {
    let (before, total) = (banners[index].shown, banners[index].total)
    if total == before { return }
    let waited = longestWait(index, at: t)
    banners[index].shown = total
    enter(.counting, index, until: t + Int64(settings.values.countMs))
    say(
      .update(
        banner: banners[index].number, slot: Int(banners[index].slot), count: total, added: total - before,
        milestone: milestone(above: before, to: total)), at: t, waited: waited, to: &sink)
  }

  /// The longest time that a gift of a banner's next update can have waited: since the last number change, as far as that is
  /// known, or longer if it waited in another banner before (``Banner/carriedWait``).
  private mutating func longestWait(_ index: Int32, at t: Int64) -> Int64 {
    let carried = Int64(banners[index].carriedWait)
    banners[index].carriedWait = -1
    switch banners[index].phase {
    case .entering: return max(carried, t - banners[index].since)
    case .counting: return max(carried, Int64(settings.values.countMs))
    case .lingering, .leaving, .queued: return max(carried, 0)
    }
  }

  /// Lets a banner on screen leave, unless it is already leaving.
  mutating func dismiss(_ index: Int32, _ reason: DismissReason, at t: Int64, to sink: inout some InstructionSink) {
    if banners[index].phase == .leaving { return }
    enter(.leaving, index, until: t + Int64(settings.values.exitMs))
    let combo = banners[index].combo
    combos[combo].active = -1
    if banners[index].isSealed {
      banners[index].isSealed = false
      queue.order?.unpark(index, banners)
    } else {
      waitingOnScreen -= combos[combo].waiting
    }
    say(
      .dismiss(
        banner: banners[index].number, slot: Int(banners[index].slot), count: banners[index].total, reason: reason), at: t,
      to: &sink)
  }

  /// Skips a waiting banner: it will never be shown.
  mutating func skip(_ index: Int32, _ reason: SkipReason, at t: Int64, to sink: inout some InstructionSink) {
    takeFromQueue(index)
    let banner = banners[index]
    say(
      .skip(
        banner: banner.number, count: banner.total - banner.base, reason: reason, display: banners.display(index)), at: t,
      worth: banner.value, to: &sink)
    if settings.values.finals {
      let reason = FinalReason(reason)
      say(
        .final(banner: banner.number, count: banner.total, reason: reason, display: banners.display(index)), at: t, to: &sink)
    }
    drop(index)
  }

  /// Lets a banner leave because the room is closed or its gifts are retracted. No banner takes over its count.
  mutating func clear(
    _ index: Int32, _ reason: DismissReason, _ ended: inout EndedRuns, at t: Int64, to sink: inout some InstructionSink
  ) {
    dismiss(index, reason, at: t, to: &sink)
    if settings.values.finals, !banners[index].takenOver { ended.add(banner: index, banners) }
    banners[index].takenOver = true
  }

  /// Emits the finals of runs that end with cleared banners, by ascending banner number.
  mutating func say(_ ended: EndedRuns, _ reason: FinalReason, at t: Int64, to sink: inout some InstructionSink) {
    for run in ended.runs.sorted(by: { $0.number < $1.number }) {
      if run.banner >= 0 {
        say(
          .final(
            banner: run.number, count: banners[run.banner].total, reason: reason, display: banners.display(run.banner)),
          at: t, to: &sink)
      } else if let final = unsafe combos[run.combo].final {
        unsafe say(
          .final(banner: run.number, count: combos[run.combo].historyTotal, reason: reason, display: PastRun.display(final)),
          at: t, to: &sink)
      }
    }
  }

  mutating func takeFromQueue(_ index: Int32) {
    let active = combos[banners[index].combo].active
    let isSealed = active >= 0 && banners[active].isSealed
    if active >= 0, !isSealed { waitingOnScreen -= 1 }
    if let order = queue.order { order.remove(index, sealed: isSealed ? active : -1, banners) }
    queue.remove(index, banners, combos)
  }

  /// Moves waiting banners to the screen at `t` while there is room.
  mutating func fill(at t: Int64, to sink: inout some InstructionSink) {
    while queue.count > 0 {
      let slot = freeSlot()
      // No banner can be shown or merged, so the next one need not be found.
      if slot == nil && waitingOnScreen == 0 { return }
      let index = next(at: t)
      if index < 0 { return }
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

  /// Skips the banners with the lowest values until the queue is within its limit.
  mutating func keepQueue(at t: Int64, to sink: inout some InstructionSink) {
    while Int(queue.count) > settings.values.maxQueue {
      let index = queue.leastValuable(banners)
      if settings.skipMs > 0 { sum(index, at: t, to: &sink) } else { skip(index, .overflow, at: t, to: &sink) }
    }
  }

  /// The lowest free slot if a banner may enter, otherwise nil. A banner that slides out is never pushed.
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

  /// The next waiting banner that is not passed over, or -1. At least one must wait.
  private mutating func next(at t: Int64) -> Int32 {
    if settings.values.queueOrder == .fifo, queue.order == nil {
      var index = queue.first
      for _ in 0..<Self.passedOverSearched {
        if index < 0 || sealed(banners[index].combo) < 0 { return index }
        index = banners[index].next
      }
    } else if queue.count == 1, queue.order == nil {
      return sealed(banners[queue.first].combo) < 0 ? queue.first : -1
    }
    let order = waitingOrder()
    let promoteMs = settings.values.queueOrder == .tier ? settings.values.promoteMs : 0
    let (banners, combos) = (banners, combos)
    return order.next(at: t, promoteMs: promoteMs, banners) { index in
      let active = combos[banners[index].combo].active
      return active >= 0 && banners[active].isSealed ? active : -1
    }
  }

  /// The number of banners passed over one by one in `fifo` order before a ``WaitingOrder`` is created.
  private static var passedOverSearched: Int { 8 }

  /// The sealed banner of a combo on screen, or -1.
  @inline(__always)
  private func sealed(_ combo: Int32) -> Int32 {
    let active = combos[combo].active
    return active >= 0 && banners[active].isSealed ? active : -1
  }

  /// Merges a waiting banner into the banner of its combo on screen.
  private mutating func merge(_ index: Int32, into active: Int32, at t: Int64, to sink: inout some InstructionSink) {
    takeFromQueue(index)
    let banner = banners[index]
    if settings.values.finals, banner.base > 0 {
      say(.final(banner: banner.number, count: banner.base, reason: .over, display: banners.display(index)), at: t, to: &sink)
    }
    banners[active].total = min(Self.most, banners[active].total + banner.total - banner.base)
    banners[active].value += banner.value
    banners[active].ownLingerMs = max(banners[active].ownLingerMs, banner.ownLingerMs)
    banners.setDisplay(active, banners.display(index), isLent: banner.isLent)
    banners[active].carriedWait = max(banners[active].carriedWait, Int32(clamping: t - banner.since))
    sink.merged(banner.number, into: banners[active].number)
    drop(index)
    if banners[active].phase == .lingering { update(active, at: t, to: &sink) }
  }

  /// Shows a banner at the bottom; those in the slots below `slot` move up.
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
    let waited = t - banners[index].since
    banners[index].since = t
    banners[index].carriedWait = -1
    banners[index].shown = banners[index].total
    enter(.entering, index, until: t + Int64(settings.values.enterMs))
    let banner = banners[index]
    combos[banner.combo].active = index
    waitingOnScreen += combos[banner.combo].waiting
    say(
      .show(
        banner: banner.number, count: banner.total, base: banner.base,
        milestone: milestone(above: banner.base, to: banner.total), display: banners.display(index)), at: t, waited: waited,
      to: &sink)
  }

  /// The banners of a `screen`, lowest slot first, with borrowed display data.
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
  mutating func say(
    _ operation: Instruction.Operation, at t: Int64, waited: Int64 = -1, worth: Double = 0, to sink: inout some InstructionSink
  ) {
    seq += 1
    sink.say(Instruction(epoch: epoch, seq: seq, at: t, operation: operation, waited: waited, worth: worth))
  }
}
