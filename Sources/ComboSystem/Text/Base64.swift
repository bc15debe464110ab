/// Base64 of RFC 4648, as headers and tokens use it.
package enum Base64 {
  /// Returns the bytes that a text encodes, with or without the `=` at its end, or nil if it is not Base64. Drops surplus bits.
  package static func decoded(_ text: some Sequence<UInt8>) -> [UInt8]? {
    var bytes: [UInt8] = []
    var bits: UInt32 = 0
    var count = 0
    var (characters, padding) = (0, 0)
    for character in text {
      if character == UInt8(ascii: "=") {
        padding += 1
        continue
      }
      if padding > 0 { return nil }
      characters += 1
      let value: UInt32
      switch character {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): value = UInt32(character - 65)
      case UInt8(ascii: "a")...UInt8(ascii: "z"): value = UInt32(character - 71)
      case UInt8(ascii: "0")...UInt8(ascii: "9"): value = UInt32(character + 4)
      case UInt8(ascii: "+"): value = 62
      case UInt8(ascii: "/"): value = 63
      default: return nil
      }
      bits = bits << 6 | value
      count += 6
      if count >= 8 {
        count -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
        bits &= (1 << UInt32(count)) - 1
      }
    }
    if characters % 4 == 1 || padding > 0 && padding != -characters & 3 { return nil }
    return bytes
  }
}
