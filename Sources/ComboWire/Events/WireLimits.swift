public import ComboCore

/// The limits of an event.
public struct WireLimits: Equatable, Sendable {
  /// The longest record, in bytes. A longer one is `too_large`.
  public var recordBytes = 65_536
  /// The most bytes that sender, receiver and gift may take together, as received. More are `too_large`.
  public var displayBytes = 16_384
  /// The maximum depth of a record; the object itself is the first. Deeper is `not_json`.
  public var depth = 64
  /// Whether a record's `room` is trusted, whatever its key is. If not, another key, or none, is `wrong_key`.
  public var roomFromBody = false
  /// The settings that a room may set for itself; any other makes its event bad.
  public var roomSettings = WireLimits.allRoomSettings
  /// Whether an event without `ts` is bad, as in a replay.
  public var requireTs = false
  /// A gift whose own time lies more milliseconds than this before the time at which it is taken in reaches no engine. 0: there is no such limit.
  public var maxAgeMs = 0

  /// The defaults.
  public init() {}

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
