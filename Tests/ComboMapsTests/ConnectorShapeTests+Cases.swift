/// More shapes.
extension ConnectorShapeTests {
  static let moreCases: [(String, String, String, String)] = [
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
      ##"1 × 2025-10-20T04:00:08.634Z-9-Rage-500 9> Rage count 1"##
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
      "bad"
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
    (
      "tiktok", "a viewer's text beside another label",
      ##"{"eventType":"chat","user":{"id":"12"},"data":"{\"giftId\":5655,\"repeatCount\":999,\"userId\":\"9\",\"giftType\":2,\"createTime\":\"1790935200000\"}"}"##,
      ##"dropped"##
    ),
    (
      "tiktok", "a text beside a label that names something else",
      ##"{"eventType":"update","data":"{\"giftId\":5655,\"repeatCount\":999,\"userId\":\"9\",\"giftType\":2,\"createTime\":\"1790935200000\"}"}"##,
      ##"bad"##
    ),
    (
      "twitch", "a handler's arguments, without tags",
      ##"["#chan","ann","@id=1;login=ann;msg-id=submysterygift;msg-param-mass-gift-count=100;msg-param-sub-plan=1000;room-id=7;user-id=12 :tmi.twitch.tv USERNOTICE #c"]"##,
      ##"bad"##
    ),
    (
      "tiktok", "a list of chat messages",
      ##"{"room":"77","messages":["hello","{\"giftId\":5655,\"repeatCount\":999,\"userId\":\"9\",\"giftType\":2,\"createTime\":\"1790935200000\"}"]}"##,
      ##"bad"##
    ),
    (
      "tiktok", "a viewer's text in a socket's message",
      ##"{"type":"message","data":{"user":"ann","data":"{\"giftId\":5655,\"repeatCount\":999,\"userId\":\"9\",\"giftType\":2,\"createTime\":\"1790935200000\"}"}}"##,
      ##"bad"##
    ),
    (
      "twitch", "a viewer's line beside a name that no list has",
      ##"{"fromUser":"ann","message":"@id=1;login=ann;msg-id=submysterygift;msg-param-mass-gift-count=100;msg-param-sub-plan=1000;room-id=7;user-id=12 :tmi.twitch.tv USERNOTICE #c"}"##,
      ##"bad"##
    ),
    (
      "twitch", "a line as a log shipper sends it",
      ##"{"@timestamp":"2026-11-29T22:00:00Z","host":"h","message":"@id=1;login=ann;msg-id=submysterygift;msg-param-mass-gift-count=100;msg-param-sub-plan=1000;room-id=7;user-id=12 :tmi.twitch.tv USERNOTICE #c"}"##,
      ##"1 × 1 12> 1000 count 100"##
    ),
    (
      "douyu", "a viewer's text beside an id",
      ##"{"user_id":"1","msg":"type@=dgb/rid@=77/gfid@=5/gfcnt@=999/uid@=9/nn@=ann/"}"##,
      ##"dropped"##
    ),
    (
      "douyu", "a viewer's text beside a name that no list has",
      ##"{"userName":"1","msg":"type@=dgb/rid@=77/gfid@=5/gfcnt@=999/uid@=9/nn@=ann/"}"##,
      ##"bad"##
    ),
    (
      "twitch", "a line in base64",
      ##"{"message":{"data":"QGlkPTE7bG9naW49YW5uO21zZy1pZD1zdWJteXN0ZXJ5Z2lmdDttc2ctcGFyYW0tbWFzcy1naWZ0LWNvdW50PTEwMDttc2ctcGFyYW0tc3ViLXBsYW49MTAwMDtyb29tLWlkPTc7dXNlci1pZD0xMiA6dG1pLnR3aXRjaC50diBVU0VSTk9USUNFICNj"},"subscription":"s"}"##,
      ##"bad"##
    ),
    (
      "twitch", "chat in base64",
      ##"{"message":{"data":"QGlkPTE7bG9naW49YW5uIDphbm4gUFJJVk1TRyAjYyA6aGVsbG8="},"subscription":"s"}"##,
      ##"dropped"##
    ),
    (
      "douyu", "a text in base64",
      ##"{"message":{"data":"dHlwZUA9ZGdiL3JpZEA9NzcvZ2ZpZEA9NS9nZmNudEA9OTk5L3VpZEA9OS9ubkA9YW5uLw=="},"subscription":"s"}"##,
      ##"bad"##
    ),
    (
      "youtube", "youtube-chat's super chat",
      ##"{"author":{"name":"Ann","channelId":"UC1"},"message":[],"superchat":{"amount":"$5.00","color":"#fff"}}"##,
      ##"bad"##
    ),
    (
      "youtube", "youtube-chat's gifted memberships",
      ##"{"author":{"channelId":"UC1"},"message":[{"text":"hi"}],"membershipGift":{"message":[{"text":"Sent 5"}]}}"##,
      ##"bad"##
    ),
    (
      "rumble", "a rant of the site's chat",
      ##"{"type":"messages","data":{"messages":[{"id":"1","user_id":"12","text":"hi","rant":{"price_cents":500}}]}}"##,
      ##"bad"##
    ),
    (
      "rumble", "chat without a rant",
      ##"{"type":"messages","data":{"messages":[{"id":"1","user_id":"12","text":"hi","rant":null}]}}"##,
      ##"dropped"##
    ),
    (
      "rumble", "a page's rant",
      ##"{"type":"rumble","chatname":"ann","chatmessage":"hi","hasDonation":"$5.00"}"##,
      ##"bad"##
    ),
    (
      "streamlabs", "a list of donations of its API",
      ##"{"data":[{"donation_id":"1","created_at":"1790935200","currency":"USD","amount":"10.00","name":"ann"}]}"##,
      ##"bad"##
    ),
    (
      "streamelements", "a tip of its API",
      ##"{"docs":[{"donation":{"user":{"username":"ann"},"amount":5,"currency":"USD"},"status":"success"}]}"##,
      ##"bad"##
    ),
  ]
}
