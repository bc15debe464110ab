internal import Glibc

/// Writes bytes in sequence to borrowed memory. The caller must ensure that they fit.
@safe struct EventText {
  private let start: UnsafeMutablePointer<UInt8>
  private(set) var count = 0

  init(_ start: UnsafeMutablePointer<UInt8>) { unsafe self.start = unsafe start }

  @inline(__always)
  mutating func put(_ text: StaticString) {
    unsafe memcpy(start + count, text.utf8Start, text.utf8CodeUnitCount)
    count += text.utf8CodeUnitCount
  }

  @inline(__always)
  mutating func put(_ bytes: UnsafeBufferPointer<UInt8>) {
    if let base = bytes.baseAddress { unsafe memcpy(start + count, base, bytes.count) }
    count += bytes.count
  }

  @inline(__always)
  mutating func put(byte: UInt8) {
    unsafe start[count] = byte
    count += 1
  }

  /// Writes a number in decimal.
  @inline(__always)
  mutating func put(_ number: UInt64) {
    var length = 1
    var limit: UInt64 = 10
    while length < 19, number >= limit {
      length += 1
      limit &*= 10
    }
    if number >= 10_000_000_000_000_000_000 { length = 20 }
    var rest = number
    var index = count + length
    while index > count {
      index -= 1
      let tenth = rest / 10
      unsafe start[index] = UInt8(truncatingIfNeeded: 0x30 + rest - tenth * 10)
      rest = tenth
    }
    count += length
  }

  /// Writes a number as sixteen hexadecimal digits.
  @inline(__always)
  mutating func put(hex number: UInt64) {
    for index in 0..<16 {
      let digit = UInt8(truncatingIfNeeded: number >> UInt64(60 - 4 * index)) & 15
      unsafe start[count + index] = digit < 10 ? 0x30 + digit : 0x57 + digit
    }
    count += 16
  }
}
