internal import ComboEdge
internal import ComboSystem
internal import ComboWire

/// A record that did not become a gift, because it cannot be read or the map drops it, but may be the requested one.
struct UnreadRecord {
  /// The degree to which a record matches a question.
  enum Match {
    case none
    /// Its values include the requested texts, but it is unknown whether in the right fields.
    case guess
    /// Each requested field can be read, and matches.
    case certain
  }

  let record: InputRecord
  /// How records become events, or nil if unknown.
  let derivation: Derivation?

  /// - Parameter needsRoom: Whether it must also name the room.
  func match(_ question: GiftQuestion, needsRoom: Bool = true) -> Match {
    guard let value = unsafe record.value else { return .none }
    var asked: [(text: [UInt8], path: [String])] = []
    if let sender = question.sender { asked.append((sender, ["sender", "id"])) }
    if let gift = question.gift { asked.append((gift, ["gift", "id"])) }
    if let id = question.id { asked.append((id, ["id"])) }
    let room = question.roomInRecords(derivation)
    let isOfRoom = unsafe record.key.map { unsafe room.elementsEqual($0) } ?? false
    if needsRoom, !isOfRoom { asked.append((room, ["room"])) }
    if asked.isEmpty { return .certain }
    // This rules out most records. A text may be written with escapes.
    if asked.contains(where: { unsafe ByteSearch.find($0.text, in: value) == nil }),
      unsafe ByteSearch.find([UInt8(ascii: "\\")], in: value) == nil
    {
      return .none
    }
    if let json = unsafe JSONValue(value) { return match(asked, in: json) }
    let words = unsafe BrokenText(value)
    return asked.allSatisfy { words.hasValue($0.text) } ? .guess : .none
  }

  private func match(_ asked: [(text: [UInt8], path: [String])], in json: JSONValue) -> Match {
    var match = Match.certain
    for (text, path) in asked {
      // The fields that a map creates may be anywhere in the record.
      if derivation?.mapping == nil, let field = path.reduce(json, { $0?[$1] })?.string {
        if !field.utf8.elementsEqual(text) { return .none }
      } else if json.holds(String(decoding: text, as: UTF8.self)) {
        match = .guess
      } else {
        return .none
      }
    }
    return match
  }
}

/// A text that cannot be parsed: truncated or broken JSON, or another format.
@safe private struct BrokenText {
  private let bytes: Bytes
  private let isLikeJSON: Bool

  init(_ bytes: Bytes) {
    unsafe self.bytes = unsafe bytes
    let first = unsafe bytes.first { !Self.isSpace($0) }
    isLikeJSON = first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
  }

  /// Whether a text plausibly occurs as a whole value.
  func hasValue(_ text: [UInt8]) -> Bool {
    var place = 0
    while let found = unsafe ByteSearch.find(text, in: bytes, from: place) {
      if isLikeJSON ? isValue(found..<found + text.count) : isToken(found..<found + text.count) { return true }
      place = found + 1
    }
    return false
  }

  private func byte(_ place: Int) -> UInt8? { unsafe bytes.indices.contains(place) ? bytes[place] : nil }

  private func isToken(_ range: Range<Int>) -> Bool {
    func isOfWord(_ place: Int) -> Bool {
      guard let byte = byte(place) else { return false }
      return byte >= 0x80 || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
        || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20
    }
    return !isOfWord(range.lowerBound - 1) && !isOfWord(range.upperBound)
  }

  /// Whether the range is a whole string or number, and not the name of a member.
  private func isValue(_ range: Range<Int>) -> Bool {
    let quote = UInt8(ascii: "\"")
    if byte(range.lowerBound - 1) == quote {
      // The quotes of JSON within a JSON string are escaped.
      let end = byte(range.upperBound) == UInt8(ascii: "\\") ? range.upperBound + 1 : range.upperBound
      return byte(end) == quote && next(after: end) != UInt8(ascii: ":")
    }
    guard unsafe bytes[range].allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || $0 == UInt8(ascii: "-") }),
      let before = unsafe bytes[..<range.lowerBound].last(where: { !Self.isSpace($0) }),
      let after = next(after: range.upperBound - 1)
    else { return false }
    return ":,[".utf8.contains(before) && ",}]".utf8.contains(after)
  }

  private func next(after place: Int) -> UInt8? { unsafe bytes[min(place + 1, bytes.count)...].first { !Self.isSpace($0) } }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09 }
}

extension JSONValue {
  /// Whether a text equals one of its strings or numbers. Also searches strings that are JSON.
  fileprivate func holds(_ text: String) -> Bool {
    switch self {
    case .null, .bool: return false
    case .number(let number): return number == text
    case .string(let string):
      if string == text { return true }
      guard string.hasPrefix("{") || string.hasPrefix("[") else { return false }
      var copy = string
      return copy.withUTF8 { unsafe JSONValue(Bytes($0)) }?.holds(text) ?? false
    case .array(let values): return values.contains { $0.holds(text) }
    case .object(let members): return members.contains { $0.value.holds(text) }
    }
  }
}
