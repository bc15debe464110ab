import ComboCore
import ComboMaps
import ComboWire
import Testing

/// `refresh`, `linger_ms` and null in conditions, which rules 3 brought.
@Suite("Fields that newer rules brought")
struct MapNewFieldTests {
  private func read(_ record: String, by map: RecordMap, rules: Rules = .newest) -> String {
    let decoder = RecordDecoder(limits: .replay, map: map, rules: rules)
    let arena = BumpArena()
    var event = Event()
    return Array(record.utf8).withUnsafeBytes { bytes in
      Array("k".utf8).withUnsafeBytes { key in
        do throws(BadEvent) {
          guard try decoder.decode(bytes, key: key, into: arena, &event) else { return "dropped" }
          return "\(event.gift.refreshes) \(event.gift.lingerMs)"
        } catch { return "\(error)" }
      }
    }
  }

  private func map(_ fields: String = #""refresh": "/again", "linger_ms": "/ms""#) throws -> RecordMap {
    let text =
      #"{"map": 1, "name": "t", "rules": [{"event": "gift", "fields": {"room": {"const": "r"}, "ts": {"const": 1}, "sender": {"id": "/u"}, "gift": {"id": "/g", "show": {"refresh": "/x"}}, \#(fields)}}]}"#
    return try RecordMap(Array(text.utf8), file: "t")
  }

  @Test("are read as in events, and are bad as there")
  func read() throws {
    let map = try map()
    #expect(read(#"{"u":1,"g":2}"#, by: map) == "false 0")
    #expect(read(#"{"u":1,"g":2,"again":true,"ms":60000}"#, by: map) == "true 60000")
    #expect(read(#"{"u":1,"g":2,"again":"1","ms":"5"}"#, by: map) == "true 5")
    #expect(read(#"{"u":1,"g":2,"again":null,"ms":null}"#, by: map) == "false 0")
    #expect(read(#"{"u":1,"g":2,"ms":60001}"#, by: map).hasPrefix("out_of_range: linger_ms"))
    #expect(read(#"{"u":1,"g":2,"again":5}"#, by: map).hasPrefix("wrong_type: refresh"))
  }

