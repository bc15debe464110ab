/// The size of a batch of Kafka's message format 2 that holds one record and is not compressed: what `max.message.bytes` limits.
struct BatchSize {
  /// All but the number of headers, and the length of the record.
  private var record = 1 + 1 + 1
  private var headers = 0

  /// The header of a batch.
  private static let batchHeader = 61

  /// - Parameters: the numbers of bytes; nil: there is none.
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

  /// Of bytes behind their number; -1 stands for none.
  private static func bytes(_ count: Int?) -> Int { varint(count ?? -1) + (count ?? 0) }

  /// Of a number in zigzag, seven bits a byte.
  private static func varint(_ value: Int) -> Int {
    let zigzag = UInt64(bitPattern: Int64((value << 1) ^ (value >> 63)))
    return max(1, (64 - zigzag.leadingZeroBitCount + 6) / 7)
  }
}
