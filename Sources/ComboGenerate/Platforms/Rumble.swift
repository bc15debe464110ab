extension PlatformShape {
  /// An answer of Rumble's live stream API with its newest rant. A rant is identified by its sender and time. Unlike in
  /// Rumble's own data, the time has milliseconds, because a streak has several rants per second. See docs/platforms/rumble.md.
  static let rumble = PlatformShape(
    name: "rumble", senderID: { "viewer\($0.senderNumber)" }, giftID: { _ in "rant" },
    tap: { gift in
      let created = gift.time
      let rant = """
        {"username":"viewer\(gift.senderNumber)","badges":[],"text":"","amount_cents":\(gift.value * 100),\
        "amount_dollars":\(gift.value),"created_on":"\(created)","expires_on":"\(created)"}
        """
      return """
        {"now":\(gift.ts / 1000),"type":"channel","user_id":"_u\(gift.room)","channel_id":\(gift.roomNumber),"max_num_results":50,\
        "gifted_subs":{"num_gifted_subs":0,"latest_gifted_sub":null,"recent_gifted_subs":[]},"livestreams":[{"id":"v\(gift.room)",\
        "title":"\(gift.hostName)","is_live":true,"chat":{"latest_message":null,"recent_messages":[],"latest_rant":\(rant),\
        "recent_rants":[\(rant)]}}]}
        """
    })
}
