/// Splits a JSON text into records: one object, an array of objects, or a sequence of objects as in JSON lines.
///
/// It reads only brackets and strings: the decoder decides whether an object is valid.
package enum RecordSplitter {
  package struct Fault: Error, Equatable, CustomStringConvertible {
    package let description: String
  }

  /// Calls `body` with the bytes of each object, in order, once the whole text has been read.
  /// - Throws: An error if there is anything except objects; no record has been passed on then.
  package static func split(_ text: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void) throws(Fault) {
    var records: [Range<Int>] = []
    var place = skipSpace(text, from: text.starts(with: [0xef, 0xbb, 0xbf]) ? 3 : 0)
    let isArray = place < text.count && text[place] == UInt8(ascii: "[")
    if isArray { place = skipSpace(text, from: place + 1) }
    var isClosed = !isArray
    while place < text.count {
      if isArray, text[place] == UInt8(ascii: "]") {
        isClosed = true
        place = skipSpace(text, from: place + 1)
        if place < text.count { throw Fault(description: "unexpected text after the array, from byte \(place) on") }
        break
      }
      if isArray, !records.isEmpty {
        guard text[place] == UInt8(ascii: ",") else {
          throw Fault(description: "a comma is missing in the array at byte \(place)")
        }
        place = skipSpace(text, from: place + 1)
      }
      guard place < text.count, text[place] == UInt8(ascii: "{") else {
        throw Fault(
          description:
            "record \(records.count + 1) is not a JSON object (byte \(place)): send an object, an array of objects, or one"
            + " object per line")
      }
      guard let end = endOfObject(text, from: place) else {
        throw Fault(description: "record \(records.count + 1), from byte \(place) on, has no end: the body may be cut off")
      }
      records.append(place..<end)
      place = skipSpace(text, from: end)
    }
    if !isClosed { throw Fault(description: "the array has no end: the body may be cut off") }
    for record in records { body(UnsafeRawBufferPointer(rebasing: text[record])) }
  }

  /// Splits an array of bytes.
  package static func split(_ text: [UInt8], _ body: (UnsafeRawBufferPointer) -> Void) throws(Fault) {
    // Typed errors do not pass through `withUnsafeBytes`.
    let fault: Fault? = text.withUnsafeBytes { bytes in
      do throws(Fault) {
        try split(bytes, body)
        return nil
      } catch {
        return error
      }
    }
    if let fault { throw fault }
  }

  private static func skipSpace(_ text: UnsafeRawBufferPointer, from start: Int) -> Int {
    var place = start
    while place < text.count, text[place] == 0x20 || (0x09...0x0d).contains(text[place]) { place += 1 }
    return place
  }

  private static func endOfObject(_ text: UnsafeRawBufferPointer, from start: Int) -> Int? {
    var depth = 0
    var place = start
    var isInString = false
    while place < text.count {
      let byte = text[place]
      place += 1
      if isInString {
        if byte == UInt8(ascii: "\\") {
          place += 1
        } else if byte == UInt8(ascii: "\"") {
          isInString = false
        }
        continue
      }
      switch byte {
      case UInt8(ascii: "\""): isInString = true
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        depth -= 1
        if depth == 0 { return place }
      default: break
      }
    }
    return nil
  }
}
