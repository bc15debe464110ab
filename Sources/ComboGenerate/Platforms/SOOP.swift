internal import ComboSystem

extension PlatformShape {
  /// Star balloons of SOOP as soop-extension passes them on. Nothing in them identifies a repetition. See docs/platforms/soop.md.
  static let soop = PlatformShape(
    "soop", batches: [1, 1, 5, 10, 100], senderID: { "viewer\($0.senderNumber)" }, giftID: { _ in "balloon" },
    tap: { gift in
      """
      {"event":"textDonation","data":{"receivedTime":"\(Timestamp.text(gift.ts))","to":"\(gift.roomNumber)",\
      "from":"viewer\(gift.senderNumber)","fromUsername":"\(gift.senderName)","amount":"\(gift.batch)","fanClubOrdinal":"0"}}
      """
    })
}
