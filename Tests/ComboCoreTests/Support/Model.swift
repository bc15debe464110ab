@testable import ComboCore

/// The engine once more, as plainly as the specification says it: lists that are searched from end to end, nothing
/// kept that could be worked out. Slow, and written without a look at the engine.
struct Model {
  struct Banner {
    var number: Int
    var key: Key
    var base: Int
    var total: Int
    var shown = 0
    var display: OwnedDisplay
    var value = 0.0
    var created: Int64
    var phase = BannerState.Phase.queued
    var slot = 0
    var deadline: Int64 = 0
    var lingersShort = false
    var takenOver = false

    var isActive: Bool { phase == .entering || phase == .counting || phase == .lingering }
    var isOnScreen: Bool { phase != .queued }
  }
  struct Memory {
    var key: Key
    var name = ""
    var total: Int
    var expiry: Int64
  }

  var service: Settings { didSet { settings = service.with(own) } }
  var own = OwnSettings() { didSet { settings = service.with(own) } }
  private(set) var settings: Settings
  var epoch: Int64
  var seq = 0
  var lastNumber = 0
  var time: Int64
  var idleSince: Int64
  var screenDeadline: Int64?
  /// All that are queued or on screen, in the order of their numbers.
  var banners: [Banner] = []
  var history: [Memory] = []
  var streaks: [Memory] = []
  var ids: [(id: String, expiry: Int64)] = []
  var said: [Said] = []
  /// What it accepted, for the sum at the end.
  var accepted = 0

  var queue: [Int] { banners.indices.filter { banners[$0].phase == .queued } }
  /// Lowest slot first.
  var screen: [Int] { banners.indices.filter { banners[$0].isOnScreen }.sorted { banners[$0].slot < banners[$1].slot } }
  var isIdle: Bool { banners.isEmpty }

  init(at now: Int64, _ settings: Settings) {
    service = settings
    self.settings = settings
    epoch = now
    time = now
    idleSince = now
  }

  // MARK: - Events

  mutating func apply(_ event: Event, at given: Int64) {
    if case .advance = event { return advance(to: given) }
    if case .shift(let milliseconds) = event { return shift(by: milliseconds) }
    let now = max(given, time)
    advance(to: now)
    switch event {
    case .gift(let gift):
      replaceIfRested(at: now)
      time = now
      take(gift, at: now)
    case .settings(let settings):
      replaceIfRested(at: now)
      time = now
      own = settings
      settingsHaveChanged(at: now)
    case .adopt(let settings):
      replaceIfRested(at: now)
      time = now
      service = settings
      settingsHaveChanged(at: now)
    case .closed:
      time = now
      clear(.closed, .closed, at: now) { _ in true }
      ids = []
      streaks = []
      own = OwnSettings()
    case .retract(let sender, let receiver, let gift):
      time = now
      clear(.retracted, .retracted, at: now) { key in
        key.sender == sender && (receiver.isEmpty || key.receiver == receiver) && (gift.isEmpty || key.gift == gift)
      }
    case .advance, .shift: break
    }
  }

  mutating func replaceIfRested(at now: Int64) {
    let rest = [settings.restMs, settings.reuseMs, settings.dedupeMs, settings.streakMs].max()!
    if isIdle, now > idleSince + Int64(rest) {
      var new = Model(at: now, service)
      new.own = own
      new.said = said
      new.accepted = accepted
      self = new
    }
  }

  mutating func clear(_ dismissal: DismissReason, _ skipping: SkipReason, at now: Int64, _ isMeant: (Key) -> Bool) {
    for i in screen where isMeant(banners[i].key) {
      if banners[i].isActive { dismiss(i, dismissal, at: now) }
      banners[i].takenOver = true
    }
    for i in queue where isMeant(banners[i].key) { saySkip(i, skipping, at: now) }
    banners.removeAll { $0.phase == .queued && isMeant($0.key) }
    history.removeAll { isMeant($0.key) }
  }

  mutating func settingsHaveChanged(at now: Int64) {
    if !screen.isEmpty, screenDeadline == nil, settings.screenMs > 0 { screenDeadline = now + Int64(settings.screenMs) }
    fill(at: now)
    keepQueue(at: now)
  }

  mutating func shift(by d: Int64) {
    for i in banners.indices {
      if banners[i].isOnScreen { banners[i].deadline += d } else { banners[i].created += d }
    }
    for i in history.indices { history[i].expiry += d }
    for i in streaks.indices { streaks[i].expiry += d }
    for i in ids.indices { ids[i].expiry += d }
    if let deadline = screenDeadline { screenDeadline = deadline + d }
    idleSince += d
    time += d
  }

