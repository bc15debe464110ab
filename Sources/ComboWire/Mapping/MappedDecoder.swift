internal import CSimdJSON
internal import ComboCore

/// Makes events of records by a map. One a thread; nothing is allocated in the steady state.
///
/// What a field may be is checked by the same code as in an ``EventDecoder``.
final class MappedDecoder {
  /// What a map makes of a record.
  enum Outcome: Equatable {
    case event
    /// None of ours.
    case dropped
  }

  let map: CompiledMap
  let form: MapDefinition.TextForm
  private let isFramed: Bool
  private let hasHeaders: Bool
  /// Whether texts are read in their places.
  private let hasTexts: Bool
  private let groupCount: Int
  private(set) var own = OwnSettings()
  /// The rule that decided on the last record, in `map.rules`; -1 if none has. And on which of its elements, counted from 0.
  private(set) var rule = 0
  private var round = 0
  /// Through how few arrays a rule goes that has made an event of what the element in hand lies in; `Int.max`: none has.
  private var outer = Int.max

  let checks: EventDecoder
  let walk: PointerWalk
  private let stt = STTReader()
  private let irc = IRCReader()
  private let protobuf: ProtobufReader?
  let nodes: UnsafeMutableBufferPointer<CompiledMap.Node>
  let links: UnsafeMutableBufferPointer<Int32>
  let texts: UnsafeMutableBufferPointer<CompiledMap.Text>
  let bytes: UnsafeMutableBufferPointer<UInt8>
  private let rules: UnsafeMutableBufferPointer<CompiledMap.Rule>
  private let groups: UnsafeMutableBufferPointer<CompiledMap.Group>
  let shown: UnsafeMutableBufferPointer<CompiledMap.Shown>
  /// A display object that is being made.
  let object = ByteBuffer()
  /// A record that is written anew with what its texts hold.
  private let rewriting = ByteBuffer()
  /// The values of the headers that the map names.
  private(set) var headers: [Bytes]
  private(set) var key: Bytes?
  /// The record's tape; none before the first.
  private(set) var text: JSONText!
  private var shape = TextShape(id: 0, place: 0)
  /// The expression whose value is being looked at: what a sentence can name.
  var reading: Int32 = -1
  /// Whether the id that was read last needs no escapes in JSON.
  var isPlain = false
  private var limits: WireLimits { checks.limits }

  init(_ map: CompiledMap, limits: WireLimits) {
    self.map = map
    checks = EventDecoder(limits: limits)
    walk = PointerWalk(map.pointers)
    nodes = Self.copy(map.nodes)
    links = Self.copy(map.links)
    texts = Self.copy(map.texts)
    // What is copied in blocks is read a little behind its end.
    bytes = Self.copy(map.bytes + Array(repeating: 0, count: BumpArena.padding))
    rules = Self.copy(map.rules)
    groups = Self.copy(map.groups)
    shown = Self.copy(map.shown)
    headers = Array(repeating: .none, count: map.headers.count)
    hasHeaders = !map.headers.isEmpty
    hasTexts = !map.unpacked.isEmpty
    protobuf = map.messages.isEmpty ? nil : ProtobufReader(map.messages, limits: limits)
    form = map.form
    isFramed = map.isFramed
    groupCount = map.groups.count
  }

  deinit {
    nodes.deallocate()
    links.deallocate()
    texts.deallocate()
    bytes.deallocate()
    rules.baseAddress!.deinitialize(count: map.rules.count)
    rules.deallocate()
    groups.deallocate()
    shown.deallocate()
  }

  private static func copy<T>(_ array: [T]) -> UnsafeMutableBufferPointer<T> {
    let memory = UnsafeMutableBufferPointer<T>.allocate(capacity: array.count + 1)
    _ = memory.initialize(from: array)
    return memory
  }

  /// For whoever asks which rule decided.
  func forgetRule() { rule = -1 }

  // MARK: - A record

  /// Whether the record decoded last has several elements for `*`; an event may be made of each.
  var isSeveral: Bool { walk.isSeveral }

  /// Whether a record is written anew as JSON.
  func rewrites(_ record: Bytes) -> Bool {
    if form == .json { return false }
    let first = record.first { $0 != 0x20 && $0 != 0x09 && $0 != 0x0A && $0 != 0x0D }
    return first != 0x7B && first != 0x5B
  }

  /// Says which element, and which rule, the event returned first is of.
  func settle(_ round: Int, rule: Int) { (self.round, self.rule) = (round, rule) }

  /// Goes back to the element that was settled on, for whoever asks about it.
  func goBack() {
    walk.walk(text, shape)
    for _ in 0..<round where !walk.advance(text) { return }
  }

