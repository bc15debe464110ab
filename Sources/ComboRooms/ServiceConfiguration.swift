package import ComboCore
package import ComboMaps
public import ComboWire

/// What the service's logic goes by; how brokers are reached is its edges' business.
package struct ServiceConfiguration: Sendable {
  /// The group, its input and its output.
  package var topics: TopicIdentity
  /// Their addresses, for commands in messages.
  package var brokers = "BROKERS"
  package var settings = Settings()
  package var limits = WireLimits()
  /// By which records become events; nil: they are as wire.md has them.
  package var map: RecordMap?
  /// How what rooms say gets out.
  package var delivery = JournalEntry.Delivery.exactlyOnce
  /// In milliseconds, from one transaction to the next.
  package var commitIntervalMs = 100
  /// A partition with no more records waiting has caught up.
  package var backlogMin: Int64 = 1000
  /// A sweep begins after this many records of a partition …
  package var checkpointGifts = 1_000_000
  /// … or after this many milliseconds.
  package var checkpointIntervalMs = 60_000
  /// About this many bytes of snapshots go with one commit: 10 ms of encoding. With one that gives partitions up, four times as
  /// many.
  package var sweepBudget = 4 << 20
  /// The number of bytes of a transaction that are held back at first: see ``ProducingTarget``. They come within some milliseconds where
  /// there are many records, so that these are on their way long before the commit.
  package var heldBytes = 65_536
  /// The maximum number of bytes that the rooms of a partition emit in an entry, about; what is due beyond it comes in the next one.
  package var entryBytes = 16 << 20
  /// A transaction with this many bytes of instructions is committed at once.
  package var transactionBytes = 64 << 20
  /// A room's snapshot above this many bytes is written in parts.
  package var partBytes = StateEncoder.partBytesDefault
  /// Rooms of one partition that may have settings of their own.
  package var ownSettingsMax = 10_000
  /// Whether a partition without an offset begins at its end.
  package var fromLatest = false
  /// What partitions are taken over for.
  package var purpose = Purpose.service
  /// What the dead-letter topic takes.
  package var deadLetterLimits = DeadLetterLimits()
  /// True if the output is a topic that others can recreate, and its records have the times that the service gives them.
  package var comparesOutputTimes = false

  /// A room's part of a batch is worth a hop to another thread from so many events on. Measured: a hop costs about 1 µs of
  /// CPU, a gift about 0.2 µs.
  package var hopMin = 8

  package init(topics: TopicIdentity) { self.topics = topics }

  /// Settings that nobody named: they have the defaults of the rules in force.
  package var defaultedSettings: Set<SettingName> = []
  /// The rules that takeovers bring partitions to.
  package var rules = RulesChoice.auto
  /// With ``RulesChoice/auto``: for how many milliseconds every member must have been able to follow newer rules. An instance of the release
  /// before that crashed can come back within this time.
  package var rulesGraceMs: Int64 = 120_000
  /// The rules that this program has; tests alone set others.
  package var knownRules = Rules.known
  /// Whether a partition with entries of another version of the rules, which cannot be derived, is reset. If not, it is refused.
  package var acceptsReset = false

  /// The rules of a takeover. A partition goes back only to pinned rules, if nothing in its state needs newer ones.
  /// - Parameters:
  ///   - last: the rules of the entry before, or nil if there is none.
  ///   - agreed: the newest rules that the group can go over to.
  ///   - needed: the oldest rules that have all that is in the partition's state, or nil if that is not known.
  package func rules(after last: Rules?, agreed: Rules, needed: Rules? = nil) -> Rules {
    let wanted: Rules
    switch rules {
    case .auto: wanted = agreed
    case .pinned(let pinned):
      wanted = pinned
      if let needed, needed <= pinned { return wanted }
    }
    guard let last, knownRules.contains(last) else { return wanted }
    return max(wanted, last)
  }

  /// All that decides what is derived from a takeover on.
  /// - Parameters:
  ///   - last: the derivation of the entry before, or nil if there is none.
  ///   - agreed: the newest rules that the group can go over to.
  ///   - needed: as of ``rules(after:agreed:needed:)``.
  package func derivation(after last: Derivation?, agreed: Rules = .oldest, needed: Rules? = nil) -> Derivation {
    let rules = rules(after: last?.rules, agreed: agreed, needed: needed)
    var settings = settings
    let defaults = Settings(rules)
    for name in defaultedSettings { settings.apply(defaults[name]) }
    var derivation = Derivation(settings: settings, rules: rules, limits: limits, mapping: map?.canonical(for: rules))
    derivation.unknownSettings = last?.unknownSettings ?? [:]
    return derivation
  }
}

/// Who decides to which rules of the engine takeovers bring partitions.
package enum RulesChoice: Equatable, Sendable {
  /// The newest rules, once every member of the group can follow them.
  case auto
  /// These rules, whatever the members can follow.
  case pinned(Rules)

  /// The newest rules that this instance follows. Who pins older ones keeps the group from going over, as the release before does.
  package var newestFollowed: Rules {
    switch self {
    case .auto: .newest
    case .pinned(let rules): rules
    }
  }

  package static let oldest = RulesChoice.pinned(.oldest)
  package static let newest = RulesChoice.pinned(.newest)
}

extension BadEvent {
  @usableFromInline
  static func tooManyOwnSettings(_ max: Int) -> BadEvent {
    BadEvent(
      .outOfRange, "this partition has \(max) rooms with settings of their own, and no more are allowed (max_own_settings)")
  }
}
