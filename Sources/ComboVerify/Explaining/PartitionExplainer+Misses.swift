internal import ComboCore
internal import ComboEdge
internal import ComboMaps
internal import ComboRooms
internal import ComboWire

/// Handles gifts that did not reach an engine, and records from which nothing is derived.
extension PartitionExplainer {
  // MARK: - Gifts that reached no engine

  func missed(_ event: Event, _ record: InputRecord, _ kind: GiftMiss.Kind, at now: Int64?, detail: String = "") {
    guard unsafe question.isAbout(event.room) else { return }
    report.hasRoom = true
    if question.isAsked(event, record, at: now) {
      add(
        GiftMiss(
          kind: kind, partition: number, offset: record.offset, time: now ?? event.time(in: record), detail: detail,
          name: GiftName(event.gift), redriven: redriven(record)))
    } else if event.kind == .gift {
      near.consider(event, record, at: now)
    }
  }

  func missedUnread(_ record: InputRecord, _ kind: GiftMiss.Kind, _ reason: String, at now: Int64? = nil) {
    let time = now ?? record.time?.ms
    if question.namesTime, !question.holds(time), !question.holds(record.time?.ms) { return }
    let match = UnreadRecord(record: record, derivation: derivation).match(question)
    if match == .none { return }
    add(
      GiftMiss(
        kind: kind, partition: number, offset: record.offset, time: time, detail: reason, isGuess: match == .guess,
        redriven: redriven(record)),
      like: kind == .deadLetter ? record.fingerprint : nil)
  }

  /// - Parameter record: The fingerprint of the record that became a dead letter, or nil for another miss.
  func add(_ miss: GiftMiss, like record: UInt64? = nil) {
    missCount += 1
    if miss.isGuess { guessCount += 1 }
    if misses.count == Self.missesMax { return }
    misses.append(miss)
    // If a whole room is requested, records that the map drops do not matter once there is a gift.
    if miss.kind != .dropped || question.namesGift { pending.add(miss, like: record) }
  }

  /// Returns the history of a record before `redrive` sent it, or nil if it did not.
  func redriven(_ record: InputRecord) -> Redriven? {
    if let lastRedriven, lastRedriven.offset == record.offset { return lastRedriven.redriven }
    var rounds = 0
    unsafe record.withLastHeader(Redriven.header) { rounds = unsafe Int(String(decoding: $0, as: UTF8.self)) ?? 0 }
    if rounds <= 0 { return nil }
    let redriven = Redriven(rounds: rounds, letters: takeDeadLetters(like: record.fingerprint, rounds: rounds))
    // A record may hold several gifts.
    lastRedriven = (record.offset, redriven)
    return redriven
  }

  // MARK: - Records that are not derived

  var probe: RecordProbe? {
    if madeProbe?.derivation != derivation || madeProbe == nil {
      madeProbe = (derivation, try? RecordProbe(derivation))
    }
    return madeProbe!.probe
  }

  func passedOver(_ record: InputRecord, _ reset: JournalEntry.Reset) {
    guard let probe else { return }
    let fate = probe.forEachEvent(of: record) { missed($0, record, .passedOver, at: nil, detail: reset.reason) }
    if case .bad = fate, probe.isKnown { missedUnread(record, .passedOver, reset.reason) }
  }

  func notCommitted(_ record: InputRecord) throws {
    guard let probe else { return }
    let fate = probe.forEachEvent(of: record) { missed($0, record, .notCommitted, at: nil) }
    if !probe.isKnown { return }
    switch fate {
    case .events: break
    case .dropped: missedUnread(record, .dropped, probe.dropReason)
    case .bad(let bad): missedUnread(record, .notCommitted, "it will become a dead letter: \(bad)")
    }
  }

  /// Reads the records before the place from which the partition can be derived.
  /// - Parameter isBeginning: Whether the group began reading there.
  func readUnknown(to end: Int64, _ derivation: Derivation?, isBeginning: Bool = false) throws {
    if seenTo >= end { return }
    let probe = try RecordProbe(derivation)
    let (kind, detail): (GiftMiss.Kind, String) =
      isBeginning ? (.beforeGroup, "the group reads this partition from offset \(end) on") : (.beforeJournal, "")
    try reader.read(.input, number, from: seenTo, to: end, unless: { false }) { record in
      probe.forEachEvent(of: record) { missed($0, record, kind, at: nil, detail: detail) }
      return true
    }
    seenTo = end
  }

  /// Finds the gifts whose ids the room's snapshot remembers.
  func rememberIDs(before end: Int64, _ derivation: Derivation, at clock: Int64) throws {
    let settings = derivation.settings
    if settings.dedupeMs == 0 || settings.maxIds == 0 { return }
    let first = try reader.bounds(.input, number).first
    let since = clock - Int64(settings.dedupeMs) - Self.lateMs
    guard let start = try reader.offset(.input, number, atMs: max(0, since)), max(start, first) < end else { return }
    let probe = try RecordProbe(derivation)
    try reader.read(.input, number, from: max(start, first), to: end, unless: { false }) { record in
      probe.forEachEvent(of: record) { event in
        guard event.kind == .gift, unsafe event.gift.id.count > 0, unsafe question.isAbout(event.room) else { return }
        let at = min(clock, event.time(in: record) ?? clock) - (partition?.shifted ?? 0)
        _ = unsafe ids.register(
          event.gift.id, offset: record.offset, at: at, dedupeMs: settings.dedupeMs, idsMax: settings.maxIds,
          refreshes: event.gift.refreshes && derivation.rules.hasRefresh)
      }
      return true
    }
  }
}
