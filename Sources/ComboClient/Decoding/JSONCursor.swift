/// Reads a JSON text (RFC 8259) once, from beginning to end, without building a tree. It borrows the bytes.
///
/// Text that is not UTF-8 is accepted; it is repaired when it is read as a `String`.
@safe struct JSONCursor {
  /// The text is not JSON, or too deep.
  struct Malformed: Error {}

  /// The bytes between a string's quotes.
  @safe struct Text {
    let bytes: UnsafeBufferPointer<UInt8>
    let isEscaped: Bool

    /// The value.
    var string: String {
      unsafe isEscaped ? String(decoding: JSONCursor.unescaped(bytes), as: UTF8.self) : String(decoding: bytes, as: UTF8.self)
    }
  }

  /// The maximum depth, far above that of any instruction.
  private static let depthMax = 512

  private var at: UnsafePointer<UInt8>
  private let end: UnsafePointer<UInt8>

  init?(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard let base = bytes.baseAddress else { return nil }
    unsafe at = unsafe base
    unsafe end = unsafe base + bytes.count
  }

  /// Calls `member` with each name in the object at this position; it must read the value. Returns false if another value is
  /// here, and stays there.
  @inline(__always)
  mutating func object(_ member: (inout JSONCursor, Text) throws(Malformed) -> Void) throws(Malformed) -> Bool {
    skipSpace()
    guard consume(UInt8(ascii: "{")) else { return false }
    skipSpace()
    if consume(UInt8(ascii: "}")) { return true }
    while true {
      skipSpace()
      let name = try text()
      skipSpace()
      try expect(UInt8(ascii: ":"))
      try member(&self, name)
      skipSpace()
      if consume(UInt8(ascii: "}")) { return true }
      try expect(UInt8(ascii: ","))
    }
  }

  /// Calls `entry` for each entry of the array at this position. Returns false if another value is here, and stays there.
  @inline(__always)
  mutating func array(_ entry: (inout JSONCursor) throws(Malformed) -> Void) throws(Malformed) -> Bool {
    skipSpace()
    guard consume(UInt8(ascii: "[")) else { return false }
    skipSpace()
    if consume(UInt8(ascii: "]")) { return true }
    while true {
      try entry(&self)
      skipSpace()
      if consume(UInt8(ascii: "]")) { return true }
      try expect(UInt8(ascii: ","))
    }
  }

  /// The value here if it is a string; any other is skipped.
  @inline(__always)
  mutating func stringValue() throws(Malformed) -> Text? {
    skipSpace()
    if unsafe at < end, unsafe at.pointee == UInt8(ascii: "\"") { return try text() }
    try skipValue()
    return nil
  }

  /// The value here if it is an integer from 0 to 2^53 - 1, in any notation; any other is skipped.
  @inline(__always)
  mutating func wholeValue() throws(Malformed) -> Int? {
    skipSpace()
    // Nearly all values are plain digits.
    var p = unsafe at
    var value = 0
    while unsafe p < end, unsafe p.pointee &- 0x30 < 10, unsafe p - at < 17 {
      value = unsafe value &* 10 &+ Int(p.pointee &- 0x30)
      unsafe p += 1
    }
    let count = unsafe p - at
    if count > 0, count < 17, unsafe p < end, unsafe at.pointee != 0x30 || count == 1,
      unsafe ![0x2E, 0x65, 0x45].contains(p.pointee)
    {
      unsafe at = unsafe p
      return value <= DisplayInstruction.numberMax ? value : nil
    }
    return try otherWholeValue()
  }

  @inline(never)
  private mutating func otherWholeValue() throws(Malformed) -> Int? {
    guard unsafe at < end, unsafe at.pointee == 0x2D || at.pointee &- 0x30 < 10 else {
      try skipValue()
      return nil
    }
    let start = unsafe at
    try skipNumber()
    let text = unsafe String(decoding: UnsafeBufferPointer(start: start, count: at - start), as: UTF8.self)
    // This code must not need the C library's mathematics, as Double.rounded() does.
    guard let value = Double(text), value >= 0, value <= Double(DisplayInstruction.numberMax), Double(Int(value)) == value else {
      return nil
    }
    return Int(value)
  }

  /// The value here, unchanged, if it is an object; any other is skipped.
  mutating func objectValue() throws(Malformed) -> UnsafeBufferPointer<UInt8>? {
    skipSpace()
    let start = unsafe at
    try skipValue()
    return unsafe start.pointee == UInt8(ascii: "{") ? UnsafeBufferPointer(start: start, count: at - start) : nil
  }

  /// The value here, unchanged, if it is a number; any other is skipped.
  mutating func numberValue() throws(Malformed) -> UnsafeBufferPointer<UInt8>? {
    skipSpace()
    let start = unsafe at
    try skipValue()
    let isNumber = unsafe start.pointee == 0x2D || start.pointee &- 0x30 < 10
    return unsafe isNumber ? UnsafeBufferPointer(start: start, count: at - start) : nil
  }

  /// Skips the value here, whatever it is.
  mutating func skipValue() throws(Malformed) { try skipValue(depth: 0) }

  /// Whether only white space is left.
  mutating func isAtEnd() -> Bool {
    skipSpace()
    return unsafe at == end
  }

