internal import ComboCore
internal import ComboWire

/// Converts a line of IRC with tags, as Twitch's chat sends it, to JSON:
/// `@id=7;msg-id=subgift :tmi.twitch.tv USERNOTICE #channel :hi` becomes
/// `{"tags":{"id":"7","msg-id":"subgift"},"source":"tmi.twitch.tv","command":"USERNOTICE","params":["#channel","hi"]}`.
///
/// It follows https://ircv3.net/specs/extensions/message-tags: in a tag's value `\:` stands for a semicolon, `\s` for a space,
/// `\\` for a backslash, `\r` for a carriage return, and `\n` for a line feed. A backslash before anything else is dropped.
final class IRCReader {
  private let out = ByteBuffer()
  private let value = ByteBuffer()

  /// Whether the last text held several lines, which the map has no root for.
  private(set) var isSeveral = false

  /// Returns the record as JSON, in the arena, with padding after it. Several lines become an array.
  ///
  /// - Parameters:
  ///   - pointers: The pointers of the map, or nil to accept several lines without a root for them.
  ///   - node: The node of the pointer at which the record is.
  ///   - isOne: Whether a text is one line, as by older rules.
  func json(
    of record: Bytes, _ pointers: PointerWalk? = nil, from node: Int = 0, isOne: Bool = false, into arena: BumpArena
  ) throws(BadEvent) -> Bytes {
    isSeveral = false
    out.removeAll()
    let lines = isOne ? [] : Self.lines(of: record, isText: node > 0)
    if lines.count < 2 {
      try object(record.withoutLastBreaks)
      return arena.copy(out.bytes)
    }
    if let pointers, !pointers.hasElements(node) {
      isSeveral = true
      throw .notIRC("holds \(lines.count) lines in one text, which the map has no root for, such as \"/*\": split them")
    }
    for (index, line) in lines.enumerated() {
      out.append(index == 0 ? "[" : ",")
      try object(line)
    }
    out.append("]")
    return arena.copy(out.bytes)
  }

  /// Returns the non-empty lines, or none for a single line. In a JSON string, breaks count only if tags begin a further line.
  private static func lines(of text: Bytes, isText: Bool) -> [Bytes] {
    if !text.dropLast().contains(where: Bytes.isBreak) { return [] }
    let lines = text.split(whereSeparator: Bytes.isBreak).map { Bytes(rebasing: $0) }
    if isText, !lines.dropFirst().contains(where: { $0.first == 0x40 && $0.prefix { $0 != 0x20 }.contains(0x3D) }) { return [] }
    return lines
  }

  /// Writes the object for a line.
  private func object(_ record: Bytes) throws(BadEvent) {
    var rest = record
    out.append("{\"tags\":{")
    if rest.first == 0x40 { tags(Bytes(rebasing: word(&rest).dropFirst())) }
    out.append("}")
    if rest.first == 0x3A {
      out.append(",\"source\":")
      out.append(jsonString: Bytes(rebasing: word(&rest).dropFirst()))
    }
    let command = word(&rest)
    guard !command.isEmpty, command.allSatisfy({ ($0 >= 0x30 && $0 <= 0x39) || ($0 | 0x20 >= 0x61 && $0 | 0x20 <= 0x7A) }) else {
      throw .notIRC(record.isEmpty ? "is empty" : "has no command where one is expected")
    }
    out.append(",\"command\":")
    out.append(jsonString: command)
    out.append(",\"params\":[")
    var isFirst = true
    while !rest.isEmpty {
      if !isFirst { out.append(",") }
      isFirst = false
      if rest.first == 0x3A {
        out.append(jsonString: Bytes(rebasing: rest.dropFirst()))
        break
      }
      out.append(jsonString: word(&rest))
    }
    out.append("]}")
  }

  /// Returns the text before the next space, and removes it and the spaces after it from `rest`.
  private func word(_ rest: inout Bytes) -> Bytes {
    let end = rest.firstIndex(of: 0x20) ?? rest.endIndex
    let word = Bytes(rebasing: rest[..<end])
    rest = Bytes(rebasing: rest[end...].drop { $0 == 0x20 })
    return word
  }

  private func tags(_ text: Bytes) {
    var isFirst = true
    for tag in text.split(separator: 0x3B) {
      let parts = tag.split(separator: 0x3D, maxSplits: 1, omittingEmptySubsequences: false)
      if !isFirst { out.append(",") }
      isFirst = false
      out.append(jsonString: Bytes(rebasing: parts[0]))
      out.append(":")
      value.removeAll()
      if parts.count > 1 { unescape(parts[1]) }
      out.append(jsonString: value.bytes)
    }
  }

  private func unescape(_ text: Slice<Bytes>) {
    var isEscaped = false
    for byte in text {
      if isEscaped {
        switch byte {
        case 0x3A: value.append(UInt8(0x3B))
        case 0x73: value.append(UInt8(0x20))
        case 0x72: value.append(UInt8(0x0D))
        case 0x6E: value.append(UInt8(0x0A))
        default: value.append(UInt8(byte))
        }
        isEscaped = false
      } else if byte == 0x5C {
        isEscaped = true
      } else {
        value.append(UInt8(byte))
      }
    }
  }
}
