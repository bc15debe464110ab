import CSimdJSON
import ComboCore
import Testing

@testable import ComboTestSupport
@testable import ComboWire

@Suite("Texts that are the same but for their scalars")
struct TextShapeTests {
  /// A JSON value without its scalars, and the white space in it.
  private indirect enum Form {
    case scalar
    case object([(name: String, value: Form)], gaps: [String])
    case array([Form], gaps: [String])
  }

  private struct Texts {
    var random: SplitMix64

    mutating func chance(_ of: Int) -> Bool { Int.random(in: 0..<of, using: &random) == 0 }
    mutating func gap(_ isSpaced: Bool) -> String {
      isSpaced && chance(2) ? [" ", "\n  ", "\t"].randomElement(using: &random)! : ""
    }

    mutating func form(_ depth: Int, _ isSpaced: Bool) -> Form {
      if depth > 0, depth > 5 || !chance(3) { return .scalar }
      let count = Int.random(in: 0..<6, using: &random)
      let gaps = (0..<4 * max(count, 1)).map { _ in gap(isSpaced) }
      if depth > 0, chance(3) { return .array((0..<count).map { _ in form(depth + 1, isSpaced) }, gaps: gaps) }
      let names = [
        "id", "name", "a", "", "gift", "sender", "receiver", "value", "count", "settings", "twelve bytes", "a\\\"b", "\\u0061",
        "\\u0069d", "小",
      ]
      return .object((0..<count).map { _ in (names.randomElement(using: &random)!, form(depth + 1, isSpaced)) }, gaps: gaps)
    }

    /// Returns a form that is the same up to some place, where a member or an element is missing or different.
    mutating func varied(_ form: Form) -> Form {
      switch form {
      case .scalar: return self.form(1, false)
      case .object(var members, let gaps):
        if members.isEmpty || chance(4) { return self.form(0, false) }
        let at = Int.random(in: 0..<members.count, using: &random)
        if chance(3) { members.remove(at: at) } else { members[at].value = varied(members[at].value) }
        return .object(members, gaps: gaps)
      case .array(var elements, let gaps):
        if elements.isEmpty || chance(4) { return .scalar }
        let at = Int.random(in: 0..<elements.count, using: &random)
        if chance(3) { elements.remove(at: at) } else { elements[at] = varied(elements[at]) }
        return .array(elements, gaps: gaps)
      }
    }

    mutating func scalar() -> String {
      [
        "\"\"", "\"a\"", "\"小明😀\"", #""a,b:{c}[d]""#,
        #""\"""#, #""\\""#, #""\u00e9\n""#, "0", "-7", "12345678",
        "123456789012345678", "1.5", "2e3", "true", "false", "null",
        "\"\(String(repeating: "x", count: Int.random(in: 0..<100, using: &random)))\"",
        // Faults.
        #""\x""#, #""\ud800""#, "01", "1.", "tru", "nulll", "-", "'", "",
      ][chance(30) ? Int.random(in: 17..<26, using: &random) : Int.random(in: 0..<17, using: &random)]
    }

    mutating func text(_ form: Form) -> String {
      switch form {
      case .scalar: return scalar()
      case .object(let members, let gaps):
        let inside = members.enumerated().map { index, member in
          let around = gaps[(4 * index)...].prefix(4).map(\.self)
          return "\(around[0])\"\(member.name)\"\(around[1]):\(around[2])\(text(member.value))\(around[3])"
        }
        return "{" + (members.isEmpty ? gaps[0] : inside.joined(separator: ",")) + "}"
      case .array(let elements, let gaps):
        let inside = elements.enumerated().map { "\(gaps[4 * $0])\(text($1))\(gaps[4 * $0 + 1])" }
        return "[" + (elements.isEmpty ? gaps[0] : inside.joined(separator: ",")) + "]"
      }
    }

