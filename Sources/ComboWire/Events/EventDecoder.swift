internal import CSimdJSON
public import ComboCore

/// Decodes input records into events by the rules of wire.md. Use one per thread; the steady state has no allocations.
///
/// The fields of an event's type are checked in the order of the table there, and the first fault counts: `type`, `room` (with
/// the record's key), `ts`, `id`, `sender`, `gift`, `receiver`, the size of the display data, `gift.value`, `count`, `total`,
/// `streak`, `streak_ms`, `ends`, `refresh`, `linger_ms`, `combo`; or `settings`, in the order of the record. A null field counts
/// as missing; of two fields with the same name, the first counts.
public final class EventDecoder {
  /// The limits of an event.
  public let limits: WireLimits
  /// The rules under which the events will be processed. Fields and settings that they do not have are unknown.
  public var rules: Rules
  /// The settings of the last decoded event if it was a `room_settings`.
  public private(set) var own = OwnSettings()

  package let parser = JSONParser()
  private let finder = EventFieldFinder()

  /// Creates a decoder with these limits.
  public init(limits: WireLimits = WireLimits(), rules: Rules = .newest) {
    self.limits = limits
    self.rules = rules
  }

  /// Decodes a record's value into an event.
  ///
  /// - Parameters:
  ///   - record: The value; not needed after the call.
  ///   - key: The record's key, or nil if it has none, as in a replay. Not needed after the call.
  ///   - arena: Receives the bytes of the event. A bad record leaves no bytes in it.
  ///   - event: The result. It is invalid after an error.
  public func decode(_ record: Bytes, key: Bytes?, into arena: BumpArena, _ event: inout Event) throws(BadEvent) {
    if record.count > limits.recordBytes { throw .recordTooLarge(record.count, limits) }
    let mark = arena.mark
    do throws(BadEvent) {
      let place = Bytes(start: arena.allocate(record.count), count: record.count)
      try read(record, place, key: key, into: arena, &event)
    } catch {
      arena.rewind(to: mark)
      throw error
    }
  }

  /// Decodes a record's value without a copy: the event points into `record`. `record` must stay unchanged while the event is in
  /// use, and ``BumpArena/padding`` more bytes must be readable after it. Text that differs from the record, such as ids with
  /// escapes, is still copied to `arena`.
  public func decodeInPlace(_ record: Bytes, key: Bytes?, into arena: BumpArena, _ event: inout Event) throws(BadEvent) {
    if record.count > limits.recordBytes { throw .recordTooLarge(record.count, limits) }
    let mark = arena.mark
    do throws(BadEvent) {
      try read(record, record, key: key, into: arena, &event)
    } catch {
      arena.rewind(to: mark)
      throw error
    }
  }

  @inline(__always)
  private func read(_ source: Bytes, _ record: Bytes, key: Bytes?, into arena: BumpArena, _ event: inout Event) throws(BadEvent) {
    guard let from = source.baseAddress else { throw .notJSON(CSJ_EMPTY, at: nil, limits) }
    let fault = parser.checkAlike(record, copiedFrom: from, depth: limits.depth)
    if fault != CSJ_FINE { throw .notJSON(fault, at: parser.faultPosition, limits) }
    let text = parser.text(of: record)
    if !text[0].isObject { throw .notObject(text, 0) }
    let fields = finder.find(text, of: parser)
    event.kind = try kind(text, fields[.type])
    event.room = try room(text, fields[.room], key: key, into: arena)
    if !limits.roomPrefix.isEmpty { event.room = try prefixed(event.room, into: arena) }
    event.ts = try time(text, fields[.ts])
    switch event.kind {
    case .gift: try readGift(text, fields, into: arena, &event.gift)
    case .roomClosed: break
    case .retract: try readRetraction(text, fields, into: arena, &event.retraction)
    case .roomSettings: try readSettings(text, fields[.settings])
    }
  }

