/// The state of an engine and its transitions. ``Engine`` is its public interface.
///
/// Its memory is not reference-counted, for speed. Copy it with ``copy()`` only. It lives in an ``EngineBox``, which frees the
/// memory.
struct EngineCore: ~Copyable {
  /// The settings that apply in this room.
  var settings: EngineSettings

  /// The time at which the engine was created.
  var epoch: Int64
  var seq = 0
  var lastBanner = 0
  var time: Int64
  var idleSince: Int64
  /// The time of the next `screen`; `.max` if none is due.
  var screenDeadline = Int64.max
  /// A lower bound of all deadlines, and exactly the earliest one if `isEarliestExact`; `.max` if there is none.
  var earliestDeadline = Int64.max

  var combos = Combos()
  var store = ByteStore()
  /// The number of waiting banners that will join a banner of their combo on screen that is not sealed.
  var waitingOnScreen: Int32 = 0
  var banners = Banners()
  /// Whether `earliestDeadline` is exact. Placed here to fill padding.
  var isEarliestExact = true
  var screen = Screen()
  var history = History()
  var queue = WaitingQueue()
  var ids = GiftIDs()
  /// Created for the first running total or sum of skips, which many rooms never have.
  private var rare: Rare?

  init(at now: Int64, settings: EngineSettings) {
    self.settings = settings
    epoch = now
    time = now
    idleSince = now
  }

  /// Returns a copy with its own memory.
  func copy() -> EngineCore {
    var copy = EngineCore(at: epoch, settings: settings)
    copy.seq = seq
    copy.lastBanner = lastBanner
    copy.time = time
    copy.idleSince = idleSince
    copy.screenDeadline = screenDeadline
    copy.earliestDeadline = earliestDeadline
    copy.isEarliestExact = isEarliestExact
    copy.combos = combos.copy()
    copy.store = store.copy()
    copy.banners = banners.copy()
    copy.screen = screen.copy()
    copy.waitingOnScreen = waitingOnScreen
    copy.queue = queue.copy()
    copy.history = history
    if combos.orders?.deadlines != nil {
      copy.combos.orders = ComboOrders()
      copy.history.order(copy.combos)
    }
    copy.ids = ids.copy()
    if let streaks { copy.streaks = streaks.copy() }
    if hasSkipSum { copy.skipSum = skipSum }
    return copy
  }

  mutating func free() {
    combos.free()
    store.free()
    banners.free()
    screen.free()
    queue.free()
    ids.free()
    rare = nil
  }

  // MARK: - Events

  /// Options of ``take(_:_:at:to:)``.
  struct TakeOptions: OptionSet {
    let rawValue: UInt8

    /// The display data remain valid until ``keepLent()``.
    static let lent = TakeOptions(rawValue: 1)
    /// The sink receives the result for the gift.
    static let followed = TakeOptions(rawValue: 2)
  }

  mutating func take(
    _ gift: UnsafePointer<Gift>, _ options: TakeOptions = [], at now: Int64, to sink: inout some InstructionSink
  ) {
    let now = begin(at: now, to: &sink)
    replaceIfRested(at: now)
    time = now
    if unsafe isDuplicate(gift, at: now) { return tell(options, .duplicate, 0, 0, &sink) }
    // The number of gifts; nil for a total in its combo's own streak.
    var known: Int?
    switch unsafe gift.pointee.amount {
    case .count(let count): known = count
    case .total(let total, let streak):
      if streak.count > 0 {
        known = unsafe growth(to: total, streak: streak, of: gift, at: now)
        if known == nil { return tell(options, .stale, 0, 0, &sink) }
      }
    }

    let key = unsafe ComboKey(
      senderID: gift.pointee.senderID, receiverID: gift.pointee.receiverID, giftID: gift.pointee.giftID,
      combo: gift.pointee.combo)
    let hash = unsafe gift.pointee.hashes.combo != 0 ? gift.pointee.hashes.combo : Combos.hash(key, settings.hashSeed)
    // Retained until the end: otherwise using up its history, or an overflow, could free it here.
    var combo = combos.find(key, hash: hash, in: store)
    if combo >= 0 {
      combos.retain(combo)
    } else {
      // A combo whose gifts are skipped at once need not be stored. It continues from nothing.
      if let known {
        let worth = unsafe gift.pointee.value * Double(known)
        if isSurplus(worth) {
          return unsafe skipNew(gift.pointee.display, known, worth, base: 0, options, at: now, to: &sink)
        }
      }
      combo = combos.add(key, hash: hash, in: &store)
    }
    if let count = unsafe known ?? growth(of: combo, hash: hash, gift, at: now) {
      unsafe join(combo, gift, count, options, at: now, to: &sink)
    } else {
      tell(options, .stale, 0, 0, &sink)
    }
    combos.release(combo, in: &store)
    if store.isWasteful { tidy() }
  }

