import ComboCore
import ComboMaps
import ComboWire
import Testing

@Suite("The text of `map`")
struct MapToolTests {
  private func explain(_ map: String, _ record: String, key: String? = nil) throws -> MapExplanation {
    var limits = WireLimits()
    limits.roomFromBody = true
    let explainer = MapExplainer(try RecordMap(Array(map.utf8), file: "m"), limits: limits)
    return Array(record.utf8).withUnsafeBytes { explainer.explain($0, key: nil) }
  }

  @Test("has each field with its place, its text there and its value")
  func fields() throws {
    let map = giftMap(#""total": {"product": ["/a", "/b"]}, "streak": ["/x", {"join": ["/u", "-", "/g"]}]"#)
    let explanation = try explain(map, #"{"room":"r","ts":7,"u":1,"g":"y","a":2,"b":"3"}"#)
    #expect(explanation.outcome == .event("gift"))
    #expect(explanation.rule == "t, rule 1")
    let lines = explanation.fields.map { "\($0.name) \($0.source) \($0.found ?? "-") \($0.value ?? "-")" }
    #expect(
      lines == [
        #"room /room "r" r"#, "ts /ts 7 7", "sender.id /u 1 1", #"gift.id /g "y" y"#, "total /a × /b /a × /b 6",
        #"streak /u + "-" + /g "1-y" 1-y"#,
      ])
  }

  @Test("has the known fields of a bad or dropped record, too")
  func others() throws {
    let map = giftMap(#""count": "/n""#, when: #"{"at": "/k", "is": 1}"#)
    let bad = try explain(map, #"{"k":1,"u":1,"n":0}"#)
    guard case .bad(let fault) = bad.outcome else { throw BadEvent(.notJSON, "another outcome") }
    #expect(fault.code == .missingField)
    #expect(bad.fields.contains { $0.name == "gift.id" && $0.found == nil })
    #expect(try explain(map, "{}").outcome == .dropped("not a gift (t, otherwise)"))
    #expect(try explain(map, "{").rule == nil)
  }

  @Test("names a rule by its place in the file, whichever of the roots it was found below")
  func ruleBelowRoots() throws {
    let map = """
      {"map": 1, "name": "t", "roots": ["/data", "/payload", ""], "rules": [
        {"when": {"at": "/k", "is": 0}, "drop": "none"},
        {"when": {"at": "/k", "is": 1}, "event": "gift", "fields": {
          "room": {"const": "r"}, "ts": {"const": 1}, "sender": {"id": "/u"}, "gift": {"id": "/g"}
        }}
      ]}
      """
    for record in [#"{"data":{"k":1,"u":1,"g":2}}"#, #"{"payload":{"k":1,"u":1,"g":2}}"#, #"{"k":1,"u":1,"g":2}"#] {
      #expect(try explain(map, record).rule == "t, rule 2", "\(record)")
    }
  }

  @Test("has each further gift that a record holds")
  func further() throws {
    let map = giftMap("", more: #", "roots": ["/list/*"]"#)
    #expect(try explain(map, #"{"list":[{"u":1,"g":2},{"u":3,"g":4},{"u":5,"g":6}]}"#).further.count == 2)
    #expect(try explain(map, #"{"list":[{"u":1,"g":2}]}"#).further.isEmpty)
    #expect(try explain(map, #"{"list":[{"u":1,"g":2},{"u":3}]}"#).further.isEmpty)
    let lists = giftMap(#""count": "/n", "id": "/id""#, more: #", "roots": ["/list/*"]"#)
    let further = try explain(lists, #"{"list":[{"u":1,"g":2,"n":1},{"u":3,"g":4,"n":5,"id":"x"}]}"#).further
    #expect(
      further.map { $0.map { "\($0.name) \($0.value)" }.joined(separator: ", ") }
        == ["room r, ts 5, id x, sender.id 3, gift.id 4, gift.value 0, count 5"])
  }

  @Test("has the record itself without white space, several in a row")
  func record() throws {
    var limits = WireLimits()
    limits.roomFromBody = true
    let explainer = MapExplainer(try RecordMap(Array(giftMap("").utf8), file: "m"), limits: limits)
    for length in 0..<40 {
      let padding = String(repeating: "x", count: length)
      let spaced = #"{"room": "r", "ts": 7,  "u": "\#(padding)", "g": [1, 2,  3], "more": {"a": "b c",  "d": "e f g"}}"#
      _ = Array(spaced.utf8).withUnsafeBytes { explainer.explain($0, key: nil) }
      let compact = #"{"room":"r","ts":7,"u":"\#(padding)","g":[1,2,3],"more":{"a":"b c","d":"e f g"}}"#
      #expect(explainer.record == compact + "\n")
    }
  }

  @Test("has the records of a file, however it is written")
  func files() {
    func lines(_ text: String) -> [Int] { RecordFile(Array(text.utf8)).records.map(\.line) }
    #expect(lines("{\"a\":1}\n\n{\"a\":2}\r\n") == [1, 3])
    #expect(lines("{\n \"a\": 1\n}\n") == [1])
    let array = "\n[\n {\"a\": 1},\n {\"a\": 2}\n]"
    #expect(lines(array) == [2])
    #expect(RecordFile(Array(array.utf8), elements: true).records.map(\.line) == [3, 4])
    #expect(lines("type@=dgb/\ntype@=x/\n") == [1, 2])
    #expect(lines("") == [])
  }

  @Test("has a map proposed from samples, which reads them, and doubts where there are some")
  func inference() throws {
    let samples =
      [3, 5, 9].map { total in
        #"{"cmd":"SEND_GIFT","data":{"room_id":5,"user":{"uid":7,"nickname":"n","face":"http"},"gift":{"gift_id":31,"name":"g","price":10},"combo_id":"c1","combo_count":\#(total),"timestamp":1700000000,"msg_id":"m\#(total)"}}"#
      } + [#"{"cmd":"CHAT","data":{"text":"hello"}}"#]
    let guess = MapInference(samples.map { Array($0.utf8) })
    #expect(guess.doubts.contains { $0.hasPrefix("total: /data/combo_count never falls") })
    #expect(
      try mapped(guess.text, samples[1])
        == #"gift|5|1700000000000|m5|7||31|10.0|total 5 of c1|{"id":"7","name":"n","avatar":"http"}||{"id":"31","name":"g","value":10}"#
    )
    #expect(try mapped(guess.text, samples[3]).hasPrefix("dropped"))
    let nothing = MapInference([Array("{}".utf8)])
    #expect(nothing.doubts.contains { $0.hasPrefix("sender.id: no field looks like it") })
    #expect(MapInference([Array("x".utf8)]).text.isEmpty)
  }
}
