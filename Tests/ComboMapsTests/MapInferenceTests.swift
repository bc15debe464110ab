import ComboCore
import ComboMaps
import ComboWire
import Testing

/// The maps that `map --infer` proposes for records of platforms. They are read again, and used.
@Suite("A map proposed from samples")
struct MapInferenceTests {
  private func gifts(_ records: [String]) throws -> (gifts: [String], doubts: [String], text: String) {
    let guess = MapInference(records.map { Array($0.utf8) })
    let map = try RecordMap(Array(guess.text.utf8), file: "guess")
    return (MapIdentityTests.gifts(map, records), guess.doubts, guess.text)
  }

  @Test("has a gift for each receiver in an array, with the number of each where it is given")
  func receivers() throws {
    let one = try gifts([
      #"{"userUuid":"u1","giftId":3,"giftCount":10,"targets":[{"userUuid":"a"},{"userUuid":"b"}],"seatUserReward":[{"userUuid":"h","rewardTotal":520}]}"#
    ])
    #expect(one.gifts == [" u1>a 3 count 10", " u1>b 3 count 10"])
    let own = try gifts([
      #"{"userUuid":"u1","giftId":3,"giftCount":10,"receivers":[{"userId":"a","num":4},{"userId":"b","num":6}]}"#
    ])
    #expect(own.gifts == [" u1>a 3 count 4", " u1>b 3 count 6"])
    let bare = try gifts([#"{"gifter_username":"g","gifted_usernames":["a","b"],"gifted_total":2,"gifter_total":360}"#])
    #expect(bare.gifts == [" g>a subscription count 1", " g>b subscription count 1"])
  }

  @Test("distinguishes the sender from the host, and accepts a time with nine decimals")
  func host() throws {
    let result = try gifts([
      #"{"broadcaster":{"user_id":15,"username":"s"},"gifter":{"user_id":80,"username":"g"},"giftees":[{"user_id":16},{"user_id":34}],"created_at":"2026-01-04T20:03:20.191347293Z","expires_at":"2026-02-03T20:03:20.191347375Z"}"#
    ])
    #expect(result.gifts == [" 80>16 subscription count 1", " 80>34 subscription count 1"])
    #expect(result.text.contains(#""ts": {"at": "^/created_at", "unit": "rfc3339"}"#), "\(result.text)")
    #expect(result.text.contains(#""room": "^/broadcaster/user_id""#))
  }

  @Test("prefers fields named like a room to other ids")
  func room() throws {
    let result = try gifts(
      [1, 2].map { #"{"cmd":"gift","body":{"room":"L7","uid":\#($0),"gift_id":3,"num":2,"combo":{"cid":"c\#($0)"}}}"# })
    #expect(result.text.contains(#""room": "/body/room""#), "\(result.text)")
  }

  @Test("uses a running total without a group, with its end")
  func totals() throws {
    let records = [(1, false), (1, true), (1, false), (2, false)].map { count, ends in
      #"{"event":"gift","data":{"giftId":5655,"repeatCount":\#(count),"repeatEnd":\#(ends),"user":{"userId":"12"}}}"#
    }
    let result = try gifts(records)
    #expect(
      result.gifts == [
        #" 12> 5655 total 1 of """#, #" 12> 5655 total 1 of "" ends"#, #" 12> 5655 total 1 of """#, #" 12> 5655 total 2 of """#,
      ])
  }

  @Test("reads JSON in texts, and names the parts that it leaves out")
  func texts() throws {
    let result = try gifts([#"{"event":"gift","data":"{\"giftId\":7,\"uid\":\"1\",\"num\":2,\"odd\":4}","channel":"c_1"}"#])
    #expect(result.gifts == [" 1> 7 count 2"])
    #expect(result.doubts.contains { $0.hasPrefix("left out: ") && $0.contains("/data/odd") }, "\(result.doubts)")
  }

  @Test("makes a rule for each kind of gift, and counts once what two kinds contain")
  func commands() throws {
    let both = try gifts([
      #"{"cmd":"GUARD_BUY","data":{"uid":3,"gift_id":10003,"num":1,"price":198000}}"#,
      #"{"cmd":"USER_TOAST_MSG","data":{"uid":3,"gift_id":10003,"num":1,"price":138000,"payflow_id":"p1"}}"#,
      #"{"cmd":"DANMU_MSG","info":["x"]}"#,
    ])
    #expect(both.gifts == ["dropped", "p1 3> 10003 count 1", "dropped"])
    let two = try gifts([
      #"{"cmd":"SEND_GIFT","data":{"uid":3,"gift_id":1,"num":2}}"#, #"{"cmd":"BOX_GIFT","data":{"uid":4,"gift_id":9,"num":1}}"#,
    ])
    #expect(two.gifts == [" 3> 1 count 2", " 4> 9 count 1"])
  }

  @Test("has a rule for each shape of one kind of records")
  func shapes() throws {
    let result = try gifts([
      #"{"cmd":"SEND_GIFT","data":{"uid":3,"gift_id":1,"num":2}}"#,
      #"{"payload":{"cmd":"SEND_GIFT","data":{"uid":4,"gift_id":2,"num":3}}}"#,
      #"{"cmd":"SEND_GIFT","data":"{\"uid\":5,\"gift_id\":3,\"num\":4}"}"#, #"{"payload":{"cmd":"CHAT","data":{"uid":4}}}"#,
    ])
    #expect(result.gifts == [" 3> 1 count 2", " 4> 2 count 3", " 5> 3 count 4", "dropped"], "\(result.text)")
  }

  @Test("uses the gifts of an array of several kinds")
  func mixed() throws {
    let result = try gifts([
      #"{"messages":[{"type":"chat","data":{"uid":1,"text":"hi"}},{"type":"gift","data":{"uid":2,"giftId":7,"num":3}},{"type":"gift","data":{"uid":3,"giftId":7,"num":1}}]}"#
    ])
    #expect(result.gifts == [" 2> 7 count 3", " 3> 7 count 1"], "\(result.text)")
  }

  @Test("reads lines of IRC and Douyu's text, also inside JSON")
  func otherForms() throws {
    let line =
      "@id=a1;msg-id=submysterygift;msg-param-mass-gift-count=5;msg-param-sub-plan=1000;room-id=9;user-id=28 :tmi USERNOTICE #c"
    #expect(try gifts([line]).gifts == ["a1 28> 1000 count 5"])
    let inside = try gifts([#"{"raw":"\#(line)"}"#])
    #expect(inside.gifts == ["a1 28> 1000 count 5"], "\(inside.text)")
    let stt = try gifts(["type@=dgb/rid@=5/gfid@=824/uid@=7/gfcnt@=2/nn@=a@Sb/"])
    #expect(stt.gifts == [" 7> 824 count 2"], "\(stt.text)")
  }

  @Test("treats a higher number under the same id as an update")
  func updates() throws {
    let result = try gifts(
      [1, 3, 7].map { count in
        #"{"id":"g1","snippet":{"type":"giftEvent","authorChannelId":"UC1","giftDetails":{"giftName":"Rose","comboCount":\#(count)}}}"#
      })
    #expect(result.gifts == [1, 3, 7].map { #" UC1> Rose total \#($0) of "g1""# }, "\(result.text)")
  }

  @Test("makes no sender 0 where another field has an id, and uses a word for senders that are not named")
  func standIns() throws {
    let result = try gifts([
      #"{"cmd":"GIFT","uid":0,"open_id":"o1","gift_id":1,"num":2}"#,
      #"{"cmd":"GIFT","uid":8,"open_id":"o2","gift_id":1,"num":1}"#,
    ])
    #expect(result.gifts == [" o1> 1 count 2", " o2> 1 count 1"], "\(result.text)")
    let hidden = try gifts([
      #"{"type":"gift","user_id":"7","is_anonymous":false,"gift_id":1,"total":2}"#,
      #"{"type":"gift","user_id":null,"is_anonymous":true,"gift_id":1,"total":1}"#,
    ])
    #expect(hidden.gifts == [" 7> 1 count 2", " anonymous> 1 count 1"], "\(hidden.text)")
  }

  @Test("makes no gift of chats, and names the samples that it does not read")
  func noGifts() throws {
    let chats = (1...6).map { #"{"cmd":"chat","user":{"uid":\#($0)},"room":1,"text":"hi"}"# }
    let guess = MapInference((chats + ["no JSON"]).map { Array($0.utf8) })
    for chat in chats { #expect(try mapped(guess.text, chat, key: "1") == "missing_field", "\(guess.text)") }
    #expect(
      guess.doubts.contains("samples: 6 of 7 were read; they must be JSON, IRC with tags or STT, and at most 5,000"),
      "\(guess.doubts)")
    #expect(MapInference([]).doubts == ["samples: 0 of 0 were read; they must be JSON, IRC with tags or STT, and at most 5,000"])
  }

  @Test("makes no receiver the giver of what has none")
  func noGiver() throws {
    let result = try gifts(
      (0..<40).map { number in
        let from = number % 5 == 0 ? "null" : #"{"uid":\#(100 + number),"nick":"x"}"#
        return
          #"{"type":"gift","from":\#(from),"to":{"uid":9001,"nick":"h"},"gift":{"id":\#(number % 3),"name":"Rose"},"num":2,"id":"o\#(number)"}"#
      })
    #expect(result.text.contains("/from/uid") && !result.gifts.contains { $0.contains(" 9001>") }, "\(result.text)")
  }

  @Test("makes a record that names a gift and cannot be read a bad event")
  func unread() throws {
    let result = try gifts([
      #"{"cmd":"SEND_GIFT","data":{"uid":3,"gift_id":1,"num":2}}"#, #"{"cmd":"SEND_GIFT_V2","data":{"pb":"CAdSBAgfGAM="}}"#,
    ])
    #expect(result.gifts.first == " 3> 1 count 2")
    #expect(result.gifts.last?.hasPrefix("bad: ") == true, "\(result.text)")
    #expect(
      result.doubts.contains { $0.hasPrefix(#""SEND_GIFT_V2": 1 of 1 are not read: no sender or gift was found"#) },
      "\(result.doubts)")
  }
}