  /// Goes on to the record's next element, if there is one; ``decodeElement(into:_:)`` then makes an event of it.
  func advance() -> Bool {
    guard walk.advance(text) else { return false }
    if outer >= walk.level { outer = .max }
    return true
  }

  func decodeElement(into arena: BumpArena, _ event: inout Event) throws(BadEvent) -> Outcome {
    do throws(BadEvent) {
      rule = try choose(arena)
      return rule < 0 ? .dropped : try apply(rules.baseAddress.unsafelyUnwrapped + rule, into: arena, &event)
    } catch {
      throw .ofElement(walk.place, error)
    }
  }

  /// Makes an event of a record that lies where it can stay, with padding behind it.
  func decode(
    _ record: Bytes, key: Bytes?, header: RecordDecoder.HeaderLookup, into arena: BumpArena, _ event: inout Event
  ) throws(BadEvent) -> Outcome {
    try parse(record, into: arena)
    self.key = key
    if hasHeaders {
      for index in headers.indices {
        headers[index] = .none
        header(map.headers[index]) { headers[index] = arena.copy($0) }
      }
    }
    walk.walk(text, shape)
    if hasTexts { try unpack(into: arena) }
    round = 0
    outer = .max
    rule = try choose(arena)
    return try apply(rules.baseAddress.unsafelyUnwrapped + rule, into: arena, &event)
  }

  @inline(__always)
  private func parse(_ record: Bytes, into arena: BumpArena) throws(BadEvent) {
    var record = record
    if rewrites(record) {
      record = try rewritten(record, 0, into: arena)
    } else if isFramed, record.count > 5, record[0] == 0 {
      record = Bytes(rebasing: record[5...])
    }
    try check(record)
  }

  private func check(_ record: Bytes) throws(BadEvent) {
    let fault = checks.parser.checkAlike(record, depth: limits.depth)
    if fault != CSJ_FINE { throw .notJSON(fault, at: checks.parser.faultPosition, limits) }
    text = checks.parser.text(of: record)
    shape = checks.parser.shape
    if !walk.knows(shape) { checks.parser.writeNames() }
  }

  @inline(never)
  private func unpack(into arena: BumpArena) throws(BadEvent) {
    for text in map.unpacked {
      if text.stars == 0 {
        try unpack(text, into: arena)
      } else if walk.found[Int(text.each)] >= 0 {
        try unpackEach(text, into: arena)
      }
    }
  }

  /// Puts the JSON that a text holds in the text's place, or what the text is in Protobuf or in the map's other form.
  private func unpack(_ unpacked: CompiledMap.Unpacked, into arena: BumpArena) throws(BadEvent) {
    guard let json = try json(in: unpacked, into: arena) else { return }
    rewriting.removeAll()
    try rewrite(after: rewrite(upTo: Int(walk.found[Int(unpacked.node)]), json, from: 0), into: arena)
  }

  /// The same with the texts of all elements of an array. The record is written anew, and read again, once for all of them.
  @inline(never)
  private func unpackEach(_ unpacked: CompiledMap.Unpacked, into arena: BumpArena) throws(BadEvent) {
    rewriting.removeAll()
    var (rest, left) = (0, limits.recordBytes)
    repeat {
      // Elements of arrays further in are not its own.
      if walk.level > unpacked.stars { continue }
      let mark = arena.mark
      defer { arena.rewind(to: mark) }
      do throws(BadEvent) {
        guard let json = try json(in: unpacked, into: arena) else { continue }
        left -= json.count
        if left < 0 { throw BadEvent(.tooLarge, "the texts hold more JSON than a record may have, \(limits.recordBytes) bytes") }
        rest = rewrite(upTo: Int(walk.found[Int(unpacked.node)]), json, from: rest)
      } catch {
        throw .ofElement(walk.place, error)
      }
    } while walk.advance(text)
    if rest > 0 { try rewrite(after: rest, into: arena) } else { walk.walk(text, shape) }
  }

  /// The JSON that is to take the place of a text; nil: it stays a text, or there is none.
  private func json(in unpacked: CompiledMap.Unpacked, into arena: BumpArena) throws(BadEvent) -> Bytes? {
    let node = Int(unpacked.node)
    let token = Int(walk.found[node])
    guard token > 0, text[token].isString else { return nil }
    if unpacked.condition >= 0, try !holds(unpacked.condition, arena) { return nil }
    if let protobuf, unpacked.message >= 0 {
      let place = map.descriptions[Int(unpacked.description)]
      return try protobuf.json(of: text.meaning(token, into: arena), Int(unpacked.message), at: place, into: arena)
    }
    guard let first = text.inside(token).first else { return nil }
    if first != 0x7B, first != 0x5B {
      // Any text may stand there; only what is in that form is read.
      return form == .json ? nil : try? rewritten(text.meaning(token, into: arena), node, into: arena)
    }
    let json = text.meaning(token, into: arena)
    return Self.beginsJSON(json) ? json : nil
  }

