/// The plain values of an engine's state.
public struct EngineHead: Equatable, Sendable {
  /// When it was created.
  public var epoch: Int64
  /// The `seq` of its last instruction.
  public var seq: Int
  /// The number of its last banner.
  public var banners: Int
  /// The time of its latest event or step.
  public var time: Int64
  /// When its last banner was gone, or its epoch.
  public var idleSince: Int64
  /// When the screen is said next, if it is due.
  public var screenDeadline: Int64?

  /// A head of these values.
  public init(epoch: Int64, seq: Int, banners: Int, time: Int64, idleSince: Int64, screenDeadline: Int64?) {
    self.epoch = epoch
    self.seq = seq
    self.banners = banners
    self.time = time
    self.idleSince = idleSince
    self.screenDeadline = screenDeadline
  }
}

/// Who gives what to whom. Borrowed bytes.
public struct ComboKey {
  /// Who gives.
  public var senderID: Bytes
  /// To whom; empty: to nobody in particular.
  public var receiverID: Bytes
  /// What.
  public var giftID: Bytes

  /// A key of borrowed bytes.
  public init(senderID: Bytes, receiverID: Bytes, giftID: Bytes) {
    self.senderID = senderID
    self.receiverID = receiverID
    self.giftID = giftID
  }
}

/// A banner's plain values.
public struct BannerState: Equatable, Sendable {
  /// Where a banner is in its life.
  public enum Phase: UInt8, CaseIterable, Sendable, BitwiseCopyable {
    case queued, entering, counting, lingering, leaving
  }
  /// Its number, from 1 on.
  public var number: Int
  /// Where it is in its life.
  public var phase: Phase
  /// Its place on screen; 0 if it waits.
  public var slot: Int
  /// The count that it took over.
  public var base: Int
  /// `base` plus all gifts merged into it.
  public var total: Int
  /// The count last put on screen.
  public var shown: Int
  /// What its gifts are worth.
  public var value: Double
  /// When it was created.
  public var created: Int64
  /// When its phase ends; 0 if it waits.
  public var deadline: Int64
  /// Whether its linger is the short one.
  public var shortLinger: Bool
  /// Whether another banner took over its count, or its leaving shall leave no history.
  public var takenOver: Bool

  /// A state of these values.
  public init(
    number: Int, phase: Phase, slot: Int, base: Int, total: Int, shown: Int, value: Double, created: Int64, deadline: Int64,
    shortLinger: Bool, takenOver: Bool
  ) {
    self.number = number
    self.phase = phase
    self.slot = slot
    self.base = base
    self.total = total
    self.shown = shown
    self.value = value
    self.created = created
    self.deadline = deadline
    self.shortLinger = shortLinger
    self.takenOver = takenOver
  }
}

/// Takes an engine's whole state, piece by piece, in this order. All bytes are borrowed.
public protocol SnapshotWriter {
  /// First, once.
  mutating func head(_ head: EngineHead, own: OwnSettings)
  /// A gift id that is remembered; the oldest first.
  mutating func id(_ id: Bytes, expiry: Int64)
  /// A running total that is remembered; the one set longest ago first. `name` is empty for the streak of a combo alone.
  mutating func streak(_ key: ComboKey, name: Bytes, total: Int, expiry: Int64)
  /// What a combo goes on from; the one that was gone first comes first.
  mutating func history(_ key: ComboKey, total: Int, expiry: Int64)
  /// A banner: first those on screen, lowest slot first, then those that wait, in the order of their numbers.
  mutating func banner(_ key: ComboKey, _ state: BannerState, _ display: Display)
}

/// What is wrong with a snapshot.
public struct SnapshotFault: Error, Equatable, Sendable, CustomStringConvertible {
  /// In words.
  public let description: String

  init(_ description: String) { self.description = description }
}
