public import CSimdJSON
public import ComboCore

/// A valid JSON text as a flat tape of tokens. It borrows the text and its parser's tape.
///
/// Token 0 is the whole text; an object's members follow it as name, value, name, value. Indices are not checked, since they
/// come from the tape itself.
@usableFromInline
package struct JSONText {
  @usableFromInline package let base: UnsafePointer<UInt8>
  @usableFromInline package let tokens: UnsafePointer<csj_token>

  @inlinable
  init(base: UnsafePointer<UInt8>, tokens: UnsafePointer<csj_token>) { (self.base, self.tokens) = (base, tokens) }

  @inlinable @inline(__always)
  package subscript(token: Int) -> csj_token { tokens[token] }

  /// The first token after this one and its contents.
  @inlinable @inline(__always)
  package func next(_ token: Int) -> Int { Int(tokens[token].next) }

  /// The token's bytes unchanged, including quotes or brackets.
  @inlinable @inline(__always)
  package func slice(_ token: Int) -> Bytes {
    let t = tokens[token]
    return Bytes(start: base + Int(t.start), count: Int(t.length))
  }

  /// The bytes between a string's quotes, unchanged.
  @inlinable @inline(__always)
  package func inside(_ token: Int) -> Bytes {
    let t = tokens[token]
    return Bytes(start: base + Int(t.start &+ 1), count: Int(t.length &- 2))
  }

  /// Whether a string's value equals `text`.
  package func string(_ token: Int, is text: StaticString) -> Bool {
    let inside = inside(token)
    if self[token].flags & UInt8(CSJ_ESCAPED) == 0 { return inside == text }
    if inside.count > 6 * text.utf8CodeUnitCount { return false }
    return withUnsafeTemporaryAllocation(byteCount: inside.count, alignment: 1) { scratch in
      Bytes(rebasing: scratch[..<unescape(inside, to: scratch.baseAddress!)]) == text
    }
  }

  /// Whether a token is a string of 1 to 256 bytes without escapes.
  @inlinable @inline(__always)
  package func isShort(_ token: Int) -> Bool {
    let t = tokens[token]
    // Checks all three in one comparison.
    return UInt32(t.flags) << 8 | UInt32(t.kind) ^ UInt32(CSJ_STRING) | (t.length &- 3) >> 8 == 0
  }

  /// The value of a string.
  package func string(_ token: Int) -> String {
    let inside = inside(token)
    if self[token].flags & UInt8(CSJ_ESCAPED) == 0 { return String(decoding: inside, as: UTF8.self) }
    return withUnsafeTemporaryAllocation(byteCount: inside.count, alignment: 1) { scratch in
      String(decoding: scratch[..<unescape(inside, to: scratch.baseAddress!)], as: UTF8.self)
    }
  }

  /// The value of an integer token, or nil if it exceeds 64 bits.
  @inlinable @inline(__always)
  package func integer(_ token: Int) -> Int64? {
    let t = tokens[token]
    if t.length > 16 { return longInteger(token) }
    var p = base + Int(t.start)
    var length = Int(t.length)
    let negative = p.pointee == 0x2D
    if negative {
      p += 1
      length -= 1
    }
    var value: UInt64
    if length <= 8 {
      value = Self.digits(p, length)
    } else {
      value = Self.digits(p, length - 8) &* 100_000_000 &+ Self.digits(p + (length - 8), 8)
    }
    if negative { value = 0 &- value }
    return Int64(bitPattern: value)
  }

  /// The value of an integer token of one digit, or nil for any other token.
  @inlinable @inline(__always)
  package func digit(_ token: Int) -> Int? {
    let t = tokens[token]
    return t.kind == UInt8(CSJ_INTEGER) && t.length == 1 ? Int(base[Int(t.start)] &- 0x30) : nil
  }

  /// The value of 1 to 8 digits, computed at once. Reads 8 bytes, since the text is padded.
  @inlinable @inline(__always)
  static func digits(_ p: UnsafePointer<UInt8>, _ length: Int) -> UInt64 {
    // The first digit is in the lowest byte; zeros are shifted in before it. Then neighbours are combined into 2, 4 and 8 digits.
    var word = UInt64(littleEndian: UnsafeRawPointer(p).loadUnaligned(as: UInt64.self)) &<< UInt64(64 &- 8 &* length)
    word &= 0x0F0F_0F0F_0F0F_0F0F
    word = (word &* (10 << 8 | 1)) &>> 8 & 0x00FF_00FF_00FF_00FF
    word = (word &* (100 << 16 | 1)) &>> 16 & 0x0000_FFFF_0000_FFFF
    return (word &* (10_000 << 32 | 1)) &>> 32
  }

  @usableFromInline @inline(never)
  func longInteger(_ token: Int) -> Int64? {
    var value: Int64 = 0
    var digits = slice(token)[...]
    let negative = digits.first == 0x2D
    if negative { digits.removeFirst() }
    for byte in digits {
      let (shifted, high) = value.multipliedReportingOverflow(by: 10)
      let digit = Int64(byte) - 0x30
      let (sum, over) = negative ? shifted.subtractingReportingOverflow(digit) : shifted.addingReportingOverflow(digit)
      if high || over { return nil }
      value = sum
    }
    return value
  }

  /// The double nearest to a number token, integer or not; infinite if it is too large.
  @inlinable @inline(__always)
  package func double(_ token: Int) -> Double {
    let t = tokens[token]
    // Up to 15 digits are exact.
    if t.kind == UInt8(CSJ_INTEGER), t.length <= 15, let value = integer(token), value != 0 { return Double(value) }
    return csj_double(base + Int(t.start), Int(t.length))
  }
}

