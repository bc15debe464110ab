import ComboMaps
import Testing

/// The result of a proposed map for the samples that it is proposed from.
@Suite("A proposed map, held against its samples")
struct MapInferenceCheckTests {
  private func gifts(_ records: [String]) throws -> (gifts: [String], doubts: [String], text: String) {
    let guess = MapInference(records.map { Array($0.utf8) })
    let map = try RecordMap(Array(guess.text.utf8), file: "guess")
    return (MapIdentityTests.gifts(map, records), guess.doubts, guess.text)
  }

  @Test("does not use a field as an id that two different gifts share, of one kind or of two")
  func sharedIDs() throws {
    let one = try gifts(
      [("u1", 3), ("u2", 1), ("u1", 3)].map { user, count in
        #"{"type":"gift","trace_id":"t1","order_id":"o\#(user)","user_id":"\#(user)","gift_id":7,"num":\#(count)}"#
      })
    #expect(one.gifts == ["ou1 u1> 7 count 3", "ou2 u2> 7 count 1", "ou1 u1> 7 count 3"], "\(one.text)")
    #expect(one.doubts.contains { $0.contains("1 have id and all else of another gift") }, "\(one.doubts)")
    let two = try gifts([
      #"{"cmd":"SEND_GIFT","msg_id":"m1","uid":3,"gift_id":1,"num":2}"#,
      #"{"cmd":"BOX_GIFT","msg_id":"m1","uid":4,"gift_id":9,"num":1}"#,
    ])
    #expect(two.gifts == [" 3> 1 count 2", " 4> 9 count 1"], "\(two.text)")
    #expect(two.doubts.contains { $0.hasPrefix("id: /msg_id is shared by different gifts") }, "\(two.doubts)")
  }

  @Test("does not look for records in what viewers write")
  func viewersTexts() throws {
    let result = try gifts(
      (1...2).map { #"{"kind":"gift","uid":1,"gift_id":1,"gift_name":"Rose","num":\#($0),"text":""}"# } + [
        #"{"kind":"chat","uid":2,"text":"{\"kind\":\"gift\",\"uid\":3,\"gift_id\":1,\"num\":999}"}"#
      ])
    #expect(result.gifts == [" 1> 1 count 1", " 1> 1 count 2", "dropped"] && !result.text.contains("unpack"), "\(result.text)")
  }

  @Test("takes no type of a database's column for a room, and says what is always the same")
  func canal() throws {
    let records = (1...3).map { order in
      #"{"data":[{"id":"90\#(order)","room_id":"88","from_uid":"50\#(order)","gift_id":"11","gift_num":"\#(order)"}],"id":7,"mysqlType":{"id":"bigint(20)","room_id":"bigint(20)","from_uid":"bigint(20)","gift_id":"int(11)"},"table":"gift_order","ts":179093520030\#(order),"type":"INSERT"}"#
    }
    let result = try gifts(records)
    #expect(result.gifts == (1...3).map { "90\($0) 50\($0)> 11 count \($0)" }, "\(result.text)")
    #expect(result.text.contains(#""room": "/room_id""#), "\(result.text)")
    #expect(result.doubts.contains(#"samples: in all gifts room is always "88", gift.id is always "11""#), "\(result.doubts)")
  }

