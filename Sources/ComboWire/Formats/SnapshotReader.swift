internal import ComboCore

/// The state of one engine, on a tape.
struct SnapshotReader {
  private let fields: RecordFields
  private let text: JSONText
  private let reader: RecordReader
  private let time: Int64
  /// Whether the text is of version 1, by the engine's first rules without combo names, turns and finals.
  private let isFirst: Bool
  /// Whether the text is of version 3 or newer, with a gift's own lingers and a sum of skips.
  private let isThird: Bool
  /// The number of strings in a combo's key.
  private let keyLength: Int

  /// - Parameter fields: The state's members.
  init(_ fields: RecordFields, _ reader: RecordReader) throws(FormatFault) {
    self.fields = fields
    self.reader = reader
    text = fields.text
    let version = try RecordReader.checkVersion(fields, newest: Format.stateVersion)
    isFirst = version == 1
    isThird = version >= 3
    keyLength = isFirst ? 3 : 4
    time = try fields.integer("time")
  }

  func engine(_ settings: EngineSettings) throws(FormatFault) -> Engine {
    var engine = try empty(settings)
    try each("ids", 2) { (first) throws(FormatFault) in
      let id = try string(first)
      let expiry = try time(first + 1)
      do throws(SnapshotFault) { try engine.restoreID(id, expiry: expiry) } catch { throw fault(error) }
    }
    try restoreStreaks(&engine)
    try each("history", nil) { (first) throws(FormatFault) in try restoreHistory(first, &engine) }
    try each("shown", nil) { (first) throws(FormatFault) in
      try restoreBanner(first, fieldsBeforeDisplay: keyLength + (isThird ? 11 : 10), &engine)
    }
    try each("queue", nil) { (first) throws(FormatFault) in
      try restoreBanner(first, fieldsBeforeDisplay: keyLength + (isThird ? 6 : 5), &engine)
    }
    do throws(SnapshotFault) { try engine.finishRestoring() } catch { throw fault(error) }
    return engine
  }

  private func empty(_ settings: EngineSettings) throws(FormatFault) -> Engine {
    let head = EngineHead(
      epoch: try fields.integer("epoch"), seq: Int(try fields.integer("seq")),
      banners: Int(try fields.integer("banners")), time: time, idleSince: try time(try fields.token("idle")),
      awakeUntil: try fields.find("awake").map { (token) throws(FormatFault) in try time(token) },
      screenDeadline: try fields.find("screen").map { (token) throws(FormatFault) in try time(token) },
      skipSum: try skipSum())
    var own = fields.find("own") == nil ? OwnSettings() : try fields.settings("own")
    if isFirst { own = own.narrowed }
    do throws(SnapshotFault) {
      return try Engine(restoring: head, own: own, settings: settings)
    } catch { throw fault(error) }
  }

  private func skipSum() throws(FormatFault) -> SkipSum? {
    guard isThird, let list = fields.find("skipped") else { return nil }
    guard text[list].isArray, text.next(list) == list + 5 else {
      throw .broken(reader.what, "skipped is \(text.shown(list)), not four numbers")
    }
    return SkipSum(
      banners: try integer(list + 1), count: try integer(list + 2), value: try number(list + 3), deadline: try time(list + 4))
  }

  private func restoreStreaks(_ engine: inout Engine) throws(FormatFault) {
    if isFirst { return try restoreFirstStreaks(&engine) }
    try each("streaks", 7) { (first) throws(FormatFault) in
      let key = try key(first)
      let name = try string(first + 4)
      let total = try integer(first + 5)
      let expiry = try time(first + 6)
      do throws(SnapshotFault) {
        try engine.restoreStreak(key, name: name, total: total, expiry: expiry)
      } catch { throw fault(error) }
    }
  }

  /// Restores streaks of the first rules, under which a named streak also belonged to a receiver. Of those that are one streak
  /// now, the highest total counts, with the place and the expiry of the one set last.
  private func restoreFirstStreaks(_ engine: inout Engine) throws(FormatFault) {
    var totals: [[String]: (total: Int, last: Int)] = [:]
    try each("streaks", 6) { (first) throws(FormatFault) in
      let name = try string(first + 3)
      if text[first].isString, text[first + 2].isString, !name.isEmpty {
        let key = [text.string(first), text.string(first + 2), text.string(first + 3)]
        totals[key] = (max(totals[key]?.total ?? 0, try integer(first + 4)), first)
      }
    }
    try each("streaks", 6) { (first) throws(FormatFault) in
      var key = try key(first)
      let name = try string(first + 3)
      var total = try integer(first + 4)
      let expiry = try time(first + 5)
      if name.count > 0 {
        let named = [text.string(first), text.string(first + 2), text.string(first + 3)]
        guard let highest = totals[named], highest.last == first else { return }
        total = highest.total
        key.receiverID = Bytes(start: nil, count: 0)
      }
      do throws(SnapshotFault) {
        try engine.restoreStreak(key, name: name, total: total, expiry: expiry)
      } catch { throw fault(error) }
    }
  }

