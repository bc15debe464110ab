package import ComboCore
package import ComboMaps
public import ComboWire

/// The configuration of the service's logic. How brokers are reached is up to its edges.
package struct ServiceConfiguration: Equatable, Sendable {
  /// The group, its input and its output.
  package var topics: TopicIdentity
  /// The brokers' addresses, for commands in messages.
  package var brokers = "BROKERS"
  package var settings = Settings()
  package var limits = WireLimits()
  /// The map that turns records into events, or nil if they are events already.
  package var map: RecordMap?
  /// The delivery guarantee of instructions.
  package var delivery = JournalEntry.Delivery.exactlyOnce
  /// The time from one transaction to the next, in milliseconds.
  package var commitIntervalMs = 100
  /// The number of waiting records up to which a partition has caught up.
  package var backlogMin: Int64 = 1000
  /// The number of consumed records of a partition after which a sweep begins.
  package var checkpointGifts = 1_000_000
  /// The number of their bytes after which a sweep begins.
  package var checkpointBytes = Int.max
  /// The time after which a sweep begins, in milliseconds.
  package var checkpointIntervalMs = 60_000
  /// The approximate size of the snapshots in one commit, in bytes: 10 ms of encoding. A commit that gives partitions up has four
  /// times as many.
  package var sweepBudget = 4 << 20
  /// The number of bytes of a transaction held back at first: see ``ProducingTarget``. With many records they accumulate within
  /// some milliseconds, and are sent long before the commit.
  package var heldBytes = 65_536
  /// The approximate maximum of bytes that the rooms of a partition emit in an entry; what is due beyond it goes into the next
  /// one.
  package var entryBytes = 16 << 20
  /// A transaction with this many bytes of instructions is committed at once.
  package var transactionBytes = 64 << 20
  /// A room's snapshot above this many bytes is written in parts.
  package var partBytes = StateEncoder.partBytesDefault
  /// The maximum number of rooms of one partition with settings of their own.
  package var ownSettingsMax = 10_000
  /// Whether a partition without an offset begins at its end.
  package var fromLatest = false
  /// The purpose of taking partitions over.
  package var purpose = Purpose.service
  package var deadLetterLimits = DeadLetterLimits()
  /// Whether the output is a topic that others can recreate, and its records have the timestamps that the service gives them.
  package var comparesOutputTimes = false

  /// The number of events from which on a room's part of a batch is worth a hop to another thread. Measured: a hop costs about
  /// 1 µs of CPU, a gift about 0.2 µs. Each room has its own queue: on a fixed set of threads, a hot room would delay others.
  package var hopMin = 8

  package init(topics: TopicIdentity) { self.topics = topics }

  /// Settings that are not configured: they have the defaults of the rules in force.
  package var defaultedSettings: Set<SettingName> = []
  /// Whether each instruction's record names its input in a header.
  package var namesInput = false
  /// The rules that takeovers bring partitions to.
  package var rules = RulesChoice.auto
  /// How long every member must have been able to follow newer rules with ``RulesChoice/auto``, in milliseconds. An instance of
  /// the previous release that crashed can come back within this time.
  package var rulesGraceMs: Int64 = 120_000
  /// The rules that this program has; only tests set others.
  package var knownRules = Rules.known
  /// Whether a partition with entries of another version of the rules, which cannot be derived, is reset. If not, it is refused.
  package var acceptsReset = false

  /// Returns the rules of a takeover. A partition goes back only to pinned rules, if nothing in its state needs newer ones.
  /// - Parameters:
  ///   - last: The rules of the entry before, or nil if none.
  ///   - agreed: The newest rules that the group can upgrade to.
  ///   - needed: The oldest rules that support everything in the partition's state, or nil if unknown.
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

  /// Returns everything that decides what is derived from a takeover on.
  /// - Parameters:
  ///   - last: The derivation of the entry before, or nil if none.
  ///   - agreed: The newest rules that the group can upgrade to.
  ///   - needed: As in ``rules(after:agreed:needed:)``.
  package func derivation(after last: Derivation?, agreed: Rules = .oldest, needed: Rules? = nil) -> Derivation {
    let rules = rules(after: last?.rules, agreed: agreed, needed: needed)
    var settings = settings
    let defaults = Settings(rules)
    for name in defaultedSettings { settings.apply(defaults[name]) }
    var derivation = Derivation(settings: settings, rules: rules, limits: limits, mapping: map?.canonical(for: rules))
    derivation.namesInput = namesInput
    derivation.unknownSettings = last?.unknownSettings ?? [:]
    return derivation
  }
}

/// The choice of the rules that takeovers bring partitions to.
package enum RulesChoice: Equatable, Sendable {
  /// The newest rules, once every member of the group can follow them.
  case auto
  /// These rules, whatever the members can follow.
  case pinned(Rules)

  /// The newest rules that this instance follows. An instance that pins older ones keeps the group from upgrading, as the
  /// previous release does.
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
