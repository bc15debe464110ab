extension PlatformShape {
  /// A donation in CHZZK's chat, whose `extras` and `profile` are JSON in texts. See docs/platforms/chzzk.md.
  static let chzzk = PlatformShape(
    name: "chzzk", senderID: { "h\($0.senderNumber)" }, giftID: { _ in "donation" },
    tap: { gift in
      """
      {"svcid":"game","ver":"1","bdy":[{"svcid":"game","cid":"\(gift.roomNumber)","uid":"h\(gift.senderNumber)",\
      "profile":"{\\"userIdHash\\":\\"h\(gift.senderNumber)\\",\\"nickname\\":\\"\(gift.senderName)\\",\\"profileImageUrl\\":\\"\\"}",\
      "msg":"","msgTypeCode":10,"msgStatusType":"NORMAL","extras":"{\\"isAnonymous\\":false,\\"payType\\":\\"CURRENCY\\",\
      \\"payAmount\\":\(gift.value * 1000),\\"donationType\\":\\"CHAT\\",\\"donationId\\":\\"d\(gift.messageNumber)\\"}",\
      "ctime":\(gift.ts),"utime":\(gift.ts),"msgTime":\(gift.ts),"mbrCnt":100}],"cmd":93102,"tid":null,"cid":"\(gift.roomNumber)"}
      """
    })
}
