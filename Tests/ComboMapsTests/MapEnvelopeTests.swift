import ComboCore
import ComboMaps
import ComboWire
import Testing

@testable import ComboTestSupport

/// The text around the JSON of a gift, and records with several lists of gifts.
@Suite("Around a gift")
struct MapEnvelopeTests {
  private static let gift =
    #""event": "gift", "fields": {"sender": {"id": "/u"}, "gift": {"id": "/g"}, "count": ["/n", {"const": 1}]}"#

  private func gifts(_ map: String, _ records: [String]) throws -> [String] {
    try MapIdentityTests.gifts(RecordMap(Array(map.utf8), file: "t"), records)
  }

  // MARK: - Before the JSON

  @Test(
    "a prefix is passed over; a line without it is of another kind, and what follows it must be JSON",
    arguments: [
      ("MSG\\tab:cd\\t{\"u\":1,\"g\":2}", " 1> 2 count 1"), ("{\"u\":1,\"g\":2}", " 1> 2 count 1"), ("PING\\tx", "dropped"),
      ("MSG\\tonly", "dropped"), ("", "bad: not_json"), ("MSG\\tab\\tno JSON", "bad: not_json"), ("MSG\\tab\\t", "bad: not_json"),
    ])
  func prefix(line: String, expected: String) throws {
    let map =
      #"{"map": 1, "name": "t", "prefix": "MSG\t*\t", "rules": [{"when": {"at": "/u", "exists": true}, \#(Self.gift)}], "otherwise": {"drop": "x"}}"#
    let record = line.replacing("\\t", with: "\t")
    let result = try gifts(map, [record, record])
    #expect(result.allSatisfy { $0.hasPrefix(expected) }, "\(result)")
  }

