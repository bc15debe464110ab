/// Parts of the map youtube for what the web page is told, as it comes or as masterchat writes it.
extension BuiltInMaps {
  /// Fields of what masterchat writes.
  static let masterchat = #"""
    "ts": [{"at": "/timestampUsec", "unit": "us"}, {"at": "/timestamp", "unit": "auto"}],
            "id": "/id",
            "sender": {
              "id": "/authorChannelId",
              "show": {"name": "/authorName", "avatar": {"at": "/authorPhoto", "max": 1000}}
            }
    """#

  /// The rule for announced memberships whose number is this part of the sentence.
  static func announced(at run: Int) -> String {
    let number = "/header/liveChatSponsorshipsHeaderRenderer/primaryText/runs/\(run)/text"
    return #"""
      {
            "about": "What the web page is told: its number stands by itself in a sentence, where the language puts it.",
            "when": {
              "all": [
                {"at": ["/liveChatSponsorshipsGiftPurchaseAnnouncementRenderer/id"], "exists": true},
                {"switch": "memberships", "is": "parent"},
                {
                  "at": "/liveChatSponsorshipsGiftPurchaseAnnouncementRenderer\#(number)",
                  "above": 0
                }
              ]
            },
            "root": "/liveChatSponsorshipsGiftPurchaseAnnouncementRenderer",
            "event": "gift",
            "fields": {
              "ts": {"at": "/timestampUsec", "unit": "us"},
              "id": "/id",
              "sender": {
                "id": "/authorExternalChannelId",
                "show": {
                  "name": "/header/liveChatSponsorshipsHeaderRenderer/authorName/simpleText",
                  "avatar": {"at": "/header/liveChatSponsorshipsHeaderRenderer/authorPhoto/thumbnails/0/url", "max": 1000}
                }
              },
              "gift": {"id": {"const": "membership"}},
              "count": "\#(number)"
            }
          }
      """#
  }
}
