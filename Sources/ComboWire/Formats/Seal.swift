internal import ComboCore

/// The end of a record: a checksum of all bytes before it, as the last member of its object.
enum Seal {
  /// The length of `,"sum":"`, 16 digits and `"}`.
  static let count = 8 + 16 + 2

  /// Completes the object that begins at `start` and lacks only its end.
  /// - Parameter seed: Binds the record to something outside it.
  static func close(_ buffer: ByteBuffer, from start: Int, seed: UInt64) {
    let sum = XXH3.hash(buffer.bytes(start..<buffer.count), seed: seed)
    buffer.append(#","sum":"#, hex: sum)
    buffer.append(UInt8(ascii: "}"))
  }

  static func isIntact(_ record: Bytes, seed: UInt64) -> Bool {
    guard record.count > count else { return false }
    let split = record.count - count
    let body = Bytes(rebasing: record[..<split])
    let seal = Bytes(rebasing: record[split...])
    guard Bytes(rebasing: seal[..<8]) == #","sum":""#, Bytes(rebasing: seal[24...]) == #""}"# else { return false }
    return parseHex(Bytes(rebasing: seal[8..<24])) == XXH3.hash(body, seed: seed)
  }
}

/// Returns the value of 16 lower-case hexadecimal digits, or nil.
func parseHex(_ digits: Bytes) -> UInt64? {
  guard digits.count == 16 else { return nil }
  var value: UInt64 = 0
  for byte in digits {
    let digit: UInt8
    switch byte {
    case 0x30...0x39: digit = byte - 0x30
    case 0x61...0x66: digit = byte - 0x57
    default: return nil
    }
    value = value << 4 | UInt64(digit)
  }
  return value
}
