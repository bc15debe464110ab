import ComboCore
import ComboMaps
import ComboWire
import Testing

/// The ids of a gift, its streak and its combo, where a record has several or none.
@Suite("The identity of a gift")
struct MapIdentityTests {
  /// Returns the gifts of records, each as a line `id sender>receiver gift amount …`. A bad or dropped record is one line.
  static func gifts(_ map: RecordMap, _ records: [String]) -> [String] {
    var limits = WireLimits()
    limits.roomFromBody = true
    let decoder = RecordDecoder(limits: limits, map: map)
    let arena = BumpArena()
    var event = Event()
    return records.flatMap { record in
      Array(record.utf8).withUnsafeBytes { record -> [String] in
        Array("k".utf8).withUnsafeBytes { key in
          do throws(BadEvent) {
            guard try decoder.decode(record, key: key, into: arena, &event) else { return ["dropped"] }
            return ([event] + decoder.further).map { line($0.gift) }
          } catch { return ["bad: \(error)"] }
        }
      }
    }
  }

  private static func line(_ gift: Gift) -> String {
    func text(_ bytes: Bytes) -> String { String(decoding: bytes, as: UTF8.self) }
    var parts = ["\(text(gift.id)) \(text(gift.senderID))>\(text(gift.receiverID)) \(text(gift.giftID))"]
    switch gift.amount {
    case .count(let count): parts.append("count \(count)")
    case .total(let total, let streak): parts.append("total \(total) of \"\(text(streak))\"")
    }
    if let life = gift.streakMs { parts.append("for \(life)") }
    if gift.ends { parts.append("ends") }
    if !gift.combo.isEmpty { parts.append("combo \(text(gift.combo))") }
    return parts.joined(separator: " ")
  }