  /// Whether a text begins as an object with members does, or an array of such, of arrays or of texts: a viewer's "[hi]" or "{lol" is
  /// neither, and no reason to call the record broken.
  private static func beginsJSON(_ text: Bytes) -> Bool {
    let inside = text.dropFirst().first { $0 != 0x20 && $0 != 0x09 && $0 != 0x0A && $0 != 0x0D }
    return switch text.first {
    case 0x7B: inside == 0x22 || inside == 0x7D
    case 0x5B: inside == 0x7B || inside == 0x5B || inside == 0x22 || inside == 0x5D
    default: false
    }
  }

  private func rewritten(_ record: Bytes, _ node: Int, into arena: BumpArena) throws(BadEvent) -> Bytes {
    form == .stt ? try stt.json(of: record, walk, from: node, into: arena) : try irc.json(of: record, into: arena)
  }

  /// Writes the record from a byte on up to a text, and what the text holds in its place. Returns where the record goes on.
  private func rewrite(upTo token: Int, _ json: Bytes, from: Int) -> Int {
    let start = Int(text[token].start) - Int(text[0].start)
    rewriting.append(Bytes(rebasing: text.slice(0)[from..<start]))
    rewriting.append(json)
    return start + Int(text[token].length)
  }

  /// Writes the rest of the record, and reads it again.
  private func rewrite(after rest: Int, into arena: BumpArena) throws(BadEvent) {
    rewriting.append(Bytes(rebasing: text.slice(0)[rest...]))
    try check(arena.copy(rewriting.bytes))
    walk.walk(text, shape)
  }

  /// The first rule whose condition holds. There is always one for a record's first elements. For a further one only those rules that are for
  /// each such, and those that drop all that it lies in; -1: it is no rule's.
  private func choose(_ arena: BumpArena) throws(BadEvent) -> Int {
    let level = walk.level
    for group in 0..<groupCount {
      if groups[group].guardian >= 0, try !holds(groups[group].guardian, arena) { continue }
      var next = groups[group].rules.lowerBound
      var isRules = false
      while next < groups[group].rules.upperBound {
        let index = next
        next += 1
        let condition = rules[index].condition
        if rules[index].root >= 0, walk.found[Int(rules[index].root)] < 0 {
          next = Int(rules[index].nextRoot)
          continue
        }
        if rules[index].stars >= level {
          isRules = true
        } else if index == groups[group].rules.upperBound - 1 {
          // It says what becomes of all others, but not of an array within what is an event, nor of one that no rule looks into.
          if !isRules || outer < level { return -1 }
        } else if rules[index].outcome != .drop {
          continue
        }
        if condition < 0 { return index }
        if try holds(condition, arena) { return index }
      }
    }
    preconditionFailure("a map's last rule has no condition")
  }

  private typealias RulePointer = UnsafeMutablePointer<CompiledMap.Rule>

  private func apply(_ rule: RulePointer, into arena: BumpArena, _ event: inout Event) throws(BadEvent) -> Outcome {
    switch rule.pointee.outcome {
    case .drop: return .dropped
    case .bad: throw .byRule(rule.pointee)
    case .event: break
    }
    reading = -1
    do throws(BadEvent) {
      event.kind = rule.pointee.kind
      event.room = try room(rule.pointee.room, into: arena)
      event.ts = try time(rule.pointee.ts, into: arena)
      switch rule.pointee.kind {
      case .gift: try readGift(rule, into: arena, &event.gift)
      case .roomClosed: break
      case .retract: try readRetraction(rule, into: arena, &event.retraction)
      case .roomSettings: try readSettings(rule.pointee.settings, into: arena)
      }
    } catch {
      throw .mapped(error, rule.pointee, reading < 0 ? nil : map.descriptions[Int(reading)])
    }
    outer = min(outer, rule.pointee.stars)
    return .event
  }

  // MARK: - Fields

  @inline(__always)
  private func room(_ node: Int32, into arena: BumpArena) throws(BadEvent) -> Bytes {
    let value = try value(node, into: arena)
    if value.kind == .missing {
      guard let key else { throw .missing("room", "the record has no key that could stand for it") }
      return try checks.roomOfKey(key, into: arena)
    }
    let room = try id(value, "room", into: arena)
    try checks.check(room, key: key)
    return room
  }

  @inline(__always)
  private func time(_ node: Int32, into arena: BumpArena) throws(BadEvent) -> Int64 {
    let value = try value(node, into: arena)
    if value.kind == .missing {
      if limits.requireTs { throw .missing("ts", "a replay takes its time from it") }
      return -1
    }
    if value.unit == .ms { return try integer(value, "ts", 0...EventDecoder.timeMax, into: arena) }
    return try TimeReader(self).milliseconds(value, into: arena)
  }

