/// The whole state, out and in again. What comes in is not trusted: it may be damaged, or made up.
extension EngineCore {
  func write(to writer: inout some SnapshotWriter) {
    writer.head(
      EngineHead(
        epoch: epoch, seq: seq, banners: lastBanner, time: time, idleSince: idleSince,
        screenDeadline: screenDeadline == .max ? nil : screenDeadline),
      own: own)
    ids.forEach(validAt: time) { writer.id($0, expiry: $1) }
    streaks?.forEach(validAt: time, in: store) { combo, name, total, expiry in
      writer.streak(combos.key(combo, in: store), name: name, total: total, expiry: expiry)
    }
    history.forEach(combos) { combo in
      let (total, expiry) = (combos[combo].historyTotal, combos[combo].historyExpiry)
      if expiry >= time { writer.history(combos.key(combo, in: store), total: total, expiry: expiry) }
    }
    for i in 0..<screen.count { write(screen[i], to: &writer) }
    var index = queue.first
    while index >= 0 {
      write(index, to: &writer)
      index = banners[index].next
    }
  }

  private func write(_ index: Int32, to writer: inout some SnapshotWriter) {
    let banner = banners[index]
    writer.banner(
      combos.key(banner.combo, in: store),
      BannerState(
        number: banner.number, phase: banner.phase, slot: Int(banner.slot), base: banner.base, total: banner.total,
        shown: banner.shown, value: banner.value, created: banner.created, deadline: banner.deadline,
        shortLinger: banner.shortLinger, takenOver: banner.takenOver), banners.display(index))
  }

  init(restoring head: EngineHead, own: OwnSettings, settings: EngineSettings) throws(SnapshotFault) {
    for time in [head.epoch, head.time, head.idleSince, head.screenDeadline ?? head.time] { try Self.checkTime(time) }
    guard Self.numberRange.contains(head.seq), Self.numberRange.contains(head.banners) else {
      throw SnapshotFault("a seq of \(head.seq) or \(head.banners) banners: out of range")
    }
    guard head.idleSince <= head.time else {
      throw SnapshotFault("idle since \(head.idleSince), which is after its time, \(head.time)")
    }
    guard head.screenDeadline ?? head.time >= head.time else {
      throw SnapshotFault("the screen was due before its time, \(head.time)")
    }
    self.init(at: head.epoch, settings: settings.with(own))
    seq = head.seq
    lastBanner = head.banners
    time = head.time
    idleSince = head.idleSince
    screenDeadline = head.screenDeadline ?? .max
  }

  mutating func restoreID(_ id: Bytes, expiry: Int64) throws(SnapshotFault) {
    try Self.checkTime(expiry)
    let hash = GiftIDs.hash(id, settings.hashSeed)
    if id.count == 0 || ids.contains(id, hash: hash, at: .min) { throw SnapshotFault("an id that is empty or stands twice") }
    guard id.count <= Self.longestName, Int(ids.count) < Self.most else {
      throw SnapshotFault("an id of \(id.count) bytes, or too many of them")
    }
    ids.append(id, hash: hash, expiry: expiry)
  }

  mutating func restoreStreak(_ key: ComboKey, name: Bytes, total: Int, expiry: Int64) throws(SnapshotFault) {
    try Self.checkTime(expiry)
    guard Self.countRange.contains(total), total > 0, name.count <= Self.longestName,
      Int(streaks?.count ?? 0) < Self.most
    else {
      throw SnapshotFault("a streak with a total of \(total) and a name of \(name.count) bytes: out of range, or too many")
    }
    let streaks = self.streaks ?? Streaks()
    self.streaks = streaks
    let combo = try hold(key)
    let hash = Streaks.hash(combo: combos[combo].hash, name: name, settings.hashSeed)
    let isTwice = streaks.find(combo, name: name, hash: hash, in: store) >= 0
    if !isTwice {
      streaks.add(combo, name: name, hash: hash, total: total, expiry: expiry, combos: combos, store: &store)
    }
    combos.release(combo, in: &store)
    if isTwice { throw SnapshotFault("a streak stands twice") }
  }

  mutating func restoreHistory(_ key: ComboKey, total: Int, expiry: Int64) throws(SnapshotFault) {
    try Self.checkTime(expiry)
    guard Self.countRange.contains(total), total > 0 else { throw SnapshotFault("a history with a total of \(total)") }
    let combo = try hold(key)
    let isTwice = combos[combo].hasHistory
    if !isTwice { history.add(combo, total: total, expiry: expiry, combos) }
    combos.release(combo, in: &store)
    if isTwice { throw SnapshotFault("a combo stands twice in the history") }
  }

