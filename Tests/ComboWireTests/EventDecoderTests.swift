import ComboCore
import ComboWire
import Testing

@Suite("Events")
struct EventDecoderTests {
  @Test("the example of the specification is a gift")
  func example() throws {
    let event = try decode(
      """
      {"id": "e-81f3", "room": "r1", "ts": 1732104000123,
       "sender":   {"id": "u1", "name": "小明", "avatar": "https://cdn.example/u1.png"},
       "receiver": {"id": "a1", "name": "主播"},
       "gift":     {"id": "rose", "name": "玫瑰", "value": 10},
       "count": 3}
      """, key: "r1")
    #expect(
      event
        == Decoded(
          kind: .gift, room: "r1", ts: 1_732_104_000_123, id: "e-81f3", sender: "u1", receiver: "a1", gift: "rose",
          displaySender: #"{"id":"u1","name":"小明","avatar":"https://cdn.example/u1.png"}"#,
          displayReceiver: #"{"id":"a1","name":"主播"}"#, displayGift: #"{"id":"rose","name":"玫瑰","value":10}"#, value: 10, count: 3
        ))
  }

  @Test("the least gift counts one, is worth nothing, and has its room from the key")
  func least() throws {
    let event = try decode(#"{"sender":{"id":"u"},"gift":{"id":"g"}}"#, key: "房间")
    #expect(
      event
        == Decoded(
          kind: .gift, room: "房间", ts: -1, sender: "u", gift: "g", displaySender: #"{"id":"u"}"#, displayGift: #"{"id":"g"}"#,
          count: 1))
  }

  @Test("null is as good as missing")
  func nulls() throws {
    let event = try decode(
      #"{"type":null,"room":null,"ts":null,"id":null,"sender":{"id":"u"},"receiver":null,"#
        + #""gift":{"id":"g","value":null},"count":null,"total":null,"streak":null}"#
    )
    #expect(event.kind == .gift && event.room == "r" && event.ts == -1 && event.id == "" && event.receiver == "")
    #expect(event.value == 0 && event.count == 1 && event.displayReceiver == "")
    #expect(event.displayGift == #"{"id":"g","value":null}"#, "it is handed on all the same")
  }

  @Test("the first of two fields with one name counts, null or not, escaped or not")
  func duplicates() throws {
    let event = try decode(
      #"{"count":2,"count":"x","r\u006fom":"r","room":5,"sender":{"id":"u","id":7},"sender":0,"#
        + #""gift":{"value":3,"id":"g","value":4,"id":{}},"ts":null,"ts":5}"#
    )
    #expect(
      event.count == 2 && event.room == "r" && event.sender == "u" && event.gift == "g" && event.value == 3 && event.ts == -1)
    #expect(event.displayGift == #"{"value":3,"id":"g","value":4,"id":{}}"#)
  }

  @Test("a gift names its combo, and a total has the lifetime and the end of its streak")
  func combosAndStreaks() throws {
    let rest = #""sender":{"id":"u"},"gift":{"id":"g"}"#
    let all = try decode(#"{\#(rest),"total":3,"streak":"s","streak_ms":3600000,"ends":true,"combo":"c"}"#)
    #expect(all.total == 3 && all.streak == "s" && all.streakMs == 3_600_000 && all.ends && all.combo == "c")
    let other = try decode(#"{\#(rest),"total":3,"streak_ms":0,"ends":false,"combo":12}"#)
    #expect(other.streak == "" && other.streakMs == 0 && !other.ends && other.combo == "12")
    let counted = try decode(#"{\#(rest),"count":3,"combo":"\u0063"}"#)
    #expect(counted.count == 3 && counted.streakMs == nil && !counted.ends && counted.combo == "c")
    let nothing = try decode(#"{\#(rest),"total":3,"streak":null,"streak_ms":null,"ends":null,"combo":null}"#)
    #expect(nothing.streak == "" && nothing.streakMs == nil && !nothing.ends && nothing.combo == "")
  }

  @Test("an event leaves nothing of the one that was decoded into the same place before")
  func nothingStays() throws {
    let (decoder, arena) = (EventDecoder(), BumpArena(chunkSize: 1024))
    var event = Event()
    let rest = #""sender":{"id":"u"},"gift":{"id":"g"}"#
    for text in [#"{\#(rest),"total":3,"streak":"s","streak_ms":5,"ends":true,"combo":"c"}"#, #"{\#(rest)}"#] {
      try Array(text.utf8).withUnsafeBytes { record in
        try Array("r".utf8).withUnsafeBytes { try decoder.decode(record, key: $0, into: arena, &event) }
      }
    }
    #expect(event.gift.streakMs == nil && !event.gift.ends && event.gift.combo.isEmpty)
  }

  @Test("an integer as an id is its digits, of any number, and the same as its string")
  func integerIDs() throws {
    let digits = String(repeating: "9", count: 256)
    let event = try decode(#"{"id":-0,"sender":{"id":\#(digits)},"gift":{"id":0},"receiver":{"id":-12},"total":3,"streak":7}"#)
    #expect(event.id == "-0" && event.sender == digits && event.gift == "0" && event.receiver == "-12" && event.streak == "7")
    #expect(event.total == 3)
    #expect(
      try decode(#"{"sender":{"id":5},"gift":{"id":"g"}}"#).sender == decode(#"{"sender":{"id":"5"},"gift":{"id":"g"}}"#).sender)
  }

  @Test("an id's escapes are undone, its display data are handed on as written")
  func escapes() throws {
    let event = try decode(
      #"{"room":"\u0072","id":"\"\\\/\b\f\n\r\t","sender":{"i\u0064":"\u5c0f\u660e"},"gift":{"id":"\ud83c\udf39","n":"\u00e9"}}"#)
    #expect(event.room == "r" && event.id == "\"\\/\u{8}\u{C}\n\r\t" && event.sender == "小明" && event.gift == "🌹")
    #expect(event.displaySender == #"{"i\u0064":"\u5c0f\u660e"}"# && event.displayGift == #"{"id":"\ud83c\udf39","n":"\u00e9"}"#)
  }

  @Test("an id is measured after its escapes are undone")
  func escapedLength() throws {
    let sixfold = String(repeating: #"\u0061"#, count: 256)
    #expect(try decode(#"{"sender":{"id":"\#(sixfold)"},"gift":{"id":"g"}}"#).sender.utf8.count == 256)
    #expect(fault(#"{"sender":{"id":"\#(sixfold)b"},"gift":{"id":"g"}}"#)?.code == .outOfRange)
    let wide = String(repeating: #"\u5c0f"#, count: 86)  // 3 bytes each
    #expect(fault(#"{"sender":{"id":"\#(wide)"},"gift":{"id":"g"}}"#)?.code == .outOfRange)
  }

  @Test("names that only look like fields are none")
  func otherNames() throws {
    let event = try decode(
      #"{"countcount":0,"Count":0,"counts":0,"coun":0,"count\u0000":0,"":0,"type ":0,"receiverx":0,"#
        + #""sender":{"id":"u"},"gift":{"id":"g"}}"#
    )
    #expect(event.count == 1)
  }

  @Test("limits are included")
  func limits() throws {
    let long = String(repeating: "x", count: 256)
    let event = try decode(
      #"{"ts":9007199254740992,"id":"\#(long)","sender":{"id":"u"},"gift":{"id":"g","value":1000000000000},"count":1000000}"#)
    #expect(event.ts == 1 << 53 && event.id == long && event.value == 1e12 && event.count == 1_000_000)
    #expect(try decode(#"{"ts":0,"sender":{"id":"u"},"gift":{"id":"g"},"total":1000000000}"#).total == 1_000_000_000)
    #expect(try decode(#"{"ts":-0,"type":"room_closed"}"#).ts == 0)
    #expect(try decode(#"{"type":"room_closed","room":"\#(long)"}"#, key: long).room == long)
  }

  @Test(
    "a worth is the nearest double",
    arguments: [
      ("0.1", 0.1), ("0", 0), ("-0", 0), ("-0.0", 0), ("1e2", 100), ("123456789.123456789", 123456789.123456789), ("1E-7", 1e-7),
      ("999999999999.9999", 999999999999.9999), ("0.30000000000000004", 0.30000000000000004), ("1e-400", 0), ("-1e-400", 0),
      ("0.000000000000000000000000000000000000001", 1e-39), ("5e-324", .leastNonzeroMagnitude), ("123456789012", 123_456_789_012),
      ("0e99999999999", 0), ("100000000000000000000000e-20", 1000),
      ("0.1000000000000000055511151231257827021181583404541015625", 0.1),
    ])
  func values(_ text: String, _ value: Double) throws {
    #expect(try decode(#"{"sender":{"id":"u"},"gift":{"id":"g","value":\#(text)}}"#).value == value)
  }

  @Test("a retraction names a sender, and all other given fields")
  func retraction() throws {
    let all = try decode(#"{"type":"retract","sender":{"id":"u"},"receiver":{"id":1},"gift":{"id":"g"}}"#)
    #expect(all == Decoded(kind: .retract, room: "r", ts: -1, sender: "u", receiver: "1", gift: "g"))
    let least = try decode(#"{"type":"retract","sender":{"id":"u"},"receiver":null}"#)
    #expect(least == Decoded(kind: .retract, room: "r", ts: -1, sender: "u"))
  }

  @Test("settings of a room are read in their order, each once")
  func settings() throws {
    let event = try decode(
      #"""
      {"type": "room_\u0073ettings", "ts": 5, "settings": {"linger_ms": 500, "slots": null, "slots": 7, "queue_order": "tier",
       "linger_ms": "x",
       "queue_merge": "t\u0061il", "tiers": [{"busy_linger_ms": 3, "value": 0.5, "linger_ms": 2, "value": 9},
       {"value": 1e3, "linger_ms": 0, "busy_linger_ms": 60000}],
       "milestones": [10, 66, 9223372036854775807], "max_ids": 0, "made_up": null}}
      """#)
    #expect(event.kind == .roomSettings && event.ts == 5)
    #expect(
      event.own.settings == [
        .integer(.lingerMs, 500), .queueOrder(.tier), .queueMerge(.tail),
        .tiers([Tier(value: 0.5, lingerMs: 2, busyLingerMs: 3), Tier(value: 1000, lingerMs: 0, busyLingerMs: 60_000)]),
        .milestones([10, 66, 9_223_372_036_854_775_807]), .integer(.maxIds, 0),
      ])
    #expect(try decode(#"{"type":"room_settings","settings":{}}"#).own.isEmpty)
    #expect(
      try decode(#"{"type":"room_settings","settings":{"tiers":[],"milestones":[]}}"#).own.settings == [
        .tiers([]), .milestones([]),
      ])
  }

  @Test("every integer setting is known under its name, in a room's range", arguments: IntegerSetting.allCases)
  func integerSettings(_ setting: IntegerSetting) throws {
    func record(_ value: Int) -> String { #"{"type":"room_settings","settings":{"\#(setting.rawValue)":\#(value)}}"# }
    for value in [setting.roomRange.lowerBound, setting.roomRange.upperBound] {
      #expect(try decode(record(value)).own.settings == [.integer(setting, value)])
    }
    for value in [setting.roomRange.lowerBound - 1, setting.roomRange.upperBound + 1] {
      let found = try #require(fault(record(value)))
      #expect(found.code == .outOfRange && found.reason.hasPrefix("settings.\(setting.rawValue) must be "), "\(found.reason)")
      #expect(found.reason.hasSuffix("to \(setting.roomRange.upperBound) for a room, not \(value)"), "\(found.reason)")
    }
  }

  @Test("with the room trusted, the key does not matter")
  func roomFromBody() throws {
    var limits = WireLimits()
    limits.roomFromBody = true
    #expect(try decode(#"{"type":"room_closed","room":"r"}"#, key: "s", limits).room == "r")
    #expect(try decode(#"{"type":"room_closed","room":"r"}"#, key: nil, limits).room == "r")
    #expect(try decode(#"{"type":"room_closed"}"#, key: "s", limits).room == "s")
    #expect(fault(#"{"type":"room_closed"}"#, key: nil, limits)?.code == .missingField)
  }

  @Test("the prefix of an input stands in front of each room, which the key does not have")
  func roomPrefix() throws {
    var limits = WireLimits()
    limits.roomPrefix = "gifts:"
    #expect(try decode(#"{"type":"room_closed","room":"r"}"#, key: "r", limits).room == "gifts:r")
    #expect(try decode(#"{"type":"room_closed","room":"\u0072"}"#, key: "r", limits).room == "gifts:r")
    #expect(try decode(#"{"type":"room_closed"}"#, key: "r", limits).room == "gifts:r")
    #expect(fault(#"{"type":"room_closed","room":"r"}"#, key: "gifts:r", limits)?.code == .wrongKey)
    let long = String(repeating: "r", count: EventDecoder.idBytesMax - 5)
    #expect(fault(#"{"type":"room_closed"}"#, key: long, limits)?.code == .outOfRange)
    #expect(try decode(#"{"type":"room_closed"}"#, key: String(long.dropLast()), limits).room.hasPrefix("gifts:r"))
    #expect(limits.withoutPrefix(Array("gifts:r".utf8)).elementsEqual("r".utf8))
    #expect(limits.withoutPrefix(Array("gift:r".utf8)).elementsEqual("gift:r".utf8))
  }

  @Test("display data are handed on byte for byte, less the white space between tokens", arguments: 0..<40)
  func compactDisplay(seed: Int) throws {
    var random = SplitMix64(seed: seed)
    func space() -> String {
      (0..<[0, 0, 1, 1, 2, 20].randomElement(using: &random)!).map { _ in [" ", "\t", "\n", "\r"].randomElement(using: &random)! }
        .joined()
    }
    func value(_ depth: Int) -> String {
      switch Int.random(in: 0..<(depth > 4 ? 4 : 6), using: &random) {
      case 0: return ["0", "-1.50e+3", "12345678", "true", "null", "1e400"].randomElement(using: &random)!
      case 1: return #"" a \" b \\ , : { } [ ] \u00e9 ""#
      case 2: return #""玫瑰 花""#
      case 3: return "\"" + String(repeating: "x ", count: Int.random(in: 0..<40, using: &random)) + "\""
      case 4:
        let elements = (0..<Int.random(in: 0..<5, using: &random)).map { _ in space() + value(depth + 1) + space() }
        return "[" + (elements.isEmpty ? space() : elements.joined(separator: ",")) + "]"
      default:
        let members = (0..<Int.random(in: 0..<5, using: &random)).map { _ in
          space() + #""k k""# + space() + ":" + space() + value(depth + 1) + space()
        }
        return "{" + (members.isEmpty ? space() : members.joined(separator: ",")) + "}"
      }
    }
    for _ in 0..<50 {
      let sender = "{" + space() + #""id":"u","x":"# + value(0) + space() + "}"
      let gift = "{" + space() + #""y":"# + value(0) + #","id""# + space() + #":"g"}"#
      let record =
        space() + "{" + space() + #""sender":"# + space() + sender + #","z":"# + value(0) + #","gift":"# + gift + space() + "}"
        + space()
      let event = try decode(record)
      let expectedSender = try #require(StrictJSON.compactObject(Array(sender.utf8)))
      let expectedGift = try #require(StrictJSON.compactObject(Array(gift.utf8)))
      #expect(Array(event.displaySender.utf8) == expectedSender, "seed \(seed)")
      #expect(Array(event.displayGift.utf8) == expectedGift, "seed \(seed)")
    }
  }

  @Test("display data with more gaps than a token can count are written unchanged")
  func manyGaps() throws {
    var limits = WireLimits()
    limits.recordBytes = 1 << 20
    limits.displayBytes = 1 << 20
    let list = "[" + Array(repeating: " 1 ", count: 60_000).joined(separator: ",") + "]"
    let event = try decode(#"{"x":\#(list),"sender":{"id": "u"},"gift":{ "y" : \#(list), "id":"g"}}"#, limits)
    #expect(event.displaySender == #"{"id":"u"}"#)
    #expect(event.displayGift == #"{"y":"# + list.replacing(" ", with: "") + #","id":"g"}"#)
  }

  @Test("an arena that is reset needs no more memory, and a bad record leaves nothing in it")
  func steadyState() throws {
    let decoder = EventDecoder()
    let arena = BumpArena(chunkSize: 4096)
    var event = Event()
    let good = Array(#"{"room":"r","sender": {"id": "\u0075"},"gift":{"id":"g"}}"#.utf8)
    let bad = Array((#"{"room":"r","sender":{"id":"u"},"gift":{},"x":""# + String(repeating: "x", count: 3000) + #""}"#).utf8)
    let key = Array("r".utf8)
    func round() throws {
      arena.reset()
      for _ in 0..<200 {
        try good.withUnsafeBytes { good in
          try key.withUnsafeBytes { key in
            try decoder.decode(good, key: key, into: arena, &event)
            #expect(String(event.gift.senderID) == "u")
            _ = bad.withUnsafeBytes { bad in
              #expect(throws: BadEvent.self) { try decoder.decode(bad, key: key, into: arena, &event) }
            }
          }
        }
      }
    }
    try round()
    let capacity = arena.capacity
    #expect(capacity < 64 * 1024, "200 bad records of 3 KB would have taken more")
    for _ in 0..<5 { try round() }
    #expect(arena.capacity == capacity)
  }

  @Test("events stay as they are while others are decoded into the same arena")
  func stableAddresses() throws {
    let decoder = EventDecoder()
    let arena = BumpArena(chunkSize: 1024)
    var events = [Event](repeating: Event(), count: 500)
    for index in events.indices {
      let record = Array(#"{"room":"r\#(index)","sender":{"id" :"u\#(index)"},"gift":{"id":"g"}}"#.utf8)
      let key = Array("r\(index)".utf8)
      try record.withUnsafeBytes { record in
        try key.withUnsafeBytes { try decoder.decode(record, key: $0, into: arena, &events[index]) }
      }
    }
    for index in events.indices {
      #expect(String(events[index].room) == "r\(index)" && String(events[index].gift.senderID) == "u\(index)")
      #expect(String(events[index].gift.display.sender) == #"{"id":"u\#(index)"}"#)
    }
  }
}