  private func readGift(_ rule: RulePointer, into arena: BumpArena, _ gift: inout Gift) throws(BadEvent) {
    gift.forgetHashes()
    let name = try value(rule.pointee.id, into: arena)
    gift.id = name.kind == .missing ? .none : try id(name, "id", into: arena)
    if rule.pointee.sender.verbatim >= 0 { try checkObject(rule.pointee.sender, "sender") }
    gift.senderID = try id(of: rule.pointee.sender, "sender.id", into: arena)
    let isSenderPlain = isPlain
    if rule.pointee.gift.verbatim >= 0 { try checkObject(rule.pointee.gift, "gift") }
    gift.giftID = try id(of: rule.pointee.gift, "gift.id", into: arena)
    let isGiftPlain = isPlain
    var isReceiverPlain = false
    if rule.pointee.receiver.isNamed {
      if rule.pointee.receiver.verbatim >= 0 { try checkObject(rule.pointee.receiver, "receiver") }
      let receiver = try value(rule.pointee.receiver.id, into: arena)
      gift.receiverID = receiver.kind == .missing ? .none : try id(receiver, "receiver.id", into: arena)
      isReceiverPlain = isPlain
    } else {
      gift.receiverID = .none
    }
    let worth = try value(rule.pointee.gift.value, into: arena)
    gift.value = worth.kind == .missing ? 0 : try number(worth, "gift.value", into: arena)
    gift.amount = try amount(rule, into: arena)
    var left = limits.displayBytes
    gift.display.sender = try display(
      rule.pointee.sender, gift.senderID, isPlain: isSenderPlain, worth: nil, &left, into: arena)
    gift.display.receiver =
      gift.receiverID.isEmpty
      ? .none
      : try display(rule.pointee.receiver, gift.receiverID, isPlain: isReceiverPlain, worth: nil, &left, into: arena)
    gift.display.gift = try display(
      rule.pointee.gift, gift.giftID, isPlain: isGiftPlain, worth: worth.kind == .missing ? nil : gift.value, &left, into: arena)
    if left < 0 {
      reading = -1
      throw .displayTooLarge(limits.displayBytes - left, limits)
    }
  }

  private func readRetraction(
    _ rule: RulePointer, into arena: BumpArena, _ retraction: inout Retraction
  ) throws(BadEvent) {
    retraction.senderID = try id(of: rule.pointee.sender, "sender.id", into: arena)
    // What is named must be there: what is broken must not widen what is retracted.
    retraction.giftID = rule.pointee.gift.isNamed ? try id(of: rule.pointee.gift, "gift.id", into: arena) : .none
    retraction.receiverID = rule.pointee.receiver.isNamed ? try id(of: rule.pointee.receiver, "receiver.id", into: arena) : .none
  }

  private func readSettings(_ node: Int32, into arena: BumpArena) throws(BadEvent) {
    let value = try value(node, into: arena)
    if value.kind == .missing { throw .missing("settings", "a room_settings needs them") }
    let token = Int(value.token)
    if !text[token].isObject { throw .wrongType(text, token, "settings", "must be an object") }
    checks.parser.writeNames()
    own = try SettingsReader(text: text, path: "settings").read(token)
  }

  @inline(__always)
  private func amount(_ rule: RulePointer, into arena: BumpArena) throws(BadEvent) -> Gift.Amount {
    let total = try value(rule.pointee.total, into: arena)
    if total.kind == .missing {
      let count = try value(rule.pointee.count, into: arena)
      return .count(count.kind == .missing ? 1 : Int(try integer(count, "count", 1...EventDecoder.countMax, into: arena)))
    }
    if rule.pointee.count >= 0, try value(rule.pointee.count, into: arena).kind != .missing { throw .mappedCountAndTotal }
    reading = rule.pointee.total
    let number = try integer(total, "total", 1...EventDecoder.totalMax, into: arena)
    let streak = try value(rule.pointee.streak, into: arena)
    return .total(Int(number), streak: streak.kind == .missing ? .none : try id(streak, "streak", into: arena))
  }

  @inline(__always)
  private func id(of party: borrowing CompiledMap.Party, _ name: StaticString, into arena: BumpArena) throws(BadEvent) -> Bytes {
    let value = try value(party.id, into: arena)
    if value.kind == .missing { throw .missing("\(name)", "the event needs one") }
    return try id(value, name, into: arena)
  }

  @inline(__always)
  private func checkObject(_ party: borrowing CompiledMap.Party, _ name: StaticString) throws(BadEvent) {
    let token = Int(walk.found[Int(party.verbatim)])
    if token >= 0, !text[token].isNull, !text[token].isObject { throw .wrongType(text, token, "\(name)", "must be an object") }
  }
}