  mutating func keepLent() { banners.keepLent() }

  mutating func close(at now: Int64, to sink: inout some InstructionSink) {
    let now = begin(at: now, to: &sink)
    let wasIdle = isIdle
    time = now
    var ended = EndedRuns()
    for i in 0..<screen.count { clear(screen[i], .closed, &ended, at: now, to: &sink) }
    sayDueSum(at: now, to: &sink)
    if settings.skipMs > 0 { sumClosed(at: now, to: &sink) }
    while queue.first >= 0 { skip(queue.first, .closed, at: now, to: &sink) }
    history.forEach(combos) { ended.add(history: $0, combos) }
    say(ended, .closed, at: now, to: &sink)
    history.removeAll(&combos, &store)
    ids.free()
    streaks?.removeAll(combos: &combos, store: &store)
    settings = service
    queue.order = nil
    if !wasIdle, isIdle { idleSince = now }
    findEarliest()
    if store.isWasteful { tidy() }
  }

  mutating func retract(_ retraction: Retraction, at now: Int64, to sink: inout some InstructionSink) {
    let now = begin(at: now, to: &sink)
    let wasIdle = isIdle
    time = now
    var meant: [Int32] = []
    unsafe combos.forEach(of: retraction.senderID, in: store) { combo in meant.append(combo) }
    meant = meant.filter { retraction.means(combos.key($0, in: store)) }
    // Retained, since the steps below might free them.
    for combo in meant { combos.retain(combo) }
    var ended = EndedRuns()
    for i in 0..<screen.count where retraction.means(combos.key(banners[screen[i]].combo, in: store)) {
      clear(screen[i], .retracted, &ended, at: now, to: &sink)
    }
    var waiting: [(number: Int, index: Int32)] = []
    for combo in meant {
      var index = combos[combo].firstWaiting
      while index >= 0 {
        waiting.append((banners[index].number, index))
        index = banners[index].nextOfCombo
      }
      if combos[combo].hasHistory { ended.add(history: combo, combos) }
    }
    for (_, index) in waiting.sorted(by: { $0.number < $1.number }) { skip(index, .retracted, at: now, to: &sink) }
    say(ended, .retracted, at: now, to: &sink)
    for combo in meant {
      if combos[combo].hasHistory { history.forget(combo, &combos, &store) }
      combos.release(combo, in: &store)
    }
    if !wasIdle, isIdle { idleSince = now }
    findEarliest()
    if store.isWasteful { tidy() }
  }

  mutating func set(_ own: OwnSettings, at now: Int64, to sink: inout some InstructionSink) {
    let now = begin(at: now, to: &sink)
    replaceIfRested(at: now)
    time = now
    become(service.with(own), at: now, to: &sink)
  }

  mutating func adopt(_ settings: EngineSettings, at now: Int64, to sink: inout some InstructionSink) {
    let now = begin(at: now, to: &sink)
    replaceIfRested(at: now)
    time = now
    become(settings.with(own), at: now, to: &sink)
  }

  mutating func shift(by milliseconds: Int64) {
    banners.shift(by: milliseconds)
    history.shift(by: milliseconds, combos)
    ids.shift(by: milliseconds)
    streaks?.shift(by: milliseconds)
    if screenDeadline != .max { screenDeadline += milliseconds }
    if earliestDeadline != .max { earliestDeadline += milliseconds }
    if hasSkipSum { skipSum.deadline += milliseconds }
    idleSince += milliseconds
    time += milliseconds
  }

  mutating func beginAnew(at now: Int64, to sink: inout some InstructionSink) {
    // If time was moved back, the old epoch may be ahead of it.
    let next = max(now, max(time, epoch + 1))
    begin(at: max(now, time), keepingMemory: true)
    epoch = next
    say(.screen(screenBanners), at: time, to: &sink)
  }

  // MARK: - Queries

  /// The settings of the service.
  var service: EngineSettings { settings.service ?? settings }

  var own: OwnSettings { settings.own }

  var isIdle: Bool { screen.count == 0 && queue.count == 0 }

