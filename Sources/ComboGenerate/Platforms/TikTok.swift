extension PlatformShape {
  /// A `WebcastGiftMessage` as TikTok-Live-Connector 2 and similar libraries pass it on. See docs/platforms/tiktok.md.
  static let tiktok = PlatformShape(
    name: "tiktok", tap: { tikTok($0, isEnd: false) }, closing: { $0.isStreaking ? tikTok($0, isEnd: true) : nil })

  private static func tikTok(_ gift: PlatformGift, isEnd: Bool) -> String {
    let count = gift.isStreaking ? gift.hits : 1
    let group = gift.isStreaking ? gift.began * 1000 + Int64(gift.streak % 1000) : gift.ts * 1000 + Int64(gift.number % 1000)
    return """
      {"common":{"method":"WebcastGiftMessage","msgId":"\(gift.messageNumber)","roomId":"\(gift.roomNumber)","createTime":"\(gift.ts)"},\
      "giftId":\(gift.giftNumber),"repeatCount":\(count),"comboCount":\(count),"groupCount":1,"groupId":"\(group)",\
      "repeatEnd":\(isEnd ? 1 : 0),"user":{"userId":"\(gift.senderNumber)","uniqueId":"viewer\(gift.sender)",\
      "nickname":"\(gift.senderName)"},"giftDetails":{"id":"\(gift.giftNumber)","giftName":"\(gift.giftName)",\
      "giftType":\(gift.isStreaking ? 1 : 2),"diamondCount":\(gift.value),"combo":\(gift.isStreaking)}}
      """
  }
}
