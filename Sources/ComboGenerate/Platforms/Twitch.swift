extension PlatformShape {
  /// A USERNOTICE of Twitch's chat with its tags as an object: a bomb's `submysterygift`, then a `subgift` for each receiver. A
  /// gift to one viewer has no bomb. See docs/platforms/twitch.md.
  static let twitch = PlatformShape(
    name: "twitch", giftID: { twitchPlan($0) },
    opening: { gift in
      twitch(gift, "\"msg-id\":\"submysterygift\",\(twitchBomb(gift)),\"msg-param-mass-gift-count\":\"\(gift.taps)\"")
    },
    tap: { gift in
      let part = gift.taps > 1 ? "\(twitchBomb(gift)),\"msg-param-sender-count\":\"0\"" : "\"msg-param-sender-count\":\"7\""
      return twitch(
        gift,
        "\"msg-id\":\"subgift\",\(part),\"msg-param-recipient-id\":\"\(900_000_000 + gift.number)\",\"msg-param-recipient-user-name\":\"viewer\""
      )
    })

  private static func twitchPlan(_ gift: PlatformGift) -> String { ["1000", "2000", "3000"][gift.present % 3] }

  private static func twitchBomb(_ gift: PlatformGift) -> String {
    "\"msg-param-community-gift-id\":\"\(gift.streak)\",\"msg-param-origin-id\":\"\(gift.streak)\""
  }

  private static func twitch(_ gift: PlatformGift, _ tags: String) -> String {
    """
    {"command":"USERNOTICE","channel":"#room\(gift.room)","tags":{"display-name":"\(gift.senderName)","id":"\(gift.messageNumber)",\
    "login":"viewer\(gift.sender)",\(tags),"msg-param-sub-plan":"\(twitchPlan(gift))","room-id":"\(gift.roomNumber)",\
    "tmi-sent-ts":"\(gift.ts)","user-id":"\(gift.senderNumber)"}}
    """
  }
}
