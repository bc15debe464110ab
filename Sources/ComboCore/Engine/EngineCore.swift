/// The state of an engine and what happens to it. ``Engine`` is its public face.
///
/// Its memory is not counted, for the sake of speed. So it cannot be copied but by ``copy()``, and lives in an
/// ``EngineBox``, which gives the memory back.
struct EngineCore: ~Copyable {
  /// What holds in this room.
  var settings: EngineSettings

  /// When the engine was created.
  var epoch: Int64
  var seq = 0
  var lastBanner = 0
  var time: Int64
  var idleSince: Int64
  /// When the screen is said next; `.max` for not at all.
  var screenDeadline = Int64.max
  /// No deadline is earlier than this, and one is at this time if `isEarliestExact`; `.max` if there is none.
  var earliestDeadline = Int64.max

  var combos = Combos()
  var store = ByteStore()
  /// How many banners wait whose combo has an open banner on screen, which they will join.
  var waitingOnScreen: Int32 = 0
  var banners = Banners()
  /// Whether the earliest deadline was not postponed. (It is here because there is room.)
  var isEarliestExact = true
  var screen = Screen()
  var history = History()
  var queue = WaitingQueue()
  var ids = GiftIDs()
  /// Made for the first running total: many rooms never have one.
  var streaks: Streaks?

  init(at now: Int64, settings: EngineSettings) {
    self.settings = settings
    epoch = now
    time = now
    idleSince = now
  }

