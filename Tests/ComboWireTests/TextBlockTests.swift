import CSimdJSON
import ComboCore
import Testing

@testable import ComboTestSupport
@testable import ComboWire

/// Texts of known shapes are read in blocks of 16 and 64 bytes, and their marks 57 and 1,024 at a time.
@Suite("Texts of a known shape, read in blocks")
struct TextBlockTests {
  /// A parser that knows a shape, and one that knows none.
  private struct Parsers {
    let guarded = Guarded()
    let known: [JSONParser]
    let plain = JSONParser()

    /// Creates a parser that knows the shape of `example`, and one that knows none.
    init(_ example: String) {
      known = [JSONParser()]
      for parser in known { #expect(parser.checkAlike(guarded.text(Array(example.utf8)), depth: 32) == CSJ_FINE) }
    }

    /// Returns a text's fault, if any. All parsers must read it as the walk does, and know a good one's shape if it `isAlike`.
    func fault(_ bytes: [UInt8], isAlike: Bool = true, isFirst: Bool = false) throws -> csj_fault {
      let text = isFirst ? guarded.first(bytes) : guarded.text(bytes)
      let expected = plain.check(text, depth: 32)
      for parser in known {
        let shown = String(decoding: bytes, as: UTF8.self)
        try #require(parser.checkAlike(text, depth: 32) == expected, "\(bytes.count) bytes: \(shown)")
        if isAlike && expected == CSJ_FINE { try #require(parser.shape.id == 1, "\(bytes.count) bytes: \(shown)") }
      }
      return expected
    }

    /// Checks the fault of a text and, if the text is good, that all tapes are equal.
    func compare(_ bytes: [UInt8], isAlike: Bool = true) throws {
      if try fault(bytes, isAlike: isAlike) != CSJ_FINE { return }
      let text = guarded.text(bytes)
      let expected = tape(plain, text)
      for parser in known {
        try #require(tape(parser, text) == expected, "\(bytes.count) bytes: \(String(decoding: bytes, as: UTF8.self))")
      }
    }
  }

  /// The bytes that can be in a string, or cannot.
  private static let insides: [[UInt8]] =
    [
      #"\""#, #"\\"#, #"\n"#, #"\u00e9"#, #"\ud83d\ude00"#, #"\ud83d"#, #"\ude00"#, #"\ud83d\u0041"#, #"\x"#, #"\u00"#, #"""#,
      #"\"#, "\n",
      "\u{0}", "\u{1F}", " ", "\u{7F}", "é", "小", "😀",
    ].map { Array($0.utf8) } + [
      [0x80], [0xBF, 0xBF], [0xC0, 0x80], [0xC1, 0xBF], [0xC3], [0xC3, 0xC3, 0xA9], [0xE0, 0x9F, 0xBF], [0xE4, 0xB8], [0xE4],
      [0xED, 0xA0, 0x80],
      [0xF0, 0x8F, 0xBF, 0xBF], [0xF0, 0x9F, 0x98], [0xF0, 0x9F], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80],
      [0xE4, 0xB8, 0xAD, 0xAD],
      [0xFF], [0x5C, 0xE4, 0xB8, 0xAD], [0x5C, 0x0A],
    ]

  /// Lengths around those of blocks.
  private static let lengths = [0, 1, 14, 15, 16, 17, 31, 32, 33, 56, 57, 63, 64, 65, 113, 128]