  private func map(_ fields: String, root: String? = nil, more: String = "") throws -> RecordMap {
    let root = root.map { #""root": "\#($0)", "# } ?? ""
    let text =
      #"{"map": 1, "name": "t", "rules": [{\#(root)"event": "gift", "fields": {"sender": {"id": "^/u"}, "gift": {"id": "^/g"}, \#(fields)}\#(more)}]}"#
    return try RecordMap(Array(text.utf8), file: "t")
  }

  @Test("an id beside a total is extended by the total, unless the map states that ids are new")
  func idAndTotal() throws {
    let records = [1, 3, 3].map { #"{"id": "m", "u": 1, "g": 2, "n": \#($0)}"# }
    let kept = try map(#""id": "/id", "total": "/n""#)
    #expect(Self.gifts(kept, records) == [#"m#1 1> 2 total 1 of """#, #"m#3 1> 2 total 3 of """#, #"m#3 1> 2 total 3 of """#])
    let new = try map(#""id": "/id", "total": "/n""#, more: #", "ids": "new""#)
    #expect(Self.gifts(new, records).allSatisfy { $0.hasPrefix("m 1>") })
  }

  @Test("a count beside a total is noted, unless the record has both names as wire.md does")
  func countAndTotal() throws {
    let noted = ["rule has a count and a total"]
    for (fields, expected) in [
      (#""count": {"const": 1}, "total": "/total""#, noted), (#""count": "/n", "total": "/hits""#, noted),
      (#""count": "/count", "total": "/total""#, []), (#""count": "/n""#, []), (#""total": "/n""#, []),
    ] {
      let notes = try map(fields).notes.map(\.sentence)
      #expect(notes.count == expected.count && zip(notes, expected).allSatisfy { $0.contains($1) }, "\(fields): \(notes)")
    }
  }

  @Test("a map with an id beside a total gets a note when it is loaded, until it states whether ids are new")
  func notes() throws {
    #expect(try map(#""id": "/id", "total": "/n""#).notes.map(\.sentence).contains { $0.contains("an id and a total") })
    for word in ["new", "kept"] {
      #expect(try map(#""id": "/id", "total": "/n""#, more: #", "ids": "\#(word)""#).notes.isEmpty)
    }
    #expect(try map(#""id": "/id""#).notes.isEmpty)
    #expect(throws: MapFaults.self) { try map(#""id": "/id""#, more: #", "ids": "new""#) }
    for name in BuiltInMaps.names {
      let built = try RecordMap(Array(#require(BuiltInMaps.text(name)).utf8), file: name)
      #expect(built.notes.isEmpty, "\(name): \(built.notes.map(\.description))")
    }
  }

  @Test("one id of a record with several gifts is made one for each, by the element's place; an element's own id stays")
  func place() throws {
    let record = #"{"id": "m", "u": 1, "g": 2, "to": [{"id": "a"}, {"id": "b"}]}"#
    let outer = try map(#""id": "^/id", "receiver": {"id": "/id"}"#, root: "/to/*")
    #expect(
      Self.gifts(outer, [record, record]) == ["m#0 1>a 2 count 1", "m#1 1>b 2 count 1", "m#0 1>a 2 count 1", "m#1 1>b 2 count 1"])
    let inner = try map(#""id": "/id""#, root: "/to/*")
    #expect(Self.gifts(inner, [record]) == ["a 1> 2 count 1", "b 1> 2 count 1"])
    let joined = try map(#""id": {"join": ["^/id", "-", "/id"]}"#, root: "/to/*")
    #expect(Self.gifts(joined, [record]) == ["m-a 1> 2 count 1", "m-b 1> 2 count 1"])
    // The id is the message's own, but is shared by the message's gifts.
    let deep = #"{"u": 1, "g": 2, "m": [{"id": "x", "to": [{}, {}]}, {"id": "y", "to": [{}]}]}"#
    #expect(
      Self.gifts(try map(#""id": "../../id""#, root: "/m/*/to/*"), [deep]) == [
        "x#0 1> 2 count 1", "x#1 1> 2 count 1", "y#0 1> 2 count 1",
      ])
  }

  @Test("an id that becomes too long by its suffix is replaced by its hash")
  func longID() throws {
    let long = String(repeating: "x", count: 256)
    let lines = Self.gifts(try map(#""id": "/id", "total": "/n""#), [#"{"id": "\#(long)", "u": 1, "g": 2, "n": 7}"#])
    #expect(lines.count == 1 && lines[0].contains("#7 1> 2") && lines[0].utf8.count < 80, "\(lines)")
  }

  @Test("a streak that several receivers have in common is one for each of them")
  func streaks() throws {
    let record = #"{"s": "c", "u": 1, "g": 2, "n": 5, "to": [{"id": "a"}, {"id": "b"}]}"#
    let map = try map(#""total": "^/n", "streak": "^/s", "receiver": {"id": "/id"}"#, root: "/to/*")
    #expect(Self.gifts(map, [record]) == [#" 1>a 2 total 5 of "c#a""#, #" 1>b 2 total 5 of "c#b""#])
    let none = try self.map(#""total": "^/n", "streak": "^/s""#, root: "/to/*")
    #expect(Self.gifts(none, [record]) == [#" 1> 2 total 5 of "c#0""#, #" 1> 2 total 5 of "c#1""#])
  }

  @Test(
    "a streak's life, end and combo are taken from the record",
    arguments: [
      (#""life": 300000, "end": true"#, #"total 5 of "" for 300000 ends combo b"#),
      (#""life": "1000", "end": 1"#, #"total 5 of "" for 1000 ends combo b"#),
      (#""end": "0""#, #"total 5 of "" combo b"#), (#""end": false"#, #"total 5 of "" combo b"#),
      (#""end": 2"#, "bad: wrong_type: ends"),
      (#""life": 3600001"#, "bad: out_of_range: streak_ms is 3600001"),
    ])
  func lives(fields: String, expected: String) throws {
    let map = try map(#""total": "/n", "streak_ms": "/life", "ends": "/end", "combo": "/b""#)
    let line = Self.gifts(map, [#"{"u": 1, "g": 2, "n": 5, "b": "b", \#(fields)}"#])
    #expect(line.count == 1)
    #expect(line[0].hasSuffix(expected) || line[0].hasPrefix(expected), "\(line)")
  }

  @Test("a field may depend on a condition")
  func conditional() throws {
    let map = try map(
      #""count": {"when": {"at": "/kind", "is": "double", "missing": false}, "then": {"const": 2}, "else": "/n"}"#)
    #expect(
      Self.gifts(map, [#"{"u":1,"g":2,"kind":"double","n":9}"#, #"{"u":1,"g":2,"n":9}"#]).map { $0.suffix(7) } == [
        "count 2", "count 9",
      ])
  }

  @Test("what holds where a field is missing can be said, and is asked for where gifts are dropped")
  func missing() throws {
    func map(_ missing: String) throws -> RecordMap {
      try RecordMap(
        Array(
          #"{"map":1,"name":"t","rules":[{"when":[{"at":"/t","exists":true},{"at":"/n","is":[0]\#(missing)}],"drop":"part"},{"event":"gift","fields":{"sender":{"id":"/u"},"gift":{"id":"/g"}}}]}"#
            .utf8), file: "t")
    }
    let records = [#"{"t":1,"u":1,"g":2}"#, #"{"t":1,"u":1,"g":2,"n":0}"#, #"{"t":1,"u":1,"g":2,"n":1}"#]
    let silent = try map("")
    #expect(Self.gifts(silent, records) == [" 1> 2 count 1", "dropped", " 1> 2 count 1"])
    #expect(silent.notes.map(\.sentence).contains { $0.contains(#"does not say what holds where it is missing"#) })
    let dropping = try map(#","missing":true"#)
    #expect(Self.gifts(dropping, records) == ["dropped", "dropped", " 1> 2 count 1"])
    #expect(dropping.notes.isEmpty)
  }

  @Test("what drops more than one element, and fields that only gifts have, are noted")
  func reach() throws {
    func notes(_ rule: String) throws -> [String] {
      try RecordMap(
        Array(
          #"{"map":1,"name":"t","fields":{"room":"/r","ts":"/t"},"rules":[\#(rule),{"event":"gift","fields":{"sender":{"id":"/u"},"gift":{"id":"/g"}}}]}"#
            .utf8), file: "t"
      ).notes.map(\.sentence)
    }
    let chat = #""when":{"at":"/e/*/k","is":"chat"},"drop":"chat""#
    #expect(try notes("{\(chat)}").contains { $0.contains(#"with "root": "/e/*" it drops each"#) })
    #expect(try notes(#"{"root":"/e/*",\#(chat)}"#) == [])
    // Where another rule reads the elements, this one is applied to each of them.
    let gift = #"{"root":"/e/*","event":"gift","fields":{"sender":{"id":"/u"},"gift":{"id":"/g"}}}"#
    #expect(try notes("{\(chat)},\(gift)") == [])
    let retraction = #"{"when":{"at":"/k","is":"r"},"event":"retract","fields":{"sender":{"id":"/u"}"#
    #expect(try notes(retraction + "}}").contains { $0.contains("this event has no room and no ts, unless it names its own") })
    #expect(try notes(retraction + #","room":"/r","ts":"/t"}}"#) == [])
  }

  private static let watchful = #"""
    {"map":1,"name":"t","roots":["/items/*",""],"gifts":{"commands":["cmd"],"words":["gift"],"others":["gift_panel"],"keys":["giftId"]},
     "rules":[{"when":{"at":["/n"],"exists":true},"event":"gift","fields":{"sender":{"id":"/u"},"gift":{"id":"/giftId"},"count":"/n"}}],
     "otherwise":{"drop":"no gift"}}
    """#

  @Test(
    "what names a gift and is read by no rule is bad, wherever it stands; what is known to be none is dropped",
    arguments: [
      (#"{"u":1,"giftId":2,"n":3}"#, " 1> 2 count 3"), (#"{"u":1,"giftId":2}"#, "bad"), (#"{"cmd":"SEND_GIFT_9"}"#, "bad"),
      (#"{"cmd":"GIFT_PANEL_PLAN","giftId":2}"#, "dropped"), (#"{"cmd":"CHAT","text":"gift"}"#, "dropped"),
      (#"{"a":{"b":[{"c":{"giftId":2}}]}}"#, "bad"), (#"{"a":{"giftId":null}}"#, "dropped"), (#"{"a":{"giftId":0}}"#, "dropped"),
      (#"{"items":[{"u":1,"giftId":2,"n":3},{"cmd":"CHAT"}]}"#, " 1> 2 count 3"),
      (#"{"items":[{"u":1,"giftId":2,"n":3},{"giftId":2}]}"#, "bad"),
      (#"{"items":[{"cmd":"CHAT"},{"u":1,"giftId":2,"n":3}]}"#, " 1> 2 count 3"),
      (#"{"items":[{"giftId":5},{"u":1,"giftId":2,"n":3}]}"#, "bad"),
      (#"{"data":"{\"giftId\":5}"}"#, "bad"), (#"{"text":"{\"giftId\":5}"}"#, "dropped"), (#"{"c\u006dd":"GIFT\u0021"}"#, "bad"),
    ])
  func signs(record: String, expected: String) throws {
    let map = try RecordMap(Array(Self.watchful.utf8), file: "t")
    let result = Self.gifts(map, [record, record])
    #expect(
      result.allSatisfy { expected == "bad" ? $0.hasPrefix("bad: unknown_type: the record names a gift") : $0 == expected },
      "\(result)")
  }

  @Test("display data is bounded over all gifts of a record, and the elements of arrays by what they cost")
  func bounds() throws {
    let name = String(repeating: "n", count: 15_000)
    let gifts = Array(repeating: "{}", count: 500).joined(separator: ",")
    let shown = try RecordMap(
      Array(
        #"{"map":1,"name":"t","rules":[{"root":"/to/*","event":"gift","fields":{"sender":{"id":"^/u","show":{"name":"^/name"}},"gift":{"id":"^/g"}}}]}"#
          .utf8), file: "t")
    let result = Self.gifts(shown, [#"{"u":1,"g":2,"name":"\#(name)","to":[\#(gifts)]}"#])
    #expect(result.count == 1 && result[0].contains("the record's gifts have more than 1048576 bytes"), "\(result.count)")
    let zeros = Array(repeating: "0", count: 30_000).joined(separator: ",")
    for name in BuiltInMaps.names where name != "wire" {
      let map = try RecordMap(Array(#require(BuiltInMaps.text(name)).utf8), file: name)
      let lines = Self.gifts(map, ["[\(zeros)]"])
      #expect(
        lines.count == 1
          && (name == "rumble" ? lines[0] == "dropped" : lines[0].contains("the record's arrays have too many elements")),
        "\(name): \(lines)")
    }
  }
}
