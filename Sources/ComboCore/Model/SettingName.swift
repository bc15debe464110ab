/// The key of a setting. Validation, options, help, `room_settings`, journal, snapshots and schemas are derived from this
/// table.
///
/// To add an integer setting, add a property to ``Settings``, a member to ``IntegerSetting``, and an entry to ``all``.
public enum SettingName: Hashable, Sendable {
  case integer(IntegerSetting)
  case queueMerge, queueOrder, tiers, milestones, finals

  /// All settings, in the order of the specification.
  public static let all: [SettingName] = [
    .integer(.slots), .integer(.enterMs), .integer(.countMs), .integer(.lingerMs), .integer(.busyLingerMs),
    .integer(.busyThreshold), .integer(.holdMs), .integer(.dwellMs), .integer(.maxLingerMs), .integer(.exitMs),
    .integer(.reuseMs), .integer(.maxHistory), .integer(.maxQueue), .integer(.skipMs), .queueMerge, .tiers, .queueOrder,
    .integer(.promoteMs), .milestones, .finals, .integer(.screenMs),
    .integer(.dedupeMs), .integer(.maxIds), .integer(.streakMs), .integer(.maxStreaks), .integer(.restMs),
  ]

  /// Returns the setting with this name on the wire, or nil.
  public init?(_ text: String) {
    guard let found = Self.all.first(where: { $0.text == text }) else { return nil }
    self = found
  }

  /// Its name on the wire.
  public var text: String {
    switch self {
    case .integer(let name): name.rawValue
    case .queueMerge: "queue_merge"
    case .queueOrder: "queue_order"
    case .tiers: "tiers"
    case .milestones: "milestones"
    case .finals: "finals"
    }
  }

  /// The first rules that have it.
  public var since: Rules {
    if case .integer(let name) = self { name.since } else { Rules(version: 1) }
  }

  /// Its effect, in one line.
  public var help: String {
    switch self {
    case .integer(let name): name.help
    case .queueMerge: "anywhere: a gift joins a waiting banner of its combo; tail: only if that banner is the last in the queue"
    case .queueOrder: "fifo: the banner that came first enters first; tier: the one with the highest rank"
    case .tiers:
      "linger times by worth: LINGER_MS and BUSY_LINGER_MS from each VALUE on; up to 100 tiers, values above 0 and rising"
    case .milestones: "counts that get a special effect; up to 100, from 1 on and rising"
    case .finals: "true: the end of each combo is reported, with its count"
    }
  }
}

/// A setting with an integer value: its name, its member of ``Settings``, and the allowed values.
public struct IntegerSetting: Sendable {
  /// The unit of a value.
  public enum Unit: Sendable {
    case milliseconds, things
  }

  /// Its name on the wire.
  public let rawValue: String
  /// Its member of ``Settings``.
  public let keyPath: any WritableKeyPath<Settings, Int> & Sendable
  /// The unit.
  public let unit: Unit
  /// The allowed range.
  public let range: ClosedRange<Int>
  /// The allowed range in a room's own settings.
  public let roomRange: ClosedRange<Int>
  /// Whether a room may also set 0 for never, even if that is below its range.
  public let roomMayDisable: Bool
  /// The first rules that have it.
  public let since: Rules
  /// Its effect, in one line.
  public let help: String

  /// The maximum of a duration: a day.
  public static let longestMs = 86_400_000
  /// The maximum of a duration in a room's own settings.
  public static let longestRoomMs = 60_000
  /// The maximum of a memory's duration in a room's own settings.
  public static let longestRoomMemoryMs = 3_600_000

  fileprivate static func duration(
    _ name: String, _ keyPath: any WritableKeyPath<Settings, Int> & Sendable, room: ClosedRange<Int> = 0...longestRoomMs,
    roomMayDisable: Bool = false, since: Rules = Rules(version: 1), _ help: String
  ) -> IntegerSetting {
    IntegerSetting(
      rawValue: name, keyPath: keyPath, unit: .milliseconds, range: 0...longestMs, roomRange: room,
      roomMayDisable: roomMayDisable, since: since, help: help)
  }

