/// The combos to which a `retract` applies: all that match its ids. An empty id matches any.
@safe public struct Retraction {
  /// The sender's id; never empty.
  public var senderID: Bytes
  /// The receiver's id; empty for any.
  public var receiverID: Bytes
  /// The gift's id; empty for any.
  public var giftID: Bytes

  /// Creates a retraction of borrowed bytes.
  public init(senderID: Bytes, receiverID: Bytes, giftID: Bytes) {
    unsafe self.senderID = unsafe senderID
    unsafe self.receiverID = unsafe receiverID
    unsafe self.giftID = unsafe giftID
  }
}

extension Retraction {
  /// Whether it applies to the combo with that key.
  func means(_ key: ComboKey) -> Bool {
    func agrees(_ named: Bytes, _ id: Bytes) -> Bool {
      unsafe named.count == 0 || (named.count == id.count && sameBytes(named, id))
    }
    return unsafe agrees(senderID, key.senderID) && agrees(receiverID, key.receiverID) && agrees(giftID, key.giftID)
  }
}
