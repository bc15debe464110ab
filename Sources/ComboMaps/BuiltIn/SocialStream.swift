/// Rules for what Social Stream Ninja hands on: a flat object with `type` (the platform), `chatname`, and under `meta` what the platform said.
/// Its `hasDonation` is a sentence; where nothing else has the number, the record is bad.
extension BuiltInMaps {
  /// Where its messages are, below its envelopes.
  static let socialStreamRoots = #""/overlayNinja", "/dataReceived/overlayNinja""#

  static let socialStreamTikTok = #"""
        {
          "about": "Social Stream Ninja: how many of a streak so far.",
          "when": [
            {"at": "/type", "is": "tiktok"}, {"at": "/chatname", "exists": true}, {"at": "/meta/tiktokGiftCount", "above": 0},
            {"at": ["/meta/groupId", "/meta/tiktokGiftStreakId"], "unless": ["0"], "exists": true}
          ],
          "event": "gift",
          "fields": {
            \#(socialStreamTikTokGift),
            "total": "/meta/tiktokGiftCount",
            "streak": [{"at": ["/meta/groupId"], "unless": ["0"]}, "/meta/tiktokGiftStreakId"],
            "streak_ms": {"const": 300000}
          }
        },
        {
          "about": "Social Stream Ninja: a streak that is over, or a gift by itself.",
          "when": [{"at": "/type", "is": "tiktok"}, {"at": "/chatname", "exists": true}, {"at": "/meta/tiktokGiftCount", "above": 0}],
          "event": "gift",
          "fields": {
            "id": [{"at": ["/meta/tiktokGiftMessageId"], "unless": ["0"]}],
            \#(socialStreamTikTokGift),
            "count": "/meta/tiktokGiftCount"
          }
        }
    """#

  private static let socialStreamTikTokGift = #"""
    "sender": {
              "id": [{"at": ["/meta/tiktokGiftSenderId", "/userid"], "unless": ["0"]}, "/chatname"],
              "show": {"name": "/chatname", "avatar": {"at": "/chatimg", "max": 1000}}
            },
            "gift": {
              "id": [{"at": ["/meta/giftId"], "unless": ["0"]}, "/meta/giftName", "/contentimg"],
              "value": "/meta/coinsPerGift",
              "show": {"name": "/meta/giftName", "icon": {"at": "/contentimg", "max": 1000}}
            }
    """#

  static let socialStreamTwitch = #"""
        {
          "about": "Social Stream Ninja: bits.",
          "when": [
            {"at": "/type", "is": "twitch"}, {"at": "/event", "is": ["cheer", "powerup"]}, {"at": "/meta/bits", "above": 0},
            {"switch": "bits", "is": "gifts"}
          ],
          "event": "gift",
          "fields": {
            \#(socialStreamTwitchSender),
            "gift": {"id": {"const": "bits"}, "value": {"const": 1}},
            "count": "/meta/bits"
          }
        },
        {
          "when": [
            {"at": "/type", "is": "twitch", "missing": false}, {"at": "/chatname", "exists": true},
            {"any": [{"at": "/event", "is": ["cheer", "powerup"], "missing": false}, {"at": "/hasDonation", "contains": "bits", "missing": false}]},
            {"switch": "bits", "is": "ignored"}
          ],
          "drop": "bits, which the switch bits=gifts makes gifts"
        },
        {
          "about": "Social Stream Ninja: gifted subscriptions, as EventSub's channel.subscription.gift has them.",
          "when": [
            {"at": "/type", "is": "twitch"}, {"at": "/event", "is": "subscription_gift"}, {"at": ["/meta/total", "/total"], "above": 0},
            {"switch": "source", "is": ["any", "subscriptions"]}
          ],
          "event": "gift",
          "fields": {
            \#(socialStreamTwitchSender),
            "gift": {"id": ["/meta/tier", "/tier", {"const": "subscription"}]},
            "count": ["/meta/total", "/total"]
          }
        },
        {
          "when": [
            {"at": "/type", "is": "twitch", "missing": false}, {"at": "/event", "is": "new_subscriber", "missing": false},
            {"at": "/chatname", "exists": true}
          ],
          "drop": "tells who received a subscription, not who gave it"
        }
    """#

  private static let socialStreamTwitchSender = #"""
    "sender": {
              "id": [{"at": ["/userid", "/meta/userId"], "unless": ["0"]}, "/chatname", {"const": "anonymous"}],
              "show": {"name": "/chatname", "avatar": {"at": "/chatimg", "max": 1000}}
            }
    """#

  static let socialStreamYouTube = #"""
        {
          "about": "Social Stream Ninja: a gift. It hands on each message of a combo, without the combo's number.",
          "when": [
            {"at": "/type", "is": ["youtube", "youtubeshorts"]}, {"at": "/event", "is": "jeweldonation"},
            {"at": "/meta/youtubeGift/animationUrl", "exists": false},
            {"at": ["/meta/youtubeGift/giftName", "/meta/youtubeGift/altText", "/subtitle"], "exists": true}
          ],
          "event": "gift",
          "fields": {
            \#(socialStreamYouTubeSender),
            "gift": {
              "id": ["/meta/youtubeGift/giftName", "/meta/youtubeGift/altText", "/subtitle"],
              "value": "/meta/youtubeGift/jewelsAmount",
              "show": {
                "name": ["/meta/youtubeGift/giftName", "/subtitle"],
                "icon": {"at": ["/meta/youtubeGift/giftUrl", "/contentimg"], "max": 1000}
              }
            },
            "count": {"const": 1}
          }
        },
        {
          "when": [
            {"at": "/type", "is": ["youtube", "youtubeshorts"], "missing": false}, {"at": "/meta/youtubeGift/animationUrl", "exists": true}
          ],
          "drop": "what is drawn over the video, beside the gift itself"
        },
        {
          "about": "Social Stream Ninja: a sticker.",
          "when": [{"at": "/type", "is": ["youtube", "youtubeshorts"]}, {"at": "/event", "is": "supersticker"}, {"at": "/chatname", "exists": true}],
          "event": "gift",
          "fields": {
            \#(socialStreamYouTubeSender),
            "gift": {"id": {"const": "super-sticker"}, "show": {"amount": "/hasDonation", "icon": {"at": "/contentimg", "max": 1000}}},
            "count": {"const": 1}
          }
        },
        {
          "about": "Social Stream Ninja: a super chat.",
          "when": [
            {"at": "/type", "is": ["youtube", "youtubeshorts"]}, {"at": "/event", "is": ["superchat", "donation"]}, {"at": "/chatname", "exists": true},
            {"switch": "superchat", "is": "gifts"}
          ],
          "event": "gift",
          "fields": {
            \#(socialStreamYouTubeSender),
            "gift": {"id": {"const": "super-chat"}, "show": {"amount": "/hasDonation", "message": {"at": "/chatmessage", "max": 1000}}},
            "count": {"const": 1}
          }
        },
        {
          "when": [
            {"at": "/type", "is": ["youtube", "youtubeshorts"], "missing": false}, {"at": "/event", "is": ["superchat", "donation"], "missing": false},
            {"at": "/chatname", "exists": true}
          ],
          "drop": "a super chat, which the switch superchat=gifts makes a gift"
        },
        {
          "when": [
            {"at": "/type", "is": ["youtube", "youtubeshorts"], "missing": false}, {"at": "/event", "is": "giftpurchase", "missing": false},
            {"at": "/chatname", "exists": true}, {"switch": "memberships", "is": "parent"}
          ],
          "bad": "Social Stream Ninja tells the number of memberships in a sentence only: take the API, or recordings of the web page"
        },
        {
          "when": [
            {"at": "/type", "is": ["youtube", "youtubeshorts"], "missing": false}, {"at": "/event", "is": "giftpurchase", "missing": false},
            {"at": "/chatname", "exists": true}
          ],
          "drop": "memberships that count when they are received"
        },
        {
          "when": [
            {"at": "/type", "is": ["youtube", "youtubeshorts"], "missing": false}, {"at": "/event", "is": "giftredemption", "missing": false},
            {"at": "/chatname", "exists": true}, {"switch": "memberships", "is": "parent"}
          ],
          "drop": "a membership that counted when it was announced"
        }
    """#

  private static let socialStreamYouTubeSender = #"""
    "id": ["/meta/messageId"],
            "ts": {"at": "/timestamp", "unit": "auto"},
            "sender": {
              "id": [{"at": ["/userid"], "unless": ["0"]}, "/chatname"],
              "show": {"name": "/chatname", "avatar": {"at": "/chatimg", "max": 1000}}
            }
    """#

  static let socialStreamKick = #"""
        {
          "when": [
            {"at": "/type", "is": "kick", "missing": false}, {"at": "/event", "is": "subscription_gift", "missing": false},
            {"switch": "subscriptions", "is": "ignored"}
          ],
          "drop": "gifted subscriptions, which the switch subscriptions=gifts makes gifts"
        },
        {
          "about": "Social Stream Ninja: gifted subscriptions.",
          "when": [{"at": "/type", "is": "kick"}, {"at": "/event", "is": "subscription_gift"}, {"at": "/meta/totalGifted", "above": 0}],
          "event": "gift",
          "fields": {
            \#(socialStreamKickSender),
            "gift": {"id": {"const": "subscription"}},
            "count": "/meta/totalGifted"
          }
        },
        {
          "when": [
            {"at": "/type", "is": "kick", "missing": false}, {"at": "/meta/eventType", "contains": "kicks", "missing": false},
            {"switch": "kicks", "is": "ignored"}
          ],
          "drop": "Kicks, which the switch kicks=gifts makes gifts"
        },
        {
          "about": "Social Stream Ninja: Kicks.",
          "when": [
            {"at": "/type", "is": "kick"}, {"at": "/event", "is": ["gift", "donation"]}, {"at": "/meta/eventType", "contains": "kicks"},
            {"at": "/meta/amount", "above": 0}
          ],
          "event": "gift",
          "fields": {
            \#(socialStreamKickSender),
            "gift": {
              "id": ["/meta/giftName", {"const": "kicks"}],
              "value": "/meta/amount",
              "show": {"name": "/meta/giftName", "tier": "/meta/tier", "message": {"at": "/meta/message", "max": 1000}}
            },
            "count": {"const": 1}
          }
        }
    """#

  private static let socialStreamKickSender = #"""
    "ts": {"at": ["/meta/createdAt", "/timestamp"], "unit": "auto"},
            "sender": {
              "id": [{"at": ["/userid"], "unless": ["0"]}, "/meta/supporter", "/meta/gifter", "/chatname", {"const": "anonymous"}],
              "show": {"name": "/chatname", "avatar": {"at": "/chatimg", "max": 1000}}
            }
    """#
}
