@testable import ComboCore

extension Model {
  // MARK: - A gift

  mutating func take(_ gift: OwnedGift, at now: Int64) {
    let fate = fates.begin(gift, epoch: epoch, at: now)
    if !gift.id.isEmpty, settings.dedupeMs > 0, settings.maxIds > 0 {
      ids.removeAll { $0.expiry < now }
      if let known = ids.firstIndex(where: { $0.id == gift.id }) {
        if gift.refresh {
          ids.remove(at: known)
          ids.append((gift.id, now + Int64(settings.dedupeMs)))
          while ids.count > settings.maxIds { ids.removeFirst() }
          awakeUntil = max(awakeUntil, now + Int64(settings.dedupeMs))
        }
        fates.all[fate].became = "duplicate"
        return
      }
      ids.append((gift.id, now + Int64(settings.dedupeMs)))
      while ids.count > settings.maxIds { ids.removeFirst() }
    }
    guard let said = howMany(gift, at: now) else {
      fates.all[fate].became = "stale"
      return
    }
    /// Returns how many of the gifts still fit above `total`.
    func cut(_ total: Int) -> Int { min(said, Self.most - total) }
    func join(_ i: Int, _ became: String) {
      let n = cut(banners[i].total)
      banners[i].total += n
      banners[i].value += gift.value * Double(n)
      banners[i].display = gift.display
      banners[i].ownLinger = max(banners[i].ownLinger, gift.lingerMs)
      accepted += n
      fates.joined(fate, banners[i].number, n, became)
    }
    if let i = banners.indices.first(where: { banners[$0].key == gift.key && banners[$0].isOpen }) {
      join(i, "joined")
      if banners[i].phase == .lingering { update(i, at: now) }
      return
    }
    let waiting = queue
    let joinable = settings.queueMerge == .anywhere ? waiting : Array(waiting.suffix(1))
    if let i = joinable.first(where: { banners[$0].key == gift.key }) {
      join(i, "waiting")
      hurry(for: banners[i].number, at: now)
      return
    }
    lastNumber += 1
    let base = takeOver(gift.key, at: now)
    banners.append(
      Banner(number: lastNumber, key: gift.key, base: base, total: base, display: gift.display, created: now))
    fates.all[fate].base = base
    join(banners.count - 1, "new")
    let number = lastNumber
    fill(at: now)
    keepQueue(at: now)
    hurry(for: number, at: now)
  }

  mutating func howMany(_ gift: OwnedGift, at now: Int64) -> Int? {
    switch gift.amount {
    case .count(let count): return count
    case .total(let total, let name):
      let key = name.isEmpty ? gift.key : Key(sender: gift.key.sender, receiver: "", gift: gift.key.gift)
      streaks.removeAll { $0.expiry < now }
      defer { if name.isEmpty, gift.ends { streaks.removeAll { $0.key == key && $0.name.isEmpty } } }
      var n: Int? = total
      var kept = total
      if let i = streaks.firstIndex(where: { $0.key == key && $0.name == name }) {
        let before = streaks[i].total
        if total == before || (total < before && !name.isEmpty) {
          guard gift.refresh else { return nil }
          (n, kept) = (nil, before)
        } else if total > before {
          n = total - before
        }
        streaks.remove(at: i)
      }
      let expiry = now + (gift.streakMs.map(Int64.init) ?? Int64(settings.streakMs))
      if gift.streakMs != nil || n == nil { awakeUntil = max(awakeUntil, expiry) }
      streaks.append(Streak(key: key, name: name, total: kept, expiry: expiry))
      while streaks.count > settings.maxStreaks { streaks.removeFirst() }
      return n
    }
  }

  mutating func takeOver(_ key: Key, at now: Int64) -> Int {
    let left = banners.lastIndex {
      $0.key == key && !$0.takenOver && ($0.phase == .leaving || ($0.isStaying && $0.isSealed))
    }
    if let left {
      banners[left].takenOver = true
      return banners[left].total
    }
    if let i = history.firstIndex(where: { $0.key == key && $0.expiry >= now }) { return history.remove(at: i).total }
    return 0
  }

  mutating func keepQueue(at now: Int64) {
    while queue.count > settings.maxQueue {
      let least = queue.map { banners[$0].value }.min()!
      let i = queue.last { banners[$0].value == least }!
      if settings.skipMs > 0 { addToSum(i, at: now) } else { saySkip(i, .overflow, at: now) }
      banners.remove(at: i)
    }
  }
}
