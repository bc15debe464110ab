/// More shapes: of Social Stream Ninja, twurple, Streamer.bot and overlay services, of what each platform sends that is no gift, and of gifts that
/// lack something.
extension ConnectorShapeTests {
  static let furtherCases: [(String, String, String, String)] = [
    (
      "tiktok", "TikTokLiveSharp",
      ##"{"type":"gift","data":{"Gift":{"Id":5655,"Name":"Rose","DiamondCost":1},"Sender":{"Id":12,"UniqueId":"a"},"Amount":3,"StreakFinished":true}}"##,
      ##"bad"##
    ),
    (
      "tiktok", "group 0",
      ##"{"event":"gift","data":{"giftId":5655,"giftName":"Rose","diamondCount":1,"repeatCount":5,"repeatEnd":true,"giftType":1,"groupId":"0","user":{"userId":"12"}}}"##,
      ##"1 ×  12> 5655 total 5 of "" ends"##
    ),
    (
      "tiktok", "envelope",
      ##"{"common":{"method":"WebcastEnvelopeMessage","roomId":"1"},"envelopeInfo":{"diamondCount":20}}"##,
      ##"dropped"##
    ),
    (
      "tiktok", "ssn without number",
      ##"{"type":"tiktok","event":"gift","chatname":"a","chatmessage":"sent Rose x3","hasDonation":"3 coins","meta":{}}"##,
      ##"bad"##
    ),
    (
      "tiktok", "ssn in content",
      ##"{"dataReceived":{"overlayNinja":{"type":"tiktok","event":"gift","chatname":"a","hasDonation":"3 coins","meta":{"giftId":5655,"tiktokGiftSenderId":"7","tiktokGiftCount":3,"groupId":"G"}}}}"##,
      ##"1 ×  7> 5655 total 3 of "G" for 300000"##
    ),
    (
      "tiktok", "ssn chat",
      ##"{"type":"tiktok","chatname":"a","chatmessage":"gift","hasDonation":"","event":false,"meta":{"messageId":"1"}}"##,
      ##"dropped"##
    ),
    (
      "tiktok", "ssn joined",
      ##"{"type":"tiktok","event":"joined","chatname":"a","chatmessage":"joined","hasDonation":""}"##,
      ##"dropped"##
    ),
    (
      "tiktok", "gift without id",
      ##"{"event":"gift","data":{"uniqueId":"a","repeatCount":2}}"##,
      ##"bad"##
    ),
    (
      "tiktok", "social",
      ##"{"event":"social","data":{"displayType":"pm_main_follow_message_viewer_2","giftName":""}}"##,
      ##"dropped"##
    ),
    (
      "tiktok", "Streamer.bot's custom event",
      ##"{"event":{"source":"General","type":"Custom"},"data":{"eventName":"TikTokGift","args":{"giftId":"5655","giftName":"Rose","repeatCount":4,"userId":"12","nickname":"A","repeatEnd":true}}}"##,
      ##"1 ×  12> 5655 total 4 of "" ends"##
    ),
    (
      "twitch", "TwitchLib",
      ##"{"Id":"x","MsgId":"subgift","MsgParamRecipientId":"9","MsgParamSubPlan":"1000","UserId":"7","RoomId":"k","MsgParamOriginId":"5559","TmiSentTs":"1700000000000"}"##,
      ##"1 × x 7> 1000 count 1"##
    ),
    (
      "twitch", "StreamElements cheer",
      ##"{"type":"cheer","provider":"twitch","channel":"5","data":{"username":"a","providerId":"7","amount":100}}"##,
      ##"bad"##
    ),
    (
      "twitch", "StreamElements gifts",
      ##"{"type":"communityGiftPurchase","provider":"twitch","data":{"username":"a","amount":5}}"##,
      ##"bad"##
    ),
    (
      "twitch", "Streamlabs bits",
      ##"{"type":"bits","for":"twitch_account","message":[{"name":"a","amount":"100","message":"cheer100"}],"event_id":"e"}"##,
      ##"bad"##
    ),
    (
      "twitch", "Streamlabs bomb",
      ##"{"type":"subMysteryGift","for":"twitch_account","message":[{"gifter":"a","amount":5,"sub_plan":"1000"}]}"##,
      ##"bad"##
    ),
    (
      "twitch", "Streamlabs follow",
      ##"{"type":"follow","for":"twitch_account","message":[{"name":"a"}]}"##,
      ##"dropped"##
    ),
    (
      "twitch", "shared chat",
      ##"{"metadata":{"message_type":"notification","subscription_type":"channel.chat.notification"},"payload":{"subscription":{"type":"channel.chat.notification"},"event":{"broadcaster_user_id":"k","notice_type":"shared_chat_sub_gift","source_broadcaster_user_id":"9","chatter_user_id":"4"}}}"##,
      ##"dropped"##
    ),
    (
      "twitch", "hype train",
      ##"{"metadata":{"message_type":"notification","subscription_type":"channel.hype_train.progress"},"payload":{"subscription":{"type":"channel.hype_train.progress"},"event":{"broadcaster_user_id":"k","total":700,"last_contribution":{"user_id":"1","type":"bits","total":50}}}}"##,
      ##"dropped"##
    ),
    (
      "twitch:bits=ignored", "cheer ignored",
      ##"{"metadata":{"message_type":"notification","subscription_type":"channel.cheer"},"payload":{"subscription":{"type":"channel.cheer"},"event":{"is_anonymous":false,"user_id":"4","broadcaster_user_id":"k","bits":100,"message":"x"}}}"##,
      ##"dropped"##
    ),
    (
      "twitch:bits=ignored", "sb cheer ignored",
      ##"{"event":{"source":"Twitch","type":"Cheer"},"data":{"bits":100,"user":{"id":"5"},"messageId":"m"}}"##,
      ##"dropped"##
    ),
    (
      "twitch", "sb cheer without bits",
      ##"{"event":{"source":"Twitch","type":"Cheer"},"data":{"user":{"id":"5"},"messageId":"m"}}"##,
      ##"bad"##
    ),
    (
      "twitch:bits=ignored", "line ignored",
      ##"@bits=100;id=m;room-id=k;user-id=5;tmi-sent-ts=1700000000000 :a!a@a.tmi.twitch.tv PRIVMSG #c :cheer100"##,
      ##"dropped"##
    ),
    (
      "twitch", "line with bits",
      ##"@bits=100;id=m;room-id=k;user-id=5;tmi-sent-ts=1700000000000 :a!a@a.tmi.twitch.tv PRIVMSG #c :cheer100"##,
      ##"1 × m 5> bits count 100"##
    ),
    (
      "twitch", "chat line",
      ##"@id=m;room-id=k;user-id=5;tmi-sent-ts=1700000000000 :a!a@a.tmi.twitch.tv PRIVMSG #c :a gift, cheer100"##,
      ##"dropped"##
    ),
    (
      "twitch", "uses repeats a cheer",
      ##"{"metadata":{"message_type":"notification","subscription_type":"channel.bits.use"},"payload":{"subscription":{"type":"channel.bits.use"},"event":{"user_id":"4","broadcaster_user_id":"k","bits":100,"type":"cheer"}}}"##,
      ##"dropped"##
    ),
    (
      "twitch", "chat.message repeats a cheer",
      ##"{"metadata":{"message_type":"notification","subscription_type":"channel.chat.message"},"payload":{"subscription":{"type":"channel.chat.message"},"event":{"chatter_user_id":"4","broadcaster_user_id":"k","message_type":"text","cheer":{"bits":100}}}}"##,
      ##"dropped"##
    ),
    (
      "twitch:cheers=chat", "chat.message",
      ##"{"metadata":{"message_type":"notification","subscription_type":"channel.chat.message"},"payload":{"subscription":{"type":"channel.chat.message"},"event":{"chatter_user_id":"4","broadcaster_user_id":"k","message_id":"q","message_type":"text","cheer":{"bits":100}}}}"##,
      ##"1 × q 4> bits count 100"##
    ),
    (
      "twitch", "anonymous gifts",
      ##"{"subscription":{"type":"channel.subscription.gift"},"event":{"user_id":null,"is_anonymous":true,"total":2,"tier":"1000","broadcaster_user_id":"k"}}"##,
      ##"1 ×  anonymous> 1000 count 2"##
    ),
    (
      "twitch", "twurple subGift",
      ##"{"type":"subGift","channel":"h","user":"f","info":{"userId":"9","gifter":"g","gifterUserId":"8","giftDuration":1,"plan":"1000"}}"##,
      ##"bad"##
    ),
    (
      "twitch", "twurple bomb without a giver",
      ##"{"event":"communitySub","data":{"channel":"h","info":{"count":4,"plan":"1000"}}}"##,
      ##"bad"##
    ),
    (
      "twitch", "twurple anonymous bomb",
      ##"{"event":"communitySub","data":{"channel":"h","info":{"gifter":null,"count":4,"plan":"1000"}}}"##,
      ##"1 ×  anonymous> 1000 count 4"##
    ),
    (
      "twitch", "twurple EventSub",
      ##"{"broadcasterId":"k","gifterId":"8","gifterName":"g","amount":3,"cumulativeAmount":9,"tier":"2000","isAnonymous":false}"##,
      ##"1 ×  8> 2000 count 3"##
    ),
    (
      "twitch", "twurple cheer",
      ##"{"broadcasterId":"k","userId":"8","userName":"g","bits":30,"message":"x","isAnonymous":false}"##,
      ##"1 ×  8> bits count 30"##
    ),
    (
      "twitch", "twurple resub",
      ##"{"type":"resub","channel":"h","user":"f","info":{"userId":"9","displayName":"F","plan":"1000","months":4,"isPrime":false}}"##,
      ##"dropped"##
    ),
    (
      "twitch", "ssn line of the page",
      ##"{"type":"twitch","event":"giftpurchase","chatname":"a","chatmessage":"a is gifting 5 Tier 1 Subs"}"##,
      ##"bad"##
    ),
    (
      "twitch", "ssn bits as text",
      ##"{"type":"twitch","chatname":"a","chatmessage":"x","hasDonation":"100 bits"}"##,
      ##"bad"##
    ),
    (
      "twitch:bits=ignored", "ssn bits ignored",
      ##"{"type":"twitch","chatname":"a","chatmessage":"x","hasDonation":"100 bits","event":"cheer"}"##,
      ##"dropped"##
    ),
    (
      "youtube", "pytchat sticker",
      ##"{"type":"superSticker","id":"x","author":{"channelId":"UC","name":"n"},"amountString":"$2.00","amountValue":2.0,"currency":"USD"}"##,
      ##"1 × x UC> super-sticker count 1"##
    ),
    (
      "youtube:superchat=gifts", "pytchat super chat",
      ##"{"type":"superChat","id":"x","timestamp":1700000000000,"message":"hi","amountValue":500.0,"author":{"name":"A","channelId":"UC"}}"##,
      ##"1 × x UC> super-chat count 1"##
    ),
    (
      "youtube", "pytchat super chat",
      ##"{"type":"superChat","id":"x","timestamp":1700000000000,"message":"hi","amountValue":500.0,"author":{"name":"A","channelId":"UC"}}"##,
      ##"dropped"##
    ),
    (
      "bilibili:superchat=gifts", "blivedm super chat",
      ##"{"price":30,"message":"hi","start_time":1700000000,"end_time":1700000060,"id":7,"gift_id":12000,"uid":77,"uname":"Cy"}"##,
      ##"1 × 7 77> 12000 count 1"##
    ),
    (
      "twitch", "a challenge",
      ##"{"challenge":"x","subscription":{"id":"s","type":"channel.subscription.gift","status":"webhook_callback_verification_pending"}}"##,
      ##"dropped"##
    ),
    (
      "twitch", "a revocation",
      ##"{"subscription":{"id":"s","type":"channel.subscription.gift","status":"authorization_revoked"}}"##,
      ##"dropped"##
    ),
    (
      "twitch", "chat-downloader without a giver",
      ##"{"message_id":"a","channel_id":"1","author":{},"action_type":"user_notice","message_type":"subscription_gift","sender_count":3}"##,
      ##"bad"##
    ),
    (
      "twitch", "chat-downloader, anonymous",
      ##"{"message_id":"a","channel_id":"1","author":{},"action_type":"user_notice","message_type":"anonymous_subscription_gift","sender_count":3}"##,
      ##"1 × a anonymous> subscription count 1"##
    ),
    (
      "twitch", "twurple EventSub, anonymous",
      ##"{"broadcasterId":"k","gifterId":null,"gifterName":null,"amount":3,"tier":"2000"}"##,
      ##"1 ×  anonymous> 2000 count 3"##
    ),
    (
      "twitch", "null where the record says that it is not anonymous",
      ##"{"broadcasterId":"k","gifterId":null,"gifterName":null,"amount":3,"tier":"2000","isAnonymous":false}"##,
      ##"bad"##
    ),
    (
      "twitch", "sb bomb without a giver",
      ##"{"event":{"source":"Twitch","type":"GiftBomb"},"data":{"user":{},"total":3,"id":"b"}}"##, ##"bad"##
    ),
    (
      "twitch", "ssn bits without a giver", ##"{"type":"twitch","event":"cheer","meta":{"bits":100}}"##, ##"bad"##
    ),
    (
      "twitch", "PubSub, anonymous",
      ##"{"context":"anonsubgift","channel_id":"4","sub_plan":"1000","recipient_id":"7"}"##, ##"1 ×  anonymous> 1000 count 1"##
    ),
    (
      "twitch", "PubSub without a giver", ##"{"context":"subgift","channel_id":"4","sub_plan":"1000","recipient_id":"7"}"##,
      ##"bad"##
    ),
    (
      "twitch", "PubSub, bits by an anonymous one",
      ##"{"data":{"channel_id":"4","bits_used":10,"user_id":null},"message_id":"m","is_anonymous":true}"##,
      ##"1 × m anonymous> bits count 10"##
    ),
    (
      "kick", "Kicks without a giver",
      ##"{"broadcaster":{"user_id":1},"sender":{"profile_picture":""},"gift":{"amount":500,"name":"Rage"}}"##, ##"bad"##
    ),
    (
      "kick", "Kicks of user 0", ##"{"broadcaster":{"user_id":1},"sender":{"user_id":0},"gift":{"amount":500,"name":"Rage"}}"##,
      ##"1 ×  anonymous> Rage count 1"##
    ),
    (
      "kick", "pusher without a giver",
      ##"{"event":"GiftedSubscriptionsEvent","data":{"chatroom_id":25,"gifted_usernames":["a"]}}"##,
      ##"bad"##
    ),
    (
      "kick", "pusher, anonymous",
      ##"{"event":"GiftedSubscriptionsEvent","data":{"chatroom_id":25,"gifted_usernames":["a"],"gifter_username":null}}"##,
      ##"1 ×  anonymous> subscription count 1"##
    ),
    ("kick", "sb without a giver", ##"{"event":{"source":"Kick","type":"MassGiftSubscription"},"data":{"count":4}}"##, ##"bad"##),
    (
      "kick", "sb, anonymous", ##"{"event":{"source":"Kick","type":"MassGiftSubscription"},"data":{"user":null,"count":4}}"##,
      ##"1 ×  anonymous> subscription count 4"##
    ),
    (
      "kick", "ssn without a giver", ##"{"type":"kick","event":"subscription_gift","meta":{"totalGifted":5}}"##, ##"bad"##
    ),
    ("twitch", "a bare type", ##"{"type":"channel.subscription.gift"}"##, ##"bad"##),
    (
      "twitch", "TwitchIO's objects",
      ##"{"type":"channel.cheer","event":{"user":{"id":"12"},"broadcaster":{"id":"1337"},"bits":100,"anonymous":false}}"##,
      ##"1 ×  12> bits count 100"##
    ),
    (
      "kick", "a gifter without a name",
      ##"{"gifter":{"is_anonymous":false,"id":7,"username":null},"giftees":[{"username":"a"}],"broadcaster":{"user_id":3},"created_at":"2026-10-02T10:00:00Z"}"##,
      ##"1 × 2026-10-02T10:00:00Z-a 7> subscription count 1"##
    ),
    (
      "kick", "null in the giver's place",
      ##"{"event":"channel.subscription.gifts","payload":{"broadcaster":{"user_id":1},"gifter":null,"giftees":[{"user_id":5}],"created_at":"2026-10-02T10:00:00Z"}}"##,
      ##"1 × 2026-10-02T10:00:00Z-5 anonymous> subscription count 1"##
    ),
    (
      "kick", "null in the sender's place",
      ##"{"event":"kicks.gifted","message_id":"m","payload":{"broadcaster":{"user_id":1},"sender":null,"gift":{"amount":500,"name":"Rage"},"created_at":"2025-10-20T04:00:08.634Z"}}"##,
      ##"1 × m anonymous> Rage count 1"##
    ),
    (
      "rumble", "a rant without a giver beside another",
      ##"{"channel_id":5,"livestreams":[{"chat":{"recent_rants":[{"username":"ann","amount_cents":500,"created_on":"2026-11-28T10:00:00Z"},{"amount_cents":90000,"created_on":"2026-11-28T10:00:01Z"}]}}]}"##,
      ##"bad"##
    ),
    (
      "rumble", "a rant without a giver alone",
      ##"{"channel_id":5,"livestreams":[{"chat":{"recent_rants":[{"amount_cents":90000,"created_on":"2026-11-28T10:00:01Z"}]}}]}"##,
      ##"bad"##
    ),
    (
      "kick", "kicksdk",
      ##"{"name":"KicksGifted","data":"{\"gift_transaction_id\":\"g-1\"}","event":{"type":"kicks_gifted","sender":{"id":7},"gift":{"gift_id":"r","amount":500}},"timestamp":1790935203000}"##,
      ##"1 × g-1 7> r count 1"##
    ),
    (
      "youtube", "ssn memberships",
      ##"{"type":"youtube","event":"giftpurchase","chatname":"a","userid":"UC","chatmessage":"gifted 5 memberships","membership":"gift_giver","hasDonation":""}"##,
      ##"bad"##
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
      ##"1 × 2025-10-20T04:00:08.634Z-9 9> Rage count 1"##
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
