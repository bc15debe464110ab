extension BuiltInMaps {
  /// See docs/platforms/kick.md.
  static let kick = #"""
    {
      "map": 1,
      "name": "kick",
      "about": "Kick: gifted subscriptions and Kicks, from its webhooks, its page (Pusher) or Streamer.bot",
      "names": "loose",
      "unpack": [
        \#(texts(["event", "type", "method", "eventType", "kick-event-type"], #""contains": ["gift"]"#))
      ],
      "roots": [
        "/payload", "/data/*", "/payload/*", "/messages/*/data", "/messages/*/payload", "/messages/*", "/*/data", "/*/payload", "/*",
        "/event", "/*/event", "/messages/*/event", "/data", "", "/message", "/body", "/raw", "/value", "/data/data", \#(socialStreamRoots)
      ],
      \#(gifts(
        commands + ["kick-event-type", "event-type"], words: ["gift"],
        others: otherEvents + [
          "chat.message", "App\\\\Events\\\\ChatMessage", "App\\\\Events\\\\LuckyUsersWhoGotGift", "LuckyUsersWhoGotGift", "GiftsLeaderboard",
          "App\\\\Events\\\\GiftsLeaderboard", "KicksLeaderboard", "App\\\\Events\\\\ChannelSubscription",
          "App\\\\Events\\\\Subscription", "channel.subscription.new", "channel.subscription.renewal", "channel.followed", "livestream.",
          "moderation.", "channel.reward", "pusher",
        ], keys: ["giftees", "gifter", "gifterUsername", "giftedUsernames", "giftedUsers", "gift", "giftId"])),
      "switches": {
        "subscriptions": {
          "default": "gifts",
          "values": {"gifts": "gifted subscriptions are gifts, one for each recipient", "ignored": "gifted subscriptions are ignored"}
        },
        "kicks": {"default": "gifts", "values": {"gifts": "Kicks are gifts", "ignored": "Kicks are ignored"}}
      },
      "fields": {
        "room": [
          {
            "at": [
              "/broadcaster/user_id", "/broadcasterUserId", "/chatroom_id", "/channel_id", "../chatroom_id", "../channel_id", "^/chatroom_id",
              "^/channel_id"
            ],
            "unless": ["0"]
          },
          {"key": true},
          "../channel", "^/channel"
        ],
        "ts": {"at": ["/created_at", "../created_at", "../timeStamp", "^/timestamp"], "unit": "auto"}
      },
      "rules": [
        {
          "when": {"at": ["/isTest", "^/data/isTest"], "is": true},
          "drop": "a test of Streamer.bot"
        },
        {
          "when": [
            {"switch": "subscriptions", "is": "ignored"},
            {"at": ["/giftees", "/gifted_usernames", "/gifted_users", "/gifter_username"], "exists": true}
          ],
          "drop": "gifted subscriptions, which the switch subscriptions=gifts makes gifts"
        },
        {
          "when": [
            {"switch": "kicks", "is": "ignored"}, {"at": "/gift/amount", "exists": true}, {"at": ["/sender"], "exists": true}
          ],
          "drop": "Kicks, which the switch kicks=gifts makes gifts"
        },
        {
          "about": "Web hook channel.subscription.gifts.",
          "when": [{"at": "/giftees", "exists": true}, {"at": "/gifter", "exists": true}, {"at": "/giftees/0", "exists": true}],
          "root": "/giftees/*",
          "event": "gift",
          "fields": {
            "room": [{"at": ["../../broadcaster/user_id"], "unless": ["0"]}, {"key": true}],
            "ts": {"at": ["../../created_at", "../../../created_at"], "unit": "auto"},
            "id": [
              {"at": ["../../message_id", "../../id", "^/message_id", "^/event_id", "^/headers/Kick-Event-Message-Id"]},
              {"header": "Kick-Event-Message-Id"}
            ],
            "sender": {
              "id": [
                {"at": ["../../gifter/user_id"], "unless": ["0"]}, "../../gifter/channel_slug", "../../gifter/username",
                {"const": "anonymous"}
              ],
              "show": {
                "name": {"at": "../../gifter/username", "max": 300},
                "avatar": {"at": "../../gifter/profile_picture", "max": 500}
              }
            },
            "gift": {"id": {"const": "subscription"}, "show": {"recipient": {"at": "/username", "max": 300}}},
            "count": {"const": 1}
          }
        },
        {
          "about": "Pusher's GiftedSubscriptionsEvent: those who receive one are bare names.",
          "when": {"at": "/gifted_usernames/0", "exists": true},
          "root": "/gifted_usernames/*",
          "event": "gift",
          "fields": {
            \#(kickRoomOfPusher),
            "id": ["../../id", "../../message_id", "../../event_id"],
            "sender": {
              "id": [{"at": ["../../gifter_id", "../../gifter/id"], "unless": ["0"]}, "../../gifter_username", {"const": "anonymous"}],
              "show": {"name": {"at": "../../gifter_username", "max": 300}}
            },
            "gift": {"id": {"const": "subscription"}, "show": {"recipient": {"at": "", "max": 300}}},
            "count": {"const": 1}
          }
        },
        {
          "about": "The same with objects.",
          "when": {"at": "/gifted_users/0", "exists": true},
          "root": "/gifted_users/*",
          "event": "gift",
          "fields": {
            \#(kickRoomOfPusher),
            "id": ["../../id"],
            "sender": {
              "id": [{"at": ["../../user/id", "../../gifter/id"], "unless": ["0"]}, "../../user/username", {"const": "anonymous"}],
              "show": {"name": {"at": ["../../user/username", "../../gifter/username"], "max": 300}}
            },
            "gift": {
              "id": {"const": "subscription"},
              "show": {"tier": {"at": "../../gift/tier", "max": 50}, "recipient": {"at": "/username", "max": 300}}
            },
            "count": {"const": 1}
          }
        },
        {
          "about": "Only the number is told.",
          "when": [{"at": ["/gifted_total"], "exists": true}, {"at": ["/gifter_username"], "exists": true}],
          "event": "gift",
          "fields": {
            "id": "/id",
            "sender": {"id": ["/gifter_username"], "show": {"name": "/gifter_username"}},
            "gift": {"id": {"const": "subscription"}},
            "count": "/gifted_total"
          }
        },
        {
          "about": "Kicks: web hook kicks.gifted, and Pusher's KicksGifted. A gift costs its amount.",
          "when": [{"at": "/gift/amount", "exists": true}, {"at": ["/sender"], "exists": true}],
          "event": "gift",
          "fields": {
            "id": [
              {"at": ["/gift_transaction_id", "/message_id", "/id", "^/message_id", "^/event_id"]}, {"header": "Kick-Event-Message-Id"}
            ],
            "sender": {
              "id": [{"at": ["/sender/user_id", "/sender/id"], "unless": ["0"]}, "/sender/username", {"const": "anonymous"}],
              "show": {"name": "/sender/username", "avatar": {"at": "/sender/profile_picture", "max": 1000}}
            },
            "gift": {
              "id": ["/gift/gift_id", "/gift/id", "/gift/name"],
              "value": "/gift/amount",
              "show": {"name": "/gift/name", "tier": "/gift/tier", "message": {"at": ["/gift/message", "/message"], "max": 1000}}
            },
            "count": {"const": 1}
          }
        },
    \#(kickStreamerBot),
    \#(socialStreamKick)
      ],
      "otherwise": {"drop": "not a gift"}
    }
    """#

  private static let kickRoomOfPusher = #"""
    "room": [
              {"at": ["../../chatroom_id", "../../channel_id", "../../../chatroom_id", "../../../channel_id"], "unless": ["0"]}, {"key": true},
              "^/channel"
            ],
            "ts": {"at": ["../../created_at", "^/timestamp"], "unit": "auto"}
    """#

  /// `{"event": {"source", "type"}, "data"}`, looked at from `event`.
  private static let kickStreamerBot = #"""
        {
          "when": [
            {"at": "/source", "is": "Kick", "missing": false}, {"at": "/type", "is": ["GiftSubscription", "MassGiftSubscription"], "missing": false},
            {"any": [{"switch": "subscriptions", "is": "ignored"}, {"at": "../data/isTest", "is": true, "missing": false}]}
          ],
          "drop": "gifted subscriptions, which the switch subscriptions=gifts makes gifts, or a test"
        },
        {
          "when": [
            {"at": "/source", "is": "Kick", "missing": false}, {"at": "/type", "is": ["KicksGifted", "sGifted"], "missing": false},
            {"any": [{"switch": "kicks", "is": "ignored"}, {"at": "../data/isTest", "is": true, "missing": false}]}
          ],
          "drop": "Kicks, which the switch kicks=gifts makes gifts, or a test"
        },
        {
          "about": "Streamer.bot: several gifted subscriptions, with their number.",
          "when": [
            {"at": "/source", "is": "Kick"}, {"at": "/type", "is": "MassGiftSubscription"},
            {"at": ["../data/count", "../data/total", "../data/gifts"], "above": 0}
          ],
          "root": "../data",
          "event": "gift",
          "fields": {
            \#(kickStreamerBotGift("")),
            "gift": {"id": {"const": "subscription"}},
            "count": [{"at": ["/count", "/total", "/gifts"], "unless": ["0"]}]
          }
        },
        {
          "about": "The same, where those who receive one are all that tells how many they are.",
          "when": [{"at": "/source", "is": "Kick"}, {"at": "/type", "is": "MassGiftSubscription"}, {"at": "../data/recipients/0", "exists": true}],
          "root": "../data/recipients/*",
          "event": "gift",
          "fields": {
            \#(kickStreamerBotGift("../..")),
            "gift": {
              "id": {"const": "subscription"}, "show": {"recipient": {"at": ["/name", "/userName", "/login", "/username"], "max": 300}}
            },
            "count": {"const": 1}
          }
        },
        {
          "about": "Streamer.bot: one.",
          "when": [{"at": "/source", "is": "Kick"}, {"at": "/type", "is": "GiftSubscription"}],
          "root": "../data",
          "event": "gift",
          "fields": {
            \#(kickStreamerBotGift("")),
            "gift": {"id": {"const": "subscription"}, "show": {"recipient": ["/recipient/userName", "/recipient/name"]}},
            "count": {"const": 1}
          }
        },
        {
          "about": "Streamer.bot: Kicks.",
          "when": [
            {"at": "/source", "is": "Kick"}, {"at": "/type", "is": ["KicksGifted", "sGifted"]},
            {"at": ["../data/gift", "../data/giftId", "../data/giftName", "../data/amount"], "exists": true}
          ],
          "root": "../data",
          "event": "gift",
          "fields": {
            \#(kickStreamerBotGift("")),
            "gift": {
              "id": ["/gift/id", "/gift/giftId", "/giftId", "/gift/name", "/giftName", {"const": "kicks"}],
              "value": ["/gift/amount", "/amount"],
              "show": {"name": ["/gift/name", "/giftName"]}
            },
            "count": {"const": 1}
          }
        }
    """#

  /// - Parameter up: from the rule's root to Streamer.bot's `data`.
  private static func kickStreamerBotGift(_ up: String) -> String {
    #"""
    "room": [{"at": ["\#(up)/broadcasterUserId", "\#(up)/broadcaster/id"], "unless": ["0"]}, {"key": true}],
            "ts": {"at": ["\#(up == "" ? ".." : "\(up)/..")/timeStamp", "^/timeStamp"], "unit": "auto"},
            "id": ["\#(up)/messageId", "\#(up)/eventId", "\#(up)/id"],
            "sender": {
              "id": [
                {"at": ["\#(up)/user/id", "\#(up)/userId", "\#(up)/gifter/id", "\#(up)/sender/id"], "unless": ["0"]}, "\#(up)/userName", "\#(up)/user",
                "\#(up)/user/name", "\#(up)/user/login", "\#(up)/gifter/name", "\#(up)/sender/username", {"const": "anonymous"}
              ],
              "show": {"name": ["\#(up)/user/name", "\#(up)/displayName", "\#(up)/userName", "\#(up)/user", "\#(up)/sender/username"]}
            }
    """#
  }
}