  /// The same state in memory of its own.
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
    copy.streaks = streaks?.copy()
    return copy
  }

  /// Gives the memory back.
  mutating func free() {
    combos.free()
    store.free()
    banners.free()
    screen.free()
    queue.free()
    ids.free()
    streaks = nil
  }

  // MARK: - Events

  /// How a gift is taken.
  struct TakeOptions: OptionSet {
    let rawValue: UInt8

    /// Its display data stay until ``keepLent()``.
    static let lent = TakeOptions(rawValue: 1)
    /// The sink hears what became of it.
    static let followed = TakeOptions(rawValue: 2)
  }

  mutating func take(
    _ gift: UnsafePointer<Gift>, _ options: TakeOptions = [], at now: Int64, to sink: inout some InstructionSink
  ) {
    let now = begin(at: now, to: &sink)
    replaceIfRested(at: now)
    time = now
    if isDuplicate(gift, at: now) { return tell(options, .duplicate, 0, 0, &sink) }
    // How many it is; nil: it has a total, of its combo's own streak.
    var known: Int?
    switch gift.pointee.amount {
    case .count(let count): known = count
    case .total(let total, let streak):
      if streak.count > 0 {
        known = growth(to: total, streak: streak, of: gift, at: now)
        if known == nil { return tell(options, .stale, 0, 0, &sink) }
      }
    }

    let key = ComboKey(
      senderID: gift.pointee.senderID, receiverID: gift.pointee.receiverID, giftID: gift.pointee.giftID,
      combo: gift.pointee.combo)
    let hash = gift.pointee.hashes.combo != 0 ? gift.pointee.hashes.combo : Combos.hash(key, settings.hashSeed)
    // Held until the end: what uses up its history or overflows might else free it under our hands.
    var combo = combos.find(key, hash: hash, in: store)
    if combo >= 0 {
      combos.retain(combo)
    } else {
      // An unknown combo continues from nothing: if its banner would not stay, it need not be stored.
      if let known, case let worth = gift.pointee.value * Double(known), isSurplus(worth) {
        return skipNew(gift.pointee.display, known, worth, base: 0, options, at: now, to: &sink)
      }
      combo = combos.add(key, hash: hash, in: &store)
    }
    if let count = known ?? growth(of: combo, hash: hash, gift, at: now) {
      join(combo, gift, count, options, at: now, to: &sink)
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
    combos.forEach(of: retraction.senderID, in: store) { combo in meant.append(combo) }
    meant = meant.filter { retraction.means(combos.key($0, in: store)) }
    // Held, since what happens to them might free them.
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
    idleSince += milliseconds
    time += milliseconds
  }

  mutating func beginAnew(at now: Int64, to sink: inout some InstructionSink) {
    // If time was brought back, the old epoch may be ahead of it.
    let next = max(now, max(time, epoch + 1))
    begin(at: max(now, time), keepingMemory: true)
    epoch = next
    sayScreen(at: time, to: &sink)
  }

  /// See ``Engine/prefetchAddresses(of:step:in:)``.
  @inline(__always)
  func addPlaces(of hashes: Gift.Hashes, step: Int, to places: inout Places) {
    if step == 0 {
      if hashes.id != 0 { ids.addPlaces(hashes.id, to: &places) }
      return combos.addPlaces(hashes.combo, to: &places)
    }
    let combo = combos.likely(hashes.combo)
    // Where too many wait, most new banners are not made: see ``isSurplus(_:)``.
    let isMade = queue.likelyLeast == nil
    if step == 1 {
      if combo >= 0 { return places.addTwo(combos.address(combo)) }
      if isMade, let next = combos.nextAddress { places.addTwo(next) }
      return
    }
    // The one that the gift joins; with `queue_merge` `tail` it may be none of these.
    let banner = combo < 0 ? -1 : combos[combo].active >= 0 ? combos[combo].active : combos[combo].firstWaiting
    if banner >= 0 { return banners.addPlaces(banner, to: &places) }
    if isMade { banners.addPlacesOfNext(to: &places) }
  }

  /// See ``Engine/prefetchAddresses(step:at:in:)``.
  func addPlaces(step: Int, at now: Int64, to places: inout Places) {
    let isDue = earliestDeadline <= now
    if step == 0 {
      ids.addPlaces(to: &places)
      queue.addPlaces(to: &places)
      if queue.count > 0 { places.add(banners.address(queue.last) + 64) }
      if !isDue { return }
      for i in 0..<min(screen.count, 4) { places.addTwo(banners.address(screen[i])) }
      if queue.count > 0 { places.addTwo(banners.address(queue.first)) }
      if history.first >= 0 { places.add(combos.address(history.first)) }
    } else {
      if let least = queue.likelyLeast { places.add(banners.address(least)) }
      if !isDue { return }
      for i in 0..<min(screen.count, 4) { places.add(combos.address(banners[screen[i]].combo)) }
      if queue.count > 0 { places.add(combos.address(banners[queue.first].combo)) }
    }
  }

  // MARK: - Questions

  /// The settings of the service.
  var service: EngineSettings { settings.service ?? settings }

  /// The room's own.
  var own: OwnSettings { settings.own }

  var isIdle: Bool { screen.count == 0 && queue.count == 0 }

  var nextDeadline: Int64? {
    // A look at the banners may be one at memory that is in no cache.
    let deadline = isEarliestExact ? earliestDeadline : computedDeadline
    return deadline == .max ? nil : deadline
  }

  /// The earliest deadline of what is on screen, and of the finals.
  var computedDeadline: Int64 {
    var deadline = min(screenDeadline, history.nextFinal(combos)?.due ?? .max)
    for i in 0..<screen.count { deadline = min(deadline, banners[screen[i]].deadline) }
    return deadline
  }

  /// After what may have put off or taken away the earliest deadline.
  mutating func findEarliest() {
    earliestDeadline = computedDeadline
    isEarliestExact = true
  }

  // MARK: - How many

  /// Time never runs back, and what is due by then happens first.
  @inline(__always)
  private mutating func begin(at now: Int64, to sink: inout some InstructionSink) -> Int64 {
    let now = max(now, time)
    if earliestDeadline <= now { advance(to: now, to: &sink) }
    return now
  }

  /// Once the time is above this, it has rested too long; if it is idle and no final is to come.
  var restEnd: Int64 { max(idleSince + Int64(settings.values.rest), streaks?.awakeUntil ?? .min) }

  /// An engine that has been idle for too long makes place for a new one.
  @inline(__always)
  private mutating func replaceIfRested(at now: Int64) {
    guard screen.count == 0, queue.count == 0, now > idleSince + Int64(settings.values.rest) else { return }
    if now > restEnd, !history.hasFinals(combos) { begin(at: now, keepingMemory: false) }
  }

  /// Becomes a new engine, in which the room's own settings hold, and, if wanted, ids and running totals are remembered.
  private mutating func begin(at now: Int64, keepingMemory: Bool) {
    var new = EngineCore(at: now, settings: settings)
    if keepingMemory {
      swap(&new.ids, &ids)
      streaks?.forEach(validAt: time, in: store) { key, total, expiry in
        // Refused only if it stood twice, which it cannot here.
        switch key {
        case .ofCombo(let combo):
          try? new.restoreStreak(combos.key(combo, in: store), name: Bytes(start: nil, count: 0), total: total, expiry: expiry)
        case .named(let sender, let gift, let name):
          let key = ComboKey(senderID: sender, receiverID: Bytes(start: nil, count: 0), giftID: gift)
          try? new.restoreStreak(key, name: name, total: total, expiry: expiry)
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

  @inline(__always)
  private mutating func isDuplicate(_ gift: UnsafePointer<Gift>, at now: Int64) -> Bool {
    let (dedupeMs, maxIds) = (settings.values.dedupeMs, settings.values.maxIds)
    let id = gift.pointee.id
    if id.count == 0 || dedupeMs == 0 || maxIds == 0 { return false }
    let hash = gift.pointee.hashes.id != 0 ? gift.pointee.hashes.id : GiftIDs.hash(id, settings.hashSeed)
    if ids.contains(id, hash: hash, at: now) { return true }
    ids.add(id, hash: hash, expiry: now + Int64(dedupeMs), limit: maxIds, at: now)
    return false
  }

  /// How many a total of a named streak adds, and remembers it; nil: it is late or repeated.
  @inline(never)
  private mutating func growth(to total: Int, streak name: Bytes, of gift: UnsafePointer<Gift>, at now: Int64) -> Int? {
    let (sender, giftID) = (gift.pointee.senderID, gift.pointee.giftID)
    let key = Streaks.Key.named(sender: sender, gift: giftID, name: name)
    let hash = Streaks.hash(sender: sender, gift: giftID, name: name, settings.hashSeed)
    let streaks = someStreaks()
    let known = streaks.find(key, hash: hash, in: store)
    let before = known >= 0 ? streaks.total(known, at: now) ?? 0 : 0
    if total <= before { return nil }
    remember(total, known, key, hash, gift, at: now)
    return total - before
  }

  /// How many a gift's total adds in the streak of its combo alone, and remembers it; nil: it is repeated.
  @inline(never)
  private mutating func growth(of combo: Int32, hash: UInt32, _ gift: UnsafePointer<Gift>, at now: Int64) -> Int? {
    guard case .total(let total, _) = gift.pointee.amount else { preconditionFailure("a gift without a total") }
    let streaks = someStreaks()
    var known = streaks.find(.ofCombo(combo), hash: hash, in: store)
    let before = known >= 0 ? streaks.total(known, at: now) ?? 0 : 0
    if total != before { remember(total, known, .ofCombo(combo), hash, gift, at: now) }
    if gift.pointee.ends {
      known = streaks.find(.ofCombo(combo), hash: hash, in: store)
      if known >= 0 { streaks.forget(known, combos: &combos, store: &store) }
    }
    // Below the remembered total, a new streak begins.
    return total == before ? nil : total > before ? total - before : total
  }

  private mutating func someStreaks() -> Streaks {
    if let streaks { return streaks }
    let streaks = Streaks()
    self.streaks = streaks
    return streaks
  }

  /// Remembers a total, for its own time if the gift has one.
  private mutating func remember(
    _ total: Int, _ known: Int32, _ key: Streaks.Key, _ hash: UInt32, _ gift: UnsafePointer<Gift>, at now: Int64
  ) {
    let streaks = someStreaks()
    var expiry = now + Int64(settings.values.streakMs)
    if let own = gift.pointee.streakMs {
      expiry = now + Int64(own)
      streaks.awakeUntil = max(streaks.awakeUntil, expiry)
    }
    if known >= 0 {
      streaks.set(known, total: total, expiry: expiry)
    } else {
      streaks.add(key, hash: hash, total: total, expiry: expiry, combos: combos, store: &store)
    }
    streaks.keep(settings.values.maxStreaks, at: now, combos: &combos, store: &store)
  }

  // MARK: - Where to

  /// No total is above this.
  static var most: Int { (1 << 53) - 1 }

  @inline(__always)
  private func tell(
    _ options: TakeOptions, _ outcome: TakenGift.Outcome, _ banner: Int, _ count: Int, base: Int = 0,
    _ sink: inout some InstructionSink
  ) {
    if options.contains(.followed) {
      sink.took(TakenGift(epoch: epoch, at: time, outcome: outcome, count: count, banner: banner, base: base))
    }
  }

  /// `count` gifts join a banner of their combo, or make one.
  @inline(__always)
  private mutating func join(
    _ combo: Int32, _ gift: UnsafePointer<Gift>, _ count: Int, _ options: TakeOptions, at now: Int64,
    to sink: inout some InstructionSink
  ) {
    let active = combos[combo].active
    if active >= 0, !banners[active].isSealed {
      let count = add(count, gift, options, to: active)
      tell(options, .joined, banners[active].number, count, &sink)
      if banners[active].phase == .lingering { update(active, at: now, to: &sink) }
      return
    }
    let waiting = combos[combo].firstWaiting
    if waiting >= 0 {
      let joined = settings.values.queueMerge == .anywhere ? waiting : queue.last
      if banners[joined].combo == combo {
        let count = add(count, gift, options, to: joined)
        tell(options, .waiting, banners[joined].number, count, &sink)
        if settings.values.queueOrder == .tier {
          queue.order?.move(joined, toTier: tier(joined), banners)
          hurry(for: joined, at: now)
        }
        return
      }
    }
    queueNew(combo, gift, count, options, at: now, to: &sink)
  }

  /// Returns how many of `count` there was room for.
  @inline(__always)
  private mutating func add(_ count: Int, _ gift: UnsafePointer<Gift>, _ options: TakeOptions, to index: Int32) -> Int {
    let count = min(count, Self.most &- banners[index].total)
    banners[index].total &+= count
    banners[index].value += gift.pointee.value * Double(count)
    banners.setDisplay(index, gift.pointee.display, isLent: options.contains(.lent))
    return count
  }

  /// `count` gifts make a new banner, which waits, if only for a moment.
  private mutating func queueNew(
    _ combo: Int32, _ gift: UnsafePointer<Gift>, _ count: Int, _ options: TakeOptions, at now: Int64,
    to sink: inout some InstructionSink
  ) {
    let base = takeOver(combo, at: now)
    let count = min(count, Self.most &- base)
    let worth = gift.pointee.value * Double(count)
    if isSurplus(worth) { return skipNew(gift.pointee.display, count, worth, base: base, options, at: now, to: &sink) }
    lastBanner += 1
    let number = lastBanner
    var banner = Banner()
    banner.number = number
    banner.base = base
    banner.total = base + count
    banner.value += worth
    banner.since = now
    banner.combo = combo
    combos.retain(combo)
    let index = banners.add(banner, gift.pointee.display, isLent: options.contains(.lent))
    tell(options, .new, number, count, base: base, &sink)
    queue.append(index, banners, combos)
    if let order = queue.order { order.insert(index, tier: settings.values.queueOrder == .tier ? tier(index) : 0, banners) }
    fill(at: now, to: &sink)
    keepQueue(at: now, to: &sink)
    // It is the last to have come, if it still waits.
    if settings.values.queueOrder == .tier, queue.last >= 0, banners[queue.last].number == number {
      hurry(for: queue.last, at: now)
    }
  }

  /// Whether a new banner of that value would be the one to be skipped: as many as may wait do so, none of them can come on screen,
  /// and none is worth less. So it need not be made, which is what becomes of most banners in a room that overflows.
  @inline(__always)
  private mutating func isSurplus(_ worth: Double) -> Bool {
    if Int(queue.count) != settings.values.maxQueue || waitingOnScreen > 0 { return false }
    return freeSlot() == nil && worth <= banners[queue.leastValuable(banners)].value
  }

  /// A banner that was not made is skipped.
  private mutating func skipNew(
    _ display: Display, _ count: Int, _ worth: Double, base: Int, _ options: TakeOptions, at now: Int64,
    to sink: inout some InstructionSink
  ) {
    lastBanner += 1
    tell(options, .new, lastBanner, count, base: base, &sink)
    say(.skip(banner: lastBanner, count: count, reason: .overflow, display: display), at: now, worth: worth, to: &sink)
    if settings.values.finals {
      say(.final(banner: lastBanner, count: base + count, reason: .overflow, display: display), at: now, to: &sink)
    }
  }

  /// The count from which a new banner of `combo` continues.
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
    if combos[combo].final != nil { isEarliestExact = false }
    history.forget(combo, &combos, &store)
    return total
  }

  private mutating func become(_ new: EngineSettings, at now: Int64, to sink: inout some InstructionSink) {
    // An order by the same tiers holds on: settings that come again and again must not have all that waits ordered anew each time.
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

  /// Moves what lives to a store without waste.
  mutating func tidy() {
    var old = store
    store = ByteStore(capacity: old.live + old.live / 2)
    combos.move(from: old, to: &store)
    streaks?.move(from: old, to: &store)
    old.free()
  }
}

extension Retraction {
  /// Whether it means the combo of that key.
  func means(_ key: ComboKey) -> Bool {
    func agrees(_ named: Bytes, _ id: Bytes) -> Bool { named.count == 0 || (named.count == id.count && sameBytes(named, id)) }
    return agrees(senderID, key.senderID) && agrees(receiverID, key.receiverID) && agrees(giftID, key.giftID)
  }
}
