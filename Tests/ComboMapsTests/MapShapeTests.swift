import ComboCore
import ComboMaps
import ComboWire
import Testing

@testable import ComboTestSupport

/// Maps that read the many shapes of one record.
@Suite("Shapes of records")
struct MapShapeTests {
  struct Read: Equatable {
    var room = ""
    var sender = ""
    var gift = ""
    var amount = "count 1"
  }

  /// The result of reading a record.
  struct Outcome: Equatable {
    var events: [Read] = []
    var bad: BadEvent?
  }

  func map(_ text: String) throws -> RecordMap { try RecordMap(Array(text.utf8), file: "t.json") }

  /// Returns the events of a record, or its fault, and expects the same when a decoder that knows its shape reads it again.
  func read(_ record: String, by map: RecordMap, _ limits: WireLimits = WireLimits()) -> Outcome {
    let decoder = RecordDecoder(limits: limits, map: map)
    let made = read(record, by: decoder, BumpArena())
    let small = BumpArena(chunkSize: 256)
    for _ in 0..<2 { #expect(read(record, by: decoder, small) == made, "read again: \(record)") }
    return made
  }

  func read(_ record: String, by decoder: RecordDecoder, _ arena: BumpArena) -> Outcome {
    var event = Event()
    return Array(record.utf8).withUnsafeBytes { record in
      Array("k".utf8).withUnsafeBytes { key in
        do throws(BadEvent) {
          guard try decoder.decode(record, key: key, into: arena, &event) else { return Outcome() }
          return Outcome(
            events: ([event] + decoder.further).map {
              Read(
                room: Self.text($0.room), sender: Self.text($0.gift.senderID), gift: Self.text($0.gift.giftID),
                amount: Self.text($0.gift.amount))
            })
        } catch { return Outcome(bad: error) }
      }
    }
  }

  static func text(_ amount: Gift.Amount) -> String {
    switch amount {
    case .count(let count): "count \(count)"
    case .total(let total, let streak): "total \(total) \(text(streak))"
    }
  }

  static func text(_ bytes: UnsafeRawBufferPointer) -> String { String(decoding: bytes, as: UTF8.self) }

  @Test(
    "a viewer's text is no gift where the record says that it is chat, whatever is written in it",
    arguments: [
      ("tiktok", #"{"event":"chat","data":"{\"giftId\":1,\"repeatCount\":99,\"user\":{\"userId\":\"7\"}}"}"#),
      ("bilibili", #"{"cmd":"DANMU_MSG","data":"{\"giftId\":1,\"num\":99,\"uid\":7}"}"#),
      ("huya", #"{"nick":"x","msg":"{\"iItemType\":4,\"iItemCount\":99,\"lSenderUid\":7}"}"#),
      (
        "acfun",
        #"{"type":"comment","data":"{\"userInfo\":{\"userId\":\"7\"},\"giftId\":\"9\",\"batchSize\":99,\"comboKey\":\"k\"}"}"#
      ),
      ("douyu", #"{"nickname":"v","msg":"type@=dgb/rid@=1/gfid@=1/uid@=7/gfcnt@=99/"}"#),
      (
        "twitch",
        #"{"nick":"v","message":"@msg-id=subgift;id=7;user-id=7;msg-param-recipient-id=8 :tmi.twitch.tv USERNOTICE #c"}"#
      ),
    ])
  func forged(name: String, record: String) throws {
    let map = try RecordMap(Array(#require(BuiltInMaps.text(name)).utf8), file: name)
    #expect(read(record, by: map) == Outcome())
  }

  static let fields =
    #""fields": {"sender": {"id": "/userId"}, "gift": {"id": "/giftId"}, "count": ["/num", {"const": 1}]}"#

  @Test(
    "names are compared loosely where the map says so",
    arguments: [
      #"{"userId":"u","giftId":"g"}"#, #"{"user_id":"u","gift_id":"g"}"#, #"{"UserID":"u","GIFT-ID":"g"}"#,
      #"{"user\u0049d":"u","\u0067ift_id":"g"}"#, #"{"userId":"u","user_id":"v","giftId":"g"}"#,
    ])
  func loose(record: String) throws {
    let loose = try map(#"{"map":1,"name":"t","names":"loose","rules":[{"event":"gift",\#(Self.fields)}]}"#)
    #expect(read(record, by: loose).events == [Read(room: "k", sender: "u", gift: "g")])
    let exact = try map(#"{"map":1,"name":"t","rules":[{"event":"gift",\#(Self.fields)}]}"#)
    let isExact = record.contains(#""userId":"u","#) && record.contains(#""giftId""#)
    #expect((read(record, by: exact).bad == nil) == isExact)
  }

  @Test("a name longer than 64 bytes is none that is compared loosely")
  func looseLong() throws {
    let name = String(repeating: "n", count: 65)
    let loose = try map(
      #"{"map":1,"name":"t","names":"loose","rules":[{"event":"gift","fields":{"sender":{"id":"/\#(name)"},"gift":{"id":"/g"}}}]}"#
    )
    #expect(read(#"{"\#(name)":"u","g":"g"}"#, by: loose).bad?.code == .missingField)
  }

  @Test("the first root below which a rule holds decides")
  func roots() throws {
    let map = try map(
      #"""
      {"map":1,"name":"t","roots":["/data","/payload/event",""],
       "rules":[{"when":{"at":"/type","is":"chat"},"drop":"chat"},
                {"when":{"at":"/giftId","exists":true},"event":"gift",\#(Self.fields)}],
       "otherwise":{"drop":"no gift"}}
      """#)
    let gift = #"{"userId":"u","giftId":"g","num":3}"#
    let expected = [Read(room: "k", sender: "u", gift: "g", amount: "count 3")]
    #expect(read(gift, by: map).events == expected)
    #expect(read(#"{"data":\#(gift)}"#, by: map).events == expected)
    #expect(read(#"{"data":7,"payload":{"event":\#(gift)}}"#, by: map).events == expected)
    #expect(read(#"{"payload":{"event":{"type":"chat"}}}"#, by: map).events == [])
    #expect(read(#"{"payload":{"event":{"type":"chat"}}}"#, by: map).bad == nil)
    // A gift that stands below two roots counts once, by the first root.
    #expect(read(#"{"data":\#(gift),"userId":"v","giftId":"h"}"#, by: map).events == expected)
  }

  @Test("each element of an array is a gift of its own; none counts if one is bad")
  func each() throws {
    let map = try map(
      #"""
      {"map":1,"name":"t","roots":["/list/*/gift",""],"fields":{"room":["^/room",{"key":true}]},
       "rules":[{"when":{"at":"/giftId","exists":true},"event":"gift",\#(Self.fields)}],"otherwise":{"drop":"no gift"}}
      """#)
    let gift = { (who: String) in #"{"gift":{"userId":"\#(who)","giftId":"g"}}"# }
    let several = read(#"{"room":"k","list":[\#(gift("a")),{"chat":1},\#(gift("b")),null,7,\#(gift("c"))]}"#, by: map)
    #expect(several.bad == nil)
    #expect(several.events.map(\.sender) == ["a", "b", "c"])
    #expect(read(#"{"list":[{"chat":1},\#(gift("b"))]}"#, by: map).events.map(\.sender) == ["b"])
    #expect(read(#"{"list":[{"chat":1},{"chat":2}]}"#, by: map).events == [])
    #expect(read(#"{"list":[]}"#, by: map).events == [])
    let bad = read(#"{"list":[\#(gift("a")),{"gift":{"giftId":"g"}}]}"#, by: map)
    #expect(bad.events == [])
    #expect(bad.bad?.description.contains("element 1 of the record's array") == true, "\(bad)")
    let many = { (count: Int) in #"{"list":[\#(Array(repeating: gift("a"), count: count).joined(separator: ","))]}"# }
    #expect(read(many(1000), by: map).events.count == 1000)
    #expect(read(many(1001), by: map).bad?.code == .tooLarge)
    // A rule below another root is not evaluated again for the others.
    #expect(read(#"{"userId":"u","giftId":"g","list":[1,2,3]}"#, by: map).events.count == 1)
  }

  @Test("of other kinds beside gifts with several receivers are left out at each depth")
  func batches() throws {
    let map = try map(
      #"{"map":1,"name":"t","gifts":{"commands":["kind"],"words":["gift"]},"rules":[{"when":{"at":"/rooms/*/items/*/kind","is":"gift"},"root":"/rooms/*/items/*/to/*","event":"gift","fields":{"sender":{"id":"../../uid"},"receiver":{"id":"/uid"},"gift":{"id":"../../gift"}}}],"otherwise":{"drop":"x"}}"#
    )
    func record(_ items: String) -> String { #"{"rooms":[{"room":"r","items":[\#(items)]},{"room":"s","items":[]}]}"# }
    let gift = #"{"kind":"gift","uid":5,"gift":"rose","to":[{"uid":9},{"uid":8}]}"#
    let one = Read(room: "k", sender: "5", gift: "rose")
    #expect(read(record(#"\#(gift),{"kind":"say","uid":6}"#), by: map) == Outcome(events: [one, one]))
    #expect(read(record(#"{"kind":"say","uid":6},\#(gift)"#), by: map) == Outcome(events: [one, one]))
    #expect(read(record(#"\#(gift),{"kind":"gifts","uid":6}"#), by: map).bad?.code == .unknownType)
  }

  static let nested = #"""
    {"map":1,"name":"t","roots":["/*/list/*","/*",""],"fields":{"room":["../../room",{"key":true}]},
     "rules":[{"when":{"at":"/giftId","exists":true},"event":"gift",§}],"otherwise":{"drop":"no gift"}}
    """#
  static func gift(_ who: String) -> String { #"{"userId":"\#(who)","giftId":"g"}"# }

  @Test("each element of arrays within an array is a gift of its own, in the order of the text")
  func nested() throws {
    let map = try map(Self.nested.replacing("§", with: Self.fields))
    let gift = Self.gift
    let several = read(
      #"[{"list":[\#(gift("a")),7,\#(gift("b"))],"room":"k"},{"list":[]},\#(gift("c")),null,{"list":{"0":1}},{"list":[[],\#(gift("d"))]},{"list":[\#(gift("e"))]}]"#,
      by: map)
    #expect(several.bad == nil)
    #expect(several.events.map(\.sender) == ["a", "b", "c", "d", "e"])
    #expect(several.events.allSatisfy { $0.room == "k" })
    #expect(read(#"[{"list":[{"chat":1}]},{"chat":2}]"#, by: map).events == [])
    // What is below no array counts once, whatever else there is.
    #expect(read(#"{"userId":"u","giftId":"g","*":[1,2],"list":[1,2]}"#, by: map).events.map(\.sender) == ["u"])
    // Nor is a member of that name an element.
    #expect(read(#"{"*":\#(gift("a"))}"#, by: map).events == [])
    let bad = read(#"[{"list":[\#(gift("a"))]},1,{"list":[\#(gift("b")),{"giftId":"g"}]}]"#, by: map)
    #expect(bad.events == [])
    #expect(bad.bad?.description.contains("element 2/1 of the record's array: sender.id is missing") == true, "\(bad)")
    #expect(read(#"[{"list":[7],"room":"other"},{"list":[\#(gift("a"))],"room":"other"}]"#, by: map).bad?.code == .wrongKey)
  }

  @Test("whatever is in arrays of arrays, the gifts are those that stand there", arguments: 0..<20)
  func anyNesting(seed: Int) throws {
    var random = SplitMix64(seed: UInt64(seed))
    let map = try map(
      #"{"map":1,"name":"t","roots":["/*/*/*"],"rules":[{"when":{"at":"/giftId","exists":true},"event":"gift",\#(Self.fields)}],"otherwise":{"drop":"x"}}"#
    )
    var senders: [String] = []
    func value(_ depth: Int) -> String {
      switch random.next() % 6 {
      case 0 where depth < 4: return "7"
      case 1 where depth < 4: return #"{"list":[\#(Self.gift("no"))]}"#
      case 2: return "null"
      default:
        if depth == 4 {
          senders.append("u\(senders.count)")
          return Self.gift(senders[senders.count - 1])
        }
        return "[\((0..<Int(random.next() % 4)).map { _ in value(depth + 1) }.joined(separator: ","))]"
      }
    }
    for _ in 0..<50 {
      senders = []
      let record = "[\((0..<3).map { _ in value(2) }.joined(separator: ","))]"
      let read = read(record, by: map)
      #expect(read.bad == nil)
      #expect(read.events.map(\.sender) == senders, "\(record)")
    }
  }

  @Test("a rule's own root is for each element too, and the rules beside it are not")
  func ruleRoot() throws {
    let map = try map(
      #"""
      {"map":1,"name":"t","roots":["/messages/*",""],
       "rules":[{"when":{"at":"/type","is":"gifts"},"root":"/gifts/*","event":"gift",
                 "fields":{"sender":{"id":"../../by"},"gift":{"id":"/id"},"count":["/num",{"const":1}]}},
                {"when":{"at":"/type","is":"gift"},"event":"gift","fields":{"sender":{"id":"/by"},"gift":{"id":"/id"}}}],
       "otherwise":{"drop":"no gift"}}
      """#)
    let gifts = #"{"type":"gifts","by":"u","gifts":[{"id":"g","num":2},{"id":"h"}]}"#
    let one = #"{"type":"gift","by":"v","id":"i","gifts":[1,2,3]}"#
    let expected = [Read(room: "k", sender: "u", gift: "g", amount: "count 2"), Read(room: "k", sender: "u", gift: "h")]
    #expect(read(gifts, by: map).events == expected)
    #expect(read(one, by: map).events == [Read(room: "k", sender: "v", gift: "i")])
    #expect(
      read(#"{"messages":[\#(one),\#(gifts),\#(gifts)]}"#, by: map).events
        == [Read(room: "k", sender: "v", gift: "i")] + expected + expected)
    #expect(read(#"{"type":"gifts","by":"u","gifts":[]}"#, by: map).events == [])
    #expect(read(#"{"type":"gifts","by":"u","gifts":[{}]}"#, by: map).bad?.code == .missingField)
    // Without a condition, and without roots, it is the same.
    let bare = try self.map(
      #"{"map":1,"name":"t","rules":[{"root":"/l/*","event":"gift",\#(Self.fields)}],"otherwise":{"drop":"x"}}"#)
    #expect(read(#"{"l":[\#(Self.gift("a")),\#(Self.gift("b"))]}"#, by: bare).events.map(\.sender) == ["a", "b"])
    #expect(read(#"{"l":[]}"#, by: bare).events == [])
  }

  static let listFields =
    #""fields": {"room": "^/room", "ts": "^/ts", "sender": {"id": "/by"}, "gift": {"id": "/g"}, "count": "/n"}"#

  @Test("a dropped gift is dropped with its list")
  func droppedWithList() throws {
    let map = try map(
      #"""
      {"map": 1, "name": "t", "rules": [
        {"when": {"at": "/type", "is": "test"}, "drop": "a test"},
        {"root": "/gifts/*", "event": "gift", \#(Self.listFields)}
      ], "otherwise": {"drop": "no"}}
      """#)
    let gifts = #""room":"r","ts":1,"gifts":[{"by":"u","g":"a","n":1},{"by":"u","g":"b","n":1},{"by":"u","g":"c","n":1}]"#
    #expect(read(#"{"type":"test",\#(gifts)}"#, by: map, .replay).events.isEmpty)
    #expect(read(#"{"type":"x",\#(gifts)}"#, by: map, .replay).events.map(\.gift) == ["a", "b", "c"])
  }

  @Test("an array that is of no rule, or within a gift, makes nothing bad")
  func othersArrays() throws {
    let badges = try map(
      #"{"map": 1, "name": "t", "rules": [{"when": {"at": "/badges/*/t", "exists": true}, "event": "gift", \#(Self.listFields)}]}"#
    )
    let gift = #""room":"r","ts":1,"by":"u","g":"a","n":1"#
    for list in [#"[{"t":1}]"#, #"[{"t":1},{"t":2}]"#] {
      let found = read(#"{\#(gift),"badges":\#(list)}"#, by: badges, .replay)
      #expect(found.events.map(\.gift) == ["a"], "\(found)")
    }
    let batches = try map(
      #"""
      {"map": 1, "name": "t", "rules": [
        {"when": {"at": "/type", "is": "gift"}, "event": "gift", \#(Self.listFields)},
        {"when": {"at": "/type", "is": "batch"}, "root": "/items/*", "event": "gift", \#(Self.listFields)}
      ]}
      """#)
    #expect(read(#"{"type":"gift",\#(gift),"items":[{"x":1},{"x":2}]}"#, by: batches, .replay).events.map(\.gift) == ["a"])
    // But an element beside one that is a gift makes the record bad.
    let two = #"{"type":"batch","room":"r","ts":1,"items":[{"by":"u","g":"a","n":1},{"by":"u","g":"b","n":-1}]}"#
    #expect(read(two, by: batches, .replay).bad?.reason.hasPrefix("element 1 of the record's array") == true)
  }

  @Test("an element's fault names its own number, whatever was read before")
  func placeOfFault() throws {
    let map = try map(BuiltInMaps.text("bilibili") ?? "")
    let decoder = RecordDecoder(limits: WireLimits(), map: map)
    var reasons: [String] = []
    for record in [#"[{"cmd":"X"},{"cmd":"X"},{"cmd":"X"}]"#, #"[{"cmd":"SEND_GIFT_V2","data":{"pb":"!!!"}}]"#] {
      var event = Event()
      let arena = BumpArena()
      Array(record.utf8).withUnsafeBytes { record in
        do throws(BadEvent) { _ = try decoder.decode(record, key: nil, into: arena, &event) } catch {
          reasons.append(error.reason)
        }
      }
    }
    #expect(reasons.count == 1 && reasons[0].hasPrefix("element 0 of the record's array"), "\(reasons)")
  }

  @Test("a step up is a pointer in a join too")
  func joinedStepUp() throws {
    let map = try map(
      #"""
      {"map": 1, "name": "t", "rules": [{"root": "/m/*", "event": "gift", "fields": {
        "room": {"join": ["../../room", "-", "/r"]}, "ts": "^/ts", "sender": {"id": "/by"}, "gift": {"id": "/g"}, "count": "/n"}}]}
      """#)
    let found = read(#"{"room":"a","ts":1,"m":[{"r":"b","by":"u","g":"x","n":1}]}"#, by: map, .replay)
    #expect(found.events.map(\.room) == ["a-b"], "\(found)")
  }

  @Test(
    "a message in an array has the room that stands with it",
    arguments: [
      ("kuaishou", #"[{"roomId":"A","giftFeeds":[FEED]},{"liveId":"B","giftFeeds":[FEED]}]"#, ["A", "B"]),
      ("kuaishou", #"{"messages":[{"roomId":"A","payload":{"giftFeeds":[FEED]}}]}"#, ["A"]),
      ("kuaishou", #"{"data":{"roomId":"A","giftFeeds":[FEED]}}"#, ["A"]),
      ("bilibili", #"[{"_roomid":1,SEND},{"realRoomid":2,SEND}]"#, ["1", "2"]),
      ("bilibili", #"{"data":{"roomid":3,"messages":[{SEND}]}}"#, ["3"]),
    ])
  func roomsInArrays(_ name: String, _ shape: String, _ rooms: [String]) throws {
    let map = try map(BuiltInMaps.text(name) ?? "")
    let feed =
      #"{"id":"f","user":{"principalId":"u","userName":"n"},"time":1700000000000,"giftId":1,"mergeKey":"k","batchSize":1,"comboCount":1}"#
    let send =
      #""cmd":"SEND_GIFT","data":{"giftId":1,"giftName":"g","num":1,"uid":5,"uname":"n","tid":"t","timestamp":1700000000,"price":1}"#
    var record = shape
    for (word, text) in [("FEED", feed), ("SEND", send)] {
      record = record.split(separator: word, omittingEmptySubsequences: false).joined(separator: text)
    }
    let found = read(record, by: map, .replay)
    #expect(found.events.map(\.room) == rooms, "\(found)")
  }

  @Test("a map is chosen for each element where the choice's root is one")
  func choiceForEach() throws {
    let map = try map(
      #"""
      {"map":1,"name":"all","choose":{"at":"/*/platform","root":"/*/payload","fields":{"room":"/*/room"},
       "maps":{"tt":"tiktok","ks":"kuaishou"}},"otherwise":{"drop":"of another platform"}}
      """#)
    let tiktok = #"{"giftId":5,"repeatCount":2,"groupId":"7","user":{"userId":"u"},"giftDetails":{"giftType":1}}"#
    let kuaishou =
      #"{"giftFeeds":[{"user":{"principalId":"v"},"giftId":9,"mergeKey":"m","comboCount":1},{"user":{"principalId":"w"},"giftId":9,"mergeKey":"n","comboCount":1}]}"#
    let several = read(
      #"[{"platform":"ks","room":"k","payload":\#(kuaishou)},{"platform":"yt","payload":{}},{"platform":"tt","room":"k","payload":\#(tiktok)}]"#,
      by: map)
    #expect(several.bad == nil)
    #expect(several.events.map(\.sender) == ["v", "w", "u"])
  }

  @Test("only gifts count against the most that a record may hold")
  func bounds() throws {
    let map = try map(Self.nested.replacing("§", with: Self.fields))
    let few = { (gifts: Int, others: Int) in
      "[" + (Array(repeating: "7", count: others) + Array(repeating: Self.gift("a"), count: gifts)).joined(separator: ",") + "]"
    }
    #expect(read(few(0, 5000), by: map).bad == nil)
    #expect(read(few(1000, 5000), by: map).events.count == 1000)
    let many = read(few(1001, 0), by: map)
    #expect(many.events == [])
    #expect(many.bad?.code == .tooLarge)
    #expect(many.bad?.description.contains("more than 1000 gifts") == true, "\(many)")
    let inner = { (count: Int) in "[\(Array(repeating: #"{"list":\#(few(2, 1))}"#, count: count).joined(separator: ","))]" }
    #expect(read(inner(500), by: map).events.count == 1000)
    #expect(read(inner(501), by: map).bad?.code == .tooLarge)
  }

  @Test("the cost of a record grows with its length, not with its square: no element is reached through all before it")
  func length() throws {
    let map = try map(Self.nested.replacing("§", with: Self.fields))
    var limits = WireLimits()
    limits.recordBytes = 1 << 24
    for element in ["7", #"{"list":[7,7]}"#] {
      /// Returns the minimum processor time of three readings, because other load only adds to it.
      func cost(_ count: Int) -> Duration {
        let record = "[" + Array(repeating: element, count: count).joined(separator: ",") + "]"
        return (0..<3).map { _ in
          let began = processorTime()
          #expect(read(record, by: map, limits).bad == nil)
          return processorTime() - began
        }.min()!
      }
      let (short, long) = (cost(2500), cost(40_000))
      // 16 times as long; by the square it would be 256 times as much.
      #expect(long < short * 64, "\(element): \(short) and \(long)")
    }
  }
}
