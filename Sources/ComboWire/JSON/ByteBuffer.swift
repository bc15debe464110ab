internal import CSimdJSON
public import ComboCore

/// A buffer of bytes that grows at its end. All encoders write into one.
///
/// It keeps its memory when it is emptied, so the steady state has no allocations. For one thread at a time, which is why access
/// to its properties is not checked at run time.
public final class ByteBuffer {
  /// The memory of the bytes, at least `capacity` long.
  @exclusivity(unchecked) private(set) var base: UnsafeMutablePointer<UInt8>
  @exclusivity(unchecked) private var capacity: Int
  /// The number of bytes in the buffer.
  @exclusivity(unchecked) public private(set) var count = 0

  /// Creates an empty buffer with memory for `capacity` bytes.
  public init(capacity: Int = 4096) {
    self.capacity = max(capacity, 64)
    base = .allocate(capacity: self.capacity)
  }

  deinit { base.deallocate() }

  /// The content; valid until the buffer changes.
  public var bytes: Bytes { Bytes(start: base, count: count) }

  /// A copy of the content.
  public var array: [UInt8] { withExtendedLifetime(self) { [UInt8](bytes) } }

  /// A part of the content; valid until the buffer changes.
  public func bytes(_ range: Range<Int>) -> Bytes {
    precondition(range.lowerBound >= 0 && range.upperBound <= count, "a part of a buffer must be within it")
    return Bytes(start: base + range.lowerBound, count: range.count)
  }

  /// Empties the buffer and keeps its memory.
  public func removeAll() { count = 0 }

  /// Removes all but the first `count` bytes.
  public func truncate(to count: Int) {
    precondition(count >= 0 && count <= self.count, "a buffer can only be cut within what it holds")
    self.count = count
  }

  /// Makes room for `extra` more bytes and returns their address; ``commit(upTo:)`` then adds them.
  @inline(__always)
  package func reserve(_ extra: Int) -> UnsafeMutablePointer<UInt8> {
    if capacity - count < extra { grow(extra) }
    return base + count
  }

  /// Adds the bytes written up to `end`, which must be within the result of ``reserve(_:)``.
  @inline(__always)
  package func commit(upTo end: UnsafeMutablePointer<UInt8>) {
    count = end - base
    assert(count <= capacity)
  }

