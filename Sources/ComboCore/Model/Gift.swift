/// Borrowed bytes, valid during the call that receives them.
public typealias Bytes = UnsafeRawBufferPointer

/// A gift as an engine receives it. Its bytes are borrowed: the engine copies what it keeps.
///
/// Ids are compared byte by byte; an empty id means that there is none. Those of sender, receiver, gift and
/// combo have at most 65,535 bytes each; longer ones end the program. Above the limits of worths and totals named here, a
/// snapshot of the engine cannot be restored.
@safe public struct Gift {
  /// The id of the gift, so that one sent twice counts once, empty if it has none.
  public var id: Bytes
  /// The sender's id.
  public var senderID: Bytes
  /// The receiver's id, empty if there is none.
  public var receiverID: Bytes
  /// The gift's id.
  public var giftID: Bytes
  /// The combo's name: only gifts with the same name join. Empty if it has none.
  public var combo = unsafe Bytes(start: nil, count: 0)
  /// The display data, forwarded unchanged.
  public var display: Display
  /// The worth of one gift, 0 or more. All gifts of a banner together may be worth up to 10^100.
  public var value: Double
  /// The number of gifts.
  public var amount: Amount
  /// The duration for which a total is remembered, in milliseconds, or nil for that of the setting.
  public var streakMs: Int32?
  /// Whether a total is the last of its streak.
  public var ends = false
  /// The minimum time for which its banner stays after its last number change, in milliseconds, up to ``lingerMax``; 0 if
  /// unspecified.
  public var lingerMs: UInt16 = 0
  /// Whether it keeps a repeated id or total alive.
  public var refreshes = false
  /// The hashes by which engines look it up, if a ``GiftHasher`` computed them.
  package private(set) var hashes = Hashes()

  /// The maximum of a gift's own linger, in milliseconds.
  public static let lingerMax = 60_000

  /// The hashes of a gift's id and of its combo's key; 0 if not computed, or if there is no id.
  package struct Hashes: Equatable, Sendable {
    var id: UInt32 = 0
    var combo: UInt32 = 0
  }

  /// The number of gifts.
  @safe public enum Amount {
    /// A number of gifts, 1 or more.
    case count(Int)
    /// The number in this streak so far, including this gift, from 1 to 2^53 - 1. `streak` is empty if the gift names none.
    case total(Int, streak: Bytes)
  }

  /// Creates a gift of borrowed bytes.
  public init(id: Bytes, senderID: Bytes, receiverID: Bytes, giftID: Bytes, display: Display, value: Double, amount: Amount) {
    unsafe self.id = unsafe id
    unsafe self.senderID = unsafe senderID
    unsafe self.receiverID = unsafe receiverID
    unsafe self.giftID = unsafe giftID
    self.display = display
    self.value = value
    self.amount = amount
  }
}

/// Computes the hashes by which engines look gifts up, before these are taken.
///
/// It is optional: an engine computes missing hashes. It pays where gifts wait between being read and being taken, since their
/// bytes are in the processor's cache only at first. The hashes are valid for all engines of this process.
package struct GiftHasher: Sendable {
  fileprivate let seed = KeyHash.seed

  /// Creates the hasher of this process.
  package init() {}
}

extension Gift {
  /// Computes the hashes; the ids must not change afterwards.
  @inline(__always)
  package mutating func hash(with hasher: GiftHasher) {
    hashes.id = unsafe id.count > 0 ? GiftIDs.hash(id, hasher.seed) : 0
    hashes.combo = unsafe KeyHash.combo(senderID, receiverID, giftID, combo, hasher.seed)
  }

  /// Resets the hashes and the optional fields, before this memory, which may never have held a gift, receives another one.
  @inline(__always)
  package mutating func forgetHashes() {
    hashes = Hashes()
    unsafe combo = unsafe Bytes(start: nil, count: 0)
    streakMs = nil
    ends = false
    lingerMs = 0
    refreshes = false
  }
}
