/// One display instruction of one room: what a record of the output topic holds, or an event of a stream over HTTP.
///
/// Decoding checks only what the rules of docs/client.md need. Unknown fields are ignored.
public struct DisplayInstruction: Equatable, Sendable {
  /// Numbers on the wire are whole and at most 2^53 - 1.
  public static let numberMax = 9_007_199_254_740_991
  /// Slots are numbered from 0, and a service has at most 100.
  public static let slotMax = 99
  /// Entries of a `screen` above this many are not read.
  static let bannersMax = 100

  /// The result.
  public enum Operation: Equatable, Sendable {
    /// A banner slides in. `milestone` is the largest one that its count has passed, if it passed any.
    case show(RoomBanner, milestone: Int?)
    /// A banner's number grows to `count`.
    case update(banner: Int, slot: Int?, count: Int, milestone: Int?)
    /// A banner moves to a higher slot.
    case moveUp(banner: Int, slot: Int)
    /// A banner slides out. `count` is its last one, `reason` the cause.
    case dismiss(banner: Int, count: Int?, reason: String?)
    /// All that is on screen and not leaving.
    case screen([RoomBanner], RoomTimes)
    /// A banner that will never be seen.
    case skip(ComboCount)
    /// So many banners that will never be seen, with `count` gifts together.
    case skipSum(banners: Int, count: Int, reason: String?)
    /// The end of a combo, where the service reports it (`finals`).
    case final(ComboCount)
    /// An op that this version does not know.
    case unknown(String)
    /// One of the above with a field missing or malformed. It changes nothing, but its `seq` counts.
    case malformed(String)
  }

  /// The room's id.
  public let room: String
  /// When the room's engine began, in milliseconds since 1970 by the service's clock.
  public let epoch: Int64
  /// Counts within the epoch, from 1 on, without gaps.
  public let seq: Int64
  /// When it takes effect, in milliseconds since 1970 by the service's clock; nil if it is missing.
  public let at: Int64?
  /// The result.
  public let operation: Operation

  /// An instruction of known parts, for tests and gateways.
  public init(room: String, epoch: Int64, seq: Int64, at: Int64?, operation: Operation) {
    self.room = room
    self.epoch = epoch
    self.seq = seq
    self.at = at
    self.operation = operation
  }

  /// Decodes JSON text. Nil if it is none, or has no room, epoch, seq and op.
  public init?(_ text: String) {
    var text = text
    guard let decoded = text.withUTF8({ Self.decode($0) }) else { return nil }
    self = decoded
  }

  /// Decodes JSON in UTF-8. Nil if it is none, or has no room, epoch, seq and op.
  public init?(_ bytes: some Collection<UInt8>) {
    let decoded =
      bytes.withContiguousStorageIfAvailable { Self.decode($0) } ?? Array(bytes).withUnsafeBufferPointer { Self.decode($0) }
    guard let decoded else { return nil }
    self = decoded
  }
}

/// The number of gifts of a combo, or of a part of it, as in `skip` and `final`.
public struct ComboCount: Equatable, Sendable {
  /// The banner's number in its epoch.
  public let banner: Int
  /// The number of gifts.
  public let count: Int
  /// Why, such as `overflow`.
  public let reason: String?
  /// The sender.
  public let sender: DisplayData?
  /// The receiver, if the gift has one.
  public let receiver: DisplayData?
  /// The text that was given.
  public let gift: DisplayData?
}

/// Settings of a room that a `screen` may carry: they hold from then on.
public struct RoomTimes: Equatable, Sendable {
  /// Banners on screen at once.
  public var slots: Int?
  /// How long a banner slides in or moves up, in milliseconds.
  public var enterMs: Int?
  /// How long a number runs, in milliseconds.
  public var countMs: Int?
  /// How long a banner slides out, in milliseconds.
  public var exitMs: Int?

  /// No screen is sent.
  public init(slots: Int? = nil, enterMs: Int? = nil, countMs: Int? = nil, exitMs: Int? = nil) {
    self.slots = slots
    self.enterMs = enterMs
    self.countMs = countMs
    self.exitMs = exitMs
  }
}
