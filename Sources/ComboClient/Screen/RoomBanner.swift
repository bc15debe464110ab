/// A banner on a room's screen: a single display of a combo.
public struct RoomBanner: Equatable, Sendable {
  /// Its number, starting at 1. The same number in another epoch is a different banner.
  public let number: Int
  /// Its slot; 0 is the lowest.
  public internal(set) var slot: Int
  /// The number to draw.
  public internal(set) var count: Int
  /// The part of ``count`` that an earlier banner of this combo has shown. Never add it to ``count``.
  public let base: Int
  /// The sender, as of the latest `show` or `screen`.
  public let sender: DisplayData?
  /// The receiver, if the gift has one.
  public let receiver: DisplayData?
  /// The gift.
  public let gift: DisplayData?

  /// Creates a banner of these values, for tests and previews.
  public init(
    number: Int, slot: Int, count: Int, base: Int = 0, sender: DisplayData? = nil, receiver: DisplayData? = nil,
    gift: DisplayData? = nil
  ) {
    self.number = number
    self.slot = slot
    self.count = count
    self.base = base
    self.sender = sender
    self.receiver = receiver
    self.gift = gift
  }
}
