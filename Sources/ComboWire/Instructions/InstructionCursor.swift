package import ComboCore

/// Walks over the JSON of instructions and hands out values unchanged. Bytes are borrowed, nothing is allocated.
///
/// Brackets that do not match are refused; what numbers and words are made of is not looked at until they are read.
package struct InstructionCursor {
  private let text: Bytes
  private var position = 0

  package init(_ text: Bytes) { self.text = text }

  /// Whether nothing is left, not even a blank.
  package var isAtEnd: Bool { position == text.count }

  /// The rest.
  package var rest: Bytes { Bytes(rebasing: text[position...]) }

  // MARK: - Text whose shape is known

  /// Goes after these bytes, if they are next.
  @inline(__always)
  package mutating func skip(_ expected: StaticString) -> Bool {
    let length = expected.utf8CodeUnitCount
    guard position + length <= text.count else { return false }
    for i in 0..<length where text[position + i] != expected.utf8Start[i] { return false }
    position += length
    return true
  }

  /// No number of an instruction is larger, nor smaller than its negative: 2^53, up to which JavaScript counts.
  private static let numberMax: Int64 = 1 << 53

  /// An integer; nil if there is none, or one that no instruction has.
  @inline(__always)
  package mutating func integer() -> Int64? {
    let isNegative = position < text.count && text[position] == UInt8(ascii: "-")
    if isNegative { position += 1 }
    let start = position
    var value: Int64 = 0
    while position < text.count, text[position] &- 0x30 <= 9 {
      if position - start == 16 { return nil }
      value = value * 10 + Int64(text[position] &- 0x30)
      position += 1
    }
    if position == start || value > Self.numberMax { return nil }
    return isNegative ? -value : value
  }

  /// The bytes between a string's quotes, unchanged; nil if there is no string that ends.
  @inline(__always)
  package mutating func string() -> Bytes? {
    guard position < text.count, text[position] == UInt8(ascii: "\"") else { return nil }
    let start = position + 1
    var i = start
    while i < text.count {
      let byte = text[i]
      if byte == UInt8(ascii: "\"") {
        position = i + 1
        return Bytes(rebasing: text[start..<i])
      }
      i += byte == UInt8(ascii: "\\") ? 2 : 1
    }
    return nil
  }

  // MARK: - Any text

  /// A value that is an integer and nothing else.
  package static func integer(of value: Bytes) -> Int64? {
    var cursor = InstructionCursor(value)
    let number = cursor.integer()
    return cursor.isAtEnd ? number : nil
  }

  /// The value that comes next, unchanged; nil if it does not end.
  package mutating func value() -> Bytes? {
    skipBlanks()
    let start = position
    var depth = 0
    repeat {
      guard position < text.count else { return nil }
      switch text[position] {
      case UInt8(ascii: "\""):
        guard string() != nil else { return nil }
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        depth += 1
        position += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        if depth == 0 { return nil }
        depth -= 1
        position += 1
      case UInt8(ascii: ","), UInt8(ascii: ":"), 0x20, 0x09, 0x0A, 0x0D:
        if depth == 0 { return nil }
        position += 1
      default:
        // A number or a word.
        while position < text.count, !Self.endsWord(text[position]) { position += 1 }
      }
    } while depth > 0
    return Bytes(rebasing: text[start..<position])
  }

  /// Calls `body` with each field's name, between its quotes, and its value. False if this is no whole object.
  package mutating func eachField(_ body: (Bytes, Bytes) -> Void) -> Bool {
    skipBlanks()
    guard skip("{") else { return false }
    skipBlanks()
    if skip("}") { return endsHere() }
    repeat {
      skipBlanks()
      guard let name = string() else { return false }
      skipBlanks()
      guard skip(":"), let value = value() else { return false }
      body(name, value)
      skipBlanks()
    } while skip(",")
    return skip("}") && endsHere()
  }

  /// Calls `body` with each element. False if this is no whole array.
  package mutating func eachElement(_ body: (Bytes) -> Void) -> Bool {
    skipBlanks()
    guard skip("[") else { return false }
    skipBlanks()
    if skip("]") { return endsHere() }
    repeat {
      guard let value = value() else { return false }
      body(value)
      skipBlanks()
    } while skip(",")
    return skip("]") && endsHere()
  }

  private mutating func endsHere() -> Bool {
    skipBlanks()
    return isAtEnd
  }

  private mutating func skipBlanks() {
    while position < text.count, text[position] <= 0x20 { position += 1 }
  }

  private static func endsWord(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: ","), UInt8(ascii: "}"), UInt8(ascii: "]"), UInt8(ascii: ":"), UInt8(ascii: "\""), UInt8(ascii: "{"),
      UInt8(ascii: "["), 0x20, 0x09, 0x0A, 0x0D:
      true
    default: false
    }
  }
}
