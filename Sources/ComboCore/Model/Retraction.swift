/// The combos that a `retract` means: all that agree with what is named. An empty id stands for any.
public struct Retraction {
  /// Whose gifts; never empty.
  public var senderID: Bytes
  /// To whom, or empty for anyone.
  public var receiverID: Bytes
  /// Which, or empty for any.
  public var giftID: Bytes

  /// A retraction of borrowed bytes.
  public init(senderID: Bytes, receiverID: Bytes, giftID: Bytes) {
    self.senderID = senderID
    self.receiverID = receiverID
    self.giftID = giftID
  }
}

extension Retraction {
  /// Whether it means the combo of that key.
  func means(_ key: ComboKey) -> Bool {
    func agrees(_ named: Bytes, _ id: Bytes) -> Bool { named.count == 0 || (named.count == id.count && sameBytes(named, id)) }
    return agrees(senderID, key.senderID) && agrees(receiverID, key.receiverID) && agrees(giftID, key.giftID)
  }
}
