/// Shapes of envelopes: what collectors of logs and queues make of a message, and older versions of connectors.
extension ConnectorShapeTests {
  static let envelopeCases: [(String, String, String, String)] = [
    (
      "bilibili", "a gift below connector",
      ##"{"type":"connector","zz":{"cmd":"SEND_GIFT","data":{"giftId":1,"uid":2,"num":1}}}"##,
      ##"bad"##
    ),
    (
      "bilibili", "a gift below viewers",
      ##"{"type":"viewers","zz":{"cmd":"SEND_GIFT","data":{"giftId":1,"uid":2,"num":1}}}"##,
      ##"bad"##
    ),
    (
      "bilibili", "a gift below connect",
      ##"{"type":"connect","zz":{"cmd":"SEND_GIFT","data":{"giftId":1,"uid":2,"num":1}}}"##,
      ##"dropped"##
    ),
    (
      "bilibili", "a gift below chat.message",
      ##"{"type":"chat.message","zz":{"cmd":"SEND_GIFT","data":{"giftId":1,"uid":2,"num":1}}}"##,
      ##"dropped"##
    ),
    (
      "tiktok", "a gift in the text of a viewer", ##"{"type":"comments","list":[{"text":"{\"giftId\":5655}","giftId":1}]}"##,
      ##"dropped"##
    ),
    (
      "twitch", "a line under a gift's label",
      ##"{"event":"subgift","data":"@id=7;msg-id=subgift;login=a;msg-param-recipient-id=8;msg-param-sub-plan=1000;user-id=66 :tmi.twitch.tv USERNOTICE #c"}"##,
      ##"1 × 7 66> 1000 count 1"##
    ),
    (
      "twitch", "a line in an array under a gift's label",
      ##"{"type":"USERNOTICE","messages":["@id=7;msg-id=subgift;login=a;msg-param-recipient-id=8;msg-param-sub-plan=1000;user-id=66 :tmi.twitch.tv USERNOTICE #c"]}"##,
      ##"1 × 7 66> 1000 count 1"##
    ),
    (
      "twitch", "a line whose bomb has the id 0",
      ##"@id=7;msg-id=subgift;login=a;msg-param-recipient-id=8;msg-param-sub-plan=1000;user-id=66;msg-param-community-gift-id=0 :tmi.twitch.tv USERNOTICE #c"##,
      ##"1 × 7 66> 1000 count 1"##
    ),
    (
      "twitch", "a line of a bomb",
      ##"@id=7;msg-id=subgift;login=a;msg-param-recipient-id=8;msg-param-sub-plan=1000;user-id=66;msg-param-community-gift-id=5 :tmi.twitch.tv USERNOTICE #c"##,
      ##"dropped"##
    ),
    (
      "twitch", "a notification whose bomb has the id 0",
      ##"{"subscription":{"type":"channel.chat.notification"},"event":{"notice_type":"sub_gift","message_id":"m","chatter_user_id":"66","sub_gift":{"sub_tier":"1000","recipient_user_id":"8","community_gift_id":0}}}"##,
      ##"1 × m 66> 1000 count 1"##
    ),
    (
      "douyu", "a text under its own label",
      ##"{"type":"dgb","raw":"type@=dgb/rid@=1/gfid@=5/uid@=66/gfcnt@=2/"}"##,
      ##"1 ×  66> 5 count 2"##
    ),
    (
      "chzzk", "a text under a gift's label",
      ##"{"event":"DONATION","data":"{\"donationType\":\"CHAT\",\"channelId\":\"c\",\"donatorChannelId\":\"v\",\"payAmount\":\"1000\"}"}"##,
      ##"1 ×  v> donation count 1"##
    ),
    (
      "rumble", "a text under a gift's label",
      ##"{"type":"rant","data":"{\"channel_id\":5,\"livestreams\":[{\"chat\":{\"recent_rants\":[{\"username\":\"ann\",\"amount_cents\":500,\"created_on\":\"2026-11-28T10:00:00Z\"}]}}]}"}"##,
      ##"1 × rant-ann-2026-11-28T10:00:00Z ann> rant count 1"##
    ),
    (
      "trovo", "a text under a gift's label",
      ##"{"event":"spell","payload":"{\"chats\":[{\"type\":5,\"sender_id\":7,\"message_id\":\"m\",\"content\":{\"gift\":\"Bow\",\"num\":1,\"gift_value\":2}}]}"}"##,
      ##"1 × m 7> Bow count 1"##
    ),
    (
      "tiktok", "a giftType of the wrong type: true",
      ##"{"event":"gift","data":{"giftId":5655,"repeatCount":3,"userId":"7","groupId":"G","giftType":true}}"##,
      ##"bad"##
    ),
    (
      "tiktok", "a giftType of the wrong type: 1.0",
      ##"{"event":"gift","data":{"giftId":5655,"repeatCount":3,"userId":"7","groupId":"G","giftType":"1.0"}}"##,
      ##"bad"##
    ),
    (
      "tiktok", "a giftType of the wrong type: {}",
      ##"{"event":"gift","data":{"giftId":5655,"repeatCount":3,"userId":"7","groupId":"G","giftType":{}}}"##,
      ##"bad"##
    ),
    (
      "tiktok", "a giftType of the wrong type: GIFT_TYPE_COMBO",
      ##"{"event":"gift","data":{"giftId":5655,"repeatCount":3,"userId":"7","groupId":"G","giftType":"GIFT_TYPE_COMBO"}}"##,
      ##"bad"##
    ),
    (
      "tiktok", "a giftType as a text",
      ##"{"event":"gift","data":{"giftId":5655,"repeatCount":3,"userId":"7","giftType":"2","msgId":"m"}}"##,
      ##"1 × m 7> 5655 count 3"##
    ),
    (
      "tiktok", "a message as a collector of logs writes it",
      ##"{"@timestamp":"2026-01-01T00:00:00Z","message":"{\"event\":\"gift\",\"data\":{\"giftId\":5655,\"repeatCount\":1,\"userId\":\"7\"}}"}"##,
      ##"bad"##
    ),
    (
      "tiktok", "a queue's notice", ##"{"Type":"Notification","Message":"{\"event\":\"gift\",\"data\":{\"giftId\":5655}}"}"##,
      ##"bad"##
    ),
    (
      "douyu", "a queue's notice",
      ##"{"Type":"Notification","Message":"{\"type\":\"dgb\",\"gfid\":\"1\",\"uid\":\"2\",\"rid\":\"3\"}"}"##,
      ##"bad"##
    ),
    ("tiktok", "a line of a log", ##"{"log":"{\"giftId\":5655,\"repeatCount\":1}\n","stream":"stdout"}"##, ##"bad"##),
    ("tiktok", "a viewer's brackets", ##"{"user":"7","message":"[gift] {gift"}"##, ##"dropped"##),
    ("tiktok", "a viewer's JSON", ##"{"event":"chat","message":"{\"giftId\":5655,\"repeatCount\":99}"}"##, ##"dropped"##),
    (
      "tiktok", "text of a GiftEvent",
      ##"{"type":"GiftEvent","data":"{\"giftId\":5655,\"repeatCount\":2,\"userId\":\"7\",\"groupId\":\"G\"}"}"##,
      ##"1 ×  7> 5655 total 2 of "G" for 300000"##
    ),
    (
      "tiktok", "data in payload",
      ##"{"eventName":"gift","payload":{"data":{"giftId":5655,"repeatCount":2,"userId":"7","groupId":"G"}}}"##,
      ##"1 ×  7> 5655 total 2 of "G" for 300000"##
    ),
    (
      "bilibili", "a text in msg", ##"{"room":5,"msg":"{\"cmd\":\"SEND_GIFT\",\"data\":{\"giftId\":1,\"uid\":2,\"num\":1}}"}"##,
      ##"bad"##
    ),
    (
      "huya", "a line of a log", ##"{"log":"{\"iUri\":6501,\"msg\":{\"iItemType\":4,\"iItemCount\":3,\"lSenderUid\":7}}"}"##,
      ##"bad"##
    ),
    (
      "douyin", "a viewer's word in DouyinBarrageGrab's chat",
      ##"{"Type":1,"Data":"{\"Content\":\"gift\",\"User\":{\"Id\":9}}"}"##, ##"dropped"##
    ),
    (
      "twitch", "Streamer.bot before 0.2, part of a bomb",
      ##"{"event":{"source":"Twitch","type":"GiftSub"},"data":{"fromSubBomb":true,"subBombCount":2,"recipientUserId":"1","subTier":1,"userId":"6"}}"##,
      ##"dropped"##
    ),
    (
      "twitch", "Streamer.bot before 0.2, by itself",
      ##"{"event":{"source":"Twitch","type":"GiftSub"},"data":{"fromSubBomb":false,"recipientUserId":"1","subTier":1,"userId":"6"}}"##,
      ##"1 ×  6> 1 count 1"##
    ),
    (
      "twitch", "StreamElements, gifted subscriptions",
      ##"{"listener":"subscriber-latest","event":{"type":"subscriber","name":"x","tier":"1000","gifted":true,"sender":"G","bulkGifted":true}}"##,
      ##"bad"##
    ),
    (
      "twitch", "StreamElements, a subscription",
      ##"{"listener":"subscriber-latest","event":{"type":"subscriber","name":"x","tier":"1000","gifted":false}}"##, ##"dropped"##
    ),
    (
      "douyu", "an answer of its HTTP interface",
      ##"{"data":{"result":"0","messages":["type@=dgb/rid@=142400/gfid@=824/gfcnt@=2/uid@=5/nn@=ann/","type@=dgb/rid@=142400/gfid@=824/gfcnt@=3/uid@=6/","type@=chatmsg/rid@=142400/uid@=6/txt@=hi/"],"list":[]}}"##,
      ##"2 ×  5> 824 count 2"##
    ),
    ("douyu", "a gift in a text of another name", ##"{"line":["type@=dgb/rid@=1/gfid@=824/uid@=5/"]}"##, ##"bad"##),
    (
      "douyu", "two messages in one text",
      ##"type@=chatmsg/rid@=1/uid@=7/txt@=x/type@=dgb/rid@=1/gfid@=824/uid@=5/type@=dgb/rid@=1/gfid@=824/uid@=6/gfcnt@=2/"##,
      ##"2 ×  5> 824 count 1"##
    ),
    (
      "douyu", "two messages in a text of an array",
      ##"{"messages":["type@=dgb/rid@=1/gfid@=1/uid@=5/type@=dgb/rid@=1/gfid@=824/uid@=5/"]}"##, ##"bad"##
    ),
    (
      "douyu", "two messages in one text, of which the first begins with another name",
      ##"rid@=1/type@=dgb/gfid@=1/uid@=5/type@=dgb/rid@=1/gfid@=824/uid@=5/"##, ##"bad"##
    ),
    ("douyu", "a viewer's text", ##"{"line":["type@=chatmsg/rid@=1/uid@=5/txt@=type@AA=dgb@AS/"]}"##, ##"dropped"##),
    (
      "twitch", "Streamlabs, a gifted subscription",
      ##"{"type":"subscription","message":[{"sub_type":"subgift","gifter":"ann"}]}"##,
      ##"bad"##
    ),
    (
      "twitch", "TwitchIO's event without its type",
      ##"{"tier":"1000","total":5,"user":{"id":"1","name":"ann"},"cumulative_total":20}"##, ##"1 ×  1> 1000 count 5"##
    ),
    (
      "twitch", "the same of a channel, and a giver who hides the total",
      ##"{"tier":"1000","total":5,"user":{"id":"1","name":"ann"},"broadcaster":{"id":"k"},"anonymous":false,"cumulative_total":null}"##,
      ##"1 ×  1> 1000 count 5"##
    ),
    ("twitch", "the same without a giver", ##"{"tier":"1000","total":5,"user":{},"cumulative_total":20}"##, ##"bad"##),
    ("twitch", "a line in a text of another name", ##"{"foo":"@id=7;msg-id=subgift :tmi.twitch.tv USERNOTICE #c"}"##, ##"bad"##),
    ("twitch", "a viewer's word in such a line", ##"{"foo":"@id=7 :v!v@v PRIVMSG #c :msg-id=subgift"}"##, ##"dropped"##),
    (
      "twitch", "a gift bomb, and a viewer who writes JSON of a gift",
      ##"{"data":"@display-name=Ann;id=b1;msg-id=submysterygift;msg-param-mass-gift-count=5;msg-param-origin-id=o1;msg-param-sub-plan=1000;room-id=77;tmi-sent-ts=1764400000000;user-id=12 :tmi.twitch.tv USERNOTICE #room\r\n@display-name=Eve;id=c1;room-id=77;tmi-sent-ts=1764400001000;user-id=66 :eve!e@e PRIVMSG #room :{\"bits\":1}"}"##,
      ##"1 × b1 12> 1000 count 5"##
    ),
    (
      "twitch", "the same as an array, and a viewer who writes a line",
      ##"{"data":["@display-name=Ann;id=b1;msg-id=submysterygift;msg-param-mass-gift-count=5;msg-param-origin-id=o1;msg-param-sub-plan=1000;room-id=77;tmi-sent-ts=1764400000000;user-id=12 :tmi.twitch.tv USERNOTICE #room","@display-name=Eve;id=c1;room-id=77;tmi-sent-ts=1764400001000;user-id=66 :eve!e@e PRIVMSG #room :@bits=1 :x PRIVMSG #c :y"]}"##,
      ##"1 × b1 12> 1000 count 5"##
    ),
    (
      "twitch", "a viewer's text in a parsed line",
      ##"{"tags":{"user-id":"66"},"command":"PRIVMSG","params":["#c","{\"bits\":1}"],"message":"@bits=1 :x PRIVMSG #c :y"}"##,
      ##"dropped"##
    ),
    (
      "twitch", "a viewer's line beside the viewer's name",
      ##"{"chatter_user_name":"Eve","message":"@bits=100;id=q;room-id=77;tmi-sent-ts=1764400000000;user-id=12 :a!a@a PRIVMSG #room :x"}"##,
      ##"dropped"##
    ),
    (
      "twitch", "the arguments of tmi.js, with a viewer's line",
      ##"["#c",{"user-id":"5","username":"eve","bits":"5","room-id":"1001","tmi-sent-ts":"1764400000000","id":"r1"},"@bits=100;id=zz;room-id=1001;user-id=evil :e!e@e PRIVMSG #c :cheer100",false]"##,
      ##"1 × r1 5> bits count 5"##
    ),
    (
      "twitch", "the same in an envelope, without bits",
      ##"{"data":["#c",{"username":"eve"},"@bits=100;id=zz;room-id=1001;user-id=evil :e!e@e PRIVMSG #c :cheer100",false]}"##,
      ##"dropped"##
    ),
    (
      "twitch", "the arguments of tmi.js for a subscription, with a viewer's line",
      ##"["#c","Amy",3,"@id=z;bits=100;room-id=9;user-id=evil :e!e@e PRIVMSG #c :cheer100",{"msg-id":"resub","room-id":"9","user-id":"1","id":"k"},{"plan":"1000"}]"##,
      ##"dropped"##
    ),
    (
      "twitch", "the arguments of tmi.js by name",
      ##"{"target":"#c","context":{"user-id":"5","bits":"5","room-id":"1001","tmi-sent-ts":"1764400000000","id":"r1"},"msg":"@bits=100;id=zz;room-id=1001;user-id=evil :e!e@e PRIVMSG #c :cheer100"}"##,
      ##"1 × r1 5> bits count 5"##
    ),
    (
      "rumble", "a rant without its time beside a gifted subscription",
      ##"{"now":1732104000,"gifted_subs":{"recent_gifted_subs":[{"total_gifts":5,"purchased_by":"al"}]},"livestreams":[{"chat":{"recent_rants":[{"username":"bo","amount_cents":300}]}}]}"##,
      ##"bad"##
    ),
    (
      "rumble", "a live stream without rants beside a gifted subscription",
      ##"{"now":1732104000,"gifted_subs":{"recent_gifted_subs":[{"total_gifts":5,"purchased_by":"al"}]},"livestreams":[{}]}"##,
      ##"bad"##
    ),
    (
      "niconico", "a viewer's comment without a name",
      ##"{"meta":{},"message":{"chat":{"content":"{\"itemId\":1}","hashedUserId":"a:1","no":1}}}"##, ##"dropped"##
    ),
    ("kick", "a viewer's text of a reward", ##"{"reward_title":"x","user_input":"{\"gift_id\":1}"}"##, ##"dropped"##),
    (
      "streamelements", "a subscription with another sender",
      ##"{"type":"subscriber","_id":"a2","channel":"77","data":{"username":"bo","sender":"ann","amount":1,"tier":"1000"}}"##,
      ##"bad"##
    ),
    (
      "streamelements", "the same, not gifted",
      ##"{"type":"subscriber","_id":"a2","channel":"77","data":{"username":"bo","sender":"ann","gifted":false}}"##, ##"dropped"##
    ),
    (
      "rumble", "live streams as a text",
      ##"{"now":1764400000,"gifted_subs":{"recent_gifted_subs":[]},"livestreams":"x"}"##, ##"bad"##
    ),
    (
      "youtube:superchat=gifts", "pytchat, a super chat",
      ##"{"type":"superChat","id":"Chw1","timestamp":1700000000000,"message":"hi","amountValue":500.0,"amountString":"¥500","currency":"JPY","author":{"name":"Ann","channelId":"UCviewer1","type":"superChat"}}"##,
      ##"1 × Chw1 UCviewer1> super-chat count 1"##
    ),
    (
      "douyin", "a gift whose method is a number",
      ##"{"common":{"method":5,"msgId":"1"},"giftId":"4","repeatCount":"1","user":{"id":"5"}}"##, ##"bad"##
    ),
    (
      "douyin", "another message, likewise", ##"{"common":{"method":5,"msgId":"1"},"content":"hi","user":{"id":"5"}}"##,
      ##"dropped"##
    ),
    (
      "tiktok", "a gift whose method is an array",
      ##"{"common":{"method":[],"msgId":"1"},"giftId":"4","repeatCount":"1","user":{"id":"5"}}"##, ##"bad"##
    ),
    ("huya", "a gift whose iUri is true", ##"{"iUri":true,"data":{"iItemType":4,"iItemCount":1,"lSenderUid":2}}"##, ##"bad"##),
    ("huya", "another packet, likewise", ##"{"iUri":true,"data":{"sContent":"x"}}"##, ##"dropped"##),
    (
      "streamelements", "an activity whose type is a number",
      ##"{"_id":"6","channel":"5","type":5,"data":{"username":"ben","amount":100}}"##, ##"bad"##
    ),
    (
      "streamlabs", "an alert whose type is a number",
      ##"{"type":5,"message":[{"name":"Ann","amount":"13.37","from":"Ann","_id":"0"}]}"##, ##"bad"##
    ),
    (
      "trovo", "a spell whose type is an object",
      ##"{"data":{"chats":[{"type":{},"content":"{\"gift\":\"W\",\"gift_id\":5}","sender_id":5}]}}"##, ##"bad"##
    ),
    ("bilibili-open", "a guard whose cmd is a number", ##"{"cmd":5,"data":{"uid":1,"guard_level":3,"guard_num":1}}"##, ##"bad"##),
    (
      "rumble", "an empty list as an object",
      ##"{"now":1,"user_id":"u","livestreams":[],"gifted_subs":{"recent_gifted_subs":{}}}"##, ##"dropped"##
    ),
    (
      "rumble", "the lists of gifts in an array, beside a rant",
      ##"{"now":1,"user_id":"u","livestreams":[{"chat":{"recent_rants":[{"username":"x","created_on":"2026-01-01T00:00:00Z","amount_cents":5}]}}],"gifted_subs":[{"recent_gifted_subs":[{"total_gifts":5,"purchased_by":"ann"}]}]}"##,
      ##"bad"##
    ),
    (
      "rumble", "a rant in the place of its list, beside gifts",
      ##"{"now":1,"user_id":"u","livestreams":[{"chat":{"recent_rants":{"username":"x","created_on":"2026-01-01T00:00:00Z","amount_cents":5}}}],"gifted_subs":{"recent_gifted_subs":[{"total_gifts":5,"purchased_by":"ann"}]}}"##,
      ##"bad"##
    ),
    (
      "rumble", "the rants as a text, beside gifts",
      ##"{"now":1,"user_id":"u","livestreams":[{"chat":{"recent_rants":"[{}]"}}],"gifted_subs":{"recent_gifted_subs":[{"total_gifts":5,"purchased_by":"ann"}]}}"##,
      ##"bad"##
    ),
    (
      "rumble", "a list of gifts as an object, beside a rant",
      ##"{"now":1,"user_id":"u","livestreams":[{"chat":{"recent_rants":[{"username":"x","created_on":"2026-01-01T00:00:00Z","amount_cents":5}]}}],"gifted_subs":{"recent_gifted_subs":{"0":{"total_gifts":5,"purchased_by":"ann"}}}}"##,
      ##"bad"##
    ),
    (
      "twitch", "a gift whose msg-id is a number",
      ##"{"id":"1","login":"g","msg-id":5,"msg-param-mass-gift-count":"5","room-id":"9"}"##, ##"bad"##
    ),
    ("twitch", "another line, likewise", ##"{"id":"1","msg-id":5,"room-id":"9"}"##, ##"dropped"##),
    (
      "twitch", "chat-downloader, bits without an author",
      ##"{"channel_id":"1","author":null,"action_type":"text_message","message_type":"text_message","bits":5}"##, ##"bad"##
    ),
    (
      "youtube", "a super chat whose type is a number",
      ##"{"snippet":{"type":5,"superChatDetails":{"amountMicros":"2"}},"id":"x"}"##,
      ##"bad"##
    ),
    (
      "soop", "base64 under another name",
      ##"{"line":"eyJ0byI6ImEiLCJmcm9tIjoiYiIsImFtb3VudCI6IjEiLCJmYW5DbHViT3JkaW5hbCI6IjUifQ=="}"##, ##"bad"##
    ),
  ]
}
