@testable import ComboCore

/// The rules by which banners give up a slot or leave early.
extension Model {
  func tier(_ i: Int) -> Int { settings.tiers.filter { $0.value <= banners[i].value }.count }

  func rank(_ i: Int, at t: Int64) -> Int {
    tier(i) + (settings.promoteMs > 0 ? Int(t - banners[i].created) / settings.promoteMs : 0)
  }

  /// Returns the durations of a banner's linger and of its short one.
  private func lingers(_ i: Int) -> (long: Int64, short: Int64) {
    let tier = tier(i)
    let own = Int64(min(banners[i].ownLinger, settings.maxLingerMs))
    if tier == 0 { return (max(own, Int64(settings.lingerMs)), max(own, Int64(settings.busyLingerMs))) }
    return (max(own, Int64(settings.tiers[tier - 1].lingerMs)), max(own, Int64(settings.tiers[tier - 1].busyLingerMs)))
  }

  /// Returns when a short linger ends that begins at `t`.
  private func shortEnd(_ i: Int, from t: Int64) -> Int64 {
    let (long, short) = (t + lingers(i).long, t + lingers(i).short)
    let least = banners[i].shownAt + Int64(settings.dwellMs)
    return short >= least ? short : max(short, min(least, long))
  }

  private func comesBefore(_ a: Int, _ b: Int) -> Bool {
    (banners[a].shownAt, banners[a].number) < (banners[b].shownAt, banners[b].number)
  }

  private func isShort(_ i: Int) -> Bool { banners[i].phase == .lingering && banners[i].lingersShort }

  /// Returns the open banners on screen, of a tier not above that of `i`, that leave in time for another one to get a slot
  /// without `i`.
  /// - Parameter forLinger: Whether only a short linger is in question.
  private func comingFree(without i: Int, at t: Int64, forLinger: Bool) -> [Int] {
    let end = shortEnd(i, from: t)
    return screen.filter { j in
      guard j != i, banners[j].isOpen, tier(j) <= tier(i) else { return false }
      if forLinger, isShort(j) { return true }
      return comesBefore(j, i) && (isShort(j) || (banners[j].phase == .lingering && banners[j].deadline <= end))
    }
  }

  func slotsComingFree(without i: Int, at t: Int64, forLinger: Bool) -> Int {
    let leaving = screen.filter { $0 != i && (banners[$0].isSealed || banners[$0].phase == .leaving) }.count
    return leaving + comingFree(without: i, at: t, forLinger: forLinger).count + max(0, settings.slots - screen.count)
  }

  /// Whether, in `tier` order, more banners of higher tiers wait than slots become free without it.
  private func isOutranked(_ i: Int, at t: Int64, forLinger: Bool) -> Bool {
    settings.queueOrder == .tier
      && queue.filter { tier($0) > tier(i) }.count > slotsComingFree(without: i, at: t, forLinger: forLinger)
  }

  func mustGiveUp(_ i: Int, at t: Int64) -> Bool {
    guard settings.slots > 0, t >= banners[i].shownAt + Int64(settings.dwellMs) else { return false }
    if isOutranked(i, at: t, forLinger: false) { return true }
    guard settings.holdMs > 0, t >= banners[i].shownAt + Int64(settings.holdMs) else { return false }
    let waiting = queue.filter { j in
      (banners[j].base == 0 || t >= banners[j].created + Int64(settings.holdMs))
        && (settings.queueOrder == .fifo || rank(j, at: t) >= tier(i))
    }
    let free = comingFree(without: i, at: t, forLinger: false)
    let first = screen.filter { j in
      j != i && banners[j].isOpen && comesBefore(j, i) && tier(j) <= tier(i) && !free.contains(j)
    }
    return waiting.count > slotsComingFree(without: i, at: t, forLinger: false) + first.count
  }

  mutating func linger(_ i: Int, at t: Int64) {
    let isShort =
      banners[i].isSealed || queue.count > settings.busyThreshold || isOutranked(i, at: t, forLinger: true)
    banners[i].deadline = isShort ? shortEnd(i, from: t) : t + lingers(i).long
    banners[i].phase = .lingering
    banners[i].lingersShort = isShort
  }

  /// Lets banners that are worth less leave early, in `tier` order, if this banner waits after a gift has created or joined it.
  mutating func hurry(for number: Int, at now: Int64) {
    guard settings.queueOrder == .tier, let waiting = index(number), banners[waiting].phase == .queued else { return }
    while true {
      let candidates = screen.filter { j in
        banners[j].isOpen && banners[j].phase == .lingering && !banners[j].lingersShort && tier(j) < tier(waiting)
          && isOutranked(j, at: now, forLinger: true)
      }
      let first = candidates.min {
        (tier($0), banners[$0].deadline, banners[$0].number) < (tier($1), banners[$1].deadline, banners[$1].number)
      }
      guard let first else { return }
      banners[first].deadline = min(banners[first].deadline, shortEnd(first, from: now))
      banners[first].lingersShort = true
    }
  }
}
