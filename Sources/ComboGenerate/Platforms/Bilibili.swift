extension PlatformShape {
  /// `SEND_GIFT` of Bilibili's web socket, and the `COMBO_SEND` that repeats the same gifts. See docs/platforms/bilibili.md.
  static let bilibili = PlatformShape(
    name: "bilibili", batches: [1, 1, 1, 10, 50],
    tap: { gift in
      """
      {"cmd":"SEND_GIFT","room_id":\(gift.roomNumber),"data":{"action":"投喂","batch_combo_id":"batch:\(bilibiliCombo(gift))",\
      "coin_type":"gold","combo_send":{"combo_id":"\(bilibiliCombo(gift))","combo_num":\(gift.total),"gift_id":\(gift.giftNumber),\
      "gift_num":\(gift.batch),"uid":\(gift.senderNumber)},"combo_stay_time":3,"combo_total_coin":\(gift.total * gift.value * 100),\
      "face":"https://img.example.net/face/\(gift.senderNumber).jpg","giftId":\(gift.giftNumber),"giftName":"\(gift.giftName)",\
      "num":\(gift.batch),"price":\(gift.value * 100),\
      "receive_user_info":{"uid":\(gift.hostNumber),"uname":"\(gift.hostName)"},"rnd":"\(gift.messageNumber)",\
      "super_gift_num":\(gift.total),"tid":"\(gift.messageNumber)","timestamp":\(gift.ts / 1000),\
      "total_coin":\(gift.batch * gift.value * 100),"uid":\(gift.senderNumber),"uname":"\(gift.senderName)"}}
      """
    },
    closing: { gift in
      guard gift.taps > 1 else { return nil }
      return """
        {"cmd":"COMBO_SEND","room_id":\(gift.roomNumber),"data":{"action":"投喂","batch_combo_id":"batch:\(bilibiliCombo(gift))",\
        "batch_combo_num":\(gift.hits),"combo_id":"\(bilibiliCombo(gift))","combo_num":\(gift.total),\
        "combo_total_coin":\(gift.total * gift.value * 100),"gift_id":\(gift.giftNumber),"gift_name":"\(gift.giftName)","gift_num":0,\
        "r_uname":"\(gift.hostName)","ruid":\(gift.hostNumber),"total_num":\(gift.total),"uid":\(gift.senderNumber),\
        "uname":"\(gift.senderName)"}}
        """
    })

  private static func bilibiliCombo(_ gift: PlatformGift) -> String {
    "gift:combo_id:\(gift.senderNumber):\(gift.hostNumber):\(gift.giftNumber):\(gift.began / 1000).\(gift.streak)"
  }

  /// `LIVE_OPEN_PLATFORM_SEND_GIFT` of Bilibili's open platform. See docs/platforms/bilibili-open.md.
  static let bilibiliOpen = PlatformShape(
    name: "bilibili-open", batches: [1, 1, 1, 5, 20], senderID: { "o\($0.senderNumber)" },
    tap: { gift in
      """
      {"cmd":"LIVE_OPEN_PLATFORM_SEND_GIFT","data":{"room_id":\(gift.roomNumber),"uid":0,"open_id":"o\(gift.senderNumber)",\
      "uname":"\(gift.senderName)","uface":"https://img.example.net/face/\(gift.senderNumber).jpg","gift_id":\(gift.giftNumber),\
      "gift_name":"\(gift.giftName)","gift_num":\(gift.batch),"price":\(gift.value * 100),"paid":true,"timestamp":\(gift.ts / 1000),\
      "msg_id":"m-\(gift.messageNumber)","anchor_info":{"uid":\(gift.hostNumber),"open_id":"h\(gift.hostNumber)","uname":"\(gift.hostName)"},\
      "combo_gift":true,"combo_info":{"combo_base_num":\(gift.batch),"combo_count":\(gift.hits),\
      "combo_id":"c\(gift.streak)","combo_timeout":3}}}
      """
    })
}
