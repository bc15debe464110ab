internal import CSimdJSON
internal import ComboCore

/// The text of a map file with its tape, and the places of its tokens. Used once, when a map is read.
final class MapText {
  let file: String
  let text: JSONText
  private let memory: UnsafeMutableRawBufferPointer
  private let size: Int
  private let parser = JSONParser()

  init(_ bytes: [UInt8], file: String) throws(MapFaults) {
    self.file = file
    size = bytes.count
    memory = .allocate(byteCount: max(bytes.count, 1) + BumpArena.padding, alignment: 16)
    memory.initializeMemory(as: UInt8.self, repeating: 0)
    memory.copyBytes(from: bytes)
    let all = Bytes(start: memory.baseAddress, count: bytes.count)
    let fault = parser.check(all, depth: WireLimits().depth)
    if fault != CSJ_FINE {
      let at = parser.faultPosition ?? (fault == CSJ_BAD_UTF8 ? Self.firstBadUTF8(bytes) : 0)
      let (line, column) = Self.place(at, in: all)
      memory.deallocate()
      throw MapFaults(faults: [
        MapFault(file: file, line: line, column: column, sentence: "the map \(fault.words); a JSON object in UTF-8 is expected")
      ])
    }
    text = parser.text(of: all)
  }

  deinit { memory.deallocate() }

  func fault(_ token: Int, _ sentence: String) -> MapFault {
    let (line, column) = Self.place(Int(text[token].start), in: Bytes(start: memory.baseAddress, count: size))
    return MapFault(file: file, line: line, column: column, sentence: sentence)
  }

  /// A value without white space, as text.
  func compact(_ token: Int) -> String {
    let arena = BumpArena(chunkSize: 4096)
    return String(decoding: parser.compact(text, token, into: arena), as: UTF8.self)
  }

  private static func place(_ at: Int, in bytes: Bytes) -> (line: Int, column: Int) {
    var line = 1
    var column = 1
    for byte in bytes.prefix(at) {
      if byte == 0x0a {
        line += 1
        column = 1
      } else if byte & 0xc0 != 0x80 {
        column += 1
      }
    }
    return (line, column)
  }

  private static func firstBadUTF8(_ bytes: [UInt8]) -> Int {
    var rest = bytes[...]
    while !rest.isEmpty {
      var iterator = rest.makeIterator()
      var decoder = UTF8()
      guard case .scalarValue(let scalar) = decoder.decode(&iterator) else { break }
      rest = rest.dropFirst(UTF8.width(scalar))
    }
    return rest.startIndex
  }
}