  @Test(
    "an escape, a control character, a quote or a character beyond ASCII counts wherever it stands in a string",
    arguments: lengths)
  func insides(length: Int) throws {
    let parsers = Parsers(#"{"a":"","b":1}"#)
    let filling = [UInt8](repeating: UInt8(ascii: "x"), count: length)
    for inside in Self.insides {
      for at in 0...length {
        let string = filling[..<at] + inside + filling[at...]
        try parsers.compare(Array(#"{"a":""#.utf8) + string + Array(#"","b":1}"#.utf8))
      }
    }
  }

  @Test("a text's last string ends before it, whatever stands behind it", arguments: lengths)
  func last(length: Int) throws {
    let parsers = Parsers(#"["",""]"#)
    let string = String(repeating: "x", count: length)
    for text in [
      #"["","\#(string)"]"#, #"["\#(string)"]"#, #"["\#(string)","\#(string)"#, #"["\#(string)","]"#, #"["\#(string)","\"]"#,
      #"["","小\#(string)"]"#,
    ] {
      try parsers.compare(Array(text.utf8), isAlike: false)
    }
    // A quote after the text does not end its last string.
    for at in 0..<BumpArena.padding {
      var behind = [UInt8](repeating: UInt8(ascii: "x"), count: BumpArena.padding)
      behind[at] = UInt8(ascii: "\"")
      let open = parsers.guarded.text(Array(#"["","\#(string)]"#.utf8), behind: behind)
      for parser in parsers.known { #expect(parser.checkAlike(open, depth: 32) == CSJ_OPEN_STRING) }
    }
    // Bytes after the text that are no UTF-8 do not make the walk read it.
    let good = Array(#"["小","小\#(string)"]"#.utf8)
    let text = parsers.guarded.text(good, behind: [UInt8](repeating: 0xBF, count: BumpArena.padding))
    for parser in parsers.known { #expect(parser.checkAlike(text, depth: 32) == CSJ_FINE && parser.shape.id == 1) }
  }

  @Test("a number of any length is read, wherever it ends", arguments: ["", "-"])
  func numbers(sign: String) throws {
    let parsers = Parsers(#"{"a":1,"b":2}"#)
    for digits in 0..<40 {
      for start in ["1", "0", "9"] {
        let number = sign + String(start + String(repeating: "7", count: 40)).prefix(digits)
        for end in ["", ".", ".5", "e", "e5", "E+", "-", " ", "x", "\"", "/", ":"] {
          try parsers.compare(Array(#"{"a":\#(number)\#(end),"b":\#(number)\#(end)}"#.utf8), isAlike: false)
        }
      }
    }
  }

  @Test("a piece of any length is compared to its last byte, and no further", arguments: 0..<5)
  func pieces(part: Int) throws {
    for length in part * 14..<(part + 1) * 14 {
      let name = String(repeating: "n", count: length)
      let known = Array(#"{"\#(name)":1,"\#(name)":"x","\#(name)":2}"#.utf8)
      let parsers = Parsers(String(decoding: known, as: UTF8.self))
      try parsers.compare(Array(#"{"\#(name)":123456,"\#(name)":"小","\#(name)":-2.5}"#.utf8))
      for at in known.indices {
        let fresh = at % 7 == 0 ? Parsers(String(decoding: known, as: UTF8.self)) : parsers
        var other = known
        other[at] = other[at] == UInt8(ascii: "m") ? UInt8(ascii: "n") : UInt8(ascii: "m")
        let text = fresh.guarded.text(other)
        let expected = fresh.plain.check(text, depth: 32)
        for parser in fresh.known {
          #expect(parser.checkAlike(text, depth: 32) == expected)
          if expected == CSJ_FINE { #expect(tape(parser, text) == tape(fresh.plain, text)) }
        }
      }
    }
  }

  @Test("a text that ends within a piece is not compared with more of it", arguments: [40, 100, 500])
  func cutShort(length: Int) {
    let name = String(repeating: "]", count: length)
    let parsers = Parsers(#"{"a":1,"\#(name)":2}"#)
    let behind = [UInt8](repeating: UInt8(ascii: "]"), count: BumpArena.padding)
    for count in 1..<length {
      let text = parsers.guarded.text(Array(#"{"a":1,"\#(name.prefix(count))"#.utf8), behind: behind)
      for parser in parsers.known { #expect(parser.checkAlike(text, depth: 32) == CSJ_OPEN_STRING) }
    }
  }

  @Test("bytes beyond the first thousand count as those before", arguments: 0..<4)
  func long(part: Int) throws {
    let name = String(repeating: "n", count: [1, 40, 1100, 3000][part])
    let parsers = Parsers(#"{"a":"","b":[1,"","x"],"\#(name)":""}"#)
    for length in Array(990...1034) + [2030, 2047, 2048, 2049, 3060, 5000] {
      for inside in Self.insides.indices where (inside + length) % 5 == 0 {
        let filling = [UInt8](repeating: UInt8(ascii: "x"), count: length)
        for at in [0, 1, length - 64, length - 2, length - 1, length] {
          var text = Array(#"{"a":""#.utf8) + filling[..<at] + Self.insides[inside] + filling[at...]
          text += Array(#"","b":[12,"小","é"],"\#(name)":"end"}"#.utf8)
          try parsers.compare(text)
        }
      }
      try parsers.compare(Array(#"{"a":"\#(String(repeating: "小", count: length))","b":[1,"",""],"\#(name)":"小"}"#.utf8))
      try parsers.compare(Array(#"{"a":"\#(String(repeating: #"\\"#, count: length / 2))","b":[1,"",""],"\#(name)":"小"}"#.utf8))
    }
  }

  private static let firsts: [UInt8] = [
    0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xEC, 0xED, 0xEE, 0xEF, 0xF0, 0xF1, 0xF3,
    0xF4, 0xF5, 0xFF,
  ]
  private static let others: [UInt8] = [0x41, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC2, 0xE1, 0xED, 0xF0, 0xF4]

  @Test("four bytes of any kind are UTF-8 or not as simdjson has it, within a block and across its end", arguments: firsts)
  func fourBytes(first: UInt8) throws {
    let behind = Array(#"","小"]"#.utf8)
    // At the beginning of a text, three bytes before them cannot be read. Elsewhere a block begins with the character before
    // them, and ends near them.
    let (atStart, within) = (Parsers(#"["",""]"#), Parsers(#"[[["",""]]]"#))
    let fillings = (26...32).map { Array(#"[[["é"#.utf8) + [UInt8](repeating: UInt8(ascii: "x"), count: $0) }
    for second in Self.others {
      for third in Self.others {
        for fourth: UInt8 in [0x41, 0x80, 0xBF, 0xC3] {
          let bytes = [first, second, third, fourth] + behind
          let fault = try atStart.fault(Array(#"[""#.utf8) + bytes, isFirst: true)
          #expect(fault == CSJ_FINE || fault == CSJ_BAD_UTF8)
          for filling in fillings { #expect(try within.fault(filling + bytes + Array("]]".utf8)) == fault) }
        }
      }
    }
  }

  @Test("a character that a string's end cuts off is none, be it the text's first or last")
  func cutOff() {
    let (parser, guarded) = (JSONParser(), Guarded())
    #expect(parser.checkAlike(guarded.text(Array(#"[""]"#.utf8)), depth: 32) == CSJ_FINE)
    for character in ["é", "小", "😀"] {
      let bytes = Array(character.utf8)
      for count in 0...bytes.count {
        for filling in 0..<70 {
          let string = [UInt8](repeating: UInt8(ascii: "x"), count: filling) + bytes[..<count]
          let text = guarded.first(Array("[\"".utf8) + string + Array("\"]".utf8))
          #expect(parser.checkAlike(text, depth: 32) == (count % bytes.count == 0 ? CSJ_FINE : CSJ_BAD_UTF8))
        }
      }
    }
  }

  @Test("a record that is copied is the event that it is in place, whatever its length")
  func copied() throws {
    let guarded = Guarded()
    let (copying, staying) = (EventDecoder(), EventDecoder())
    let arena = BumpArena(chunkSize: 8192)
    func outcome(_ decoder: EventDecoder, _ record: Bytes, isCopied: Bool) -> String {
      arena.reset()
      var event = Event()
      return Array("r".utf8).withUnsafeBytes { key in
        do {
          if isCopied {
            try decoder.decode(record, key: key, into: arena, &event)
          } else {
            try decoder.decodeInPlace(record, key: key, into: arena, &event)
          }
          return ComboTestSupport.text(of: event)
        } catch {
          return "\(error)"
        }
      }
    }
    for end in ["", " ", "\n", "}", "x", #"""#] {
      // The longer ones come first, so that the bytes after a text in the arena look as if it continued.
      for length in (Array(0..<200) + Array(880..<1050)).reversed() {
        let name = String(repeating: length % 3 == 0 ? "x" : "小", count: length % 3 == 0 ? length : length / 3)
        let text = #"{"room":"r","gift":{"id":"g","value":7},"count":2,"sender":{"id":"u","name":"\#(name)"}}\#(end)"#
        let record = Array(text.utf8)
        // The text is read as it is, without its end, and with a last string that is no UTF-8.
        var broken = record
        broken.insert(0xFF, at: record.count - end.utf8.count - 3)
        for bytes in [record, Array(record.dropLast()), broken] {
          let inPlace = outcome(staying, guarded.text(bytes), isCopied: false)
          let copied = outcome(copying, guarded.record(bytes), isCopied: true)
          try #require(copied == inPlace, "\(String(decoding: bytes, as: UTF8.self))")
          if bytes == record && end != "}" && end != "x" && end != #"""# {
            try #require(copying.parser.shape.id == 1, "\(text)")
          }
        }
      }
    }
  }
}
