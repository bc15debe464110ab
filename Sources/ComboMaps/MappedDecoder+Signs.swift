internal import CSimdJSON
internal import ComboCore
internal import ComboWire

/// Recognizes the record of a gift by names in it.
struct SignReader {
  enum Kind { case command, key, both, container, chat, person }

  let signs: GiftSigns
  private let form: MapDefinition.TextForm
  private let words: [[UInt8]]
  private let others: [[UInt8]]
  /// Texts that mark a gift besides the words: the name of a member that only a gift has, also before the value of an IRC tag,
  /// and a word as a value of STT.
  private let marks: [[UInt8]]
  private let walk: PointerWalk
  /// The kind of each name, by its node.
  private let kinds: [Kind?]

  /// Members whose text may be a whole record.
  private static let containers = ["data", "payload", "body", "raw", "record"]
  /// Members with text that a viewer wrote.
  static let chat = [
    "text", "txt", "comment", "title", "caption", "simpleText", "user_input", "optional_message", "parent_message_body",
  ]
  /// Members that name a viewer, who may have written the texts beside them.
  private static let people = [
    "user", "userId", "user-id", "user_id", "uid", "username", "nickname", "nick", "author", "sender", "from", "name", "login",
    "displayName", "display-name", "chatname", "uniqueId", "chatter_user_id", "chatter_user_name", "hashedUserId", "userstate",
  ]
  /// The members of a line of IRC that hold a viewer's text, its parameters, and that name the viewer, its tags.
  private static let (parameters, writer) = (["params", "trailing"], ["tags"])

