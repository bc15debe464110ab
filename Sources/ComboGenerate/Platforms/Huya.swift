extension PlatformShape {
  /// `SendItemSubBroadcastPacket` (6501) of Huya's web page, with the names that its bundle has. See docs/platforms/huya.md.
  static let huya = PlatformShape(
    name: "huya", batches: [1, 1, 1, 10, 66],
    tap: { gift in
      """
      {"iItemType":\(gift.giftNumber),"strPayId":"HUYA-\(gift.messageNumber)","iItemCount":\(gift.batch),"lPresenterUid":\(gift.hostNumber),\
      "lSenderUid":\(gift.senderNumber),"sPresenterNick":"\(gift.hostName)","sSenderNick":"\(gift.senderName)","sSendContent":"",\
      "iItemCountByGroup":\(gift.batch),"iItemGroup":1,"iComboScore":0,"iEffectType":0,"sPropsName":"\(gift.giftName)",\
      "lRoomId":\(gift.roomNumber),"iPayType":1,"iComboStatus":0,"lComboSeqId":\(gift.streak),"lPayTotal":\(gift.value * gift.batch * 100)}
      """
    })
}
