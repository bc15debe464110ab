extension BuiltInMaps {
  /// See docs/platforms/youtube.md.
  static let youtube = #"""
    {
      "map": 1,
      "name": "youtube",
      "about": "YouTube: gifts, gifted memberships and super stickers of a live chat, as its API lists them",
      "names": "loose",
      "roots": ["/items/*", "/data", "/message", "/messages/*", "/*", ""],
      "switches": {
        "memberships": {
          "default": "parent",
          "values": {
            "parent": "gifted memberships count when they are announced, with their number",
            "children": "each counts when it is received"
          }
        },
        "superchat": {
          "default": "ignored",
          "values": {"ignored": "a super chat is no gift", "gifts": "a super chat is one gift"}
        }
      },
      "fields": {
        "room": ["/snippet/liveChatId", {"key": true}],
        "ts": {"at": "/snippet/publishedAt", "unit": "auto"},
        "sender": {
          "id": ["/snippet/authorChannelId", "/authorDetails/channelId"],
          "show": {"name": "/authorDetails/displayName", "avatar": {"at": "/authorDetails/profileImageUrl", "max": 1000}}
        }
      },
      "rules": [
        {
          "when": {
            "all": [
              {"at": "/snippet/type", "is": ["membershipGiftingEvent", "MEMBERSHIP_GIFTING_EVENT"]},
              {"switch": "memberships", "is": "parent"}
            ]
          },
          "event": "gift",
          "fields": {
            "id": "/id",
            "gift": {
              "id": {"const": "membership"},
              "show": {"name": "/snippet/membershipGiftingDetails/giftMembershipsLevelName"}
            },
            "count": ["/snippet/membershipGiftingDetails/giftMembershipsCount", {"const": 1}]
          }
        },
        {
          "when": {"at": "/snippet/type", "is": ["membershipGiftingEvent", "MEMBERSHIP_GIFTING_EVENT"]},
          "drop": "memberships that count when they are received"
        },
        {
          "when": {
            "all": [
              {"at": "/snippet/type", "is": ["giftMembershipReceivedEvent", "GIFT_MEMBERSHIP_RECEIVED_EVENT"]},
              {"switch": "memberships", "is": "children"}
            ]
          },
          "event": "gift",
          "fields": {
            "id": "/id",
            "sender": {"id": "/snippet/giftMembershipReceivedDetails/gifterChannelId"},
            "gift": {
              "id": {"const": "membership"},
              "show": {
                "name": "/snippet/giftMembershipReceivedDetails/memberLevelName",
                "recipient": "/authorDetails/displayName"
              }
            },
            "count": {"const": 1}
          }
        },
        {
          "when": {"at": "/snippet/type", "is": ["giftMembershipReceivedEvent", "GIFT_MEMBERSHIP_RECEIVED_EVENT"]},
          "drop": "a membership that counted when it was announced"
        },
        {
          "when": {"at": "/snippet/type", "is": ["giftEvent", "GIFT_EVENT"]},
          "event": "gift",
          "fields": {
            "id": "/id",
            "gift": {
              "id": {
                "at": [
                  "/snippet/giftDetails/giftName", "/snippet/giftEventDetails/giftName",
                  "/snippet/giftDetails/giftMetadata/giftName", "/snippet/giftEventDetails/giftMetadata/giftName"
                ]
              },
              "value": {
                "at": [
                  "/snippet/giftDetails/jewelsCount", "/snippet/giftEventDetails/jewelsCount",
                  "/snippet/giftDetails/giftMetadata/jewelsCount", "/snippet/giftEventDetails/giftMetadata/jewelsCount"
                ]
              },
              "show": {
                "name": {
                  "at": [
                    "/snippet/giftDetails/giftName", "/snippet/giftEventDetails/giftName",
                    "/snippet/giftDetails/giftMetadata/giftName", "/snippet/giftEventDetails/giftMetadata/giftName"
                  ]
                },
                "icon": {
                  "at": [
                    "/snippet/giftDetails/giftUrl", "/snippet/giftEventDetails/giftUrl",
                    "/snippet/giftDetails/giftMetadata/giftUrl", "/snippet/giftEventDetails/giftMetadata/giftUrl"
                  ],
                  "max": 1000
                },
                "text": {
                  "at": [
                    "/snippet/giftDetails/altText", "/snippet/giftEventDetails/altText",
                    "/snippet/giftDetails/giftMetadata/altText", "/snippet/giftEventDetails/giftMetadata/altText"
                  ],
                  "max": 300
                }
              }
            },
            "total": [
              {
                "at": [
                  "/snippet/giftDetails/comboCount", "/snippet/giftEventDetails/comboCount",
                  "/snippet/giftDetails/giftMetadata/comboCount", "/snippet/giftEventDetails/giftMetadata/comboCount"
                ],
                "unless": ["0"]
              },
              {"const": 1}
            ]
          }
        },
        {
          "when": {"at": "/snippet/type", "is": ["superStickerEvent", "SUPER_STICKER_EVENT"]},
          "event": "gift",
          "fields": {
            "id": "/id",
            "gift": {
              "id": ["/snippet/superStickerDetails/superStickerMetadata/stickerId", {"const": "super-sticker"}],
              "value": "/snippet/superStickerDetails/amountMicros",
              "show": {
                "name": "/snippet/superStickerDetails/superStickerMetadata/altText",
                "amount": "/snippet/superStickerDetails/amountDisplayString"
              }
            },
            "count": {"const": 1}
          }
        },
        {
          "when": {
            "all": [
              {"at": "/snippet/type", "is": ["superChatEvent", "SUPER_CHAT_EVENT"]},
              {"switch": "superchat", "is": "gifts"}
            ]
          },
          "event": "gift",
          "fields": {
            "id": "/id",
            "gift": {
              "id": {"const": "super-chat"},
              "value": "/snippet/superChatDetails/amountMicros",
              "show": {
                "amount": "/snippet/superChatDetails/amountDisplayString",
                "message": {"at": "/snippet/superChatDetails/userComment", "max": 1000}
              }
            },
            "count": {"const": 1}
          }
        },
        {
          "when": {"at": "/snippet/type", "is": ["superChatEvent", "SUPER_CHAT_EVENT"]},
          "drop": "a super chat, which the switch superchat=gifts makes a gift"
        }
      ],
      "otherwise": {"drop": "not a gift"}
    }
    """#
}