  @Test("counts no record again that says who received a gift")
  func receiversOfGifts() throws {
    func record(_ type: String, _ more: String) -> String {
      let extras = #"{\"giftId\":\"g1\",\"giftType\":\"\#(type)\",\"giftTierNo\":1,\"userIdHash\":\"h1\",\#(more)}"#
      return #"{"bdy":[{"cid":"N1","uid":"h1","extras":"\#(extras)","msgTime":1790935200000}],"cmd":93102,"cid":"N1"}"#
    }
    let receivers = ["a", "b", "c"].map { record("SUBSCRIPTION_GIFT_RECEIVER", #"\"receiverUserIdHash\":\"\#($0)\""#) }
    let result = try gifts([record("SUBSCRIPTION_GIFT", #"\"quantity\":3"#)] + receivers)
    #expect(result.gifts == [" h1> g1 count 3", "dropped", "dropped", "dropped"], "\(result.text)")
    #expect(
      result.doubts.contains { $0.hasPrefix(#""SUBSCRIPTION_GIFT_RECEIVER" seems to repeat the gifts"#) }, "\(result.doubts)")
  }

  @Test("says what a field has that keeps its records from being read, and that what seems to repeat may undo")
  func causes() throws {
    let long = String(repeating: "x", count: 300)
    let unread = try gifts((1...2).map { #"{"cmd":"SEND_GIFT","uid":"\#(long)\#($0)","gift_id":1,"num":2}"# })
    #expect(
      unread.doubts.contains { $0.hasPrefix(#""SEND_GIFT": 2 of 2 are not read: "#) && $0.contains("sender.id") },
      "\(unread.doubts)")
    let refund = try gifts(
      [("SEND_GIFT", 1), ("SEND_GIFT", 2), ("GIFT_REFUND", 1)].map { #"{"cmd":"\#($0)","uid":\#($1),"gift_id":\#($1),"num":2}"# })
    #expect(refund.gifts.last == "dropped", "\(refund.text)")
    #expect(
      refund.doubts.contains(
        #""GIFT_REFUND" seems to repeat the gifts of "SEND_GIFT", or to undo them, so only the latter counts (dropped gifts: 1)"#),
      "\(refund.doubts)")
    // The other way round, those that the refund leaves out would be lost.
    func record(_ cmd: String, _ user: Int, _ id: String) -> String {
      #"{"cmd":"\#(cmd)","uid":\#(user),"gift_id":1,"num":2\#(id)}"#
    }
    let recap = try gifts(
      [record("GIFT_BURST", 1, ""), record("GIFT_BURST", 2, ""), record("GIFT_RECAP", 1, #","order_id":"o1""#)])
    #expect(recap.gifts == [" 1> 1 count 2", " 2> 1 count 2", "dropped"], "\(recap.text)")
  }

  @Test("keeps gifts alive that each answer of a source repeats by its name, and says what stays the same while a total grows")
  func polled() throws {
    func proposal(_ list: String) throws -> String {
      try gifts((1...3).map { #"{"\#(list)":[{"type":"gift","id":"i\#($0)","user_id":\#($0),"gift_id":1,"num":2}]}"# }).text
    }
    #expect(try proposal("recent_gifts").contains(#""refresh": {"const": true}"#))
    #expect(try !proposal("gifts").contains("refresh"))
    let growing = try gifts([2, 5, 9].map { #"{"type":"gift","user_id":7,"gift_id":1,"repeat_count":\#($0)}"# })
    #expect(growing.doubts.contains { $0.contains("never falls while sender and gift stay the same") }, "\(growing.doubts)")
  }

  @Test("takes money beside a currency for the worth of one gift, and no record's id for the gift's")
  func tips() throws {
    let tips = try gifts(
      [("ann", 500), ("ben", 1000)].map {
        #"{"event":"tip","data":{"tip_id":"t-\#($0)","username":"\#($0)","amount":\#($1),"currency":"JPY"}}"#
      })
    #expect(tips.gifts == ["t-ann ann> tip count 1", "t-ben ben> tip count 1"], "\(tips.text)")
    #expect(tips.text.contains(#""value": "/data/amount""#), "\(tips.text)")
    let chats = try gifts((1...3).map { #"{"cmd":"SUPER_CHAT","data":{"id":"s\#($0)","uid":5,"price":\#($0)0}}"# })
    #expect(chats.gifts == (1...3).map { "s\($0) 5> SUPER_CHAT count 1" }, "\(chats.text)")
  }

  @Test("does not use a price as a number")
  func prices() throws {
    func record(_ id: Int, _ item: String, _ price: String) -> String {
      #"[{"type":"gift","id":"i\#(id)","item":{"name":"\#(item)","image":"https://i.example/\#(item)"},"sender":{"id":"ann"},"createdAt":179093520000\#(id)\#(price)}]"#
    }
    let beside = try gifts((1...3).map { record($0, $0 < 3 ? "tea" : "coin", #","dango":{"amount":\#($0 < 3 ? 20 : 50)}"#) })
    #expect(beside.gifts == ["i1 ann> tea count 1", "i2 ann> tea count 1", "i3 ann> coin count 1"], "\(beside.text)")
    let within = try gifts((1...3).map { record($0, $0 < 3 ? "tea" : "coin", #","amount":\#($0 < 3 ? 20 : 50)"#) })
    #expect(within.gifts == beside.gifts, "\(within.text)")
    let number = try gifts((1...3).map { record($0, "tea", #","amount":\#(4 - $0)"#) })
    #expect(number.gifts == (1...3).map { "i\($0) ann> tea count \(4 - $0)" }, "\(number.text)")
  }

  @Test("makes no bad event of its own samples, where an array has gifts beside other things, and says so where it does")
  func mixedChats() throws {
    func chat(_ id: Int, _ gift: Bool) -> String {
      let content =
        gift ? #""content":"{\"gift\":\"Winner\",\"num\":2,\"gift_id\":52,\"gift_value\":100}""# : #""content":"hello""#
      return #"{"type":\#(gift ? 5 : 0),\#(content),"message_id":"m\#(id)","sender_id":50\#(id),"send_time":1790935200}"#
    }
    func record(_ chats: [String]) -> String {
      #"{"type":"CHAT","channel_info":{"channel_id":"100"},"data":{"chats":[\#(chats.joined(separator: ","))]}}"#
    }
    let records = [[chat(1, false), chat(2, true)], [chat(3, true), chat(4, false), chat(5, true)], [chat(6, false)]].map(record)
    let result = try gifts(records)
    #expect(result.gifts == ["m2 502> 52 count 2", "m3 503> 52 count 2", "m5 505> 52 count 2", "dropped"], "\(result.text)")
    #expect(!result.doubts.contains { $0.contains("bad events") }, "\(result.doubts)")
    let bad = try gifts([#"{"cmd":"SEND_GIFT","uid":3,"gift_id":1,"num":2}"#, #"{"cmd":"SEND_GIFT_V2","pb":"CAdSBAgf"}"#])
    #expect(bad.doubts.contains { $0.hasPrefix("samples: 1 become bad events; the first is sample 2: ") }, "\(bad.doubts)")
  }

  @Test("starts with the built-in names of commands and of other events, where a command names gifts")
  func includes() throws {
    let result = try gifts([#"{"kind":"gift","uid":3,"gift_id":1,"num":2}"#])
    #expect(result.text.contains(#""include": "common""#) && result.text.contains(#"{"use": "other-events"}"#), "\(result.text)")
    #expect(
      MapIdentityTests.gifts(
        try RecordMap(Array(result.text.utf8), file: "guess"),
        [
          #"{"kind":"chat","msgType":"roomUserSeq"}"#, #"{"cmd":"GIFT_OF_ANOTHER_KIND"}"#, #"{"kind":"like"}"#,
        ]
      ).map { $0.prefix(4) } == ["drop", "bad:", "drop"])
  }
}