  fileprivate static func number(
    _ name: String, _ keyPath: any WritableKeyPath<Settings, Int> & Sendable, _ range: ClosedRange<Int>, room: ClosedRange<Int>,
    _ help: String
  ) -> IntegerSetting {
    IntegerSetting(
      rawValue: name, keyPath: keyPath, unit: .things, range: range, roomRange: room, roomMayDisable: false,
      since: Rules(version: 1),
      help: help)
  }
}

// The help of each setting describes it.
// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
extension IntegerSetting {
  public static let slots = number(
    "slots", \.slots, 0...Screen.most, room: 0...10,
    "the maximum number of banners on screen; 0 pauses the room: waiting banners keep waiting")
  public static let enterMs = duration("enter_ms", \.enterMs, "how long a banner slides in or moves up")
  public static let countMs = duration(
    "count_ms", \.countMs, "how long a number change is animated; two changes of one banner are at least this far apart")
  public static let lingerMs = duration("linger_ms", \.lingerMs, "how long a banner stays after its last number animation")
  public static let busyLingerMs = duration(
    "busy_linger_ms", \.busyLingerMs, "how long a banner stays after its last number animation while the room is busy")
  public static let busyThreshold = number(
    "busy_threshold", \.busyThreshold, 0...1_000_000, room: 0...1_000_000, "a room is busy while more banners than this wait")
  public static let holdMs = duration(
    "hold_ms", \.holdMs, "a banner that has been on screen this long gives up its slot if another one waits for it; 0: never")
  public static let dwellMs = duration(
    "dwell_ms", \.dwellMs, "minimum time on screen of a banner that leaves early because others wait")
  public static let maxLingerMs = duration(
    "max_linger_ms", \.maxLingerMs, since: Rules(version: 3),
    "a gift's own linger_ms counts up to this; 0: gifts have no linger of their own")
  public static let exitMs = duration("exit_ms", \.exitMs, "how long a banner slides out")
  public static let reuseMs = duration(
    "reuse_ms", \.reuseMs, "how long a combo can continue from its old count after its banner is gone")
  public static let maxHistory = number(
    "max_history", \.maxHistory, 1...1_000_000, room: 1...10_000, "the number of combos to remember after their banners are gone")
  public static let maxQueue = number(
    "max_queue", \.maxQueue, 1...1_000_000, room: 1...10_000, "the maximum number of waiting banners")
  public static let skipMs = duration(
    "skip_ms", \.skipMs, room: 500...longestRoomMs, since: Rules(version: 3),
    "for how long banners that overflow are summed before they are reported together; 0: each is reported by itself")
  public static let promoteMs = duration(
    "promote_ms", \.promoteMs, "in tier order, a waiting banner rises one rank each time it has waited this long; 0: never")
  public static let screenMs = duration(
    "screen_ms", \.screenMs, room: 500...longestRoomMs, roomMayDisable: true,
    "how often the whole screen is sent, for clients that join late; 0: never")
  public static let dedupeMs = duration(
    "dedupe_ms", \.dedupeMs, room: 0...longestRoomMemoryMs, "how long to remember gift ids; 0: not at all")
  public static let maxIds = number(
    "max_ids", \.maxIds, 0...1_000_000, room: 0...10_000, "the maximum number of gift ids to remember; 0: none")
  public static let streakMs = duration(
    "streak_ms", \.streakMs, room: 0...longestRoomMemoryMs, "how long to remember running totals")
  public static let maxStreaks = number(
    "max_streaks", \.maxStreaks, 0...1_000_000, room: 0...10_000, "the maximum number of running totals to remember")
  public static let restMs = duration(
    "rest_ms", \.restMs, room: 0...longestRoomMemoryMs,
    "how long a room is idle before it is forgotten, unless reuse_ms, dedupe_ms or streak_ms is longer")
}

extension IntegerSetting: Hashable, CaseIterable, CustomStringConvertible {
  /// The integer settings of ``SettingName/all``.
  public static let allCases: [IntegerSetting] = SettingName.all.compactMap {
    if case .integer(let name) = $0 { name } else { nil }
  }

  /// Returns the setting with this name on the wire, or nil.
  public init?(rawValue: String) {
    guard let found = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
    self = found
  }

  /// Compares the names, which are unique.
  public static func == (a: Self, b: Self) -> Bool { a.rawValue == b.rawValue }
  /// Hashes the name.
  public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
  /// Its name on the wire.
  public var description: String { rawValue }
}
