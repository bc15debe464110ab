/// Rules of the map twitch for what it read until 2025 (PubSub), for alerts of overlay services, and for bits that its switches leave out.
extension BuiltInMaps {
  static let twitchPubSub = #"""
        {
          "about": "PubSub, until 2025: a gifted subscription. It tells no bombs: each subscription comes by itself.",
          "when": [{"at": "/context", "is": ["subgift", "anonsubgift"]}, {"at": "/channel_id", "exists": true}, {"switch": "source", "is": ["any", "chat"]}],
          "event": "gift",
          "fields": {
            "room": [{"at": ["/channel_id"], "unless": ["0"]}, {"key": true}],
            "ts": {"at": "/time", "unit": "auto"},
            "sender": {
              "id": [{"at": ["/user_id"], "unless": ["0"]}, "/user_name", {"const": "anonymous"}],
              "show": {"name": ["/display_name", "/user_name"]}
            },
            "gift": {"id": ["/sub_plan", {"const": "subscription"}], "show": {"recipient": ["/recipient_display_name", "/recipient_user_name"]}},
            "count": {"const": 1}
          }
        },
        {
          "when": [{"at": "/context", "exists": true}, {"at": "/channel_id", "exists": true}, {"at": "/sub_plan", "exists": true}],
          "drop": "not a gift"
        },
        {
          "about": "PubSub, until 2025: bits.",
          "when": [{"at": "/data/bits_used", "above": 0}, {"switch": "bits", "is": "gifts"}],
          "event": "gift",
          "fields": {
            "room": [{"at": ["/data/channel_id"], "unless": ["0"]}, {"key": true}],
            "ts": {"at": "/data/time", "unit": "auto"},
            "id": "/message_id",
            "sender": {
              "id": [{"at": ["/data/user_id"], "unless": ["0"]}, "/data/user_name", {"const": "anonymous"}], "show": {"name": "/data/user_name"}
            },
            "gift": {"id": {"const": "bits"}, "value": {"const": 1}},
            "count": "/data/bits_used"
          }
        },
        {
          "when": [{"at": "/data/bits_used", "exists": true}, {"switch": "bits", "is": "ignored"}],
          "drop": "bits, which the switch bits=gifts makes gifts"
        }
    """#

  static let twitchLeftOut = #"""
        {
          "when": [{"at": "/for", "is": "twitch_account", "missing": false}, {"at": "/type", "is": ["bits", "subMysteryGift"], "missing": false}],
          "bad": "alerts of Streamlabs are not read: take Twitch's EventSub, or write a map"
        },
        {
          "when": {
            "any": [
              {
                "all": [
                  {"at": ["/broadcaster_user_id", "/broadcasterId"], "exists": true}, {"at": ["/bits", "/cheer/bits"], "above": 0, "missing": false}
                ]
              },
              {
                "all": [
                  {"switch": "bits", "is": "ignored"},
                  {
                    "any": [
                      {"all": [{"at": ["/tmi-sent-ts", "/room-id"], "exists": true}, {"at": "/bits", "exists": true}]},
                      {"all": [{"at": "/message_type", "exists": true}, {"at": "/author", "exists": true}, {"at": "/bits", "exists": true}]},
                      {
                        "all": [
                          {"at": "/source", "is": "Twitch", "missing": false},
                          {"at": "/type", "is": ["Cheer", "CoinCheer", "BitsUsed"], "missing": false}
                        ]
                      }
                    ]
                  }
                ]
              }
            ]
          },
          "drop": "bits that the switches bits and cheers leave out"
        }
    """#
}
