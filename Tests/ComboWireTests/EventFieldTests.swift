import ComboCore
import ComboWire
import Testing

/// The result of decoding a record: an event, or a code with its sentence.
private enum Outcome: Equatable {
  case event(Decoded)
  case bad(BadEvent.Code, String)
}

@Suite("An event's fields, found on its tape")
struct EventFieldTests {
  /// A generator of records with everything that decides whether a shape is known: order, white space, repeated and unknown
  /// members, values of wrong types, nesting, and faults of grammar.
  private struct Records {
    var random: SplitMix64

    mutating func chance(_ of: Int) -> Bool { Int.random(in: 0..<of, using: &random) == 0 }
    mutating func one<T>(_ of: [T]) -> T { of.randomElement(using: &random)! }

    mutating func gap() -> String { chance(6) ? one([" ", "  ", "\n", "\t", "\r\n ", String(repeating: " ", count: 70)]) : "" }

    mutating func scalar() -> String {
      one([
        #""""#, #""a""#, #""u1""#, #""gift""#, #""retract""#, #""room_closed""#, "\"小明😀\"", #""a,b:{c}[d]""#, "0", "7", "-3",
        "12345678", "1732104000123",
        "12345678901234567890123", "1.5", "2e3", "true", "false", "null",
        "\"\(String(repeating: "x", count: Int.random(in: 0..<300, using: &random)))\"",
      ])
    }

    mutating func any(_ depth: Int) -> String {
      if depth > 4 || !chance(4) { return scalar() }
      let count = Int.random(in: 0..<4, using: &random)
      if chance(2) {
        return "[" + (0..<count).map { _ in gap() + any(depth + 1) + gap() }.joined(separator: ",") + "]"
      }
      return object(["a", "id", "value", "gift", "", "sender", "receiver8", "receiver"], count, depth + 1)
    }

    mutating func object(_ names: [String], _ count: Int, _ depth: Int) -> String {
      "{" + (0..<count).map { _ in "\(gap())\"\(one(names))\"\(gap()):\(gap())\(any(depth))\(gap())" }.joined(separator: ",")
        + gap() + "}"
    }

    /// Returns a member that belongs there, or anything under its name.
    mutating func member(_ name: String) -> String {
      let value: String
      switch name {
      case _ where chance(30): value = any(1)
      case "type": value = one([#""gift""#, #""gift""#, #""retract""#, #""room_closed""#, #""room_settings""#])
      case "room": value = one([#""r""#, #""r""#, #""r""#, #""s""#])
      case "ts": value = "1732104000123"
      case "total", "count": value = chance(20) ? "0" : one(["1", "20"])
      case "streak_ms": value = one(["0", "60000"])
      case "ends": value = one(["true", "false"])
      case "id", "streak", "combo": value = one([#""e-1-1""#, "77"])
      case "settings": value = one([#"{"slots":3}"#, #"{"slots": 3 , "tiers":[]}"#, "{}"])
      case "sender", "receiver", "gift":
        var members = [
          #""id":"\#(one(["u", "g", "7"]))""#, #""name":"n""#, #""value":\#(one(["1", "0.5", "1e3"]))"#, #""x":\#(any(2))"#,
        ]
        if chance(8) { members.append(#""id":"second""#) }
        if chance(20) { members.removeFirst() }
        members.shuffle(using: &random)
        value = "{" + members.map { gap() + $0 + gap() }.joined(separator: ",") + "}"
      default: value = any(1)
      }
      return "\(gap())\"\(name)\"\(gap()):\(gap())\(value)\(gap())"
    }

    mutating func next() -> [UInt8] {
      var names = ["room", "ts", "id", "sender", "receiver", "gift", "count"]
      if chance(3) {
        names.append(
          one([
            "type", "total", "streak", "streak_ms", "ends", "combo", "settings", "x", "gift", "sender", "id", "longer-than-any",
            "",
          ]))
      }
      if chance(3) { names.remove(at: Int.random(in: 0..<names.count, using: &random)) }
      names.shuffle(using: &random)
      var text = gap() + "{" + names.map { member($0) }.joined(separator: ",") + "}" + gap()
      if chance(40) { text += one(["}", "1", "{}", ",", "\"", "x"]) }
      var bytes = Array(text.utf8)
      if chance(4) {
        let at = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: bytes.remove(at: at)
        case 1: bytes[at] = Array("{}[],:\"01tfn \u{1}".utf8).randomElement(using: &random)!
        default: bytes.insert(bytes.randomElement(using: &random)!, at: at)
        }
      }
      return bytes
    }
  }

  private func outcome(_ record: [UInt8], _ decoder: EventDecoder) -> Outcome {
    do throws(BadEvent) {
      return .event(try decode(record, key: Array("r".utf8), decoder.limits, decoder))
    } catch {
      return .bad(error.code, error.reason)
    }
  }

  @Test("are the same whether the decoder knows the record's shape or sees its first record", arguments: 0..<20)
  func sameAsFirst(seed: Int) {
    var records = Records(random: SplitMix64(seed: seed))
    let decoder = EventDecoder()
    var good = 0
    for number in 0..<2000 {
      let record = records.next()
      // The decoder that may know the shape decodes twice, so that it does the second time.
      let first = outcome(record, decoder), second = outcome(record, decoder), alone = outcome(record, EventDecoder())
      let shown = String(decoding: record, as: UTF8.self)
      if case .event = alone { good += 1 }
      #expect(first == alone && second == alone, "seed \(seed), record \(number): \(shown)")
    }
    #expect(good > 500, "seed \(seed): only \(good) good ones")
  }

  @Test("stand for nothing in another object, count once, and are looked for to the allowed depth")
  func byHand() throws {
    // A known container within an unknown one is unknown, too.
    let inner = try decode(
      #"{"x":{"sender":{"id":"no"},"id":"no"},"sender":{"id":"u","x":{"id":"no"}},"gift":{"x":[{"id":"no"}],"id":"g"}}"#)
    #expect(inner.sender == "u" && inner.gift == "g" && inner.id.isEmpty)
    #expect(inner.displayGift == #"{"x":[{"id":"no"}],"id":"g"}"#)
    // The first of two members with one name counts, even if it is no object.
    #expect(fault(#"{"sender":1,"sender":{"id":"u"},"gift":{"id":"g"}}"#)?.code == .wrongType)
    #expect(fault(#"{"sender":{"x":1},"sender":{"id":"u"},"gift":{"id":"g"}}"#)?.code == .missingField)
    #expect(fault(#"{"sender":{"id":null,"id":"u"},"gift":{"id":"g"}}"#)?.code == .missingField)
    // There may be 64 levels, of which the record itself is the first.
    func nested(_ levels: Int) -> String {
      #"{"type":"room_closed","x":"# + String(repeating: "[", count: levels - 1) + String(repeating: "]", count: levels - 1) + "}"
    }
    #expect(fault(nested(64)) == nil)
    #expect(fault(nested(65))?.code == .notJSON)
  }
}
