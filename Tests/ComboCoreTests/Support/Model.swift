@testable import ComboCore

/// A second implementation of the engine, as plain as the specification: lists are searched from end to end, and nothing is kept
/// that can be computed. It is slow, and was written without reading the engine.
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
    var shownAt: Int64 = 0
    var phase = BannerState.Phase.queued
    var isSealed = false
    var slot = 0
    var deadline: Int64 = 0
    var lingersShort = false
    var takenOver = false
    /// The longest linger that one of its gifts requested.
    var ownLinger = 0

    var isOnScreen: Bool { phase != .queued }
    /// Whether it is entering, counting or lingering, sealed or not.
    var isStaying: Bool { phase == .entering || phase == .counting || phase == .lingering }
    var isOpen: Bool { isStaying && !isSealed }
  }
  struct Past {
    var key: Key
    var total: Int
    var expiry: Int64
    var number: Int
    var display: OwnedDisplay
    var hasFinal: Bool
  }
  /// Banners that are skipped together.
  struct Skipped {
    var banners = 0
    var count = 0
    var value = 0.0

    mutating func add(_ banner: Banner) {
      banners += 1
      count += banner.total - banner.base
      value += banner.value
    }
  }
  struct Streak {
    var key: Key
    var name: String
    var total: Int
    var expiry: Int64
  }

  static let most = (1 << 53) - 1

  var service: Settings { didSet { settings = service.with(own) } }
  var own = OwnSettings() { didSet { settings = service.with(own) } }
  private(set) var settings: Settings
  var epoch: Int64
  var seq = 0
  var lastNumber = 0
  var time: Int64
  var idleSince: Int64
  /// The latest expiry that a gift set, for a streak by its own `streak_ms` or for anything by `refresh`.
  var awakeUntil = Int64.min
  var screenDeadline: Int64?
  /// The overflowed banners whose sum was not emitted yet, and when it is due.
  var sum: (skipped: Skipped, due: Int64)?
  /// All banners that are queued or on screen, in the order of their numbers.
  var banners: [Banner] = []
  /// The past combos, in the order in which they entered.
  var history: [Past] = []
  var streaks: [Streak] = []
  var ids: [(id: String, expiry: Int64)] = []
  var said: [Said] = []
  var fates = Fates()
  /// The number of accepted gifts, for the sum at the end.
  var accepted = 0

  var queue: [Int] { banners.indices.filter { banners[$0].phase == .queued } }
  /// The banners on screen, lowest slot first.
  var screen: [Int] { banners.indices.filter { banners[$0].isOnScreen }.sorted { banners[$0].slot < banners[$1].slot } }
  var isIdle: Bool { banners.isEmpty }
  func index(_ number: Int) -> Int? { banners.firstIndex { $0.number == number } }

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
    case .gift, .settings, .adopt: replaceIfRested(at: now)
    default: break
    }
    time = now
    let wasIdle = isIdle
    switch event {
    case .gift(let gift): take(gift, at: now)
    case .settings(let settings):
      own = settings
      settingsHaveChanged(at: now)
    case .adopt(let settings):
      service = settings
      settingsHaveChanged(at: now)
    case .closed:
      clear(.closed, .closed, .closed, at: now) { _ in true }
      ids = []
      streaks = []
      awakeUntil = .min
      own = OwnSettings()
    case .retract(let sender, let receiver, let gift):
      clear(.retracted, .retracted, .retracted, at: now) { key in
        key.sender == sender && (receiver.isEmpty || key.receiver == receiver) && (gift.isEmpty || key.gift == gift)
      }
    case .advance, .shift: break
    }
    if !wasIdle, isIdle { idleSince = now }
  }

  mutating func replaceIfRested(at now: Int64) {
    let rest = [settings.restMs, settings.reuseMs, settings.dedupeMs, settings.streakMs].max()!
    guard isIdle, now > idleSince + Int64(rest), now > awakeUntil, !history.contains(where: \.hasFinal), sum == nil else {
      return
    }
    var new = Model(at: now, service)
    new.own = own
    new.said = said
    new.fates = fates
    new.accepted = accepted
    self = new
  }

  mutating func clear(
    _ dismissal: DismissReason, _ skipping: SkipReason, _ ending: FinalReason, at now: Int64, _ isMeant: (Key) -> Bool
  ) {
    var ended: [(number: Int, count: Int, display: OwnedDisplay)] = []
    for i in screen where isMeant(banners[i].key) {
      if banners[i].isStaying { dismiss(i, dismissal, at: now) }
      if !banners[i].takenOver, settings.finals { ended.append((banners[i].number, banners[i].total, banners[i].display)) }
      banners[i].takenOver = true
    }
    if skipping == .closed {
      saySum(at: now)
      if settings.skipMs > 0 { skipTogether(at: now) }
    }
    for i in queue where isMeant(banners[i].key) { saySkip(i, skipping, at: now) }
    banners.removeAll { $0.phase == .queued && isMeant($0.key) }
    ended += history.filter { $0.hasFinal && isMeant($0.key) }.map { ($0.number, $0.total, $0.display) }
    history.removeAll { isMeant($0.key) }
    for run in ended.sorted(by: { $0.number < $1.number }) {
      say(.final(banner: run.number, count: run.count, reason: ending, display: run.display), at: now)
    }
  }

  mutating func settingsHaveChanged(at now: Int64) {
    if !screen.isEmpty, screenDeadline == nil, settings.screenMs > 0 { screenDeadline = now + Int64(settings.screenMs) }
    fill(at: now)
    keepQueue(at: now)
  }

  mutating func shift(by d: Int64) {
    for i in banners.indices {
      if banners[i].isOnScreen {
        banners[i].deadline += d
        banners[i].shownAt += d
      } else {
        banners[i].created += d
      }
    }
    for i in history.indices { history[i].expiry += d }
    for i in streaks.indices { streaks[i].expiry += d }
    for i in ids.indices { ids[i].expiry += d }
    if let deadline = screenDeadline { screenDeadline = deadline + d }
    if let sum { self.sum = (sum.skipped, sum.due + d) }
    if awakeUntil != .min { awakeUntil += d }
    idleSince += d
    time += d
  }

  // MARK: - Steps

  mutating func advance(to now: Int64) {
    while true {
      let due = screen.min { (banners[$0].deadline, banners[$0].number) < (banners[$1].deadline, banners[$1].number) }
      let final = history.indices.filter { history[$0].hasFinal }.min {
        (history[$0].expiry, history[$0].number) < (history[$1].expiry, history[$1].number)
      }
      let bannerDue = due.map { banners[$0].deadline } ?? .max
      let screenDue = screenDeadline ?? .max
      let finalDue = final.map { history[$0].expiry + 1 } ?? .max
      let t = min(bannerDue, screenDue, finalDue, sum?.due ?? .max)
      if t > now || t == .max { return }
      time = max(time, t)
      if let due, bannerDue == t {
        step(due, at: t)
      } else if screenDue == t {
        sayScreen(at: t)
        screenDeadline = settings.screenMs > 0 ? t + Int64(settings.screenMs) : nil
      } else if let final, finalDue == t {
        sayFinal(history.remove(at: final), at: t)
      } else {
        saySum(at: t)
      }
    }
  }

  mutating func step(_ i: Int, at t: Int64) {
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
      if banners[i].isOpen, mustGiveUp(i, at: t) { banners[i].isSealed = true }
      if banners[i].total > banners[i].shown { update(i, at: t) } else { linger(i, at: t) }
    case .lingering:
      let reason = banners[i].isSealed ? DismissReason.turn : banners[i].lingersShort ? .busy : .idle
      dismiss(i, reason, at: t)
    case .leaving: leave(i, at: t)
    }
  }

  mutating func leave(_ i: Int, at t: Int64) {
    let banner = banners.remove(at: i)
    if !banner.takenOver {
      if let old = history.firstIndex(where: { $0.key == banner.key }) {
        let past = history.remove(at: old)
        if past.hasFinal { sayFinal(past, at: t) }
      }
      history.append(
        Past(
          key: banner.key, total: banner.total, expiry: t + Int64(settings.reuseMs), number: banner.number,
          display: banner.display, hasFinal: settings.finals))
      history.removeAll { $0.expiry < t && !$0.hasFinal }
      while history.count > settings.maxHistory {
        let past = history.removeFirst()
        if past.hasFinal { sayFinal(past, at: t) }
      }
    }
    if screen.isEmpty { screenDeadline = nil }
    fill(at: t)
    if isIdle { idleSince = t }
  }

  mutating func fill(at t: Int64) {
    while let i = next(at: t) {
      if let open = banners.indices.first(where: { banners[$0].key == banners[i].key && banners[$0].isOpen }) {
        let waiting = banners[i]
        if settings.finals, waiting.base > 0 {
          say(.final(banner: waiting.number, count: waiting.base, reason: .over, display: waiting.display), at: t)
        }
        let sum = banners[open].total + waiting.total - waiting.base
        banners[open].total = min(Self.most, sum)
        // The gifts that were cut had been accepted, and are gone.
        accepted -= max(0, sum - Self.most)
        banners[open].value += waiting.value
        banners[open].ownLinger = max(banners[open].ownLinger, waiting.ownLinger)
        banners[open].display = waiting.display
        fates.merged(waiting.number, into: banners[open].number)
        let number = banners[open].number
        banners.remove(at: i)
        let j = index(number)!
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
      banners[i].shownAt = t
      banners[i].phase = .entering
      banners[i].deadline = t + Int64(settings.enterMs)
      say(
        .show(
          banner: banners[i].number, count: banners[i].total, base: banners[i].base,
          milestone: milestone(banners[i].base, banners[i].total), display: banners[i].display), at: t)
    }
  }

  /// Returns the next one of those that wait and are not passed over.
  func next(at t: Int64) -> Int? {
    let candidates = queue.filter { i in !banners.contains { $0.key == banners[i].key && $0.isStaying && $0.isSealed } }
    if settings.queueOrder == .fifo { return candidates.first }
    guard let best = candidates.map({ rank($0, at: t) }).max() else { return nil }
    return candidates.first { rank($0, at: t) == best }
  }

  var nextDeadline: Int64? {
    let finals = history.filter(\.hasFinal).map { $0.expiry + 1 }
    return (screen.map { banners[$0].deadline } + [screenDeadline, sum?.due].compactMap { $0 } + finals).min()
  }
}
