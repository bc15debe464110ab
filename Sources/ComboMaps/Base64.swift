internal import ComboCore
internal import ComboWire

/// Base64 (RFC 4648). The padding may be missing.
enum Base64 {
  /// Decodes a text, which replaces the contents of the buffer. Returns what is wrong with the text, or nil if it is valid.
  static func decode(_ text: Bytes, into decoded: ByteBuffer) -> String? {
    decoded.removeAll()
    var count = text.count
    while count > 0, text.count - count < 2, text[count - 1] == 0x3D { count -= 1 }
    let start = decoded.reserve(count)
    var end = start
    var bits: UInt32 = 0
    for place in 0..<count {
      guard let sextet = sextet(text[place]) else { return "its character \(place + 1) is not base64" }
      bits = bits << 6 | sextet
      if place & 3 > 0 {
        end.pointee = UInt8(truncatingIfNeeded: bits >> UInt32(6 - 2 * (place & 3)))
        end += 1
      }
    }
    if count & 3 == 1 { return "its base64 is cut off" }
    decoded.commit(upTo: end)
    return nil
  }

  @inline(__always)
  private static func sextet(_ character: UInt8) -> UInt32? {
    switch character {
    case 0x41...0x5A: UInt32(character) - 0x41
    case 0x61...0x7A: UInt32(character) - 0x61 + 26
    case 0x30...0x39: UInt32(character) - 0x30 + 52
    case 0x2B: 62
    case 0x2F: 63
    default: nil
    }
  }
}