  mutating func restoreBanner(_ key: ComboKey, _ state: BannerState, _ display: Display) throws(SnapshotFault) {
    try check(state)
    guard display.sender.count + display.receiver.count + display.gift.count <= Self.longestDisplay else {
      throw SnapshotFault("banner \(state.number) has display data of more than \(Self.longestDisplay) bytes")
    }
    let combo = try hold(key)
    if state.phase != .queued, state.phase != .leaving, combos[combo].active >= 0 {
      combos.release(combo, in: &store)
      throw SnapshotFault("banner \(state.number) shows a combo that is on screen already")
    }
    var banner = Banner()
    banner.number = state.number
    banner.base = state.base
    banner.total = state.total
    banner.shown = state.shown
    banner.value = state.value
    banner.created = state.created
    banner.deadline = state.deadline
    banner.combo = combo  // its reference is the one that was just taken
    banner.phase = state.phase
    banner.slot = UInt8(state.slot)
    banner.shortLinger = state.shortLinger
    banner.takenOver = state.takenOver
    let index = banners.add(banner, display)
    if state.phase == .queued {
      queue.append(index, banners, combos)
      if combos[combo].active >= 0 { waitingOnScreen += 1 }
      return
    }
    screen.append(index)
    if state.phase != .leaving { combos[combo].active = index }
    earliestDeadline = min(earliestDeadline, min(state.deadline, screenDeadline))
  }

  func finishRestoring() throws(SnapshotFault) {
    if screen.count == 0, queue.count > 0 { throw SnapshotFault("banners wait for an empty screen") }
    if screen.count == 0, screenDeadline != .max { throw SnapshotFault("an empty screen is to be said") }
  }

  // MARK: - What is allowed

  /// Times beyond these cannot be meant, and sums of them could overflow.
  private static var timeRange: ClosedRange<Int64> { -(1 << 60)...(1 << 60) }
  /// The same for counts, of which many may be added.
  private static var countRange: ClosedRange<Int> { 0...(1 << 53) }
  /// The same for numbers, which rise one by one.
  private static var numberRange: ClosedRange<Int> { 0...(1 << 60) }
  /// More than settings allow, so that what an engine holds can be restored.
  private static var most: Int { 2_000_000 }
  private static var longestName: Int { 1 << 20 }
  private static var longestDisplay: Int { 1 << 30 }

  private static func checkTime(_ time: Int64) throws(SnapshotFault) {
    if !timeRange.contains(time) { throw SnapshotFault("a time of \(time): out of range") }
  }

  private func check(_ state: BannerState) throws(SnapshotFault) {
    try Self.checkTime(state.created)
    try Self.checkTime(state.deadline)
    guard lastBanner > 0, (1...lastBanner).contains(state.number) else {
      throw SnapshotFault("banner \(state.number): beyond the number of banners, \(lastBanner)")
    }
    guard Self.countRange.contains(state.base), Self.countRange.contains(state.total),
      Self.countRange.contains(state.shown), state.base < state.total, state.shown <= state.total, state.value >= 0
    else { throw SnapshotFault("banner \(state.number): its counts do not fit each other") }
    for i in 0..<screen.count where banners[screen[i]].number == state.number {
      throw SnapshotFault("banner \(state.number) stands twice")
    }
    if state.phase != .leaving, state.takenOver {
      throw SnapshotFault("banner \(state.number) was taken over but is not leaving")
    }
    if state.phase == .queued {
      if state.slot != 0 { throw SnapshotFault("banner \(state.number) waits and holds slot \(state.slot)") }
      if queue.last >= 0, banners[queue.last].number >= state.number { throw SnapshotFault("banners wait out of order") }
      if Int(queue.count) >= Self.most { throw SnapshotFault("too many banners wait") }
      return
    }
    guard queue.count == 0, (0..<Screen.most).contains(state.slot) else {
      throw SnapshotFault("banner \(state.number) holds slot \(state.slot), or comes after those that wait")
    }
    if screen.count > 0, Int(banners[screen[screen.count - 1]].slot) >= state.slot {
      throw SnapshotFault("banners hold slots out of order")
    }
    guard state.deadline >= time else { throw SnapshotFault("banner \(state.number) was due before its time, \(time)") }
  }

  private mutating func hold(_ key: ComboKey) throws(SnapshotFault) -> Int32 {
    let longest = max(key.senderID.count, max(key.receiverID.count, key.giftID.count))
    if longest > Self.longestName { throw SnapshotFault("a key of \(longest) bytes") }
    let hash = Combos.hash(key, settings.hashSeed)
    let combo = combos.find(key, hash: hash, in: store)
    if combo < 0 { return combos.add(key, hash: hash, in: &store) }
    combos.retain(combo)
    return combo
  }
}
