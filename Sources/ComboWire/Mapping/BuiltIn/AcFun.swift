extension BuiltInMaps {
  /// See docs/platforms/acfun.md.
  static let acfun = #"""
    {
      "map": 1,
      "name": "acfun",
      "about": "AcFun: CommonActionSignalGift, and acfundanmu's gift",
      "names": "loose",
      "unpack": [
        {
          "at": ["/payload", "/data"],
          "when": {"any": [{"at": ["/event", "/type", "/method", "/cmd", "/signalType"], "exists": false}, {"at": ["/event", "/type", "/method", "/cmd", "/signalType"], "is": ["gift", "CommonActionSignalGift"]}]}
        }
      ],
      "roots": ["/payload", "/data", "/data/*", "/messages/*", "/*", "", "/message", "/event"],
      "rules": [
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
              "value": "/giftDetail/price",
              "show": {"name": ["/giftDetail/giftName", "/giftName"], "icon": {"at": "/giftDetail/pngPic", "max": 1000}}
            },
            "total": {
              "product": [
                [{"at": ["/comboCount", "/combo"], "unless": ["0"]}, {"const": 1}],
                [{"at": ["/batchSize", "/count"], "unless": ["0"]}, {"const": 1}]
              ]
            },
            "streak": ["/comboKey", "/comboId"]
          }
        }
      ],
      "otherwise": {"drop": "not a gift"}
    }
    """#
}
