extension BuiltInMaps {
  /// See docs/platforms/acfun.md.
  static let acfun = #"""
    {
      "map": 1,
      "name": "acfun",
      "about": "AcFun: CommonActionSignalGift, and acfundanmu's gift",
      "names": "loose",
      "unpack": [
        \#(texts(["event", "type", "method", "cmd", "signalType"], #""is": ["gift", "CommonActionSignalGift"]"#))
      ],
      "roots": [
        "/payload", "/data", "/data/*", "/payload/*", "/messages/*/payload", "/messages/*/data", "/messages/*", "/*/payload", "/*/data",
        "/*", "", "/message", "/event", "/body", "/raw", "/value", "/data/data"
      ],
      \#(gifts(
        commands + ["signalType"], words: ["gift"],
        others: otherEvents + [
          "CommonActionSignalComment", "CommonActionSignalLike", "CommonActionSignalUser", "CommonActionSignalThrowBanana",
          "CommonActionSignalRichText", "CommonNotify", "CommonStateSignal", "AcfunActionSignal", "AcfunStateSignal", "ThrowBanana", "giftTop",
        ], keys: ["giftId", "giftDetail", "giftName", "comboKey", "comboId"])),
      "switches": {
        "free": {
          "default": "zero",
          "values": {
            "zero": "gifts for bananas, which are free, are worth 0",
            "ignored": "gifts for bananas are ignored",
            "told": "gifts for bananas are worth their price in bananas"
          }
        }
      },
      "rules": [
        {
          "when": {"all": [{"switch": "free", "is": "ignored"}, {"at": "/giftDetail/payWalletType", "is": 2, "missing": false}]},
          "drop": "a free gift, which the switch free=zero makes a gift"
        },
        {
          "when": {
            "any": [
              {"at": ["/comboKey", "/comboId"], "exists": true},
              {"all": [{"at": ["/giftDetail/giftId"], "exists": true}, {"at": ["/count"], "exists": true}]},
              {"all": [{"at": ["/giftId"], "exists": true}, {"at": ["/batchSize"], "exists": true}]}
            ]
          },
          "event": "gift",
          "fields": {
            "room": [{"at": ["/liveId", "^/liveId", "/roomId", "^/roomId"], "unless": ["0"]}, {"key": true}],
            "ts": {"at": ["/sendTimeMs", "/danmuInfo/sendTime", "/sendTime"], "unless": ["0"], "unit": "auto"},
            "sender": {
              "id": [{"at": ["/userInfo/userId", "/danmuInfo/userInfo/userId", "/user/userId"], "unless": ["0"]}],
              "show": {
                "name": ["/userInfo/nickname", "/danmuInfo/userInfo/nickname", "/user/nickname"],
                "avatar": {"at": ["/danmuInfo/userInfo/avatar", "/userInfo/avatar/0/url"], "max": 1000}
              }
            },
            "gift": {
              "id": [{"at": ["/giftId", "/giftDetail/giftId"], "unless": ["0"]}],
              "value": {
                "when": [{"switch": "free", "is": "zero"}, {"at": "/giftDetail/payWalletType", "is": 2}],
                "then": {"const": 0},
                "else": "/giftDetail/price"
              },
              "show": {"name": ["/giftDetail/giftName", "/giftName"], "icon": {"at": "/giftDetail/pngPic", "max": 1000}}
            },
            "total": {
              "product": [
                [{"at": ["/comboCount", "/combo"], "unless": ["0"]}, {"const": 1}],
                [{"at": ["/batchSize", "/count"], "unless": ["0"]}, {"const": 1}]
              ]
            },
            "streak": ["/comboKey", "/comboId"],
            "streak_ms": \#(life(["/expireDuration", "/expireDurationMs", "/slotDisplayDurationMs", "/slotDisplayDuration"])),
            "combo": ["/comboKey", "/comboId"]
          }
        }
      ],
      "otherwise": {"drop": "not a gift"}
    }
    """#
}
