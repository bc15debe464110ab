extension BuiltInMaps {
  /// See docs/platforms/tiktok.md.
  static let tiktok = #"""
    {
      "map": 1,
      "name": "tiktok",
      "about": "TikTok LIVE: WebcastGiftMessage as connectors pass it on, flat or nested, in camelCase or snake_case",
      "names": "loose",
      "unpack": [
        \#(texts(["event", "type", "method", "cmd"], #""contains": "gift""#))
      ],
      "roots": [
        "/messages/*/data", "/payload", "/event", "/data", "/messages/*", "/*/data", "/*", "", "/message", "/data/*/data", "/data/*",
        "/data/messages/*/data", "/data/messages/*", "/payload/*/data", "/payload/*", "/payload/messages/*/data",
        "/payload/messages/*", "/body", "/raw", "/value", "/data/data", "/payload/data", "/data/args", \#(socialStreamRoots)
      ],
      \#(gifts(
        commands, words: ["gift"],
        others: otherEvents + [
          "WebcastChat", "WebcastLike", "WebcastMember", "WebcastSocial", "WebcastRoom", "WebcastLink", "WebcastEnvelope", "WebcastEmote",
          "WebcastBarrage", "WebcastGoal", "WebcastRank", "WebcastHourlyRank", "WebcastCaption", "WebcastControl", "WebcastPoll",
          "WebcastQuestion", "WebcastSub", "WebcastLiveIntro", "WebcastInRoomBanner", "WebcastGuide", "WebcastOec", "WebcastImDelete",
          "WebcastUnauthorized", "WebcastMsgDetect", "WebcastViewerPicks", "WebcastAccess", "envelope", "linkMic", "liveIntro", "subscribe",
          "barrage", "caption", "goalUpdate", "gift_panel", "giftPanel", "gift_broadcast", "giftBroadcast",
        ] + giftNotices, keys: ["giftId", "giftName", "giftDetails", "gift", "m_gift", "hasDonation"])),
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
              {
                "any": [
                  {"not": {"at": ["/common/method", "/base_message/method", "/method"], "contains": "gift", "missing": false}},
                  \#(giftNotices.map { #"{"at": ["/common/method", "/base_message/method", "/method"], "starts": "\#($0)", "missing": false}"# }.joined(separator: ",\n                  "))
                ]
              }
            ]
          },
          "drop": "not a gift message"
        },
        {
          "when": {
            "all": [
              {"at": ["/common/method", "/base_message/method", "/method"], "exists": true},
              {"not": {"at": ["/common/method", "/base_message/method", "/method"], "is": ["WebcastGiftMessage", "gift"]}}
            ]
          },
          "bad": "a message of gifts that is not known: its method is neither WebcastGiftMessage nor one that is known to tell none"
        },
        {
          "when": {"at": ["/battleId", "/battleStatus", "/envelopeInfo"], "exists": true},
          "drop": "tells of a battle or a chest, not of a gift"
        },
    \#(socialStreamTikTok),
        {
          "about": "TikFinity's web hook: once for each action, with all gifts of the streak. It names no streak.",
          "when": {"all": [{"at": "/triggerTypeId", "exists": true}, {"at": "/giftId", "exists": true}]},
          "event": "gift",
          "fields": {
            "sender": {
              "id": [{"at": ["/userId"], "unless": ["0"]}, "/username"],
              "show": {"name": ["/nickname", "/username"], "avatar": {"at": "/profilePictureUrl", "max": 1000}}
            },
            "gift": {"id": "/giftId", "show": {"name": "/giftName"}},
            "count": [{"at": ["/repeatCount"], "unless": ["0"]}, {"const": 1}]
          }
        },
        {
          "about": "gotiktoklive: the gift's own id and name stand beside isComboGift. Only combos come again, each time with how many there are so far.",
          "when": {"all": [{"at": "/isComboGift", "is": true}, {"at": ["/repeatCount"], "exists": true}]},
          "event": "gift",
          "fields": {
            "gift": {"id": "/id", "value": "/diamonds", "show": {"name": "/name"}},
            "receiver": {"id": [{"at": ["/toUserId"], "unless": ["0"]}]},
            "total": [{"at": ["/repeatCount"], "unless": ["0"]}, {"const": 1}],
            \#(tikTokStreak)
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
            "id": {
              "when": {"at": ["/groupId", "/gift/groupId"], "unless": ["0"], "exists": false},
              "then": {
                "at": ["/common/msgId", "/base_message/messageId", "/base_message/msgId", "/msgId", "/messageId", "^/msgId"],
                "unless": ["0"]
              }
            },
            "total": [{"at": ["/repeatCount", "/gift/repeatCount", "/comboCount"], "unless": ["0"]}, {"const": 1}],
            \#(tikTokStreak)
          },
          "ids": "kept"
        },
        {
          "when": {"at": ["/common/method", "/base_message/method", "/method"], "is": ["WebcastGiftMessage"]},
          "bad": "a gift message without a gift's id or without repeatCount"
        }
      ],
      "otherwise": {"drop": "not a gift message"}
    }
    """#

  /// A streak with a name is remembered for five minutes: its viewer may pause. One without ends where its last record says so.
  private static let tikTokStreak = #"""
    "streak": {"at": ["/groupId", "/gift/groupId"], "unless": ["0"]},
            "streak_ms": {"when": {"at": ["/groupId", "/gift/groupId"], "unless": ["0"], "exists": true}, "then": {"const": 300000}},
            "ends": ["/repeatEnd", "/gift/repeatEnd"]
    """#

  /// Messages with "Gift" in their names that tell of none.
  private static let giftNotices = [
    "WebcastGiftBroadcast", "WebcastGiftCollection", "WebcastGiftDynamic", "WebcastGiftGallery", "WebcastGiftGuide",
    "WebcastGiftNotice",
    "WebcastGiftPanel", "WebcastGiftProgress", "WebcastGiftPrompt", "WebcastGiftRecord", "WebcastGiftSort", "WebcastGiftUnlock",
    "WebcastGiftUpdate",
  ]
}
