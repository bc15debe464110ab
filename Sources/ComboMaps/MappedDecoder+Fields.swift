internal import CSimdJSON
internal import ComboCore
internal import ComboWire

/// The fields of an event. Most are pointers to a text or a whole number, which have a fast path.
extension MappedDecoder {
  typealias RulePointer = UnsafeMutablePointer<CompiledMap.Rule>

  func apply(_ rule: RulePointer, into arena: BumpArena, _ event: inout Event) throws(BadEvent) -> Bool {
    switch rule.pointee.outcome {
    case .drop: return false
    case .bad:
      checks.parser.writeNames()
      throw .byRule(rule.pointee, isLast(self.rule) ? BadEvent.cloudEvent(text) : nil)
    case .event: break
    }
    reading = -1
    do throws(BadEvent) {
      event.kind = rule.pointee.kind
      event.room = try room(rule.pointee.room, into: arena)
      if !limits.roomPrefix.isEmpty { event.room = try checks.prefixed(event.room, into: arena) }
      event.ts = try time(rule.pointee.ts, into: arena)
      switch rule.pointee.kind {
      case .gift: try readGift(rule, into: arena, &event.gift)
      case .roomClosed: break
      case .retract: try readRetraction(rule, into: arena, &event.retraction)
      case .roomSettings: try readSettings(rule.pointee.settings, into: arena)
      }
    } catch {
      throw .mapped(error, rule.pointee, reading < 0 ? nil : map.description(of: reading))
    }
    if rule.pointee.stars < outer.stars { outer = (rule.pointee.stars, rule.pointee.base) }
    return true
  }

  @inline(__always)
  private func room(_ node: Int32, into arena: BumpArena) throws(BadEvent) -> Bytes {
    let room = try id(node, "room", into: arena).bytes
    if room.isEmpty {
      guard let key else { throw .missing("room", "the record has no key that could stand for it") }
      return try checks.roomOfKey(key, into: arena)
    }
    try checks.check(room, key: key)
    return room
  }

  @inline(__always)
  private func time(_ node: Int32, into arena: BumpArena) throws(BadEvent) -> Int64 {
    if let whole = wholeNumber(node), nodes[Int(node)].unit == .ms, whole.value <= EventDecoder.timeMax { return whole.value }
    return try otherTime(node, into: arena)
  }

  @inline(never)
  private func otherTime(_ node: Int32, into arena: BumpArena) throws(BadEvent) -> Int64 {
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
    gift.id = try id(rule.pointee.id, "id", into: arena).bytes
    let idStars = rule.pointee.stars > 0 && !gift.id.isEmpty ? stars(reading) : rule.pointee.stars
    if rule.pointee.sender.verbatim >= 0 { try checkObject(rule.pointee.sender, "sender") }
    let sender = try id(of: rule.pointee.sender, "sender.id", into: arena)
    gift.senderID = sender.bytes
    if rule.pointee.gift.verbatim >= 0 { try checkObject(rule.pointee.gift, "gift") }
    let kind = try id(of: rule.pointee.gift, "gift.id", into: arena)
    gift.giftID = kind.bytes
    if rule.pointee.receiver.verbatim >= 0 { try checkObject(rule.pointee.receiver, "receiver") }
    let receiver = try id(rule.pointee.receiver.id, "receiver.id", into: arena)
    gift.receiverID = receiver.bytes
    let receiverStars = receiver.bytes.isEmpty ? 0 : stars(reading)
    let worth = try worth(rule.pointee.gift.value, into: arena)
    gift.value = worth.value
    gift.amount = try amount(rule, into: arena)
    if case .total(let total, _) = gift.amount {
      if rule.pointee.streak >= 0 || rule.pointee.ends >= 0 || rule.pointee.streakMs >= 0 {
        try readStreak(rule, total: total, receiverStars: receiverStars, into: arena, &gift)
      }
      if rule.pointee.isTotalInID, !gift.id.isEmpty { gift.id = withTotal(gift.id, total, into: arena) }
    }
    if idStars < rule.pointee.stars { gift.id = withPlace(gift.id, within: idStars, rule.pointee.stars, into: arena) }
    if rule.pointee.refresh & rule.pointee.lingerMs != -1 { try readDetails(rule, into: arena, &gift) }
    gift.combo = try id(rule.pointee.combo, "combo", into: arena).bytes
    var left = limits.displayBytes
    gift.display.sender = try display(rule.pointee.sender, sender, worth: .none, &left, into: arena)
    gift.display.receiver =
      receiver.bytes.isEmpty ? .none : try display(rule.pointee.receiver, receiver, worth: .none, &left, into: arena)
    gift.display.gift = try display(rule.pointee.gift, kind, worth: worth.written, &left, into: arena)
    if left < 0 {
      reading = -1
      throw .displayTooLarge(limits.displayBytes - left, limits)
    }
    shownBytes += gift.display.sender.count + gift.display.receiver.count + gift.display.gift.count
    if shownBytes > Self.shownBytesMax {
      reading = -1
      throw BadEvent(
        .tooLarge,
        "the record's gifts have more than \(Self.shownBytesMax) bytes of display data together: limit the longest fields of the map with \"max\""
      )
    }
  }

