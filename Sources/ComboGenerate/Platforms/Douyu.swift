extension PlatformShape {
  /// `dgb` of Douyu's barrage server, as its own text. `hits` counts gifts. See docs/platforms/douyu.md.
  static let douyu = PlatformShape(
    name: "douyu", batches: [1, 1, 1, 10],
    tap: { gift in
      """
      type@=dgb/rid@=\(gift.roomNumber)/gfid@=\(gift.giftNumber)/gs@=1/uid@=\(gift.senderNumber)/nn@=\(gift.senderName)/\
      ic@=avatar_v3@S202511@S\(gift.senderNumber)/eid@=0/level@=8/dw@=0/gfcnt@=\(gift.batch)/hits@=\(gift.total)/bcnt@=1/\
      bst@=0/ct@=0/bnn@=/bl@=0/brid@=0/fc@=0/gfn@=\(gift.giftName)/receive_uid@=\(gift.hostNumber)/receive_nn@=\(gift.hostName)/
      """
    })
}
