extension BuiltInMaps {
  /// Rules of the map youtube for the web page's gift widget, and for what connectors make of events.
  static let youTubeConnectors = #"""
        {
          "about": "The web page's widget of a gift: an update under the same id has a higher comboCount.",
          "when": {"at": ["\#(giftWidget)/id"], "exists": true},
          "event": "gift",
          "fields": {
            "room": ["\#(widgetOptions)/liveChatId", {"key": true}],
            "ts": {"at": ["/timestampUsec", "^/timestampUsec"], "unit": "us"},
            "sender": {
              "id": ["\#(widgetOptions)/liveChatAuthorExternalChannelId", "\#(giftWidget)/authorName/content"],
              "show": {
                "name": "\#(giftWidget)/authorName/content",
                "avatar": {"at": "\#(giftWidget)/authorAvatar/avatarViewModel/image/sources/0/url", "max": 1000}
              }
            },
            "gift": {
              "id": ["\#(giftWidget)/attributionImage/sources/0/url", "\#(giftWidget)/giftName", {"const": "gift"}],
              "show": {
                "name": {"at": "\#(giftWidget)/giftA11yLabel", "max": 300},
                "icon": {"at": "\#(giftWidget)/attributionImage/sources/0/url", "max": 1000}
              }
            },
            "total": [{"at": ["\#(giftWidget)/comboCount", "\#(giftWidget)/combo/count"], "unless": ["0"]}, {"const": 1}],
            "streak": "\#(giftWidget)/id",
            "streak_ms": {"const": 3600000}
          }
        },
        {
          "when": {
            "any": [
              {"at": "/addInteractivityWidgetAction", "exists": true},
              {
                "all": [
                  {"at": "/updateOrAddInteractivityWidgetAction", "exists": true},
                  {"at": "\#(giftWidget)", "exists": false}
                ]
              }
            ]
          },
          "drop": "what is drawn over the video, beside the gift itself"
        },
        {
          "about": "chat-downloader, of the web page's gift widget.",
          "when": [
            {"at": "/message_type", "is": "gift_message_view_model"}, {"at": "/author/id", "exists": true}, {"at": "/message_id", "exists": true}
          ],
          "event": "gift",
          "fields": {
            "ts": {"at": "/timestamp", "unit": "us"},
            "sender": {
              "id": "/author/id",
              "show": {"name": "/author/name", "avatar": {"at": "/author/images/0/url", "max": 1000}}
            },
            "gift": {
              "id": ["/gift_images/0/url", {"const": "gift"}],
              "show": {"name": {"at": "/gift_image_a11y_label", "max": 300}, "icon": {"at": "/gift_images/0/url", "max": 1000}}
            },
            "total": [{"at": ["/combo_count"], "unless": ["0"]}, {"const": 1}],
            "streak": "/message_id",
            "streak_ms": {"const": 3600000}
          }
        },
        {
          "when": {"at": "/message_type", "is": "gift_message_view_model"},
          "bad": "what the web page is told of a gift names it and its number in a sentence only: take the API's giftEvent"
        },
        {
          "when": [{"at": "/message_type", "is": "sponsorships_gift_purchase_announcement", "missing": false}, {"switch": "memberships", "is": "children"}],
          "drop": "memberships that count when they are received"
        },
        {
          "when": [{"at": "/message_type", "is": "sponsorships_gift_redemption_announcement", "missing": false}, {"switch": "memberships", "is": "parent"}],
          "drop": "a membership that counted when it was announced"
        },
        {
          "about": "youtubei.js: the number of memberships stands by itself in a sentence, where the language puts it.",
          "when": [
            {"at": "/type", "is": "LiveChatSponsorshipsGiftPurchaseAnnouncement"}, {"switch": "memberships", "is": "parent"},
            {
              "any": [
                {"at": "/primary_text/runs/0/text", "above": 0}, {"at": "/primary_text/runs/1/text", "above": 0},
                {"at": "/primary_text/runs/2/text", "above": 0}
              ]
            }
          ],
          "event": "gift",
          "fields": {
            \#(youTubeJS),
            "gift": {"id": {"const": "membership"}},
            "count": [
              {"when": {"at": "/primary_text/runs/1/text", "above": 0}, "then": "/primary_text/runs/1/text"},
              {"when": {"at": "/primary_text/runs/2/text", "above": 0}, "then": "/primary_text/runs/2/text"},
              "/primary_text/runs/0/text"
            ]
          }
        },
        {
          "when": [{"at": "/type", "is": "LiveChatSponsorshipsGiftPurchaseAnnouncement", "missing": false}, {"switch": "memberships", "is": "children"}],
          "drop": "memberships that count when they are received"
        },
        {
          "when": [{"at": "/type", "is": "LiveChatSponsorshipsGiftRedemptionAnnouncement", "missing": false}, {"switch": "memberships", "is": "parent"}],
          "drop": "a membership that counted when it was announced"
        },
        {
          "about": "youtubei.js: a sticker.",
          "when": [{"at": "/type", "is": "LiveChatPaidSticker"}, {"at": "/author/id", "exists": true}],
          "event": "gift",
          "fields": {
            \#(youTubeJS),
            "gift": {
              "id": {"const": "super-sticker"},
              "show": {"amount": "/purchase_amount", "icon": {"at": "/sticker/0/url", "max": 1000}}
            },
            "count": {"const": 1}
          }
        },
        {
          "when": {"at": "/type", "is": "GiftMessageView"},
          "bad": "what the web page is told of a gift names it and its number in a sentence only: take the API's giftEvent"
        },
        {
          "when": [{"at": "/source", "is": "YouTube", "missing": false}, {"at": "../data/isTest", "is": true, "missing": false}],
          "drop": "a test of Streamer.bot"
        },
        {
          "about": "Streamer.bot: announced memberships.",
          "when": [
            {"at": "/source", "is": "YouTube"}, {"at": "/type", "is": "MembershipGift"},
            {"switch": "memberships", "is": "parent"}
          ],
          "root": "../data",
          "event": "gift",
          "fields": {
            \#(streamerBotFields),
            "sender": {
              "id": ["/user/id", "/gifter/id", "/userId", "/user/name", "/gifter/name"],
              "show": {"name": ["/user/name", "/gifter/name"], "avatar": {"at": "/user/profileImageUrl", "max": 1000}}
            },
            "gift": {"id": {"const": "membership"}, "show": {"name": "/tier"}},
            "count": [{"at": ["/count", "/giftCount"], "unless": ["0"]}, {"const": 1}]
          }
        },
        {
          "when": [
            {"at": "/source", "is": "YouTube", "missing": false}, {"at": "/type", "is": "MembershipGift", "missing": false},
            {"switch": "memberships", "is": "children"}
          ],
          "drop": "memberships that count when they are received"
        },
        {
          "when": [
            {"at": "/source", "is": "YouTube", "missing": false}, {"at": "/type", "is": "GiftMembershipReceived", "missing": false},
            {"switch": "memberships", "is": "parent"}
          ],
          "drop": "a membership that counted when it was announced"
        },
        {
          "when": [{"at": "/source", "is": "YouTube"}, {"at": "/type", "is": "GiftMembershipReceived"}],
          "root": "../data",
          "event": "gift",
          "fields": {
            \#(streamerBotFields),
            "sender": {
              "id": ["/gifter/id", "/gifterUserId", "/gifter/name", "/gifterUserName", "/gifterUser"],
              "show": {"name": ["/gifter/name", "/gifterUser", "/gifterUserName"]}
            },
            "gift": {"id": {"const": "membership"}, "show": {"name": "/tier", "recipient": "/user/name"}},
            "count": {"const": 1}
          }
        },
        {
          "about": "Streamer.bot: a sticker.",
          "when": [{"at": "/source", "is": "YouTube"}, {"at": "/type", "is": "SuperSticker"}],
          "root": "../data",
          "event": "gift",
          "fields": {
            \#(streamerBotFields),
            "sender": {
              "id": ["/user/id", "/userId", "/user/name"],
              "show": {"name": "/user/name", "avatar": {"at": "/user/profileImageUrl", "max": 1000}}
            },
            "gift": {
              "id": ["/stickerId", {"const": "super-sticker"}],
              "value": {"product": ["/microAmount", {"const": 0.0001}]},
              "show": {"name": "/stickerAltText", "amount": "/amount", "icon": {"at": "/stickerImageUrl", "max": 1000}}
            },
            "count": {"const": 1}
          }
        },
        {
          "about": "Streamer.bot: a gift for Jewels. Of a combo it names no row.",
          "when": [{"at": "/source", "is": "YouTube"}, {"at": "/type", "is": "JewelsGifted"}],
          "root": "../data",
          "event": "gift",
          "fields": {
            "ts": {"at": ["/eventTimestamp", "../timeStamp"], "unit": "auto"},
            "sender": {
              "id": ["/user/id", "/userId", "/user/name"],
              "show": {"name": "/user/name", "avatar": {"at": "/user/profileImageUrl", "max": 1000}}
            },
            "gift": {
              "id": ["/itemName", "/giftName", {"const": "gift"}],
              "value": ["/quantity", "/jewels", "/amount"],
              "show": {"name": ["/itemName", "/giftName"], "icon": {"at": "/giftUrl", "max": 1000}}
            },
            "total": [{"at": ["/comboCount"], "unless": ["0"]}, {"const": 1}],
            "streak": ["/eventId", "/messageId", "/id"],
            "streak_ms": {"when": {"at": ["/eventId", "/messageId", "/id"], "exists": true}, "then": {"const": 3600000}}
          }
        }
    """#

  private static let giftWidget =
    "/updateOrAddInteractivityWidgetAction/widgetRenderer/interactivityWidgetRenderer/content/giftAttributionItemViewModel"
  private static let widgetOptions =
    "/updateOrAddInteractivityWidgetAction/widgetRenderer/interactivityWidgetRenderer/content/elementRenderer/compatibilityOptions"

  private static let youTubeJS = #"""
    "ts": {"at": "/timestamp", "unit": "auto"},
            "id": "/id",
            "sender": {
              "id": ["/author/id", "/author/name/text", "/author/name"],
              "show": {"name": ["/author/name/text", "/author/name"], "avatar": {"at": "/author/thumbnails/0/url", "max": 1000}}
            }
    """#

  private static let streamerBotFields = #"""
    "room": [{"at": ["/broadcast/liveChatId", "/liveChatId"]}, {"key": true}],
            "ts": {"at": ["/publishedAt", "../timeStamp"], "unit": "auto"},
            "id": ["/eventId", "/messageId", "/id"]
    """#
}
