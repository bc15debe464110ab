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
  var banners = Banners()
  /// Whether nothing has put off the deadline that was the earliest. (It stands here since there is room.)
  var isEarliestExact = true
  var screen = Screen()
  /// How many banners wait whose combo is on screen and not leaving.
  var waitingOnScreen: Int32 = 0
  var queue = WaitingQueue()
  var history = History()
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

  /// - Parameter isLent: whether its display data stay until ``keepLent()``.
  mutating func take(_ gift: UnsafePointer<Gift>, isLent: Bool = false, at now: Int64, to sink: inout some InstructionSink) {
    let now = begin(at: now, to: &sink)
    replaceIfRested(at: now)
    time = now
    if isDuplicate(gift, at: now) { return }

    let key = ComboKey(senderID: gift.pointee.senderID, receiverID: gift.pointee.receiverID, giftID: gift.pointee.giftID)
    let hash = gift.pointee.hashes.combo != 0 ? gift.pointee.hashes.combo : Combos.hash(key, settings.hashSeed)
    // Held until the end: what uses up its history or overflows might else free it under our hands.
    var combo = combos.find(key, hash: hash, in: store)
    if combo >= 0 {
      combos.retain(combo)
    } else {
      // One that nobody knows goes on from nothing: if its banner would not stay, it need not be known.
      if case .count(let count) = gift.pointee.amount, isSurplus(gift.pointee.value * Double(count)) {
        return skipNew(gift.pointee.display, count, at: now, to: &sink)
      }
      combo = combos.add(key, hash: hash, in: &store)
    }
    switch gift.pointee.amount {
    case .count(let count): join(combo, gift, count, isLent, at: now, to: &sink)
    case .total(let total, let streak):
      let count = growth(to: total, streak: streak, of: combo, hash: hash, at: now)
      if count > 0 { join(combo, gift, count, isLent, at: now, to: &sink) }
    }
    combos.release(combo, in: &store)
    if store.isWasteful { tidy() }
  }

  mutating func keepLent() { banners.keepLent() }

  mutating func close(at now: Int64, to sink: inout some InstructionSink) {
    let now = begin(at: now, to: &sink)
    time = now
    for i in 0..<screen.count {
      dismiss(screen[i], .closed, at: now, to: &sink)
      banners[screen[i]].takenOver = true
    }
    while queue.first >= 0 { skip(queue.first, .closed, at: now, to: &sink) }
    history.removeAll(&combos, &store) { _, _, _ in true }
    ids.free()
    streaks?.removeAll(combos: &combos, store: &store)
    settings = service
    if store.isWasteful { tidy() }
  }

  mutating func retract(_ retraction: Retraction, at now: Int64, to sink: inout some InstructionSink) {
    let now = begin(at: now, to: &sink)
    time = now
    for i in 0..<screen.count where retraction.means(combos.key(banners[screen[i]].combo, in: store)) {
      dismiss(screen[i], .retracted, at: now, to: &sink)
      banners[screen[i]].takenOver = true
    }
    var index = queue.first
    while index >= 0 {
      let next = banners[index].next
      if retraction.means(combos.key(banners[index].combo, in: store)) { skip(index, .retracted, at: now, to: &sink) }
      index = next
    }
    history.removeAll(&combos, &store) { combo, combos, store in retraction.means(combos.key(combo, in: store)) }
    if store.isWasteful { tidy() }
  }

  mutating func set(_ own: OwnSettings, at now: Int64, to sink: inout some InstructionSink) {
    let now = begin(at: now, to: &sink)
    replaceIfRested(at: now)
    time = now
    settings = service.with(own)
    settingsChanged(at: now, to: &sink)
  }

  mutating func adopt(_ settings: EngineSettings, at now: Int64, to sink: inout some InstructionSink) {
    let now = begin(at: now, to: &sink)
    replaceIfRested(at: now)
    time = now
    self.settings = settings.with(own)
    settingsChanged(at: now, to: &sink)
  }

  mutating func shift(by milliseconds: Int64) {
    banners.shift(by: milliseconds)
    history.forEach(combos) { combos[$0].historyExpiry += milliseconds }
    ids.shift(by: milliseconds)
    streaks?.shift(by: milliseconds)
    if screenDeadline != .max { screenDeadline += milliseconds }
    if earliestDeadline != .max { earliestDeadline += milliseconds }
    idleSince += milliseconds
    time += milliseconds
  }

  mutating func beginAnew(at now: Int64, to sink: inout some InstructionSink) {
    // If time was brought back, the old epoch may lie ahead of it.
    let next = max(now, max(time, epoch + 1))
    begin(at: max(now, time), keepingMemory: true)
    epoch = next
    sayScreen(at: time, to: &sink)
  }

  /// See ``Engine/places(of:step:in:)``.
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

  /// See ``Engine/places(step:at:in:)``.
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
    if screen.count == 0 { return nil }
    // A look at the banners may be one at memory that is in no cache.
    if isEarliestExact { return earliestDeadline }
    return computedDeadline
  }

  /// The earliest deadline of what is on screen.
  var computedDeadline: Int64 {
    var deadline = screenDeadline
    for i in 0..<screen.count { deadline = min(deadline, banners[screen[i]].deadline) }
    return deadline
  }

  // MARK: - How many

  /// Time never runs back, and what is due by then happens first.
  @inline(__always)
  private mutating func begin(at now: Int64, to sink: inout some InstructionSink) -> Int64 {
    let now = max(now, time)
    if earliestDeadline <= now { advance(to: now, to: &sink) }
    return now
  }

  /// An engine that has been idle for too long makes place for a new one.
  @inline(__always)
  private mutating func replaceIfRested(at now: Int64) {
    guard screen.count == 0, queue.count == 0, now > idleSince + Int64(settings.values.rest) else { return }
    begin(at: now, keepingMemory: false)
  }

  /// Becomes a new engine, in which the room's own settings hold, and, if wanted, ids and running totals are remembered.
  private mutating func begin(at now: Int64, keepingMemory: Bool) {
    var new = EngineCore(at: now, settings: settings)
    if keepingMemory {
      swap(&new.ids, &ids)
      streaks?.forEach(validAt: time, in: store) { combo, name, total, expiry in
        // Refused only if it stood twice, which it cannot here.
        try? new.restoreStreak(combos.key(combo, in: store), name: name, total: total, expiry: expiry)
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

  /// How many a running total adds, and remembers it.
  private mutating func growth(
    to total: Int, streak name: Bytes, of combo: Int32, hash comboHash: UInt32, at now: Int64
  ) -> Int {
    let hash = Streaks.hash(combo: comboHash, name: name, settings.hashSeed)
    let expiry = now + Int64(settings.values.streakMs)
    let streaks = self.streaks ?? Streaks()
    self.streaks = streaks
    let known = streaks.find(combo, name: name, hash: hash, in: store)
    var growth = total
    if known >= 0 {
      if let before = streaks.total(known, at: now) {
        if total == before || (total < before && name.count > 0) { return 0 }
        if total > before { growth = total - before }
      }
      streaks.set(known, total: total, expiry: expiry)
    } else {
      streaks.add(combo, name: name, hash: hash, total: total, expiry: expiry, combos: combos, store: &store)
    }
    streaks.keep(settings.values.maxStreaks, at: now, combos: &combos, store: &store)
    return growth
  }

  // MARK: - Where to

  /// `count` gifts join a banner of their combo, or make one.
  @inline(__always)
  private mutating func join(
    _ combo: Int32, _ gift: UnsafePointer<Gift>, _ count: Int, _ isLent: Bool, at now: Int64, to sink: inout some InstructionSink
  ) {
    let worth = gift.pointee.value * Double(count)
    let active = combos[combo].active
    if active >= 0 {
      add(count, worth, gift.pointee.display, isLent, to: active)
      if banners[active].phase == .lingering { update(active, at: now, to: &sink) }
      return
    }
    let waiting = combos[combo].firstWaiting
    if waiting >= 0 {
      let joined = settings.values.queueMerge == .anywhere ? waiting : queue.last
      if banners[joined].combo == combo { return add(count, worth, gift.pointee.display, isLent, to: joined) }
    }
    queueNew(combo, gift, count, worth, isLent, at: now, to: &sink)
  }

  @inline(__always)
  private mutating func add(_ count: Int, _ worth: Double, _ display: Display, _ isLent: Bool, to index: Int32) {
    banners[index].total += count
    banners[index].value += worth
    banners.setDisplay(index, display, isLent: isLent)
  }

  /// `count` gifts make a new banner, which waits, if only for a moment.
  private mutating func queueNew(
    _ combo: Int32, _ gift: UnsafePointer<Gift>, _ count: Int, _ worth: Double, _ isLent: Bool, at now: Int64,
    to sink: inout some InstructionSink
  ) {
    let base = takeOver(combo, at: now)
    if isSurplus(worth) { return skipNew(gift.pointee.display, count, at: now, to: &sink) }
    lastBanner += 1
    var banner = Banner()
    banner.number = lastBanner
    banner.base = base
    banner.total = banner.base + count
    banner.value += worth
    banner.created = now
    banner.combo = combo
    combos.retain(combo)
    let index = banners.add(banner, gift.pointee.display, isLent: isLent)
    queue.append(index, banners, combos)
    fill(at: now, to: &sink)
    keepQueue(at: now, to: &sink)
  }

  /// Whether a new banner of that value would be the one to be skipped: as many as may wait do so, none of them can come on screen,
  /// and none is worth less. So it need not be made, which is what becomes of most banners in a room that overflows.
  @inline(__always)
  private mutating func isSurplus(_ worth: Double) -> Bool {
    if Int(queue.count) != settings.values.maxQueue || waitingOnScreen > 0 { return false }
    return freeSlot() == nil && worth <= banners[queue.leastValuable(banners)].value
  }

  /// A banner that was not made is skipped.
  private mutating func skipNew(_ display: Display, _ count: Int, at now: Int64, to sink: inout some InstructionSink) {
    lastBanner += 1
    say(.skip(banner: lastBanner, count: count, reason: .overflow, display: display), at: now, to: &sink)
  }

  /// The count that a new banner of `combo` goes on from.
  private mutating func takeOver(_ combo: Int32, at now: Int64) -> Int {
    var leaving: Int32 = -1
    for i in 0..<screen.count {
      let index = screen[i]
      if banners[index].combo != combo || banners[index].phase != .leaving || banners[index].takenOver { continue }
      if leaving < 0 || banners[index].number > banners[leaving].number { leaving = index }
    }
    if leaving >= 0 {
      banners[leaving].takenOver = true
      return banners[leaving].total
    }
    guard combos[combo].hasHistory, combos[combo].historyExpiry >= now else { return 0 }
    let total = combos[combo].historyTotal
    history.forget(combo, &combos, &store)
    return total
  }

  private mutating func settingsChanged(at now: Int64, to sink: inout some InstructionSink) {
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
