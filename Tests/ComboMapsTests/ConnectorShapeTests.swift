import ComboCore
import ComboMaps
import ComboWire
import Synchronization
import Testing

/// Records in the shapes of connectors, each with what the built-in map makes of it: the number of gifts and the first of them, `bad` or `dropped`.
@Suite("Shapes of connectors")
struct ConnectorShapeTests {
  @Test(
    "are read, or are bad events; only what is known to be no gift is dropped", arguments: cases + furtherCases + envelopeCases)
  func shapes(map reference: String, name: String, record: String, expected: String) throws {
    let came = try MapIdentityTests.gifts(Self.map(reference), [record])
    let first = came.first ?? ""
    let made = first.hasPrefix("bad: ") ? "bad" : first == "dropped" ? first : "\(came.count) × \(first)"
    #expect(made == expected, "\(name): \(first)")
  }

  @Test("that repeat Kick's gifts say so")
  func repeated() throws {
    let record = #"{"event":"App\\Events\\LuckyUsersWhoGotGiftSubscriptionsEvent","data":"{\"usernames\":[\"a\"]}"}"#
    let made = try mapped(#require(BuiltInMaps.text("kick")), record)
    #expect(made.hasPrefix("dropped: repeats GiftedSubscriptionsEvent's gifts"), "\(made)")
  }

  /// Each map once: without optimisation the largest takes a second.
  private static let maps = Mutex<[String: RecordMap]>([:])

  private static func map(_ reference: String) throws -> RecordMap {
    if let known = maps.withLock({ $0[reference] }) { return known }
    let read = try MapReference.read(reference).get()
    let map = try RecordMap(Array(#require(BuiltInMaps.text(read.name)).utf8), file: read.name, switches: read.switches)
    maps.withLock { $0[reference] = map }
    return map
  }

  private static let cases: [(String, String, String, String)] = [
    (
      "tiktok", "array of texts",
      ##"["{\"common\": {\"method\": \"WebcastGiftMessage\", \"msgId\": \"71\", \"roomId\": \"74\", \"createTime\": \"1786000000000\"}, \"giftId\": 5655, \"repeatCount\": 1, \"user\": {\"userId\": \"68\"}, \"repeatEnd\": 0, \"groupId\": \"G1\", \"giftDetails\": {\"giftType\": 1, \"diamondCount\": 1}}","{\"common\": {\"method\": \"WebcastGiftMessage\", \"msgId\": \"71\", \"roomId\": \"74\", \"createTime\": \"1786000000000\"}, \"giftId\": 5655, \"repeatCount\": 1, \"user\": {\"userId\": \"68\"}, \"repeatEnd\": 0, \"groupId\": \"G1\", \"giftDetails\": {\"giftType\": 1, \"diamondCount\": 1}}"]"##,
      ##"2 ×  68> 5655 total 1 of "G1" for 300000"##
    ),
    (
      "tiktok", "env text",
      ##"{"event":"gift","data":"{\"common\": {\"method\": \"WebcastGiftMessage\", \"msgId\": \"71\", \"roomId\": \"74\", \"createTime\": \"1786000000000\"}, \"giftId\": 5655, \"repeatCount\": 1, \"user\": {\"userId\": \"68\"}, \"repeatEnd\": 0, \"groupId\": \"G1\", \"giftDetails\": {\"giftType\": 1, \"diamondCount\": 1}}"}"##,
      ##"1 ×  68> 5655 total 1 of "G1" for 300000"##
    ),
    (
      "tiktok", "env text chat",
      ##"{"event":"chat","data":"{\"common\": {\"method\": \"WebcastGiftMessage\", \"msgId\": \"71\", \"roomId\": \"74\", \"createTime\": \"1786000000000\"}, \"giftId\": 5655, \"repeatCount\": 1, \"user\": {\"userId\": \"68\"}, \"repeatEnd\": 0, \"groupId\": \"G1\", \"giftDetails\": {\"giftType\": 1, \"diamondCount\": 1}}"}"##,
      ##"dropped"##
    ),
    (
      "tiktok", "body text",
      ##"{"body":"{\"common\": {\"method\": \"WebcastGiftMessage\", \"msgId\": \"71\", \"roomId\": \"74\", \"createTime\": \"1786000000000\"}, \"giftId\": 5655, \"repeatCount\": 1, \"user\": {\"userId\": \"68\"}, \"repeatEnd\": 0, \"groupId\": \"G1\", \"giftDetails\": {\"giftType\": 1, \"diamondCount\": 1}}"}"##,
      ##"1 ×  68> 5655 total 1 of "G1" for 300000"##
    ),
    (
      "tiktok", "array env text",
      ##"[{"event":"gift","data":"{\"common\": {\"method\": \"WebcastGiftMessage\", \"msgId\": \"71\", \"roomId\": \"74\", \"createTime\": \"1786000000000\"}, \"giftId\": 5655, \"repeatCount\": 1, \"user\": {\"userId\": \"68\"}, \"repeatEnd\": 0, \"groupId\": \"G1\", \"giftDetails\": {\"giftType\": 1, \"diamondCount\": 1}}"},{"event":"chat","data":"hi"}]"##,
      ##"1 ×  68> 5655 total 1 of "G1" for 300000"##
    ),
    (
      "tiktok", "messages texts",
      ##"{"messages":["{\"common\": {\"method\": \"WebcastGiftMessage\", \"msgId\": \"71\", \"roomId\": \"74\", \"createTime\": \"1786000000000\"}, \"giftId\": 5655, \"repeatCount\": 1, \"user\": {\"userId\": \"68\"}, \"repeatEnd\": 0, \"groupId\": \"G1\", \"giftDetails\": {\"giftType\": 1, \"diamondCount\": 1}}"]}"##,
      ##"1 ×  68> 5655 total 1 of "G1" for 300000"##
    ),
    (
      "tiktok", "no count array",
      ##"[{"event":"gift","data":{"giftId":"7","userId":"9"}},{"event":"gift","data":{"giftId":"7","userId":"9","repeatCount":1,"groupId":"1"}}]"##,
      ##"bad"##
    ),
    (
      "tiktok", "deep wrapper",
      ##"{"source":"x","inner":{"msg":{"common":{"method":"WebcastGiftMessage","msgId":"71","roomId":"74","createTime":"1786000000000"},"giftId":5655,"repeatCount":1,"user":{"userId":"68"},"repeatEnd":0,"groupId":"G1","giftDetails":{"giftType":1,"diamondCount":1}}}}"##,
      ##"bad"##
    ),
    (
      "tiktok", "chat",
      ##"{"event":"chat","data":{"comment":"gift gift","userId":"9","topGifter":1}}"##,
      ##"dropped"##
    ),
    (
      "tiktok", "like",
      ##"{"common":{"method":"WebcastLikeMessage"},"likeCount":4}"##,
      ##"dropped"##
    ),
    (
      "tiktok", "gift panel",
      ##"{"common":{"method":"WebcastGiftPanelUpdateMessage"},"giftId":1}"##,
      ##"dropped"##
    ),
    (
      "tiktok", "gift new",
      ##"{"common":{"method":"WebcastGiftNewMessage"},"giftId":1}"##,
      ##"bad"##
    ),
    (
      "tiktok", "tikfinity webhook",
      ##"{"giftId":"5655","giftName":"Rose","coins":"5","repeatCount":"5","username":"a","userId":"12","triggerTypeId":"1"}"##,
      ##"1 ×  12> 5655 count 5"##
    ),
    (
      "tiktok", "ssn",
      ##"{"type":"tiktok","chatname":"a","hasDonation":"300 coins"}"##,
      ##"bad"##
    ),
    (
      "tiktok", "unknown type w/ key",
      ##"{"type":"present","giftId":4}"##,
      ##"bad"##
    ),
    (
      "bilibili", "plain",
      ##"{"cmd":"SEND_GIFT","data":{"giftId":3,"num":5,"uid":7,"uname":"x","price":100,"coin_type":"gold","tid":"1","batch_combo_id":"b1"},"roomid":9}"##,
      ##"1 × 1 7> 3 count 5 combo b1"##
    ),
    (
      "bilibili", "two in array",
      ##"[{"cmd":"SEND_GIFT","data":{"giftId":3,"num":5,"uid":7,"uname":"x","price":100,"coin_type":"gold","tid":"1","batch_combo_id":"b1"},"roomid":9},{"cmd":"DANMU_MSG","info":[]}]"##,
      ##"1 × 1 7> 3 count 5 combo b1"##
    ),
    (
      "bilibili", "pack no array",
      ##"{"protocol_version":0,"datapack_type":5,"data":{"cmd":"SEND_GIFT","data":{"giftId":3,"num":5,"uid":7,"uname":"x","price":100,"coin_type":"gold","tid":"1","batch_combo_id":"b1"},"roomid":9}}"##,
      ##"1 × 1 7> 3 count 5 combo b1"##
    ),
    (
      "bilibili", "pack arr other",
      ##"[{"datapack_type":5,"data":{"cmd":"OTHER","data":{"giftId":3,"num":1,"uid":4}}}]"##,
      ##"bad"##
    ),
    (
      "bilibili", "arr other",
      ##"[{"cmd":"POPULARITY_RED_POCKET_NEW","data":{"giftId":3,"num":1,"uid":4}}]"##,
      ##"dropped"##
    ),
    (
      "bilibili", "texts",
      ##"["{\"cmd\": \"SEND_GIFT\", \"data\": {\"giftId\": 3, \"num\": 5, \"uid\": 7, \"uname\": \"x\", \"price\": 100, \"coin_type\": \"gold\", \"tid\": \"1\", \"batch_combo_id\": \"b1\"}, \"roomid\": 9}"]"##,
      ##"1 × 1 7> 3 count 5 combo b1"##
    ),
    (
      "bilibili", "packs as texts",
      ##"[{"data":"{\"cmd\": \"SEND_GIFT\", \"data\": {\"giftId\": 3, \"num\": 5, \"uid\": 7, \"uname\": \"x\", \"price\": 100, \"coin_type\": \"gold\", \"tid\": \"1\", \"batch_combo_id\": \"b1\"}, \"roomid\": 9}"}]"##,
      ##"1 × 1 7> 3 count 5 combo b1"##
    ),
    (
      "bilibili", "silver",
      ##"{"cmd":"SEND_GIFT","data":{"giftId":3,"num":5,"uid":7,"uname":"x","price":100,"coin_type":"silver","tid":"1","batch_combo_id":"b1"}}"##,
      ##"1 × 1 7> 3 count 5 combo b1"##
    ),
    (
      "bilibili:free=ignored", "silver ignored",
      ##"{"cmd":"SEND_GIFT","data":{"giftId":3,"num":5,"uid":7,"uname":"x","price":100,"coin_type":"silver","tid":"1","batch_combo_id":"b1"}}"##,
      ##"dropped"##
    ),
    (
      "bilibili:guard=paid", "toast",
      ##"{"cmd":"USER_TOAST_MSG","data":{"uid":3,"payflow_id":"p","price":138000,"guard_level":3,"num":1,"gift_id":10003,"start_time":1662041450},"roomid":6}"##,
      ##"1 × p 3> 10003 count 1"##
    ),
    (
      "bilibili:guard=paid", "toast v2",
      ##"{"cmd":"USER_TOAST_MSG_V2","data":{"sender_uinfo":{"uid":3,"base":{"name":"a"}},"guard_info":{"guard_level":3,"role_name":"舰长","start_time":1662041450},"pay_info":{"payflow_id":"p","price":138000,"num":1},"gift_info":{"gift_id":10003}},"roomid":6}"##,
      ##"1 × p 3> 10003 count 1"##
    ),
    (
      "bilibili:guard=paid", "guard buy",
      ##"{"cmd":"GUARD_BUY","data":{"uid":3,"guard_level":3,"num":1,"price":198000,"gift_id":10003,"start_time":1}}"##,
      ##"dropped"##
    ),
    (
      "bilibili", "no uid",
      ##"{"cmd":"SEND_GIFT","data":{"giftId":3,"num":5}}"##,
      ##"bad"##
    ),
    (
      "bilibili", "gift_v3",
      ##"{"cmd":"SEND_GIFT_V3","data":{"x":1}}"##,
      ##"bad"##
    ),
    (
      "bilibili", "new gift cmd",
      ##"{"cmd":"GIFT_SENT","data":{"x":1}}"##,
      ##"bad"##
    ),
    (
      "bilibili", "gift star",
      ##"{"cmd":"GIFT_STAR_PROCESS","data":{"status":1}}"##,
      ##"dropped"##
    ),
    (
      "bilibili", "danmu",
      ##"{"cmd":"DANMU_MSG","info":[[0],"gift",[1]]}"##,
      ##"dropped"##
    ),
    (
      "bilibili:superchat=gifts", "sc no rate",
      ##"{"cmd":"SUPER_CHAT_MESSAGE","data":{"id":1,"uid":3,"price":30,"ts":1}}"##,
      ##"1 × 1 3> super-chat count 1"##
    ),
    (
      "bilibili-open", "texts",
      ##"["{\"cmd\": \"LIVE_OPEN_PLATFORM_SEND_GIFT\", \"data\": {\"open_id\": \"o\", \"gift_id\": 3, \"gift_num\": 2, \"price\": 100, \"paid\": true, \"room_id\": 4, \"msg_id\": \"m\", \"combo_info\": {\"combo_id\": \"c\"}}}"]"##,
      ##"1 × m o> 3 count 2 combo c"##
    ),
    (
      "bilibili-open", "free",
      ##"{"cmd":"LIVE_OPEN_PLATFORM_SEND_GIFT","data":{"open_id":"o","gift_id":3,"gift_num":2,"price":100,"paid":false,"room_id":4}}"##,
      ##"1 ×  o> 3 count 2"##
    ),
    (
      "bilibili-open", "missing id",
      ##"{"cmd":"LIVE_OPEN_PLATFORM_SEND_GIFT","data":{"gift_num":2}}"##,
      ##"bad"##
    ),
    (
      "bilibili-open", "no cmd",
      ##"{"data":{"gift_id":2}}"##,
      ##"bad"##
    ),
    (
      "douyu", "dgb no gfid",
      ##"type@=dgb/rid@=1/uid@=4/"##,
      ##"bad"##
    ),
    (
      "douyu", "chat",
      ##"type@=chatmsg/rid@=1/uid@=4/txt@=gift/"##,
      ##"dropped"##
    ),
    (
      "douyu", "unknown w gfid",
      ##"type@=newgift/rid@=1/uid@=4/gfid@=5/"##,
      ##"bad"##
    ),
    (
      "douyu", "array of stt",
      ##"["type@=dgb/rid@=1/uid@=4/gfid@=5/gfcnt@=2/","type@=dgb/rid@=1/uid@=4/gfid@=5/gfcnt@=2/"]"##,
      ##"2 ×  4> 5 count 2"##
    ),
    (
      "huya", "other uri",
      ##"{"uri":6502,"msg":{"iItemType":3}}"##,
      ##"dropped"##
    ),
    (
      "huya", "no sender",
      ##"{"uri":6501,"msg":{"iItemType":3}}"##,
      ##"bad"##
    ),
    (
      "huya", "msgs",
      ##"{"messages":[{"uri":6501,"msg":{"iItemType":3,"lSenderUid":4,"iItemCount":2}}]}"##,
      ##"1 ×  4> 3 count 2"##
    ),
    (
      "kuaishou", "feed no id",
      ##"{"giftFeeds":[{"user":{"principalId":"a"}}]}"##,
      ##"bad"##
    ),
    (
      "kuaishou", "empty",
      ##"{"giftFeeds":[],"commentFeeds":[{"content":"x"}]}"##,
      ##"dropped"##
    ),
    (
      "kuaishou", "life",
      ##"{"mergeKey":"k","giftId":9,"user":{"principalId":"a"},"comboCount":1,"expireDuration":7200000}"##,
      ##"1 ×  a> 9 total 1 of "k" for 3600000 combo k"##
    ),
    (
      "kuaishou", "slot",
      ##"{"mergeKey":"k","giftId":9,"user":{"principalId":"a"},"comboCount":1,"slotDisplayDuration":3000}"##,
      ##"1 ×  a> 9 total 1 of "k" combo k"##
    ),
    (
      "acfun", "signal",
      ##"{"signalType":"CommonActionSignalGift","payload":[{"userInfo":{"userId":1},"giftId":3,"comboKey":"c","batchSize":1,"comboCount":2,"slotDisplayDurationMs":3000}]}"##,
      ##"1 ×  1> 3 total 2 of "c" combo c"##
    ),
    (
      "acfun", "gift no user",
      ##"{"signalType":"CommonActionSignalGift","payload":{"giftId":3,"comboKey":"c"}}"##,
      ##"bad"##
    ),
    (
      "acfun", "gift only",
      ##"{"type":"gift","data":{"giftName":"x"}}"##,
      ##"bad"##
    ),
    (
      "twitch", "giftpaidupgrade",
      ##"{"msg-id":"giftpaidupgrade","user-id":"1"}"##,
      ##"dropped"##
    ),
    (
      "twitch", "cheer sb",
      ##"{"event":{"source":"Twitch","type":"Cheer"},"data":{"bits":100,"user":{"id":"5"},"messageId":"m"}}"##,
      ##"1 × m 5> bits count 100"##
    ),
    (
      "twitch", "sb array",
      ##"[{"event":{"source":"Twitch","type":"GiftBomb"},"data":{"user":{"id":"5"},"total":3,"id":"b"}}]"##,
      ##"1 × b 5> subscription count 3"##
    ),
    (
      "twitch", "sb anon",
      ##"{"event":{"source":"Twitch","type":"GiftBomb"},"data":{"user":null,"isAnonymous":true,"total":3,"id":"b"}}"##,
      ##"1 × b anonymous> subscription count 3"##
    ),
    (
      "twitch", "sb follow",
      ##"{"event":{"source":"Twitch","type":"Follow"},"data":{"user":{"id":"5"}}}"##,
      ##"dropped"##
    ),
    (
      "twitch", "twurple-ish",
      ##"{"type":"onCommunitySub","count":3}"##,
      ##"bad"##
    ),
    (
      "twitch", "lines",
      ##"["@msg-id=subgift;id=1;user-id=7;room-id=3;msg-param-sub-plan=1000;tmi-sent-ts=1700000000000 :tmi.twitch.tv USERNOTICE #c"]"##,
      ##"1 × 1 7> 1000 count 1"##
    ),
    (
      "youtube", "widget",
      ##"{"updateOrAddInteractivityWidgetAction":{"widgetRenderer":{"interactivityWidgetRenderer":{"content":{"giftAttributionItemViewModel":{"id":"g1","authorName":{"content":"@a"},"attributionImage":{"sources":[{"url":"//x/p.webp"}]},"comboCount":3},"elementRenderer":{"compatibilityOptions":{"liveChatId":"L","liveChatAuthorExternalChannelId":"UC1"}}}}}}}"##,
      ##"1 ×  UC1> //x/p.webp total 3 of "g1" for 3600000"##
    ),
    (
      "youtube", "overlay",
      ##"{"addInteractivityWidgetAction":{"widgetRenderer":{"interactivityWidgetRenderer":{"id":"gift-overlay","content":{"giftOverlayItemViewModel":{}},"type":"INTERACTIVITY_WIDGET_TYPE_GIFT"}}}}"##,
      ##"dropped"##
    ),
    (
      "youtube", "yt.js membership",
      ##"{"type":"AddChatItemAction","item":{"type":"LiveChatSponsorshipsGiftPurchaseAnnouncement","id":"i","primary_text":{"runs":[{"text":"Sent "},{"text":"20"},{"text":" memberships"}]},"timestamp":1786000000000,"author":{"id":"UC1","name":{"text":"n"}}}}"##,
      ##"1 × i UC1> membership count 20"##
    ),
    (
      "youtube", "yt.js sentence",
      ##"{"type":"AddChatItemAction","item":{"type":"LiveChatSponsorshipsGiftPurchaseAnnouncement","id":"i","primary_text":{"runs":[{"text":"Sent 20 memberships"}]},"author":{"id":"UC1"}}}"##,
      ##"bad"##
    ),
    (
      "youtube", "yt.js text",
      ##"{"type":"AddChatItemAction","item":{"type":"LiveChatTextMessage","id":"i","message":{"text":"gift"}}}"##,
      ##"dropped"##
    ),
    (
      "youtube", "sb gift",
      ##"{"event":{"source":"YouTube","type":"MembershipGift"},"data":{"user":{"id":"UC1","name":"n"},"count":5,"tier":"x","eventId":"e"}}"##,
      ##"1 × e UC1> membership count 5"##
    ),
    (
      "youtube", "cd widget",
      ##"{"message_type":"gift_message_view_model","message_id":"g","combo_count":3,"author":{"id":"UC1","name":"a"},"gift_images":[{"url":"u"}]}"##,
      ##"1 ×  UC1> u total 3 of "g" for 3600000"##
    ),
    (
      "youtube", "gift no details",
      ##"{"kind":"youtube#liveChatMessage","id":"x","snippet":{"type":"giftEvent","authorChannelId":"U"}}"##,
      ##"bad"##
    ),
    (
      "youtube", "text",
      ##"{"kind":"youtube#liveChatMessage","id":"x","snippet":{"type":"textMessageEvent","authorChannelId":"U","textMessageDetails":{"messageText":"gift"}}}"##,
      ##"dropped"##
    ),
    (
      "kick", "pusher text",
      ##"{"event":"App\\Events\\GiftedSubscriptionsEvent","data":"{\"chatroom_id\": 25, \"gifted_usernames\": [\"a\", \"b\"], \"gifter_username\": \"g\", \"gifter_total\": 300}","channel":"chatrooms.25.v2"}"##,
      ##"2 ×  g> subscription count 1"##
    ),
    (
      "kick", "kicks pusher",
      ##"{"event":"KicksGifted","data":"{\"sender\": {\"id\": 3, \"username\": \"c\"}, \"gift\": {\"gift_id\": \"p\", \"name\": \"P\", \"amount\": 1000, \"type\": \"LEVEL_UP\"}, \"gift_transaction_id\": \"t\"}","channel":"channel_23"}"##,
      ##"1 × t 3> p count 1"##
    ),
    (
      "kick", "kicks hook",
      ##"{"broadcaster":{"user_id":1},"sender":{"user_id":9,"username":"c"},"gift":{"amount":500,"name":"Rage","type":"LEVEL_UP"},"created_at":"2025-10-20T04:00:08.634Z"}"##,
      ##"1 × 2025-10-20T04:00:08.634Z-9 9> Rage count 1"##
    ),
    (
      "kick", "anon hook",
      ##"{"broadcaster":{"user_id":1},"gifter":{"is_anonymous":true,"user_id":null},"giftees":[{"user_id":4,"username":"z"}],"created_at":"2025-10-20T04:00:08.634Z"}"##,
      ##"1 × 2025-10-20T04:00:08.634Z-4 anonymous> subscription count 1"##
    ),
    (
      "kick", "chat",
      ##"{"event":"App\\Events\\ChatMessageEvent","data":"{\"content\":\"gift\"}","channel":"x"}"##,
      ##"dropped"##
    ),
    (
      "kick", "lucky",
      ##"{"event":"App\\Events\\LuckyUsersWhoGotGiftSubscriptionsEvent","data":"{\"usernames\":[\"a\"],\"gifter_username\":\"g\"}"}"##,
      ##"dropped"##
    ),
    (
      "kick", "empty giftees",
      ##"{"broadcaster":{"user_id":1},"gifter":{"user_id":2},"giftees":[]}"##,
      ##"bad"##
    ),
    (
      "kick", "new users",
      ##"{"event":"SubscriptionGifted","data":"{\"id\": \"q\", \"user\": {\"id\": 5, \"username\": \"g\"}, \"gift\": {\"tier\": 1}, \"gifted_users\": [{\"id\": 1, \"username\": \"a\"}]}"}"##,
      ##"1 × q#0 5> subscription count 1"##
    ),
    (
      "kick", "env",
      ##"{"event":"channel.subscription.gifts","payload":{"broadcaster":{"user_id":1},"gifter":{"user_id":2},"giftees":[{"user_id":4}]}}"##,
      ##"1 ×  2> subscription count 1"##
    ),
    (
      "kick", "sb",
      ##"{"event":{"source":"Kick","type":"MassGiftSubscription"},"data":{"user":"g","count":4}}"##,
      ##"1 ×  g> subscription count 4"##
    ),
    (
      "douyin", "gift no count",
      ##"{"method":"WebcastGiftMessage","payload":{"giftId":3,"user":{"id":4}}}"##,
      ##"1 ×  4> 3 count 1"##
    ),
    (
      "douyin", "new gift msg",
      ##"{"common":{"method":"WebcastGiftXMessage"},"giftId":3}"##,
      ##"bad"##
    ),
    (
      "douyin", "texts",
      ##"["{\"common\": {\"method\": \"WebcastGiftMessage\", \"roomId\": \"1\"}, \"giftId\": \"3\", \"comboCount\": \"2\", \"groupId\": \"5\", \"user\": {\"id\": \"4\"}}"]"##,
      ##"1 ×  4> 3 total 2 of "5" for 300000"##
    ),
    (
      "douyin", "unknown key",
      ##"{"kind":"x","giftId":3}"##,
      ##"bad"##
    ),
    (
      "bilibili", "blivechat",
      ##"{"cmd":3,"data":{"id":"r1","uid":"5","authorName":"a","giftId":31036,"giftName":"花","num":2,"totalCoin":200}}"##,
      ##"1 × r1 5> 31036 count 2"##
    ),
    (
      "bilibili", "blivechat text",
      ##"{"cmd":2,"data":["a","gift"]}"##,
      ##"dropped"##
    ),
  ]
}
