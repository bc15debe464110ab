extension BuiltInMaps {
  /// See docs/platforms/twitch.md.
  static let twitch = #"""
    {
      "map": 1,
      "name": "twitch",
      "about": "Twitch: gifted subscriptions and bits, as chat lines (IRC), as their tags, or as EventSub notifications",
      "text": "irc",
      "names": "loose",
      "unpack": [
        "/raw", "/line", "/data", "/payload",
        {
          "at": ["/message", "/msg"],
          "when": {
            "at": [
              "/message_type", "/author", "/userstate", "/tags", "/_parsed", "/command", "/event", "/user", "/user-id",
              "/username", "/login", "/display-name", "/chatter_user_id", "/bits", "/text", "/nick", "/nickname", "/sender",
              "/from", "/name"
            ],
            "exists": false
          }
        },
        {"at": "/data/message", "when": {"at": "/data/topic", "starts": "channel-"}},
        "/*", "/messages/*", "/data/*", "/payload/*", "/*/data", "/*/payload", "/messages/*/data", "/messages/*/payload"
      ],
      \#(gifts(
        commands + ["listener", "msg-id", "notice_type", "message_type", "subscription_type", "action_type", "topic"],
        words: ["gift", "communitysub", "submystery", "cheer", "bits-events"],
        others: otherEvents + [
          "text_message", "giftpaidupgrade", "anongiftpaidupgrade", "gift_paid_upgrade", "anonymous_gift_paid_upgrade", "giftpaid",
          "communitypayforward", "standardpayforward", "payItForward", "rewardgift", "primecommunitygiftreceived", "onetapgift",
          "shared_chat_", "sharedChat", "shared_chat_sub_gift", "shared_chat_community_sub_gift", "shared_chat_gift_paid_upgrade", "sharedChatSubGift",
          "sharedChatCommunitySubGift", "sharedChatGiftPaidUpgrade", "sharedChatGiftBomb", "sharedChatCheer", "channel.subscribe", "channel.raid", "channel.follow", "channel.ban", "resub",
        ],
        keys: [
          "communitySubGift", "subGift", "msg-param-mass-gift-count", "massGiftCount", "fromCommunitySubGift", "giftRecipientDisplayName",
          "msg-param-recipient-id", "gifterUserId", "gifterGiftCount", "gifted", "bulkGifted", "isCommunityGift", "hasDonation", "bits", "bits_used",
        ])),
      "roots": [
        "/tags", "/_parsed/flags", "/payload/event", "/event", "/userstate", "/messages/*/tags", "/messages/*", "/raw/tags",
        "/line/tags", "/message/tags", "/data/tags", "/payload/tags", "/msg/tags", "/*/payload/event", "/*/event", "/*/tags", "/data/event",
        "/*", "", "/data", "/payload", "/message", "/data/message", \#(socialStreamRoots)
      ],
      "switches": {
        "bomb": {
          "default": "parent",
          "values": {
            "parent": "a gift bomb counts when it is announced, with its number of gifts",
            "children": "each subscription of a gift bomb counts by itself"
          }
        },
        "bits": {"default": "gifts", "values": {"gifts": "bits are gifts", "ignored": "bits are ignored"}},
        "cheers": {
          "default": "cheer",
          "values": {
            "cheer": "EventSub: channel.cheer counts; channel.chat.message repeats it and is ignored",
            "chat": "EventSub: cheers in channel.chat.message count; channel.cheer repeats them and is ignored",
            "uses": "EventSub: channel.bits.use counts; channel.cheer and channel.chat.message repeat its cheers and are ignored"
          }
        },
        "source": {
          "default": "any",
          "values": {
            "any": "chat notifications and channel.subscription.gift count",
            "chat": "only chat notifications count",
            "subscriptions": "only channel.subscription.gift counts"
          }
        }
      },
      "fields": {
        "room": [{"at": ["/broadcaster_user_id"], "unless": ["0"]}, {"key": true}],
        "ts": {
          "first": [
            "^/metadata/message_timestamp", "^/*/metadata/message_timestamp", {"header": "Twitch-Eventsub-Message-Timestamp"},
            "/timestamp", "^/timestamp"
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
        {
          "when": [
            {"switch": "source", "is": "subscriptions"},
            {
              "any": [
                {"at": "/msg-id", "is": ["submysterygift", "anonsubmysterygift", "subgift", "anonsubgift"], "missing": false},
                {"at": "/message_type", "contains": "subscription_gift", "missing": false},
                {"at": "/notice_type", "is": ["community_sub_gift", "sub_gift"], "missing": false},
                {"all": [{"at": "/source", "is": "Twitch", "missing": false}, {"at": "/type", "is": ["GiftBomb", "GiftSub"], "missing": false}]}
              ]
            }
          ],
          "drop": "a gift of chat, which the switch source=subscriptions leaves out"
        },
    \#(streamerBot),
        {
          "when": {
            "any": [
              {"at": "/msg-id", "is": "sharedchatnotice", "missing": false},
              {"at": "/source-room-id", "differs": ["/room-id", "/channel_id"]}
            ]
          },
          "drop": "given in another channel of a shared chat"
        },
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
            "count": [{"at": "/msg-param-mass-gift-count", "unless": [true]}, {"const": 1}]
          }
        },
        {
          "when": {"at": "/msg-id", "is": ["submysterygift", "anonsubmysterygift"]},
          "drop": "a gift bomb, whose subscriptions count by themselves"
        },
        {
          "when": {
            "all": [
              {"at": "/msg-id", "is": ["subgift", "anonsubgift"], "missing": false},
              {"switch": "bomb", "is": "parent"},
              {"at": ["/msg-param-community-gift-id"], "exists": true}
            ]
          },
          "drop": "part of a gift bomb, which counts as a whole"
        },
        {
          "about": "Until 2023 parts of a bomb have no community-gift-id, but a sender-count of 0 (anonymous ones: none) and, from 2019 on, the bomb's origin-id. Today a lone gift has the former too, with a number as origin-id. tmi.js makes 0 false.",
          "when": {
            "all": [
              {"at": "/msg-id", "is": ["subgift", "anonsubgift"], "missing": false},
              {"switch": "bomb", "is": "parent"},
              {
                "any": [
                  {"at": "/msg-param-sender-count", "is": [0, false], "missing": false},
                  {"all": [{"at": "/msg-param-sender-count", "exists": false}, {"at": "/msg-param-origin-id", "exists": true}]}
                ]
              },
              {"not": {"at": "/msg-param-origin-id", "is": \#(hashOfNothing), "missing": false}},
              {"not": {"at": "/msg-param-origin-id", "above": -1, "missing": false}}
            ]
          },
          "drop": "part of a gift bomb, which counts as a whole"
        },
        {
          "when": {"all": [{"at": "/msg-id", "is": ["subgift", "anonsubgift"]}, {"switch": "source", "is": ["any", "chat"]}]},
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
              {"at": "/msg-id", "exists": true}, {"not": {"at": "/msg-id", "contains": "gift", "missing": false}}, {"at": "/notice_type", "exists": false},
              {"at": "/bits", "exists": false}
            ]
          },
          "drop": "not a gift"
        },
        {
          "about": "chat-downloader: the tags of a line under names of its own.",
          "when": {
            "all": [
              {"at": "/message_type", "is": ["mystery_subscription_gift", "anonymous_mystery_subscription_gift"]},
              {"switch": "bomb", "is": "parent"},
              {"switch": "source", "is": ["any", "chat"]}
            ]
          },
          "event": "gift",
          "fields": {
            "room": [{"at": ["/channel_id"], "unless": ["0"]}, {"key": true}],
            "id": "/message_id",
            "sender": {
              "id": [{"at": ["/author/id"], "unless": ["0"]}, "/author/name", {"const": "anonymous"}],
              "show": {"name": ["/author/display_name", "/author/name"]}
            },
            "gift": {
              "id": ["/subscription_type", {"const": "subscription"}],
              "show": {
                "name": {"at": "/subscription_plan_name", "max": 300},
                "recipient": {"at": "/gift_recipient_display_name", "max": 300}
              }
            },
            "count": ["/mass_gift_count", {"const": 1}]
          }
        },
        {
          "when": [
            {"at": "/message_type", "is": ["mystery_subscription_gift", "anonymous_mystery_subscription_gift"], "missing": false},
            {"switch": "bomb", "is": "children"}
          ],
          "drop": "a gift bomb, whose subscriptions count by themselves"
        },
        {
          "when": {
            "all": [
              {"at": "/message_type", "is": ["subscription_gift", "anonymous_subscription_gift"], "missing": false},
              {"switch": "bomb", "is": "parent"},
              {"at": ["/msg_param_community_gift_id", "/community_gift_id"], "exists": true}
            ]
          },
          "drop": "part of a gift bomb, which counts as a whole"
        },
        {
          "when": {
            "all": [
              {"at": "/message_type", "is": ["subscription_gift", "anonymous_subscription_gift"], "missing": false},
              {"switch": "bomb", "is": "parent"},
              {
                "any": [
                  {"at": "/sender_count", "is": 0, "missing": false},
                  {"all": [{"at": "/sender_count", "exists": false}, {"at": "/origin_id", "exists": true}]}
                ]
              },
              {"not": {"at": "/origin_id", "is": \#(hashOfNothing), "missing": false}},
              {"not": {"at": "/origin_id", "above": -1, "missing": false}}
            ]
          },
          "drop": "part of a gift bomb, which counts as a whole"
        },
        {
          "when": {
            "all": [
              {"at": "/message_type", "is": ["subscription_gift", "anonymous_subscription_gift"]},
              {"switch": "source", "is": ["any", "chat"]}
            ]
          },
          "event": "gift",
          "fields": {
            "room": [{"at": ["/channel_id"], "unless": ["0"]}, {"key": true}],
            "id": "/message_id",
            "sender": {
              "id": [{"at": ["/author/id"], "unless": ["0"]}, "/author/name", {"const": "anonymous"}],
              "show": {"name": ["/author/display_name", "/author/name"]}
            },
            "gift": {
              "id": ["/subscription_type", {"const": "subscription"}],
              "show": {
                "name": {"at": "/subscription_plan_name", "max": 300},
                "recipient": {"at": "/gift_recipient_display_name", "max": 300}
              }
            },
            "count": {"const": 1}
          }
        },
        {
          "when": {
            "all": [
              {"switch": "bits", "is": "gifts"},
              {"at": "/bits", "above": 0},
              {"at": "/message_type", "exists": true},
              {"at": "/author", "exists": true}
            ]
          },
          "event": "gift",
          "fields": {
            "room": [{"at": ["/channel_id"], "unless": ["0"]}, {"key": true}],
            "id": "/message_id",
            "sender": {
              "id": [{"at": ["/author/id"], "unless": ["0"]}, "/author/name", {"const": "anonymous"}],
              "show": {"name": ["/author/display_name", "/author/name"]}
            },
            "gift": {"id": {"const": "bits"}, "value": {"const": 1}},
            "count": "/bits"
          }
        },
        {
          "when": {
            "all": [
              {"at": "/action_type", "exists": true}, {"at": "/message_type", "exists": true},
              {"not": {"at": "/message_type", "contains": "gift", "missing": false}}
            ]
          },
          "drop": "not a gift"
        },
    \#(eventSub),
    \#(socialStreamTwitch),
    \#(twurple),
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
        },
    \#(twitchPubSub),
    \#(twitchLeftOut)
      ],
      "otherwise": {"drop": "not a gift"}
    }
    """#

  /// The origin-id of gifts by themselves until 2023; also where a client left the spaces as the line has them.
  private static let hashOfNothing = #"""
    [
                  "da 39 a3 ee 5e 6b 4b 0d 32 55 bf ef 95 60 18 90 af d8 07 09",
                  "da\\s39\\sa3\\see\\s5e\\s6b\\s4b\\s0d\\s32\\s55\\sbf\\sef\\s95\\s60\\s18\\s90\\saf\\sd8\\s07\\s09"
                ]
    """#
}
