extension BuiltInMaps {
  /// See docs/platforms/bilibili.md.
  static let bilibili = #"""
    {
      "map": 1,
      "name": "bilibili",
      "about": "Bilibili's live web socket: SEND_GIFT, from 2016 on",
      "names": "loose",
      "roots": ["/data/giftList/*", "/payload", "/message", "/messages/*", "/*", "", "/data", "/event"],
      "switches": {
        "guard": {
          "default": "ignored",
          "values": {"ignored": "GUARD_BUY is no gift", "gifts": "GUARD_BUY is a gift, once for each month"}
        },
        "superchat": {
          "default": "ignored",
          "values": {"ignored": "SUPER_CHAT_MESSAGE is no gift", "gifts": "SUPER_CHAT_MESSAGE is one gift"}
        }
      },
      "fields": {
        "room": [
          {"at": ["^/roomid", "^/_roomid", "^/payload/roomid", "^/realRoomid", "^/room", "/roomid"], "unless": ["0"]},
          {"key": true}
        ],
        "ts": {"at": ["/timestamp", "^/ctime", "^/sendTime"], "unless": ["0"], "unit": "auto"},
        "sender": {
          "id": [{"at": ["/uid", "/senderUinfo/uid"], "unless": ["0"]}, "/openId", "/uname"],
          "show": {
            "name": ["/uname", "/senderUinfo/base/name"],
            "avatar": {"at": ["/face", "/senderUinfo/base/face"], "max": 1000},
            "guard": {"at": ["/guardLevel"], "unless": ["0"]}
          }
        },
        "gift": {
          "id": [{"at": ["/giftId"], "unless": ["0"]}],
          "value": "/price",
          "show": {
            "name": "/giftName",
            "icon": {"at": ["/giftInfo/imgBasic", "/giftInfo/webp"], "max": 1000},
            "coin": "/coinType",
            "blind": "/blindGift/originalGiftName"
          }
        }
      },
      "rules": [
        {
          "about": "SEND_GIFT_V2, decoded: its gifts in a list, the sender beside it.",
          "when": {"all": [{"at": "^/cmd", "starts": "SEND_GIFT_V2"}, {"at": ["/giftId"], "exists": true}]},
          "event": "gift",
          "fields": {
            "id": [{"at": ["/tid"], "unless": ["0"]}],
            "sender": {
              "id": [{"at": ["^/data/uid"], "unless": ["0"]}, "^/data/uname"],
              "show": {
                "name": "^/data/uname",
                "avatar": {"at": ["^/data/face"], "max": 1000},
                "guard": {"at": ["^/data/guardLevel"], "unless": ["0"]}
              }
            },
            "count": [{"at": ["/num"], "unless": ["0"]}, {"const": 1}]
          }
        },
        {
          "when": {"all": [{"at": "/cmd", "starts": "SEND_GIFT_V2"}, {"at": ["/data/giftId"], "exists": false}]},
          "bad": "SEND_GIFT_V2 holds its gifts as protobuf in base64 (data.pb), which is not read: let the producer decode it"
        },
        {
          "when": {"at": "/cmd", "starts": "SEND_GIFT"},
          "root": "/data",
          "event": "gift",
          "fields": {
            "id": [{"at": ["/tid"], "unless": ["0"]}],
            "receiver": {
              "id": [{"at": ["/receiveUserInfo/uid", "/receiverUinfo/uid"], "unless": ["0"]}],
              "show": {"name": ["/receiveUserInfo/uname", "/receiverUinfo/base/name"]}
            },
            "count": [{"at": ["/num"], "unless": ["0"]}, {"const": 1}]
          }
        },
        {"when": {"at": "/cmd", "starts": "COMBO_SEND"}, "drop": "COMBO_SEND tells gifts again that SEND_GIFT has told"},
        {"when": {"at": "/cmd", "starts": "COMBO_END"}, "drop": "COMBO_END tells gifts again that SEND_GIFT has told"},
        {
          "when": {"all": [{"at": "/cmd", "starts": "GUARD_BUY"}, {"switch": "guard", "is": "gifts"}]},
          "root": "/data",
          "event": "gift",
          "fields": {
            "ts": {"at": ["/startTime", "/timestamp"], "unless": ["0"], "unit": "auto"},
            "id": ["/orderId", "/payflowId"],
            "sender": {
              "id": [{"at": ["/uid"], "unless": ["0"]}, "/username"],
              "show": {"name": "/username", "guard": "/guardLevel"}
            },
            "gift": {
              "id": [{"at": ["/giftId"], "unless": ["0"]}, {"join": ["guard-", "/guardLevel"]}],
              "value": "/price",
              "show": {"name": ["/giftName", "/roleName"]}
            },
            "count": [{"at": ["/num"], "unless": ["0"]}, {"const": 1}]
          }
        },
        {"when": {"at": "/cmd", "starts": "GUARD_BUY"}, "drop": "a guard, which the switch guard=gifts makes a gift"},
        {"when": {"at": "/cmd", "starts": "USER_TOAST_MSG"}, "drop": "tells a guard again that GUARD_BUY has told"},
        {
          "when": {"all": [{"at": "/cmd", "is": "SUPER_CHAT_MESSAGE"}, {"switch": "superchat", "is": "gifts"}]},
          "root": "/data",
          "event": "gift",
          "fields": {
            "ts": {"at": ["/ts", "/startTime"], "unless": ["0"], "unit": "auto"},
            "id": [{"at": ["/id"], "unless": ["0"]}],
            "sender": {
              "id": [{"at": ["/uid"], "unless": ["0"]}, "/userInfo/uname"],
              "show": {"name": "/userInfo/uname", "avatar": {"at": "/userInfo/face", "max": 1000}}
            },
            "gift": {
              "id": [{"at": ["/gift/giftId"], "unless": ["0"]}, {"const": "super-chat"}],
              "value": "/price",
              "show": {"name": "/gift/giftName", "message": {"at": "/message", "max": 1000}}
            },
            "count": {"const": 1}
          }
        },
        {
          "when": {"at": "/cmd", "starts": "SUPER_CHAT_MESSAGE"},
          "drop": "a super chat, which the switch superchat=gifts makes a gift"
        },
        {
          "about": "The data of SEND_GIFT alone.",
          "when": {
            "all": [
              {"at": "/cmd", "exists": false},
              {"at": ["/giftId"], "exists": true},
              {"at": ["/num"], "exists": true},
              {"at": ["/uid", "/uname", "/senderUinfo"], "exists": true}
            ]
          },
          "event": "gift",
          "fields": {
            "id": [{"at": ["/tid"], "unless": ["0"]}],
            "receiver": {
              "id": [{"at": ["/receiveUserInfo/uid", "/receiverUinfo/uid"], "unless": ["0"]}],
              "show": {"name": ["/receiveUserInfo/uname", "/receiverUinfo/base/name"]}
            },
            "count": [{"at": ["/num"], "unless": ["0"]}, {"const": 1}]
          }
        },
        {
          "about": "The data of SEND_GIFT below another name than cmd's.",
          "when": {
            "all": [
              {"at": "/cmd", "exists": false},
              {"at": ["/data/giftId"], "exists": true},
              {"at": ["/data/num"], "exists": true}
            ]
          },
          "root": "/data",
          "event": "gift",
          "fields": {
            "id": [{"at": ["/tid"], "unless": ["0"]}],
            "receiver": {
              "id": [{"at": ["/receiveUserInfo/uid", "/receiverUinfo/uid"], "unless": ["0"]}],
              "show": {"name": ["/receiveUserInfo/uname", "/receiverUinfo/base/name"]}
            },
            "count": [{"at": ["/num"], "unless": ["0"]}, {"const": 1}]
          }
        }
      ],
      "otherwise": {"drop": "not a gift"}
    }
    """#
}
