internal import CSimdJSON
internal import ComboCore
internal import ComboWire

/// Names by which a record of a gift is known.
struct SignReader {
  enum Kind { case command, key, both, container, message, person }

  let signs: GiftSigns
  private let words: [[UInt8]]
  private let others: [[UInt8]]
  private let walk: PointerWalk
  /// What a name is, by its node.
  private let kinds: [Kind?]

  /// Members whose text may be a whole record.
  private static let containers = ["data", "payload", "body", "raw", "record"]
  /// Members whose text may be a whole record, as collectors of logs and queues write it, or what a viewer wrote.
  private static let messages = ["message", "msg", "value", "event", "log", "line", "detail", "after", "json"]
  /// A viewer, who may have written such a text.
  private static let people = [
    "user", "userId", "user-id", "user_id", "uid", "username", "nickname", "nick", "author", "sender", "from", "name", "login",
    "displayName",
    "display-name", "chatname", "uniqueId", "chatter_user_id", "userstate",
  ]

  init(_ signs: GiftSigns, isLoose: Bool) {
    self.signs = signs
    words = signs.words.map { Array($0.utf8) }
    others = signs.others.map { Array($0.utf8) }
    var table = PointerTable()
    table.isLoose = isLoose
    var kinds: [Int32: Kind] = [:]
    for (names, kind) in [(Self.people, Kind.person), (Self.messages, .message), (Self.containers, .container)] {
      for name in names {
        kinds[table.node([name])] = kind
        // Also as queues capitalize it, for maps that compare names exactly.
        kinds[table.node([name.prefix(1).uppercased() + name.dropFirst()])] = kind
      }
    }
    for name in signs.commands { kinds[table.node([name])] = .command }
    for name in signs.keys {
      let node = table.node([name])
      kinds[node] = kinds[node] == .command ? .both : .key
    }
    table.finish()
    walk = PointerWalk(table)
    self.kinds = (0...(kinds.keys.max() ?? 0)).map { kinds[$0] }
  }

  func kind(_ name: Bytes) -> Kind? {
    let node = walk.node(below: 0, named: name)
    return node > 0 ? kinds[node] : nil
  }

  /// What a record is called may say that it is a gift, or that it is known to be none.
  enum Meaning { case gift, other, nothing }

  func meaning(of command: Bytes, isText: Bool) -> Meaning {
    isOther(command, isText: isText) ? .other : isGift(command, isText: isText) ? .gift : .nothing
  }

  /// Whether it begins with the name of something else, and what follows names no gift: a `membershipGift` is more than a `member`.
  private func isOther(_ command: Bytes, isText: Bool) -> Bool {
    others.contains { word in
      command.count >= word.count && word.indices.allSatisfy { PointerTable.lowercased(command[$0]) == word[$0] }
        && !isGift(Bytes(rebasing: command[word.count...]), isText: isText)
    }
  }

  private func isGift(_ command: Bytes, isText: Bool) -> Bool {
    words.contains { word in
      word.withUnsafeBytes { word in isText ? command.holds(word) : command == word }
    }
  }

  /// Whether a text holds JSON with such a key. Only its beginning is looked at.
  func isGift(json text: Bytes) -> Bool {
    guard text.count > 8, let second = text.dropFirst().first(where: { $0 != 0x20 }) else { return false }
    // As it stands in a record, its quotes may follow a backslash. In chat, "[gift]" is none.
    let isName = second == 0x22 || second == 0x5C
    guard text[0] == 0x7B ? isName : text[0] == 0x5B && (isName || second == 0x7B || second == 0x5B) else { return false }
    return words.contains { word in word[0] &- 0x30 > 9 && word.withUnsafeBytes { text.holds($0) } }
  }
}

/// What names a gift and is read by no rule must not vanish.
extension MappedDecoder {
  /// Looks through what no rule was for: bad if any of it names a gift.
  @inline(never)
  func lookForGifts() throws(BadEvent) {
    if isDecided { return }
    checks.parser.writeNames()
    decided.sort()
    try lookForGifts(in: 0, signs[Int(leftOver)])
  }

  private func lookForGifts(in token: Int, _ signs: SignReader) throws(BadEvent) {
    if hasDecided(on: Int32(truncatingIfNeeded: token)) { return }
    if text[token].isArray {
      var element = token + 1
      while element < text.next(token) {
        if text[element].isObject || text[element].isArray { try lookForGifts(in: element, signs) }
        element = text.next(element)
      }
      return
    }
    guard text[token].isObject else { return }
    var sign = -1
    var message = -1
    var isWritten = false
    var command = -1
    var member = token + 1
    let end = text.next(token)
    while member < end {
      let value = member + 1
      defer { member = text.next(value) }
      guard let kind = kind(member, signs) else { continue }
      let isText = text[value].isString
      if kind == .command || kind == .both, isText || text[value].isInteger {
        let says = says(value, isText, signs)
        if says == .other { return }
        if command < 0, says == .gift { command = member }
      }
      if sign < 0, kind == .key || kind == .both, isSaid(value) { sign = member }
      if sign < 0, kind == .container, isText, signs.isGift(json: text.inside(value)) { sign = member }
      if message < 0, kind == .message, isText, signs.isGift(json: text.inside(value)) { message = member }
      if kind == .person, isSaid(value) { isWritten = true }
    }
    if sign < 0, !isWritten { sign = message }
    if command >= 0 {
      throw BadEvent(
        .unknownType,
        "the record names a gift, \(text.shown(command)) is \(text.shown(command + 1)), but no rule of the map can read it: a field that"
          + " a gift needs is missing, or its shape is unknown")
    }
    if sign >= 0 {
      throw BadEvent(
        .unknownType,
        "the record names a gift, it has \(text.shown(sign)), but no rule of the map can read it: a field that a gift"
          + " needs is missing, or its shape is unknown")
    }
    member = token + 1
    while member < end {
      if text[member + 1].isObject || text[member + 1].isArray { try lookForGifts(in: member + 1, signs) }
      member = text.next(member + 1)
    }
  }

  /// Whether a rule has decided on the element that begins here.
  private func hasDecided(on token: Int32) -> Bool {
    var (low, high) = (0, decided.count)
    while low < high {
      let middle = (low + high) / 2
      if decided[middle] == token { return true }
      if decided[middle] < token { low = middle + 1 } else { high = middle }
    }
    return false
  }

  private func kind(_ member: Int, _ signs: SignReader) -> SignReader.Kind? {
    if !text[member].isEscaped { return signs.kind(text.inside(member)) }
    var name = text.string(member)
    return name.withUTF8 { signs.kind(Bytes($0)) }
  }

  private func says(_ token: Int, _ isText: Bool, _ signs: SignReader) -> SignReader.Meaning {
    if !text[token].isEscaped { return signs.meaning(of: isText ? text.inside(token) : text.slice(token), isText: isText) }
    var word = text.string(token)
    return word.withUTF8 { signs.meaning(of: Bytes($0), isText: isText) }
  }

  /// Whether there is anything: nothing is said by null, false, 0, an empty text, object or array.
  private func isSaid(_ token: Int) -> Bool {
    let found = text[token]
    if found.isNull { return false }
    if found.isObject || found.isArray { return text.next(token) > token + 1 }
    if found.isString { return found.length > 2 }
    let written = text.slice(token)
    return !(written == "false" || written == "0")
  }
}
