/// Rules of the map twitch for objects with twurple's names. Its own objects have getters, so these are what programs copy from them, or what
/// its chat client hands over: `subInfo`, also below `info`.
extension BuiltInMaps {
  static let twurple = #"""
        {
          "about": "twurple's chat: a gift bomb.",
          "when": [
            {"at": ["/plan", "/subInfo/plan", "/info/plan"], "exists": true}, {"at": ["/count", "/subInfo/count", "/info/count"], "above": 0},
            {"switch": "bomb", "is": "parent"}, {"switch": "source", "is": ["any", "chat"]}
          ],
          "event": "gift",
          "fields": {
            \#(twurpleChat),
            "count": ["/count", "/subInfo/count", "/info/count"]
          }
        },
        {
          "when": [
            {"at": ["/plan", "/subInfo/plan", "/info/plan"], "exists": true}, {"at": ["/count", "/subInfo/count", "/info/count"], "above": 0, "missing": false},
            {"switch": "bomb", "is": "children"}
          ],
          "drop": "a gift bomb, whose subscriptions count by themselves"
        },
        {
          "about": "twurple's chat: a gifted subscription. Whether it is part of a bomb, only the message itself tells.",
          "when": [
            {"at": ["/plan", "/subInfo/plan", "/info/plan"], "exists": true}, \#(twurpleGiver), {"switch": "bomb", "is": "children"},
            {"switch": "source", "is": ["any", "chat"]}
          ],
          "event": "gift",
          "fields": {
            \#(twurpleChat),
            "count": {"const": 1}
          }
        },
        {
          "when": [{"at": ["/plan", "/subInfo/plan", "/info/plan"], "exists": true}, \#(twurpleGiver), {"switch": "source", "is": ["any", "chat"]}],
          "bad": "twurple's subGift does not say whether it is part of a gift bomb: choose bomb=children, or hand on the message's tags or raw line"
        },
        {
          "when": [
            {"at": ["/plan", "/subInfo/plan", "/info/plan"], "exists": true},
            {
              "any": [
                \#(twurpleGiver), {"at": ["/count", "/subInfo/count", "/info/count"], "above": 0, "missing": false}
              ]
            },
            {"switch": "source", "is": "subscriptions"}
          ],
          "drop": "a gift of chat, which the switch source=subscriptions leaves out"
        },
        {
          "about": "twurple's EventSub: channel.subscription.gift.",
          "when": [
            {"at": "/broadcasterId", "exists": true}, {"at": "/tier", "exists": true}, {"at": "/amount", "above": 0},
            {"switch": "source", "is": ["any", "subscriptions"]}
          ],
          "event": "gift",
          "fields": {
            "room": [{"at": ["/broadcasterId"], "unless": ["0"]}, {"key": true}],
            "id": "/messageId",
            "sender": {
              "id": [{"at": ["/gifterId"], "unless": ["0"]}, "/gifterName", {"const": "anonymous"}],
              "show": {"name": ["/gifterDisplayName", "/gifterName"]}
            },
            "gift": {"id": ["/tier"]},
            "count": "/amount"
          }
        },
        {
          "when": [
            {"at": "/broadcasterId", "exists": true}, {"at": "/tier", "exists": true}, {"at": "/amount", "above": 0, "missing": false},
            {"switch": "source", "is": "chat"}
          ],
          "drop": "a gift of channel.subscription.gift, which the switch source=chat leaves out"
        },
        {
          "about": "twurple's EventSub: a cheer.",
          "when": [
            {"at": "/broadcasterId", "exists": true}, {"at": "/bits", "above": 0}, {"at": ["/isAnonymous", "/userId"], "exists": true},
            {"switch": "bits", "is": "gifts"}, {"switch": "cheers", "is": "cheer"}
          ],
          "event": "gift",
          "fields": {
            "room": [{"at": ["/broadcasterId"], "unless": ["0"]}, {"key": true}],
            "id": "/messageId",
            "sender": {
              "id": [{"at": ["/userId"], "unless": ["0"]}, "/userName", {"const": "anonymous"}],
              "show": {"name": ["/userDisplayName", "/userName"]}
            },
            "gift": {"id": {"const": "bits"}, "value": {"const": 1}},
            "count": "/bits"
          }
        }
    """#

  /// Who gave it is told only of what was given.
  private static let twurpleGiver = #"""
    {
              "at": [
                "/gifterUserId", "/gifter", "/gifterDisplayName", "/gifterId", "/gifterName", "/giftDuration", "/subInfo/gifterUserId", "/subInfo/gifter",
                "/subInfo/giftDuration", "/info/gifterUserId", "/info/gifter", "/info/giftDuration"
              ],
              "exists": true
            }
    """#

  private static let twurpleChat = #"""
    "room": [{"at": ["/broadcasterId", "/channelId"], "unless": ["0"]}, {"key": true}, "/channel", "/broadcasterName"],
            "id": ["/messageId", "/msg/id", "/id"],
            "sender": {
              "id": [
                {"at": ["/gifterUserId", "/subInfo/gifterUserId", "/info/gifterUserId", "/gifterId"], "unless": ["0"]}, "/gifter", "/subInfo/gifter",
                "/info/gifter", "/gifterName", {"const": "anonymous"}
              ],
              "show": {
                "name": ["/gifterDisplayName", "/subInfo/gifterDisplayName", "/info/gifterDisplayName", "/gifter", "/subInfo/gifter", "/info/gifter"]
              }
            },
            "gift": {
              "id": ["/plan", "/subInfo/plan", "/info/plan"],
              "show": {"recipient": ["/displayName", "/subInfo/displayName", "/info/displayName"]}
            }
    """#
}