  private mutating func skipValue(depth: Int) throws(Malformed) {
    skipSpace()
    guard unsafe at < end, depth < Self.depthMax else { throw Malformed() }
    switch unsafe at.pointee {
    case UInt8(ascii: "\""): _ = try text()
    case UInt8(ascii: "{"):
      _ = try object { (cursor, _) throws(Malformed) in try cursor.skipValue(depth: depth + 1) }
    case UInt8(ascii: "["):
      _ = try array { (cursor) throws(Malformed) in try cursor.skipValue(depth: depth + 1) }
    case UInt8(ascii: "t"): try skipWord("true")
    case UInt8(ascii: "f"): try skipWord("false")
    case UInt8(ascii: "n"): try skipWord("null")
    default: try skipNumber()
    }
  }

  private mutating func skipWord(_ word: StaticString) throws(Malformed) {
    guard unsafe end - at >= word.utf8CodeUnitCount else { throw Malformed() }
    for index in 0..<word.utf8CodeUnitCount where unsafe at[index] != word.utf8Start[index] { throw Malformed() }
    unsafe at += word.utf8CodeUnitCount
  }

  private mutating func skipNumber() throws(Malformed) {
    _ = consume(0x2D)
    if !consume(0x30) { try skipDigits() }
    if consume(0x2E) { try skipDigits() }
    if consume(0x65) || consume(0x45) {
      if !consume(0x2B) { _ = consume(0x2D) }
      try skipDigits()
    }
  }

  private mutating func skipDigits() throws(Malformed) {
    let start = unsafe at
    while unsafe at < end, unsafe at.pointee &- 0x30 < 10 { unsafe at += 1 }
    if unsafe at == start { throw Malformed() }
  }

  /// Reads a string, starting at its opening quote.
  @inline(__always)
  private mutating func text() throws(Malformed) -> Text {
    try expect(UInt8(ascii: "\""))
    let start = unsafe at
    var isEscaped = false
    while unsafe at < end {
      let byte = unsafe at.pointee
      if byte == UInt8(ascii: "\"") {
        unsafe at += 1
        return unsafe Text(bytes: UnsafeBufferPointer(start: start, count: at - start - 1), isEscaped: isEscaped)
      }
      if byte < 0x20 { break }
      unsafe at += 1
      if byte == UInt8(ascii: "\\") {
        isEscaped = true
        try skipEscape()
      }
    }
    throw Malformed()
  }

  private mutating func skipEscape() throws(Malformed) {
    guard unsafe at < end else { throw Malformed() }
    let byte = unsafe at.pointee
    unsafe at += 1
    switch byte {
    case UInt8(ascii: "u"):
      for _ in 0..<4 {
        guard unsafe at < end, unsafe Self.hexDigit(at.pointee) != nil else { throw Malformed() }
        unsafe at += 1
      }
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"), UInt8(ascii: "n"),
      UInt8(ascii: "r"), UInt8(ascii: "t"):
      break
    default: throw Malformed()
    }
  }

  @inline(__always)
  private mutating func skipSpace() {
    while unsafe at < end, unsafe at.pointee <= 0x20,
      unsafe at.pointee == 0x20 || at.pointee == 0x0A || at.pointee == 0x0D || at.pointee == 0x09
    {
      unsafe at += 1
    }
  }

  @inline(__always)
  private mutating func consume(_ byte: UInt8) -> Bool {
    guard unsafe at < end, unsafe at.pointee == byte else { return false }
    unsafe at += 1
    return true
  }

  @inline(__always)
  private mutating func expect(_ byte: UInt8) throws(Malformed) {
    if !consume(byte) { throw Malformed() }
  }

  // MARK: - Escapes

  private static func hexDigit(_ byte: UInt8) -> UInt32? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte) - 0x30
    case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt32(byte) - 0x61 + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt32(byte) - 0x41 + 10
    default: nil
    }
  }

  /// The value of a string with valid escapes. A surrogate without its partner becomes U+FFFD.
  private static func unescaped(_ bytes: UnsafeBufferPointer<UInt8>) -> [UInt8] {
    var out: [UInt8] = []
    out.reserveCapacity(bytes.count)
    var index = 0
    func unit() -> UInt32 {
      defer { index += 4 }
      return (0..<4).reduce(0) { unsafe $0 << 4 | (hexDigit(bytes[index + $1]) ?? 0) }
    }
    while index < bytes.count {
      let byte = unsafe bytes[index]
      index += 1
      guard byte == UInt8(ascii: "\\") else {
        out.append(byte)
        continue
      }
      let escape = unsafe bytes[index]
      index += 1
      switch escape {
      case UInt8(ascii: "b"): out.append(0x08)
      case UInt8(ascii: "f"): out.append(0x0C)
      case UInt8(ascii: "n"): out.append(0x0A)
      case UInt8(ascii: "r"): out.append(0x0D)
      case UInt8(ascii: "t"): out.append(0x09)
      case UInt8(ascii: "u"):
        var value = unit()
        if 0xD800..<0xDC00 ~= value, index + 6 <= bytes.count, unsafe bytes[index] == UInt8(ascii: "\\"),
          unsafe bytes[index + 1] == UInt8(ascii: "u")
        {
          let before = index
          index += 2
          let low = unit()
          if 0xDC00..<0xE000 ~= low {
            value = 0x10000 + (value - 0xD800) << 10 + (low - 0xDC00)
          } else {
            index = before
          }
        }
        out += Array(String(Unicode.Scalar(value) ?? "\u{FFFD}").utf8)
      default: out.append(escape)
      }
    }
    return out
  }
}
