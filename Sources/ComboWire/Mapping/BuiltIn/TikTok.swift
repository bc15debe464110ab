extension BuiltInMaps {
  /// See docs/platforms/tiktok.md.
  static let tiktok = #"""
    {
      "map": 1,
      "name": "tiktok",
      "about": "TikTok LIVE: WebcastGiftMessage as connectors hand it on, flat or nested, in camelCase or snake_case",
      "names": "loose",
      "unpack": [
        {
          "at": ["/payload", "/data"],
          "when": {"any": [{"at": ["/event", "/type", "/method", "/cmd"], "exists": false}, {"at": ["/event", "/type", "/method", "/cmd"], "is": ["gift", "WebcastGiftMessage"]}]}
        }
      ],
      "roots": [
        "/messages/*/data", "/payload", "/event", "/data", "/messages/*", "/*/data", "/*", "", "/message", "/data/*/data", "/data/*",
        "/data/messages/*/data", "/data/messages/*", "/payload/*/data", "/payload/*", "/payload/messages/*/data",
        "/payload/messages/*"
      ],
      "fields": {
        "room": [
          {"at": ["/common/roomId", "/roomId", "/base_message/roomId", "/room/id", "^/roomId", "../roomId", "../../roomId", "../../../roomId"], "unless": ["0"]},
          {"key": true}
        ],
        "ts": {
          "at": ["/common/createTime", "/base_message/createTime", "/createTime", "/timestamp", "^/timestamp"],
          "unless": ["0"],
          "unit": "auto"
        },
        "sender": {
          "id": [
            {"at": ["/user/userId", "/user/idStr", "/user/id", "/userId", "/fromUser/id"], "unless": ["0"]},
            "/user/uniqueId",
            "/user/displayId",
            "/uniqueId",
            "/fromUser/username",
            "/user/username"
          ],
          "show": {
            "name": ["/user/nickname", "/nickname", "/user/uniqueId", "/uniqueId", "/user/displayId", "/fromUser/nickName"],
            "avatar": {
              "at": [
                "/user/profilePictureUrl", "/profilePictureUrl", "/user/profilePicture/urls/0",
                "/user/profilePicture/url/0", "/user/avatarThumb/urlList/0", "/user/avatarThumb/mUrls/0"
              ],
              "max": 1000
            }
          }
        },
        "receiver": {
          "id": [{"at": ["/receiverUserId", "/giftExtra/toUserId", "/toUser/userId", "/toUser/id"], "unless": ["0"]}]
        },
        "gift": {
          "id": [{"at": ["/giftId", "/giftDetails/id", "/gift/giftId", "/gift/id", "/m_gift/id"], "unless": ["0"]}],
          "value": ["/giftDetails/diamondCount", "/diamondCount", "/gift/diamondCount", "/m_gift/diamondCount"],
          "show": {
            "name": [
              "/giftDetails/giftName", "/giftDetails/name", "/giftName", "/gift/name", "/m_gift/name",
              "/extendedGiftInfo/name"
            ],
            "icon": {
              "at": [
                "/giftPictureUrl", "/giftDetails/giftImage/url/0", "/giftDetails/giftImage/urlList/0",
                "/gift/image/urlList/0", "/m_gift/image/mUrls/0"
              ],
              "max": 1000
            }
          }
        }
      },
      "rules": [
        {
          "when": {
            "all": [
              {"at": ["/common/method", "/base_message/method", "/method"], "exists": true},
              {"not": {"at": ["/common/method", "/base_message/method", "/method"], "is": ["WebcastGiftMessage", "gift"]}}
            ]
          },
          "drop": "not a gift message"
        },
        {
          "when": {"at": ["/battleId", "/battleStatus", "/envelopeInfo"], "exists": true},
          "drop": "tells of a battle or a chest, not of a gift"
        },
        {
          "about": "gotiktoklive: the gift's own id and name stand beside isComboGift. Only combos come again, each time with how many there are so far.",
          "when": {"all": [{"at": "/isComboGift", "is": true}, {"at": ["/repeatCount"], "exists": true}]},
          "event": "gift",
          "fields": {
            "gift": {"id": "/id", "value": "/diamonds", "show": {"name": "/name"}},
            "receiver": {"id": [{"at": ["/toUserId"], "unless": ["0"]}]},
            "total": [{"at": ["/repeatCount"], "unless": ["0"]}, {"const": 1}],
            "streak": [{"at": ["/groupId"], "unless": ["0"]}]
          }
        },
        {
          "when": {"all": [{"at": "/isComboGift", "is": false}, {"at": ["/repeatCount"], "exists": true}]},
          "event": "gift",
          "fields": {
            "id": [{"at": ["/messageId"], "unless": ["0"]}],
            "gift": {"id": "/id", "value": "/diamonds", "show": {"name": "/name"}},
            "receiver": {"id": [{"at": ["/toUserId"], "unless": ["0"]}]},
            "count": [{"at": ["/repeatCount"], "unless": ["0"]}, {"const": 1}]
          }
        },
        {
          "when": {
            "all": [
              {"at": "/comboState", "exists": true},
              {"at": "/combo", "exists": true},
              {"at": "/gift/diamondCost", "exists": true}
            ]
          },
          "drop": "a hit of a combo, whose TikTokGiftEvent tells how many they were"
        },
        {
          "about": "TikTokLiveJava's TikTokGiftEvent: once for each gift, and at the end of a streak.",
          "when": {"all": [{"at": "/combo", "exists": true}, {"at": "/gift/diamondCost", "exists": true}]},
          "event": "gift",
          "fields": {
            "id": [{"at": ["/messageId"], "unless": ["0"]}],
            "gift": {
              "id": "/gift/id",
              "value": "/gift/diamondCost",
              "show": {"name": "/gift/name", "icon": {"at": "/gift/picture/link", "max": 1000}}
            },
            "receiver": {"id": [{"at": ["/toUser/id"], "unless": ["0"]}], "show": {"name": "/toUser/name"}},
            "count": [{"at": ["/combo"], "unless": ["0"]}, {"const": 1}]
          }
        },
        {
          "about": "Only gifts of type 1 are sent in streaks; all others arrive once, each with an id of its own.",
          "when": {
            "all": [
              {"at": ["/giftId", "/giftDetails/id", "/gift/giftId", "/gift/id", "/m_gift/id"], "exists": true},
              {"at": ["/repeatCount", "/gift/repeatCount", "/comboCount"], "exists": true},
              {
                "at": [
                  "/giftType", "/giftDetails/giftType", "/giftDetails/type", "/gift/giftType", "/gift/type", "/m_gift/type"
                ],
                "exists": true
              },
              {
                "not": {
                  "at": [
                    "/giftType", "/giftDetails/giftType", "/giftDetails/type", "/gift/giftType", "/gift/type",
                    "/m_gift/type"
                  ],
                  "is": [1, 0]
                }
              }
            ]
          },
          "event": "gift",
          "fields": {
            "id": [
              {
                "at": ["/common/msgId", "/base_message/messageId", "/base_message/msgId", "/msgId", "/messageId", "^/msgId"],
                "unless": ["0"]
              }
            ],
            "count": [{"at": ["/repeatCount", "/gift/repeatCount", "/comboCount"], "unless": ["0"]}, {"const": 1}]
          }
        },
        {
          "about": "A streak: each record tells how many it has had so far.",
          "when": {
            "all": [
              {"at": ["/giftId", "/giftDetails/id", "/gift/giftId", "/gift/id", "/m_gift/id"], "exists": true},
              {"at": ["/repeatCount", "/gift/repeatCount", "/comboCount"], "exists": true}
            ]
          },
          "event": "gift",
          "fields": {
            "total": [{"at": ["/repeatCount", "/gift/repeatCount", "/comboCount"], "unless": ["0"]}, {"const": 1}],
            "streak": [{"at": ["/groupId", "/gift/groupId"], "unless": ["0"]}]
          }
        },
        {
          "when": {"at": ["/common/method", "/base_message/method", "/method"], "is": ["WebcastGiftMessage"]},
          "bad": "a gift message without a gift's id or without repeatCount"
        }
      ],
      "otherwise": {"drop": "not a gift message"}
    }
    """#
}
