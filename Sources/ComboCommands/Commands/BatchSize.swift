/// The size of an uncompressed batch of Kafka's message format 2 that holds one record. `max.message.bytes` limits that size.
struct BatchSize {
  /// The size of the record without its length field and header count.
  private var record = 1 + 1 + 1
  private var headers = 0

  /// The size of a batch header.
  private static let batchHeader = 61

  /// - Parameters: The sizes in bytes, or nil for an absent key or value.
  mutating func add(key: Int?, value: Int?) {
    record += Self.bytes(key) + Self.bytes(value)
  }

  mutating func add(header name: String, value: Int?) {
    headers += 1
    record += Self.bytes(name.utf8.count) + Self.bytes(value)
  }

  var bytes: Int {
    let length = record + Self.varint(headers)
    return Self.batchHeader + Self.varint(length) + length
  }

  /// The size of a byte string and its length prefix. The length is -1 if there are no bytes.
  private static func bytes(_ count: Int?) -> Int { varint(count ?? -1) + (count ?? 0) }

  /// The size of a zigzag-encoded number, with seven bits per byte.
  private static func varint(_ value: Int) -> Int {
    let zigzag = UInt64(bitPattern: Int64((value << 1) ^ (value >> 63)))
    return max(1, (64 - zigzag.leadingZeroBitCount + 6) / 7)
  }
}
