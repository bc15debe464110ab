/// The data that a screen needs to draw a banner, forwarded unchanged. Borrowed bytes.
public struct Display {
  /// The sender, as a JSON object without white space between tokens. The engine does not interpret it.
  public var sender: Bytes
  /// The receiver in the same form, empty if the gift had none.
  public var receiver: Bytes
  /// The gift in the same form.
  public var gift: Bytes

  /// Creates display data of borrowed bytes.
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
