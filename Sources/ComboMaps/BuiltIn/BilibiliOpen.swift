extension BuiltInMaps {
  /// See docs/platforms/bilibili-open.md.
  static let bilibiliOpen = #"""
    {
      "map": 1,
      "name": "bilibili-open",
      "about": "Bilibili's open platform: LIVE_OPEN_PLATFORM_SEND_GIFT, OPEN_LIVEROOM_SEND_GIFT",
      "names": "loose",
      "unpack": [
        \#(texts(["cmd", "type", "event"], #""is": \#(unpackedCommands)"#))
      ],
      "roots": [
        "/payload", "/message", "/messages/*", "/*", "/*/data", "/*/payload", "", "/data", "/event", "/raw", "/msg", "/body", "/data/*",
        "/payload/*", "/messages/*/data"
      ],
      \#(gifts(
        ["cmd", "type", "event", "method"], words: ["gift"],
        others: otherEvents + [
          "LIVE_OPEN_PLATFORM_DM", "LIVE_OPEN_PLATFORM_LIKE", "LIVE_OPEN_PLATFORM_LIVE", "LIVE_OPEN_PLATFORM_INTERACTION",
          "LIVE_OPEN_PLATFORM_GUARD", "LIVE_OPEN_PLATFORM_SUPER_CHAT", "OPEN_LIVEROOM_GIFT_RANK", "OPEN_LIVEROOM_DM", "OPEN_LIVEROOM_LIKE", "OPEN_LIVEROOM_GUARD",
          "OPEN_LIVEROOM_SUPER_CHAT",
        ], keys: ["giftId", "giftNum", "giftName"])),
      "switches": {
        "free": {
          "default": "zero",
          "values": {
            "zero": "free gifts (paid is false) are worth 0",
            "ignored": "free gifts are ignored",
            "told": "free gifts are worth the price that the record names"
          }
        },
        "guard": {
          "default": "ignored",
          "values": {
            "ignored": "LIVE_OPEN_PLATFORM_GUARD is not a gift",
            "gifts": "LIVE_OPEN_PLATFORM_GUARD is guard_num gifts"
          }
        },
        "superchat": {
          "default": "ignored",
          "values": {
            "ignored": "LIVE_OPEN_PLATFORM_SUPER_CHAT is not a gift",
            "gifts": "LIVE_OPEN_PLATFORM_SUPER_CHAT is one gift"
          }
        }
      },
      "fields": {
        "room": [{"at": ["/roomId", "^/roomId"], "unless": ["0"]}, {"key": true}],
        "ts": {"at": ["/timestamp"], "unless": ["0"], "unit": "auto"},
        "sender": {
          "id": ["/openId", {"at": ["/uid"], "unless": ["0"]}, "/unionId", "/uname"],
          "show": {
            "name": "/uname",
            "avatar": {"at": "/uface", "max": 1000},
            "guard": {"at": ["/guardLevel"], "unless": ["0"]}
          }
        },
        "gift": {
          "id": [{"at": ["/giftId"], "unless": ["0"]}],
          "value": {
            "when": [{"switch": "free", "is": "zero"}, {"at": "/paid", "is": false}],
            "then": {"const": 0},
            "else": "/price"
          },
          "show": {"name": "/giftName", "icon": {"at": "/giftIcon", "max": 1000}, "paid": "/paid"}
        }
      },
      "rules": [
        {
          "when": [{"switch": "free", "is": "ignored"}, {"at": ["/data/paid", "/paid"], "is": false, "missing": false}],
          "drop": "a free gift, which the switch free=zero makes a gift"
        },
        {
          "when": {"at": "/cmd", "is": ["LIVE_OPEN_PLATFORM_SEND_GIFT", "OPEN_LIVEROOM_SEND_GIFT"]},
          "root": "/data",
          "event": "gift",
          "fields": {
            "id": "/msgId",
            "combo": "/comboInfo/comboId",
            "receiver": {
              "id": ["/anchorInfo/openId", {"at": ["/anchorInfo/uid"], "unless": ["0"]}],
              "show": {"name": "/anchorInfo/uname"}
            },
            "count": [
              {"at": ["/giftNum"], "unless": ["0"]},
              {
                "product": [
                  {"at": ["/comboInfo/comboBaseNum"], "unless": ["0"]},
                  {"at": ["/comboInfo/comboCount"], "unless": ["0"]}
                ]
              },
              {"const": 1}
            ]
          }
        },
        {
          "when": {
            "all": [{"at": "/cmd", "is": ["LIVE_OPEN_PLATFORM_GUARD", "OPEN_LIVEROOM_GUARD"]}, {"switch": "guard", "is": "gifts"}]
          },
          "root": "/data",
          "event": "gift",
          "fields": {
            "room": [{"at": ["/roomId"], "unless": ["0"]}, {"key": true}],
            "id": "/msgId",
            "sender": {
              "id": ["/userInfo/openId", {"at": ["/userInfo/uid"], "unless": ["0"]}, "/userInfo/uname"],
              "show": {"name": "/userInfo/uname", "avatar": {"at": "/userInfo/uface", "max": 1000}}
            },
            "gift": {"id": {"join": ["guard-", "/guardLevel"]}, "value": "/price", "show": {"unit": "/guardUnit"}},
            "count": [{"at": ["/guardNum"], "unless": ["0"]}, {"const": 1}]
          }
        },
        {
          "when": {
            "all": [
              {"at": "/cmd", "is": ["LIVE_OPEN_PLATFORM_SUPER_CHAT", "OPEN_LIVEROOM_SUPER_CHAT"]},
              {"switch": "superchat", "is": "gifts"}
            ]
          },
          "root": "/data",
          "event": "gift",
          "fields": {
            "room": [{"at": ["/roomId"], "unless": ["0"]}, {"key": true}],
            "ts": {"at": ["/timestamp", "/startTime"], "unless": ["0"], "unit": "auto"},
            "id": ["/msgId", {"at": ["/messageId"], "unless": ["0"]}],
            "sender": {
              "id": ["/openId", {"at": ["/uid"], "unless": ["0"]}, "/uname"],
              "show": {"name": "/uname", "avatar": {"at": "/uface", "max": 1000}}
            },
            "gift": {"id": {"const": "super-chat"}, "value": {"product": ["/rmb", {"const": 1000}]}, "show": {"message": {"at": "/message", "max": 1000}}},
            "count": {"const": 1}
          }
        },
        {
          "about": "The data of a gift alone.",
          "when": {
            "all": [
              {"at": "/cmd", "exists": false},
              \#(noCommand),
              {"at": ["/giftNum"], "exists": true},
              {"at": ["/giftId"], "exists": true}
            ]
          },
          "event": "gift",
          "fields": {
            "id": "/msgId",
            "combo": "/comboInfo/comboId",
            "receiver": {
              "id": ["/anchorInfo/openId", {"at": ["/anchorInfo/uid"], "unless": ["0"]}],
              "show": {"name": "/anchorInfo/uname"}
            },
            "count": [
              {"at": ["/giftNum"], "unless": ["0"]},
              {
                "product": [
                  {"at": ["/comboInfo/comboBaseNum"], "unless": ["0"]},
                  {"at": ["/comboInfo/comboCount"], "unless": ["0"]}
                ]
              },
              {"const": 1}
            ]
          }
        },
        {
          "when": {
            "all": [
              {"at": "/cmd", "exists": false},
              \#(noCommand),
              {"at": ["/data/giftNum"], "exists": true},
              {"at": ["/data/giftId"], "exists": true}
            ]
          },
          "root": "/data",
          "event": "gift",
          "fields": {
            "id": "/msgId",
            "combo": "/comboInfo/comboId",
            "receiver": {
              "id": ["/anchorInfo/openId", {"at": ["/anchorInfo/uid"], "unless": ["0"]}],
              "show": {"name": "/anchorInfo/uname"}
            },
            "count": [
              {"at": ["/giftNum"], "unless": ["0"]},
              {
                "product": [
                  {"at": ["/comboInfo/comboBaseNum"], "unless": ["0"]},
                  {"at": ["/comboInfo/comboCount"], "unless": ["0"]}
                ]
              },
              {"const": 1}
            ]
          }
        }
      ],
      "otherwise": {"drop": "not a gift"}
    }
    """#

  /// The commands whose JSON may be in a text, and what producers call a gift.
  private static let unpackedCommands = #"""
    [
              "LIVE_OPEN_PLATFORM_SEND_GIFT", "LIVE_OPEN_PLATFORM_GUARD", "LIVE_OPEN_PLATFORM_SUPER_CHAT",
              "OPEN_LIVEROOM_SEND_GIFT", "OPEN_LIVEROOM_GUARD", "OPEN_LIVEROOM_SUPER_CHAT", "gift"
            ]
    """#
}
