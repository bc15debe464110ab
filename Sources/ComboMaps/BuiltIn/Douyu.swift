extension BuiltInMaps {
  /// See docs/platforms/douyu.md.
  static let douyu = #"""
    {
      "map": 1,
      "name": "douyu",
      "about": "Douyu: dgb of the barrage server, as its own text (STT) or as JSON",
      "text": "stt",
      "unpack": [
        "/raw", "/data", "/payload", {
          "at": "/msg",
          "when": {"at": ["/uid", "/nn", "/txt", "/nick", "/nickname", "/user", "/username", "/sender", "/author", "/name"], "exists": false}
        },
        "/*", "/messages/*", "/data/*", "/payload/*", "/*/raw", "/*/data", "/*/payload", "/messages/*/raw", "/messages/*/data"
      ],
      "roots": [
        "/decoded", "/data", "/msg", "/decoded/*", "/messages/*/decoded", "/messages/*", "/raw", "/*", "", "/payload",
        "/message", "/event", "/data/*", "/payload/*", "/*/decoded", "/*/data", "/*/raw", "/*/payload", "/messages/*/data", "/messages/*/raw"
      ],
      \#(gifts(
        ["type", "event", "cmd", "method"], words: ["dgb", "gift"],
        others: otherEvents + ["chatmsg", "uenter", "onlinegift", "ggbb", "gbroadcast", "spbc", "rankup", "ranklist", "upgrade", "ssd"],
        keys: ["gfid", "gfcnt", "giftId", "gift_id"])),
      "switches": {
        "hits": {
          "default": "ignored",
          "values": {
            "ignored": "each record is gfcnt gifts",
            "gifts": "hits counts the gifts of the combo so far",
            "sends": "hits counts the sends of the combo so far, each of gfcnt gifts"
          }
        }
      },
      "fields": {
        "room": [{"at": ["/rid", "/drid"], "unless": ["0"]}, {"key": true}],
        "ts": {"at": ["/timestamp", "/cst"], "unless": ["0"], "unit": "auto"},
        "sender": {
          "id": [{"at": ["/uid"], "unless": ["0"]}, "/nn"],
          "show": {"name": "/nn", "avatar": {"at": "/ic", "max": 1000}, "level": "/level"}
        },
        "receiver": {"id": [{"at": ["/receive_uid"], "unless": ["0"]}], "show": {"name": "/receive_nn"}},
        "gift": {"id": [{"at": ["/gfid"], "unless": ["0"]}, "/pid"], "show": {"name": "/gfn"}}
      },
      "rules": [
        {
          "when": {
            "all": [
              {
                "any": [
                  {"at": "/type", "is": "dgb"},
                  {
                    "all": [
                      {"at": "/type", "exists": false},
                      {"at": ["/gfid"], "exists": true},
                      {"at": ["/gfcnt", "/hits", "/gs"], "exists": true}
                    ]
                  }
                ]
              },
              {"switch": "hits", "is": "gifts"},
              {"at": ["/hits"], "unless": ["0"], "exists": true}
            ]
          },
          "event": "gift",
          "fields": {"id": "/messageId", "total": [{"at": ["/hits"], "unless": ["0"]}], "streak": "/bcid"},
          "ids": "new"
        },
        {
          "when": {
            "all": [
              {
                "any": [
                  {"at": "/type", "is": "dgb"},
                  {
                    "all": [
                      {"at": "/type", "exists": false},
                      {"at": ["/gfid"], "exists": true},
                      {"at": ["/gfcnt", "/hits", "/gs"], "exists": true}
                    ]
                  }
                ]
              },
              {"switch": "hits", "is": "sends"},
              {"at": ["/hits"], "unless": ["0"], "exists": true}
            ]
          },
          "event": "gift",
          "fields": {
            "id": "/messageId",
            "total": {"product": [{"at": ["/hits"], "unless": ["0"]}, [{"at": ["/gfcnt"], "unless": ["0"]}, {"const": 1}]]},
            "streak": "/bcid"
          },
          "ids": "new"
        },
        {
          "when": {
            "any": [
              {"at": "/type", "is": "dgb"},
              {
                "all": [
                  {"at": "/type", "exists": false},
                  {"at": ["/gfid"], "exists": true},
                  {"at": ["/gfcnt", "/hits", "/gs"], "exists": true}
                ]
              }
            ]
          },
          "event": "gift",
          "fields": {"id": "/messageId", "count": [{"at": ["/gfcnt"], "unless": ["0"]}, {"const": 1}]}
        },
        {"when": {"at": "/type", "is": "spbc"}, "drop": "spbc tells other rooms of a gift that dgb has told its own"}
      ],
      "otherwise": {"drop": "not a gift"}
    }
    """#
}
