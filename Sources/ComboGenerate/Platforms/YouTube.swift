extension PlatformShape {
  /// `giftEvent` of YouTube's live chat, as its API lists it. See docs/platforms/youtube.md.
  static let youtube = PlatformShape(
    name: "youtube", senderID: { "UC\($0.senderNumber)" }, giftID: { $0.giftName },
    tap: { gift in
      """
      {"kind":"youtube#liveChatMessage","id":"LCC.\(gift.streak)","snippet":{"type":"giftEvent","liveChatId":"\(gift.roomNumber)",\
      "authorChannelId":"UC\(gift.senderNumber)","publishedAt":"\(gift.time)","hasDisplayContent":true,\
      "giftDetails":{"giftName":"\(gift.giftName)","comboCount":\(gift.hits),"altText":"\(gift.giftName)","language":"zh"}},\
      "authorDetails":{"channelId":"UC\(gift.senderNumber)","displayName":"\(gift.senderName)"}}
      """
    })
}