  @inline(never)
  private func grow(_ extra: Int) {
    let (needed, overflow) = count.addingReportingOverflow(extra)
    precondition(!overflow && needed < 1 << 40, "a buffer cannot hold that much")
    let grown = max(capacity * 2, needed)
    let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: grown)
    memory.update(from: base, count: count)
    base.deallocate()
    base = memory
    capacity = grown
  }

  /// Appends bytes.
  @inline(__always)
  public func append(_ bytes: Bytes) {
    guard let start = bytes.baseAddress else { return }
    let out = reserve(bytes.count)
    UnsafeMutableRawPointer(out).copyMemory(from: start, byteCount: bytes.count)
    count += bytes.count
  }

  /// Appends static text.
  @inline(__always)
  public func append(_ text: StaticString) {
    commit(upTo: write(text, at: reserve(text.utf8CodeUnitCount)))
  }

  /// Appends one byte.
  @inline(__always)
  public func append(_ byte: UInt8) {
    reserve(1).pointee = byte
    count += 1
  }

  /// Appends text unescaped, in UTF-8. For a literal, prefer a `StaticString`.
  @_disfavoredOverload
  public func append(_ text: String) {
    var text = text
    text.withUTF8 { append(Bytes($0)) }
  }

  /// Appends an integer in decimal digits.
  @inline(__always)
  public func append(_ value: Int64) {
    commit(upTo: write(value, at: reserve(20)))
  }

  /// Appends an integer in decimal digits.
  @inline(__always)
  public func append(_ value: Int) { append(Int64(value)) }

  /// Appends the shortest decimal that reads back as the same double. It must be finite.
  public func append(_ value: Double) {
    precondition(value.isFinite, "JSON knows no number that is not finite")
    if value.magnitude < 9_007_199_254_740_992, value == value.rounded(.towardZero), !(value == 0 && value.sign == .minus) {
      append(Int64(value))
      return
    }
    let out = reserve(32)
    count += csj_write_double(value, out)
  }

  /// Appends 16 hexadecimal digits.
  public func append(hex value: UInt64) {
    let out = reserve(16)
    for place in 0..<16 {
      let digit = UInt8(truncatingIfNeeded: value >> UInt64(60 - 4 * place)) & 15
      out[place] = digit < 10 ? 0x30 + digit : 0x57 + digit
    }
    count += 16
  }

  /// Appends bytes in blocks of 16: up to 15 more must be readable after the last.
  @inline(__always)
  package func append(padded from: UnsafeRawPointer, _ count: Int) {
    let out = UnsafeMutableRawPointer(reserve(count + 15))
    var at = 0
    repeat {
      out.storeBytes(of: from.loadUnaligned(fromByteOffset: at, as: SIMD16<UInt8>.self), toByteOffset: at, as: SIMD16<UInt8>.self)
      at &+= 16
    } while at < count
    self.count += count
  }

  /// Whether the content from a byte on is UTF-8.
  package func isUTF8(from start: Int = 0) -> Bool { csj_is_utf8(base + start, count - start) != 0 }

  /// Appends a JSON string with quotes. The bytes must be UTF-8. Only what must be escaped is escaped.
  public func append(jsonString bytes: Bytes) {
    commit(upTo: write(jsonString: bytes, at: reserve(jsonStringMax(bytes.count))))
  }

  /// Appends a JSON string with quotes.
  public func append(jsonString text: String) {
    var text = text
    text.withUTF8 { append(jsonString: Bytes($0)) }
  }
}

/// Writes static text and returns its end.
@inline(__always)
package func write(_ text: StaticString, at out: UnsafeMutablePointer<UInt8>) -> UnsafeMutablePointer<UInt8> {
  UnsafeMutableRawPointer(out).copyMemory(from: text.utf8Start, byteCount: text.utf8CodeUnitCount)
  return out + text.utf8CodeUnitCount
}

/// Writes bytes and returns their end.
@inline(__always)
package func write(_ bytes: Bytes, at out: UnsafeMutablePointer<UInt8>) -> UnsafeMutablePointer<UInt8> {
  if let start = bytes.baseAddress { UnsafeMutableRawPointer(out).copyMemory(from: start, byteCount: bytes.count) }
  return out + bytes.count
}

/// Returns the memory that ``write(jsonString:at:)`` may touch for a text of `count` bytes: each byte may need six, and a whole
/// word is written even if less of the text is left.
@inline(__always)
package func jsonStringMax(_ count: Int) -> Int { count &* 6 &+ 10 }

/// Writes a JSON string with quotes, of which only what must be escaped is escaped, and returns its end.
package func write(jsonString bytes: Bytes, at start: UnsafeMutablePointer<UInt8>) -> UnsafeMutablePointer<UInt8> {
  start.pointee = 0x22
  var out = start + 1
  var at = 0
  while at < bytes.count {
    let length = min(bytes.count &- at, 8)
    let word = littleEndianWord(bytes, at, length)
    UnsafeMutableRawPointer(out).storeBytes(of: word.littleEndian, as: UInt64.self)
    let escapes = escapes(word)
    let clean = escapes == 0 ? 8 : escapes.trailingZeroBitCount >> 3
    if clean >= length {
      out += length
      at &+= length
    } else {
      out = writeEscape(of: bytes[at &+ clean], at: out + clean)
      at &+= clean &+ 1
    }
  }
  out.pointee = 0x22
  return out + 1
}

/// Writes an integer in at most 20 bytes, a sign and 19 decimal digits, and returns its end.
@inline(__always)
package func write(_ value: Int64, at out: UnsafeMutablePointer<UInt8>) -> UnsafeMutablePointer<UInt8> {
  if value >= 0 && value < 10 {
    out.pointee = 0x30 + UInt8(truncatingIfNeeded: value)
    return out + 1
  }
  return writeLong(value, at: out)
}

