internal import ComboCore
internal import ComboWire

/// A position in bytes from which frames, Protobuf and Avro are read.
struct ByteCursor {
  private let bytes: Bytes
  private(set) var at: Int
  let end: Int

  @inline(__always)
  init(_ bytes: Bytes) { self.init(bytes, 0, bytes.count) }

  /// Creates a cursor that reads the bytes from a position up to an end.
  @inline(__always)
  init(_ bytes: Bytes, _ at: Int, _ end: Int) {
    (self.bytes, self.at, self.end) = (bytes, at, end)
  }

  /// The bytes that have not been read.
  var rest: Bytes { Bytes(rebasing: bytes[at..<end]) }

  /// Returns the next bytes, or nil if fewer are left.
  @inline(__always)
  mutating func next(_ count: Int) -> Bytes? {
    guard count >= 0, count <= end &- at else { return nil }
    at &+= count
    return Bytes(rebasing: bytes[at &- count..<at])
  }

  /// Skips a number of bytes. At least that number must be left.
  @inline(__always)
  mutating func skip(_ count: Int) { at &+= count }

  /// Returns a number of 4 or 8 bytes, the lowest first, or nil if fewer are left.
  @inline(__always)
  mutating func little(_ count: Int) -> UInt64? {
    guard let bytes = next(count) else { return nil }
    return count == 8
      ? UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self))
      : UInt64(UInt32(littleEndian: bytes.loadUnaligned(as: UInt32.self)))
  }

  /// Returns a number of variable length, or nil if it is missing, cut off, or has more than 64 bits.
  @inline(__always)
  mutating func varint() -> UInt64? {
    guard at < end else { return nil }
    let byte = bytes[at]
    if byte >= 0x80 { return longVarint() }
    at &+= 1
    return UInt64(byte)
  }

  private mutating func longVarint() -> UInt64? {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while at < end {
      let byte = bytes[at]
      // The tenth byte has room for one bit.
      if shift == 63, byte > 1 { return nil }
      at &+= 1
      value |= UInt64(byte & 0x7F) &<< shift
      if byte < 0x80 { return value }
      shift &+= 7
    }
    return nil
  }
}