  @Test("mean nothing by older rules, and are left out of what a journal keeps for them")
  func oldRules() throws {
    let map = try map()
    #expect(read(#"{"u":1,"g":2,"again":5,"ms":-1}"#, by: map, rules: .oldest) == "false 0")
    let old = map.canonical(for: .oldest)
    #expect(old == map.canonical.replacing(#","refresh":"/again","linger_ms":"/ms""#, with: ""))
    #expect(map.canonical(for: .newest) == map.canonical)
    let kept = try RecordMap(canonical: old)
    for record in [#"{"u":1,"g":2,"again":5,"ms":-1}"#, #"{"g":2}"#] {
      #expect(read(record, by: kept) == read(record, by: map, rules: .oldest))
    }
    let plain = try self.map(#""count": "/n""#)
    #expect(plain.canonical(for: .oldest) == plain.canonical)
  }

  @Test(
    "null is distinguished from a missing value, also on the way; by older rules, and in a journal's map for them, it is missing")
  func null() throws {
    func map(_ test: String) throws -> RecordMap {
      let text =
        #"{"map": 1, "name": "t", "rules": [{"when": {"at": ["/u/id", "/n"], \#(test)}, "event": "gift", "fields": {"room": {"const": "r"}, "ts": {"const": 1}, "sender": {"id": {"const": "u"}}, "gift": {"id": {"const": "g"}}}}], "otherwise": {"drop": "x"}}"#
      return try RecordMap(Array(text.utf8), file: "t")
    }
    let (alone, among) = (try map(#""is": null"#), try map(#""is": [0, null], "missing": false"#))
    for (record, isAlone, isAmong, wasAlone) in [
      (#"{"u":{"id":null}}"#, true, true, true), (#"{"u":null}"#, true, true, true), (#"{"n":null}"#, true, true, true),
      (#"{"u":null,"n":"a"}"#, false, false, false), (#"{"u":null,"n":0}"#, false, true, false),
      (#"{"u":{"id":"null"}}"#, false, false, false), (#"{"u":{}}"#, false, false, true), ("{}", false, false, true),
      (#"{"u":{"id":""}}"#, false, false, true),
    ] {
      #expect((read(record, by: alone) != "dropped") == isAlone, "\(record)")
      #expect((read(record, by: among) != "dropped") == isAmong, "\(record)")
      for (map, was) in [(alone, wasAlone), (among, wasAlone || isAmong)] {
        #expect((read(record, by: map, rules: .oldest) != "dropped") == was, "\(record)")
        #expect((read(record, by: try RecordMap(canonical: map.canonical(for: .oldest))) != "dropped") == was, "\(record)")
      }
    }
    for map in [alone, among] { #expect(!map.canonical(for: .oldest).contains("null")) }
  }

  @Test(
    "a product is exact, also with text and in a product; by older rules, it has what is left over from binary fractions",
    arguments: [
      ("2505050", "0.0001", "250.505", "250.50500000000002"), (#""1.15""#, "100", "115.0", "114.99999999999999"),
      ("4.35", "100", "435.0", "434.99999999999994"), ("1000000", "0.0001", "100.0", "100.0"),
      ("0.1", "0.00000000000000000000000002", "2e-27", "2e-27"),
      ("99999999999", "9.9999999999999999", "999999999990.0", "999999999990.0"),
    ])
  func products(amount: String, factor: String, exact: String, older: String) throws {
    func value(_ rules: Rules) throws -> String {
      let map = giftMap("").replacing(
        #"{"id": "/g"}"#, with: #"{"id": "/g", "value": {"product": ["/n", {"const": \#(factor)}]}}"#)
      let decoder = RecordDecoder(limits: .replay, map: try RecordMap(Array(map.utf8), file: "t"), rules: rules)
      let arena = BumpArena()
      var event = Event()
      let isEvent = try Array(#"{"u":1,"g":2,"n":\#(amount)}"#.utf8).withUnsafeBytes {
        try decoder.decode($0, key: nil, into: arena, &event)
      }
      return isEvent ? "\(event.gift.value)" : "dropped"
    }
    #expect(try value(.newest) == exact)
    #expect(try value(.oldest) == older)
  }

  @Test(
    "may depend on an object that has only some members",
    arguments: [
      (#""x":{"a":1}"#, true), (#""x":{"\u0062":null,"a":1}"#, true), (#""x":{"a":1,"c":null}"#, false), (#""x":{"A":1}"#, false),
      (#""x":{}"#, true), (#""x":["a"]"#, false), (#""y":{"a":1}"#, false),
    ])
  func only(_ object: String, holds: Bool) throws {
    let map = giftMap("", when: #"{"at": "/x", "only": ["a", "b"]}"#)
    #expect(try !mapped(map, #"{\#(object),"u":1,"g":1}"#).hasPrefix("dropped") == holds)
  }

  @Test(
    "are filled by built-in maps with how long the platform shows a gift, up to a minute",
    arguments: [
      (
        "tiktok", "displayDurationMs",
        #"{"giftId":1,"repeatCount":2,"giftType":1,"user":{"userId":"5"},"roomId":"r","createTime":1,"#
      ),
      (
        "kuaishou", "slotDisplayDuration",
        #"{"giftId":1,"comboCount":2,"mergeKey":"m","user":{"principalId":"5"},"liveStreamId":"r","time":1,"#
      ),
      (
        "acfun", "slotDisplayDurationMs",
        #"{"giftId":1,"batchSize":2,"comboKey":"m","userInfo":{"userId":5},"liveId":"r","sendTimeMs":1,"#
      ),
    ])
  func builtIn(name: String, field: String, record: String) throws {
    func built(_ name: String) throws -> RecordMap {
      try RecordMap(Array(#require(BuiltInMaps.text(name)).utf8), file: name)
    }
    let (plain, lingering) = (try built(name), try built("\(name)-linger"))
    for (value, expected) in [("4000", "4000"), (#""90000""#, "60000"), ("0", "0"), ("null", "0"), (#""x""#, "0")] {
      let record = record + #""\#(field)":\#(value)}"#
      #expect(read(record, by: lingering) == "false \(expected)", "\(value)")
      #expect(read(record, by: plain) == "false 0")
    }
  }
}
