extension PlatformShape {
  /// Kick's webhook `channel.subscription.gifts` together with its headers, with one giftee per receiver. See
  /// docs/platforms/kick.md.
  static let kick = PlatformShape(
    name: "kick", batches: [1, 1, 1, 5, 10], giftID: { _ in "subscription" },
    tap: { gift in
      let receivers = (0..<gift.batch).map { place in
        "{\"is_anonymous\":false,\"user_id\":\(900_000_000 + gift.number * 10 + place),\"username\":\"viewer\(place)\",\"channel_slug\":\"viewer\(place)\"}"
      }
      return """
        {"event":"channel.subscription.gifts","message_id":"01K\(gift.messageNumber)","payload":{"broadcaster":{"is_anonymous":false,\
        "user_id":\(gift.roomNumber),"username":"\(gift.hostName)","channel_slug":"room\(gift.room)"},"gifter":{"is_anonymous":false,\
        "user_id":\(gift.senderNumber),"username":"\(gift.senderName)","channel_slug":"viewer\(gift.sender)"},\
        "giftees":[\(receivers.joined(separator: ","))],"created_at":"\(gift.time)"}}
        """
    })
}
