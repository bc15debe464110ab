/// A setting with its value.
public enum Setting: Equatable, Sendable {
  case integer(IntegerSetting, Int)
  case queueMerge(QueueMerge)
  case queueOrder(QueueOrder)
  case tiers([Tier])
  case milestones([Int])
  case finals(Bool)

  /// The setting's key.
  public var key: SettingName {
    switch self {
    case .integer(let name, _): .integer(name)
    case .queueMerge: .queueMerge
    case .queueOrder: .queueOrder
    case .tiers: .tiers
    case .milestones: .milestones
    case .finals: .finals
    }
  }

  /// Its name on the wire.
  public var name: String { key.text }

  /// The reason why its value is not allowed, as the end of a sentence ("… must be from 1 to 100, not 0"), or nil if it is
  /// allowed.
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
          return "must have rising values above 0, but \(tier.value) follows \(last)"
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
        if milestone <= last { return "must be rising counts above 0, but \(milestone) follows \(last)" }
        last = milestone
      }
    }
    return nil
  }

  /// The reason why its value is not allowed in a room's own settings, or nil if it is allowed.
  public var roomFault: String? {
    switch self {
    case .integer(let setting, let value):
      let range = setting.roomRange
      if range.contains(value) || (value == 0 && setting.roomMayDisable) { return nil }
      let zero = setting.roomMayDisable ? "0 or " : ""
      return "must be \(zero)from \(range.lowerBound) to \(range.upperBound) for a room, not \(value)"
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

  /// The maximum number of entries of `tiers` and `milestones`.
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

  /// Returns these settings, with the defaults for those that the rules do not have.
  public func limited(to rules: Rules) -> Settings {
    var settings = self
    let defaults = Settings(rules)
    for name in SettingName.all where name.since > rules { settings.apply(defaults[name]) }
    return settings
  }

  /// Returns these settings with a room's own settings applied.
  public func with(_ own: OwnSettings) -> Settings {
    var settings = self
    for setting in own.settings { settings.apply(setting) }
    return settings
  }

  /// The value of one setting.
  public subscript(name: SettingName) -> Setting {
    switch name {
    case .integer(let name): .integer(name, self[keyPath: name.keyPath])
    case .queueMerge: .queueMerge(queueMerge)
    case .queueOrder: .queueOrder(queueOrder)
    case .tiers: .tiers(tiers)
    case .milestones: .milestones(milestones)
    case .finals: .finals(finals)
    }
  }

  /// All settings, in the order of the specification.
  public var all: [Setting] { SettingName.all.map { self[$0] } }
}

/// A room's own settings, which override the service's.
public struct OwnSettings: Equatable, Sendable {
  /// The settings in the order in which they were added, each at most once.
  public private(set) var settings: [Setting] = []

  /// Creates empty settings.
  public init() {}

  /// Whether there are no settings.
  public var isEmpty: Bool { settings.isEmpty }

  /// A copy in which each value is clamped to its range for rooms.
  public var narrowed: OwnSettings {
    var narrowed = OwnSettings()
    narrowed.settings = settings.map { setting in
      switch setting {
      case .integer(let name, 0) where name.roomMayDisable: setting
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

  /// Adds a setting whose value is allowed; the first one of a name wins.
  public mutating func add(_ setting: Setting) {
    precondition(setting.fault == nil, "a setting's fault must be looked at before it is added")
    if !settings.contains(where: { $0.name == setting.name }) { settings.append(setting) }
  }
}
