/// What a room's engine goes by. All durations are whole milliseconds.
///
/// The allowed values are in ``IntegerSetting/range`` and ``Setting/fault``; those of a room's own settings in ``IntegerSetting/roomRange`` and
/// ``Setting/roomFault``.
public struct Settings: Equatable, Sendable {
  /// Banners on screen at once; 0 = paused.
  public var slots = 2
  /// How long a banner slides in.
  public var enterMs = 250
  /// How long the number animation takes: no two number changes of one banner come closer together.
  public var countMs = 250
  /// How long a banner stays after its last number animation.
  public var lingerMs = 3000
  /// The same, while the room is busy.
  public var busyLingerMs = 250
  /// A room is busy while more than this many banners wait.
  public var busyThreshold = 10
  /// A banner for whose slot another waits takes no more gifts once it has been on screen for so long; 0 = no limit.
  public var holdMs = 10_000
  /// A banner stays at least this long where it would leave early because others wait.
  public var dwellMs = 0
  /// How long a banner slides out.
  public var exitMs = 250
  /// For how long after a banner is gone its combo goes on from the old count.
  public var reuseMs = 5000
  /// How many combos are remembered after they left.
  public var maxHistory = 1000
  /// Banners that may wait.
  public var maxQueue = 1000
  /// Which waiting banner a gift may join.
  public var queueMerge = QueueMerge.anywhere
  /// Longer lingers for more worth; values rising.
  public var tiers: [Tier] = []
  /// Who comes first out of the queue.
  public var queueOrder = QueueOrder.fifo
  /// In `tier` order: one rank up for each full `promoteMs` waited; 0 = never.
  public var promoteMs = 0
  /// Counts worth a special effect, rising.
  public var milestones: [Int] = []
  /// Whether the end of a combo is said.
  public var finals = false
  /// How often the whole screen is said; 0 = never.
  public var screenMs = 5000
  /// For how long gift ids are remembered; 0 = off.
  public var dedupeMs = 10_000
  /// How many gift ids are remembered; 0 = off.
  public var maxIds = 2000
  /// For how long running totals are remembered.
  public var streakMs = 60_000
  /// How many running totals are remembered.
  public var maxStreaks = 1000
  /// After what time an idle room may be forgotten, if no other memory lasts longer.
  public var restMs = 60_000

  /// The defaults.
  public init() {}

  /// How long an engine must be idle before a new one takes its place.
  public var rest: Int { max(max(restMs, reuseMs), max(dedupeMs, streakMs)) }

