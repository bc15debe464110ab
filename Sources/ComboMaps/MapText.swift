internal import CSimdJSON
internal import ComboCore
internal import ComboWire

/// The text of a map file with its tape and the places of its tokens. It is used once, when a map is read.
final class MapText {
  let file: String
  let text: JSONText
  private let memory: UnsafeMutableRawBufferPointer
  private let size: Int
  private let parser = JSONParser()
  private lazy var lines = Lines(Bytes(start: memory.baseAddress, count: size))
  private let origins: [Origin]
  /// The faults of its definitions and their uses, if it is an expanded text. The rest of it can still be read.
  let faults: [MapFault]

  /// The place of a value, or of a member's name, in the file that it was written in.
  struct Origin {
    /// The position in the expanded text.
    let start: Int
    let source: MapText
    let token: Int
  }

  /// - Parameters:
  ///   - what: The name of the text in error messages.
  ///   - origins: The places of the values of an expanded text in its files, sorted by their start.
  init(
    _ bytes: [UInt8], file: String, as what: String = "the map", origins: [Origin] = [], faults: [MapFault] = []
  ) throws(MapFaults) {
    self.file = file
    self.origins = origins
    self.faults = faults
    size = bytes.count
    memory = .allocate(byteCount: max(bytes.count, 1) + BumpArena.padding, alignment: 16)
    memory.initializeMemory(as: UInt8.self, repeating: 0)
    memory.copyBytes(from: bytes)
    let all = Bytes(start: memory.baseAddress, count: bytes.count)
    let fault = parser.check(all, depth: WireLimits().depth)
    if fault != CSJ_FINE {
      let at = parser.faultPosition ?? (fault == CSJ_BAD_UTF8 ? Self.firstBadUTF8(bytes) : 0)
      let (line, column) = Lines(all).place(at)
      let hasMark = bytes.starts(with: [0xEF, 0xBB, 0xBF])
      let words = hasMark ? "begins with a byte order mark (BOM), which must be removed" : fault.words
      memory.deallocate()
      throw MapFaults(faults: [
        MapFault(file: file, line: line, column: column, sentence: "\(what) \(words); a JSON object in UTF-8 is expected")
      ])
    }
    text = parser.text(of: all)
  }

  deinit { memory.deallocate() }

  func fault(_ token: Int, _ sentence: String) -> MapFault {
    if let origin = origin(token) { return origin.source.fault(origin.token, sentence) }
    let (line, column) = lines.place(Int(text[token].start))
    return MapFault(file: file, line: line, column: column, sentence: sentence)
  }

  /// Returns the line on which a value begins, counted from 1.
  func line(_ token: Int) -> Int { origin(token).map { $0.source.line($0.token) } ?? lines.line(Int(text[token].start)) }

  private func origin(_ token: Int) -> Origin? {
    let start = Int(text[token].start)
    var (low, high) = (0, origins.count)
    while low < high {
      let middle = (low + high) / 2
      if origins[middle].start <= start { low = middle + 1 } else { high = middle }
    }
    return low == 0 ? nil : origins[low - 1]
  }

  /// Returns a value as text without white space.
  func compact(_ token: Int) -> String {
    let arena = BumpArena(chunkSize: 4096)
    return String(decoding: parser.compact(text, token, into: arena), as: UTF8.self)
  }

  /// Returns the elements of an array.
  func elements(_ token: Int) -> [Int] {
    var elements: [Int] = []
    var element = token + 1
    while element < text.next(token) {
      elements.append(element)
      element = text.next(element)
    }
    return elements
  }

  func forEachMember(_ token: Int, _ body: (_ name: String, _ value: Int) -> Void) {
    var member = token + 1
    while member < text.next(token) {
      body(text.string(member), member + 1)
      member = text.next(member + 1)
    }
  }

  /// Returns the member of an object with this name, or the last one of several.
  func member(_ wanted: String, of token: Int) -> Int? {
    var found: Int?
    if text[token].isObject { forEachMember(token) { name, value in if name == wanted { found = value } } }
    return found
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

/// The starts of the lines of a text, found once: a map needs the line of each rule, and a file of records that of each record.
private struct Lines {
  private let text: Bytes
  private var starts = [0]

  init(_ text: Bytes) {
    self.text = text
    for at in 0..<text.count where text[at] == 0x0a { starts.append(at + 1) }
  }

  func line(_ at: Int) -> Int {
    var (low, high) = (0, starts.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if starts[middle] <= at { low = middle } else { high = middle }
    }
    return low + 1
  }

  /// Returns the line and the column of a byte, both counted from 1. Columns are characters.
  func place(_ at: Int) -> (line: Int, column: Int) {
    let line = line(at)
    return (line, 1 + text[starts[line - 1]..<at].count { $0 & 0xc0 != 0x80 })
  }
}