  init(_ signs: GiftSigns, form: MapDefinition.TextForm, isLoose: Bool) {
    self.signs = signs
    self.form = form
    let names = signs.keys.map { Array("\"\($0.lowercased())\\".utf8) }
    marks =
      switch form {
      case .json: names
      case .irc: names + signs.keys.map { Array("\($0.lowercased())=".utf8) }
      // In a viewer's text, both @ and / are escaped.
      case .stt: names + signs.words.map { Array("@=\($0)/".utf8) }
      }
    words = signs.words.map { Array($0.utf8) }
    others = signs.others.map { Array($0.utf8) }
    var table = PointerTable()
    table.isLoose = isLoose
    var kinds: [Int32: Kind] = [:]
    let (chat, people) = form == .irc ? (Self.chat + Self.parameters, Self.people + Self.writer) : (Self.chat, Self.people)
    for (names, kind) in [(people, Kind.person), (chat, .chat), (Self.containers, .container)] {
      for name in names {
        kinds[table.node([name])] = kind
        // Also capitalized, as by queues, for maps that compare names exactly.
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

  /// The meaning of a record's command: a gift, something known not to be a gift, a longer word than that, or none of these.
  enum Meaning { case gift, other, longer, nothing }

  func meaning(of command: Bytes, isText: Bool) -> Meaning {
    let other = other(command, isText: isText)
    return other != .nothing ? other : isGift(command, isText: isText) ? .gift : .nothing
  }

  /// Returns `other` if the command begins with the name of something else and names no gift, or `longer` if a letter follows the
  /// name: a `connector` may be no `connect`. `membershipGift` names a gift, and so does `guard_buy` if it is one of the words.
  private func other(_ command: Bytes, isText: Bool) -> Meaning {
    var meaning = Meaning.nothing
    for other in others {
      guard command.count >= other.count, other.indices.allSatisfy({ PointerTable.lowercased(command[$0]) == other[$0] }),
        !isGift(Bytes(rebasing: command[other.count...]), isText: isText),
        !words.contains(where: { word in
          word.count > other.count && word.starts(with: other) && word.withUnsafeBytes { command.holds($0) }
        })
      else { continue }
      func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte) }
      if command.count == other.count || !isLetter(other.last ?? 0) || !isLetter(command[other.count]) { return .other }
      meaning = .longer
    }
    return meaning
  }

  private func isGift(_ command: Bytes, isText: Bool) -> Bool {
    words.contains { word in
      word.withUnsafeBytes { word in isText ? command.holds(word) : command == word }
    }
  }

  /// Whether a text is a record that names a gift, in JSON or in the map's other form. It is searched for words, not parsed.
  func isGift(record text: Bytes) -> Bool {
    let text = text.first.map(Bytes.mayBeSpace) == true ? text.afterSpace : text
    guard text.count > 8 else { return false }
    if form == .irc, text.contains(0x40), text.lines.contains(where: isGift(line:)) { return true }
    switch text[0] {
    // The first character in base64 of {, [, white space, or the quote of a record that is a JSON string.
    case 0x65, 0x57, 0x49, 0x43, 0x44, 0x37, 0x77: return isGift(base64: text)
    // The first character in base64 of the @ before tags, and of "type@=".
    case 0x51 where form == .irc, 0x64 where form == .stt: return isGift(base64: text) || form == .stt && holdsMark(text)
    case 0x5C: return isGift(record: Bytes(rebasing: text[2...]))
    case 0x7B, 0x5B: return Self.beginsJSON(text) && (holdsWord(text) || holdsMark(text))
    default: return form == .stt && holdsMark(text)
    }
  }

  /// Whether the tags of a line name a gift. A viewer may have written what follows them.
  private func isGift(line: Bytes) -> Bool {
    if line.first != 0x40 { return false }
    let tags = Bytes(rebasing: line.prefix { $0 != 0x20 })
    return holdsWord(tags) || holdsMark(tags)
  }

  private func isGift(base64 text: Bytes) -> Bool {
    let (plain, record) = (ByteBuffer(), ByteBuffer())
    var isEscape = false
    for byte in text {
      if plain.bytes.count == Self.recordMax { break }
      // Lines are broken by \n, and \/ is a slash.
      if isEscape ? byte != 0x6E && byte != 0x72 : byte > 0x20 && byte != 0x5C { plain.append(byte) }
      isEscape = byte == 0x5C
    }
    guard Base64.decode(plain.bytes, into: record) == nil else { return false }
    return record.bytes.first != text[0]
      && (isGift(record: record.bytes)
        || signs.keys.contains { key in
          var name = "\"\(key.lowercased())\""
          return name.withUTF8 { record.bytes.holds(Bytes($0), within: Self.recordMax) }
        })
  }

  /// The maximum number of bytes that are searched in a record within a text.
  private static let recordMax = 8192

  private func holdsWord(_ text: Bytes) -> Bool {
    words.contains { word in word[0] &- 0x30 > 9 && word.withUnsafeBytes { text.holds($0, within: Self.recordMax) } }
  }

  private func holdsMark(_ text: Bytes) -> Bool {
    marks.contains { mark in mark.withUnsafeBytes { text.holds($0, within: Self.recordMax) } }
  }

  /// Whether a text begins like a JSON object or array, whose quotes may be escaped. "[gift]" in a chat does not.
  private static func beginsJSON(_ text: Bytes) -> Bool {
    guard let second = text.dropFirst().first(where: { $0 > 0x20 }) else { return false }
    if second == 0x22 || second == 0x5C { return true }
    // Further brackets, null, or a number.
    return text[0] == 0x5B && (second == 0x7B || second == 0x5B || second == 0x6E || second &- 0x30 < 10)
  }
}

/// The search for gifts that no rule reads, which must not vanish.
extension MappedDecoder {
  /// Searches the parts to which no rule applied, and throws if any of them names a gift.
  @inline(never)
  func searchForGifts() throws(BadEvent) {
    if isDecided { return }
    closeParts()
    checks.parser.writeNames()
    decided.sort()
    try searchForGifts(in: 0, signs[Int(leftOver)])
  }