    mutating func bytes(_ form: Form) -> [UInt8] {
      var bytes = Array(text(form).utf8)
      if chance(6) {
        let at = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: bytes[at] = (Array("{}[]:,\" \\x1\n".utf8) + [0xE4, 0x80]).randomElement(using: &random)!
        case 1: bytes.remove(at: at)
        default: bytes.insert(Array("{}[]:,\" \\x1".utf8).randomElement(using: &random)!, at: at)
        }
      }
      return bytes
    }
  }

  @Test("a quote that is escaped is no string's end, wherever white space is expected")
  func escapedQuotes() {
    for (known, other) in [(#"[1 ]"#, #"["\""]"#), (#"{"a":"x" ,"b":1}"#, #"{"a":"x\"","b":1}"#)] {
      let (parser, guarded) = (JSONParser(), Guarded())
      #expect(parser.checkAlike(guarded.text(Array(known.utf8)), depth: 32) == CSJ_FINE)
      let text = guarded.text(Array(other.utf8))
      #expect(parser.checkAlike(text, depth: 32) == CSJ_FINE)
      let (read, plain) = (tape(parser, text), JSONParser())
      #expect(plain.check(text, depth: 32) == CSJ_FINE)
      #expect(read == tape(plain, text))
    }
  }

  @Test(
    "a text that proves wrong at its end is not read once for each shape that begins as it does")
  func wrongAtItsEnd() {
    let (parser, guarded) = (JSONParser(), Guarded())
    for number in 0..<TextShape.places / 2 {
      for value in ["{}", #""""#] {
        #expect(parser.checkAlike(guarded.text(Array(#"{"a":\#(value),"k\#(number)":1}"#.utf8)), depth: 32) == CSJ_FINE)
      }
    }
    let escapes = String(repeating: #"\\"#, count: 16_000)
    let text = guarded.text(Array(#"{"a":"\#(escapes)\x"}"#.utf8))
    func cost(_ check: () -> csj_fault) -> Duration {
      (0..<7).map { _ in
        let began = processorTime()
        #expect(check() == CSJ_BAD_ESCAPE)
        return processorTime() - began
      }.min()!
    }
    let (plain, alike) = (cost { JSONParser().check(text, depth: 32) }, cost { parser.checkAlike(text, depth: 32) })
    // It takes about three times as long, and would take 60 times if the text was read once for each shape.
    #expect(alike < plain * 16, "\(alike), and \(plain) by the walk alone")
  }

  @Test("more of them than are known at a time, short and long ones in each other's places", arguments: 0..<4)
  func manyShapes(seed: Int) throws {
    var random = SplitMix64(seed: seed)
    let (parser, guarded) = (JSONParser(), Guarded())
    var shapes: Set<UInt64> = []
    for _ in 0..<4000 {
      let count = Int.random(in: 1..<60, using: &random), odd = Int.random(in: 0..<count, using: &random)
      let members = (0..<count).map { #""\#($0 == odd ? "odd\(Int.random(in: 0..<3, using: &random))" : "m")":\#($0)"# }
      let text = guarded.text(Array("{\(members.joined(separator: ","))}".utf8))
      let plain = JSONParser()
      #expect(parser.checkAlike(text, depth: 32) == CSJ_FINE && plain.check(text, depth: 32) == CSJ_FINE)
      if parser.shape.id != 0 { shapes.insert(parser.shape.id) }
      try #require(tape(parser, text) == tape(plain, text), "seed \(seed)")
    }
    #expect(shapes.count > TextShape.places, "seed \(seed): only \(shapes.count) shapes were known at some time")
  }

  @Test("are read as each for itself, or refused with the same fault", arguments: 0..<20)
  func alike(group: Int) throws {
    let guarded = Guarded()
    var (known, read, refused) = (0, 0, 0)
    for seed in group * 20..<(group + 1) * 20 {
      var texts = Texts(random: SplitMix64(seed: seed))
      let parser = JSONParser()
      let isSpaced = texts.chance(3)
      var forms = (0..<3).map { _ in texts.form(0, isSpaced) }
      for _ in 0..<5 { forms.append(texts.varied(forms.randomElement(using: &texts.random)!)) }
      var shapes: Set<UInt64> = []
      let copying = JSONParser()
      for _ in 0..<60 {
        let bytes = texts.bytes(forms.randomElement(using: &texts.random)!)
        let text = guarded.text(bytes)
        let plain = JSONParser()
        let (fault, expected) = (parser.checkAlike(text, depth: 32), plain.check(text, depth: 32))
        try #require(fault == expected, "seed \(seed): \(String(decoding: bytes, as: UTF8.self))")
        // The text is also copied while it is read.
        let source = guarded.record(bytes)
        try #require(
          copying.checkAlike(text, copiedFrom: source.baseAddress!, depth: 32) == expected,
          "seed \(seed): \(String(decoding: bytes, as: UTF8.self))")
        if fault != CSJ_FINE {
          #expect(parser.faultPosition == plain.faultPosition, "seed \(seed)")
          refused += 1
          continue
        }
        read += 1
        if parser.shape.id != 0, !shapes.insert(parser.shape.id).inserted { known += 1 }
        try #require(
          tape(parser, text) == tape(plain, text) && tape(copying, text) == tape(plain, text),
          "seed \(seed): \(String(decoding: bytes, as: UTF8.self))")
      }
    }
    #expect(known > read / 3 && refused > read / 20, "\(known) of \(read) were of a known shape, \(refused) refused")
  }
}
