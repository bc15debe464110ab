extension BuiltInMaps {
  /// Rules of the map twitch for EventSub notifications.
  static let eventSub = #"""
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
              "/message_id", "^/metadata/message_id", "^/*/metadata/message_id", {"header": "Twitch-Eventsub-Message-Id"},
              "^/event_id"
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
          "when": [{"at": "/notice_type", "is": "community_sub_gift", "missing": false}, {"switch": "bomb", "is": "children"}],
          "drop": "a gift bomb, whose subscriptions count by themselves"
        },
        {
          "when": {
            "all": [
              {"at": "/notice_type", "is": "sub_gift", "missing": false},
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
              "/message_id", "^/metadata/message_id", "^/*/metadata/message_id", {"header": "Twitch-Eventsub-Message-Id"},
              "^/event_id"
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
        {
          "when": [{"at": "/notice_type", "exists": true}, {"not": {"at": "/notice_type", "contains": "gift", "missing": false}}],
          "drop": "not a gift"
        },
        {
          "when": [
            {"switch": "source", "is": "chat"},
            {
              "any": [
                {
                  "at": [
                    "^/payload/subscription/type", "^/subscription/type", "^/metadata/subscription_type", "^/subscription_type",
                    "^/type", "^/*/payload/subscription/type", "^/*/subscription/type", "^/*/metadata/subscription_type",
                    "^/*/subscription_type", "^/*/type"
                  ],
                  "is": "channel.subscription.gift",
                  "missing": false
                },
                {"all": [{"at": "/total", "exists": true}, {"at": "/tier", "exists": true}, {"at": "/broadcaster_user_id", "exists": true}]}
              ]
            }
          ],
          "drop": "a gift of channel.subscription.gift, which the switch source=chat leaves out"
        },
        {
          "when": {
            "at": [
              "^/payload/subscription/type", "^/subscription/type", "^/metadata/subscription_type", "^/subscription_type",
              "^/type", "^/*/payload/subscription/type", "^/*/subscription/type", "^/*/metadata/subscription_type",
              "^/*/subscription_type", "^/*/type"
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
                          "^/subscription_type", "^/type", "^/*/payload/subscription/type", "^/*/subscription/type",
                          "^/*/metadata/subscription_type", "^/*/subscription_type", "^/*/type"
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
              "/message_id", "^/metadata/message_id", "^/*/metadata/message_id", {"header": "Twitch-Eventsub-Message-Id"},
              "^/event_id"
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
                          "^/subscription_type", "^/type", "^/*/payload/subscription/type", "^/*/subscription/type",
                          "^/*/metadata/subscription_type", "^/*/subscription_type", "^/*/type"
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
              "/message_id", "^/metadata/message_id", "^/*/metadata/message_id", {"header": "Twitch-Eventsub-Message-Id"},
              "^/event_id"
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
          "about": "Bits of power-ups and combos, which nothing else tells; and, if chosen, those of cheers.",
          "when": {
            "all": [
              {"switch": "bits", "is": "gifts"},
              {"at": "/bits", "above": 0},
              {"any": [{"switch": "cheers", "is": "uses"}, {"not": {"at": "/type", "is": "cheer"}}]},
              {
                "any": [
                  {
                    "at": [
                      "^/payload/subscription/type", "^/subscription/type", "^/metadata/subscription_type",
                      "^/subscription_type", "^/type", "^/*/payload/subscription/type", "^/*/subscription/type",
                      "^/*/metadata/subscription_type", "^/*/subscription_type", "^/*/type"
                    ],
                    "is": "channel.bits.use"
                  },
                  {
                    "all": [
                      {"at": "^/type", "is": ["cheer", "power_up", "combo", "custom_power_up"]},
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
              "/message_id", "^/metadata/message_id", "^/*/metadata/message_id", {"header": "Twitch-Eventsub-Message-Id"},
              "^/event_id"
            ],
            "sender": {
              "id": [{"at": ["/user_id"], "unless": ["0"]}, "/user_login", {"const": "anonymous"}],
              "show": {"name": ["/user_name", "/user_login"]}
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
              "/message_id", "^/metadata/message_id", "^/*/metadata/message_id", {"header": "Twitch-Eventsub-Message-Id"},
              "^/event_id"
            ],
            "sender": {
              "id": [{"at": ["/chatter_user_id"], "unless": ["0"]}, "/chatter_user_login", {"const": "anonymous"}],
              "show": {"name": ["/chatter_user_name", "/chatter_user_login"]}
            },
            "gift": {"id": {"const": "bits"}, "value": {"const": 1}},
            "count": "/cheer/bits"
          }
        }
    """#
}
