extension BuiltInMaps {
  /// See docs/platforms/twitch.md.
  static let twitch = #"""
    {
      "map": 1,
      "name": "twitch",
      "about": "Twitch: gifted subscriptions and bits, as lines of its chat, as their tags, or as EventSub notifications",
      "text": "irc",
      "names": "loose",
      "unpack": ["/raw", "/line", "/message", "/data", "/payload", "/msg"],
      "roots": [
        "/tags", "/_parsed/flags", "/payload/event", "/event", "/userstate", "/messages/*/tags", "/messages/*",
        "/raw/tags", "/line/tags", "/message/tags", "/data/tags", "/payload/tags", "/msg/tags", "/*/payload/event",
        "/*/event", "/*/tags", "/*", ""
      ],
      "switches": {
        "bomb": {
          "default": "parent",
          "values": {
            "parent": "of a gift bomb the announcement counts, with its number",
            "children": "each subscription of it counts by itself"
          }
        },
        "bits": {"default": "gifts", "values": {"gifts": "bits are gifts", "ignored": "bits are none"}},
        "cheers": {
          "default": "cheer",
          "values": {
            "cheer": "of EventSub, channel.cheer counts, and channel.chat.message tells the same bits again",
            "chat": "of EventSub, the cheers of channel.chat.message count, and channel.cheer tells them again"
          }
        },
        "source": {
          "default": "any",
          "values": {
            "any": "chat notifications and channel.subscription.gift",
            "chat": "chat alone",
            "subscriptions": "channel.subscription.gift alone"
          }
        }
      },
      "fields": {
        "room": [{"at": ["/broadcaster_user_id"], "unless": ["0"]}, {"key": true}],
        "ts": {
          "first": [
            "^/metadata/message_timestamp",
            "^/*/metadata/message_timestamp",
            {"header": "Twitch-Eventsub-Message-Timestamp"},
            "/timestamp",
            "^/timestamp"
          ],
          "unit": "auto"
        },
        "sender": {
          "id": [{"at": ["/user-id"], "unless": ["0"]}, "/login", "/username", "/display-name"],
          "show": {"name": ["/display-name", "/login", "/username"]}
        },
        "gift": {
          "id": ["/msg-param-sub-plan", "/msg-param-sub-plan/plan", {"const": "subscription"}],
          "show": {
            "name": {"at": "/msg-param-sub-plan-name", "max": 300},
            "recipient": {"at": "/msg-param-recipient-display-name", "max": 300}
          }
        }
      },
      "rules": [
        {"when": {"at": "/msg-id", "is": "sharedchatnotice"}, "drop": "given in another channel of a shared chat"},
        {
          "when": {
            "all": [
              {"at": "/msg-id", "is": ["submysterygift", "anonsubmysterygift"]},
              {"switch": "bomb", "is": "parent"},
              {"switch": "source", "is": ["any", "chat"]}
            ]
          },
          "event": "gift",
          "fields": {
            "room": [{"at": ["/room-id"], "unless": ["0"]}, "/channel", "^/channel", {"key": true}],
            "ts": {"at": ["/tmi-sent-ts"], "unless": ["0"], "unit": "auto"},
            "id": "/id",
            "count": ["/msg-param-mass-gift-count", {"const": 1}]
          }
        },
        {
          "when": {"at": "/msg-id", "is": ["submysterygift", "anonsubmysterygift"]},
          "drop": "a gift bomb, whose subscriptions count by themselves"
        },
        {
          "when": {
            "all": [
              {"at": "/msg-id", "is": ["subgift", "anonsubgift"]},
              {"switch": "bomb", "is": "parent"},
              {"at": ["/msg-param-community-gift-id"], "exists": true}
            ]
          },
          "drop": "part of a gift bomb, which counts as a whole"
        },
        {
          "about": "Until 2023 parts of a bomb have no community-gift-id, but the bomb's origin-id and a sender-count of 0. Today a lone gift has the latter too, with a number as origin-id.",
          "when": {
            "all": [
              {"at": "/msg-id", "is": ["subgift", "anonsubgift"]},
              {"switch": "bomb", "is": "parent"},
              {"at": "/msg-param-sender-count", "is": 0},
              {
                "at": "/msg-param-origin-id",
                "unless": ["da 39 a3 ee 5e 6b 4b 0d 32 55 bf ef 95 60 18 90 af d8 07 09"],
                "exists": true
              },
              {"not": {"at": "/msg-param-origin-id", "above": -1}}
            ]
          },
          "drop": "part of a gift bomb, which counts as a whole"
        },
        {
          "when": {
            "all": [{"at": "/msg-id", "is": ["subgift", "anonsubgift"]}, {"switch": "source", "is": ["any", "chat"]}]
          },
          "event": "gift",
          "fields": {
            "room": [{"at": ["/room-id"], "unless": ["0"]}, "/channel", "^/channel", {"key": true}],
            "ts": {"at": ["/tmi-sent-ts"], "unless": ["0"], "unit": "auto"},
            "id": "/id",
            "count": {"const": 1}
          }
        },
        {
          "when": {
            "all": [
              {"at": "/msg-id", "exists": true},
              {"at": "/notice_type", "exists": false},
              {"at": "/bits", "exists": false}
            ]
          },
          "drop": "not a gift"
        },
        {
          "when": {
            "all": [
              {"at": "/notice_type", "is": "community_sub_gift"},
              {"switch": "bomb", "is": "parent"},
              {"switch": "source", "is": ["any", "chat"]}
            ]
          },
          "event": "gift",
          "fields": {
            "id": [
              "/message_id", "^/metadata/message_id", "^/*/metadata/message_id", {"header": "Twitch-Eventsub-Message-Id"}, "^/event_id"
            ],
            "sender": {
              "id": [{"at": ["/chatter_user_id"], "unless": ["0"]}, "/chatter_user_login", {"const": "anonymous"}],
              "show": {"name": ["/chatter_user_name", "/user_name", "/chatter_user_login", "/user_login"]}
            },
            "gift": {
              "id": ["/community_sub_gift/sub_tier", {"const": "subscription"}],
              "show": {"recipient": "/sub_gift/recipient_user_name"}
            },
            "count": "/community_sub_gift/total"
          }
        },
        {
          "when": {
            "all": [
              {"at": "/notice_type", "is": "sub_gift"},
              {"switch": "bomb", "is": "parent"},
              {"at": ["/sub_gift/community_gift_id"], "exists": true}
            ]
          },
          "drop": "part of a gift bomb, which counts as a whole"
        },
        {
          "when": {"all": [{"at": "/notice_type", "is": "sub_gift"}, {"switch": "source", "is": ["any", "chat"]}]},
          "event": "gift",
          "fields": {
            "id": [
              "/message_id", "^/metadata/message_id", "^/*/metadata/message_id", {"header": "Twitch-Eventsub-Message-Id"}, "^/event_id"
            ],
            "sender": {
              "id": [{"at": ["/chatter_user_id"], "unless": ["0"]}, "/chatter_user_login", {"const": "anonymous"}],
              "show": {"name": ["/chatter_user_name", "/user_name", "/chatter_user_login", "/user_login"]}
            },
            "gift": {
              "id": ["/sub_gift/sub_tier", {"const": "subscription"}],
              "show": {"recipient": "/sub_gift/recipient_user_name"}
            },
            "count": {"const": 1}
          }
        },
        {"when": {"at": "/notice_type", "starts": "shared_chat_"}, "drop": "given in another channel of a shared chat"},
        {"when": {"at": "/notice_type", "exists": true}, "drop": "not a gift"},
        {
          "when": {
            "at": [
              "^/payload/subscription/type", "^/subscription/type", "^/metadata/subscription_type",
              "^/subscription_type", "^/type", "^/*/payload/subscription/type", "^/*/subscription/type",
              "^/*/metadata/subscription_type", "^/*/subscription_type", "^/*/type"
            ],
            "is": "channel.subscribe"
          },
          "drop": "tells who received a subscription, not who gave it"
        },
        {
          "when": {
            "all": [
              {
                "any": [
                  {
                    "at": [
                      "^/payload/subscription/type", "^/subscription/type", "^/metadata/subscription_type",
                      "^/subscription_type", "^/type", "^/*/payload/subscription/type", "^/*/subscription/type",
                      "^/*/metadata/subscription_type", "^/*/subscription_type", "^/*/type"
                    ],
                    "is": "channel.subscription.gift"
                  },
                  {
                    "all": [
                      {
                        "at": [
                          "^/payload/subscription/type", "^/subscription/type", "^/metadata/subscription_type",
                          "^/subscription_type", "^/type", "^/*/payload/subscription/type",
                          "^/*/subscription/type", "^/*/metadata/subscription_type", "^/*/subscription_type",
                          "^/*/type"
                        ],
                        "exists": false
                      },
                      {"at": ["/total"], "exists": true},
                      {"at": ["/tier"], "exists": true},
                      {"at": ["/broadcaster_user_id"], "exists": true}
                    ]
                  }
                ]
              },
              {"switch": "source", "is": ["any", "subscriptions"]}
            ]
          },
          "event": "gift",
          "fields": {
            "id": [
              "/message_id", "^/metadata/message_id", "^/*/metadata/message_id", {"header": "Twitch-Eventsub-Message-Id"}, "^/event_id"
            ],
            "sender": {
              "id": [{"at": ["/user_id"], "unless": ["0"]}, "/user_login", {"const": "anonymous"}],
              "show": {"name": ["/chatter_user_name", "/user_name", "/chatter_user_login", "/user_login"]}
            },
            "gift": {"id": ["/tier", {"const": "subscription"}], "show": {"recipient": "/sub_gift/recipient_user_name"}},
            "count": "/total"
          }
        },
        {
          "when": {
            "all": [
              {"switch": "bits", "is": "gifts"},
              {"switch": "cheers", "is": "cheer"},
              {"at": "/bits", "above": 0},
              {
                "any": [
                  {
                    "at": [
                      "^/payload/subscription/type", "^/subscription/type", "^/metadata/subscription_type",
                      "^/subscription_type", "^/type", "^/*/payload/subscription/type", "^/*/subscription/type",
                      "^/*/metadata/subscription_type", "^/*/subscription_type", "^/*/type"
                    ],
                    "is": "channel.cheer"
                  },
                  {
                    "all": [
                      {
                        "at": [
                          "^/payload/subscription/type", "^/subscription/type", "^/metadata/subscription_type",
                          "^/subscription_type", "^/type", "^/*/payload/subscription/type",
                          "^/*/subscription/type", "^/*/metadata/subscription_type", "^/*/subscription_type",
                          "^/*/type"
                        ],
                        "exists": false
                      },
                      {"at": ["/is_anonymous"], "exists": true},
                      {"at": ["/broadcaster_user_id"], "exists": true}
                    ]
                  }
                ]
              }
            ]
          },
          "event": "gift",
          "fields": {
            "id": [
              "/message_id", "^/metadata/message_id", "^/*/metadata/message_id", {"header": "Twitch-Eventsub-Message-Id"}, "^/event_id"
            ],
            "sender": {
              "id": [{"at": ["/user_id"], "unless": ["0"]}, "/user_login", {"const": "anonymous"}],
              "show": {"name": ["/chatter_user_name", "/user_name", "/chatter_user_login", "/user_login"]}
            },
            "gift": {"id": {"const": "bits"}, "value": {"const": 1}},
            "count": "/bits"
          }
        },
        {
          "about": "A cheer as channel.chat.message tells it.",
          "when": {
            "all": [
              {"switch": "bits", "is": "gifts"},
              {"switch": "cheers", "is": "chat"},
              {"at": "/cheer/bits", "above": 0},
              {"at": ["/source_broadcaster_user_id"], "exists": false}
            ]
          },
          "event": "gift",
          "fields": {
            "id": [
              "/message_id", "^/metadata/message_id", "^/*/metadata/message_id", {"header": "Twitch-Eventsub-Message-Id"}, "^/event_id"
            ],
            "sender": {
              "id": [{"at": ["/chatter_user_id"], "unless": ["0"]}, "/chatter_user_login", {"const": "anonymous"}],
              "show": {"name": ["/chatter_user_name", "/chatter_user_login"]}
            },
            "gift": {"id": {"const": "bits"}, "value": {"const": 1}},
            "count": "/cheer/bits"
          }
        },
        {
          "when": {
            "all": [
              {"switch": "bits", "is": "gifts"},
              {"at": "/bits", "above": 0},
              {"at": ["/tmi-sent-ts", "/room-id"], "exists": true}
            ]
          },
          "event": "gift",
          "fields": {
            "room": [{"at": ["/room-id"], "unless": ["0"]}, "/channel", "^/channel", {"key": true}],
            "ts": {"at": ["/tmi-sent-ts"], "unless": ["0"], "unit": "auto"},
            "id": "/id",
            "gift": {"id": {"const": "bits"}, "value": {"const": 1}},
            "count": "/bits"
          }
        }
      ],
      "otherwise": {"drop": "not a gift"}
    }
    """#
}
