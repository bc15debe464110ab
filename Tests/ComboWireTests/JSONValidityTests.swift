import ComboCore
import ComboWire
import Testing

/// Returns whether a text is a JSON object that a record may be.
private func isAccepted(_ bytes: [UInt8]) -> Bool {
  var limits = WireLimits()
  limits.roomFromBody = true
  do throws(BadEvent) {
    _ = try decode(bytes, key: Array("r".utf8), limits)
    return true
  } catch { return error.code != .notJSON }
}

@Suite("Valid and invalid JSON")
struct JSONValidityTests {
  static let goodValues: [String] = [
    "0", "-0", "1", "-1", "10", "123456789012345678901234567890", "0.0", "-0.5", "1e5", "1E+5", "1e-5", "0e0", "1.5e300", "1e400",
    "1e99999999999999999999", "true", "false", "null", #""""#, #""a""#, #""\"""#, #""\\""#, #""\/\b\f\n\r\t""#, #""\u0000""#,
    #""\u00e9""#, #""\uD83D\uDE00""#, #""\ud83d\ude00\ud83d\ude00""#, #""\\u""#, "\"\u{7F}\"", "\"小明\"", "\"\u{2028}\"",
    "\"\u{10FFFF}\"", "[]", "[ ]", "[1,2]", " [ 1 , 2 ] ", "{}", "{ }", #"{"":0}"#, #"{"a":{"b":[{}]}}"#, #"{"a":1,"a":2}"#,
    "\t1\n", "\r\n1", #""a]b}c,d:e""#, #"["\\",1]"#, #"["\"",1]"#, "12345678", "123456789", "1234567890123456",
    "12345678901234567",
  ]
  static let badValues: [String] = [
    "", "01", "-01", "00", "+1", ".5", "5.", "-", "-.5", "1e", "1e+", "1.e5", "1.5.5", "0x10", "1_000", "NaN", "Infinity",
    "-Infinity",
    "1f", "1 2", "12a", "1234567a", "123456781234567a", "1\u{0C}", "1\u{A0}", "tru", "truee", "True", "TRUE", "nul", "nulll",
    "fals", "true false",
    "'a'", #""a"#, #"a""#, #""\x""#, #""\u12""#, #""\u12g4""#, #""\uD800""#, #""\uDC00""#, #""\uD800a""#, #""\uD800\n""#,
    #""\uD800\u0041""#, #""\uD800\uD800""#, #""\uDC00\uD800""#, #""\u{41}""#, #""\'""#, #""\0""#, #""\U0041""#, #""a" "b""#,
    #""a""b""#,
    #""a"1"#, #"1"a""#, #"true"a""#, "\"a\nb\"", "\"a\tb\"", "\"\u{0}\"", "\"\u{1F}\"", "[", "]", "[1", "[1,", "[1,]", "[,1]",
    "[,]",
    "[1 2]", "[1]]", "[[1]", "[1}", "{", "}", #"{"a"}"#, #"{"a":}"#, #"{"a" 1}"#, #"{a:1}"#, #"{1:1}"#, #"{"a":1,}"#, #"{,}"#,
    #"{"a":1 "b":2}"#, #"{"a":1]"#, #"{"a"::1}"#, #"{"a":1,,"b":2}"#, #"{null:1}"#, "/**/1", "//\n1", "1//", "\u{FEFF}1", "\\",
    "\\\"a\"", "\u{0C}1",
    "\u{0B}", "1\u{1A}2", "#", ":", ",", "undefined", #""a":1"#,
  ]

  @Test("a value that RFC 8259 allows is accepted", arguments: goodValues)
  func takesGood(_ value: String) {
    #expect(isAccepted(Array(#"{"type":"room_closed","x":\#(value)}"#.utf8)))
    #expect(isAccepted(Array(#"{"x":[\#(value),\#(value)],"type":"room_closed"}"#.utf8)))
    #expect(StrictJSON.compactObject(Array(#"{"x":\#(value)}"#.utf8)) != nil, "the measure itself")
  }

  @Test("a value that RFC 8259 does not allow is refused", arguments: badValues)
  func refusesBad(_ value: String) {
    #expect(!isAccepted(Array(#"{"type":"room_closed","x":\#(value)}"#.utf8)))
    #expect(!isAccepted(Array(#"{"x":[[],\#(value),\#(value)],"type":"room_closed"}"#.utf8)))
    #expect(StrictJSON.compactObject(Array(#"{"x":\#(value)}"#.utf8)) == nil, "the measure itself")
  }

  static let badTexts: [String] = [
    "", " ", "\n", "1", "\"a\"", "null", "[]", "[{}]", "{} {}", "{}{}", "{},", "{}]", "{}}", "{}x", "x{}", "{}\u{0}", "\u{0}{}",
    "\u{FEFF}{}",
    "{}\"", "{}\"a\"", "{}1", "{} 1",
  ]

