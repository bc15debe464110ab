/// Borrowed bytes, valid during the call that receives them.
public typealias Bytes = UnsafeRawBufferPointer

/// A gift as it is handed to an engine. Its bytes are borrowed: the engine copies what it keeps.
///
/// Ids are compared byte by byte; an empty one means that there is none.
public struct Gift {
  /// Names the gift, so that one sent twice counts once; empty: no name.
  public var id: Bytes
  /// The sender's id.
  public var senderID: Bytes
  /// The receiver's id; empty: none.
  public var receiverID: Bytes
  /// The gift.
  public var giftID: Bytes
  /// Names the combo: only gifts of the same name join; empty: no name.
  public var combo = Bytes(start: nil, count: 0)
  /// The display data, handed on as it is.
  public var display: Display
  /// The worth of one, from 0 on.
  public var value: Double
  /// The number of gifts.
  public var amount: Amount
  /// Of a total: how long it is remembered, in milliseconds, in place of the setting.
  public var streakMs: Int32?
  /// Of a total: whether it is the last of its streak.
  public var ends = false
  /// How long its banner is to stay after its last number, at least, in milliseconds, up to ``lingerMax``; 0: it does not say.
  public var lingerMs: UInt16 = 0
  /// Whether it keeps alive what it repeats.
  public var refreshes = false
  /// By what engines look it up, if a ``GiftHasher`` made it.
  package private(set) var hashes = Hashes()

  /// No gift's own linger is longer, in milliseconds.
  public static let lingerMax = 60_000

  /// Hashes of a gift's id and of its combo's key; 0: not made, or there is none.
  package struct Hashes: Equatable, Sendable {
    var id: UInt32 = 0
    var combo: UInt32 = 0
  }

  /// How many a gift is.
  public enum Amount {
    /// This many, from 1 on.
    case count(Int)
    /// The number in this streak so far, this gift included, from 1 on. `streak` is empty if the gift names none.
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

/// Makes the hashes by which engines look gifts up, before they are taken.
///
/// Not needed: an engine makes what is missing. It pays where gifts wait between being read and being taken: here their bytes
/// are in the processor's cache, there they may not be. The hashes hold for all engines of this process.
package struct GiftHasher: Sendable {
  fileprivate let seed = KeyHash.seed

  /// The hasher of this process.
  package init() {}
}

extension Gift {
  /// Makes the hashes; its ids must not change any more.
  @inline(__always)
  package mutating func hash(with hasher: GiftHasher) {
    hashes.id = id.count > 0 ? GiftIDs.hash(id, hasher.seed) : 0
    hashes.combo = KeyHash.combo(senderID, receiverID, giftID, combo, hasher.seed)
  }

  /// Forgets the hashes, and what not every event has: it is about to become another gift, in memory that may never have held one.
  @inline(__always)
  package mutating func forgetHashes() {
    hashes = Hashes()
    combo = Bytes(start: nil, count: 0)
    streakMs = nil
    ends = false
    lingerMs = 0
    refreshes = false
  }
}