  var nextDeadline: Int64? {
    // Computing the deadline may read banners that are in no cache.
    let deadline = isEarliestExact ? earliestDeadline : computedDeadline
    return deadline == .max ? nil : deadline
  }

  /// The earliest deadline of the banners on screen, the screen, the finals and the sum of skips.
  var computedDeadline: Int64 {
    var deadline = min(min(screenDeadline, skipSum.deadline), history.nextFinal(combos)?.due ?? .max)
    for i in 0..<screen.count { deadline = min(deadline, banners[screen[i]].deadline) }
    return deadline
  }

  /// Recomputes the earliest deadline after a change that may have postponed or removed it.
  mutating func findEarliest() {
    earliestDeadline = computedDeadline
    isEarliestExact = true
  }

  // MARK: - State that few rooms have

  private final class Rare {
    var streaks: Streaks?
    var skipSum = SkipSum.none
  }

  /// The running totals, or nil if there never was one.
  var streaks: Streaks? {
    get { rare?.streaks }
    set {
      if rare == nil { rare = Rare() }
      rare?.streaks = newValue
    }
  }

  /// The skips that have not been emitted yet; the deadline is `.max` if there are none.
  var skipSum: SkipSum {
    get { rare?.skipSum ?? .none }
    set {
      if rare == nil { rare = Rare() }
      rare?.skipSum = newValue
    }
  }

  var hasSkipSum: Bool { skipSum.deadline != .max }

  // MARK: - Time

  /// Runs what is due until `now`, and returns `now` or the engine's time if that is later.
  @inline(__always)
  private mutating func begin(at now: Int64, to sink: inout some InstructionSink) -> Int64 {
    let now = max(now, time)
    if earliestDeadline <= now { advance(to: now, to: &sink) }
    return now
  }

  /// The time after which an engine has rested too long, provided that it is idle and has no pending final.
  var restEnd: Int64 { max(idleSince + Int64(settings.values.rest), streaks?.awakeUntil ?? .min) }

  /// Whether an idle engine still has instructions to emit.
  var hasMoreToSay: Bool { hasSkipSum || history.hasFinals(combos) }

  /// Replaces an engine that has been idle for too long with a new one.
  @inline(__always)
  private mutating func replaceIfRested(at now: Int64) {
    guard screen.count == 0, queue.count == 0, now > idleSince + Int64(settings.values.rest) else { return }
    if now > restEnd, !hasMoreToSay { begin(at: now, keepingMemory: false) }
  }

  /// Becomes a new engine with the room's own settings and, if `keepingMemory`, the ids and running totals.
  private mutating func begin(at now: Int64, keepingMemory: Bool) {
    var new = EngineCore(at: now, settings: settings)
    if keepingMemory {
      swap(&new.ids, &ids)
      streaks?.forEach(validAt: time, in: store) { key, total, expiry in
        // Fails only for a duplicate, which cannot occur here.
        switch key {
        case .ofCombo(let combo):
          try? unsafe new.restoreStreak(
            combos.key(combo, in: store), name: Bytes(start: nil, count: 0), total: total, expiry: expiry)
        case .named(let sender, let gift, let name):
          let key = unsafe ComboKey(senderID: sender, receiverID: Bytes(start: nil, count: 0), giftID: gift)
          try? unsafe new.restoreStreak(key, name: name, total: total, expiry: expiry)
        }
      }
      if let awakeUntil = streaks?.awakeUntil, awakeUntil != .min {
        if new.streaks == nil { new.streaks = Streaks() }
        new.streaks?.awakeUntil = awakeUntil
      }
    }
    free()
    self = new
  }

  private mutating func become(_ new: EngineSettings, at now: Int64, to sink: inout some InstructionSink) {
    // Keep an order by unchanged tiers, so that repeated settings do not reorder all waiting banners each time.
    let (old, order) = (settings.values.tiers, settings.values.queueOrder)
    settings = new
    if new.values.queueOrder != order || (order == .tier && new.values.tiers != old) { queue.order = nil }
    if screen.count > 0, screenDeadline == .max, settings.values.screenMs > 0 {
      screenDeadline = now + Int64(settings.values.screenMs)
      earliestDeadline = min(earliestDeadline, screenDeadline)
    }
    fill(at: now, to: &sink)
    keepQueue(at: now, to: &sink)
  }

  /// Moves the live bytes to a store without waste.
  mutating func tidy() {
    var old = store
    store = ByteStore(capacity: old.live + old.live / 2)
    combos.move(from: old, to: &store)
    streaks?.move(from: old, to: &store)
    old.free()
  }
}
