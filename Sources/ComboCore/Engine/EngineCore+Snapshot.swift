/// Writing and restoring the whole state. Input is not trusted: it may be damaged or forged.
extension EngineCore {
  func write(to writer: inout some SnapshotWriter) {
    var head = EngineHead(
      epoch: epoch, seq: seq, banners: lastBanner, time: time, idleSince: idleSince,
      awakeUntil: streaks.flatMap { $0.awakeUntil >= time ? $0.awakeUntil : nil },
      screenDeadline: screenDeadline == .max ? nil : screenDeadline,
      skipSum: hasSkipSum ? skipSum : nil)
    head.rules = neededRules
    writer.head(head, own: own)
    unsafe ids.forEach(validAt: time) { unsafe writer.id($0, expiry: $1) }
    streaks?.forEach(validAt: time, in: store) { key, total, expiry in
      switch key {
      case .ofCombo(let combo):
        unsafe writer.streak(combos.key(combo, in: store), name: Bytes(start: nil, count: 0), total: total, expiry: expiry)
      case .named(let sender, let gift, let name):
        let key = unsafe ComboKey(senderID: sender, receiverID: Bytes(start: nil, count: 0), giftID: gift)
        unsafe writer.streak(key, name: name, total: total, expiry: expiry)
      }
    }
    history.forEach(combos) { combo in
      let expiry = combos[combo].historyExpiry
      if expiry < time { return }
      let final = unsafe combos[combo].final.map { unsafe (banner: $0.pointee.number, display: PastRun.display($0)) }
      writer.history(
        combos.key(combo, in: store), HistoryState(total: combos[combo].historyTotal, expiry: expiry, final: final))
    }
    for i in 0..<screen.count { write(screen[i], to: &writer) }
    var index = queue.first
    while index >= 0 {
      write(index, to: &writer)
      index = banners[index].next
    }
  }

  /// The oldest rules under which an engine can have this state. Reads all banners.
  var neededRules: Rules {
    let rules = max(.oldest, own.settings.map(\.key.since).max() ?? .oldest)
    var needsThree = hasSkipSum || (0..<screen.count).contains { banners[screen[$0]].ownLingerMs > 0 }
    var index = queue.first
    while index >= 0, !needsThree {
      needsThree = banners[index].ownLingerMs > 0
      index = banners[index].next
    }
    return needsThree ? max(rules, Rules(version: 3)) : rules
  }

  private func write(_ index: Int32, to writer: inout some SnapshotWriter) {
    let banner = banners[index]
    let waits = banner.phase == .queued
    writer.banner(
      combos.key(banner.combo, in: store),
      BannerState(
        number: banner.number, phase: banner.phase, slot: Int(banner.slot), base: banner.base, total: banner.total,
        shown: waits ? 0 : banner.shown, value: banner.value, since: banner.since, deadline: waits ? 0 : banner.deadline,
        shortLinger: banner.shortLinger, takenOver: banner.takenOver, isSealed: banner.isSealed,
        ownLingerMs: Int(banner.ownLingerMs)), banners.display(index))
  }

  init(restoring head: EngineHead, own: OwnSettings, settings: EngineSettings) throws(SnapshotFault) {
    for time in [head.epoch, head.idleSince, head.screenDeadline ?? head.time, head.awakeUntil ?? head.time] {
      try Self.checkTime(time)
    }
    guard Self.nowRange.contains(head.time) else { throw SnapshotFault("a time of \(head.time): out of range") }
    guard Self.numberRange.contains(head.seq), Self.numberRange.contains(head.banners) else {
      throw SnapshotFault("a seq of \(head.seq) or \(head.banners) banners: out of range")
    }
    guard head.idleSince <= head.time else {
      throw SnapshotFault("idle since \(head.idleSince), which is after its time, \(head.time)")
    }
    guard head.screenDeadline ?? head.time >= head.time else {
      throw SnapshotFault("the screen was due before its time, \(head.time)")
    }
    if let sum = head.skipSum {
      try Self.checkTime(sum.deadline)
      guard sum.deadline >= head.time, sum.banners > 0, Self.numberRange.contains(sum.banners),
        sum.count >= 0, sum.value >= 0, sum.value <= Self.valueMax
      else { throw SnapshotFault("a sum of \(sum.banners) skipped banners with \(sum.count) gifts: out of range, or overdue") }
    }
    for setting in own.settings {
      if let fault = setting.roomFault { throw SnapshotFault("the room's own \(setting.name) \(fault)") }
    }
    self.init(at: head.epoch, settings: settings.with(own))
    seq = head.seq
    lastBanner = head.banners
    time = head.time
    idleSince = head.idleSince
    screenDeadline = head.screenDeadline ?? .max
    if let sum = head.skipSum {
      skipSum = sum
      earliestDeadline = min(earliestDeadline, sum.deadline)
    }
    if let awakeUntil = head.awakeUntil {
      let streaks = Streaks()
      streaks.awakeUntil = awakeUntil
      self.streaks = streaks
    }
  }