  // MARK: Common fields

  @inline(__always)
  private func kind(_ text: JSONText, _ token: Int) throws(BadEvent) -> Event.Kind {
    if !text.has(token) { return .gift }
    if !text[token].isString { throw .wrongType(text, token, "type", "must be a string") }
    if text.string(token, is: "gift") { return .gift }
    if text.string(token, is: "retract") { return .retract }
    if text.string(token, is: "room_closed") { return .roomClosed }
    if text.string(token, is: "room_settings") { return .roomSettings }
    parser.writeNames()
    throw .unknownType(text, token)
  }

  @inline(__always)
  private func room(_ text: JSONText, _ token: Int, key: Bytes?, into arena: BumpArena) throws(BadEvent) -> Bytes {
    if text.isShort(token) {
      let room = text.inside(token)
      if limits.roomFromBody { return room }
      if let key, key == room { return room }
    }
    return try unusualRoom(text, token, key: key, into: arena)
  }

  @inline(never)
  private func unusualRoom(_ text: JSONText, _ token: Int, key: Bytes?, into arena: BumpArena) throws(BadEvent) -> Bytes {
    if !text.has(token) {
      guard let key else { throw .missing("room", "the record has no key that could stand for it") }
      return try roomOfKey(key, into: arena)
    }
    if !text[token].isString { throw .wrongType(text, token, "room", "must be a string") }
    let room = text.meaning(token, into: arena)
    try check(room, key: key)
    return room
  }

  /// Checks that a room is valid in a record with this key.
  @inline(__always)
  package func check(_ room: Bytes, key: Bytes?) throws(BadEvent) {
    if room.isEmpty || room.count > Self.idBytesMax { throw .length(room, "room") }
    if !limits.roomFromBody {
      guard let key else { throw .noKey(room) }
      if !(key == room) { throw .otherKey(key, room) }
    }
  }

  /// Returns a room's id with the prefix in front.
  @inline(never)
  package func prefixed(_ room: Bytes, into arena: BumpArena) throws(BadEvent) -> Bytes {
    var prefix = limits.roomPrefix
    let count = prefix.utf8.count
    let piece = arena.allocate(count + room.count)
    prefix.withUTF8 { piece.copyMemory(from: $0.baseAddress!, byteCount: $0.count) }
    if let start = room.baseAddress { (piece + count).copyMemory(from: start, byteCount: room.count) }
    let whole = Bytes(start: piece, count: count + room.count)
    if whole.count > Self.idBytesMax { throw .length(whole, "room (with the prefix of its input)") }
    return whole
  }

  package func roomOfKey(_ key: Bytes, into arena: BumpArena) throws(BadEvent) -> Bytes {
    if key.isEmpty || key.count > Self.idBytesMax { throw .length(key, "room (missing, so the record's key)") }
    if csj_is_utf8(key.baseAddress!.assumingMemoryBound(to: UInt8.self), key.count) == 0 { throw .keyNotUTF8(key) }
    return arena.copy(key)
  }

  @inline(__always)
  private func time(_ text: JSONText, _ token: Int) throws(BadEvent) -> Int64 {
    if !text.has(token) {
      if limits.requireTs { throw .missing("ts", "a replay takes its time from it") }
      return -1
    }
    return try integer(text, token, "ts", 0...Self.timeMax)
  }

  // MARK: Gifts and retractions

