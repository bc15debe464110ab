import ComboCore
import ComboMaps
import ComboWire
import Foundation
import Testing

/// Records with a gift that must not vanish without a message.
@Suite("No gift is lost in silence")
struct MapSilenceTests {
  private func gifts(_ name: String, _ record: String) throws -> [String] {
    try MapIdentityTests.gifts(ConnectorShapeTests.map(name), [record])
  }

  private static let bilibili = #"{\"cmd\":\"SEND_GIFT\",\"data\":{\"giftId\":1,\"uid\":2,\"num\":1}}"#

  // MARK: - White space

  @Test(
    "white space before the JSON of a string makes no difference",
    arguments: [
      "", " ", "   ", #"\n\n"#, #"\r\n\t "#, #"\n\n\n\n"#, #"\ufeff"#, "\u{FEFF}", "\u{A0}", #"\u00A0 "#, #"\u000a\u0020"#,
      "\u{FEFF}\\r\\n",
    ])
  func space(before: String) throws {
    #expect(try gifts("bilibili", #"{"roomid":7,"data":"\#(before)\#(Self.bilibili)"}"#) == [" 2> 1 count 1"])
    #expect(try gifts("bilibili", #"["\#(before)\#(Self.bilibili)"]"#) == [" 2> 1 count 1"])
    #expect(try gifts("bilibili", #"{"zz":"\#(before)\#(Self.bilibili)"}"#)[0].contains("names a gift"))
    let line = "@id=7;msg-id=subgift;msg-param-sub-plan=1000;user-id=66 :tmi.twitch.tv USERNOTICE #c"
    #expect(try gifts("twitch", #"{"raw":"\#(before)\#(line)"}"#) == ["7 66> 1000 count 1"])
    #expect(try gifts("twitch", #"{"zz":"\#(before)\#(line)"}"#)[0].contains("names a gift"))
    #expect(try gifts("douyu", #"{"raw":"\#(before)type@=dgb/gfid@=5/uid@=6/"}"#) == [" 6> 5 count 1"])
  }