  // MARK: - A gift

  mutating func take(_ gift: OwnedGift, at now: Int64) {
    if !gift.id.isEmpty, settings.dedupeMs > 0, settings.maxIds > 0 {
      ids.removeAll { $0.expiry < now }
      if ids.contains(where: { $0.id == gift.id }) { return }
      ids.append((gift.id, now + Int64(settings.dedupeMs)))
      while ids.count > settings.maxIds { ids.removeFirst() }
    }
    guard let n = howMany(gift, at: now) else { return }
    accepted += n
    let worth = gift.value * Double(n)
    func join(_ i: Int) {
      banners[i].total += n
      banners[i].value += worth
      banners[i].display = gift.display
    }
    if let i = banners.indices.first(where: { banners[$0].key == gift.key && banners[$0].isActive }) {
      join(i)
      if banners[i].phase == .lingering { update(i, at: now) }
      return
    }
    let waiting = queue
    let joinable = settings.queueMerge == .anywhere ? waiting : Array(waiting.suffix(1))
    if let i = joinable.first(where: { banners[$0].key == gift.key }) {
      join(i)
      return
    }
    lastNumber += 1
    let base = takeOver(gift.key, at: now)
    banners.append(
      Banner(number: lastNumber, key: gift.key, base: base, total: base, display: gift.display, created: now))
    join(banners.count - 1)
    fill(at: now)
    keepQueue(at: now)
  }

  mutating func howMany(_ gift: OwnedGift, at now: Int64) -> Int? {
    guard case .total(let total, let name) = gift.amount else {
      if case .count(let count) = gift.amount { return count }
      return nil
    }
    streaks.removeAll { $0.expiry < now }
    var n = total
    if let i = streaks.firstIndex(where: { $0.key == gift.key && $0.name == name }) {
      let before = streaks[i].total
      if total == before || (total < before && !name.isEmpty) { return nil }
      if total > before { n = total - before }
      streaks.remove(at: i)
    }
    streaks.append(Memory(key: gift.key, name: name, total: total, expiry: now + Int64(settings.streakMs)))
    while streaks.count > settings.maxStreaks { streaks.removeFirst() }
    return n
  }

  mutating func takeOver(_ key: Key, at now: Int64) -> Int {
    if let i = banners.lastIndex(where: { $0.key == key && $0.phase == .leaving && !$0.takenOver }) {
      banners[i].takenOver = true
      return banners[i].total
    }
    if let i = history.firstIndex(where: { $0.key == key && $0.expiry >= now }) { return history.remove(at: i).total }
    return 0
  }

  mutating func keepQueue(at now: Int64) {
    while queue.count > settings.maxQueue {
      let least = queue.map { banners[$0].value }.min()!
      let i = queue.last { banners[$0].value == least }!
      saySkip(i, .overflow, at: now)
      banners.remove(at: i)
    }
  }

  // MARK: - Steps

  mutating func advance(to now: Int64) {
    while true {
      let due = screen.min { (banners[$0].deadline, banners[$0].number) < (banners[$1].deadline, banners[$1].number) }
      if let screenDue = screenDeadline, screenDue <= now, due.map({ screenDue < banners[$0].deadline }) ?? true {
        time = max(time, screenDue)
        sayScreen(at: screenDue)
        screenDeadline = settings.screenMs > 0 ? screenDue + Int64(settings.screenMs) : nil
        continue
      }
      guard let i = due, banners[i].deadline <= now else { return }
      let t = banners[i].deadline
      time = max(time, t)
      switch banners[i].phase {
      case .queued: fatalError("on screen and in the queue")
      case .entering:
        if banners[i].total > banners[i].shown {
          update(i, at: t)
        } else {
          banners[i].phase = .counting
          banners[i].deadline = t + Int64(settings.countMs)
        }
      case .counting:
        if banners[i].total > banners[i].shown { update(i, at: t) } else { linger(i, at: t) }
      case .lingering: dismiss(i, banners[i].lingersShort ? .busy : .idle, at: t)
      case .leaving: leave(i, at: t)
      }
    }
  }

  func tier(_ i: Int) -> Int { settings.tiers.filter { $0.value <= banners[i].value }.count }

