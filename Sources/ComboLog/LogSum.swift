internal import ComboWire

/// The checksums of a file's contents. SQLite has none for its pages, so a flipped bit would be read like any other.
enum LogSum {
  /// Returns the checksum of everything that is stored of a record, with its place.
  /// - Parameter stream: The id of its stream in the file.
  static func record(
    _ stream: Int64, _ offset: Int64, key: UnsafeRawBufferPointer?, value: UnsafeRawBufferPointer?, time: Int64?,
    headers: UnsafeRawBufferPointer?
  ) -> Int64 {
    // The sizes too, so that no byte can move from one to the next.
    var sum = numbers(
      stream, offset, time == nil ? 0 : 1, time ?? 0, Int64(key?.count ?? -1), Int64(value?.count ?? -1),
      Int64(headers?.count ?? -1))
    if let key { sum = bytes(key, seed: sum) }
    if let value { sum = bytes(value, seed: sum) }
    if let headers { sum = bytes(headers, seed: sum) }
    return sum
  }

  /// Returns the checksum of a row of the list of streams.
  static func stream(_ stream: LogFile.Stream) -> Int64 {
    text(
      stream.topic,
      seed: numbers(
        stream.id, Int64(stream.partition), stream.keeping.rawValue, stream.first, stream.next, stream.floor, stream.summedFrom))
  }

  /// Returns the checksum of a committed position.
  static func position(_ group: String, _ stream: Int64, _ offset: Int64, _ metadata: String) -> Int64 {
    text(metadata, seed: text(group, seed: numbers(stream, offset)))
  }

  private static func numbers(
    _ a: Int64, _ b: Int64, _ c: Int64 = 0, _ d: Int64 = 0, _ e: Int64 = 0, _ f: Int64 = 0, _ g: Int64 = 0
  ) -> Int64 {
    withUnsafeBytes(
      of: (a.littleEndian, b.littleEndian, c.littleEndian, d.littleEndian, e.littleEndian, f.littleEndian, g.littleEndian)
    ) { bytes($0, seed: 0) }
  }

  private static func text(_ text: String, seed: Int64) -> Int64 {
    var text = text
    return text.withUTF8 { bytes(UnsafeRawBufferPointer($0), seed: seed) }
  }

  private static func bytes(_ bytes: UnsafeRawBufferPointer, seed: Int64) -> Int64 {
    Int64(bitPattern: XXH3.hash(bytes, seed: UInt64(bitPattern: seed)))
  }
}
