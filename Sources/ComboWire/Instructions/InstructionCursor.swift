package import ComboCore

/// Traverses the JSON of instructions and returns values unchanged. Bytes are borrowed, and nothing is allocated.
///
/// Mismatched brackets are refused; numbers and words are not checked until they are read.
package struct InstructionCursor {
  private let text: Bytes
  private var position = 0

  package init(_ text: Bytes) { self.text = text }

  /// Whether nothing is left, not even white space.
  package var isAtEnd: Bool { position == text.count }

  /// The remaining bytes.
  package var rest: Bytes { Bytes(rebasing: text[position...]) }

  // MARK: - Text of a known shape

  /// Skips these bytes if they come next; otherwise returns false.
  @inline(__always)
  package mutating func skip(_ expected: StaticString) -> Bool {
    let length = expected.utf8CodeUnitCount
    guard position + length <= text.count else { return false }
    for i in 0..<length where text[position + i] != expected.utf8Start[i] { return false }
    position += length
    return true
  }

  /// The maximum magnitude of a number in an instruction: 2^53, up to which JavaScript counts exactly.
  private static let numberMax: Int64 = 1 << 53

  /// Reads an integer, or returns nil if there is none, or none that an instruction can have.
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

  /// Reads a string and returns the bytes between its quotes, unchanged, or returns nil if there is no complete string.
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

  // MARK: - Text of any shape

  /// Returns the integer that makes up the whole of `value`, or nil.
  package static func integer(of value: Bytes) -> Int64? {
    var cursor = InstructionCursor(value)
    let number = cursor.integer()
    return cursor.isAtEnd ? number : nil
  }

  /// Reads the next value, unchanged, or returns nil if it is incomplete.
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

  /// Calls `body` with each field's name, without quotes, and its value. Returns false if this is not a complete object.
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

  /// Calls `body` with each element. Returns false if this is not a complete array.
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
