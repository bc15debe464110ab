extension PlatformShape {
  /// A spell in Trovo's chat, whose `content` is JSON in a text. See docs/platforms/trovo.md.
  static let trovo = PlatformShape(
    name: "trovo", batches: [1, 1, 1, 5, 10],
    tap: { gift in
      """
      {"type":"CHAT","channel_info":{"channel_id":"\(gift.roomNumber)"},"data":{"eid":"e\(gift.number)","chats":[{"type":5,\
      "content":"{\\"gift\\":\\"\(gift.giftName)\\",\\"num\\":\(gift.batch),\\"gift_id\\":\(gift.giftNumber),\
      \\"gift_value\\":\(gift.value),\\"value_type\\":\\"Elixir\\"}","nick_name":"\(gift.senderName)",\
      "avatar":"https://img.example.net/face/\(gift.senderNumber).jpg","medals":[],"roles":[],"message_id":"1_\(gift.messageNumber)",\
      "sender_id":\(gift.senderNumber),"send_time":\(gift.ts / 1000),"uid":\(gift.senderNumber),"user_name":"viewer\(gift.sender)",\
      "content_data":{}}]}}
      """
    })
}