  @Test("older rules leave such a string as it is")
  func olderRules() throws {
    let map = try RecordMap(Array(#require(BuiltInMaps.text("bilibili")).utf8), file: "bilibili")
    let decoder = RecordDecoder(map: map)
    var event = Event()
    for rules in [Rules.oldest, .newest] {
      decoder.rules = rules
      Array(#"{"roomid":7,"data":" \#(Self.bilibili)"}"#.utf8).withUnsafeBytes { record in
        Array("7".utf8).withUnsafeBytes { key in
          #expect(((try? decoder.decode(record, key: key, into: BumpArena(), &event)) == true) == (rules == .newest))
        }
      }
    }
  }

  @Test(
    "base64 of JSON is found with white space in it and before it, and with lines and slashes as other programs write them",
    arguments: ["", " ", "\n", "\r\n", "\t", "\u{FEFF}", "\u{A0}"])
  func base64(before: String) throws {
    let plain = before + Self.bilibili.replacing("\\", with: "")
    let text = Data(plain.utf8).base64EncodedString()
    for written in [text, text.replacing("/", with: #"\/"#), Self.inLines(text, #"\n"#), Self.inLines(text, #"\r\n"#)] {
      let result = try gifts("bilibili", #"{"roomid":7,"data":"\#(written)"}"#)
      #expect(result[0].contains("names a gift"), "\(result)")
    }
    let map = #"""
      {"map": 1, "name": "t", "unpack": [{"at": "/b", "base64": true}], "rules": [{"root": "/b", "event": "gift", "fields":
       {"sender": {"id": "/u"}, "gift": {"id": "/g"}}}]}
      """#
    let inside = Data((before + #"{"u":1,"g":2}"#).utf8).base64EncodedString()
    #expect(try MapIdentityTests.gifts(RecordMap(Array(map.utf8), file: "t"), [#"{"b":"\#(inside)"}"#]) == [" 1> 2 count 1"])
  }

  private static func inLines(_ text: String, _ end: String) -> String {
    stride(from: 0, to: text.count, by: 20).map { String(text.dropFirst($0).prefix(20)) }.joined(separator: end)
  }

  // MARK: - Two envelopes

  @Test("two envelopes of one sender and kind tell two gifts if their ids or streaks differ")
  func twoIDs() throws {
    func made(_ first: String, _ second: String) throws -> String {
      let map = #"""
        {"map": 1, "name": "t", "roots": ["/a", "/b", "/c/*"], "rules": [{"when": {"at": "/n", "exists": true}, "event": "gift",
         "fields": {"id": ["/id", "^/id"], "sender": {"id": {"const": "u"}}, "gift": {"id": {"const": "g"}}, "total": "/n",
         "streak": "/s"}, "ids": "new"}], "otherwise": {"drop": "x"}}
        """#
      let result = try MapIdentityTests.gifts(RecordMap(Array(map.utf8), file: "t"), [#"{"a":{"n":3\#(first)},\#(second)}"#])
      return result.count == 1 && result[0].hasPrefix("bad") ? "bad" : "\(result.count)"
    }
    #expect(try made(#","id":1"#, #""b":{"n":5,"id":2}"#) == "bad")
    #expect(try made(#","id":1"#, #""b":{"n":3,"id":"1"}"#) == "1")
    #expect(try made(#","id":1"#, #""b":{"n":3}"#) == "1")
    #expect(try made("", #""b":{"n":3}"#) == "1")
    #expect(try made(#","s":1"#, #""b":{"n":5,"s":2}"#) == "bad")
    #expect(try made(#","s":1"#, #""b":{"n":3,"s":1}"#) == "1")
    // The list's gifts share an id, so they get #.
    #expect(try made("", #""id":7,"c":[{"n":3}]"#) == "1")
    #expect(try made(#","id":7"#, #""id":8,"c":[{"n":3}]"#) == "bad")
  }

  // MARK: - Labels of other programs

  @Test(
    "a label that the platform does not have hides no gift",
    arguments: [
      (
        "tiktok",
        #"{"jsonrpc":"2.0","method":"notify","params":[{"giftId":5655,"repeatCount":3,"groupId":"g","userId":"9","giftType":1,"createTime":"1700000000000"}]}"#,
        "bad"
      ),
      ("tiktok", #"{"method":"notify","params":{"topic":"x"}}"#, "dropped"),
      ("tiktok", #"{"method":"WebcastNewMessage","x":[{"giftId":1}]}"#, "dropped"),
      ("tiktok", #"{"method":"chat","x":[{"giftId":1}]}"#, "dropped"),
      ("tiktok", #"{"method":"WebcastGiftPanelUpdateMessage","giftId":1}"#, "dropped"),
      ("tiktok", #"{"method":"notify","giftId":1,"repeatCount":1}"#, "bad"),
      ("tiktok", #"{"method":"giftNew","x":1}"#, "bad"),
      ("douyin", #"{"jsonrpc":"2.0","method":"notify","params":[{"giftId":1,"repeatCount":3,"user":{"id":"9"}}]}"#, "bad"),
      ("douyin", #"{"method":"notify","params":{"topic":"x"}}"#, "dropped"),
      ("douyin", #"{"method":"WebcastNewMessage","x":[{"giftId":1}]}"#, "dropped"),
      ("twitch", #"{"msg-id":"notify","x":[{"notice_type":"sub_gift","sub_gift":{"sub_tier":"1000"}}]}"#, "bad"),
      ("twitch", #"{"notice_type":"notify","x":[{"notice_type":"sub_gift","sub_gift":{"sub_tier":"1000"}}]}"#, "bad"),
      ("twitch", #"{"msg-id":"notify","x":1}"#, "dropped"), ("twitch", #"{"notice_type":"notify","x":1}"#, "dropped"),
    ])
  func labels(map: String, record: String, expected: String) throws {
    let result = try gifts(map, record)
    #expect(result.count == 1 && result[0].hasPrefix(expected), "\(result)")
  }

  // MARK: - Several records in one text

  private static func line(_ id: Int) -> String {
    "@id=\(id);msg-id=subgift;msg-param-sub-plan=1000;user-id=66 :tmi.twitch.tv USERNOTICE #c"
  }

  @Test("several lines of IRC in one text are all read, or bad")
  func lines() throws {
    let both = ["1 66> 1000 count 1", "2 66> 1000 count 1"]
    for end in ["\r\n", "\n", "\r\n\r\n", "\0"] {
      #expect(try gifts("twitch", Self.line(1) + end) == [both[0]])
      #expect(try gifts("twitch", Self.line(1) + end + Self.line(2) + end) == both)
      #expect(try gifts("twitch", "PING :tmi.twitch.tv" + end + Self.line(2)) == [both[1]])
    }
    for end in [#"\r\n"#, #"\n"#] {
      let text = Self.line(1) + end + Self.line(2) + end
      #expect(try gifts("twitch", #"{"raw":"\#(Self.line(1))\#(end)"}"#) == [both[0]])
      #expect(try gifts("twitch", #"{"raw":"\#(text)"}"#) == both)
      #expect(try gifts("twitch", #"{"data":"\#(text)"}"#) == both)
      for record in [#"{"line":"\#(text)"}"#, #"{"messages":["\#(text)"]}"#, #"["\#(text)"]"#] {
        #expect(try gifts("twitch", record)[0].contains("2 lines in one text"), "\(record)")
      }
      #expect(try gifts("twitch", #"{"zz":"PING :t\#(end)\#(Self.line(2))"}"#)[0].contains("names a gift"))
      let chat = #"{"line":"@id=1 :a PRIVMSG #c :hi\#(end)@id=2 :a PRIVMSG #c :ho"}"#
      #expect(try gifts("twitch", chat) == ["dropped"])
      #expect(try gifts("twitch", #"{"message":"hi all\#(end)what a gift\#(end)@ann: yes"}"#) == ["dropped"])
    }
  }

  @Test("several packets of STT in one text are all read, or bad", arguments: ["\0", "\n", "\r\n", "/\0", "/\n", "/\0\0"])
  func packets(end: String) throws {
    let two = "type@=dgb/gfid@=5/uid@=6\(end)type@=dgb/gfid@=7/uid@=8\(end)"
    let mixed = "rid@=1/type@=chatmsg/txt@=a\(end)type@=dgb/gfid@=7/uid@=8\(end)"
    let written = two.replacing("\0", with: "\\u0000").replacing("\r\n", with: "\\r\\n").replacing("\n", with: "\\n")
    let both = [" 6> 5 count 1", " 8> 7 count 1"]
    #expect(try gifts("douyu", two) == both)
    #expect(try gifts("douyu", mixed) == [both[1]])
    #expect(try gifts("douyu", #"{"data":"\#(written)"}"#) == both)
    #expect(try gifts("douyu", #"{"raw":"\#(written)"}"#)[0].contains("2 messages"))
  }
}
