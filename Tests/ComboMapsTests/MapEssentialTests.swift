import ComboCore
import ComboMaps
import ComboWire
import Testing

/// Fields without which a record is no gift.
@Suite("The required fields of a gift")
struct MapEssentialTests {
  private func outcome(_ reference: String, _ record: String) throws -> String {
    let read = try MapReference.read(reference).get()
    return try mapped(#require(BuiltInMaps.text(read.name)), record, key: "r", switches: read.switches)
  }

  @Test(
    "a record that names a gift without the field that makes one is bad",
    arguments: [
      ("youtube", #"{"id":"i","snippet":{"type":"superStickerEvent","authorChannelId":"UC"}}"#),
      ("youtube", #"{"id":"i","snippet":{"type":"superStickerEvent","authorChannelId":"UC","superStickerDetails":null}}"#),
      ("youtube", #"{"id":"i","snippet":{"type":"superStickerEvent","authorChannelId":"UC","superStickerDetails":{}}}"#),
      (
        "youtube:superchat=gifts",
        #"{"id":"i","snippet":{"type":"superChatEvent","authorChannelId":"UC","superChatDetails":null}}"#
      ),
      ("youtube", #"{"liveChatPaidStickerRenderer":{"id":"i","authorExternalChannelId":"UC"}}"#),
      ("bilibili:superchat=gifts", #"{"cmd":"SUPER_CHAT_MESSAGE","data":{"uid":5}}"#),
      ("bilibili:guard=gifts", #"{"cmd":"GUARD_BUY","data":{"uid":5,"guard_level":3,"num":null}}"#),
      ("bilibili:guard=gifts", #"{"cmd":"GUARD_BUY","data":{"uid":5,"guard_level":3,"num":0}}"#),
      ("bilibili:guard=gifts", #"{"cmd":"GUARD_BUY","data":{"uid":5,"guard_level":3}}"#),
      ("bilibili:guard=paid", #"{"cmd":"USER_TOAST_MSG","data":{"uid":5,"guard_level":3,"price":1}}"#),
      ("bilibili", #"{"cmd":"SEND_GIFT_AGAIN","data":{"uid":5,"giftId":3,"num":1}}"#),
      ("twitch", #"{"notice_type":"sub_gift","chatter_user_id":"5","broadcaster_user_id":"1","sub_gift":{}}"#),
      (
        "twitch",
        #"{"subscription":{"type":"channel.bits.use"},"event":{"user_id":"5","broadcaster_user_id":"1","bits":10,"type":null}}"#
      ),
      ("twitch", "@msg-id=subgift;id=1;user-id=7;room-id=3 :tmi.twitch.tv USERNOTICE #c"),
      ("kick", #"{"gifter":{"user_id":7},"giftees":[{},{}],"created_at":"2026-10-02T10:00:00Z"}"#),
      ("kick", #"{"gifter":{"user_id":7},"giftees":[0],"created_at":"2026-10-02T10:00:00Z"}"#),
      ("kick", #"{"gifter":{"user_id":7},"giftees":[true],"created_at":"2026-10-02T10:00:00Z"}"#),
      ("kick", #"{"gifter":{"user_id":7},"giftees":["abc"],"created_at":"2026-10-02T10:00:00Z"}"#),
      ("kick", #"{"gifter":{"user_id":7},"giftees":[{"user_id":1},7],"created_at":"2026-10-02T10:00:00Z"}"#),
      ("kick", #"{"gifter":{"user_id":7},"giftees":[[{"user_id":1},{"user_id":2}]],"created_at":"2026-10-02T10:00:00Z"}"#),
      ("kick", #"{"gifter_username":"g","gifted_usernames":[{"a":1}],"chatroom_id":5}"#),
      ("kick", #"{"gifter_username":"g","gifted_usernames":["a",7],"chatroom_id":5}"#),
      ("kick", #"{"sender":{"user_id":7},"gift":{"amount":0,"name":"Rage"},"created_at":"2026-10-02T10:00:00Z"}"#),
      ("tiktok", #"{"giftId":1,"giftType":2,"repeatCount":0,"user":{"userId":"5"}}"#),
      ("douyin", #"{"method":"WebcastGiftMessage","giftId":3,"user":{"id":4}}"#),
      ("acfun", #"{"comboKey":"k","giftId":3,"userInfo":{"userId":5}}"#),
      ("kuaishou", #"{"mergeKey":"k","giftId":3,"user":{"principalId":"5"}}"#),
      ("rumble", #"{"now":1,"user_id":"u","followers":{},"livestreams":[]}"#),
      ("rumble", #"{"now":1,"user_id":"u","gifted_subs":{"recent_gifted_subs":{"0":{"total_gifts":5}}},"livestreams":[]}"#),
      ("rumble", #"{"now":1,"user_id":"u","gifted_subs":{"recent_gifted_subs":[]},"livestreams":[{"chat":{}}]}"#),
      (
        "rumble",
        #"{"now":1,"user_id":"u","gifted_subs":{"recent_gifted_subs":[]},"livestreams":[{"chat":{"recent_rants":"x"}}]}"#
      ),
      (
        "rumble",
        #"{"gifted_subs":{"recent_gifted_subs":[]},"livestreams":[{"chat":{"recent_rants":[{"username":"a","created_on":1}]}}]}"#
      ),
      ("streamlabs", #"{"type":"donation","message":[{"amount":0,"from":"a"}]}"#),
      ("trovo", #"{"type":5006,"senderId":7}"#),
      ("trovo", #"{"type":5,"senderId":7,"content":{"gift":"Bow","num":1}}"#),
      ("kick", #"{"gifter_username":"g","gifted_usernames":[],"gifted_total":3}"#),
      (
        "kick",
        #"{"messages":[{"data":{"gifter":null,"giftees":[{"user_id":1}]}},{"data":{"gifter":null,"giftees":[{"user_id":1},null]}}]}"#
      ),
      ("kick", #"{"type":"kick","event":"donation","chatname":"a","userid":"1","hasDonation":"100 kicks"}"#),
      ("chzzk", #"{"giftType":"SUBSCRIPTION_GIFT","giftId":"i","userIdHash":"u"}"#),
      ("huya", #"{"iItemType":0,"lSenderUid":5,"iItemCount":1}"#),
      ("huya", #"{"iItemType":3,"lSenderUid":0,"sSenderNick":0,"iItemCount":1}"#),
      ("bilibili-open", #"{"cmd":"LIVE_OPEN_PLATFORM_SEND_GIFT","data":{"open_id":"0","gift_id":3,"gift_num":1}}"#),
      ("bilibili:guard=paid", #"{"message":[{"cmd":"USER_TOAST_MSG","data":{"uid":5,"guard_level":3,"num":1}}]}"#),
      ("douyin", #"{"sec_openid":"0","sec_gift_id":"g","gift_num":2}"#),
      ("tiktok", #"{"isComboGift":true,"id":5,"userId":"3"}"#),
      ("youtube", #"{"event":{"source":"YouTube","type":"JewelsGifted"},"data":{"quantity":5,"user":{"id":"1"}}}"#),
      ("youtube:superchat=gifts", #"{"type":"superChat","id":"i","amountValue":0,"author":{"channelId":"UC"}}"#),
      ("twitch", #"{"broadcaster_user_id":"1","bits":100}"#),
      ("twitch", #"{"broadcasterId":"1","bits":100}"#),
      ("twitch", #"{"context":"subgift","channel_id":"1","sub_plan":"1000","user_id":"4"}"#),
      ("streamlabs", #"[{"type":"donation","message":[{"name":"a","amount":5}]},{"type":"donation","event_id":"e"}]"#),
    ])
  func bad(reference: String, record: String) throws {
    let code = try outcome(reference, record)
    #expect(["unknown_type", "missing_field", "out_of_range", "wrong_type"].contains(code), "\(code): \(record)")
  }

  @Test(
    "answers and commands that are known to hold no gift are dropped",
    arguments: [
      (
        "rumble", #"{"now":1,"user_id":"u","gifted_subs":{"recent_gifted_subs":[]},"livestreams":[{"chat":{"recent_rants":[]}}]}"#
      ),
      (
        "rumble",
        #"{"gifted_subs":{"recent_gifted_subs":[],"latest_gifted_sub":{"total_gifts":5}},"livestreams":[],"followers":{"num":1}}"#
      ),
      ("bilibili", #"{"cmd":"GIFT_STAR_PROCESS","data":{"status":1}}"#),
      ("bilibili:superchat=gifts", #"{"cmd":"SUPER_CHAT_MESSAGE_JPN","data":{"uid":5,"price":30}}"#),
      ("bilibili", #"{"cmd":"SUPER_CHAT_MESSAGE","data":{"uid":5,"price":30}}"#),
      ("douyin", #"{"sec_openid":"u","sec_gift_id":"g","gift_num":2,"test":true}"#),
      ("streamlabs", #"{"type":"donation","message":[{"name":"a","amount":5,"isTest":"1"}]}"#),
      ("tiktok", #"{"event":"goalUpdate","data":{"giftId":5,"repeatCount":1,"userId":"3"}}"#),
      ("twitch:cheers=chat", #"{"broadcaster_user_id":"1","bits":100,"is_anonymous":false,"user_id":"4"}"#),
      ("twitch:bits=ignored", #"{"broadcaster_user_id":"1","bits":100}"#),
      ("twitch:source=subscriptions", #"{"context":"subgift","channel_id":"1","sub_plan":"1000","user_id":"4"}"#),
    ])
  func dropped(reference: String, record: String) throws {
    #expect(try outcome(reference, record).hasPrefix("dropped"), "\(record)")
  }

  @Test(
    "suffixes after a colon belong to a command",
    arguments: ["SEND_GIFT", "SEND_GIFT:4:0:2:2:2:0", "SEND_GIFT_V2"])
  func suffixes(command: String) throws {
    let record = #"{"cmd":"\#(command)","data":{"uid":5,"giftId":3,"num":2,"price":1}}"#
    #expect(try outcome("bilibili", record).contains("count 2"))
  }

  @Test(
    "a number of gifts is not counted again by those who receive them", arguments: [#""count":3,"#, #""total":3,"#, ""])
  func numberAndReceivers(number: String) throws {
    let data = #"{\#(number)"recipients":[{"id":1},{"id":2}],"user":{"id":5},"broadcaster":{"id":2}}"#
    let record = #"{"event":{"source":"Kick","type":"MassGiftSubscription"},"data":\#(data)}"#
    for (rules, count) in [(Rules.newest, number.isEmpty ? 2 : 1), (.oldest, 2)] {
      #expect(try events(BuiltInMaps.text("kick")!, record, rules: rules) == count)
    }
  }

  // MARK: - Maps of one's own

  /// Returns the number of events of a record.
  private func events(_ map: String, _ record: String, rules: Rules) throws -> Int {
    var limits = WireLimits()
    limits.roomFromBody = true
    let decoder = RecordDecoder(limits: limits, map: try RecordMap(Array(map.utf8), file: "t"), rules: rules)
    var event = Event()
    return try Array(record.utf8).withUnsafeBytes {
      try decoder.decode($0, key: nil, into: BumpArena(), &event) ? 1 + decoder.further.count : 0
    }
  }

  @Test("by older rules, a gift counts once without the number that its map names")
  func olderRules() throws {
    let map = try RecordMap(Array(giftMap(#""count": "/n""#).utf8), file: "t")
    var limits = WireLimits()
    limits.roomFromBody = true
    for (rules, isGift) in [(Rules.oldest, true), (.newest, false)] {
      let decoder = RecordDecoder(limits: limits, map: map, rules: rules)
      var event = Event()
      let arena = BumpArena()
      let made = try? Array(#"{"u":1,"g":2}"#.utf8).withUnsafeBytes {
        try decoder.decode($0, key: nil, into: arena, &event)
      }
      #expect((made == true) == isGift)
    }
  }

  @Test("a second gift in another envelope makes a record bad; the same gift in other words does not, nor what is none")
  func envelopes() throws {
    let map = giftMap("", more: #", "roots": ["/data", "/payload", ""]"#, when: #"{"at": "/g", "exists": true}"#)
    func gift(_ sender: Int, _ gift: Int) -> String { #"{"u":\#(sender),"g":\#(gift)}"# }
    #expect(try mapped(map, #"{"data":\#(gift(1, 2)),"payload":\#(gift(1, 2))}"#).hasPrefix("gift"))
    #expect(try mapped(map, #"{"data":\#(gift(1, 2)),"payload":{"u":3}}"#).hasPrefix("gift"))
    #expect(try mapped(map, #"{"data":\#(gift(1, 2)),"payload":{"g":3}}"#).hasPrefix("gift"))
    for other in [gift(3, 2), gift(1, 3)] {
      let reported = try mapped(map, #"{"data":\#(gift(1, 2)),"payload":\#(other)}"#, sentence: true)
      #expect(reported.contains("two gifts in two envelopes"), "\(reported)")
    }
  }

  @Test("a gift in an array beside another root is read or makes the record bad; none is lost")
  func arrays() throws {
    let map = giftMap("", more: #", "roots": ["/c", "/a/*", "/b/*", ""]"#, when: #"{"at": "/g", "exists": true}"#)
    func gift(_ sender: Int) -> String { #"{"u":\#(sender),"g":2}"# }
    #expect(try events(map, #"{"a":[\#(gift(1))],"b":[\#(gift(1))]}"#, rules: .newest) == 1)
    #expect(try events(map, #"{"a":[\#(gift(1)),\#(gift(2))],"b":[]}"#, rules: .newest) == 2)
    #expect(try events(map, #"{"c":\#(gift(1)),"a":[\#(gift(1)),\#(gift(2))]}"#, rules: .newest) == 2)
    for record in [
      #"{"a":[\#(gift(1))],"b":[\#(gift(2))]}"#, #"{"a":[\#(gift(1)),\#(gift(2))],"b":[\#(gift(1)),\#(gift(3))]}"#,
      #"{"c":\#(gift(1)),"a":[\#(gift(2))]}"#,
    ] {
      #expect(try mapped(map, record, sentence: true).contains("two gifts in two envelopes"), "\(record)")
    }
  }

  @Test(
    "a gift in a text of an unknown envelope is noticed: in base64, and as JSON in a string that is JSON itself",
    arguments: [
      #"{"data":"eyJnaWZ0SWQiOjEsInJlcGVhdENvdW50IjoxLCJ1c2VySWQiOiI5In0="}"#,
      #"{"x":{"data":"W3siZ2lmdElkIjoxLCJyZXBlYXRDb3VudCI6MSwidXNlcklkIjoiOSJ9XQ"}}"#,
      #"{"data":"\"{\\\"giftId\\\":1,\\\"repeatCount\\\":1,\\\"userId\\\":\\\"9\\\"}\""}"#,
    ])
  func packed(record: String) throws { #expect(try outcome("tiktok", record) == "unknown_type") }

  @Test("a rule after one without a condition is noted")
  func unreachable() throws {
    func notes(_ first: String, _ second: String) throws -> [String] {
      let gift = #""event": "gift", "fields": {"sender": {"id": "/u"}, "gift": {"id": "/g"}}"#
      let text = #"{"map": 1, "name": "t", "rules": [{\#(first)\#(gift)}, {\#(second)\#(gift)}]}"#
      return try RecordMap(Array(text.utf8), file: "t").notes.map(\.sentence)
    }
    #expect(try notes("", #""when": {"at": "/k", "is": 1}, "#).first?.contains("never reached: rule 1") == true)
    #expect(try notes(#""root": "/a/*", "#, #""root": "/a/*/b/*", "#).first?.contains("never reached: rule 1") == true)
    #expect(try notes(#""root": "/a/*", "#, "").isEmpty)
    #expect(try notes(#""when": {"at": "/k", "is": 1}, "#, "").isEmpty)
  }
}
