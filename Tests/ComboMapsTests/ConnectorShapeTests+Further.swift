/// More shapes: of Social Stream Ninja, twurple, Streamer.bot and overlay services, of what each platform sends that is no gift,
/// and of gifts that lack something.
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
      ##"{"message_id":"a","channel_id":"1","author":{},"action_type":"user_notice","message_type":"anonymous_subscription_gift","gift_recipient_id":"9"}"##,
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
      ##"1 × 2025-10-20T04:00:08.634Z-anonymous-Rage-500 anonymous> Rage count 1"##
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
  ]
}