extension csj_token {
  @inlinable @inline(__always) package var isObject: Bool { kind == UInt8(CSJ_OBJECT) }
  @inlinable @inline(__always) package var isArray: Bool { kind == UInt8(CSJ_ARRAY) }
  @inlinable @inline(__always) package var isString: Bool { kind == UInt8(CSJ_STRING) }
  @inlinable @inline(__always) package var isInteger: Bool { kind == UInt8(CSJ_INTEGER) }
  /// Whether it is a number, integer or not.
  @inlinable @inline(__always) package var isNumber: Bool { kind == UInt8(CSJ_INTEGER) || kind == UInt8(CSJ_NUMBER) }
  @inlinable @inline(__always) package var isBoolean: Bool { isTrue || kind == UInt8(CSJ_FALSE) }
  @inlinable @inline(__always) package var isTrue: Bool { kind == UInt8(CSJ_TRUE) }
  @inlinable @inline(__always) package var isNull: Bool { kind == UInt8(CSJ_NULL) }
  @inlinable @inline(__always) package var isEscaped: Bool { flags & UInt8(CSJ_ESCAPED) != 0 }
  /// Whether it is an object or array with white space between its tokens.
  @inlinable @inline(__always) package var isSpaced: Bool { flags & UInt8(CSJ_SPACED) != 0 }

  /// Its JSON type with an article.
  package var typeName: String {
    switch Int(kind) {
    case CSJ_OBJECT: "an object"
    case CSJ_ARRAY: "an array"
    case CSJ_STRING: "a string"
    case CSJ_INTEGER: "an integer"
    case CSJ_NUMBER: "a number with a fraction or an exponent"
    case CSJ_TRUE, CSJ_FALSE: "a boolean"
    default: "null"
    }
  }
}

extension JSONText {
  /// Whether a field is present: it has a token, and that is not null.
  @inlinable @inline(__always)
  package func has(_ token: Int) -> Bool { token != 0 && !self[token].isNull }

  /// Whether a map treats a value as missing: null or an empty string.
  @inlinable @inline(__always)
  package func isMissing(_ token: Int) -> Bool { self[token].isNull || (self[token].isString && self[token].length == 2) }

  /// The value of a string: the bytes between its quotes, or an unescaped copy of them.
  @inlinable @inline(__always)
  package func meaning(_ token: Int, into arena: BumpArena) -> Bytes {
    let inside = inside(token)
    return self[token].isEscaped ? unescaped(inside, into: arena) : inside
  }

  @usableFromInline @inline(never)
  func unescaped(_ inside: Bytes, into arena: BumpArena) -> Bytes {
    let piece = arena.allocate(inside.count)
    let length = unescape(inside, to: piece)
    arena.shrinkLast(piece, to: length)
    return Bytes(start: piece, count: length)
  }
}

/// Writes the unescaped content of a string to `out`, which has room for as many bytes, and returns its length.
package func unescape(_ inside: Bytes, to out: UnsafeMutableRawPointer) -> Int {
  guard let start = inside.baseAddress else { return 0 }
  return csj_unescape(start.assumingMemoryBound(to: UInt8.self), inside.count, out.assumingMemoryBound(to: UInt8.self))
}

/// Whether two buffers hold the same bytes.
@inlinable @inline(__always)
package func == (a: Bytes, b: Bytes) -> Bool {
  guard a.count == b.count else { return false }
  guard let left = a.baseAddress, let right = b.baseAddress else { return true }
  return isEqual(left, right, a.count)
}

/// Whether the bytes equal this text.
@inlinable @inline(__always)
package func == (a: Bytes, b: StaticString) -> Bool {
  a == Bytes(start: b.utf8Start, count: b.utf8CodeUnitCount)
}
