extension BuiltInMaps {
  /// See docs/platforms/huya.md.
  static let huya = #"""
    {
      "map": 1,
      "name": "huya",
      "about": "Huya: SendItemSubBroadcastPacket (6501) with the names of its web page",
      "names": "loose",
      "unpack": [
        \#(texts(["event", "type", "method", "cmd", "notice"], #""is": ["gift", "getSendItemNotice", "SendItemSubBroadcastPacket"]"#)),
        {"at": ["/msg"], "when": {"at": ["/iUri", "/uri"], "is": 6501}}
      ],
      "roots": [
        "/data/msg", "/msg", "/data", "/payload", "/messages/*", "/*/msg", "/*/data", "/*/payload", "/*", "", "/message", "/event", "/body",
        "/raw", "/data/*", "/payload/*", "/messages/*/data", "/messages/*/msg", "/data/data"
      ],
      \#(gifts(
        commands + ["iUri", "uri", "notice"], words: ["gift", "senditem", "iitemtype", "6501"],
        others: otherEvents + ["getMessageNotice", "getVipEnterBannerNotice", "6502", "6507", "giftGiving"],
        keys: ["iItemType", "iItemCount", "giftId", "sendItemCount", "itemId"])),
      "switches": {
        "count": {
          "default": "items",
          "values": {"items": "iItemCount is the number of gifts", "groups": "iItemCountByGroup times iItemGroup is the number of gifts"}
        }
      },
      "rules": [
        {
          "when": {
            "all": [
              {"at": ["^/iUri", "^/uri", "^/*/iUri", "^/*/uri"], "exists": true},
              {"not": {"at": ["^/iUri", "^/uri", "^/*/iUri", "^/*/uri"], "is": 6501, "missing": false}}
            ]
          },
          "drop": "not packet 6501"
        },
        {
          "about": "The open platform's getSendItemNotice.",
          "when": {"all": [{"at": "^/notice", "is": "getSendItemNotice"}, {"at": ["/itemId"], "exists": true}]},
          "event": "gift",
          "fields": {
            "room": [{"at": ["/roomId", "^/roomId"], "unless": ["0"]}, {"key": true}],
            "ts": {"at": ["/timestamp", "^/timestamp"], "unless": ["0"], "unit": "auto"},
            "sender": {
              "id": ["/unionId", "/sendNick"],
              "show": {"name": "/sendNick", "avatar": {"at": "/senderAvatarUrl", "max": 1000}}
            },
            "gift": {"id": "/itemId", "show": {"name": "/itemName"}},
            "count": [{"at": ["/sendItemCount"], "unless": ["0"]}, {"const": 1}]
          }
        },
        {
          "when": {"all": [{"at": ["/iItemType"], "exists": true}, {"at": ["/lSenderUid", "/sSenderNick"], "exists": true}]},
          "event": "gift",
          "fields": {
            "room": [
              {"at": ["/lRoomId", "^/lRoomId", "^/roomId"], "unless": ["0"]},
              {"key": true},
              {"at": ["/lPresenterUid"], "unless": ["0"]}
            ],
            "ts": {"at": ["/ts", "/timestamp", "^/timestamp", "^/ts", "^/time"], "unless": ["0"], "unit": "auto"},
            "id": "/strPayId",
            "sender": {
              "id": [{"at": ["/lSenderUid"], "unless": ["0"]}, "/sSenderNick"],
              "show": {"name": "/sSenderNick", "avatar": {"at": ["/iSenderIcon", "/sSenderIcon"], "max": 1000}}
            },
            "receiver": {"id": [{"at": ["/lPresenterUid"], "unless": ["0"]}], "show": {"name": "/sPresenterNick"}},
            "gift": {"id": "/iItemType", "show": {"name": "/sPropsName"}},
            "count": {
              "switch": "count",
              "cases": {
                "items": [
                  {"at": ["/iItemCount"], "unless": ["0"]},
                  {
                    "product": [
                      {"at": ["/iItemCountByGroup"], "unless": ["0"]},
                      [{"at": ["/iItemGroup"], "unless": ["0"]}, {"const": 1}]
                    ]
                  },
                  {"const": 1}
                ],
                "groups": [
                  {
                    "product": [
                      {"at": ["/iItemCountByGroup"], "unless": ["0"]},
                      [{"at": ["/iItemGroup"], "unless": ["0"]}, {"const": 1}]
                    ]
                  },
                  {"at": ["/iItemCount"], "unless": ["0"]},
                  {"const": 1}
                ]
              }
            }
          }
        }
      ],
      "otherwise": {"drop": "not a gift"}
    }
    """#
}
