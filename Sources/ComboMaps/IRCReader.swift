internal import ComboCore
internal import ComboWire

/// Converts a line of IRC with tags, as Twitch's chat sends it, to JSON:
/// `@id=7;msg-id=subgift :tmi.twitch.tv USERNOTICE #channel :hi` becomes
/// `{"tags":{"id":"7","msg-id":"subgift"},"source":"tmi.twitch.tv","command":"USERNOTICE","params":["#channel","hi"]}`.
///
/// It follows https://ircv3.net/specs/extensions/message-tags: in a tag's value `\\:` stands for a semicolon, `\\s` for a space,
/// `\\\\` for a backslash, `\\r` for a carriage return, and `\\n` for a line feed. A backslash before anything else is dropped.
final class IRCReader {
  private let out = ByteBuffer()
  private let value = ByteBuffer()

  /// Returns the record as JSON, in the arena, with padding after it.
  func json(of record: Bytes, into arena: BumpArena) throws(BadEvent) -> Bytes {
    var rest = record
    while let last = rest.last, last == 0 || last == 0x0A || last == 0x0D { rest = Bytes(rebasing: rest.dropLast()) }
    out.removeAll()
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
    return arena.copy(out.bytes)
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
