extension Engine {
  /// Returns a description of the first broken invariant, or nil. Call it between two events. Slow; for tests and the simulation.
  package func brokenInvariant() -> String? { core.brokenInvariant() }
}

extension EngineCore {
  fileprivate func brokenInvariant() -> String? {
    if banners.count != screen.count + queue.count { return "a banner is neither on screen nor waiting" }
    if screen.count == 0, queue.count > 0, settings.values.slots > 0 { return "banners wait for an empty screen" }
    if screen.count == 0, screenDeadline != .max { return "an empty screen is to be said" }
    let earliest = computedDeadline
    if earliest < earliestDeadline { return "a deadline is earlier than the earliest" }
    if isEarliestExact, earliest != earliestDeadline { return "the earliest deadline is not known" }
    if let deadline = nextDeadline, deadline < time { return "a deadline is before the time" }
    return brokenOnScreen() ?? brokenInQueue() ?? brokenReferences() ?? ids.brokenInvariant()
  }

  private func brokenOnScreen() -> String? {
    var above: Int32 = -1
    for i in 0..<screen.count {
      let banner = banners[screen[i]]
      if Int32(banner.slot) <= above { return "slots are out of order" }
      above = Int32(banner.slot)
      if banner.phase == .queued { return "a banner on screen waits" }
      if banner.total < banner.shown || banner.shown < banner.base { return "banner \(banner.number): counts do not fit" }
      let isActive = banner.phase != .leaving
      if isActive != (combos[banner.combo].active == screen[i]) { return "banner \(banner.number): its combo does not know it" }
      if isActive && banner.takenOver && !banner.isSealed { return "banner \(banner.number) is taken over and not leaving" }
    }
    for i in 0..<screen.count where banners[screen[i]].isSealed && banners[screen[i]].phase == .leaving {
      return "a banner that leaves is sealed"
    }
    return nil
  }

  private func brokenInQueue() -> String? {
    var (count, onScreen, unseen, number): (Int32, Int32, Int32, Int) = (0, 0, 0, 0)
    var before: Int32 = -1
    var index = queue.first
    while index >= 0 {
      let banner = banners[index]
      if banner.phase != .queued || banner.number <= number || banner.previous != before { return "the queue is out of order" }
      let ofCombo = banner.previousOfCombo
      let isLinked = ofCombo >= 0 ? banners[ofCombo].nextOfCombo == index : combos[banner.combo].firstWaiting == index
      if !isLinked { return "banner \(banner.number): its combo does not know that it waits" }
      if banner.nextOfCombo < 0, combos[banner.combo].lastWaiting != index { return "a combo's last waiting banner is not" }
      let active = combos[banner.combo].active
      if active >= 0, !banners[active].isSealed { onScreen += 1 }
      if banner.base == 0 { unseen += 1 }
      (count, number, before) = (count + 1, banner.number, index)
      index = banner.next
    }
    if unseen != queue.unseen { return "\(unseen) have not been seen, not \(queue.unseen)" }
    if count != queue.count || before != queue.last { return "the queue's ends or its count are wrong" }
    return onScreen == waitingOnScreen ? nil : "\(onScreen) wait whose combo is on screen, not \(waitingOnScreen)"
  }

  private func brokenReferences() -> String? {
    var references: [Int32: Int32] = [:]
    for i in 0..<screen.count { references[banners[screen[i]].combo, default: 0] += 1 }
    var index = queue.first
    while index >= 0 {
      references[banners[index].combo, default: 0] += 1
      index = banners[index].next
    }
    history.forEach(combos) { references[$0, default: 0] += 1 }
    var nameBytes = 0
    streaks?.forEach(validAt: .min, in: store) { key, _, _ in
      switch key {
      case .ofCombo(let combo): references[combo, default: 0] += 1
      case .named(let sender, let gift, let name): nameBytes += sender.count + gift.count + name.count
      }
    }
    if references.count != combos.count { return "\(combos.count) combos, of which \(references.count) are needed" }
    for (combo, count) in references where combos[combo].references != count {
      return "combo \(combo) has \(combos[combo].references) references, not \(count)"
    }
    let bytes = references.keys.reduce(nameBytes) { $0 + combos[$1].lengthInStore }
    return bytes == store.live ? nil : "\(store.live) bytes of keys and names are held, not \(bytes)"
  }
}
