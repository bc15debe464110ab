/// A slow and plain reader of RFC 8259 to the letter, with which the decoder is compared.
struct StrictJSON {
  private let bytes: [UInt8]
  private var at = 0
  private let depthMax: Int
  /// The text without white space between tokens.
  private(set) var compact: [UInt8] = []

  private struct Invalid: Error {}

  private init(_ bytes: [UInt8], _ depthMax: Int) {
    self.bytes = bytes
    self.depthMax = depthMax
  }

  /// Returns the text without white space between tokens, or nil if it is no object or is nested deeper than `depthMax`.
  static func compactObject(_ bytes: [UInt8], depthMax: Int = 64) -> [UInt8]? {
    guard String(validating: bytes, as: UTF8.self) != nil else { return nil }
    var json = StrictJSON(bytes, depthMax)
    json.skipSpace()
    guard json.peek == 0x7B, (try? json.value(1)) != nil else { return nil }
    json.skipSpace()
    return json.at == bytes.count ? json.compact : nil
  }

  private var peek: UInt8? { at < bytes.count ? bytes[at] : nil }

  private mutating func next() throws -> UInt8 {
    guard let byte = peek else { throw Invalid() }
    at += 1
    compact.append(byte)
    return byte
  }

  private mutating func expect(_ text: String) throws {
    for byte in text.utf8 where try next() != byte { throw Invalid() }
  }

  private mutating func skipSpace() {
    while let byte = peek, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { at += 1 }
  }

  private mutating func value(_ depth: Int) throws {
    switch peek {
    case UInt8(ascii: "{"):
      try list(depth, close: "}") { json throws in
        try json.string()
        json.skipSpace()
        try json.expect(":")
        json.skipSpace()
        try json.value(depth + 1)
      }
    case UInt8(ascii: "["): try list(depth, close: "]") { json throws in try json.value(depth + 1) }
    case UInt8(ascii: "\""): try string()
    case UInt8(ascii: "t"): try expect("true")
    case UInt8(ascii: "f"): try expect("false")
    case UInt8(ascii: "n"): try expect("null")
    default: try number()
    }
  }

  private mutating func list(_ depth: Int, close: Unicode.Scalar, _ element: (inout StrictJSON) throws -> Void) throws {
    if depth > depthMax { throw Invalid() }
    _ = try next()
    skipSpace()
    if peek == UInt8(ascii: close) {
      _ = try next()
      return
    }
    while true {
      try element(&self)
      skipSpace()
      let byte = try next()
      if byte == UInt8(ascii: close) { return }
      if byte != UInt8(ascii: ",") { throw Invalid() }
      skipSpace()
    }
  }

  private mutating func string() throws {
    try expect("\"")
    while true {
      switch try next() {
      case UInt8(ascii: "\""): return
      case 0..<0x20: throw Invalid()
      case UInt8(ascii: "\\"):
        let kind = try next()
        if kind != UInt8(ascii: "u") {
          guard "\"\\/bfnrt".utf8.contains(kind) else { throw Invalid() }
          continue
        }
        let unit = try hex4()
        if (0xDC00...0xDFFF).contains(unit) { throw Invalid() }
        if (0xD800...0xDBFF).contains(unit) {
          try expect("\\u")
          guard (0xDC00...0xDFFF).contains(try hex4()) else { throw Invalid() }
        }
      default: continue
      }
    }
  }

  private mutating func hex4() throws -> Int {
    var unit = 0
    for _ in 0..<4 {
      guard let digit = Character(Unicode.Scalar(try next())).hexDigitValue else { throw Invalid() }
      unit = unit * 16 + digit
    }
    return unit
  }

  private mutating func digits() throws {
    guard let first = peek, (0x30...0x39).contains(first) else { throw Invalid() }
    while let byte = peek, (0x30...0x39).contains(byte) { _ = try next() }
  }

  private mutating func number() throws {
    if peek == UInt8(ascii: "-") { _ = try next() }
    if peek == UInt8(ascii: "0") {
      _ = try next()
    } else {
      try digits()
    }
    if peek == UInt8(ascii: ".") {
      _ = try next()
      try digits()
    }
    if peek == UInt8(ascii: "e") || peek == UInt8(ascii: "E") {
      _ = try next()
      if peek == UInt8(ascii: "+") || peek == UInt8(ascii: "-") { _ = try next() }
      try digits()
    }
  }
}