  @inline(__always)
  private func readGift(_ text: JSONText, _ fields: EventFields, into arena: BumpArena, _ gift: inout Gift) throws(BadEvent) {
    let (sender, receiver, given) = (fields[.sender], fields[.receiver], fields[.gift])
    gift.forgetHashes()
    gift.id = try idIfThere(text, fields[.id], "id", into: arena)
    gift.senderID = try idOfObject(text, sender, fields[.senderID], "sender", "sender.id", into: arena)
    gift.giftID = try idOfObject(text, given, fields[.giftID], "gift", "gift.id", into: arena)
    let hasReceiver = text.has(receiver)
    gift.receiverID =
      hasReceiver ? try idOfObject(text, receiver, fields[.receiverID], "receiver", "receiver.id", into: arena) : .none

    var size = Int(text[sender].length) &+ Int(text[given].length)
    if hasReceiver { size &+= Int(text[receiver].length) }
    if size > limits.displayBytes { throw .displayTooLarge(size, limits) }

    gift.value = text.has(fields[.giftValue]) ? try worth(text, fields[.giftValue]) : 0
    gift.amount = try amount(text, fields, into: arena, &gift)
    gift.combo = try idIfThere(text, fields[.combo], "combo", into: arena)
    gift.display.sender = parser.compact(text, sender, into: arena)
    gift.display.receiver = hasReceiver ? parser.compact(text, receiver, into: arena) : .none
    gift.display.gift = parser.compact(text, given, into: arena)
  }

  @inline(__always)
  package func worth(_ text: JSONText, _ token: Int) throws(BadEvent) -> Double {
    if !text[token].isNumber { throw .wrongType(text, token, "gift.value", "must be a number") }
    let value = text.double(token)
    if !(value >= 0 && value <= Self.valueMax) { throw .outside(text, token, "gift.value", "0 to 1000000000000") }
    return value
  }

  @inline(__always)
  private func amount(
    _ text: JSONText, _ fields: EventFields, into arena: BumpArena, _ gift: inout Gift
  ) throws(BadEvent) -> Gift.Amount {
    if fields[.total] | fields[.streak] | fields.details != 0 { return try unusualAmount(text, fields, into: arena, &gift) }
    let counted = fields[.count]
    // Usually it is one digit.
    if let digit = text.digit(counted), digit > 0 { return .count(digit) }
    return .count(try count(text, counted))
  }

  @inline(never)
  private func unusualAmount(
    _ text: JSONText, _ fields: EventFields, into arena: BumpArena, _ gift: inout Gift
  ) throws(BadEvent) -> Gift.Amount {
    let (counted, totalled) = (fields[.count], fields[.total])
    let count = try count(text, counted)
    var total: Int64?
    if text.has(totalled) {
      if !text[totalled].isInteger { throw .wrongType(text, totalled, "total", "must be an integer") }
      if text.has(counted) { throw .countAndTotal(text, counted, totalled) }
      total = try integer(text, totalled, "total", 1...Self.totalMax)
    }
    // Without a total these have no effect, but an invalid one makes the gift invalid.
    let streak = try idIfThere(text, fields[.streak], "streak", into: arena)
    for (field, detail, since) in EventField.details where text.has(fields[field]) && since <= rules {
      switch detail {
      case .integer(let range, let set): set(&gift, try integer(text, fields[field], field.name, range))
      case .boolean(let set): set(&gift, try boolean(text, fields[field], field.name))
      }
    }
    guard let total else { return .count(count) }
    return .total(Int(total), streak: streak)
  }

  private func count(_ text: JSONText, _ token: Int) throws(BadEvent) -> Int {
    text.has(token) ? Int(try integer(text, token, "count", 1...Self.countMax)) : 1
  }

  private func readRetraction(
    _ text: JSONText, _ fields: EventFields, into arena: BumpArena, _ retraction: inout Retraction
  ) throws(BadEvent) {
    retraction.senderID = try idOfObject(text, fields[.sender], fields[.senderID], "sender", "sender.id", into: arena)
    retraction.giftID =
      text.has(fields[.gift]) ? try idOfObject(text, fields[.gift], fields[.giftID], "gift", "gift.id", into: arena) : .none
    retraction.receiverID =
      text.has(fields[.receiver])
      ? try idOfObject(text, fields[.receiver], fields[.receiverID], "receiver", "receiver.id", into: arena) : .none
  }

