/// The second half of the further shapes.
extension ConnectorShapeTests {
  static let otherCases: [(String, String, String, String)] = [
    (
      "twitch", "an event under another name than event",
      ##"{"subscription":{"type":"channel.cheer","status":"enabled"},"data":{"user_id":"5","broadcaster_user_id":"1","bits":100}}"##,
      ##"1 ×  5> bits count 100"##
    ),
    (
      "twitch", "a subscription that has ended",
      ##"{"subscription":{"type":"channel.cheer","status":"authorization_revoked"}}"##, ##"dropped"##
    ),
    (
      "twitch", "a gifted subscription without its object",
      ##"{"subscription":{"type":"channel.chat.notification","status":"enabled"},"event":{"broadcaster_user_id":"1","chatter_user_id":"5","message_id":"m","notice_type":"sub_gift","sub_gift":null}}"##,
      ##"bad"##
    ),
    (
      "rumble", "gifted subscriptions without their number",
      ##"{"channel_id":1,"now":1700000000,"gifted_subs":{"recent_gifted_subs":[{"purchased_by":"a","gifted_on":"2026-01-01T00:00:00Z"}]}}"##,
      ##"bad"##
    ),
    (
      "trovo", "a spell without its number",
      ##"{"type":5,"sender_id":7,"message_id":"m","content":"{\"gift\":\"Winner\",\"gift_value\":5}"}"##, ##"bad"##
    ),
    (
      "youtube:memberships=children", "ssn memberships",
      ##"{"type":"youtube","event":"giftpurchase","chatname":"a","userid":"UC","chatmessage":"gifted 5 memberships","membership":"gift_giver","hasDonation":""}"##,
      ##"dropped"##
    ),
    (
      "youtube:superchat=gifts", "ssn super chat",
      ##"{"type":"youtube","event":"superchat","chatname":"a","userid":"UC","chatmessage":"x","hasDonation":"$5.00","meta":{"messageId":"m"}}"##,
      ##"1 × m UC> super-chat count 1"##
    ),
    (
      "youtube", "ssn effect",
      ##"{"type":"youtube","event":"jeweldonation","chatname":"a","subtitle":"Rose","hasDonation":"10 Jewels","meta":{"youtubeGift":{"giftName":"Rose","animationUrl":"https://x/y.webp"}}}"##,
      ##"dropped"##
    ),
    (
      "youtube", "Streamlabs",
      ##"{"type":"membershipGift","for":"youtube_account","message":[{"giftMembershipsCount":5,"name":"a"}]}"##,
      ##"bad"##
    ),
    (
      "youtube", "sb array received",
      ##"[{"event":{"source":"YouTube","type":"GiftMembershipReceived"},"data":{"user":{"id":"a"},"gifter":{"id":"b"}}}]"##,
      ##"dropped"##
    ),
    (
      "youtube:memberships=children", "sb array received",
      ##"[{"event":{"source":"YouTube","type":"GiftMembershipReceived"},"data":{"user":{"id":"a"},"gifter":{"id":"b"}}}]"##,
      ##"1 ×  b> membership count 1"##
    ),
    (
      "youtube", "sb test",
      ##"[{"event":{"source":"YouTube","type":"MembershipGift"},"data":{"isTest":true,"user":{"id":"a"},"count":2}}]"##,
      ##"dropped"##
    ),
    (
      "youtube", "super chat",
      ##"{"kind":"youtube#liveChatMessage","id":"s","snippet":{"type":"superChatEvent","authorChannelId":"U","superChatDetails":{"amountMicros":"5000000","currency":"USD"}}}"##,
      ##"dropped"##
    ),
    (
      "kick", "leaderboard",
      ##"{"event":"GiftsLeaderboardUpdated","data":"{\"channel\":{\"id\":1},\"leaderboard\":[{\"user_id\":3,\"username\":\"a\",\"quantity\":5}],\"gifter_id\":3,\"gifted_quantity\":5}"}"##,
      ##"dropped"##
    ),
    (
      "kick", "own subscription",
      ##"{"event":"App\\Events\\SubscriptionEvent","data":"{\"chatroom_id\":1,\"username\":\"a\",\"months\":3}"}"##,
      ##"dropped"##
    ),
    (
      "kick", "sb recipients",
      ##"{"event":{"source":"Kick","type":"MassGiftSubscription"},"data":{"user":{"id":"1","name":"G"},"recipients":[{"name":"a"},{"name":"b"},{"name":"c"}]}}"##,
      ##"3 ×  1> subscription count 1"##
    ),
    (
      "kick", "sb no number",
      ##"{"event":{"source":"Kick","type":"MassGiftSubscription"},"data":{"user":{"id":"1","name":"G"}}}"##,
      ##"bad"##
    ),
    (
      "kick:subscriptions=ignored", "sb ignored",
      ##"{"event":{"source":"Kick","type":"MassGiftSubscription"},"data":{"user":{"id":"1"},"count":3}}"##,
      ##"dropped"##
    ),
    (
      "kick", "sb kicks",
      ##"{"event":{"source":"Kick","type":"sGifted"},"data":{"sender":{"id":"9","username":"c"},"gift":{"id":"p","name":"P","amount":100}}}"##,
      ##"1 ×  9> p count 1"##
    ),
    (
      "kick:kicks=ignored", "sb kicks ignored",
      ##"{"event":{"source":"Kick","type":"sGifted"},"data":{"sender":{"id":"9"},"gift":{"id":"p","amount":100}}}"##,
      ##"dropped"##
    ),
    (
      "kick", "sb array",
      ##"[{"event":{"source":"Kick","type":"GiftSubscription"},"data":{"user":{"id":"1"},"recipient":{"name":"a"}}},{"event":{"source":"Kick","type":"GiftSubscription"},"data":{"user":{"id":"1"},"recipient":{"name":"b"}}}]"##,
      ##"2 ×  1> subscription count 1"##
    ),
    (
      "kick", "ssn page",
      ##"{"type":"kick","event":"gift","chatname":"a","chatmessage":"x","hasDonation":"100 KICKs","contentimg":"u"}"##,
      ##"bad"##
    ),
    (
      "kick", "web hook in an envelope",
      ##"{"event":"kicks.gifted","message_id":"m","payload":{"broadcaster":{"user_id":1},"sender":{"user_id":9,"username":"c"},"gift":{"amount":500,"name":"Rage"},"created_at":"2025-10-20T04:00:08.634Z"}}"##,
      ##"1 × 2025-10-20T04:00:08.634Z-9-Rage-500 9> Rage count 1"##
    ),
    (
      "kick", "follow",
      ##"{"broadcaster":{"user_id":1},"follower":{"user_id":5,"username":"x"}}"##,
      ##"dropped"##
    ),
    (
      "bilibili", "storm",
      ##"{"cmd":"SPECIAL_GIFT","data":{"39":{"num":1,"action":"start","id":"1"}}}"##,
      ##"dropped"##
    ),
    (
      "bilibili", "broadcast",
      ##"{"cmd":"SYS_GIFT","msg":"x","roomid":5,"giftId":20}"##,
      ##"dropped"##
    ),
    (
      "bilibili", "gift top",
      ##"{"cmd":"GIFT_TOP","data":[{"uid":1,"uname":"a","coin":100}]}"##,
      ##"dropped"##
    ),
    (
      "bilibili", "combo end",
      ##"{"cmd":"COMBO_END","data":{"uname":"a","combo_num":3,"gift_name":"x","gift_id":3}}"##,
      ##"dropped"##
    ),
    (
      "bilibili", "super chat again",
      ##"{"cmd":"SUPER_CHAT_MESSAGE_JPN","data":{"id":"1","uid":"3","price":30,"gift":{"num":1,"gift_id":12000,"gift_name":"x"}}}"##,
      ##"dropped"##
    ),
    (
      "bilibili", "lottery",
      ##"{"cmd":"ANCHOR_LOT_AWARD","data":{"award_name":"x","gift_id":0}}"##,
      ##"dropped"##
    ),
    (
      "bilibili", "raffle",
      ##"{"cmd":"RAFFLE_START","data":{"raffleId":1,"type":"GIFT_20003","from":"a"}}"##,
      ##"dropped"##
    ),
    (
      "bilibili", "pk",
      ##"{"cmd":"PK_BATTLE_PROCESS","data":{"init_info":{"votes":1}}}"##,
      ##"dropped"##
    ),
    (
      "bilibili", "guard message",
      ##"{"cmd":"GUARD_MSG","msg":"x","buy_type":3}"##,
      ##"dropped"##
    ),
    (
      "bilibili", "open panel",
      ##"{"cmd":"GIFT_PANEL_PLAN","data":{"gift_list":[{"gift_id":1}]}}"##,
      ##"dropped"##
    ),
    (
      "bilibili", "like",
      ##"{"cmd":"LIKE_INFO_V3_CLICK","data":{"uid":1}}"##,
      ##"dropped"##
    ),
    (
      "bilibili-open", "like",
      ##"{"cmd":"LIVE_OPEN_PLATFORM_LIKE","data":{"open_id":"o","like_count":2}}"##,
      ##"dropped"##
    ),
    (
      "bilibili-open", "super chat gone",
      ##"{"cmd":"LIVE_OPEN_PLATFORM_SUPER_CHAT_DEL","data":{"message_ids":[1]}}"##,
      ##"dropped"##
    ),
    (
      "bilibili-open:guard=gifts", "guard",
      ##"{"cmd":"LIVE_OPEN_PLATFORM_GUARD","data":{"user_info":{"open_id":"o","uname":"a"},"guard_level":3,"guard_num":2,"guard_unit":"月","price":198000,"msg_id":"m","room_id":4}}"##,
      ##"1 × m o> guard-3 count 2"##
    ),
    (
      "douyin", "open platform text",
      ##"{"msg_type":"live_gift","payload":"[{\"msg_id\":\"a\",\"sec_openid\":\"s\",\"sec_gift_id\":\"g\",\"gift_num\":3,\"gift_value\":100,\"nickname\":\"n\",\"timestamp\":1700000000000}]"}"##,
      ##"1 × a s> g count 3"##
    ),
    (
      "douyin", "like",
      ##"{"method":"WebcastLikeMessage","payload":{"count":3,"user":{"id":4}}}"##,
      ##"dropped"##
    ),
    (
      "douyin", "red packet",
      ##"{"common":{"method":"WebcastLuckyBoxMessage"},"giftId":0}"##,
      ##"dropped"##
    ),
    (
      "douyu", "JSON",
      ##"{"type":"dgb","gfid":"824","gfcnt":"1","hits":"1","uid":"4","rid":"k"}"##,
      ##"1 ×  4> 824 count 1"##
    ),
    (
      "douyu", "noble",
      ##"type@=odfbc/rid@=1/uid@=4/nl@=7/"##,
      ##"dropped"##
    ),
    (
      "douyu", "treasure",
      ##"type@=tsboxb/rid@=1/"##,
      ##"dropped"##
    ),
    (
      "huya", "text",
      ##"{"iUri":6501,"msg":"{\"iItemType\":3,\"lSenderUid\":4,\"iItemCount\":2,\"strPayId\":\"p\"}"}"##,
      ##"1 × p 4> 3 count 2"##
    ),
    (
      "kuaishou", "comment",
      ##"{"commentFeeds":[{"id":"1","content":"gift","user":{"principalId":"a"}}]}"##,
      ##"dropped"##
    ),
    (
      "kuaishou", "two feeds",
      ##"{"giftFeeds":[{"mergeKey":"k","giftId":9,"user":{"principalId":"a"},"comboCount":1,"batchSize":1},{"mergeKey":"l","giftId":9,"user":{"principalId":"b"},"comboCount":2,"batchSize":1}]}"##,
      ##"2 ×  a> 9 total 1 of "k" combo k"##
    ),
    (
      "acfun", "throw banana",
      ##"{"signalType":"CommonActionSignalThrowBanana","payload":{"userInfo":{"userId":1},"bananaCount":5}}"##,
      ##"dropped"##
    ),
    (
      "acfun", "go",
      ##"{"type":"gift","data":{"danmuInfo":{"sendTime":1,"userInfo":{"userId":1}},"giftDetail":{"giftID":3,"giftName":"x","price":100},"count":2,"combo":3,"comboID":"c"}}"##,
      ##"1 ×  1> 3 total 6 of "c" combo c"##
    ),
    (
      "bilibili", "no num",
      ##"{"cmd":"SEND_GIFT","roomid":1,"data":{"uid":7,"giftId":5}}"##,
      ##"bad"##
    ),
    (
      "bilibili", "num 0",
      ##"{"cmd":"SEND_GIFT","roomid":1,"data":{"uid":7,"giftId":5,"num":0}}"##,
      ##"bad"##
    ),
    (
      "bilibili", "no num in a list",
      ##"{"cmd":"SEND_GIFT_V2","roomid":1,"data":{"uid":7,"gift_list":[{"gift_id":1,"num":2},{"gift_id":2}]}}"##,
      ##"bad"##
    ),
    (
      "twitch", "bomb without number",
      ##"{"tags":{"id":"7","room-id":"1","user-id":"5","msg-id":"submysterygift"}}"##,
      ##"bad"##
    ),
    (
      "twitch", "tmi bomb of 1",
      ##"{"tags":{"id":"7","room-id":"1","user-id":"5","msg-id":"submysterygift","msg-param-mass-gift-count":true}}"##,
      ##"1 × 7 5> subscription count 1"##
    ),
    (
      "twitch", "chat-downloader bomb without number",
      ##"{"message_type":"mystery_subscription_gift","author":{"id":"5","name":"a"},"message_id":"x"}"##,
      ##"bad"##
    ),
    (
      "twitch", "Streamer.bot bomb without number",
      ##"{"event":{"source":"Twitch","type":"GiftBomb"},"data":{"user":{"id":"5"},"id":"b"}}"##,
      ##"bad"##
    ),
    (
      "twitch", "EventSub bomb without number",
      ##"{"subscription":{"type":"channel.chat.notification"},"event":{"broadcaster_user_id":"1","chatter_user_id":"5","notice_type":"community_sub_gift","community_sub_gift":{"sub_tier":"1000"}}}"##,
      ##"bad"##
    ),
    (
      "youtube", "memberships without number",
      ##"{"id":"x","snippet":{"type":"membershipGiftingEvent","liveChatId":"l","authorChannelId":"UC","membershipGiftingDetails":{}}}"##,
      ##"bad"##
    ),
    (
      "youtube", "masterchat memberships without number",
      ##"{"type":"membershipGiftPurchaseAction","id":"a","authorChannelId":"UC"}"##,
      ##"bad"##
    ),
    (
      "youtube", "Streamer.bot memberships without number",
      ##"{"event":{"source":"YouTube","type":"MembershipGift"},"data":{"user":{"id":"UC1"},"eventId":"e1"}}"##,
      ##"bad"##
    ),
    (
      "youtube", "giver 0",
      ##"{"id":"x","snippet":{"type":"membershipGiftingEvent","liveChatId":"l","authorChannelId":"0","membershipGiftingDetails":{"giftMembershipsCount":2}}}"##,
      ##"bad"##
    ),
    (
      "youtube", "giver 0 with a name",
      ##"{"event":{"source":"YouTube","type":"MembershipGift"},"data":{"user":{"id":0,"name":"ann"},"eventId":"e1","count":2}}"##,
      ##"1 × e1 ann> membership count 2"##
    ),
    (
      "chzzk", "giver 0",
      ##"{"bdy":[{"cid":"N1","uid":0,"extras":"{\"payAmount\":1000,\"donationId\":\"d\"}","msgTypeCode":10}],"cmd":93102}"##,
      ##"bad"##
    ),
    (
      "chzzk", "open API, giver 0 with a name",
      ##"{"donationType":"CHAT","channelId":"c","donatorChannelId":"0","donatorNickname":"ann","payAmount":"1000"}"##,
      ##"1 ×  ann> donation count 1"##
    ),
    (
      "rumble", "giver 0",
      ##"{"now":1,"livestreams":[{"chat":{"recent_rants":[{"username":0,"created_on":"2026-01-01T00:00:00Z","amount_cents":5}]}}]}"##,
      ##"bad"##
    ),
    (
      "streamelements", "giver 0",
      ##"{"type":"tip","channel":"c","_id":"t","data":{"username":"0","amount":5}}"##,
      ##"bad"##
    ),
    (
      "streamlabs", "giver 0",
      ##"{"type":"donation","message":[{"_id":"d","from":0,"amount":5}]}"##,
      ##"bad"##
    ),
    (
      "niconico", "giver 0",
      ##"{"itemId":"i","point":5,"advertiserUserId":0,"advertiserName":"0"}"##,
      ##"bad"##
    ),
    (
      "soop", "giver 0",
      ##"{"fanClubOrdinal":0,"amount":5,"from":"0","to":"s"}"##,
      ##"bad"##
    ),
  ]
}
