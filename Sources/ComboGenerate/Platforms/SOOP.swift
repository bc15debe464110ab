extension PlatformShape {
  /// Star balloons of SOOP as soop-extension passes them on. Nothing in them identifies a repetition. See docs/platforms/soop.md.
  static let soop = PlatformShape(
    name: "soop", batches: [1, 1, 5, 10, 100], senderID: { "viewer\($0.senderNumber)" }, giftID: { _ in "balloon" },
    tap: { gift in
      """
      {"event":"textDonation","data":{"receivedTime":"\(gift.time)","to":"\(gift.roomNumber)",\
      "from":"viewer\(gift.senderNumber)","fromUsername":"\(gift.senderName)","amount":"\(gift.batch)","fanClubOrdinal":"0"}}
      """
    })
}