  private func readSettings(_ text: JSONText, _ token: Int) throws(BadEvent) {
    if !text.has(token) { throw .missing("settings", "a room_settings needs them") }
    if !text[token].isObject { throw .wrongType(text, token, "settings", "must be an object") }
    // In a text of a known shape, the tape lacks the names.
    parser.writeNames()
    own = try SettingsReader(text: text, path: "settings", rules: rules, allowedForRoom: limits.roomSettings).read(token)
  }

  // MARK: Values

  /// The id of a required object.
  @inline(__always)
  private func idOfObject(
    _ text: JSONText, _ token: Int, _ id: Int, _ name: StaticString, _ idName: StaticString, into arena: BumpArena
  ) throws(BadEvent) -> Bytes {
    // If there is an id, there is an object.
    if text.isShort(id) { return text.inside(id) }
    return try unusualIDOfObject(text, token, id, name, idName, into: arena)
  }

  @inline(never)
  private func unusualIDOfObject(
    _ text: JSONText, _ token: Int, _ id: Int, _ name: StaticString, _ idName: StaticString, into arena: BumpArena
  ) throws(BadEvent) -> Bytes {
    if !text.has(token) { throw .missing("\(name)", "the event needs one") }
    if !text[token].isObject { throw .wrongType(text, token, "\(name)", "must be an object") }
    if !text.has(id) { throw .missing("\(idName)", "a \(name) must have one") }
    return try unusualID(text, id, idName, into: arena)
  }

  @inline(__always)
  private func idIfThere(_ text: JSONText, _ token: Int, _ name: StaticString, into arena: BumpArena) throws(BadEvent) -> Bytes {
    if text.isShort(token) { return text.inside(token) }
    return text.has(token) ? try unusualID(text, token, name, into: arena) : .none
  }

  /// An id: the value of a string, or an integer as written.
  @inline(__always)
  package func id(_ text: JSONText, _ token: Int, _ name: StaticString, into arena: BumpArena) throws(BadEvent) -> Bytes {
    text.isShort(token) ? text.inside(token) : try unusualID(text, token, name, into: arena)
  }

  @inline(never)
  private func unusualID(_ text: JSONText, _ token: Int, _ name: StaticString, into arena: BumpArena) throws(BadEvent) -> Bytes {
    let id: Bytes
    if text[token].isString {
      id = text.meaning(token, into: arena)
    } else if text[token].isInteger {
      id = text.slice(token)
    } else {
      throw .wrongType(text, token, "\(name)", "must be a string or an integer")
    }
    if id.isEmpty || id.count > Self.idBytesMax { throw .length(id, "\(name)") }
    return id
  }

  @inline(__always)
  package func integer(
    _ text: JSONText, _ token: Int, _ name: StaticString, _ range: ClosedRange<Int64>
  ) throws(BadEvent) -> Int64 {
    if !text[token].isInteger { throw .wrongType(text, token, "\(name)", "must be an integer") }
    guard let value = text.integer(token), range.contains(value) else {
      throw .outside(text, token, "\(name)", "\(range.lowerBound) to \(range.upperBound)")
    }
    return value
  }

  func boolean(_ text: JSONText, _ token: Int, _ name: StaticString) throws(BadEvent) -> Bool {
    if !text[token].isBoolean { throw .wrongType(text, token, "\(name)", "must be true or false") }
    return text[token].isTrue
  }

  /// The maximum length of an id, in bytes.
  @inlinable package static var idBytesMax: Int { 256 }
  package static let timeMax: Int64 = 1 << 53
  package static let valueMax = 1e12
  package static let countMax: Int64 = 1_000_000
  package static let totalMax: Int64 = 1_000_000_000
  /// The maximum of a gift's `streak_ms`.
  public static let longestStreakMs: Int64 = 3_600_000
}

extension Bytes {
  @inlinable @inline(__always)
  package static var none: Bytes { Bytes(start: nil, count: 0) }
}
