extension PlatformShape {
  /// `SCWebFeedPush` with one `WebGiftFeed`. A producer adds the room, which Kuaishou's message does not have. See
  /// docs/platforms/kuaishou.md.
  static let kuaishou = PlatformShape(
    name: "kuaishou", batches: [1, 1, 1, 10, 66],
    tap: { gift in
      """
      {"liveStreamId":"\(gift.roomNumber)","displayWatchingCount":"50+","displayLikeCount":"240","giftFeeds":[{"id":"f\(gift.messageNumber)",\
      "user":{"principalId":"\(gift.senderNumber)","userName":"\(gift.senderName)"},"time":"\(gift.ts)","giftId":\(gift.giftNumber),\
      "sortRank":"\(gift.ts)","mergeKey":"\(gift.senderNumber)-\(gift.roomNumber)_\(gift.began)\(gift.streak)-\(gift.giftNumber)-\(gift.batch)",\
      "batchSize":\(gift.batch),"comboCount":\(gift.hits),"rank":\(gift.hits),"expireDuration":"300000","slotDisplayDuration":"3000",\
      "deviceHash":"AAAAAA=="}]}
      """
    })
}