  mutating func linger(_ i: Int, at t: Int64) {
    let isBusy = queue.count > settings.busyThreshold
    let betterWaits = settings.queueOrder == .tier && queue.contains { tier($0) > tier(i) }
    let lingers =
      tier(i) == 0
      ? (settings.lingerMs, settings.busyLingerMs)
      : (settings.tiers[tier(i) - 1].lingerMs, settings.tiers[tier(i) - 1].busyLingerMs)
    banners[i].phase = .lingering
    banners[i].lingersShort = isBusy || betterWaits
    banners[i].deadline = t + Int64(banners[i].lingersShort ? lingers.1 : lingers.0)
  }

  mutating func leave(_ i: Int, at t: Int64) {
    let banner = banners.remove(at: i)
    if !banner.takenOver {
      history.removeAll { $0.key == banner.key }
      history.append(Memory(key: banner.key, total: banner.total, expiry: t + Int64(settings.reuseMs)))
    }
    if screen.isEmpty { screenDeadline = nil }
    fill(at: t)
    if isIdle { idleSince = t }
  }

  mutating func fill(at t: Int64) {
    while let i = next(at: t) {
      if let active = banners.indices.first(where: { banners[$0].key == banners[i].key && banners[$0].isActive }) {
        banners[active].total += banners[i].total - banners[i].base
        banners[active].value += banners[i].value
        banners[active].display = banners[i].display
        let number = banners[active].number
        banners.remove(at: i)
        let j = banners.firstIndex { $0.number == number }!
        if banners[j].phase == .lingering { update(j, at: t) }
        continue
      }
      let held = Set(screen.map { banners[$0].slot })
      guard let free = (0..<settings.slots).first(where: { !held.contains($0) }), held.count < settings.slots else { return }
      if screen.contains(where: { banners[$0].slot < free && banners[$0].phase == .leaving }) { return }
      if screen.isEmpty { screenDeadline = settings.screenMs > 0 ? t + Int64(settings.screenMs) : nil }
      for j in screen.reversed() where banners[j].slot < free {
        banners[j].slot += 1
        say(.moveUp(banner: banners[j].number, slot: banners[j].slot), at: t)
      }
      banners[i].slot = 0
      banners[i].shown = banners[i].total
      banners[i].phase = .entering
      banners[i].deadline = t + Int64(settings.enterMs)
      say(
        .show(
          banner: banners[i].number, count: banners[i].total, base: banners[i].base,
          milestone: milestone(banners[i].base, banners[i].total), display: banners[i].display), at: t)
    }
  }

  func next(at t: Int64) -> Int? {
    if settings.queueOrder == .fifo { return queue.first }
    func rank(_ i: Int) -> Int {
      tier(i) + (settings.promoteMs > 0 ? Int(t - banners[i].created) / settings.promoteMs : 0)
    }
    guard let best = queue.map(rank).max() else { return nil }
    return queue.first { rank($0) == best }
  }

  // MARK: - Saying

  func milestone(_ before: Int, _ count: Int) -> Int? { settings.milestones.filter { $0 > before && $0 <= count }.max() }

  mutating func update(_ i: Int, at t: Int64) {
    let (before, banner) = (banners[i].shown, banners[i])
    banners[i].shown = banner.total
    banners[i].phase = .counting
    banners[i].deadline = t + Int64(settings.countMs)
    say(
      .update(
        banner: banner.number, slot: banner.slot, count: banner.total, added: banner.total - before,
        milestone: milestone(before, banner.total)), at: t)
  }

  mutating func dismiss(_ i: Int, _ reason: DismissReason, at t: Int64) {
    banners[i].phase = .leaving
    banners[i].deadline = t + Int64(settings.exitMs)
    say(.dismiss(banner: banners[i].number, slot: banners[i].slot, count: banners[i].total, reason: reason), at: t)
  }

  mutating func saySkip(_ i: Int, _ reason: SkipReason, at t: Int64) {
    say(
      .skip(
        banner: banners[i].number, count: banners[i].total - banners[i].base, reason: reason, display: banners[i].display),
      at: t)
  }

  mutating func sayScreen(at t: Int64) {
    let shown = screen.filter { banners[$0].isActive }.map {
      Said.Shown(
        banner: banners[$0].number, slot: banners[$0].slot, count: banners[$0].shown, base: banners[$0].base,
        display: banners[$0].display)
    }
    say(.screen(shown), at: t)
  }

  mutating func say(_ operation: Said.Operation, at t: Int64) {
    seq += 1
    said.append(Said(epoch: epoch, seq: seq, at: t, operation: operation))
  }

  var nextDeadline: Int64? {
    (screen.map { banners[$0].deadline } + [screenDeadline].compactMap { $0 }).min()
  }
}
