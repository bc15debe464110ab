/// The bytes of a Protobuf message, field by field.
struct Wire {
  var bytes: [UInt8] = []

  func varint(_ value: UInt64) -> [UInt8] {
    var rest = value
    var bytes: [UInt8] = []
    while rest > 127 {
      bytes.append(UInt8(rest & 127) | 128)
      rest >>= 7
    }
    return bytes + [UInt8(rest)]
  }

  mutating func number(_ field: UInt64, _ value: UInt64) { bytes += varint(field << 3) + varint(value) }
  mutating func fixed(_ field: UInt64, _ value: UInt64) {
    bytes += varint(field << 3 | 1) + (0..<8).map { UInt8(truncatingIfNeeded: value >> UInt64(8 * $0)) }
  }
  mutating func fixed(_ field: UInt64, _ value: UInt32) {
    bytes += varint(field << 3 | 5) + (0..<4).map { UInt8(truncatingIfNeeded: value >> UInt32(8 * $0)) }
  }
  mutating func long(_ field: UInt64, _ value: [UInt8]) {
    bytes += varint(field << 3 | 2) + varint(UInt64(value.count)) + value
  }
  mutating func text(_ field: UInt64, _ value: String) { long(field, Array(value.utf8)) }

  static func of(_ make: (inout Wire) -> Void) -> [UInt8] {
    var wire = Wire()
    make(&wire)
    return wire.bytes
  }
}
