extension BuiltInMaps {
  /// Rules of the map twitch for what Streamer.bot's web socket hands on: `{"event": {"source", "type"}, "data"}`, looked at from `event`.
  static let streamerBot = #"""
        {
          "when": [{"at": "/source", "is": "Twitch", "missing": false}, {"at": "../data/isTest", "is": true, "missing": false}],
          "drop": "a test of Streamer.bot"
        },
        {
          "about": "Streamer.bot: a gift bomb.",
          "when": [
            {"at": "/source", "is": "Twitch"}, {"at": "/type", "is": "GiftBomb"}, {"switch": "bomb", "is": "parent"},
            {"switch": "source", "is": ["any", "chat"]}
          ],
          "root": "../data",
          "event": "gift",
          "fields": {
            "ts": {"first": ["../timeStamp", "^/timeStamp"], "unit": "auto"},
            "id": ["/messageId", "/id"],
            \#(streamerBotSender),
            "gift": {"id": ["/sub_tier", "/subTier", "/tier", {"const": "subscription"}]},
            "count": [{"at": ["/total", "/gifts", "/communitySubGiftCount"], "unless": ["0"]}, {"const": 1}]
          }
        },
        {
          "when": [{"at": "/source", "is": "Twitch", "missing": false}, {"at": "/type", "is": "GiftBomb", "missing": false}],
          "drop": "a gift bomb, whose subscriptions count by themselves"
        },
        {
          "when": [
            {"at": "/source", "is": "Twitch", "missing": false}, {"at": "/type", "is": "GiftSub", "missing": false}, {"switch": "bomb", "is": "parent"},
            {
              "any": [
                {"at": ["../data/fromCommunitySubGift", "../data/fromSubBomb"], "is": true, "missing": false},
                {
                  "all": [
                    {"at": ["../data/fromCommunitySubGift", "../data/fromSubBomb"], "exists": false}, {"at": "../data/communityGiftId", "exists": true}
                  ]
                }
              ]
            }
          ],
          "drop": "part of a gift bomb, which counts as a whole"
        },
        {
          "about": "Streamer.bot: a gifted subscription.",
          "when": [
            {"at": "/source", "is": "Twitch"}, {"at": "/type", "is": "GiftSub"}, {"switch": "source", "is": ["any", "chat"]}
          ],
          "root": "../data",
          "event": "gift",
          "fields": {
            "ts": {"first": ["../timeStamp", "^/timeStamp"], "unit": "auto"},
            "id": ["/messageId", "/id"],
            \#(streamerBotSender),
            "gift": {
              "id": ["/sub_tier", "/subTier", "/tier", {"const": "subscription"}],
              "show": {"recipient": ["/recipient/name", "/recipientDisplayName"]}
            },
            "count": {"const": 1}
          }
        },
        {
          "about": "Streamer.bot: bits.",
          "when": [
            {"at": "/source", "is": "Twitch"}, {"at": "/type", "is": ["Cheer", "CoinCheer", "BitsUsed"]},
            {"at": ["../data/bits", "../data/message/bits"], "above": 0}, {"switch": "bits", "is": "gifts"}
          ],
          "root": "../data",
          "event": "gift",
          "fields": {
            "ts": {"first": ["../timeStamp", "^/timeStamp"], "unit": "auto"},
            "id": ["/messageId", "/message/msgId", "/msgId"],
            \#(streamerBotSender),
            "gift": {"id": {"const": "bits"}, "value": {"const": 1}},
            "count": ["/bits", "/message/bits"]
          }
        }
    """#

  private static let streamerBotSender = #"""
    "sender": {
              "id": [
                {"at": ["/user/id", "/userId", "/message/userId"], "unless": ["0"]}, "/user/login", "/userName", "/user/name", "/displayName",
                {"const": "anonymous"}
              ],
              "show": {"name": ["/user/name", "/displayName", "/message/displayName", "/user/login", "/userName"]}
            }
    """#
}