  /// How many of `tiers` have a value at or below `value`.
  func tier(of value: Double) -> Int {
    var (low, high) = (0, tiers.count)
    while low < high {
      let middle = (low + high) / 2
      if tiers[middle].value <= value { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

/// Which waiting banner of its combo a gift may join.
public enum QueueMerge: String, CaseIterable, Sendable {
  /// Wherever it waits.
  case anywhere
  /// Only the last one to have come.
  case tail
}

/// Who comes first out of the queue.
public enum QueueOrder: String, CaseIterable, Sendable {
  /// First in, first out.
  case fifo
  /// The highest rank first.
  case tier
}

/// From `value` on, a banner lingers so long.
public struct Tier: Equatable, Sendable {
  /// The worth from which it holds; above 0.
  public var value: Double
  /// In milliseconds.
  public var lingerMs: Int
  /// In milliseconds, while the room is busy.
  public var busyLingerMs: Int

  /// A tier; whether its values are allowed is checked by ``OwnSettings/add(_:)`` and ``Settings/apply(_:)``.
  public init(value: Double, lingerMs: Int, busyLingerMs: Int) {
    self.value = value
    self.lingerMs = lingerMs
    self.busyLingerMs = busyLingerMs
  }
}

/// The settings that are integers, under their names on the wire.
public enum IntegerSetting: String, CaseIterable, Sendable {
  case slots
  case enterMs = "enter_ms"
  case countMs = "count_ms"
  case lingerMs = "linger_ms"
  case busyLingerMs = "busy_linger_ms"
  case busyThreshold = "busy_threshold"
  case holdMs = "hold_ms"
  case dwellMs = "dwell_ms"
  case exitMs = "exit_ms"
  case reuseMs = "reuse_ms"
  case maxHistory = "max_history"
  case maxQueue = "max_queue"
  case promoteMs = "promote_ms"
  case screenMs = "screen_ms"
  case dedupeMs = "dedupe_ms"
  case maxIds = "max_ids"
  case streakMs = "streak_ms"
  case maxStreaks = "max_streaks"
  case restMs = "rest_ms"

  /// A day: no duration may be longer.
  public static let longestMs = 86_400_000
  /// A minute: no duration among a room's own settings may be longer, but those that are memories.
  public static let longestRoomMs = 60_000
  /// An hour: no memory among a room's own settings may be longer.
  public static let longestRoomMemoryMs = 3_600_000

  /// What is allowed.
  public var range: ClosedRange<Int> {
    switch self {
    case .slots: 0...Screen.most
    case .busyThreshold, .maxIds, .maxStreaks: 0...1_000_000
    case .maxQueue, .maxHistory: 1...1_000_000
    case .enterMs, .countMs, .lingerMs, .busyLingerMs, .holdMs, .dwellMs, .exitMs, .reuseMs, .promoteMs, .screenMs, .dedupeMs,
      .streakMs, .restMs:
      0...Self.longestMs
    }
  }

  /// What is allowed in a room's own settings; `screen_ms` also 0.
  public var roomRange: ClosedRange<Int> {
    switch self {
    case .slots: 0...10
    case .busyThreshold: range
    case .maxIds, .maxStreaks: 0...10_000
    case .maxQueue, .maxHistory: 1...10_000
    case .screenMs: 500...Self.longestRoomMs
    case .enterMs, .countMs, .lingerMs, .busyLingerMs, .holdMs, .dwellMs, .exitMs, .reuseMs, .promoteMs: 0...Self.longestRoomMs
    case .dedupeMs, .streakMs, .restMs: 0...Self.longestRoomMemoryMs
    }
  }

  /// Where ``Settings`` keeps it.
  public var keyPath: any WritableKeyPath<Settings, Int> & Sendable {
    switch self {
    case .slots: \.slots
    case .enterMs: \.enterMs
    case .countMs: \.countMs
    case .lingerMs: \.lingerMs
    case .busyLingerMs: \.busyLingerMs
    case .busyThreshold: \.busyThreshold
    case .holdMs: \.holdMs
    case .dwellMs: \.dwellMs
    case .exitMs: \.exitMs
    case .reuseMs: \.reuseMs
    case .maxHistory: \.maxHistory
    case .maxQueue: \.maxQueue
    case .promoteMs: \.promoteMs
    case .screenMs: \.screenMs
    case .dedupeMs: \.dedupeMs
    case .maxIds: \.maxIds
    case .streakMs: \.streakMs
    case .maxStreaks: \.maxStreaks
    case .restMs: \.restMs
    }
  }
}

/// One setting with its value.
public enum Setting: Equatable, Sendable {
  case integer(IntegerSetting, Int)
  case queueMerge(QueueMerge)
  case queueOrder(QueueOrder)
  case tiers([Tier])
  case milestones([Int])
  case finals(Bool)

  /// Its name on the wire.
  public var name: String {
    switch self {
    case .integer(let setting, _): setting.rawValue
    case .queueMerge: "queue_merge"
    case .queueOrder: "queue_order"
    case .tiers: "tiers"
    case .milestones: "milestones"
    case .finals: "finals"
    }
  }

  /// Why its value is not allowed, as the end of a sentence ("… must be from 1 to 100, not 0"), or nil if it is.
  public var fault: String? {
    switch self {
    case .integer(let setting, let value):
      let range = setting.range
      if !range.contains(value) { return "must be from \(range.lowerBound) to \(range.upperBound), not \(value)" }
    case .queueMerge, .queueOrder, .finals:
      break
    case .tiers(let tiers):
      if tiers.count > Self.listMax { return "may have at most \(Self.listMax) entries, not \(tiers.count)" }
      var last = 0.0
      for tier in tiers {
        if !(tier.value > last && tier.value.isFinite) {
          return "must have values above 0 that rise, but \(tier.value) stands after \(last)"
        }
        last = tier.value
        for ms in [tier.lingerMs, tier.busyLingerMs] where !(0...IntegerSetting.longestMs).contains(ms) {
          return "must have durations from 0 to \(IntegerSetting.longestMs), not \(ms)"
        }
      }
    case .milestones(let milestones):
      if milestones.count > Self.listMax { return "may have at most \(Self.listMax) entries, not \(milestones.count)" }
      var last = 0
      for milestone in milestones {
        if milestone <= last { return "must be counts above 0 that rise, but \(milestone) stands after \(last)" }
        last = milestone
      }
    }
    return nil
  }

  /// The same for a setting of a room's own.
  public var roomFault: String? {
    switch self {
    case .integer(.screenMs, 0):
      return nil
    case .integer(let setting, let value):
      let range = setting.roomRange
      if range.contains(value) { return nil }
      return
        "must be \(setting == .screenMs ? "0 or " : "")from \(range.lowerBound) to \(range.upperBound) for a room, not \(value)"
    case .tiers(let tiers):
      if let fault { return fault }
      for tier in tiers {
        for ms in [tier.lingerMs, tier.busyLingerMs] where ms > IntegerSetting.longestRoomMs {
          return "must have durations from 0 to \(IntegerSetting.longestRoomMs) for a room, not \(ms)"
        }
      }
      return nil
    case .queueMerge, .queueOrder, .milestones, .finals:
      return fault
    }
  }

  /// Whose settings they are.
  public enum Scope: Sendable {
    /// The service's, for all rooms that have none of their own.
    case service
    /// A room's own, which have narrower ranges: one room must not burden the others.
    case room
  }

  /// The fault that its value has in such settings.
  public func fault(in scope: Scope) -> String? { scope == .room ? roomFault : fault }

  /// Entries that `tiers` and `milestones` may have.
  public static let listMax = 100
}

extension Settings {
  /// Sets one setting. Its value must be allowed (``Setting/fault`` is nil).
  public mutating func apply(_ setting: Setting) {
    precondition(setting.fault == nil, "a setting's fault must be looked at before it is applied")
    switch setting {
    case .integer(let name, let value): self[keyPath: name.keyPath] = value
    case .queueMerge(let value): queueMerge = value
    case .queueOrder(let value): queueOrder = value
    case .tiers(let value): tiers = value
    case .milestones(let value): milestones = value
    case .finals(let value): finals = value
    }
  }

  /// These settings with a room's own over them.
  public func with(_ own: OwnSettings) -> Settings {
    var settings = self
    for setting in own.settings { settings.apply(setting) }
    return settings
  }

  /// All settings, in the order of the specification's table.
  public var all: [Setting] {
    let integers: (IntegerSetting) -> Setting = { .integer($0, self[keyPath: $0.keyPath]) }
    return [
      IntegerSetting.slots, .enterMs, .countMs, .lingerMs, .busyLingerMs, .busyThreshold, .holdMs, .dwellMs, .exitMs, .reuseMs,
      .maxHistory, .maxQueue,
    ]
    .map(integers) + [.queueMerge(queueMerge), .tiers(tiers), .queueOrder(queueOrder), integers(.promoteMs)]
      + [.milestones(milestones), .finals(finals)]
      + [.screenMs, .dedupeMs, .maxIds, .streakMs, .maxStreaks, .restMs].map(integers)
  }
}

/// The settings that a room was given for itself, in place of the service's.
public struct OwnSettings: Equatable, Sendable {
  /// In the order in which they were named; each at most once.
  public private(set) var settings: [Setting] = []

  /// None.
  public init() {}

  /// Whether there are none.
  public var isEmpty: Bool { settings.isEmpty }

  /// The same, with what is beyond a room's narrower ranges brought to their ends.
  public var narrowed: OwnSettings {
    var narrowed = OwnSettings()
    narrowed.settings = settings.map { setting in
      switch setting {
      case .integer(.screenMs, 0): setting
      case .integer(let name, let value): .integer(name, min(max(value, name.roomRange.lowerBound), name.roomRange.upperBound))
      case .tiers(let tiers):
        .tiers(
          tiers.map {
            Tier(
              value: $0.value, lingerMs: min($0.lingerMs, IntegerSetting.longestRoomMs),
              busyLingerMs: min($0.busyLingerMs, IntegerSetting.longestRoomMs))
          })
      case .queueMerge, .queueOrder, .milestones, .finals: setting
      }
    }
    return narrowed
  }

  /// Adds one whose value is allowed; of two under one name the first counts.
  public mutating func add(_ setting: Setting) {
    precondition(setting.fault == nil, "a setting's fault must be looked at before it is added")
    if !settings.contains(where: { $0.name == setting.name }) { settings.append(setting) }
  }
}