  mutating func restoreID(_ id: Bytes, expiry: Int64) throws(SnapshotFault) {
    try Self.checkTime(expiry)
    let hash = unsafe GiftIDs.hash(id, settings.hashSeed)
    if unsafe id.count == 0 || ids.contains(id, hash: hash, at: .min) {
      throw SnapshotFault("an id that is empty or occurs twice")
    }
    guard id.count <= Self.longestName, Int(ids.count) < Self.manyMax else {
      throw SnapshotFault("an id of \(id.count) bytes, or too many of them")
    }
    unsafe ids.append(id, hash: hash, expiry: expiry)
  }

  mutating func restoreStreak(_ key: ComboKey, name: Bytes, total: Int, expiry: Int64) throws(SnapshotFault) {
    try Self.checkTime(expiry)
    guard Self.countRange.contains(total), total > 0, name.count <= Self.longestName,
      Int(streaks?.count ?? 0) < Self.manyMax
    else {
      throw SnapshotFault("a streak with a total of \(total) and a name of \(name.count) bytes: out of range, or too many")
    }
    let streaks = self.streaks ?? Streaks()
    self.streaks = streaks
    let combo = try hold(key)
    var named = Streaks.Key.ofCombo(combo)
    var hash = combos[combo].hash
    if name.count > 0 {
      named = unsafe .named(sender: key.senderID, gift: key.giftID, name: name)
      hash = unsafe Streaks.hash(sender: key.senderID, gift: key.giftID, name: name, settings.hashSeed)
    }
    let isTwice = streaks.find(named, hash: hash, in: store) >= 0
    if !isTwice { streaks.add(named, hash: hash, total: total, expiry: expiry, combos: combos, store: &store) }
    combos.release(combo, in: &store)
    if isTwice { throw SnapshotFault("a streak occurs twice") }
    if name.count > 0, unsafe key.receiverID.count > 0 || key.combo.count > 0 {
      throw SnapshotFault("a streak with a name has a receiver or a combo")
    }
  }

  mutating func restoreHistory(_ key: ComboKey, _ state: HistoryState) throws(SnapshotFault) {
    try Self.checkTime(state.expiry)
    guard Self.countRange.contains(state.total), state.total > 0, Int(history.count) < Self.manyMax else {
      throw SnapshotFault("a history with a total of \(state.total), or too many of them")
    }
    if let final = state.final {
      guard lastBanner > 0, (1...lastBanner).contains(final.banner) else {
        throw SnapshotFault("a final of banner \(final.banner): beyond the number of banners, \(lastBanner)")
      }
      guard state.expiry >= time else {
        throw SnapshotFault("a final of banner \(final.banner) was due before its time, \(time)")
      }
      try Self.check(final.display, of: final.banner)
    }
    let combo = try hold(key)
    let isTwice = combos[combo].hasHistory
    if !isTwice {
      let final = unsafe state.final.map { unsafe PastRun.make($0.banner, $0.display) }
      unsafe history.add(combo, total: state.total, expiry: state.expiry, final: final, &combos)
      if unsafe final != nil { earliestDeadline = min(earliestDeadline, state.expiry + 1) }
    }
    combos.release(combo, in: &store)
    if isTwice { throw SnapshotFault("a combo occurs twice in the history") }
  }

  private static func check(_ display: Display, of banner: Int) throws(SnapshotFault) {
    guard display.length <= longestDisplay else {
      throw SnapshotFault("banner \(banner) has display data of more than \(longestDisplay) bytes")
    }
  }

