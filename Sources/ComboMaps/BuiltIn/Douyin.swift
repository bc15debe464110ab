extension BuiltInMaps {
  /// See docs/platforms/douyin.md.
  static let douyin = #"""
    {
      "map": 1,
      "name": "douyin",
      "about": "Douyin: GiftMessage of the WebSocket as JSON, in camelCase or snake_case, or as DouyinBarrageGrab and dycast convert it",
      "names": "loose",
      "protobuf": {
        "GiftMessage": {
          "1": "Common common",
          "2": "uint64 giftId",
          "4": "uint64 groupCount",
          "5": "uint64 repeatCount",
          "6": "uint64 comboCount",
          "7": "User user",
          "8": "User toUser",
          "11": "uint64 groupId",
          "15": "GiftStruct gift",
          "17": "uint64 sendType",
          "29": "uint64 totalCount",
          "33": "uint64 sendTime"
        },
        "Common": {"1": "string method", "2": "uint64 msgId", "3": "uint64 roomId", "4": "uint64 createTime"},
        "User": {"1": "uint64 id", "3": "string nickName", "9": "Image avatarThumb", "46": "string secUid"},
        "GiftStruct": {"1": "Image image", "5": "uint64 id", "12": "uint32 diamondCount", "16": "string name"},
        "Image": {"1": "repeated string urlList"}
      },
      "unpack": [
        \#(texts(["method", "type", "event"], #""is": ["WebcastGiftMessage", "gift", 5, "5"]"#)),
        {
          "at": ["/msg", "/payload"],
          "when": {"any": [{"at": "/calculatedGiftCount", "exists": true}, {"at": "/method", "is": "WebcastGiftMessage"}]},
          "message": "GiftMessage"
        }
      ],
      "roots": [
        "/messages/*/payload", "/data/messages/*/payload", "/payload", "/data", "/messages/*", "/data/messages/*",
        "/payload/*", "/data/*", "/msg", "/*/data", "/*/payload", "/*", "", "/message", "/event", "/body", "/raw", "/value", "/data/data"
      ],
      \#(gifts(
        commands, words: ["gift"],
        others: otherEvents + [
          "WebcastChat", "WebcastLike", "WebcastMember", "WebcastSocial", "WebcastRoom", "WebcastLink", "WebcastEmoji", "WebcastFansclub",
          "WebcastControl", "WebcastScreenChat", "WebcastProductChange", "WebcastLiveShopping", "WebcastUpdateFanTicket", "WebcastCommonText",
          "WebcastMatchAgainst", "WebcastInRoomBanner", "WebcastHotRoom", "WebcastRanklist", "WebcastLuckyBox", "WebcastGiftSort",
          "WebcastGiftVote", "WebcastGiftPanel", "WebcastGiftUpdate", "WebcastGiftBroadcast", "WebcastGiftNotice",
        ], keys: ["giftId", "giftName", "gift", "secGiftId", "giftCount", "giftNum"])),
      "switches": {
        "total": {"default": "product", "values": {"product": "comboCount times groupCount", "repeat": "repeatCount"}}
      },
      "fields": {
        "room": [
          {"at": ["/common/roomId", "/roomId", "/room/roomId", "^/roomId", "^/data/roomId"], "unless": ["0"]},
          {"key": true}
        ],
        "ts": {
          "at": ["/sendTime", "/common/createTime", "/createTime", "/timestamp", "^/timestamp"],
          "unless": ["0"],
          "unit": "auto"
        },
        "sender": {
          "id": [
            {"at": ["/user/id", "/user/idStr", "/user/userId", "/user/uid"], "unless": ["0", "111111"]},
            "/user/secUid",
            "/user/displayId",
            "/user/nickname",
            "/user/name"
          ],
          "show": {
            "name": ["/user/nickname", "/user/name"],
            "avatar": {
              "at": ["/user/avatarThumb/urlListList/0", "/user/avatarThumb/urlList/0", "/user/headImgUrl", "/user/avatar"],
              "max": 1000
            }
          }
        },
        "receiver": {"id": [{"at": ["/toUser/id", "/toUser/idStr"], "unless": ["0"]}], "show": {"name": "/toUser/nickname"}},
        "gift": {
          "id": [{"at": ["/giftId", "/gift/id", "/gift/idStr"], "unless": ["0"]}],
          "value": ["/gift/diamondCount", "/diamondCount", "/gift/price"],
          "show": {
            "name": ["/gift/name", "/giftName"],
            "icon": {
              "at": [
                "/gift/image/urlListList/0", "/gift/image/urlList/0", "/imgUrl", "/gift/icon/urlListList/0",
                "/gift/icon/urlList/0"
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
              {"at": ["/common/method", "/method", "^/method"], "exists": true},
              {"not": {"at": ["/common/method", "/method", "^/method"], "contains": "gift", "missing": false}}
            ]
          },
          "drop": "not a gift message"
        },
        {
          "when": {
            "any": [
              {"at": ["/common/method", "/method", "^/method"], "starts": "WebcastGiftSort", "missing": false},
              {"at": ["/common/method", "/method", "^/method"], "starts": "WebcastGiftVote", "missing": false},
              {"at": ["/common/method", "/method", "^/method"], "starts": "WebcastGiftPanel", "missing": false},
              {"at": ["/common/method", "/method", "^/method"], "starts": "WebcastGiftUpdate", "missing": false},
              {"at": ["/common/method", "/method", "^/method"], "starts": "WebcastGiftBroadcast", "missing": false},
              {"at": ["/common/method", "/method", "^/method"], "starts": "WebcastGiftNotice", "missing": false}
            ]
          },
          "drop": "not a gift message"
        },
        {
          "when": {
            "all": [
              {"at": ["/common/method", "/method", "^/method"], "exists": true},
              {"not": {"at": ["/common/method", "/method", "^/method"], "is": ["WebcastGiftMessage", "gift"]}}
            ]
          },
          "bad": "a message of gifts that is not known: its method is neither WebcastGiftMessage nor one that is known to tell none"
        },
        {
          "about": "DouyinBarrageGrab numbers its messages. Of the others, the texts are what viewers wrote.",
          "when": [
            {"at": "/type", "is": [1, 2, 3, 4, 6, 7, 8, 9], "missing": false}, {"at": "/data", "exists": true},
            {"at": ["/giftId", "/gift", "/data/giftId"], "exists": false}
          ],
          "drop": "not a gift message"
        },
        {
          "about": "DouyinBarrageGrab: RepeatCount goes on within GroupId.",
          "when": {
            "all": [
              {"all": [{"at": ["/giftCount"], "exists": true}, {"at": ["/repeatCount"], "exists": true}]},
              {"at": ["/groupId"], "unless": ["0"], "exists": true}
            ]
          },
          "event": "gift",
          "fields": {"total": "/repeatCount", "streak": "/groupId", "streak_ms": {"const": 300000}}
        },
        {
          "about": "DouyinBarrageGrab: a gift by itself.",
          "when": {"all": [{"at": ["/giftCount"], "exists": true}, {"at": ["/repeatCount"], "exists": true}]},
          "event": "gift",
          "fields": {
            "id": [{"at": ["/msgId"], "unless": ["0"]}],
            "count": [{"at": ["/giftCount"], "unless": ["0"]}, {"const": 1}]
          }
        },
        {
          "about": "dycast: a running total without a group.",
          "when": {"at": ["/gift/count"], "exists": true},
          "event": "gift",
          "fields": {"total": [{"at": ["/gift/count"], "unless": ["0"]}, {"const": 1}], "ends": ["/repeatEnd", "/gift/repeatEnd"]}
        },
        {
          "about": "DouyinBarrageGrab until April 2023: GiftCount is what goes on.",
          "when": {
            "all": [
              {"at": ["/giftCount"], "exists": true},
              {"at": ["/giftId"], "exists": true},
              {"at": ["/repeatCount", "/comboCount", "/groupCount"], "exists": false}
            ]
          },
          "event": "gift",
          "fields": {"total": [{"at": ["/giftCount"], "unless": ["0"]}, {"const": 1}], "streak": [{"at": ["/groupId"], "unless": ["0"]}], \#(douyinLife)}
        },
        {
          "about": "The open platform's live_gift: each push is so many gifts more.",
          "when": {"all": [{"at": ["/secGiftId"], "exists": true}, {"at": ["/giftNum"], "exists": true}]},
          "event": "gift",
          "fields": {
            "room": [{"at": ["/roomId", "^/roomId"], "unless": ["0"]}, {"key": true}, {"header": "x-room-id"}],
            "id": [{"at": ["/msgId"], "unless": ["0"]}],
            "sender": {"id": "/secOpenid", "show": {"name": "/nickname", "avatar": {"at": "/avatarUrl", "max": 1000}}},
            "gift": {"id": "/secGiftId", "show": {"name": "/giftName"}},
            "count": [{"at": ["/giftNum"], "unless": ["0"]}, {"const": 1}]
          }
        },
        {
          "about": "A combo, or a gift that may come twice under two ids: what its group has had so far.",
          "when": {
            "all": [
              {
                "any": [
                  {"at": ["/common/method", "/method", "^/method"], "is": "WebcastGiftMessage"},
                  {
                    "all": [
                      {"at": ["/giftId", "/gift/id"], "exists": true},
                      {"at": ["/repeatCount", "/comboCount", "/groupCount", "/giftCount", "/gift/count"], "exists": true}
                    ]
                  }
                ]
              },
              {"at": ["/groupId"], "unless": ["0"], "exists": true}
            ]
          },
          "event": "gift",
          "fields": {
            "total": {
              "switch": "total",
              "cases": {
                "product": [
                  {
                    "product": [
                      {"at": ["/comboCount"], "unless": ["0"]},
                      [{"at": ["/groupCount"], "unless": ["0"]}, {"const": 1}]
                    ]
                  },
                  {"at": ["/repeatCount", "/totalCount"], "unless": ["0"]},
                  {"at": ["/groupCount"], "unless": ["0"]},
                  {"const": 1}
                ],
                "repeat": [
                  {"at": ["/repeatCount", "/totalCount"], "unless": ["0"]},
                  {
                    "product": [
                      {"at": ["/comboCount"], "unless": ["0"]},
                      [{"at": ["/groupCount"], "unless": ["0"]}, {"const": 1}]
                    ]
                  },
                  {"at": ["/groupCount"], "unless": ["0"]},
                  {"const": 1}
                ]
              }
            },
            "streak": [{"at": ["/groupId"], "unless": ["0"]}],
            \#(douyinLife)
          }
        },
        {
          "about": "A combo whose group is not told.",
          "when": {
            "all": [
              {
                "any": [
                  {"at": ["/common/method", "/method", "^/method"], "is": "WebcastGiftMessage"},
                  {
                    "all": [
                      {"at": ["/giftId", "/gift/id"], "exists": true},
                      {"at": ["/repeatCount", "/comboCount", "/groupCount", "/giftCount", "/gift/count"], "exists": true}
                    ]
                  }
                ]
              },
              {"at": "/sendType", "is": 4}
            ]
          },
          "event": "gift",
          "fields": {
            "total": {
              "switch": "total",
              "cases": {
                "product": [
                  {
                    "product": [
                      {"at": ["/comboCount"], "unless": ["0"]},
                      [{"at": ["/groupCount"], "unless": ["0"]}, {"const": 1}]
                    ]
                  },
                  {"at": ["/repeatCount", "/totalCount"], "unless": ["0"]},
                  {"at": ["/groupCount"], "unless": ["0"]},
                  {"const": 1}
                ],
                "repeat": [
                  {"at": ["/repeatCount", "/totalCount"], "unless": ["0"]},
                  {
                    "product": [
                      {"at": ["/comboCount"], "unless": ["0"]},
                      [{"at": ["/groupCount"], "unless": ["0"]}, {"const": 1}]
                    ]
                  },
                  {"at": ["/groupCount"], "unless": ["0"]},
                  {"const": 1}
                ]
              }
            },
            "ends": "/repeatEnd"
          }
        },
        {
          "about": "A gift by itself.",
          "when": {
            "any": [
              {"at": ["/common/method", "/method", "^/method"], "is": "WebcastGiftMessage"},
              {
                "all": [
                  {"at": ["/giftId", "/gift/id"], "exists": true},
                  {"at": ["/repeatCount", "/comboCount", "/groupCount", "/giftCount", "/gift/count"], "exists": true}
                ]
              }
            ]
          },
          "event": "gift",
          "fields": {
            "id": [{"at": ["/common/msgId", "/msgId", "^/msgId"], "unless": ["0"]}, "/logId"],
            "count": {
              "switch": "total",
              "cases": {
                "product": [
                  {
                    "product": [
                      {"at": ["/comboCount"], "unless": ["0"]},
                      [{"at": ["/groupCount"], "unless": ["0"]}, {"const": 1}]
                    ]
                  },
                  {"at": ["/repeatCount", "/totalCount"], "unless": ["0"]},
                  {"at": ["/groupCount"], "unless": ["0"]},
                  {"const": 1}
                ],
                "repeat": [
                  {"at": ["/repeatCount", "/totalCount"], "unless": ["0"]},
                  {
                    "product": [
                      {"at": ["/comboCount"], "unless": ["0"]},
                      [{"at": ["/groupCount"], "unless": ["0"]}, {"const": 1}]
                    ]
                  },
                  {"at": ["/groupCount"], "unless": ["0"]},
                  {"const": 1}
                ]
              }
            }
          }
        }
      ],
      "otherwise": {"drop": "not a gift message"}
    }
    """#

  /// A streak with a name is remembered for five minutes: its viewer may pause.
  private static let douyinLife =
    #""streak_ms": {"when": {"at": ["/groupId"], "unless": ["0"], "exists": true}, "then": {"const": 300000}}, "ends": "/repeatEnd""#
}
