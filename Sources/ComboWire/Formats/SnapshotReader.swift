internal import ComboCore

/// The state of one engine, as it lies on a tape.
struct SnapshotReader {
  private let fields: RecordFields
  private let text: JSONText
  private let reader: RecordReader
  private let time: Int64

  /// - Parameter fields: the state's members; `v` has been looked at.
  init(_ fields: RecordFields, _ reader: RecordReader) throws(FormatFault) {
    self.fields = fields
    self.reader = reader
    text = fields.text
    time = try fields.integer("time")
  }

  func engine(_ settings: EngineSettings) throws(FormatFault) -> Engine {
    var engine = try empty(settings)
    try each("ids", 2) { (first) throws(FormatFault) in
      let id = try string(first)
      let expiry = try time(first + 1)
      do throws(SnapshotFault) { try engine.restoreID(id, expiry: expiry) } catch { throw fault(error) }
    }
    try each("streaks", 6) { (first) throws(FormatFault) in
      let key = try key(first)
      let name = try string(first + 3)
      let total = try integer(first + 4)
      let expiry = try time(first + 5)
      do throws(SnapshotFault) {
        try engine.restoreStreak(key, name: name, total: total, expiry: expiry)
      } catch { throw fault(error) }
    }
    try each("history", 5) { (first) throws(FormatFault) in
      let key = try key(first)
      let total = try integer(first + 3)
      let expiry = try time(first + 4)
      do throws(SnapshotFault) { try engine.restoreHistory(key, total: total, expiry: expiry) } catch { throw fault(error) }
    }
    try each("shown", nil) { (first) throws(FormatFault) in
      try restoreBanner(first, fieldsBeforeDisplay: 13, &engine)
    }
    try each("queue", nil) { (first) throws(FormatFault) in
      try restoreBanner(first, fieldsBeforeDisplay: 8, &engine)
    }
    do throws(SnapshotFault) { try engine.finishRestoring() } catch { throw fault(error) }
    return engine
  }

  private func empty(_ settings: EngineSettings) throws(FormatFault) -> Engine {
    let head = EngineHead(
      epoch: try fields.integer("epoch"), seq: Int(try fields.integer("seq")),
      banners: Int(try fields.integer("banners")), time: time, idleSince: try time(try fields.token("idle")),
      screenDeadline: try fields.find("screen").map { (token) throws(FormatFault) in try time(token) })
    let own = fields.find("own") == nil ? OwnSettings() : try fields.settings("own")
    do throws(SnapshotFault) {
      return try Engine(restoring: head, own: own, settings: settings)
    } catch { throw fault(error) }
  }

  /// A banner: the plain values, of which those that wait have fewer, then sender, receiver and gift.
  private func restoreBanner(_ first: Int, fieldsBeforeDisplay count: Int, _ engine: inout Engine) throws(FormatFault) {
    let end = text.next(first - 1)
    // The plain values have a token each, unless something is wrong with them.
    let sender = first + count
    for token in first..<sender where token >= end || text.next(token) != token + 1 {
      throw .broken(reader.what, "a banner lacks values")
    }
    guard sender < end else { throw .broken(reader.what, "a banner lacks its sender") }
    let receiver = text.next(sender)
    guard receiver < end else { throw .broken(reader.what, "a banner lacks its receiver") }
    let gift = text.next(receiver)
    guard gift < end, text.next(gift) == end else { throw .broken(reader.what, "a banner lacks its gift, or has too much") }

    let key = try key(first)
    var state = BannerState(
      number: try integer(first + 3), phase: .queued, slot: 0, base: try integer(first + 4), total: try integer(first + 5),
      shown: 0, value: try number(first + 6), created: try time(first + 7), deadline: 0, shortLinger: false,
      takenOver: false)
    if count > 8 {
      guard let phase = BannerState.Phase(rawValue: UInt8(clamping: try integer(first + 8))), phase != .queued else {
        throw .broken(reader.what, "a banner on screen has no phase")
      }
      state.phase = phase
      state.slot = try integer(first + 9)
      state.shown = try integer(first + 10)
      state.deadline = try time(first + 11)
      let flags = try fields.integer(first + 12, "a banner's flags", 0...3)
      state.shortLinger = flags & 1 != 0
      state.takenOver = flags & 2 != 0
    }
    let display = Display(
      sender: try object(sender), receiver: text[receiver].isNull ? .none : try object(receiver), gift: try object(gift))
    do throws(SnapshotFault) { try engine.restoreBanner(key, state, display) } catch { throw fault(error) }
  }

  /// Hands the first token of each entry of a section to `body`. The entries are arrays; of `count` plain values, if that
  /// is given.
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
    ComboKey(senderID: try string(first), receiverID: try string(first + 1), giftID: try string(first + 2))
  }

  private func string(_ token: Int) throws(FormatFault) -> Bytes {
    guard text[token].isString else { throw .broken(reader.what, "\(text.shown(token)) stands where an id should") }
    return text.meaning(token, into: reader.arena)
  }

  private func integer(_ token: Int) throws(FormatFault) -> Int { Int(try fields.integer(token, "a number")) }

  private func number(_ token: Int) throws(FormatFault) -> Double {
    guard text[token].isNumber else { throw .broken(reader.what, "\(text.shown(token)) stands where a worth should") }
    let value = text.double(token)
    guard value.isFinite else { throw .broken(reader.what, "a banner's worth is beyond all numbers") }
    return value
  }

  /// A time, written as its difference from the engine's.
  private func time(_ token: Int) throws(FormatFault) -> Int64 {
    time + (try fields.integer(token, "a time"))
  }

  private func object(_ token: Int) throws(FormatFault) -> Bytes {
    guard text[token].isObject else {
      throw .broken(reader.what, "\(text.shown(token)) stands where an object to be displayed should")
    }
    return reader.parser.compact(text, token, into: reader.arena)
  }
}
