import ComboCore
import Testing

@testable import ComboWire

/// A bad record, with the reason.
struct BadCase: Sendable, CustomTestStringConvertible {
  let record: String
  var key: String? = "r"
  let code: BadEvent.Code
  /// The words that the sentence must contain.
  let words: [String]

  init(_ record: String, key: String? = "r", _ code: BadEvent.Code, _ words: String...) {
    self.record = record
    self.key = key
    self.code = code
    self.words = words
  }

  var testDescription: String { String(record.prefix(120)) }
}

private func gift(_ more: String) -> String { #"{"room":"r","sender":{"id":"u"},"gift":{"id":"g"},\#(more)}"# }
private func settings(_ members: String) -> String { #"{"type":"room_settings","room":"r","settings":{\#(members)}}"# }
private func letters(_ count: Int) -> String { String(repeating: "x", count: count) }

@Suite("Bad events")
struct BadEventTests {
  static let cases: [BadCase] = [
    // type
    BadCase(#"{"type":"gifts","room":"r"}"#, .unknownType, "type", "gifts", "room_closed"),
    BadCase(#"{"type":"","room":"r"}"#, .unknownType, "type"),
    BadCase(#"{"type":"Gift","room":"r"}"#, .unknownType, "Gift"),
    BadCase(#"{"type":1,"room":"r"}"#, .wrongType, "type", "an integer", "a string"),
    BadCase(#"{"type":"nope","room":1}"#, .unknownType, "type"),
    // room and key
    BadCase(#"{"type":"room_closed"}"#, key: nil, .missingField, "room", "key"),
    BadCase(#"{"type":"room_closed","room":null}"#, key: nil, .missingField, "room"),
    BadCase(#"{"type":"room_closed","room":5}"#, key: "5", .wrongType, "room", "an integer", "a string"),
    BadCase(#"{"type":"room_closed","room":["r"]}"#, .wrongType, "room", "an array"),
    BadCase(#"{"type":"room_closed","room":""}"#, key: "", .outOfRange, "room", "empty", "1 to 256"),
    BadCase(#"{"type":"room_closed","room":"\#(letters(257))"}"#, key: letters(257), .outOfRange, "room", "257", "256"),
    BadCase(#"{"type":"room_closed","room":"r"}"#, key: nil, .wrongKey, "no key", "r"),
    BadCase(#"{"type":"room_closed","room":"r"}"#, key: "", .wrongKey, "key"),
    BadCase(#"{"type":"room_closed","room":"r"}"#, key: "r2", .wrongKey, "r2", "\"r\""),
    BadCase(#"{"type":"room_closed","room":"r"}"#, key: "R", .wrongKey),
    BadCase(#"{"type":"room_closed"}"#, key: "", .outOfRange, "room", "empty"),
    BadCase(#"{"type":"room_closed"}"#, key: letters(257), .outOfRange, "room", "257"),
    BadCase(#"{"room":"r"}"#, key: "s", .wrongKey, "s"),
    // ts
    BadCase(gift(#""ts":"1""#), .wrongType, "ts", "a string", "an integer"),
    BadCase(gift(#""ts":1.0"#), .wrongType, "ts", "1.0"),
    BadCase(gift(#""ts":1e3"#), .wrongType, "ts", "1e3"),
    BadCase(gift(#""ts":-1"#), .outOfRange, "ts", "-1", "0 to 9007199254740992"),
    BadCase(gift(#""ts":9007199254740993"#), .outOfRange, "ts", "9007199254740993"),
    BadCase(gift(#""ts":9223372036854775808"#), .outOfRange, "ts"),
    BadCase(gift(#""ts":123456789012345678901234567890"#), .outOfRange, "ts"),
    BadCase(#"{"type":"room_closed","room":"r","ts":true}"#, .wrongType, "ts", "a boolean"),
    // id
    BadCase(gift(#""id":1.5"#), .wrongType, "id", "1.5", "a string or an integer"),
    BadCase(gift(#""id":1e3"#), .wrongType, "id"),
    BadCase(gift(#""id":true"#), .wrongType, "id"),
    BadCase(gift(#""id":{}"#), .wrongType, "id"),
    BadCase(gift(#""id":"""#), .outOfRange, "id", "empty"),
    BadCase(gift(#""id":"\#(letters(257))""#), .outOfRange, "id", "257"),
    BadCase(gift(#""id":1\#(String(repeating: "0", count: 256))"#), .outOfRange, "id", "257"),
    // sender
    BadCase(#"{"room":"r","gift":{"id":"g"}}"#, .missingField, "sender"),
    BadCase(#"{"room":"r","sender":null,"gift":{"id":"g"}}"#, .missingField, "sender"),
    BadCase(#"{"room":"r","sender":null,"sender":{"id":"u"},"gift":{"id":"g"}}"#, .missingField, "sender"),
    BadCase(#"{"room":"r","sender":"u","gift":{"id":"g"}}"#, .wrongType, "sender", "a string", "an object"),
    BadCase(#"{"room":"r","sender":{},"gift":{"id":"g"}}"#, .missingField, "sender.id"),
    BadCase(#"{"room":"r","sender":{"id":null},"gift":{"id":"g"}}"#, .missingField, "sender.id"),
    BadCase(#"{"room":"r","sender":{"ID":"u","id\u0000":"u"},"gift":{"id":"g"}}"#, .missingField, "sender.id"),
    BadCase(#"{"room":"r","sender":{"x":{"id":"u"}},"gift":{"id":"g"}}"#, .missingField, "sender.id"),
    BadCase(#"{"room":"r","sender":{"id":[]},"gift":{"id":"g"}}"#, .wrongType, "sender.id"),
    BadCase(#"{"room":"r","sender":{"id":""},"gift":{"id":"g"}}"#, .outOfRange, "sender.id"),
    BadCase(#"{"room":"r","sender":{"id":-1.5},"gift":{"id":"g"}}"#, .wrongType, "sender.id"),
    // gift and receiver
    BadCase(#"{"room":"r","sender":{"id":"u"}}"#, .missingField, "gift"),
    BadCase(#"{"room":"r","sender":{"id":"u"},"gift":[]}"#, .wrongType, "gift", "an array"),
    BadCase(#"{"room":"r","sender":{"id":"u"},"gift":{"value":1}}"#, .missingField, "gift.id"),
    BadCase(#"{"room":"r","sender":{"id":"u"},"gift":{"id":false}}"#, .wrongType, "gift.id"),
    BadCase(#"{"room":"r","sender":{"id":"u"},"gift":{"id":"\#(letters(257))"}}"#, .outOfRange, "gift.id"),
    BadCase(gift(#""receiver":[]"#), .wrongType, "receiver"),
    BadCase(gift(#""receiver":{}"#), .missingField, "receiver.id"),
    BadCase(gift(#""receiver":{"id":null}"#), .missingField, "receiver.id"),
    BadCase(gift(#""receiver":{"id":""}"#), .outOfRange, "receiver.id"),
    // gift.value
    BadCase(#"{"room":"r","sender":{"id":"u"},"gift":{"id":"g","value":"10"}}"#, .wrongType, "gift.value", "a number"),
    BadCase(#"{"room":"r","sender":{"id":"u"},"gift":{"id":"g","value":-1}}"#, .outOfRange, "gift.value", "-1"),
    BadCase(#"{"room":"r","sender":{"id":"u"},"gift":{"id":"g","value":-0.1}}"#, .outOfRange, "gift.value"),
    BadCase(#"{"room":"r","sender":{"id":"u"},"gift":{"id":"g","value":1000000000000.5}}"#, .outOfRange, "gift.value"),
    BadCase(#"{"room":"r","sender":{"id":"u"},"gift":{"id":"g","value":1e400}}"#, .outOfRange, "gift.value", "1e400"),
    BadCase(#"{"room":"r","sender":{"id":"u"},"gift":{"id":"g","value":1e99999999999999999999}}"#, .outOfRange, "gift.value"),
    BadCase(#"{"room":"r","sender":{"id":"u"},"gift":{"id":"g","value":-1e400}}"#, .outOfRange, "gift.value"),
    BadCase(
      #"{"room":"r","sender":{"id":"u"},"gift":{"id":"g","value":1\#(String(repeating: "0", count: 400))}}"#, .outOfRange,
      "gift.value"),
    // count, total, streak
    BadCase(gift(#""count":0"#), .outOfRange, "count", "0", "1 to 1000000"),
    BadCase(gift(#""count":-5"#), .outOfRange, "count"),
    BadCase(gift(#""count":1000001"#), .outOfRange, "count"),
    BadCase(gift(#""count":18446744073709551617"#), .outOfRange, "count"),
    BadCase(gift(#""count":1e2"#), .wrongType, "count", "1e2"),
    BadCase(gift(#""count":1.0"#), .wrongType, "count"),
    BadCase(gift(#""count":"3""#), .wrongType, "count"),
    BadCase(gift(#""total":0"#), .outOfRange, "total", "1 to 1000000000"),
    BadCase(gift(#""total":1000000001"#), .outOfRange, "total"),
    BadCase(gift(#""total":2.5"#), .wrongType, "total"),
    BadCase(gift(#""total":5,"count":5"#), .outOfRange, "count", "total", "both"),
    BadCase(gift(#""total":5,"streak":1.5"#), .wrongType, "streak"),
    BadCase(gift(#""total":5,"streak":"""#), .outOfRange, "streak"),
    BadCase(gift(#""count":5,"streak":{}"#), .wrongType, "streak"),
    // streak_ms, ends, combo; with a total and without
    BadCase(gift(#""total":5,"streak_ms":-1"#), .outOfRange, "streak_ms", "-1", "0 to 3600000"),
    BadCase(gift(#""total":5,"streak_ms":3600001"#), .outOfRange, "streak_ms"),
    BadCase(gift(#""streak_ms":3600001"#), .outOfRange, "streak_ms"),
    BadCase(gift(#""total":5,"streak_ms":1.0"#), .wrongType, "streak_ms", "1.0", "an integer"),
    BadCase(gift(#""count":5,"streak_ms":"60000""#), .wrongType, "streak_ms"),
    BadCase(gift(#""total":5,"ends":1"#), .wrongType, "ends", "an integer", "true or false"),
    BadCase(gift(#""total":5,"ends":"true""#), .wrongType, "ends", "a string"),
    BadCase(gift(#""ends":[]"#), .wrongType, "ends", "an array"),
    BadCase(gift(#""combo":1.5"#), .wrongType, "combo", "1.5", "a string or an integer"),
    BadCase(gift(#""combo":true"#), .wrongType, "combo"),
    BadCase(gift(#""combo":{}"#), .wrongType, "combo"),
    BadCase(gift(#""combo":"""#), .outOfRange, "combo", "empty"),
    BadCase(gift(#""total":5,"combo":"\#(letters(257))""#), .outOfRange, "combo", "257"),
    // retract
    BadCase(#"{"type":"retract","room":"r"}"#, .missingField, "sender"),
    BadCase(#"{"type":"retract","room":"r","sender":{}}"#, .missingField, "sender.id"),
    BadCase(#"{"type":"retract","room":"r","sender":{"id":"u"},"gift":{}}"#, .missingField, "gift.id"),
    BadCase(#"{"type":"retract","room":"r","sender":{"id":"u"},"gift":"g"}"#, .wrongType, "gift"),
    BadCase(#"{"type":"retract","room":"r","sender":{"id":"u"},"receiver":{"id":""}}"#, .outOfRange, "receiver.id"),
    // room_settings
    BadCase(#"{"type":"room_settings","room":"r"}"#, .missingField, "settings"),
    BadCase(#"{"type":"room_settings","room":"r","settings":null}"#, .missingField, "settings"),
    BadCase(#"{"type":"room_settings","room":"r","settings":[]}"#, .wrongType, "settings"),
    BadCase(settings(#""slotz":1"#), .outOfRange, "settings.slotz"),
    BadCase(settings(#""Slots":1"#), .outOfRange, "settings.Slots"),
    BadCase(settings(#""slots":101"#), .outOfRange, "settings.slots", "0 to 10 for a room", "101"),
    BadCase(settings(#""slots":1.0"#), .wrongType, "settings.slots"),
    BadCase(settings(#""slots":"1""#), .wrongType, "settings.slots"),
    BadCase(settings(#""linger_ms":86400001"#), .outOfRange, "settings.linger_ms"),
    BadCase(settings(#""linger_ms":-1"#), .outOfRange, "settings.linger_ms"),
    BadCase(settings(#""linger_ms":99999999999999999999"#), .outOfRange, "settings.linger_ms"),
    BadCase(settings(#""queue_merge":"head""#), .outOfRange, "settings.queue_merge", "head", "anywhere or tail"),
    BadCase(settings(#""queue_merge":1"#), .wrongType, "settings.queue_merge"),
    BadCase(settings(#""queue_order":"lifo""#), .outOfRange, "settings.queue_order", "fifo or tier"),
    BadCase(settings(#""milestones":10"#), .wrongType, "settings.milestones"),
    BadCase(settings(#""milestones":[10,10]"#), .outOfRange, "settings.milestones"),
    BadCase(settings(#""milestones":[0]"#), .outOfRange, "settings.milestones"),
    BadCase(settings(#""milestones":[1.5]"#), .wrongType, "settings.milestones[0]"),
    BadCase(settings(#""milestones":[1,null]"#), .wrongType, "settings.milestones[1]"),
    BadCase(settings(#""milestones":[\#((1...101).map(String.init).joined(separator: ","))]"#), .outOfRange, "milestones", "101"),
    BadCase(settings(#""tiers":{}"#), .wrongType, "settings.tiers"),
    BadCase(settings(#""tiers":[1]"#), .wrongType, "settings.tiers[0]"),
    BadCase(settings(#""tiers":[{"value":1,"linger_ms":1}]"#), .missingField, "settings.tiers[0].busy_linger_ms"),
    BadCase(settings(#""tiers":[{"value":null,"linger_ms":1,"busy_linger_ms":1}]"#), .missingField, "settings.tiers[0].value"),
    BadCase(settings(#""tiers":[{"value":"1","linger_ms":1,"busy_linger_ms":1}]"#), .wrongType, "settings.tiers[0].value"),
    BadCase(settings(#""tiers":[{"value":0,"linger_ms":1,"busy_linger_ms":1}]"#), .outOfRange, "settings.tiers"),
    BadCase(settings(#""tiers":[{"value":1e999,"linger_ms":1,"busy_linger_ms":1}]"#), .outOfRange, "settings.tiers"),
    BadCase(settings(#""tiers":[{"value":1,"linger_ms":86400001,"busy_linger_ms":1}]"#), .outOfRange, "settings.tiers"),
    BadCase(
      settings(#""tiers":[{"value":1,"linger_ms":1,"busy_linger_ms":1,"name":"x"}]"#), .outOfRange, "settings.tiers[0].name"),
  ]

  @Test("is reported by its code and in a sentence that names the field", arguments: cases)
  func hasCodeAndReason(_ bad: BadCase) throws {
    let found = try #require(fault(bad.record, key: bad.key), "it was taken")
    #expect(found.code == bad.code, "\(found)")
    for word in bad.words { #expect(found.reason.contains(word), "\(found.reason)") }
  }

  @Test("rare fields are of their type and within their range, with a total and without")
  func details() {
    for (field, detail, _) in EventField.details {
      for other in ["", #","total":5"#] {
        func found(_ value: String) -> BadEvent? { fault(gift(#""\#(field.name)":\#(value)\#(other)"#)) }
        let (allowed, outside, wrong): ([String], [String], [String])
        switch detail {
        case .integer(let range, _):
          allowed = ["\(range.lowerBound)", "\(range.upperBound)", "null"]
          outside = ["\(range.lowerBound - 1)", "\(range.upperBound + 1)"]
          wrong = ["\(range.upperBound).0", #""\#(range.upperBound)""#, "true", "[]"]
        case .boolean: (allowed, outside, wrong) = (["true", "false", "null"], [], ["1", #""true""#, "{}"])
        }
        for value in allowed { #expect(found(value) == nil, "\(field.name) \(value)") }
        for (values, code) in [(outside, BadEvent.Code.outOfRange), (wrong, .wrongType)] {
          for value in values {
            let bad = found(value)
            #expect(bad?.code == code && bad?.reason.hasPrefix("\(field.name) ") == true, "\(field.name) \(value)")
          }
        }
      }
    }
  }

  @Test("the first fault in the table's order counts, wherever it stands in the record")
  func order() {
    let all =
      #""combo":[],"ends":0,"streak_ms":-1,"streak":[],"total":0,"count":0,"receiver":{},"#
      + #""gift":{},"sender":{},"id":{},"ts":-1,"room":1,"type":1"#
    var members = all.split(separator: ",").map(String.init)
    let expected: [(BadEvent.Code, String)] = [
      (.wrongType, "type"), (.wrongType, "room"), (.outOfRange, "ts"), (.wrongType, "id"), (.missingField, "sender.id"),
      (.missingField, "gift.id"), (.missingField, "receiver.id"), (.outOfRange, "count"), (.outOfRange, "total"),
      (.wrongType, "streak"), (.outOfRange, "streak_ms"), (.wrongType, "ends"), (.wrongType, "combo"),
    ]
    let fixed = [
      "type": #""type":"gift""#, "room": #""room":"r""#, "ts": #""ts":1"#, "id": #""id":"e""#,
      "sender.id": #""sender":{"id":"u"}"#,
      "gift.id": #""gift":{"id":"g"}"#, "receiver.id": #""receiver":{"id":"a"}"#, "count": #""x":0"#, "total": #""total":1"#,
      "streak": #""streak":"s""#, "streak_ms": #""streak_ms":0"#, "ends": #""ends":false"#, "combo": #""combo":"c""#,
    ]
    for (code, field) in expected {
      let found = fault("{" + members.joined(separator: ",") + "}")
      #expect(found?.code == code && found?.reason.hasPrefix("\(field) ") == true, "\(field): \(String(describing: found))")
      let name = "\"" + field.split(separator: ".")[0] + "\":"
      members = members.map { $0.hasPrefix(name) ? fixed[field]! : $0 }
    }
    #expect(fault("{" + members.joined(separator: ",") + "}") == nil)
  }

  @Test("fields of other types of events are not read")
  func otherFields() {
    let rest = #""id":{},"gift":5,"receiver":5,"count":"x","total":0,"streak":[],"streak_ms":-1,"ends":2,"combo":{},"settings":7"#
    #expect(fault(#"{"type":"room_closed","room":"r","sender":5,\#(rest)}"#) == nil)
    #expect(fault(#"{"type":"room_settings","room":"r","settings":{},"sender":5,"id":{},"gift":5,"count":"x"}"#) == nil)
    #expect(
      fault(
        #"{"type":"retract","room":"r","sender":{"id":"u"},"gift":{"id":"g","value":"x"},"#
          + #""id":{},"count":"x","total":0,"streak":[],"streak_ms":-1,"ends":2,"combo":{},"settings":7}"#
      )
        == nil)
    #expect(fault(gift(#""settings":7"#)) == nil)
  }

  @Test("a record may have 65,536 bytes, and not one more")
  func recordSize() throws {
    func record(_ size: Int) -> String {
      let frame = #"{"type":"room_closed","room":"r","x":""}"#
      return #"{"type":"room_closed","room":"r","x":"\#(letters(size - frame.utf8.count))"}"#
    }
    #expect(record(65_536).utf8.count == 65_536)
    #expect(fault(record(65_536)) == nil)
    let found = try #require(fault(record(65_537)))
    #expect(found.code == .tooLarge)
    #expect(found.reason == "the record has 65537 bytes; at most 65536 are allowed")
    #expect(fault(letters(70_000))?.code == .tooLarge, "size comes before form")
  }

  @Test("sender, receiver and gift may have 16,384 bytes together as received, and not one more")
  func displaySize() throws {
    func record(_ size: Int, space: Bool = false) -> String {
      let sender = #"{"id":"u"}"#
      let receiver = #"{"id":"a"}"#
      let frame = #"{"id":"g","x":""}"#
      let rest = size - sender.utf8.count - receiver.utf8.count - frame.utf8.count
      let gift = space ? #"{"id":"g","x":""\#(String(repeating: " ", count: rest))}"# : #"{"id":"g","x":"\#(letters(rest))"}"#
      return #"{"room":"r","sender":\#(sender),"receiver":\#(receiver),"gift":\#(gift)}"#
    }
    #expect(fault(record(16_384)) == nil)
    let found = try #require(fault(record(16_385)))
    #expect(found.code == .tooLarge)
    #expect(found.reason == "sender, receiver and gift have 16385 bytes together; at most 16384 are allowed")
    #expect(fault(record(16_384, space: true)) == nil)
    #expect(fault(record(16_385, space: true))?.code == .tooLarge, "white space counts, as received")
  }

  @Test("a key that is no UTF-8 is never a room")
  func keyNotUTF8() {
    for record in [#"{"type":"room_closed"}"#, #"{"type":"room_closed","room":"r"}"#] {
      do throws(BadEvent) {
        _ = try decode(Array(record.utf8), key: [0x72, 0xFF])
        Issue.record("it was taken")
      } catch {
        #expect(error.code == .wrongKey)
        #expect(error.reason.contains(#"r\xFF"#))
      }
    }
  }

  @Test("a room may set only what the operator allows")
  func roomSettings() throws {
    var limits = WireLimits()
    limits.roomSettings = [.integer(.slots), .finals]
    #expect(fault(settings(#""slots":1,"finals":true"#), limits) == nil)
    let found = try #require(fault(settings(#""slots":1,"linger_ms":5"#), limits))
    #expect(found.code == .outOfRange)
    #expect(found.reason == "settings.linger_ms is not allowed: a room may set only slots, finals here (--room-settings)")
    // Null counts as missing, and an unknown name is still no setting.
    #expect(fault(settings(#""linger_ms":null"#), limits) == nil)
    #expect(fault(settings(#""slotz":1"#), limits)?.reason.contains("not a setting") == true)
    limits.roomSettings = []
    #expect(fault(settings(""), limits) == nil)
    #expect(
      fault(settings(#""slots":1"#), limits)?.reason
        == "settings.slots is not allowed: no room may have settings of its own here (--room-settings none)")
  }

  @Test("a replay needs a time, of every type of event")
  func replayNeedsTime() {
    #expect(fault(gift(#""x":1"#), key: nil, .replay)?.code == .missingField)
    #expect(fault(#"{"type":"room_closed","room":"r","ts":null}"#, key: nil, .replay)?.code == .missingField)
    #expect(fault(gift(#""ts":1"#), key: nil, .replay) == nil)
  }

  @Test("a quotation in a sentence is short, printable and on one line")
  func excerpts() throws {
    let long = try #require(fault(#"{"type":"\#(letters(5000))","room":"r"}"#))
    #expect(long.reason.utf8.count < 300)
    #expect(long.reason.contains("…"))
    let odd = try #require(fault("{\"type\":\"a\\u0000\u{202E}\u{200B}\u{85}\u{7F}小\",\"room\":\"r\"}"))
    #expect(odd.reason.contains(#"a\u0000\u{202E}\u{200B}\u{85}\u{7F}小"#))
    let key = try #require(fault(#"{"room":"r"}"#, key: "a\n\u{1B}[31mb"))
    #expect(key.reason.contains(#"a\u{A}\u{1B}[31mb"#))
  }

  @Test("a sentence about invalid JSON names the fault and its position")
  func notJSON() throws {
    let found = try #require(fault(#"{"a":01}"#))
    #expect(found.code == .notJSON)
    #expect(
      found.reason
        == "the record has a number that JSON does not allow (at byte 5); a JSON object in UTF-8 (RFC 8259) is expected")
    #expect(fault("")?.reason.contains("is empty") == true)
    #expect(fault("[]")?.reason.contains("an array") == true)
    #expect(fault(#"{"a":"\ud800"}"#)?.reason.contains("surrogate") == true)
    let deep = try #require(fault(String(repeating: #"{"a":"#, count: 65) + "1" + String(repeating: "}", count: 65)))
    #expect(deep.reason.contains("64 levels"))
  }

  @Test("whatever the bytes are, there is an event or a code with a sentence", arguments: 0..<40)
  func neverCrashes(seed: Int) {
    var random = SplitMix64(seed: seed)
    let decoder = EventDecoder()
    let samples = Self.cases.map(\.record) + [settings(#""tiers":[{"value":1,"linger_ms":1,"busy_linger_ms":1}],"slots":3"#)]
    for _ in 0..<500 {
      var bytes: [UInt8]
      if Int.random(in: 0..<8, using: &random) == 0 {
        bytes = (0..<Int.random(in: 0..<200, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
      } else {
        bytes = Array(samples.randomElement(using: &random)!.utf8)
        for _ in 0..<Int.random(in: 1...4, using: &random) where !bytes.isEmpty {
          bytes[Int.random(in: 0..<bytes.count, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        }
      }
      do throws(BadEvent) {
        _ = try decode(bytes, key: Array("r".utf8), WireLimits(), decoder)
      } catch {
        #expect(!error.reason.isEmpty && error.reason.utf8.count < 2000, "seed \(seed)")
        #expect(!error.reason.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F }, "seed \(seed): \(error.reason)")
      }
    }
  }
}
