extension PlatformShape {
  /// A `GiftMessage` of Douyin as protobuf's JSON. A gift sent again has another msgId. See docs/platforms/douyin.md.
  static let douyin = PlatformShape(
    name: "douyin", batches: [1, 1, 1, 10, 66], isRenumbered: true, tap: { douyin($0, isEnd: false) },
    closing: { $0.isStreaking ? douyin($0, isEnd: true) : nil })

  private static func douyin(_ gift: PlatformGift, isEnd: Bool) -> String {
    let hits = gift.isStreaking ? gift.hits : 1
    let group = gift.isStreaking ? gift.began * 1000 + Int64(gift.streak % 1000) : gift.ts * 1000 + Int64(gift.hits)
    return """
      {"common":{"method":"WebcastGiftMessage","msgId":"\(gift.messageNumber)","roomId":"\(gift.roomNumber)","createTime":"\(gift.ts)"},\
      "giftId":"\(gift.giftNumber)","groupCount":"\(gift.batch)","repeatCount":"\(gift.batch * hits)","comboCount":"\(hits)",\
      "user":{"id":"\(gift.senderNumber)","nickName":"\(gift.senderName)"},\
      "toUser":{"id":"\(gift.hostNumber)","nickName":"\(gift.hostName)"},"repeatEnd":\(isEnd ? 1 : 0),"groupId":"\(group)",\
      "gift":{"id":"\(gift.giftNumber)","name":"\(gift.giftName)","diamondCount":\(gift.value),"combo":\(gift.isStreaking),"type":1},\
      "sendType":"\(gift.isStreaking ? 4 : 1)","totalCount":"\(gift.batch * hits)","sendTime":"\(gift.ts)"}
      """
  }
}
