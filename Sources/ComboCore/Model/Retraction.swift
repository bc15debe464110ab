/// The combos to which a `retract` applies: all that match its ids. An empty id matches any.
public struct Retraction {
  /// The sender's id; never empty.
  public var senderID: Bytes
  /// The receiver's id; empty for any.
  public var receiverID: Bytes
  /// The gift's id; empty for any.
  public var giftID: Bytes

  /// Creates a retraction of borrowed bytes.
  public init(senderID: Bytes, receiverID: Bytes, giftID: Bytes) {
    self.senderID = senderID
    self.receiverID = receiverID
    self.giftID = giftID
  }
}

extension Retraction {
  /// Whether it applies to the combo with that key.
  func means(_ key: ComboKey) -> Bool {
    func agrees(_ named: Bytes, _ id: Bytes) -> Bool { named.count == 0 || (named.count == id.count && sameBytes(named, id)) }
    return agrees(senderID, key.senderID) && agrees(receiverID, key.receiverID) && agrees(giftID, key.giftID)
  }
}
