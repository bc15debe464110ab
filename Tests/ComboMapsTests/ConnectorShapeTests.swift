import ComboCore
import ComboMaps
import ComboWire
import Synchronization
import Testing

/// Records in the shapes of connectors, each with what the built-in map makes of it: the number of gifts and the first of them,
/// `bad` or `dropped`.
@Suite("Shapes of connectors")
struct ConnectorShapeTests {
  @Test(
    "are read, or are bad events; only what is known to be no gift is dropped",
    arguments: cases + moreCases + furtherCases + otherCases + envelopeCases)
  func shapes(map reference: String, name: String, record: String, expected: String) throws {
    let result = try MapIdentityTests.gifts(Self.map(reference), [record])
    let first = result.first ?? ""
    let made = first.hasPrefix("bad: ") ? "bad" : first == "dropped" ? first : "\(result.count) × \(first)"
    #expect(made == expected, "\(name): \(first)")
  }

  @Test("are read alike, whatever was read before")
  func order() throws {
    let all = Self.cases + Self.moreCases + Self.furtherCases + Self.otherCases + Self.envelopeCases
    for (reference, cases) in Dictionary(grouping: all, by: \.0) {
      let map = try Self.map(reference)
      let alone = cases.map { MapIdentityTests.gifts(map, [$0.2]) }
      // Shapes that come again are read by what is known of them.
      let order = cases.indices + cases.indices.reversed() + cases.indices
      let together = MapIdentityTests.gifts(map, order.map { cases[$0].2 })
      #expect(together == order.flatMap { alone[$0] }, "\(reference)")
    }
  }

  @Test("that repeat Kick's gifts say so")
  func repeated() throws {
    let record = #"{"event":"App\\Events\\LuckyUsersWhoGotGiftSubscriptionsEvent","data":"{\"usernames\":[\"a\"]}"}"#
    let made = try mapped(#require(BuiltInMaps.text("kick")), record)
    #expect(made.hasPrefix("dropped: repeats GiftedSubscriptionsEvent's gifts"), "\(made)")
  }

  /// The maps that were read, kept because the largest takes a second without optimization.
  private static let maps = Mutex<[String: RecordMap]>([:])

  static func map(_ reference: String) throws -> RecordMap {
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
  ]
}
