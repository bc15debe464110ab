/// A run of bytes that somebody else owns, valid during the call that it is handed to.
public typealias Bytes = UnsafeRawBufferPointer

/// A gift as it is handed to an engine. Its bytes are borrowed: the engine copies what it keeps.
///
/// Ids are compared byte by byte; an empty one means that there is none.
public struct Gift {
  /// Names the gift, so that one sent twice counts once; empty: no name.
  public var id: Bytes
  /// Who gives.
  public var senderID: Bytes
  /// To whom; empty: to nobody in particular.
  public var receiverID: Bytes
  /// What is given.
  public var giftID: Bytes
  /// The display data, handed on as it is.
  public var display: Display
  /// What one is worth, from 0 on.
  public var value: Double
  /// How many.
  public var amount: Amount

  /// How many a gift is.
  public enum Amount {
    /// So many, from 1 on.
    case count(Int)
    /// So many in the course of this streak, this gift among them, from 1 on. `streak` is empty if the gift names none.
    case total(Int, streak: Bytes)
  }

  /// A gift of borrowed bytes.
  public init(id: Bytes, senderID: Bytes, receiverID: Bytes, giftID: Bytes, display: Display, value: Double, amount: Amount) {
    self.id = id
    self.senderID = senderID
    self.receiverID = receiverID
    self.giftID = giftID
    self.display = display
    self.value = value
    self.amount = amount
  }
}

/// What a screen needs to draw a banner, handed on as it came in. Borrowed bytes.
public struct Display {
  /// The sender, as a JSON object without white space between tokens (the engine does not look into it).
  public var sender: Bytes
  /// The receiver likewise; empty if the gift had none.
  public var receiver: Bytes
  /// The gift likewise.
  public var gift: Bytes

  /// Display data of borrowed bytes.
  public init(sender: Bytes, receiver: Bytes, gift: Bytes) {
    self.sender = sender
    self.receiver = receiver
    self.gift = gift
  }
}

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
