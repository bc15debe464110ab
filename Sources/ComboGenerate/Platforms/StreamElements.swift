extension PlatformShape {
  /// A tip as StreamElements' web socket reports it among the activities. See docs/platforms/streamelements.md.
  static let streamElements = PlatformShape(
    name: "streamelements", senderID: { "viewer\($0.senderNumber)" }, giftID: { _ in "tip" },
    tap: { gift in
      """
      {"id":"01H\(gift.messageNumber)","ts":"\(gift.time)","type":"message","topic":"channel.activities",\
      "room":"\(gift.roomNumber)","data":{"_id":"\(gift.messageNumber)","channel":"\(gift.roomNumber)","type":"tip","provider":"twitch",\
      "flagged":false,"data":{"tipId":"t\(gift.number)","username":"viewer\(gift.senderNumber)","providerId":"\(gift.senderNumber)",\
      "displayName":"\(gift.senderName)","amount":\(gift.value),"currency":"EUR","message":"",\
      "avatar":"https://img.example.net/face/\(gift.senderNumber).jpg"},"createdAt":"\(gift.time)"}}
      """
    })
}
