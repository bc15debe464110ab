/// A display instruction of one room: the content of a record of the output topic, or of an event of a stream over HTTP.
///
/// Decoding checks only what the rules of docs/client.md need. Unknown fields are ignored.
public struct DisplayInstruction: Equatable, Sendable {
  /// The maximum of numbers on the wire, which are integers: 2^53 - 1.
  public static let numberMax = 9_007_199_254_740_991
  /// The highest slot. Slots are numbered from 0, and a service has at most 100.
  public static let slotMax = 99
  /// The maximum number of entries of a `screen` that are read.
  static let bannersMax = 100

  /// The operation of an instruction.
  public enum Operation: Equatable, Sendable {
    /// A banner slides in. `milestone` is the largest one that its count has passed, or nil.
    case show(RoomBanner, milestone: Int?)
    /// A banner's number grows to `count`.
    case update(banner: Int, slot: Int?, count: Int, milestone: Int?)
    /// A banner moves to a higher slot.
    case moveUp(banner: Int, slot: Int)
    /// A banner slides out. `count` is its last count, `reason` the cause.
    case dismiss(banner: Int, count: Int?, reason: String?)
    /// The whole screen, without banners that are leaving.
    case screen([RoomBanner], RoomTimes)
    /// A banner that will never be shown.
    case skip(ComboCount)
    /// `banners` banners that will never be shown, with `count` gifts together.
    case skipSum(banners: Int, count: Int, reason: String?)
    /// The end of a combo, if the service reports it (`finals`).
    case final(ComboCount)
    /// An op unknown to this version.
    case unknown(String)
    /// One of the above with a missing or malformed field. It changes nothing, but its `seq` counts.
    case malformed(String)
  }

  /// The room's id.
  public let room: String
  /// The time at which the room's engine began, in milliseconds since 1970 by the service's clock.
  public let epoch: Int64
  /// The number within the epoch: 1, 2, 3 … without gaps.
  public let seq: Int64
  /// The time at which it takes effect, in milliseconds since 1970 by the service's clock, or nil if it is missing.
  public let at: Int64?
  /// The operation.
  public let operation: Operation

  /// Creates an instruction of these values, for tests and gateways.
  public init(room: String, epoch: Int64, seq: Int64, at: Int64?, operation: Operation) {
    self.room = room
    self.epoch = epoch
    self.seq = seq
    self.at = at
    self.operation = operation
  }

  /// Decodes JSON text. Nil if it is invalid or lacks room, epoch, seq or op.
  public init?(_ text: String) {
    var text = text
    guard let decoded = text.withUTF8({ unsafe Self.decode($0) }) else { return nil }
    self = decoded
  }

  /// Decodes JSON in UTF-8. Nil if it is invalid or lacks room, epoch, seq or op.
  public init?(_ bytes: some Collection<UInt8>) {
    let decoded =
      unsafe bytes.withContiguousStorageIfAvailable { unsafe Self.decode($0) }
      ?? Array(bytes).withUnsafeBufferPointer { unsafe Self.decode($0) }
    guard let decoded else { return nil }
    self = decoded
  }
}

/// The number of gifts of a combo or of a part of it, as in `skip` and `final`.
public struct ComboCount: Equatable, Sendable {
  /// The banner's number in its epoch.
  public let banner: Int
  /// The number of gifts.
  public let count: Int
  /// The reason, such as `overflow`.
  public let reason: String?
  /// The sender.
  public let sender: DisplayData?
  /// The receiver, if the gift has one.
  public let receiver: DisplayData?
  /// The gift.
  public let gift: DisplayData?
}

/// The settings of a room that a `screen` may contain. They apply from then on.
public struct RoomTimes: Equatable, Sendable {
  /// The maximum number of banners on screen.
  public var slots: Int?
  /// How long a banner slides in or moves up, in milliseconds.
  public var enterMs: Int?
  /// How long a number change is animated, in milliseconds.
  public var countMs: Int?
  /// How long a banner slides out, in milliseconds.
  public var exitMs: Int?

  /// Creates settings of these values.
  public init(slots: Int? = nil, enterMs: Int? = nil, countMs: Int? = nil, exitMs: Int? = nil) {
    self.slots = slots
    self.enterMs = enterMs
    self.countMs = countMs
    self.exitMs = exitMs
  }
}