  @Test("a prefix is text that ends, for maps of JSON")
  func prefixFaults() {
    let rules = #""rules": [{\#(Self.gift)}]"#
    for prefix in ["", "{", "[x", "MSG*", String(repeating: "x", count: 65)] {
      #expect(
        faults(of: #"{"map": 1, "name": "t", "prefix": "\#(prefix)", \#(rules)}"#).contains {
          $0.contains("prefix must be 1 to 64")
        })
    }
    #expect(
      faults(of: #"{"map": 1, "name": "t", "text": "stt", "prefix": "x", \#(rules)}"#)
        .contains { $0.hasSuffix(#"prefix is for "text": "json" only"#) })
  }

  // MARK: - JSON in base64

  @Test("JSON in base64 is read in its place, where the map declares it")
  func base64() throws {
    let map =
      #"{"map": 1, "name": "t", "unpack": [{"at": "/b", "base64": true, "when": {"at": "/k", "is": "j"}}], "roots": ["/b"], "rules": [{\#(Self.gift)}], "otherwise": {"drop": "x"}}"#
    // {"u":"ü","g":2}
    let good = try gifts(map, [#"{"k":"j","b":"eyJ1Ijoiw7wiLCJnIjoyfQ=="}"#, #"{"k":"j","b":"eyJ1Ijoiw7wiLCJnIjoyfQ"}"#])
    #expect(good == [" ü> 2 count 1", " ü> 2 count 1"])
    let bad = try gifts(
      map, [#"{"k":"j","b":"eyJ1?"}"#, #"{"k":"j","b":"eyJ1I"}"#, #"{"k":"j","b":"aGVsbG8="}"#, #"{"k":"j","b":"e30x"}"#])
    #expect(bad[0].hasSuffix("/b is not JSON in base64: its character 5 is not base64"))
    #expect(bad[1].hasSuffix("/b is not JSON in base64: its base64 is cut off"))
    #expect(bad[2].hasSuffix(#"/b is not JSON in base64: it begins with "hello""#))
    #expect(bad[3].hasPrefix("bad: not_json"))
    #expect(
      faults(of: #"{"map": 1, "name": "t", "unpack": [{"at": "/b", "base64": "yes"}], "rules": [{\#(Self.gift)}]}"#)
        .contains { $0.contains("base64 must be true") })
  }

  // MARK: - Several lists

  private static let lists = #"""
    {"map": 1, "name": "t", "fields": {"id": "/id", "sender": {"id": "/u"}}, "rules": [
      {"when": {"at": "/subs/*/u", "exists": true}, "root": "/subs/*", "event": "gift", "fields": {"gift": {"id": {"const": "sub"}}}},
      {"when": {"at": "/live/*/rants/*/u", "exists": true}, "root": "/live/*/rants/*", §"event": "gift", "fields": {"gift": {"id": {"const": "rant"}}}}],
     "otherwise": {"drop": "none"}}
    """#

  @Test("gifts of two arrays are all read where the second rule says that it is beside the first, each once", arguments: 0..<20)
  func beside(seed: Int) throws {
    var random = SplitMix64(seed: UInt64(seed))
    func some(_ letter: String) -> [String] { (0..<Int(random.next() % 4)).map { "\(letter)\($0)" } }
    func list(_ ids: [String]) -> String { ids.map { #"{"id":"\#($0)","u":1}"# }.joined(separator: ",") }
    let map = Self.lists.replacing("§", with: #""beside": true, "#)
    for _ in 0..<20 {
      let subs = some("s")
      let live = (0..<Int(random.next() % 3)).map { some("r\($0)-") }
      let text = #"{"subs":[\#(list(subs))],"live":[\#(live.map { "{\"rants\":[\(list($0))]}" }.joined(separator: ","))]}"#
      let result = try gifts(map, [text, text])
      let expected = subs.map { "\($0) 1> sub count 1" } + live.flatMap { $0 }.map { "\($0) 1> rant count 1" }
      let twice: [String] = expected.isEmpty ? ["dropped", "dropped"] : expected + expected
      #expect(result.sorted() == twice.sorted(), "seed \(seed): \(text)")
    }
  }

  @Test("without beside, a record with gifts in two arrays is bad, so that none of them is lost")
  func notBeside() throws {
    let text = #"{"subs":[{"id":"s","u":1}],"live":[{"rants":[{"id":"r","u":1}]}]}"#
    #expect(try gifts(Self.lists.replacing("§", with: ""), [text]).first?.contains("two gifts in two envelopes") == true)
    #expect(
      faults(of: #"{"map": 1, "name": "t", "rules": [{"beside": true, \#(Self.gift)}]}"#)
        .contains { $0.contains("beside is for a rule whose root goes through an array") })
  }

  // MARK: - Sources that repeat

  @Test("a list that is repeated with each answer, by its name, is asked whether its repetitions keep it alive")
  func repeated() throws {
    func notes(_ list: String, _ more: String = "") throws -> [String] {
      let map =
        #"{"map": 1, "name": "t", "rules": [{"root": "/\#(list)/*", "event": "gift", "fields": {"id": "/id", \#(more)"sender": {"id": "/u"}, "gift": {"id": "/g"}}}]}"#
      return try RecordMap(Array(map.utf8), file: "t").notes.map(\.sentence)
    }
    #expect(try notes("recent_rants").count == 1 && notes("latestGifts")[0].contains("refresh"))
    #expect(try notes("recent_rants", #""refresh": {"const": true}, "#).isEmpty)
    #expect(try notes("gifts").isEmpty)
  }

  // MARK: - What names a gift that no rule reads

  private static let watchful = #"""
    {"map": 1, "name": "t", "roots": ["/data", ""], "gifts": {"commands": ["cmd"], "words": ["gift"], "keys": ["giftId"]},
     "rules": [{"when": [{"at": "/cmd", "is": "GIFT"}, {"at": "/giftId", "exists": true}, {"at": ["/n", "/num"], "above": 0}],
       "event": "gift", "fields": {"sender": {"id": "/u"}, "gift": {"id": "/giftId"}}}], "otherwise": {"drop": "no gift"}}
    """#

  @Test(
    "the message of a record that no rule reads says what it lacks for the nearest rule",
    arguments: [
      (#"{"cmd":"GIFT","giftId":2}"#, "t, rule 1 would, but /n or /num is missing"),
      (#"{"data":{"cmd":"GIFT","n":1}}"#, "t, rule 1 would, but /data/giftId is missing"),
      (#"{"cmd":"GIFT","giftId":2,"n":0}"#, "t, rule 1 would, but /n or /num is not above 0"),
      (#"{"cmd":"GIFT","giftId":2,"n":"1,5"}"#, "t, rule 1 would, but /n or /num is no number above 0"),
      (#"{"cmd":"GIFT2","giftId":2,"n":1}"#, #"t, rule 1 would, but /cmd is not "GIFT""#),
      (#"{"cmd":"GIFT","giftId":null,"n":1}"#, "t, rule 1 would, but /giftId is null"),
      (#"{"cmd":"GIFT","giftId":2,"num":null}"#, "t, rule 1 would, but /num is null"),
      (#"{"a":{"cmd":"GIFT","giftId":2,"n":1}}"#, "no root of the map leads to the object that names the gift"),
    ])
  func lacks(record: String, expected: String) throws {
    let result = try gifts(Self.watchful, [record])[0]
    #expect(result.hasPrefix("bad: unknown_type: the record names a gift (") && result.hasSuffix(expected), "\(result)")
  }

  @Test("the message names a rule whose own root leads to the gift")
  func lacksBelowRoot() throws {
    let map = #"""
      {"map": 1, "name": "t", "unpack": ["/body"], "gifts": {"commands": ["evt"], "words": ["gift"]},
       "rules": [{"when": {"at": "/body/evt", "is": "GIFT_A"}, "root": "/body", "event": "gift",
         "fields": {"sender": {"id": "/u"}, "gift": {"id": "/g"}}}], "otherwise": {"drop": "no gift"}}
      """#
    for body in [#""{\"evt\":\"GIFT_B\"}""#, #"{"evt":"GIFT_B"}"#] {
      let result = try gifts(map, [#"{"op":1,"body":\#(body)}"#])[0]
      #expect(result.hasSuffix(#"t, rule 1 would, but /body/evt is not "GIFT_A""#), "\(result)")
    }
  }

  @Test("the message names a chosen map's rule where the choice's root leads to the gift")
  func lacksBelowChoice() throws {
    let chosen = #"""
      {"map": 1, "name": "o", "gifts": {"commands": ["cmd"], "keys": ["giftId"], "words": ["gift"]}, "otherwise": {"drop": "no gift"},
       "rules": [{"when": {"at": "/n", "exists": true}, "event": "gift",
         "fields": {"sender": {"id": "/u"}, "gift": {"id": "/giftId"}}}]}
      """#
    let library = MapLibrary { _ in (Array(chosen.utf8), "o") }
    let map = #"{"map": 1, "name": "t", "choose": {"map": "o", "root": "/body"}}"#
    let choosing = try RecordMap(Array(map.utf8), file: "t", library: library)
    let result = MapIdentityTests.gifts(choosing, [#"{"body":{"u":1,"giftId":2}}"#])[0]
    #expect(result.hasSuffix("o, rule 1 would, but /body/n is missing"), "\(result)")
  }

  @Test(
    "its message says what the nearest rule expects of an object, of null and of a value that must differ",
    arguments: [
      (#"{"cmd":"G","data":{"a":1,"b":2,"gift":1}}"#, #"/data has members other than "a" or "gift""#),
      (#"{"cmd":"G","data":5,"gift":1}"#, #"/data is not an object with only "a" or "gift""#),
      (#"{"cmd":"G","data":{"a":1},"none":3,"gift":1}"#, "/none is there, and /none is not null"),
      (#"{"cmd":"G","data":{"a":1},"none":null,"x":1,"y":1,"gift":1}"#, "/x does not differ from /y"),
    ])
  func lacksShape(record: String, expected: String) throws {
    let map = #"""
      {"map": 1, "name": "t", "gifts": {"keys": ["gift"]}, "otherwise": {"drop": "no gift"}, "rules": [
        {"when": [{"at": "/cmd", "is": "G"}, {"at": "/data", "only": ["a", "gift"]}, {"at": "/none", "is": null},
          {"at": "/x", "differs": "/y"}],
         "event": "gift", "fields": {"sender": {"id": "/u"}, "gift": {"id": "/gift"}}}]}
      """#
    let result = try gifts(map, [record])[0]
    #expect(result.contains(expected), "\(result)")
  }

  @Test("the message proposes no rule that never holds")
  func neverHolds() throws {
    let fields = #""event": "gift", "fields": {"sender": {"id": "/u"}, "gift": {"id": "/giftId"}}"#
    let map = #"""
      {"map": 1, "name": "t", "gifts": {"commands": ["cmd"], "words": ["gift"]}, "otherwise": {"drop": "no gift"},
       "switches": {"free": {"default": "zero", "values": {"zero": "0", "paid": "as paid"}}}, "rules": [
        {"when": [{"at": "/cmd", "is": "GIFT"}, {"at": "/n", "exists": true}], \#(fields)},
        {"when": [{"at": "/cmd", "is": "GIFT"}, {"switch": "free", "is": "paid"}], \#(fields)}
      ]}
      """#
    let result = try gifts(map, [#"{"cmd":"GIFTS","u":1,"giftId":2}"#])[0]
    #expect(result.hasSuffix(#"t, rule 1 would, but /cmd is not "GIFT", and /n is missing"#), "\(result)")
  }

  @Test(
    "the message names the rule that the record's command leads to, and null or a text on the way to what is missing",
    arguments: [
      (#"{"cmd":"GIFT","gift":null}"#, "t, rule 1 would, but /gift is null"),
      (#"{"cmd":"GIFT","gift":"rose x2"}"#, "t, rule 1 would, but /gift is a text that is not read as JSON"),
      (#"{"cmd":"GIFT","gift":{}}"#, "t, rule 1 would, but /gift/id is missing"),
      (#"{"cmd":"GIFTS","u":1,"names":[null]}"#, "t, rule 3 would, but /names/* is null, and /names/0 is null"),
    ])
  func obstructed(record: String, expected: String) throws {
    let fields = #""event": "gift", "fields": {"sender": {"id": "^/u"}, "gift": {"id": {"const": "g"}}}"#
    let map = #"""
      {"map": 1, "name": "t", "gifts": {"commands": ["cmd"], "words": ["gift"]}, "otherwise": {"drop": "no gift"}, "rules": [
        {"when": [{"at": "/cmd", "is": "GIFT"}, {"at": "/gift/id", "exists": true}], \#(fields)},
        {"when": [{"at": "/u", "exists": true}, {"at": "/n", "exists": true}], \#(fields)},
        {"when": {"at": "/names/0", "exists": true}, "root": "/names/*", \#(fields)}
      ]}
      """#
    let result = try gifts(map, [record])[0]
    #expect(result.hasPrefix("bad: unknown_type: the record names a gift (") && result.hasSuffix(expected), "\(result)")
  }

  @Test("the message of a text whose JSON is broken names the text")
  func brokenText() throws {
    for (place, record) in [
      ("/c", #"{"c":"{\"id\":1"}"#), ("/list/*/c", #"{"list":[{"c":"{\"id\":1}"},{"c":"{\"id\":1"}]}"#),
    ] {
      let map = #"{"map": 1, "name": "t", "unpack": ["\#(place)"], "rules": [{"drop": "x"}]}"#
      let result = try gifts(map, [record])[0]
      #expect(
        result.hasPrefix("bad: not_json: the text of \(place) holds no JSON that can be read; with it, the record "), "\(result)")
    }
  }

  @Test(
    "a gift that no rule reads is found in any string and array, but not in what a viewer wrote",
    arguments: [
      (#"{"foo":"{\"giftId\":2}"}"#, true), (#"{"list":["{\"giftId\":2}"]}"#, true), (#"["[null,{\"giftId\":2}]"]"#, true),
      (#"{"a":{"b":"[{\"giftId\":2}]"}}"#, true), (#"{"user":"v","foo":"{\"giftId\":2}"}"#, false),
      (#"{"user":"v","list":["{\"giftId\":2}"]}"#, false), (#"{"comment":"{\"giftId\":2}"}"#, false),
      (#"{"foo":"gift {"}"#, false),
      (#"{"foo":"[gift]"}"#, false),
    ])
  func inTexts(record: String, isFound: Bool) throws {
    let result = try gifts(Self.watchful, [record])[0]
    #expect(result.hasPrefix("bad: unknown_type") == isFound && (isFound || result == "dropped"), "\(result)")
  }

  @Test("a word that says more than the beginning of another kind makes it a gift")
  func longerWord() throws {
    let map =
      #"{"map": 1, "name": "t", "gifts": {"commands": ["cmd"], "words": ["guard_buy"], "others": ["GUARD_"]}, "rules": [{"when": {"at": "/u", "exists": true}, \#(Self.gift)}], "otherwise": {"drop": "x"}}"#
    let result = try gifts(map, [#"{"x":{"cmd":"GUARD_BUY"}}"#, #"{"x":{"cmd":"GUARD_HONOR"}}"#])
    #expect(result[0].hasPrefix("bad: unknown_type") && result[1] == "dropped", "\(result)")
  }

  // MARK: - What comes twice

  @Test("a gift that a platform sends twice has one id in both records")
  func twice() throws {
    func ids(_ reference: String, _ records: [String]) throws -> [String] {
      let read = try MapReference.read(reference).get()
      let map = try RecordMap(Array(#require(BuiltInMaps.text(read.name)).utf8), file: read.name, switches: read.switches)
      return MapIdentityTests.gifts(map, records).map { String($0.prefix { $0 != " " }) }
    }
    // A web hook that is subscribed to twice.
    let kick = ["m1", "m2"].map {
      #"{"message_id":"\#($0)","broadcaster":{"user_id":1},"gifter":{"user_id":7},"giftees":[{"user_id":21},{"user_id":22}],"created_at":"2026-10-02T10:00:00.123456789Z"}"#
    }
    #expect(try ids("kick", [kick[0]]) == ["2026-10-02T10:00:00.123456789Z-21", "2026-10-02T10:00:00.123456789Z-22"])
    #expect(try ids("kick", [kick[1]]) == ids("kick", [kick[0]]))
    let kicks = ["m1", "m2"].map {
      #"{"message_id":"\#($0)","broadcaster":{"user_id":1},"sender":{"user_id":7},"gift":{"amount":100,"name":"Rage"},"created_at":"2026-10-02T10:00:00.123Z"}"#
    }
    #expect(try ids("kick", kicks) == ["2026-10-02T10:00:00.123Z-7-Rage-100", "2026-10-02T10:00:00.123Z-7-Rage-100"])
    // Receivers without an id are told apart by their place.
    let hidden = kick[0].replacing("21", with: "0").replacing("22", with: "0")
    #expect(try ids("kick", [hidden]) == ["bad:"])
    let anonymous = hidden.replacing(#""user_id":0"#, with: #""user_id":0,"username":"Anonymous""#)
    #expect(
      try ids("kick", [anonymous]) == ["2026-10-02T10:00:00.123456789Z-7#0", "2026-10-02T10:00:00.123456789Z-7#1"])
    // blivedm's toast, which says from where it comes.
    let toasts = [0, 2].map {
      #"{"uid":5,"username":"x","guard_level":3,"num":1,"price":138000,"unit":"m","gift_id":10003,"toast_msg":"t","source":\#($0),"start_time":1700000000}"#
    }
    #expect(try ids("bilibili:guard=paid", toasts) == ["5-guard-3-1700000000", "5-guard-3-1700000000"])
  }

  // MARK: - Times

  @Test(
    "a time may have a zone without a colon, or get one from the map",
    arguments: [
      (#""rfc3339""#, "2026-10-02T18:00:00+0800", "1790935200000"), (#""auto""#, "2026-10-02 18:00:00.5+08", "1790935200500"),
      (#""auto""#, "2026-10-02T10:00:00-00:00", "1790935200000"), (#""auto""#, "2026-10-02 18:00:00", "no zone"),
      (#""auto""#, "2026-10-02T18:00:00+08:", "wrong_type"), (#""auto""#, "2026-10-02T18:00:00+080", "wrong_type"),
    ])
  func zones(unit: String, time: String, expected: String) throws {
    func read(_ source: String) throws -> String {
      let map = RecordDecoder(
        map: try RecordMap(
          Array(
            #"{"map": 1, "name": "t", "rules": [{"event": "gift", "fields": {"ts": \#(source), "sender": {"id": "/u"}, "gift": {"id": "/g"}}}]}"#
              .utf8), file: "t"))
      var event = Event()
      return Array(#"{"u":1,"g":2,"at":"\#(time)"}"#.utf8).withUnsafeBytes { record in
        Array("k".utf8).withUnsafeBytes { key in
          do throws(BadEvent) {
            _ = try map.decode(record, key: key, into: BumpArena(), &event)
            return "\(event.ts)"
          } catch { return error.description }
        }
      }
    }
    let result = try read(#"{"at": "/at", "unit": \#(unit)}"#)
    #expect(result.contains(expected), "\(result)")
    if expected == "no zone" {
      #expect(try read(#"{"join": ["/at", "+08:00"], "unit": \#(unit)}"#) == "1790935200000")
    }
  }

  @Test("a zone has at most 23 hours and 59 minutes, but more by older rules")
  func wideZones() throws {
    let map = try RecordMap(
      Array(giftMap("").replacing("\"ts\": [\"/ts\"", with: #""ts": [{"at": "/ts", "unit": "auto"}"#).utf8), file: "t")
    func read(_ zone: String, _ rules: Rules) throws -> Int64 {
      var event = Event()
      try Array(#"{"u":1,"g":2,"ts":"2026-11-21T13:00:00\#(zone)","room":"k"}"#.utf8).withUnsafeBytes { record in
        try Array("k".utf8).withUnsafeBytes { key in
          _ = try RecordDecoder(map: map, rules: rules).decode(record, key: key, into: BumpArena(), &event)
        }
      }
      return event.ts
    }
    for zone in ["+99:99", "+24:00", "-0060", "+24"] {
      #expect(throws: BadEvent.self, "\(zone)") { try read(zone, .newest) }
      _ = try read(zone, .oldest)
    }
    #expect(try read("+23:59", .newest) == read("+23:59", .oldest))
  }

  @Test("true and false are constants")
  func truth() throws {
    let map =
      #"{"map": 1, "name": "t", "rules": [{"event": "gift", "fields": {"refresh": {"const": true}, "sender": {"id": "/u"}, "gift": {"id": "/g"}}}]}"#
    let decoder = RecordDecoder(map: try RecordMap(Array(map.utf8), file: "t"))
    var event = Event()
    try Array(#"{"u":1,"g":2}"#.utf8).withUnsafeBytes { record in
      try Array("k".utf8).withUnsafeBytes { key in _ = try decoder.decode(record, key: key, into: BumpArena(), &event) }
    }
    #expect(event.gift.refreshes)
  }
}
