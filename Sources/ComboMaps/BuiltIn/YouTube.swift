extension BuiltInMaps {
  /// See docs/platforms/youtube.md.
  static let youtube = #"""
    {
      "map": 1,
      "name": "youtube",
      "about": "YouTube: gifts, gifted memberships and super stickers of a live chat, from its API or its web page",
      "names": "loose",
      "unpack": [
        \#(texts(["event", "type", "method", "cmd"], #""contains": ["gift", "super", "membership", "AddChatItem"]"#))
      ],
      "roots": [
        "/items/*", "/data/items/*", "/payload/items/*", "/actions/*/addChatItemAction/item",
        "/continuationContents/liveChatContinuation/actions/*/addChatItemAction/item", "/*/addChatItemAction/item",
        "/continuationContents/liveChatContinuation/actions/*/replayChatItemAction/actions/*/addChatItemAction/item",
        "/*/replayChatItemAction/actions/*/addChatItemAction/item", "/replayChatItemAction/actions/*/addChatItemAction/item",
        "/addChatItemAction/item", "/data", "/message", "/messages/*", "/*/item", "/item", "/*", "", "/payload", "/event",
        "/actions/*", "/continuationContents/liveChatContinuation/actions/*", "/*/event", \#(socialStreamRoots)
      ],
      \#(gifts(
        commands + ["message_type", "snippetType"], words: ["gift", "jewel", "supersticker", "super_sticker", "paidsticker", "paid_sticker"],
        others: otherEvents + [
          "textMessage", "text_message", "superChat", "super_chat", "SUPER_CHAT", "paid_message", "membership_item", "newSponsor", "pollEvent",
          "tombstone", "userBanned", "messageDeleted", "memberMilestone", "viewer_engagement", "ticker_", "ticker_paid_sticker", "LiveChatTickerPaidSticker", "banner", "LiveChatTextMessage",
          "LiveChatPaidMessage", "LiveChatMembershipItem", "LiveChatTicker",
        ],
        keys: [
          "giftMessageViewModel", "giftDetails", "giftEventDetails", "membershipGiftingDetails", "giftAttributionItemViewModel",
          "liveChatSponsorshipsGiftPurchaseAnnouncementRenderer", "liveChatPaidStickerRenderer", "superStickerDetails", "jewelsAmount", "hasDonation",
        ])),
      "switches": {
        "memberships": {
          "default": "parent",
          "values": {
            "parent": "gifted memberships count when they are announced, with their number",
            "children": "each gifted membership counts when it is received"
          }
        },
        "superchat": {
          "default": "ignored",
          "values": {"ignored": "a super chat is not a gift", "gifts": "a super chat is one gift"}
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
          "when": {"at": "/snippet/type", "is": ["membershipGiftingEvent", "MEMBERSHIP_GIFTING_EVENT"], "missing": false},
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
          "when": {"at": "/snippet/type", "is": ["giftMembershipReceivedEvent", "GIFT_MEMBERSHIP_RECEIVED_EVENT"], "missing": false},
          "drop": "a membership that counted when it was announced"
        },
        {
          "when": {"at": "/snippet/type", "is": ["giftEvent", "GIFT_EVENT"]},
          "event": "gift",
          "fields": {
            "gift": {
              "id": {
                "at": [
                  "/snippet/giftDetails/giftName", "/snippet/giftEventDetails/giftName",
                  "/snippet/giftDetails/giftMetadata/giftName", "/snippet/giftEventDetails/giftMetadata/giftName"
                ]
              },
              "value": {
                "at": [
                  "/snippet/giftDetails/jewelsAmount", "/snippet/giftEventDetails/jewelsAmount",
                  "/snippet/giftDetails/giftMetadata/jewelsAmount", "/snippet/giftEventDetails/giftMetadata/jewelsAmount"
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
            ],
            "streak": "/id",
            "streak_ms": {"const": 3600000}
          }
        },
        {
          "when": {"at": "/snippet/type", "is": ["superStickerEvent", "SUPER_STICKER_EVENT"]},
          "event": "gift",
          "fields": {
            "id": "/id",
            "gift": {
              "id": ["/snippet/superStickerDetails/superStickerMetadata/stickerId", {"const": "super-sticker"}],
              "value": {"product": ["/snippet/superStickerDetails/amountMicros", {"const": 0.0001}]},
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
              "value": {"product": ["/snippet/superChatDetails/amountMicros", {"const": 0.0001}]},
              "show": {
                "amount": "/snippet/superChatDetails/amountDisplayString",
                "message": {"at": "/snippet/superChatDetails/userComment", "max": 1000}
              }
            },
            "count": {"const": 1}
          }
        },
        {
          "when": {"at": "/snippet/type", "is": ["superChatEvent", "SUPER_CHAT_EVENT"], "missing": false},
          "drop": "a super chat, which the switch superchat=gifts makes a gift"
        },
        \#(announced(at: 1)),
        \#(announced(at: 2)),
        \#(announced(at: 0)),
        {
          "when": {
            "all": [
              {"at": ["/liveChatSponsorshipsGiftPurchaseAnnouncementRenderer/id"], "exists": true},
              {"switch": "memberships", "is": "parent"}
            ]
          },
          "bad": "the number of announced memberships does not stand by itself in the first three parts of the web page's sentence"
        },
        {
          "when": {"at": ["/liveChatSponsorshipsGiftPurchaseAnnouncementRenderer/id"], "exists": true},
          "drop": "memberships that count when they are received"
        },
        {
          "when": {
            "all": [
              {"at": ["/liveChatSponsorshipsGiftRedemptionAnnouncementRenderer/id"], "exists": true},
              {"switch": "memberships", "is": "children"}
            ]
          },
          "bad": "what the web page is told of a received membership does not say from which channel it came: memberships=parent counts them when they are announced"
        },
        {
          "when": {"at": ["/liveChatSponsorshipsGiftRedemptionAnnouncementRenderer/id"], "exists": true},
          "drop": "a membership that counted when it was announced"
        },
        {
          "when": {"at": ["/liveChatPaidStickerRenderer/id"], "exists": true},
          "root": "/liveChatPaidStickerRenderer",
          "event": "gift",
          "fields": {
            "ts": {"at": "/timestampUsec", "unit": "us"},
            "id": "/id",
            "sender": {
              "id": "/authorExternalChannelId",
              "show": {"name": "/authorName/simpleText", "avatar": {"at": "/authorPhoto/thumbnails/0/url", "max": 1000}}
            },
            "gift": {
              "id": {"const": "super-sticker"},
              "show": {
                "name": "/sticker/accessibility/accessibilityData/label",
                "amount": "/purchaseAmountText/simpleText",
                "icon": {"at": "/sticker/thumbnails/0/url", "max": 1000}
              }
            },
            "count": {"const": 1}
          }
        },
        {
          "when": {
            "all": [{"at": ["/liveChatPaidMessageRenderer/id"], "exists": true}, {"switch": "superchat", "is": "gifts"}]
          },
          "root": "/liveChatPaidMessageRenderer",
          "event": "gift",
          "fields": {
            "ts": {"at": "/timestampUsec", "unit": "us"},
            "id": "/id",
            "sender": {
              "id": "/authorExternalChannelId",
              "show": {"name": "/authorName/simpleText", "avatar": {"at": "/authorPhoto/thumbnails/0/url", "max": 1000}}
            },
            "gift": {
              "id": {"const": "super-chat"},
              "show": {"amount": "/purchaseAmountText/simpleText", "message": {"at": "/message/runs/0/text", "max": 1000}}
            },
            "count": {"const": 1}
          }
        },
        {
          "when": {"at": ["/liveChatPaidMessageRenderer/id"], "exists": true},
          "drop": "a super chat, which the switch superchat=gifts makes a gift"
        },
        {
          "about": "chat-downloader, of the web page: a sticker.",
          "when": {"all": [{"at": "/message_type", "is": "paid_sticker"}, {"at": "/author", "exists": true}]},
          "event": "gift",
          "fields": {
            "ts": {"at": "/timestamp", "unit": "us"},
            "id": "/message_id",
            "sender": {
              "id": "/author/id",
              "show": {"name": "/author/name", "avatar": {"at": "/author/images/0/url", "max": 1000}}
            },
            "gift": {
              "id": {"const": "super-sticker"},
              "show": {"amount": "/money/text", "icon": {"at": "/sticker_images/0/url", "max": 1000}}
            },
            "count": {"const": 1}
          }
        },
        {
          "when": {
            "all": [
              {"at": "/message_type", "is": "paid_message"},
              {"at": "/author", "exists": true},
              {"switch": "superchat", "is": "gifts"}
            ]
          },
          "event": "gift",
          "fields": {
            "ts": {"at": "/timestamp", "unit": "us"},
            "id": "/message_id",
            "sender": {
              "id": "/author/id",
              "show": {"name": "/author/name", "avatar": {"at": "/author/images/0/url", "max": 1000}}
            },
            "gift": {
              "id": {"const": "super-chat"},
              "show": {"amount": "/money/text", "message": {"at": "/message", "max": 1000}}
            },
            "count": {"const": 1}
          }
        },
        {
          "when": {
            "all": [
              {"at": "/message_type", "is": "sponsorships_gift_purchase_announcement", "missing": false},
              {"switch": "memberships", "is": "parent"}
            ]
          },
          "bad": "chat-downloader tells the number of memberships in a sentence only: take the API, or recordings of the web page"
        },
        {
          "about": "masterchat, of the web page: announced memberships with their number, and stickers.",
          "when": {"all": [{"at": "/type", "is": "membershipGiftPurchaseAction"}, {"switch": "memberships", "is": "parent"}]},
          "event": "gift",
          "fields": {
            \#(masterchat),
            "gift": {"id": {"const": "membership"}},
            "count": "/amount"
          }
        },
        {"when": {"at": "/type", "is": "membershipGiftPurchaseAction", "missing": false}, "drop": "memberships that count when they are received"},
        {
          "when": {"all": [{"at": "/type", "is": "membershipGiftRedemptionAction", "missing": false}, {"switch": "memberships", "is": "children"}]},
          "bad": "what the web page is told of a received membership does not say from which channel it came: memberships=parent counts them when they are announced"
        },
        {
          "when": {"at": "/type", "is": "membershipGiftRedemptionAction", "missing": false},
          "drop": "a membership that counted when it was announced"
        },
        {
          "when": {"at": "/type", "is": "addSuperStickerItemAction"},
          "event": "gift",
          "fields": {
            \#(masterchat),
            "gift": {
              "id": {"const": "super-sticker"},
              "show": {
                "name": "/stickerText", "amount": "/amount", "currency": "/currency", "icon": {"at": "/stickerUrl", "max": 1000}
              }
            },
            "count": {"const": 1}
          }
        },
    \#(youTubeConnectors),
    \#(socialStreamYouTube),
        {
          "when": {"at": ["/giftMessageViewModel"], "exists": true},
          "bad": "what the web page is told of a gift names it and its number in a sentence only: take the API's giftEvent"
        }
      ],
      "otherwise": {"drop": "not a gift"}
    }
    """#
}