  /// Restores the count from which a combo continues, and its pending final, if any: a banner's number and display data.
  private func restoreHistory(_ first: Int, _ engine: inout Engine) throws(FormatFault) {
    let end = text.next(first - 1)
    let last = first + keyLength + 2
    for token in first..<last where token >= end || text.next(token) != token + 1 {
      throw .broken(reader.what, "an entry of history lacks values")
    }
    var state = HistoryState(total: count(try integer(first + keyLength)), expiry: try time(first + keyLength + 1))
    if last < end {
      if isFirst { throw .broken(reader.what, "an entry of history has too many values") }
      state.final = (try integer(last), try display(from: last + 1, to: end))
    }
    let key = try key(first)
    do throws(SnapshotFault) { try engine.restoreHistory(key, state) } catch { throw fault(error) }
  }

  /// Restores a banner: its plain values, of which waiting banners have fewer, then sender, receiver and gift.
  private func restoreBanner(_ first: Int, fieldsBeforeDisplay plain: Int, _ engine: inout Engine) throws(FormatFault) {
    let end = text.next(first - 1)
    // Each valid plain value has one token.
    for token in first..<first + plain where token >= end || text.next(token) != token + 1 {
      throw .broken(reader.what, "a banner lacks values")
    }
    let key = try key(first)
    var at = first + keyLength
    var state = BannerState(
      number: try integer(at), phase: .queued, slot: 0, base: count(try integer(at + 1)), total: count(try integer(at + 2)),
      shown: 0, value: try number(at + 3), since: try time(at + 4), deadline: 0, shortLinger: false, takenOver: false)
    if isThird {
      state.ownLingerMs = try integer(at + 5)
      at += 1
    }
    if plain > keyLength + 6 {
      guard let phase = BannerState.Phase(rawValue: UInt8(clamping: try integer(at + 5))), phase != .queued else {
        throw .broken(reader.what, "a banner on screen has no phase")
      }
      state.phase = phase
      state.slot = try integer(at + 6)
      state.shown = count(try integer(at + 7))
      state.deadline = try time(at + 8)
      let flags = try fields.integer(at + 9, "a banner's flags", isFirst ? 0...3 : 0...7)
      state.shortLinger = flags & 1 != 0
      state.takenOver = flags & 2 != 0
      state.isSealed = flags & 4 != 0
      // Version 1 did not store when it was shown, so its turn begins now.
      if isFirst { state.since = time }
    }
    let display = try display(from: first + plain, to: end)
    do throws(SnapshotFault) { try engine.restoreBanner(key, state, display) } catch { throw fault(error) }
  }

  /// Returns sender, receiver or null, and gift, which must be the rest of an entry.
  private func display(from sender: Int, to end: Int) throws(FormatFault) -> Display {
    guard sender < end else { throw .broken(reader.what, "a banner lacks its sender") }
    let receiver = text.next(sender)
    guard receiver < end else { throw .broken(reader.what, "a banner lacks its receiver") }
    let gift = text.next(receiver)
    guard gift < end, text.next(gift) == end else {
      throw .broken(reader.what, "a banner lacks its gift, or has too many values")
    }
    return Display(
      sender: try object(sender), receiver: text[receiver].isNull ? .none : try object(receiver), gift: try object(gift))
  }

  /// Returns a count, limited to the current maximum, which a count of the first rules could exceed.
  private func count(_ count: Int) -> Int { isFirst ? min(count, Engine.countMax) : count }

  /// Passes the first token of each entry of a section to `body`. Entries must be arrays, of `count` plain values if it is set.
  @inline(__always)
  private func each(
    _ name: StaticString, _ count: Int?, _ body: (_ first: Int) throws(FormatFault) -> Void
  ) throws(FormatFault) {
    guard let list = fields.find(name) else { return }
    guard text[list].isArray else { throw .broken(reader.what, "\(name) is \(text[list].typeName), not an array") }
    let end = text.next(list)
    var token = list + 1
    while token < end {
      let next = text.next(token)
      guard text[token].isArray, count.map({ next == token + 1 + $0 }) ?? true else {
        throw .broken(reader.what, "an entry of \(name) is \(text.shown(token))")
      }
      try body(token + 1)
      token = next
    }
  }

  private func fault(_ fault: SnapshotFault) -> FormatFault { .broken(reader.what, fault.description) }

  private func key(_ first: Int) throws(FormatFault) -> ComboKey {
    var key = ComboKey(senderID: try string(first), receiverID: try string(first + 1), giftID: try string(first + 2))
    if !isFirst { key.combo = try string(first + 3) }
    return key
  }

  private func string(_ token: Int) throws(FormatFault) -> Bytes {
    guard text[token].isString else { throw .broken(reader.what, "an id must be a string, not \(text.shown(token))") }
    return text.meaning(token, into: reader.arena)
  }

  private func integer(_ token: Int) throws(FormatFault) -> Int { Int(try fields.integer(token, "a number")) }

  private func number(_ token: Int) throws(FormatFault) -> Double {
    guard text[token].isNumber else { throw .broken(reader.what, "a value must be a number, not \(text.shown(token))") }
    let value = text.double(token)
    guard value.isFinite else { throw .broken(reader.what, "a value is too large") }
    return value
  }

  /// Returns a time, which is written as its difference from the engine's.
  private func time(_ token: Int) throws(FormatFault) -> Int64 {
    time + (try fields.integer(token, "a time"))
  }

  private func object(_ token: Int) throws(FormatFault) -> Bytes {
    guard text[token].isObject else {
      throw .broken(reader.what, "display data must be an object, not \(text.shown(token))")
    }
    return reader.parser.compact(text, token, into: reader.arena)
  }
}
