internal import Glibc

/// Finds texts in the bytes of records.
package enum ByteSearch {
  /// Returns the first position of a text at `start` or later, or nil if it does not occur.
  ///
  /// Searches for the text's last byte: ids differ in their last bytes, so the last byte is rarer in a record than the first.
  package static func find(_ text: UnsafeRawBufferPointer, in value: UnsafeRawBufferPointer, from start: Int = 0) -> Int? {
    guard let base = value.baseAddress, let first = text.baseAddress, let last = unsafe text.last else { return nil }
    var place = start + text.count - 1
    while place < value.count, let found = unsafe memchr(base + place, Int32(last), value.count - place) {
      let end = unsafe base.distance(to: found)
      let begin = end - text.count + 1
      if unsafe memcmp(base + begin, first, text.count) == 0 { return begin }
      place = end + 1
    }
    return nil
  }

  package static func find(_ text: [UInt8], in value: UnsafeRawBufferPointer, from start: Int = 0) -> Int? {
    unsafe text.withUnsafeBytes { unsafe find($0, in: value, from: start) }
  }

  package static func find(_ text: StaticString, in value: UnsafeRawBufferPointer, from start: Int = 0) -> Int? {
    unsafe find(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount), in: value, from: start)
  }
}
