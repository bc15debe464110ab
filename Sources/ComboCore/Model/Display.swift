/// The data that a screen needs to draw a banner, forwarded unchanged. Borrowed bytes.
@safe public struct Display {
  /// The sender, as a JSON object without white space between tokens. The engine does not interpret it.
  public var sender: Bytes
  /// The receiver in the same form, empty if the gift had none.
  public var receiver: Bytes
  /// The gift in the same form.
  public var gift: Bytes

  /// Creates display data of borrowed bytes.
  public init(sender: Bytes, receiver: Bytes, gift: Bytes) {
    unsafe self.sender = unsafe sender
    unsafe self.receiver = unsafe receiver
    unsafe self.gift = unsafe gift
  }
}

extension Display {
  /// The length of all parts together, in bytes.
  @inline(__always)
  var length: Int { unsafe sender.count &+ receiver.count &+ gift.count }
}
