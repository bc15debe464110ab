/// A JSON value as a tree, for data that is read rarely. Records have their own decoder.
package enum JSONValue: Equatable, Sendable {
  case null
  case bool(Bool)
  /// A number, as it is written.
  case number(String)
  case string(String)
  case array([JSONValue])
  /// The members, in their order.
  case object([Member])

  /// A name with its value.
  package struct Member: Equatable, Sendable {
    package let name: String
    package let value: JSONValue

    package init(name: String, value: JSONValue) {
      self.name = name
      self.value = value
    }
  }

  /// Parses a JSON text. Returns nil if it is invalid, or more than 64 levels deep.
  package init?(_ bytes: UnsafeRawBufferPointer) {
    var reader = Reader(bytes: bytes)
    guard let value = reader.value(depth: 64), reader.isAtEnd else { return nil }
    self = value
  }

  /// Returns a member's value; the first one, if two have the same name.
  package subscript(name: String) -> JSONValue? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.name == name }?.value
  }

  /// A whole number of at most 64 bits.
  package var integer: Int? {
    if case .number(let text) = self { Int(text) } else { nil }
  }

  package var string: String? {
    if case .string(let text) = self { text } else { nil }
  }

  package var array: [JSONValue]? {
    if case .array(let values) = self { values } else { nil }
  }

  private struct Reader {
    let bytes: UnsafeRawBufferPointer
    var place = 0

    var isAtEnd: Bool {
      mutating get {
        skipSpace()
        return place == bytes.count
      }
    }

    private var next: UInt8? { place < bytes.count ? bytes[place] : nil }

    private mutating func skipSpace() {
      while let byte = next, byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09 { place += 1 }
    }

    private mutating func consume(_ byte: UInt8) -> Bool {
      skipSpace()
      guard next == byte else { return false }
      place += 1
      return true
    }

    mutating func value(depth: Int) -> JSONValue? {
      skipSpace()
      guard depth > 0, let byte = next else { return nil }
      switch byte {
      case UInt8(ascii: "{"): return object(depth)
      case UInt8(ascii: "["): return array(depth)
      case UInt8(ascii: "\""): return string().map(JSONValue.string)
      case UInt8(ascii: "t"): return word("true") ? .bool(true) : nil
      case UInt8(ascii: "f"): return word("false") ? .bool(false) : nil
      case UInt8(ascii: "n"): return word("null") ? .null : nil
      default: return number()
      }
    }

    private mutating func word(_ text: StaticString) -> Bool {
      let count = text.utf8CodeUnitCount
      guard place + count <= bytes.count else { return false }
      for index in 0..<count where bytes[place + index] != text.utf8Start[index] { return false }
      place += count
      return true
    }

    private mutating func object(_ depth: Int) -> JSONValue? {
      place += 1
      var members: [Member] = []
      if consume(UInt8(ascii: "}")) { return .object(members) }
      repeat {
        skipSpace()
        guard next == UInt8(ascii: "\""), let name = string(), consume(UInt8(ascii: ":")), let value = value(depth: depth - 1)
        else { return nil }
        members.append(Member(name: name, value: value))
      } while consume(UInt8(ascii: ","))
      return consume(UInt8(ascii: "}")) ? .object(members) : nil
    }

    private mutating func array(_ depth: Int) -> JSONValue? {
      place += 1
      var values: [JSONValue] = []
      if consume(UInt8(ascii: "]")) { return .array(values) }
      repeat {
        guard let value = value(depth: depth - 1) else { return nil }
        values.append(value)
      } while consume(UInt8(ascii: ","))
      return consume(UInt8(ascii: "]")) ? .array(values) : nil
    }

    private mutating func number() -> JSONValue? {
      let start = place
      while let byte = next, (0x30...0x39).contains(byte) || "+-.eE".utf8.contains(byte) { place += 1 }
      let text = String(decoding: bytes[start..<place], as: UTF8.self)
      return Double(text) == nil ? nil : .number(text)
    }

    private mutating func string() -> String? {
      place += 1
      var text: [UInt8] = []
      while let byte = next {
        place += 1
        switch byte {
        case UInt8(ascii: "\""): return String(validating: text, as: UTF8.self)
        case UInt8(ascii: "\\"):
          guard escape(into: &text) else { return nil }
        case 0..<0x20: return nil
        default: text.append(byte)
        }
      }
      return nil
    }

    private mutating func escape(into text: inout [UInt8]) -> Bool {
      guard let byte = next else { return false }
      place += 1
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
      case UInt8(ascii: "b"): text.append(0x08)
      case UInt8(ascii: "f"): text.append(0x0c)
      case UInt8(ascii: "n"): text.append(0x0a)
      case UInt8(ascii: "r"): text.append(0x0d)
      case UInt8(ascii: "t"): text.append(0x09)
      case UInt8(ascii: "u"):
        guard var code = hex() else { return false }
        if (0xd800..<0xdc00).contains(code) {
          guard word("\\u"), let low = hex(), (0xdc00..<0xe000).contains(low) else { return false }
          code = 0x10000 + (code - 0xd800) << 10 + (low - 0xdc00)
        }
        guard let scalar = Unicode.Scalar(code) else { return false }
        text.append(contentsOf: Array(String(scalar).utf8))
      default: return false
      }
      return true
    }

    private mutating func hex() -> UInt32? {
      guard place + 4 <= bytes.count else { return nil }
      var code: UInt32 = 0
      for byte in bytes[place..<place + 4] {
        guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { return nil }
        code = code << 4 | UInt32(digit)
      }
      place += 4
      return code
    }
  }
}
