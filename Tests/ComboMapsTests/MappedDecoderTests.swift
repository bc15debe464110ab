import ComboCore
import ComboMaps
import ComboWire
import Foundation
import Testing

@Suite("Mapped records")
struct MappedDecoderTests {
  /// The amount that a gift comes to by these fields.
  private func amount(_ fields: String, _ record: String) throws -> String {
    let made = try mapped(giftMap(fields), record)
    return made.hasPrefix("gift|") ? String(made.split(separator: "|", omittingEmptySubsequences: false)[8]) : made
  }

  @Test(
    "are found by pointers with escapes, through arrays, and by names of any length",
    arguments: [
      ("/a~1b", #"{"a/b":7,"u":1,"g":1}"#), ("/a~0b", #"{"a~b":7,"u":1,"g":1}"#), ("/~01", #"{"~1":7,"u":1,"g":1}"#),
      ("/a/1/b", #"{"a":[{"b":3},{"b":7}],"u":1,"g":1}"#), ("/a/1", #"{"a":{"1":7},"u":1,"g":1}"#), ("/", #"{"":7,"u":1,"g":1}"#),
      ("/a/0/0", #"{"a":[[7,8]],"u":1,"g":1}"#), ("/12345678", #"{"12345678":7,"1234567":3,"123456789":3,"u":1,"g":1}"#),
      ("/123456789012345678", #"{"123456789012345679":3,"123456789012345678":7,"u":1,"g":1}"#),
      ("/数/量", #"{"数":{"量":7},"u":1,"g":1}"#),
      ("/count", #"{"\u0063oun\u0074":7,"count":3,"u":1,"g":1}"#), ("/c", #"{"c":7,"c":3,"u":1,"g":1}"#),
    ])
  func pointers(_ pointer: String, _ record: String) throws {
    #expect(try amount(#""count": "\#(pointer)""#, record) == "count 7")
  }

  @Test(
    "have nothing where a pointer leads nowhere",
    arguments: ["/a/01", "/a/2", "/a/b", "/a/0/x", "/b", "/u/x", "/n", "/e"])
  func nowhere(_ pointer: String) throws {
    #expect(try amount(#""count": ["\#(pointer)", {"const": 9}]"#, #"{"a":[1,2],"n":null,"e":"","u":1,"g":1}"#) == "count 9")
  }

  @Test(
    "take integers as digits in a string too, within wire.md's ranges",
    arguments: [
      (#"5"#, "count 5"), (#""5""#, "count 5"), (#""1000000""#, "count 1000000"), (#""0""#, "out_of_range"),
      (#"0"#, "out_of_range"),
      (#""1000001""#, "out_of_range"), (#""-5""#, "out_of_range"), (#""99999999999999999999""#, "out_of_range"),
      (#""5.0""#, "wrong_type"), (#"5.0"#, "wrong_type"), (#""x""#, "wrong_type"), (#"true"#, "wrong_type"),
      (#"{}"#, "wrong_type"),
      (#""5 ""#, "wrong_type"), (#""٥""#, "wrong_type"),
    ])
  func integers(_ value: String, _ result: String) throws {
    #expect(try amount(#""count": "/n""#, #"{"n":\#(value),"u":1,"g":1}"#) == result)
  }

  @Test(
    "multiply, and say when a product is too large",
    arguments: [
      (#""a":3,"b":"4""#, "count 12"), (#""a":3"#, "missing_field"), (#""a":0,"b":4"#, "out_of_range"),
      (#""a":1000000000000,"b":1000000000000"#, "out_of_range"),
      (#""a":9223372036854775807,"b":9223372036854775807"#, "out_of_range"),
      (#""a":-2,"b":-3"#, "count 6"), (#""a":"x","b":1"#, "wrong_type"), (#""a":1.5,"b":2"#, "wrong_type"),
    ])
  func products(_ numbers: String, _ result: String) throws {
    #expect(try amount(#""count": {"product": ["/a", "/b"]}"#, #"{\#(numbers),"u":1,"g":1}"#) == result)
  }

  @Test("have the value of the first place that has one, and skip missing ones")
  func fallbacks() throws {
    let fields = #""total": ["/a", {"at": "/b", "unless": ["0", -1]}], "streak": {"at": ["/s", "/t"], "unless": "0"}"#
    #expect(try amount(fields, #"{"a":3,"b":4,"s":"x","u":1,"g":1}"#) == "total 3 of x")
    #expect(try amount(fields, #"{"a":null,"b":4,"s":0,"t":"y","u":1,"g":1}"#) == "total 4 of y")
    #expect(try amount(fields, #"{"b":4,"s":"0","u":1,"g":1}"#) == "total 4 of ")
    #expect(try amount(fields, #"{"b":0,"u":1,"g":1}"#) == "missing_field")
    #expect(try amount(fields, #"{"b":-1,"u":1,"g":1}"#) == "missing_field")
    #expect(try amount(#""total": ["/a", {"const": 1}]"#, #"{"u":1,"g":1}"#) == "total 1 of ")
    #expect(try amount(#""count": "/c", "total": "/t""#, #"{"u":1,"g":1}"#) == "count 1")
    #expect(try amount(#""count": "/c", "total": "/t""#, #"{"c":1,"t":2,"u":1,"g":1}"#) == "out_of_range")
  }

  @Test("join texts, and are without where a part is missing")
  func joins() throws {
    let map = giftMap(#""id": {"join": ["/u", "-", "/g", ":", {"product": ["/a", {"const": 2}]}]}"#)
    #expect(try mapped(map, #"{"u":"a\"b","g":5,"a":21}"#).hasPrefix(#"gift|r|5|a"b-5:42|a"b|"#))
    #expect(try mapped(map, #"{"u":1,"g":5}"#).hasPrefix("gift|r|5||1||5|"))
    #expect(try mapped(map, #"{"u":1,"g":5,"a":1.5}"#) == "wrong_type")
  }

  @Test(
    "tell times in their unit",
    arguments: [
      ("ms", "1700000000123", "1700000000123"), ("ms", #""1700000000123""#, "1700000000123"),
      ("s", "1700000000", "1700000000000"),
      ("s", "1700000000.25", "1700000000250"), ("us", "1700000000123456", "1700000000123"),
      ("ns", "1700000000123456789", "1700000000123"),
      ("rfc3339", #""2026-11-21T13:00:00Z""#, "1795266000000"), ("rfc3339", #""2026-11-21T21:00:00.125+08:00""#, "1795266000125"),
      ("rfc3339", #""1972-02-29T00:00:00-00:30""#, "68171400000"), ("rfc3339", #""2026-11-21""#, "wrong_type"),
      ("rfc3339", #""2026-13-21T13:00:00Z""#, "wrong_type"), ("rfc3339", "5", "wrong_type"),
      ("rfc3339", #""2025-02-29T00:00:00Z""#, "wrong_type"), ("s", "-1", "out_of_range"),
      ("s", "1e300", "out_of_range"), ("ms", "9007199254740993", "out_of_range"), ("ms", "1.5", "wrong_type"),
    ])
  func times(_ unit: String, _ value: String, _ result: String) throws {
    let map =
      #"{"map":1,"name":"t","rules":[{"event":"room_closed","fields":{"room":{"const":"r"},"ts":{"at":"/t","unit":"\#(unit)"}}}]}"#
    let made = try mapped(map, #"{"t":\#(value)}"#)
    #expect(made.split(separator: "|").last.map(String.init) == result)
  }

  @Test("go by the first rule whose condition holds")
  func conditions() throws {
    func decides(_ when: String, _ record: String) throws -> Bool {
      try !mapped(giftMap("", when: when), record).hasPrefix("dropped")
    }
    let cases: [(String, String, Bool)] = [
      (#"{"at": "/x", "is": 5}"#, #""x":5"#, true), (#"{"at": "/x", "is": "5"}"#, #""x":5"#, true),
      (#"{"at": "/x", "is": 5}"#, #""x":"5""#, true), (#"{"at": "/x", "is": ["a", true]}"#, #""x":true"#, true),
      (#"{"at": "/x", "is": "a"}"#, #""x":"\u0061""#, true), (#"{"at": "/x", "is": "a"}"#, #""x":["a"]"#, false),
      (#"{"at": "/x", "is": "a"}"#, #""y":"a""#, false), (#"{"at": "/x", "exists": true}"#, #""x":{}"#, true),
      (#"{"at": "/x", "exists": true}"#, #""x":"""#, false), (#"{"at": "/x", "exists": false}"#, #""x":null"#, true),
      (#"{"at": "/x", "starts": "SEND_"}"#, #""x":"SEND_GIFT:4""#, true), (#"{"at": "/x", "starts": "SEND_"}"#, #""x":5"#, false),
      (#"{"at": "/x", "above": 0, "below": 10}"#, #""x":"9.5""#, true),
      (#"{"at": "/x", "above": 0, "below": 10}"#, #""x":10"#, false),
      (#"{"at": "/x", "above": 0}"#, #""x":"many""#, false), (#"{"not": {"at": "/x", "is": 1}}"#, #""x":2"#, true),
      (#"{"any": [{"at": "/x", "is": 1}, {"at": "/y", "is": 1}]}"#, #""y":1"#, true),
      (#"{"all": [{"at": "/x", "is": 1}, {"at": "/y", "is": 1}]}"#, #""y":1"#, false),
      (#"[{"at": "/x", "is": 1}, {"at": ["/z", "/y"], "is": 1}]"#, #""x":1,"y":1"#, true),
      (#"{"at": "/x", "differs": "/y"}"#, #""x":5,"y":6"#, true), (#"{"at": "/x", "differs": "/y"}"#, #""x":5,"y":"5""#, false),
      (#"{"at": "/x", "differs": "/y"}"#, #""x":"a","y":"\u0061""#, false),
      (#"{"at": "/x", "differs": "/y"}"#, #""x":"\u0062","y":"\u0061""#, true),
      (#"{"at": "/x", "differs": "/y"}"#, #""x":"a""#, false), (#"{"at": "/x", "differs": "/y"}"#, #""y":"a""#, false),
      (#"{"at": "/x", "differs": "/y"}"#, #""x":"a","y":null"#, false),
      (#"{"at": "/x", "differs": "/y"}"#, #""x":"a","y":["b"]"#, false),
      (#"{"at": "/x", "differs": "/y"}"#, #""x":{},"y":"b""#, false),
      (#"{"at": "/x", "unless": [5], "differs": "/y"}"#, #""x":5,"y":6"#, false),
      (#"{"at": "/x", "differs": ["/z", "/y"]}"#, #""x":5,"y":6"#, true),
      (#"{"at": "/x", "differs": ["/z", "/y"]}"#, #""x":5,"y":6,"z":5"#, false),
    ]
    for (when, record, holds) in cases {
      #expect(try decides(when, "{\(record),\"u\":1,\"g\":1}") == holds, "\(when) of \(record)")
    }
    for (length, holds) in [(1024, true), (1025, false)] {
      let record = #"{"x":"\#(String(repeating: "a", count: length))","y":"b","u":1,"g":1}"#
      #expect(try decides(#"{"at": "/x", "differs": "/y"}"#, record) == holds, "\(length)")
      #expect(try decides(#"{"at": "/y", "differs": "/x"}"#, record) == holds, "\(length)")
    }
    let byKey = giftMap("", when: #"{"key": true, "differs": "/x"}"#)
    #expect(try mapped(byKey, #"{"x":"k","u":1,"g":1}"#, key: "k").hasPrefix("dropped"))
    #expect(try !mapped(byKey, #"{"x":"l","u":1,"g":1}"#, key: "k").hasPrefix("dropped"))
  }

  @Test(
    "of YouTube are worth what they say in jewels",
    arguments: [
      #""giftDetails":{"giftName":"Heart","jewelsAmount":50}"#,
      #""giftEventDetails":{"giftMetadata":{"giftName":"Heart","jewelsAmount":50}}"#,
    ])
  func jewels(details: String) throws {
    let from = #""liveChatId":"L","authorChannelId":"U","publishedAt":"2026-07-10T12:00:00Z""#
    let made = try mapped(
      #require(BuiltInMaps.text("youtube")), #"{"id":"g","snippet":{"type":"giftEvent",\#(from),\#(details)}}"#)
    #expect(made.hasPrefix("gift|L|1783684800000||U||Heart|50.0|total 1 of g|"))
  }

  @Test("of YouTube's web page are bad where no part of their sentence is a number")
  func sentence() throws {
    let header = #"{"liveChatSponsorshipsHeaderRenderer":{"primaryText":{"runs":[{"text":"five"},{"text":" gifts"}]}}}"#
    let announced = #"{"id":"a","timestampUsec":"1783684800000000","authorExternalChannelId":"U","header":\#(header)}"#
    let made = try mapped(
      #require(BuiltInMaps.text("youtube")), #"{"liveChatSponsorshipsGiftPurchaseAnnouncementRenderer":\#(announced)}"#,
      key: "r", sentence: true)
    #expect(made.hasPrefix("unknown_type: the number of announced memberships does not stand by itself"))
  }

  @Test("are dropped or called bad by rules, with their reasons")
  func outcomes() throws {
    let map = """
      {"map": 1, "name": "t", "rules": [
        {"when": {"at": "/k", "is": 1}, "drop": "told before"},
        {"when": {"at": "/k", "is": 2}, "bad": "holds several messages"}]}
      """
    #expect(try mapped(map, #"{"k":1}"#) == "dropped: told before (t, rule 1)")
    #expect(try mapped(map, #"{"k":2}"#, sentence: true) == "unknown_type: holds several messages (t, rule 2)")
    #expect(
      try mapped(map, "{}", sentence: true) == "unknown_type: none of the map's rules is for it (t, otherwise)")
    #expect(try mapped(map, "{") == "not_json")
    #expect(try mapped(map, "[]").hasPrefix("unknown_type"))
  }

  @Test("are read from the key and headers, which must be UTF-8")
  func keyAndHeaders() throws {
    let map = giftMap(#""id": {"header": "trace"}"#, when: #"{"header": "kind", "is": "gift"}"#)
      .replacingOccurrences(of: #""room": ["/room", {"const": "r"}], "#, with: "")
    let record = #"{"u":1,"g":1}"#
    #expect(try mapped(map, record, key: "k", headers: ["kind": "gift", "trace": "t1"]).hasPrefix("gift|k|5|t1|1||1|"))
    #expect(try mapped(map, record, key: "k", headers: ["kind": "gift"]).hasPrefix("gift|k|5||1||1|"))
    #expect(try mapped(map, record, key: "k") == "dropped: not a gift (t, otherwise)")
    #expect(try mapped(map, record, headers: ["kind": "gift"]) == "missing_field")
    #expect(try mapped(map, record, headers: ["kind": "gift"], limits: WireLimits()) == "missing_field")
    let byKey = giftMap(#""id": {"key": true}"#)
    #expect(try mapped(byKey, record, key: "k").hasPrefix("gift|r|5|k|"))
    // The room's rule holds as without a map.
    #expect(try mapped(byKey, record, key: "k", limits: WireLimits()) == "wrong_key")
    #expect(try mapped(byKey, record, key: "r", limits: WireLimits()).hasPrefix("gift|r|5|r|"))
    let room = #"{"map":1,"name":"t","rules":[{"event":"room_closed"}]}"#
    #expect(try mapped(room, "{}", key: "k", limits: WireLimits()) == "roomClosed|k|-1")
  }

  @Test("have the members that the map names, within the display limit")
  func display() throws {
    let map = giftMap(#""receiver": {"id": "/to/id", "show": "/to"}"#)
      .replacingOccurrences(
        of: #"{"id": "/u"}"#,
        with: #"{"id": "/u", "show": {"name": "/n", "a b\"": {"at": "/p", "max": 6}, "raw": "/raw", "x": {"const": 1.5}}}"#
      )
      .replacingOccurrences(of: #"{"id": "/g"}"#, with: #"{"id": "/g", "value": "/v"}"#)
    func shown(_ record: String) throws -> [Substring] {
      try mapped(map, record).split(separator: "|", omittingEmptySubsequences: false).suffix(3)
    }
    #expect(
      try shown(#"{"u":"a\"b","n":"小\u660e","p":"http","raw":[1, {"k": 2}],"g":7,"v":"2.5","to":{"id" : 1, "n":"x"}}"#) == [
        #"{"id":"a\"b","name":"小\u660e","a b\"":"http","raw":[1,{"k":2}],"x":1.5}"#, #"{"id":1,"n":"x"}"#,
        #"{"id":"7","value":2.5}"#,
      ])
    #expect(try shown(#"{"u":1,"p":"https","g":7}"#) == [#"{"id":"1","x":1.5}"#, "", #"{"id":"7"}"#])
    #expect(try mapped(map, #"{"u":1,"g":7,"to":5}"#) == "wrong_type")
    let long = String(repeating: "n", count: 16_384)
    #expect(try mapped(map, #"{"u":1,"g":7,"n":"\#(long)"}"#) == "too_large")
    #expect(try mapped(map, #"{"u":1,"g":7,"p":"\#(long)"}"#).hasPrefix("gift"))
    #expect(try mapped(map, #"{"u":1,"g":7,"v":"1e3"}"#) == "wrong_type")
    #expect(try mapped(map, #"{"u":1,"g":7,"v":1000000000001}"#) == "out_of_range")
  }

  @Test(
    "show what a gift is worth as the shortest number",
    arguments: [
      ("0", "0"), ("7", "7"), ("-0", "-0"), ("1000000000000", "1000000000000"), ("999999999999999", nil), ("7.0", "7"),
      ("70e-1", "7"),
      ("\"7\"", "7"), ("0.10", "0.1"), ("1e3", "1000"), ("9007199254740993", nil), ("null", ""), ("-7", nil),
    ])
  func worth(_ written: String, _ shown: String?) throws {
    let map = giftMap("").replacingOccurrences(of: #"{"id": "/g"}"#, with: #"{"id": "/g", "value": "/v"}"#)
    let made = try mapped(map, #"{"u":1,"g":7,"v":\#(written)}"#)
    let value = shown.map { $0.isEmpty ? "" : #","value":\#($0)"# }
    #expect(made.hasSuffix(value.map { #"||{"id":"7"\#($0)}"# } ?? "out_of_range"), "\(made)")
  }

  @Test("are put together with texts that are joined, whatever the arena has room for", arguments: 0..<64)
  func joinedDisplay(length: Int) throws {
    let map = giftMap("").replacingOccurrences(
      of: #"{"id": "/u"}"#,
      with:
        #"{"id": "/u", "show": {"a": "/n", "b": {"join": ["/n", "-", "/n"]}, "c": "/raw", "d": {"join": ["/u", "!"]}, "e": "/n"}}"#
    )
    let name = String(repeating: "n", count: length)
    let made = try mapped(map, #"{"u":"a\"b","n":"\#(name)","raw":[1, {"k": 2}],"g":7}"#)
    let fields = length == 0 ? ["", "", ""] : [#","a":"\#(name)""#, #","b":"\#(name)-\#(name)""#, #","e":"\#(name)""#]
    #expect(made.contains(#"|{"id":"a\"b"\#(fields[0])\#(fields[1]),"c":[1,{"k":2}],"d":"a\"b!"\#(fields[2])}|"#), "\(made)")
  }

  @Test(
    "are distinguished by texts of any length",
    arguments: ["", "1", "1234567", "12345678", "123456789", "12345678x", "1234567x", "1234567890123456", "1234567890123457"])
  func texts(_ text: String) throws {
    let kinds = ["1", "1234567", "123456789", "12345678x", "1234567890123456"]
    let map = giftMap("", when: #"{"at": "/k", "is": ["\#(kinds.joined(separator: #"", ""#))"]}"#)
    // What stands behind the text is no part of it.
    for behind in ["", "89"] {
      let made = try mapped(map, #"{"u":1,"g":7,"k":"\#(text)","x":"\#(behind)"}"#)
      #expect(made.hasPrefix("gift") == kinds.contains(text), "\(made)")
    }
  }

  @Test("are without missing members, wherever a pointer is")
  func unless() throws {
    let none = #""unless": ["0", 7]}"#
    let map = giftMap(
      #""id": {"at": "/i", \#(none), "count": [{"at": "/c", \#(none), {"const": 1}]"#,
      when: #"{"at": "/k", \#(none.dropLast()), "is": ["7", "8"]}"#
    )
    .replacingOccurrences(
      of: #"{"id": "/g"}"#, with: #"{"id": "/g", "value": {"at": "/v", \#(none), "show": {"name": {"at": "/n", \#(none)}}"#)
    #expect(
      try mapped(map, #"{"u":1,"g":7,"k":8,"i":"0","c":7,"v":7,"n":"0"}"#)
        == #"gift|r|5||1||7|0.0|count 1|{"id":"1"}||{"id":"7"}"#)
    #expect(
      try mapped(map, #"{"u":1,"g":7,"k":8,"i":"8","c":8,"v":8,"n":"8"}"#)
        == #"gift|r|5|8|1||7|8.0|count 8|{"id":"1"}||{"id":"7","name":"8","value":8}"#)
    #expect(try mapped(map, #"{"u":1,"g":7,"k":7}"#).hasPrefix("dropped"))
  }

  @Test("have ids of up to 256 bytes, however they are written", arguments: [1, 255, 256, 257])
  func ids(_ length: Int) throws {
    let id = String(repeating: "i", count: length)
    for written in [id, #"\u0069"# + id.dropFirst()] {
      let made = try mapped(giftMap(""), #"{"u":"\#(written)","g":7}"#)
      #expect(length <= 256 ? made.contains("|\(id)||7|") : made == "out_of_range", "\(made)")
    }
  }

  @Test("name in a sentence the place from which the map reads a field")
  func sentences() throws {
    let map = giftMap(#""count": ["/a", "/b"]"#)
    #expect(
      try mapped(map, #"{"g":1}"#, sentence: true)
        == "missing_field: sender.id is missing; the event needs one; t, rule 1, takes it from /u")
    #expect(
      try mapped(map, #"{"u":1,"g":1,"b":"x"}"#, sentence: true)
        == #"wrong_type: count is "x"; it must be an integer; t, rule 1, takes it from /b"#)
    #expect(
      try mapped(map, #"{"u":1,"g":1,"b":0}"#, sentence: true)
        == "out_of_range: count is 0; 1 to 1000000 is allowed; t, rule 1, takes it from /b")
    let hidden =
      #"{"map": 1, "name": "t", "rules": [{"event": "gift", "fields": {"room": {"const": "r"}, "ts": {"const": 5}, "sender": {"id": ["/u", {"when": {"at": ["/h", "/i"], "contains": "x"}, "then": "/n"}]}, "gift": {"id": "/g"}}}]}"#
    #expect(
      try mapped(hidden, #"{"g":1,"i":"y"}"#, sentence: true)
        == "missing_field: sender.id is missing; the event needs one; t, rule 1, takes it from /u or /n")
  }

  @Test("retract no more than they name: the fields of the rule must be there")
  func retractions() throws {
    let map = """
      {"map": 1, "name": "t", "rules": [{"event": "retract", "fields": {"room": "/r", "sender": {"id": "/u"}, "gift": {"id": "/g"}}}]}
      """
    #expect(try mapped(map, #"{"r":"r","u":1,"g":2}"#) == "retract|r|-1|1||2")
    #expect(try mapped(map, #"{"r":"r","u":1}"#) == "missing_field")
  }

  @Test("go by the switches that were chosen")
  func switches() throws {
    let map = giftMap(
      #""count": {"switch": "hits", "cases": {"sends": "/n", "gifts": {"product": ["/n", "/hits"]}}}"#,
      more: #", "switches": {"hits": {"default": "sends", "values": {"sends": "x", "gifts": "y"}}}"#)
    let record = #"{"u":1,"g":1,"n":3,"hits":4}"#
    #expect(try mapped(map, record).contains("|count 3|"))
    #expect(try mapped(map, record, switches: [("hits", "gifts")]).contains("|count 12|"))
  }

  @Test("are read by the map that a field or a header chooses, below a wrapper")
  func choices() throws {
    let map = """
      {"map": 1, "name": "all", "choose": {"at": "/platform", "root": "/payload", "fields": {"room": "/room"},
        "maps": {"w": "wire"}}, "otherwise": {"drop": "of no platform"}}
      """
    let payload = #"{"room":"inner","ts":7,"sender":{"id":"u"},"gift":{"id":"g"}}"#
    #expect(
      try mapped(map, #"{"platform":"w","room":"outer","payload":\#(payload)}"#)
        == #"gift|outer|7||u||g|0.0|count 1|{"id":"u"}||{"id":"g"}"#)
    #expect(try mapped(map, #"{"platform":"w","payload":\#(payload)}"#).hasPrefix("gift|inner|7|"))
    #expect(try mapped(map, #"{"platform":"v","payload":\#(payload)}"#) == "dropped: of no platform (all, otherwise)")
    let byHeader = #"{"map": 1, "name": "all", "choose": {"header": "p", "maps": {"w": "wire"}}}"#
    #expect(try mapped(byHeader, payload, headers: ["p": "w"]).hasPrefix("gift|inner|"))
    #expect(try mapped(byHeader, payload) == "unknown_type")
    let only = #"{"map": 1, "name": "mine", "choose": {"map": "wire", "root": "/a"}}"#
    #expect(try mapped(only, #"{"a":\#(payload)}"#).hasPrefix("gift|inner|"))
  }

  @Test("are the same by the text that a journal keeps of a map")
  func canonical() throws {
    let map = giftMap(
      #""count": {"switch": "hits", "cases": {"sends": "/n", "gifts": {"const": 5}}}"#,
      more: #", "switches": {"hits": {"default": "sends", "values": {"sends": "x", "gifts": "y"}}}"#)
    let first = try RecordMap(Array(map.utf8), file: "m", switches: [("hits", "gifts")])
    let kept = try RecordMap(canonical: first.canonical)
    #expect(kept == first)
    let chooser = #"{"map": 1, "name": "all", "choose": {"at": "/p", "maps": {"w": "wire"}}}"#
    let all = try RecordMap(Array(chooser.utf8), file: "m")
    #expect(all.canonical.contains(#""maps":{"wire":{"map":1"#))
    #expect(try RecordMap(canonical: all.canonical) == all)
    #expect(throws: MapFaults.self) { try RecordMap(canonical: "{}") }
    #expect(throws: MapFaults.self) { try RecordMap(canonical: "") }
  }

  @Test("with a schema registry's frame are named, and read where JSON follows by the map")
  func frames() throws {
    let record = "\0\0\0\u{1}\u{2}" + #"{"u":1,"g":1}"#
    #expect(
      try mapped(giftMap(""), record, sentence: true)
        == #"not_json: the record begins with byte 0 and schema id 258, the frame of a schema registry's serializer; if JSON follows, as it seems, a map with "frame": "confluent" reads it"#
    )
    #expect(
      try mapped(giftMap(""), "\0\0\0\0\u{7}\u{2}abc", sentence: true)
        == "not_json: the record begins with byte 0 and schema id 7, the frame of a schema registry's serializer; a map with record reads Avro and Protobuf (docs/binary.md)"
    )
    let framed = giftMap("", more: #", "frame": "confluent""#)
    #expect(try mapped(framed, record).hasPrefix("gift|r|"))
    #expect(try mapped(framed, #"{"u":1,"g":1}"#).hasPrefix("gift|r|"))
  }

  @Test("leave nothing in the arena if they are bad or dropped")
  func arena() throws {
    let map = try RecordMap(Array(giftMap("", when: #"{"at": "/x", "is": 1}"#).utf8), file: "m")
    var limits = WireLimits()
    limits.roomFromBody = true
    let decoder = RecordDecoder(limits: limits, map: map)
    let arena = BumpArena(chunkSize: 4096)
    var event = Event()
    for record in [#"{"x":1,"u":1}"#, #"{"x":2}"#, "{"] {
      for _ in 0..<10_000 {
        Array(record.utf8).withUnsafeBytes { _ = try? decoder.decode($0, key: nil, into: arena, &event) }
      }
    }
    #expect(arena.capacity == 4096)
  }
}
