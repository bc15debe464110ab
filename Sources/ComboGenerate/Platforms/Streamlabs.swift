extension PlatformShape {
  /// A donation of Streamlabs' socket, which names no room. See docs/platforms/streamlabs.md.
  static let streamlabs = PlatformShape(
    name: "streamlabs", senderID: { "viewer\($0.senderNumber)" }, giftID: { _ in "donation" },
    tap: { gift in
      """
      {"type":"donation","message":[{"id":\(gift.number),"name":"\(gift.senderName)","amount":"\(gift.value)",\
      "formatted_amount":"$\(gift.value).00","formattedAmount":"$\(gift.value).00","message":"","currency":"USD","emotes":null,\
      "iconClassName":"user","to":{"name":"\(gift.hostName)"},"from":"viewer\(gift.senderNumber)","from_user_id":null,\
      "_id":"\(gift.messageNumber)"}],"event_id":"evt_\(gift.number)"}
      """
    })
}
