public import ComboCore

/// The limits of an event.
public struct WireLimits: Equatable, Sendable {
  /// The maximum size of a record, in bytes. A larger one is `too_large`.
  public var recordBytes = 65_536
  /// The maximum size of sender, receiver and gift together, in bytes, as received. Larger ones are `too_large`.
  public var displayBytes = 16_384
  /// The maximum depth of a record, where the object itself is level 1. A deeper one is `not_json`.
  public var depth = 64
  /// Whether a record's `room` is trusted regardless of its key. If not, a different or missing key is `wrong_key`.
  public var roomFromBody = false
  /// The prefix of each room's id, such as `gifts:`, so that rooms of several inputs differ, or an empty text for none.
  public var roomPrefix = ""
  /// The settings that a room may set for itself; any other makes its event invalid.
  public var roomSettings = WireLimits.allRoomSettings
  /// Whether an event without `ts` is invalid, as in a replay.
  public var requireTs = false
  /// The maximum age of a gift by its own time, in milliseconds; older gifts reach no engine. 0 for no limit.
  public var maxAgeMs = 0

  /// Creates the default limits.
  public init() {}

  /// Returns the room's id as records have it, without the prefix.
  package func withoutPrefix(_ room: [UInt8]) -> ArraySlice<UInt8> {
    room.starts(with: roomPrefix.utf8) ? room.dropFirst(roomPrefix.utf8.count) : room[...]
  }

  /// Every setting.
  public static let allRoomSettings = Set(SettingName.all)

  /// The limits of a replay: records have no key, and their `ts` is the time.
  public static var replay: WireLimits {
    var limits = WireLimits()
    limits.roomFromBody = true
    limits.requireTs = true
    return limits
  }
}
