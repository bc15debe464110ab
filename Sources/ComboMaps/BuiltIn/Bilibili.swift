extension BuiltInMaps {
  /// See docs/platforms/bilibili.md.
  static let bilibili = #"""
    {
      "map": 1,
      "name": "bilibili",
      "about": "Bilibili: SEND_GIFT of the live WebSocket, from 2016 on",
      "names": "loose",
      "protobuf": {
        "SendGiftBroadcast": {
          "1": "int64 uid",
          "2": "string uname",
          "3": "string face",
          "5": "int64 guard_level",
          "9": "BlindGift blind_gift",
          "10": "repeated GiftItem gift_list",
          "15": "UserInfo sender_uinfo"
        },
        "GiftItem": {
          "1": "int64 gift_id",
          "2": "string gift_name",
          "3": "int64 num",
          "5": "int64 price",
          "8": "string coin_type",
          "9": "string tid",
          "10": "int64 timestamp",
          "29": "ReceiveUserInfo receive_user_info",
          "33": "UserInfo receiver_uinfo",
          "35": "GiftInfo gift_info"
        },
        "BlindGift": {"3": "string original_gift_name"},
        "ReceiveUserInfo": {"1": "string uname", "2": "int64 uid"},
        "UserInfo": {"1": "int64 uid", "2": "UserBase base"},
        "UserBase": {"1": "string name", "2": "string face"},
        "GiftInfo": {"1": "string img_basic", "2": "string webp"}
      },
      "unpack": [
        \#(texts(["cmd", "type", "event"], #""contains": ["gift", "combo", "guard", "toast", "super_chat"]"#)),
        {
          "at": ["/data/pb", "/payload/data/pb", "/message/data/pb", "/data/data/pb", "/event/data/pb"],
          "when": {"at": ["/cmd", "/payload/cmd", "/message/cmd", "/data/cmd", "/event/cmd"], "starts": "SEND_GIFT_V2"},
          "message": "SendGiftBroadcast"
        },
        {"at": "/*/data/pb", "when": {"at": "/*/cmd", "starts": "SEND_GIFT_V2"}, "message": "SendGiftBroadcast"},
        {"at": "/*/data/data/pb", "when": {"at": "/*/data/cmd", "starts": "SEND_GIFT_V2"}, "message": "SendGiftBroadcast"},
        {"at": "/messages/*/data/pb", "when": {"at": "/messages/*/cmd", "starts": "SEND_GIFT_V2"}, "message": "SendGiftBroadcast"},
        {"at": "/data/*/data/pb", "when": {"at": "/data/*/cmd", "starts": "SEND_GIFT_V2"}, "message": "SendGiftBroadcast"},
        {"at": "/payload/*/data/pb", "when": {"at": "/payload/*/cmd", "starts": "SEND_GIFT_V2"}, "message": "SendGiftBroadcast"},
        {
          "at": "/data/messages/*/data/pb",
          "when": {"at": "/data/messages/*/cmd", "starts": "SEND_GIFT_V2"},
          "message": "SendGiftBroadcast"
        },
        {
          "at": "/payload/messages/*/data/pb",
          "when": {"at": "/payload/messages/*/cmd", "starts": "SEND_GIFT_V2"},
          "message": "SendGiftBroadcast"
        }
      ],
      "roots": [
        "/payload", "/message", "/messages/*", "/*", "/*/data", "/*/payload", "", "/data", "/event", "/raw", "/msg", "/body", "/data/*",
        "/payload/*", "/data/messages/*", "/payload/messages/*", "/messages/*/data"
      ],
      \#(gifts(
        ["cmd", "type", "event", "method"], words: ["gift"],
        others: otherEvents + [
          "DANMU_", "GIFT_STAR", "WIDGET_GIFT_STAR", "GIFT_TOP", "PK_BATTLE_GIFT", "ACTIVITY_MATCH_GIFT", "GIFT_PANEL", "GIFT_BAG", "GIFT_BOARD", "SPECIAL_GIFT", "SYS_GIFT", "WIDGET_", "WISH_BOTTLE",
          "LIVE_INTERACTIVE_GAME", "POPULARITY_RED_POCKET", "NOTICE_MSG", "SYS_MSG", "ANCHOR_LOT", "COMMON_NOTICE", "ENTRY_EFFECT",
          "ONLINE_RANK", "INTERACT_WORD", "GUARD_", "COMBO_", "SUPER_CHAT", "USER_TOAST", "PK_", "RAFFLE", "LOTTERY", "TV_", "ROOM_", "LIVE",
          "PREPARING", "HOT_", "WATCHED_CHANGE", "STOP_LIVE", "LIKE_INFO", "ACTIVITY_", "RING_STATUS", "GOTO_BUY", "FULL_SCREEN", "BATTLE",
          "VOICE_JOIN", "TRADING_SCORE", "MESSAGEBOX", "SHOPPING", "RECALL_", "CUT_OFF", "WARNING", "CHANGE_ROOM", "AREA_RANK", "USER_",
          "PLAY_", "DM_INTERACTION", "HOUR_RANK", "WELCOME", "LOG_IN", "SEND_TOP",
        ], keys: ["giftId", "giftName", "giftList"])),
      "switches": {
        "guard": {
          "default": "ignored",
          "values": {
            "ignored": "buying a guard is not a gift",
            "gifts": "GUARD_BUY is one gift per month, worth the list price that it names",
            "paid": "USER_TOAST_MSG is the gift instead, worth the price that was paid"
          }
        },
        "free": {
          "default": "zero",
          "values": {
            "zero": "gifts for silver coins, which are free, are worth 0",
            "ignored": "gifts for silver coins are ignored",
            "told": "gifts for silver coins are worth their price in silver coins"
          }
        },
        "superchat": {
          "default": "ignored",
          "values": {"ignored": "SUPER_CHAT_MESSAGE is not a gift", "gifts": "SUPER_CHAT_MESSAGE is one gift"}
        }
      },
      "fields": {
        "room": [
          {
            "at": [
              "^/roomid", "^/_roomid", "^/payload/roomid", "^/realRoomid", "^/roomRealId", "^/room", "/roomid", "../roomid",
              "../_roomid", "../realRoomid", "../../../roomid"
            ],
            "unless": ["0"]
          },
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
          "value": \#(paidPrice),
          "show": {
            \#(shownGift)
            "blind": "/blindGift/originalGiftName"
          }
        }
      },
      "rules": [
        {
          "when": [{"switch": "free", "is": "ignored"}, {"at": "/data/pb/giftList/*/coinType", "is": "silver", "missing": false}],
          "root": "/data/pb/giftList/*",
          "drop": "a free gift, which the switch free=zero makes a gift"
        },
        {
          "when": [{"switch": "free", "is": "ignored"}, {"at": "/data/giftList/*/coinType", "is": "silver", "missing": false}],
          "root": "/data/giftList/*",
          "drop": "a free gift, which the switch free=zero makes a gift"
        },
        {
          "when": [
            {"switch": "free", "is": "ignored"},
            {"any": [{"at": "/data/coinType", "is": "silver", "missing": false}, {"at": "/coinType", "is": "silver", "missing": false}]}
          ],
          "drop": "a free gift, which the switch free=zero makes a gift"
        },
        {
          "about": "SEND_GIFT_V2: its gifts in a list, the sender beside it.",
          "when": {"all": [{"at": "/cmd", "starts": "SEND_GIFT_V2"}, {"at": "/data/pb/giftList/*/giftId", "exists": true}]},
          "root": "/data/pb/giftList/*",
          "event": "gift",
          "fields": {
            "room": [
              {
                "at": [
                  "^/roomid", "^/_roomid", "^/payload/roomid", "^/realRoomid", "^/roomRealId", "^/room", "/roomid",
                  "../../../../roomid", "../../../../_roomid", "../../../../realRoomid"
                ],
                "unless": ["0"]
              },
              {"key": true}
            ],
            \#(listedGift)
          }
        },
        {
          "about": "The same as a producer has decoded it.",
          "when": {"all": [{"at": "/cmd", "starts": "SEND_GIFT_V2"}, {"at": "/data/giftList/*/giftId", "exists": true}]},
          "root": "/data/giftList/*",
          "event": "gift",
          "fields": {
            "room": [
              {
                "at": [
                  "^/roomid", "^/_roomid", "^/payload/roomid", "^/realRoomid", "^/roomRealId", "^/room", "/roomid",
                  "../../../roomid", "../../../_roomid", "../../../realRoomid"
                ],
                "unless": ["0"]
              },
              {"key": true}
            ],
            \#(listedGift)
          }
        },
        {
          "when": {"all": [{"at": "/cmd", "starts": "SEND_GIFT_V2", "missing": false}, {"at": ["/data/giftId"], "exists": false}]},
          "bad": "SEND_GIFT_V2 holds no gift that can be read, neither in data.pb nor in data.gift_list nor in data itself"
        },
        {
          "when": {"at": "/cmd", "starts": "SEND_GIFT"},
          "root": "/data",
          "event": "gift",
          "fields": {
            "id": [{"at": ["/tid"], "unless": ["0"]}],
            "combo": "/batchComboId",
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
        {
          "about": "What was paid. It comes in two versions, of which the order's number makes one.",
          "when": {"all": [{"at": "/cmd", "starts": "USER_TOAST_MSG"}, {"switch": "guard", "is": "paid"}]},
          "root": "/data",
          "event": "gift",
          "fields": {
            "ts": {"at": ["/startTime", "/guardInfo/startTime", "/timestamp"], "unless": ["0"], "unit": "auto"},
            \#(guardOrder)
          }
        },
        {
          "when": {"all": [{"at": "/cmd", "exists": false}, {"at": "/toastMsg", "exists": true}, {"switch": "guard", "is": "paid"}]},
          "event": "gift",
          "fields": {
            "ts": {"at": ["/startTime", "/guardInfo/startTime", "/timestamp"], "unless": ["0"], "unit": "auto"},
            \#(guardOrder)
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
              "value": {"product": ["/price", [{"at": "/rate", "unless": ["0"]}, {"const": 1000}]]},
              "show": {"name": "/gift/giftName", "message": {"at": "/message", "max": 1000}}
            },
            "count": {"const": 1}
          }
        },
        {
          "about": "blivechat: it tells what all of them cost together, so not what one is worth.",
          "when": [{"at": "/cmd", "is": 3}, {"at": "/data/giftName", "exists": true}, {"at": "/data/num", "exists": true}],
          "root": "/data",
          "event": "gift",
          "fields": {
            "id": "/id",
            "sender": {
              "id": [{"at": ["/uid"], "unless": ["0"]}, "/authorName"],
              "show": {"name": "/authorName", "avatar": {"at": "/avatarUrl", "max": 1000}}
            },
            "gift": {
              "id": [{"at": ["/giftId"], "unless": ["0"]}, "/giftName"],
              "show": {"name": "/giftName", "icon": {"at": "/giftIconUrl", "max": 1000}}
            },
            "count": [{"at": ["/num"], "unless": ["0"]}, {"const": 1}]
          }
        },
        {
          "when": {"at": "/cmd", "starts": "SUPER_CHAT_MESSAGE"},
          "drop": "a super chat, which the switch superchat=gifts makes a gift"
        },
        {
          "when": {
            "all": [
              {"at": "/cmd", "exists": false},
              {"any": [{"at": "/lotId", "exists": true}, {"at": "/data/lotId", "exists": true}]}
            ]
          },
          "drop": "a red packet"
        },
        {
          "when": {"all": [{"at": "/cmd", "exists": false}, {"at": "/toastMsg", "exists": true}]},
          "drop": "tells a guard again that GUARD_BUY has told"
        },
        {
          "about": "The data of GUARD_BUY alone.",
          "when": {
            "all": [
              {"at": "/cmd", "exists": false},
              \#(noCommand),
              {"at": "/username", "exists": true},
              {"at": "/startTime", "exists": true},
              {"at": "/guardLevel", "exists": true},
              {"switch": "guard", "is": "gifts"}
            ]
          },
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
        {
          "when": {
            "all": [
              {"at": "/cmd", "exists": false},
              \#(noCommand),
              {"at": "/username", "exists": true},
              {"at": "/startTime", "exists": true},
              {"at": "/guardLevel", "exists": true}
            ]
          },
          "drop": "a guard, which the switch guard=gifts makes a gift"
        },
        {
          "about": "The data of SEND_GIFT alone: not that of another command, and not of a red packet, which has a lot_id.",
          "when": {
            "all": [
              {"at": "/cmd", "exists": false},
              \#(noCommand),
              {"at": "/lotId", "exists": false},
              {"at": ["/giftId"], "exists": true},
              {"at": ["/num"], "exists": true},
              {"at": ["/uid", "/uname", "/senderUinfo"], "exists": true}
            ]
          },
          "event": "gift",
          "fields": {
            "id": [{"at": ["/tid"], "unless": ["0"]}],
            "combo": "/batchComboId",
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
              \#(noCommand),
              {"at": "/data/lotId", "exists": false},
              {"at": ["/data/giftId"], "exists": true},
              {"at": ["/data/num"], "exists": true},
              {"at": ["/data/username"], "exists": false}
            ]
          },
          "root": "/data",
          "event": "gift",
          "fields": {
            "id": [{"at": ["/tid"], "unless": ["0"]}],
            "combo": "/batchComboId",
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

  /// Of data alone: no command beside it says that it is another one's.
  static let noCommand = #"{"any": [{"at": ["^/cmd", "../cmd"], "exists": false}, {"at": ["^/cmd", "../cmd"], "is": "gift"}]}"#
}