  @Test("a text that is not one object is refused", arguments: badTexts)
  func refusesTexts(_ text: String) {
    #expect(!isAccepted(Array(text.utf8)))
    #expect(StrictJSON.compactObject(Array(text.utf8)) == nil, "the measure itself")
  }

  @Test("white space around the object is allowed")
  func spaceAround() {
    #expect(isAccepted(Array(" \t\r\n{ } \t\r\n".utf8)))
  }

  @Test(
    "bytes that are not UTF-8 are refused, in a string or outside",
    arguments: [
      [0x80], [0xC3], [0xC0, 0x80], [0xC1, 0xBF], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF],
      [0xF0, 0x80, 0x80, 0x80],
      [0xF4, 0x90, 0x80, 0x80], [0xF8, 0x88, 0x80, 0x80, 0x80], [0xFF], [0xFE], [0xE4, 0xBD],
    ] as [[UInt8]])
  func refusesBadUTF8(_ bytes: [UInt8]) {
    #expect(!isAccepted(Array(#"{"x":""#.utf8) + bytes + Array(#""}"#.utf8)))
    #expect(!isAccepted(Array(#"{"x":1"#.utf8) + bytes + Array("}".utf8)))
    #expect(!isAccepted(Array("{}".utf8) + bytes))
  }

  @Test("64 levels are allowed, 65 are not; objects and arrays count alike")
  func depth() {
    for (open, close) in [("[", "]"), (#"{"a":"#, "}"), (#"[{"a":"#, "}]")] {
      let step = open.hasPrefix("[{") ? 2 : 1
      func text(_ levels: Int) -> [UInt8] {
        let inner = (levels - 1) / step
        let rest = (levels - 1) % step
        return Array(
          (#"{"x":"# + String(repeating: "[", count: rest) + String(repeating: open, count: inner) + "1"
            + String(repeating: close, count: inner) + String(repeating: "]", count: rest) + "}").utf8)
      }
      #expect(isAccepted(text(64)))
      #expect(!isAccepted(text(65)))
      #expect(!isAccepted(text(5000)))
    }
    #expect(!isAccepted(Array(String(repeating: "[", count: 60_000).utf8)))
    #expect(!isAccepted(Array(String(repeating: #"{"a":"#, count: 12_000).utf8)))
    let siblings = #"{"x":["# + Array(repeating: "[[]]", count: 500).joined(separator: ",") + "]}"
    #expect(isAccepted(Array(siblings.utf8)), "depth is of nesting, not of number")
  }

  static let seeds: [String] = [
    #"{"id":"e-81f3","room":"r1","ts":1732104000123,"sender":{"id":"u1","name":"小明","avatar":"https://x/u1.png"},"count":3}"#,
    #" { "a" : [ 1 , -2.5e+3 , true , null , "\u00e9\n\"\\" , { } , [ ] ] , "b" : "\ud83d\ude00" } "#,
    #"{"x":[0,0.1,1E5,12345678,123456789,-0],"y":{"z":{"a":[[[false]]]}},"":"","k\"ey":"v,a:l{u}e[]"}"#,
  ]

  @Test("after random changes of bytes the decoder agrees with RFC 8259", arguments: 0..<60)
  func agreesAfterMutation(seed: Int) {
    var random = SplitMix64(seed: seed)
    let spice = Array("{}[]:,\"\\ \t\n\r0123456789.eE+-truefalsn/u\u{0}\u{1F}\u{0C}\u{1A}é小".utf8) + [0x80, 0xC3, 0xFF, 0xED]
    for _ in 0..<400 {
      var bytes = Array(Self.seeds.randomElement(using: &random)!.utf8)
      for _ in 0..<Int.random(in: 1...3, using: &random) where !bytes.isEmpty {
        let place = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<5, using: &random) {
        case 0: bytes[place] = spice.randomElement(using: &random)!
        case 1: bytes.insert(spice.randomElement(using: &random)!, at: place)
        case 2: bytes.remove(at: place)
        case 3: bytes.swapAt(place, Int.random(in: 0..<bytes.count, using: &random))
        default: bytes.removeSubrange(place..<min(bytes.count, place + Int.random(in: 1...8, using: &random)))
        }
      }
      let truth = StrictJSON.compactObject(bytes) != nil
      #expect(isAccepted(bytes) == truth, "seed \(seed): \(String(decoding: bytes, as: UTF8.self).debugDescription)")
    }
  }

  @Test("each beginning of a record is refused", arguments: seeds)
  func refusesCut(_ text: String) {
    let bytes = Array(text.utf8)
    let end = bytes.lastIndex(of: UInt8(ascii: "}"))!
    for length in 0...end { #expect(!isAccepted(Array(bytes[..<length]))) }
  }
}