  /// - Parameters:
  ///   - isWritten: Whether the object around an array names a person, who may have written its texts.
  ///   - isInOther: Whether the record is perhaps something else, so that only a command says that there is a gift.
  private func searchForGifts(
    in token: Int, _ signs: SignReader, isWritten: Bool = false, isInOther: Bool = false
  ) throws(BadEvent) {
    if hasDecided(on: Int32(truncatingIfNeeded: token)) { return }
    if text[token].isString, !isWritten, !isInOther, signs.isGift(record: text.inside(token)) {
      throw unread("one of its texts does", at: token)
    }
    if text[token].isArray {
      let isWritten = isWritten || hasPerson(among: token, signs)
      var element = token + 1
      while element < text.next(token) {
        if !text[element].isNumber { try searchForGifts(in: element, signs, isWritten: isWritten, isInOther: isInOther) }
        element = text.next(element)
      }
      return
    }
    guard text[token].isObject else { return }
    var sign = -1
    var isWritten = false
    var isInOther = isInOther
    var command = -1
    var member = token + 1
    let end = text.next(token)
    while member < end {
      let value = member + 1
      defer { member = text.next(value) }
      let kind = kind(member, signs)
      let isText = text[value].isString
      if kind == .command || kind == .both, isText || text[value].isInteger {
        let meaning = meaning(value, isText, signs)
        if meaning == .other { return }
        if meaning == .longer { isInOther = true }
        if command < 0, meaning == .gift { command = member }
      }
      if sign < 0, kind == .key || kind == .both, hasContent(value) { sign = member }
      if sign < 0, kind == .container, isText, signs.isGift(record: text.inside(value)) { sign = member }
      if kind == .person, hasContent(value) { isWritten = true }
    }
    if sign < 0, command < 0, !isWritten, !isInOther { sign = record(in: token, signs) }
    if command >= 0 { throw unread("\(text.shown(command)) is \(text.shown(command + 1))", at: token) }
    if sign >= 0, !isInOther { throw unread("it has \(text.shown(sign))", at: token) }
    member = token + 1
    while member < end {
      let value = member + 1
      if text[value].isObject || text[value].isArray {
        try searchForGifts(in: value, signs, isWritten: isWritten || kind(member, signs) == .chat, isInOther: isInOther)
      }
      member = text.next(value)
    }
  }

  /// Whether an element of an array names a person, who may have written the texts beside it: a handler's arguments, as tmi.js
  /// passes them, are the tags of a line and a viewer's text.
  private func hasPerson(among array: Int, _ signs: SignReader) -> Bool {
    var element = array + 1
    while element < text.next(array) {
      if text[element].isObject {
        var member = element + 1
        while member < text.next(element) {
          if kind(member, signs) == .person, hasContent(member + 1) { return true }
          member = text.next(member + 1)
        }
      }
      element = text.next(element)
    }
    return false
  }

  /// Returns the first member of an object whose text is a record that names a gift, or -1 if there is none.
  private func record(in token: Int, _ signs: SignReader) -> Int {
    var member = token + 1
    while member < text.next(token) {
      if text[member + 1].isString, signs.isGift(record: text.inside(member + 1)), kind(member, signs) != .chat { return member }
      member = text.next(member + 1)
    }
    return -1
  }

  private func unread(_ sign: String, at token: Int) -> BadEvent {
    BadEvent(.unknownType, "the record names a gift (\(sign)), but no rule of the map can read it: \(obstacle(at: token))")
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

  private func meaning(_ token: Int, _ isText: Bool, _ signs: SignReader) -> SignReader.Meaning {
    if !text[token].isEscaped { return signs.meaning(of: isText ? text.inside(token) : text.slice(token), isText: isText) }
    var word = text.string(token)
    return word.withUTF8 { signs.meaning(of: Bytes($0), isText: isText) }
  }

  /// Whether a value has content. null, false, 0, and an empty text, object or array have none.
  private func hasContent(_ token: Int) -> Bool {
    let found = text[token]
    if found.isNull { return false }
    if found.isObject || found.isArray { return text.next(token) > token + 1 }
    if found.isString { return found.length > 2 }
    let written = text.slice(token)
    return !(written == "false" || written == "0")
  }
}
