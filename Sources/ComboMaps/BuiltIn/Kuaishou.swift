extension BuiltInMaps {
  /// See docs/platforms/kuaishou.md.
  static let kuaishou = #"""
    {
      "map": 1,
      "name": "kuaishou",
      "about": "Kuaishou: WebGiftFeed, alone or in SCWebFeedPush",
      "names": "loose",
      "protobuf": {
        "WebGiftFeed": {
          "1": "string id",
          "2": "SimpleUserInfo user",
          "3": "uint64 time",
          "4": "uint32 giftId",
          "6": "string mergeKey",
          "7": "uint32 batchSize",
          "8": "uint32 comboCount",
          "10": "uint64 expireDuration"
        },
        "SimpleUserInfo": {"1": "string principalId", "2": "string userName", "3": "string headUrl"}
      },
      "unpack": [
        \#(texts(["event", "type", "method", "cmd"], #""is": ["gift", "SC_FEED_PUSH"]"#)),
        {"at": "/msg", "when": {"at": "/calculatedGiftCount", "exists": true}, "message": "WebGiftFeed"}
      ],
      "roots": [
        "/*/giftFeeds/*", "/*/payload/giftFeeds/*", "/messages/*/giftFeeds/*", "/messages/*/payload/giftFeeds/*",
        "/data/*/giftFeeds/*", "/data/*/payload/giftFeeds/*", "/payload/*/giftFeeds/*",
        "/giftFeeds/*", "/payload/giftFeeds/*", "/data/giftFeeds/*", "/data/payload/*", "/data", "/msg", "/*", "", "/payload",
        "/message", "/event", "/messages/*", "/message/giftFeeds/*", "/msg/giftFeeds/*", "/event/giftFeeds/*",
        "/data/payload/giftFeeds/*", "/body"
      ],
      \#(gifts(commands, words: ["gift"], others: otherEvents, keys: ["giftFeeds", "giftId", "intlGiftId", "giftName", "mergeKey", "giftCount"])),
      "switches": {
        "combo": {
          "default": "hits",
          "values": {
            "hits": "comboCount counts hits, each of batchSize gifts",
            "gifts": "comboCount counts gifts, except for the first hit, which is batchSize gifts"
          }
        }
      },
      "fields": {
        "room": [
          {
            "at": [
              "/liveStreamId", "^/liveStreamId", "^/data/liveStreamId", "^/liveId", "^/roomId", "^/payload/liveStreamId",
              "../../liveStreamId", "../../../liveStreamId", "/roomId", "../../roomId", "../../../roomId", "/liveId",
              "../../liveId", "../../../liveId"
            ],
            "unless": ["0"]
          },
          {"key": true}
        ],
        "ts": {"at": ["/time", "/clientTimestamp", "^/timestamp"], "unless": ["0"], "unit": "auto"},
        "sender": {
          "id": [{"at": ["/user/principalId", "/user/userId", "/user/id"], "unless": ["0"]}, "/user/userName"],
          "show": {"name": ["/user/userName", "/user/name"], "avatar": {"at": "/user/headUrl", "max": 1000}}
        },
        "gift": {
          "id": [{"at": ["/giftId", "/intlGiftId", "/gift/id"], "unless": ["0"]}],
          "show": {"name": ["/giftName", "/gift/name"]}
        }
      },
      "rules": [
        {
          "about": "The open platform's giftSend: each push is so many gifts more.",
          "when": {
            "all": [
              {"at": ["/uniqueNo"], "exists": true},
              {"at": ["/giftId"], "exists": true},
              {"at": ["/giftCount"], "exists": true}
            ]
          },
          "event": "gift",
          "fields": {
            "room": [{"at": ["^/data/roomCode", "^/roomCode"], "unless": ["0"]}, {"key": true}],
            "id": "/uniqueNo",
            "sender": {
              "id": [{"at": ["/userInfo/userId"], "unless": ["0"]}, "/userInfo/userName"],
              "show": {"name": "/userInfo/userName", "avatar": {"at": "/userInfo/headUrl", "max": 1000}}
            },
            "gift": {"id": "/giftId", "value": "/giftUnitPrice", "show": {"name": "/giftName"}},
            "count": [{"at": ["/giftCount"], "unless": ["0"]}, {"const": 1}]
          }
        },
        {
          "when": {
            "all": [
              {
                "any": [
                  {"at": ["/mergeKey"], "exists": true},
                  {"all": [{"at": ["/giftId"], "exists": true}, {"at": ["/comboCount", "/batchSize"], "exists": true}]}
                ]
              },
              {"switch": "combo", "is": "gifts"},
              {"at": "/comboCount", "is": 1}
            ]
          },
          "event": "gift",
          "fields": {"total": [{"at": ["/batchSize"], "unless": ["0"]}, {"const": 1}], "streak": "/mergeKey", \#(kuaishouCombo)}
        },
        {
          "when": {
            "all": [
              {
                "any": [
                  {"at": ["/mergeKey"], "exists": true},
                  {"all": [{"at": ["/giftId"], "exists": true}, {"at": ["/comboCount", "/batchSize"], "exists": true}]}
                ]
              },
              {"switch": "combo", "is": "gifts"}
            ]
          },
          "event": "gift",
          "fields": {"total": [{"at": ["/comboCount"], "unless": ["0"]}, {"const": 1}], "streak": "/mergeKey", \#(kuaishouCombo)}
        },
        {
          "when": {
            "any": [
              {"at": ["/mergeKey"], "exists": true},
              {"all": [{"at": ["/giftId"], "exists": true}, {"at": ["/comboCount", "/batchSize"], "exists": true}]}
            ]
          },
          "event": "gift",
          "fields": {
            "total": {
              "product": [
                [{"at": ["/comboCount"], "unless": ["0"]}, {"const": 1}],
                [{"at": ["/batchSize"], "unless": ["0"]}, {"const": 1}]
              ]
            },
            "streak": "/mergeKey",
            \#(kuaishouCombo)
          }
        }
      ],
      "otherwise": {"drop": "no gift in it"}
    }
    """#

  /// What a combo is, the server says; and how long it lives.
  private static let kuaishouCombo =
    #""combo": "/mergeKey", "streak_ms": \#(life(["/expireDuration", "/expireDurationMs", "/slotDisplayDuration"]))"#
}
