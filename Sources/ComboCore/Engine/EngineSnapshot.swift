/// The plain values of an engine's state.
public struct EngineHead: Equatable, Sendable {
  /// The time at which the engine was created.
  public var epoch: Int64
  /// The `seq` of its last instruction.
  public var seq: Int
  /// The number of its last banner.
  public var banners: Int
  /// The time of its latest event or step.
  public var time: Int64
  /// The time at which it last became idle; its epoch if it never did.
  public var idleSince: Int64
  /// The time until which a gift's own `streak_ms` or a refresh keeps it awake, or nil if none does.
  public var awakeUntil: Int64?
  /// The time at which the next screen is due, or nil if none is.
  public var screenDeadline: Int64?
  /// The skips that have not been emitted yet, or nil if there are none.
  public var skipSum: SkipSum?
  /// The oldest rules under which an engine can have this state. Not needed to restore it.
  public var rules = Rules.oldest

  /// Creates a head of these values.
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

/// Skipped banners that have not been reported yet.
public struct SkipSum: Equatable, Sendable {
  /// The number of banners.
  public var banners: Int
  /// The number of their gifts that were never shown.
  public var count: Int
  /// The worth of these gifts.
  public var value: Double
  /// The time at which the sum is due.
  public var deadline: Int64

  /// Creates a sum of these values.
  public init(banners: Int, count: Int, value: Double, deadline: Int64) {
    self.banners = banners
    self.count = count
    self.value = value
    self.deadline = deadline
  }
}

/// The key of a combo: sender, receiver, gift and combo name. Borrowed bytes.
@safe public struct ComboKey {
  /// The sender's id.
  public var senderID: Bytes
  /// The receiver's id, empty if there is none.
  public var receiverID: Bytes
  /// The gift's id.
  public var giftID: Bytes
  /// The combo's name, empty if it has none.
  public var combo: Bytes

  /// Creates a key of borrowed bytes.
  public init(senderID: Bytes, receiverID: Bytes, giftID: Bytes, combo: Bytes = unsafe Bytes(start: nil, count: 0)) {
    unsafe self.senderID = unsafe senderID
    unsafe self.receiverID = unsafe receiverID
    unsafe self.giftID = unsafe giftID
    unsafe self.combo = unsafe combo
  }
}

/// The count from which a combo can continue after its banner has left.
public struct HistoryState {
  /// The count.
  public var total: Int
  /// The last time at which it can continue.
  public var expiry: Int64
  /// The number and the display data of its last banner if its final is pending, otherwise nil.
  public var final: (banner: Int, display: Display)?

  /// Creates a state of these values; bytes are borrowed.
  public init(total: Int, expiry: Int64, final: (banner: Int, display: Display)? = nil) {
    self.total = total
    self.expiry = expiry
    self.final = final
  }
}

/// The plain values of a banner.
public struct BannerState: Equatable, Sendable {
  /// The phase of a banner.
  public enum Phase: UInt8, CaseIterable, Sendable, BitwiseCopyable {
    case queued, entering, counting, lingering, leaving
  }
  /// Its number, starting at 1.
  public var number: Int
  /// Its phase.
  public var phase: Phase
  /// Its slot on screen; 0 if it waits.
  public var slot: Int
  /// The count that it took over.
  public var base: Int
  /// `base` plus all gifts merged into it.
  public var total: Int
  /// The count last shown on screen.
  public var shown: Int
  /// The worth of its gifts.
  public var value: Double
  /// The time of its creation if it waits, otherwise of its `show`.
  public var since: Int64
  /// The time at which its phase ends; 0 if it waits.
  public var deadline: Int64
  /// Whether its linger is the short one.
  public var shortLinger: Bool
  /// Whether another banner took over its count, or it must not leave a history.
  public var takenOver: Bool
  /// Whether it gives up its slot, so that no gift joins it any more.
  public var isSealed: Bool
  /// The longest linger that one of its gifts asked for, in milliseconds.
  public var ownLingerMs: Int

  /// Creates a state of these values.
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

/// Receives an engine's whole state piece by piece, in the order of the methods below. All bytes are borrowed.
public protocol SnapshotWriter {
  /// Writes the head. Called first, once.
  mutating func head(_ head: EngineHead, own: OwnSettings)
  /// Writes a remembered gift id, the oldest first.
  mutating func id(_ id: Bytes, expiry: Int64)
  /// Writes a running total, the one set longest ago first. `name` is empty for a combo's own streak; otherwise the key has
  /// only sender and gift.
  mutating func streak(_ key: ComboKey, name: Bytes, total: Int, expiry: Int64)
  /// Writes the count from which a combo can continue, the combo that left first first.
  mutating func history(_ key: ComboKey, _ state: HistoryState)
  /// Writes a banner: those on screen first, lowest slot first, then the waiting ones by ascending number.
  mutating func banner(_ key: ComboKey, _ state: BannerState, _ display: Display)
}

/// An error in a snapshot.
public struct SnapshotFault: Error, Equatable, Sendable, CustomStringConvertible {
  /// The description of the error.
  public let description: String

  init(_ description: String) { self.description = description }
}
