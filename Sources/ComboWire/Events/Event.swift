public import ComboCore

/// The content of one input record. Its bytes are in the arena that it was decoded into, and are valid until that is reset.
///
/// A plain value without references, meant to be kept in long arrays and filled again and again.
public struct Event {
  /// The kind.
  public enum Kind: UInt8, Sendable {
    /// `gift` holds it.
    case gift
    /// The room is over.
    case roomClosed
    /// `retraction` holds what is retracted.
    case retract
    /// ``EventDecoder/own`` holds the settings until the next event is decoded.
    case roomSettings
  }

  /// The kind. Only the field that belongs to it means anything.
  public var kind = Kind.roomClosed
  /// The room that it is about; 1 to 256 bytes of UTF-8.
  public var room = Bytes(start: nil, count: 0)
  /// The event's own time, in milliseconds since the Unix epoch, from 0 to 2^53; -1 if it has none.
  public var ts: Int64 = -1
  /// The gift, if it is one.
  public var gift: Gift
  /// The combos to retract, if any. They take the place of the gift, so that an event has three lines of the cache.
  public var retraction: Retraction {
    get { Retraction(senderID: gift.senderID, receiverID: gift.receiverID, giftID: gift.giftID) }
    set { (gift.senderID, gift.receiverID, gift.giftID) = (newValue.senderID, newValue.receiverID, newValue.giftID) }
  }

  /// An event to be filled by ``EventDecoder/decode(_:key:into:_:)``.
  public init() {
    let none = Bytes(start: nil, count: 0)
    gift = Gift(
      id: none, senderID: none, receiverID: none, giftID: none, display: Display(sender: none, receiver: none, gift: none),
      value: 0, amount: .count(1))
  }
}