  mutating func restoreBanner(_ key: ComboKey, _ state: BannerState, _ display: Display) throws(SnapshotFault) {
    try check(state)
    try Self.check(display, of: state.number)
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
    banner.since = state.since
    banner.deadline = state.deadline
    banner.combo = combo  // its reference is the one that was just taken
    banner.phase = state.phase
    banner.slot = UInt8(state.slot)
    banner.shortLinger = state.shortLinger
    banner.takenOver = state.takenOver
    banner.isSealed = state.isSealed
    banner.ownLingerMs = UInt16(state.ownLingerMs)
    let index = banners.add(banner, display)
    if state.phase == .queued {
      queue.append(index, banners, combos)
      let active = combos[combo].active
      if active >= 0, !banners[active].isSealed { waitingOnScreen += 1 }
      return
    }
    screen.append(index)
    if state.phase != .leaving { combos[combo].active = index }
    earliestDeadline = min(earliestDeadline, min(state.deadline, screenDeadline))
  }

  func finishRestoring() throws(SnapshotFault) {
    if screen.count == 0, queue.count > 0, settings.values.slots > 0 { throw SnapshotFault("banners wait for an empty screen") }
    if screen.count == 0, screenDeadline != .max { throw SnapshotFault("an empty screen is to be said") }
  }

  // MARK: - Limits

  /// The range of plausible times, within which sums cannot overflow.
  private static var timeRange: ClosedRange<Int64> { -(1 << 60)...(1 << 60) }
  /// The range of the current time, narrower so that later times computed from it stay in range.
  private static var nowRange: ClosedRange<Int64> { -(1 << 59)...(1 << 59) }
  private static var countRange: ClosedRange<Int> { 0...most }
  /// The maximum of a plausible worth. Sums of larger ones could become infinite.
  private static var valueMax: Double { 1e100 }
  /// The range of numbers, which rise one by one.
  private static var numberRange: ClosedRange<Int> { 0...(1 << 60) }
  /// The maximum number of items of a kind. It is above what settings allow, so that any state of an engine can be restored.
  private static var manyMax: Int { 2_000_000 }
  private static var longestName: Int { Combo.longestPart }
  private static var longestDisplay: Int { 1 << 30 }

  private static func checkTime(_ time: Int64) throws(SnapshotFault) {
    if !timeRange.contains(time) { throw SnapshotFault("a time of \(time): out of range") }
  }

  private func check(_ state: BannerState) throws(SnapshotFault) {
    try Self.checkTime(state.since)
    guard state.since <= time else { throw SnapshotFault("banner \(state.number) is from after its time, \(time)") }
    try Self.checkTime(state.deadline)
    guard lastBanner > 0, (1...lastBanner).contains(state.number) else {
      throw SnapshotFault("banner \(state.number): beyond the number of banners, \(lastBanner)")
    }
    guard Self.countRange.contains(state.base), Self.countRange.contains(state.total),
      Self.countRange.contains(state.shown), state.base <= state.total, state.total > 0, state.shown <= state.total,
      state.value >= 0, state.value <= Self.valueMax, (0...Gift.lingerMax).contains(state.ownLingerMs)
    else { throw SnapshotFault("banner \(state.number): its counts do not fit each other, or its own linger is out of range") }
    for i in 0..<screen.count where banners[screen[i]].number == state.number {
      throw SnapshotFault("banner \(state.number) occurs twice")
    }
    if state.isSealed, state.phase == .queued || state.phase == .leaving {
      throw SnapshotFault("banner \(state.number) is sealed but waits or leaves")
    }
    if state.phase != .leaving, state.takenOver, !state.isSealed {
      throw SnapshotFault("banner \(state.number) was taken over but is not leaving")
    }
    if state.phase == .queued {
      if state.slot != 0 { throw SnapshotFault("banner \(state.number) waits and holds slot \(state.slot)") }
      if queue.last >= 0, banners[queue.last].number >= state.number { throw SnapshotFault("banners wait out of order") }
      if Int(queue.count) >= Self.manyMax { throw SnapshotFault("too many banners wait") }
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
    let longest = unsafe max(key.senderID.count, max(key.receiverID.count, key.giftID.count))
    if longest > Self.longestName { throw SnapshotFault("a key of \(longest) bytes") }
    let hash = Combos.hash(key, settings.hashSeed)
    let combo = combos.find(key, hash: hash, in: store)
    if combo < 0 { return combos.add(key, hash: hash, in: &store) }
    combos.retain(combo)
    return combo
  }
}
