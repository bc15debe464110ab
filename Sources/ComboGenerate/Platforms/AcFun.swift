extension PlatformShape {
  /// AcFun's gift as acfundanmu writes it, with the live's id, which a producer adds. See docs/platforms/acfun.md.
  static let acfun = PlatformShape(
    name: "acfun", batches: [1, 1, 1, 10],
    tap: { gift in
      """
      {"liveID":"\(gift.roomNumber)","danmuInfo":{"sendTime":\(gift.ts),"userInfo":{"userID":\(gift.senderNumber),\
      "nickname":"\(gift.senderName)","avatar":"https://img.example.net/face/\(gift.senderNumber).jpg"}},\
      "giftDetail":{"giftID":\(gift.giftNumber),"giftName":"\(gift.giftName)","payWalletType":1,"price":\(gift.value),"canCombo":true},\
      "count":\(gift.batch),"combo":\(gift.hits),"value":\(gift.value * gift.batch * 1000),\
      "comboID":"\(gift.senderNumber)-\(gift.began)-\(gift.streak)","slotDisplayDuration":3000,"expireDuration":300000}
      """
    })
}
