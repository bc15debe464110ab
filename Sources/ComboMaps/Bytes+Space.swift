internal import ComboCore
internal import Glibc

/// White space and lines of texts that are read as records. Both may still be escapes of JSON.
extension Bytes {
  /// Whether white space may begin with the byte.
  static func mayBeSpace(_ byte: UInt8) -> Bool { byte <= 0x20 || byte == 0x5C || byte == 0xC2 || byte == 0xEF }

  /// Whether the byte ends a line or a packet.
  static func isBreak(_ byte: UInt8) -> Bool { byte == 0x00 || byte == 0x0A || byte == 0x0D }
  static let breaks: [UInt8] = [0x00, 0x0A, 0x0D]

  /// Returns the place where the byte first occurs at or after the start, or nil if it does not occur.
  func firstIndex(of byte: UInt8, from start: Int) -> Int? {
    guard start < count, let found = memchr(baseAddress! + start, Int32(byte), count - start) else { return nil }
    return found - UnsafeMutableRawPointer(mutating: baseAddress!)
  }

  /// The text without the breaks at its end.
  var withoutLastBreaks: Bytes {
    var text = self
    while let last = text.last, Self.isBreak(last) { text = Bytes(rebasing: text.dropLast()) }
    return text
  }

  /// The text after its leading white space: control characters, spaces, U+00A0 and U+FEFF.
  var afterSpace: Bytes {
    var rest = self
    while let length = rest.spaceLength { rest = Bytes(rebasing: rest.dropFirst(length)) }
    return rest
  }

  private var spaceLength: Int? {
    guard let first, Self.mayBeSpace(first) else { return nil }
    if first <= 0x20 { return 1 }
    return Self.spaces.first { space in
      space.count <= count && space.indices.allSatisfy { PointerTable.lowercased(self[$0]) == space[$0] }
    }?.count
  }

  private static let spaces = [
    "\u{FEFF}", "\u{A0}", "\\n", "\\r", "\\t", "\\u0009", "\\u000a", "\\u000d", "\\u0020", "\\u00a0", "\\ufeff",
  ].map { Array($0.utf8) }

  /// The text's lines, which end at a break or at its escape.
  var lines: [Bytes] {
    var lines: [Bytes] = []
    var (start, index) = (0, 0)
    while index < count {
      let isEscape = self[index] == 0x5C && index + 1 < count
      let (byte, length) = isEscape ? (self[index + 1], 2) : (self[index], 1)
      if isEscape ? byte == 0x6E || byte == 0x72 : Self.isBreak(byte) {
        lines.append(Bytes(rebasing: self[start..<index]))
        start = index + length
      }
      index += length
    }
    return lines + [Bytes(rebasing: self[start...])]
  }
}