  private func readRetraction(
    _ rule: RulePointer, into arena: BumpArena, _ retraction: inout Retraction
  ) throws(BadEvent) {
    retraction.senderID = try id(of: rule.pointee.sender, "sender.id", into: arena).bytes
    // A named field must be present: a broken record must not widen a retraction.
    retraction.giftID = rule.pointee.gift.isNamed ? try id(of: rule.pointee.gift, "gift.id", into: arena).bytes : .none
    retraction.receiverID =
      rule.pointee.receiver.isNamed ? try id(of: rule.pointee.receiver, "receiver.id", into: arena).bytes : .none
  }

  private func readSettings(_ node: Int32, into arena: BumpArena) throws(BadEvent) {
    let value = try value(node, into: arena)
    if value.kind == .missing { throw .missing("settings", "a room_settings needs them") }
    let token = Int(value.token)
    if !text[token].isObject { throw .wrongType(text, token, "settings", "must be an object") }
    checks.parser.writeNames()
    own = try SettingsReader(text: text, path: "settings", rules: checks.rules, allowedForRoom: limits.roomSettings).read(token)
  }

  /// Returns a gift's value, and its text for the output, empty if there is none. Most are whole numbers, written so in the
  /// record.
  @inline(__always)
  private func worth(_ node: Int32, into arena: BumpArena) throws(BadEvent) -> (value: Double, written: Bytes) {
    if let whole = wholeNumber(node), Double(whole.value) <= EventDecoder.valueMax {
      return (Double(whole.value), text.slice(whole.token))
    }
    return try otherWorth(node, into: arena)
  }

  @inline(never)
  private func otherWorth(_ node: Int32, into arena: BumpArena) throws(BadEvent) -> (value: Double, written: Bytes) {
    let value = try value(node, into: arena)
    if value.kind == .missing { return (0, .none) }
    let number = try worth(value, into: arena)
    object.removeAll()
    object.append(number)
    return (number, arena.copy(object.bytes))
  }

  @inline(__always)
  private func amount(_ rule: RulePointer, into arena: BumpArena) throws(BadEvent) -> Gift.Amount {
    if rule.pointee.total < 0, let whole = wholeNumber(rule.pointee.count), 1...EventDecoder.countMax ~= whole.value {
      return .count(Int(whole.value))
    }
    return try otherAmount(rule, into: arena)
  }

  @inline(never)
  private func otherAmount(_ rule: RulePointer, into arena: BumpArena) throws(BadEvent) -> Gift.Amount {
    let total = try value(rule.pointee.total, into: arena)
    if total.kind == .missing {
      let count = try value(rule.pointee.count, into: arena)
      if count.kind != .missing { return .count(Int(try integer(count, "count", 1...EventDecoder.countMax, into: arena))) }
      if (rule.pointee.count < 0) != (rule.pointee.total < 0), checks.rules.needsMappedAmount {
        if reading < 0 { reading = rule.pointee.total }
        throw .missing(
          rule.pointee.count < 0 ? "total" : "count",
          "the map names it; if it may be missing, let the map give a constant as well")
      }
      return .count(1)
    }
    if rule.pointee.count >= 0, try value(rule.pointee.count, into: arena).kind != .missing { throw .mappedCountAndTotal }
    reading = rule.pointee.total
    let number = try integer(total, "total", 1...EventDecoder.totalMax, into: arena)
    return .total(Int(number), streak: .none)
  }

  @inline(__always)
  private func id(of party: borrowing CompiledMap.Party, _ name: StaticString, into arena: BumpArena) throws(BadEvent) -> ID {
    let id = try id(party.id, name, into: arena)
    if id.bytes.isEmpty { throw .missing("\(name)", "the event needs one") }
    return id
  }

  @inline(__always)
  private func checkObject(_ party: borrowing CompiledMap.Party, _ name: StaticString) throws(BadEvent) {
    let token = Int(walk.found[Int(party.verbatim)])
    if token >= 0, !text[token].isNull, !text[token].isObject { throw .wrongType(text, token, "\(name)", "must be an object") }
  }
}
