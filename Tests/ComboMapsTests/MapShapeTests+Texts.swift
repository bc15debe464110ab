import ComboCore
import ComboMaps
import ComboWire
import Testing

@testable import ComboTestSupport

extension MapShapeTests {
  @Test("JSON in the texts of an array is read in its place, where the condition holds for that element")
  func unpackEach() throws {
    let map = try map(
      #"""
      {"map":1,"name":"t","unpack":[{"at":"/*/data","when":{"at":"/*/type","is":"gift"}},"/*/data/more/*"],
       "roots":["/*/data/more/*","/*/data",""],
       "rules":[{"when":{"at":"/giftId","exists":true},"event":"gift",\#(Self.fields)}],"otherwise":{"drop":"no gift"}}
      """#)
    func text(_ json: String) -> String { "\"\(json.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\"" }
    let gift = { (who: String) in #"{"type":"gift","data":\#(text(Self.gift(who)))}"# }
    let chat = #"{"type":"chat","data":\#(text(Self.gift("no")))}"#
    let more = #"{"type":"gift","data":\#(text(#"{"more":[\#(text(Self.gift("m"))),"hi",\#(text(Self.gift("n")))]}"#))}"#
    let several = read("[\(chat), \(gift("a")),7,\(more),\(chat),\(gift("ü")) ]", by: map)
    #expect(several.bad == nil)
    #expect(several.events.map(\.sender) == ["a", "m", "n", "ü"])
    #expect(read("[\(chat)]", by: map).events == [])
    #expect(read("[\(gift("a"))]", by: map).events.map(\.sender) == ["a"])
    let broken = read(#"[\#(chat),{"type":"gift","data":"{\"userId\":"}]"#, by: map)
    #expect(broken.bad?.code == .notJSON)
    #expect(try RecordMap(canonical: map.canonical) == map)
  }

  @Test("a pointer steps up from where it stands, and never above the record")
  func up() throws {
    let map = try map(
      #"{"map":1,"name":"t","rules":[{"root":"/a/b","event":"gift","fields":{"sender":{"id":"../u"},"gift":{"id":["../../../x","../../../../g"]},"count":"/.."}}]}"#
    )
    let expected = [Read(room: "k", sender: "u", gift: "g", amount: "count 3")]
    #expect(read(#"{"g":"g","a":{"u":"u","b":{"..":3}}}"#, by: map).events == expected)
  }

  @Test("below an array there can only be gifts, and faults of rules are reported once for all roots")
  func rootFaults() throws {
    func faults(_ text: String) -> [String] {
      do {
        _ = try map(text)
        return []
      } catch { return (error as? MapFaults)?.faults.map(\.description) ?? ["\(error)"] }
    }
    let closing = faults(#"{"map":1,"name":"t","roots":["/a/*"],"rules":[{"event":"room_closed"}]}"#)
    #expect(closing.count == 1)
    #expect(closing.first?.contains("only gifts are allowed") == true, "\(closing)")
    let twice = faults(
      #"{"map":1,"name":"t","roots":["/a","/b",""],"rules":[{"event":"gift","fields":{"sender":{"id":"x"},"gift":{"id":"/g"}}}]}"#
    )
    #expect(twice.count == 1, "\(twice)")
    let own = faults(#"{"map":1,"name":"t","rules":[{"root":"/a/*","event":"room_closed"}]}"#)
    #expect(own.count == 1 && own[0].contains("/a/* may have several elements, so only gifts are allowed"), "\(own)")
    let chosen = faults(#"{"map":1,"name":"t","choose":{"map":"wire","root":"/*"}}"#)
    #expect(chosen.count == 1 && chosen[0].contains("a chosen map has other events"), "\(chosen)")
    let first = faults(#"{"map":1,"name":"t","rules":[{"event":"gift","fields":{"sender":{"id":"/l/*/u"},"gift":{"id":"/g"}}}]}"#)
    #expect(first.count == 1 && first[0].contains("only where its root has the * too"), "\(first)")
    #expect(faults(#"{"map":1,"name":"t","roots":[],"rules":[{"drop":"x"}]}"#).count == 1)
    #expect(faults(#"{"map":1,"name":"t","names":"any","rules":[{"drop":"x"}]}"#).count == 1)
    #expect(faults(#"{"map":1,"name":"t","fields":{"count":"/n"},"rules":[{"drop":"x"}]}"#).count == 1)
  }

  @Test("JSON in a text is read in its place")
  func unpack() throws {
    let map = try map(
      #"{"map":1,"name":"t","unpack":["/data"],"rules":[{"root":"/data","event":"gift",\#(Self.fields)}]}"#)
    let expected = [Read(room: "k", sender: "ü\"", gift: "g", amount: "count 2")]
    #expect(read(#"{"x":1,"data":"{\"userId\":\"\u00fc\\\"\",\"giftId\":\"g\",\"num\":2}","y":[2]}"#, by: map).events == expected)
    #expect(read(#"{"data":{"userId":"ü\"","giftId":"g","num":2}}"#, by: map).events == expected)
    #expect(read(#"{"data":"{\"userId\":"}"#, by: map).bad?.code == .notJSON)
    #expect(read(#"{"data":"none"}"#, by: map).bad?.code == .missingField)
    #expect(read(#"{"data":"{\"a\":\"\u0000\u001f\"}"}"#, by: map).bad?.code == .notJSON)
  }

  @Test("a text that only looks like JSON stays a text", arguments: ["[hi]", "[1/3] hi", "{lol", "[", "{", "[ ", "{ 1"])
  func lookalikes(text: String) throws {
    let map = try map(
      #"{"map":1,"name":"t","unpack":["/data"],"rules":[{"when":{"at":"/data","is":"\#(text)"},"drop":"a text"}]}"#)
    let read = read(#"{"data":"\#(text)"}"#, by: map)
    #expect(read.bad == nil)
    #expect(read.events == [])
  }

  @Test("a text is taken for JSON only where the condition holds")
  func unpackWhen() throws {
    let map = try map(
      #"{"map":1,"name":"t","unpack":[{"at":["/msg","/data"],"when":{"at":"/user","exists":false}}],"rules":[{"when":{"at":"/user","exists":true},"drop":"chat"},{"root":"/msg","event":"gift",\#(Self.fields)}]}"#
    )
    let gift = #""msg":"{\"userId\":\"u\",\"giftId\":\"g\",\"num\":2}""#
    #expect(read("{\(gift)}", by: map).events == [Read(room: "k", sender: "u", gift: "g", amount: "count 2")])
    let chat = read(#"{"user":7,\#(gift),"data":"{\"broken"}"#, by: map)
    #expect(chat.events == [])
    #expect(chat.bad == nil)
    #expect(try RecordMap(canonical: map.canonical) == map)
  }

  static let irc = #"""
    {"map":1,"name":"t","text":"irc","roots":["/tags",""],
     "rules":[{"when":{"at":"/msg-id","is":"subgift"},"event":"gift",
               "fields":{"room":"/room-id","sender":{"id":"/login"},"gift":{"id":"/plan"},"count":["/n",{"const":1}]}}],
     "otherwise":{"drop":"no gift"}}
    """#

  @Test("a line of IRC is read with its tags")
  func lines() throws {
    let map = try map(Self.irc)
    let line =
      #"@msg-id=subgift;room-id=k;login=a\sb\:\\\r\n\x\;plan=1000;n=4;empty=;flag :tmi.twitch.tv USERNOTICE #c :hi there"#
    let expected = [Read(room: "k", sender: "a b;\\\r\nx", gift: "1000", amount: "count 4")]
    #expect(read(line, by: map).events == expected)
    #expect(read(line + "\r\n", by: map).events == expected)
    #expect(read("PING :tmi.twitch.tv", by: map).events == [])
    let wrapped = try self.map(
      Self.irc.replacing(#""text":"irc","roots":["/tags",""]"#, with: #""text":"irc","unpack":["/raw"],"roots":["/raw/tags"]"#))
    #expect(read(#"{"raw":"\#(line.replacing("\\", with: "\\\\"))"}"#, by: wrapped).events == expected)
    #expect(read(#"{"raw":"!"}"#, by: wrapped).events == [])
    #expect(read("PING :tmi.twitch.tv", by: map).bad == nil)
    #expect(read(#" {"tags":{"msg-id":"subgift","room-id":"k","login":"u","plan":"1"}}"#, by: map).events.count == 1)
    for bad in ["", "@a=b", "@a=b :source", "@a=b :source !!", "\u{e9}"] {
      #expect(read(bad, by: map).bad?.code == .notJSON, "\(bad)")
    }
    let broken = RecordDecoder(map: map)
    let arena = BumpArena()
    var event = Event()
    let bytes: [UInt8] = [0x40, 0x61, 0x3D, 0xFF, 0x20, 0x41]
    bytes.withUnsafeBytes { record in
      _ = #expect(throws: BadEvent.self) { try broken.decode(record, key: nil, into: arena, &event) }
    }
  }

  @Test("any bytes are an event, dropped or bad", arguments: 0..<10)
  func anyBytes(seed: Int) throws {
    var random = SplitMix64(seed: UInt64(seed))
    let pieces = [
      "@", "=", ";", " ", ":", "\\", "tags", "{", "}", "[", "]", "\"", ",", "msg-id", "subgift", "room-id", "k", "\\s", "\\u0041",
      "USERNOTICE", "data",
      "{\\\"", "1", "é", "/", "type@=dgb/",
    ]
    let maps = try [
      map(Self.irc),
      map(
        #"{"map":1,"name":"t","names":"loose","unpack":["/data"],"roots":["/*","/data/*",""],"rules":[{"event":"gift",\#(Self.fields)}]}"#
      ),
    ]
    for _ in 0..<100 {
      let record = (0..<Int(random.next() % 40)).map { _ in pieces[Int(random.next() % UInt64(pieces.count))] }.joined()
      for map in maps { _ = read(record, by: map) }
    }
  }

  @Test("of platforms can share one topic, distinguished by a field")
  func platforms() throws {
    let map = try map(
      #"""
      {"map":1,"name":"all","choose":{"at":"/platform","root":"/payload","fields":{"room":"/room"},
       "maps":{"tt":"tiktok","tw":"twitch","dy":"douyin"}},"otherwise":{"drop":"of another platform"}}
      """#)
    let gift = #"{"giftId":5,"repeatCount":2,"groupId":"7","user":{"userId":"u"},"giftDetails":{"giftType":1}}"#
    #expect(
      read(#"{"platform":"tt","room":"k","payload":\#(gift)}"#, by: map).events
        == [Read(room: "k", sender: "u", gift: "5", amount: "total 2 7")])
    let bomb = #"{"tags":{"msg-id":"submysterygift","user-id":"9","msg-param-mass-gift-count":"5","msg-param-sub-plan":"1000"}}"#
    #expect(
      read(#"{"platform":"tw","room":"k","payload":\#(bomb)}"#, by: map).events
        == [Read(room: "k", sender: "9", gift: "1000", amount: "count 5")])
    #expect(read(#"{"platform":"yt","room":"k","payload":{}}"#, by: map).events == [])
  }

  @Test("of one platform are not unpacked as another's, chosen from the same topic")
  func neighbours() throws {
    let library = MapLibrary { name in
      let unpack = name == "one" ? "" : #""unpack":["/note"],"roots":["/note",""],"#
      return (Array(#"{"map":1,"name":"\#(name)",\#(unpack)"rules":[{"event":"gift",\#(Self.fields)}]}"#.utf8), name)
    }
    let choosing = #"{"map":1,"name":"all","choose":{"at":"/p","maps":{"a":"one","b":"two"}},"otherwise":{"drop":"x"}}"#
    let map = try RecordMap(Array(choosing.utf8), file: "m", library: library)
    let mine = read(#"{"p":"a","userId":"u","giftId":"g","note":"[{"}"#, by: map)
    #expect(mine.events == [Read(room: "k", sender: "u", gift: "g")] && mine.bad == nil)
    #expect(
      read(#"{"p":"b","note":"{\"userId\":\"v\",\"giftId\":\"h\"}"}"#, by: map).events == [
        Read(room: "k", sender: "v", gift: "h")
      ])
  }
}