/// "00" to "99" in sequence: two digits for one division.
private let digitPairs: StaticString = """
  00010203040506070809101112131415161718192021222324252627282930313233343536373839404142434445464748495051525354555657585960\
  616263646566676869707172737475767778798081828384858687888990919293949596979899
  """

private func writeLong(_ value: Int64, at start: UnsafeMutablePointer<UInt8>) -> UnsafeMutablePointer<UInt8> {
  var out = start
  if value < 0 {
    out.pointee = 0x2D
    out += 1
  }
  var rest = value.magnitude
  var length = 1
  var first = rest
  while first >= 10_000 {
    length += 4
    first /= 10_000
  }
  length += first < 10 ? 0 : first < 100 ? 1 : first < 1000 ? 2 : 3
  // 20 digits do not occur: the magnitude of an Int64 has at most 19.
  let end = out + length
  var place = end
  let pairs = digitPairs.utf8Start
  while rest >= 100 {
    let (quotient, remainder) = rest.quotientAndRemainder(dividingBy: 100)
    place -= 2
    place[0] = pairs[Int(remainder) * 2]
    place[1] = pairs[Int(remainder) * 2 + 1]
    rest = quotient
  }
  if rest >= 10 {
    place[-2] = pairs[Int(rest) * 2]
    place[-1] = pairs[Int(rest) * 2 + 1]
  } else {
    place[-1] = 0x30 + UInt8(rest)
  }
  return end
}

/// Reads 1 to 8 bytes of a text, the first one lowest; the other bytes are 0.
@inline(__always)
private func littleEndianWord(_ text: Bytes, _ at: Int, _ length: Int) -> UInt64 {
  if length == 8 { return UInt64(littleEndian: text.loadUnaligned(fromByteOffset: at, as: UInt64.self)) }
  if text.count >= 8 {
    let last = UInt64(littleEndian: text.loadUnaligned(fromByteOffset: text.count - 8, as: UInt64.self))
    return last &>> UInt64(64 - 8 * length)
  }
  // The two ends of a shorter text overlap.
  if length >= 4 {
    let low = UInt32(littleEndian: text.loadUnaligned(fromByteOffset: at, as: UInt32.self))
    let high = UInt32(littleEndian: text.loadUnaligned(fromByteOffset: at + length - 4, as: UInt32.self))
    return UInt64(low) | UInt64(high) &<< UInt64(8 * length - 32)
  }
  let middle = length / 2
  let last = UInt64(text[at + length - 1]) &<< UInt64(8 * length - 8)
  return UInt64(text[at]) | UInt64(text[at + middle]) &<< UInt64(8 * middle) | last
}

/// Marks the bytes of a word that a JSON string must escape by their highest bit. Marks above the lowest may be wrong.
@inline(__always)
private func escapes(_ word: UInt64) -> UInt64 {
  let ones: UInt64 = 0x0101_0101_0101_0101
  let control = word &- ones &* 0x20
  let quote = (word ^ ones &* 0x22) &- ones
  let backslash = (word ^ ones &* 0x5C) &- ones
  return (control | quote | backslash) & ~word & (ones &* 0x80)
}

@inline(never)
private func writeEscape(of byte: UInt8, at out: UnsafeMutablePointer<UInt8>) -> UnsafeMutablePointer<UInt8> {
  let short: UInt8? =
    switch byte {
    case 0x22: 0x22
    case 0x5C: 0x5C
    case 0x08: 0x62
    case 0x0C: 0x66
    case 0x0A: 0x6E
    case 0x0D: 0x72
    case 0x09: 0x74
    default: nil
    }
  out[0] = 0x5C
  if let short {
    out[1] = short
    return out + 2
  }
  out[1] = 0x75
  out[2] = 0x30
  out[3] = 0x30
  out[4] = 0x30 + (byte >> 4)
  let low = byte & 15
  out[5] = low < 10 ? 0x30 + low : 0x57 + low
  return out + 6
}
