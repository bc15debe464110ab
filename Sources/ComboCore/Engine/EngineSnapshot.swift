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
  /// When it last became idle; its epoch, if it never did.
  public var idleSince: Int64
  /// Until when a running total's own time holds it awake, if one ever did.
  public var awakeUntil: Int64?
  /// When the next screen is due, if any.
  public var screenDeadline: Int64?
  /// What was skipped and is not said yet, if anything.
  public var skipSum: SkipSum?
  /// The oldest rules under which an engine can have this state. Not needed to restore it.
  public var rules = Rules.oldest

  /// A head of these values.
  public init(
    epoch: Int64, seq: Int, banners: Int, time: Int64, idleSince: Int64, awakeUntil: Int64? = nil, screenDeadline: Int64?,
    skipSum: SkipSum? = nil
  ) {
    self.epoch = epoch
    self.seq = seq
    self.banners = banners
    self.time = time
    self.idleSince = idleSince
    self.awakeUntil = awakeUntil
    self.screenDeadline = screenDeadline
    self.skipSum = skipSum
  }
}

/// Banners that were skipped and are not said yet.
public struct SkipSum: Equatable, Sendable {
  /// How many banners.
  public var banners: Int
  /// Their gifts that were never seen.
  public var count: Int
  /// What these are worth.
  public var value: Double
  /// When it is due.
  public var deadline: Int64

  /// A sum of these values.
  public init(banners: Int, count: Int, value: Double, deadline: Int64) {
    self.banners = banners
    self.count = count
    self.value = value
    self.deadline = deadline
  }
}

/// Sender, gift and receiver. Borrowed bytes.
public struct ComboKey {
  /// The sender's id.
  public var senderID: Bytes
  /// The receiver's id; empty: none.
  public var receiverID: Bytes
  /// What.
  public var giftID: Bytes
  /// The combo's name; empty: it has none.
  public var combo: Bytes

  /// A key of borrowed bytes.
  public init(senderID: Bytes, receiverID: Bytes, giftID: Bytes, combo: Bytes = Bytes(start: nil, count: 0)) {
    self.senderID = senderID
    self.receiverID = receiverID
    self.giftID = giftID
    self.combo = combo
  }
}

/// The count from which a combo that is gone can continue.
public struct HistoryState {
  /// The count.
  public var total: Int
  /// Until when (included).
  public var expiry: Int64
  /// The number of its last banner and that one's display data, if its final is to come.
  public var final: (banner: Int, display: Display)?

  /// A state of these values; bytes are borrowed.
  public init(total: Int, expiry: Int64, final: (banner: Int, display: Display)? = nil) {
    self.total = total
    self.expiry = expiry
    self.final = final
  }
}

/// A banner's plain values.
public struct BannerState: Equatable, Sendable {
  /// The phase of a banner.
  public enum Phase: UInt8, CaseIterable, Sendable, BitwiseCopyable {
    case queued, entering, counting, lingering, leaving
  }
  /// Its number, from 1 on.
  public var number: Int
  /// Its phase.
  public var phase: Phase
  /// Its place on screen; 0 if it waits.
  public var slot: Int
  /// The count that it took over.
  public var base: Int
  /// `base` plus all gifts merged into it.
  public var total: Int
  /// The count last put on screen.
  public var shown: Int
  /// The worth of its gifts.
  public var value: Double
  /// When it was created, if it waits; else when it was shown.
  public var since: Int64
  /// When its phase ends; 0 if it waits.
  public var deadline: Int64
  /// Whether its linger is the short one.
  public var shortLinger: Bool
  /// Whether another banner took over its count, or its leaving shall leave no history.
  public var takenOver: Bool
  /// Whether it gives up its slot: no gift joins it any more.
  public var isSealed: Bool
  /// The longest linger that one of its gifts asked for, in milliseconds.
  public var ownLingerMs: Int

  /// A state of these values.
  public init(
    number: Int, phase: Phase, slot: Int, base: Int, total: Int, shown: Int, value: Double, since: Int64, deadline: Int64,
    shortLinger: Bool, takenOver: Bool, isSealed: Bool = false, ownLingerMs: Int = 0
  ) {
    self.number = number
    self.phase = phase
    self.slot = slot
    self.base = base
    self.total = total
    self.shown = shown
    self.value = value
    self.since = since
    self.deadline = deadline
    self.shortLinger = shortLinger
    self.takenOver = takenOver
    self.isSealed = isSealed
    self.ownLingerMs = ownLingerMs
  }
}

/// Takes an engine's whole state, piece by piece, in this order. All bytes are borrowed.
public protocol SnapshotWriter {
  /// First, once.
  mutating func head(_ head: EngineHead, own: OwnSettings)
  /// A gift id that is remembered; the oldest first.
  mutating func id(_ id: Bytes, expiry: Int64)
  /// A running total that is remembered; the one set longest ago first. `name` is empty for the streak of a combo alone; else the key is of
  /// sender and gift.
  mutating func streak(_ key: ComboKey, name: Bytes, total: Int, expiry: Int64)
  /// The counts from which combos can continue; the one that was gone first comes first.
  mutating func history(_ key: ComboKey, _ state: HistoryState)
  /// A banner: first those on screen, lowest slot first, then those that wait, in the order of their numbers.
  mutating func banner(_ key: ComboKey, _ state: BannerState, _ display: Display)
}

/// The fault of a snapshot.
public struct SnapshotFault: Error, Equatable, Sendable, CustomStringConvertible {
  /// In words.
  public let description: String

  init(_ description: String) { self.description = description }
}
