/// The data that a screen needs to draw a banner, passed on unchanged. Borrowed bytes.
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

extension Display {
  /// The length of all parts together, in bytes.
  @inline(__always)
  var length: Int { sender.count &+ receiver.count &+ gift.count }
}
