extension PlatformShape {
  /// A gift of Niconico's message server as JSON. See docs/platforms/niconico.md.
  static let niconico = PlatformShape(
    name: "niconico",
    tap: { gift in
      """
      {"meta":{"id":"Ehk\(gift.messageNumber)","at":"\(gift.time)","origin":{"chat":{"liveId":"\(gift.roomNumber)"}}},\
      "message":{"gift":{"itemId":"\(gift.giftNumber)","advertiserUserId":"\(gift.senderNumber)","advertiserName":"\(gift.senderName)",\
      "point":"\(gift.value)","message":"","itemName":"\(gift.giftName)"}}}
      """
    })
}
