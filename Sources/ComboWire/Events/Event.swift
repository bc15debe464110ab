public import ComboCore

/// The content of one input record. Its bytes are in the arena into which it was decoded, and are valid until that is reset.
///
/// It is a plain value without references, meant to be kept in long arrays and to be reused.
public struct Event {
  /// The kind of an event.
  public enum Kind: UInt8, Sendable {
    /// A gift, which is in `gift`.
    case gift
    /// The room has ended.
    case roomClosed
    /// A retraction, which is in `retraction`.
    case retract
    /// Settings of the room. They are in ``EventDecoder/own`` until the next event is decoded.
    case roomSettings
  }

  /// The kind. Only the field that belongs to it is valid.
  public var kind = Kind.roomClosed
  /// The event's room; 1 to 256 bytes of UTF-8.
  public var room = Bytes(start: nil, count: 0)
  /// The event's own time, in milliseconds since the Unix epoch, from 0 to 2^53; -1 if it has none.
  public var ts: Int64 = -1
  /// The gift, if the event is one.
  public var gift: Gift
  /// The combos to retract, if the event is a retraction. They share the gift's memory, so an event fits into three cache lines.
  public var retraction: Retraction {
    get { Retraction(senderID: gift.senderID, receiverID: gift.receiverID, giftID: gift.giftID) }
    set { (gift.senderID, gift.receiverID, gift.giftID) = (newValue.senderID, newValue.receiverID, newValue.giftID) }
  }

  /// Creates an event to be filled by ``EventDecoder/decode(_:key:into:_:)``.
  public init() {
    let none = Bytes(start: nil, count: 0)
    gift = Gift(
      id: none, senderID: none, receiverID: none, giftID: none, display: Display(sender: none, receiver: none, gift: none),
      value: 0, amount: .count(1))
  }
}
