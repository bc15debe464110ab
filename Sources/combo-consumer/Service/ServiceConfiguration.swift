internal import ComboCore
internal import ComboWire

/// What the service's logic goes by; how brokers are reached is its edges' business.
struct ServiceConfiguration: Sendable {
  /// The group, its input and its output.
  var topics: TopicIdentity
  /// Their addresses, for commands that somebody is told to run.
  var brokers = "BROKERS"
  var settings = Settings()
  var limits = WireLimits()
  /// By which records become events; nil: they are as wire.md has them.
  var map: RecordMap?
  /// How what rooms say gets out.
  var delivery = JournalEntry.Delivery.exactlyOnce
  /// In milliseconds, from one transaction to the next.
  var commitIntervalMs = 100
  /// A partition with no more records waiting has caught up.
  var backlogMin: Int64 = 1000
  /// A sweep begins after so many records of a partition …
  var checkpointGifts = 1_000_000
  /// … or after so many milliseconds.
  var checkpointIntervalMs = 60_000
  /// About so many bytes of snapshots go with one commit: 10 ms of encoding. With one that gives partitions up, four times as
  /// many.
  var sweepBudget = 4 << 20
  /// So many bytes that rooms say in a transaction are held back at first: see ``ProducingTarget``. They come within some milliseconds where
  /// there are many records, so that these are on their way long before the commit.
  var heldBytes = 65_536
  /// A room's snapshot above so many bytes is written in parts.
  var partBytes = StateEncoder.partBytesDefault
  /// Rooms of one partition that may have settings of their own.
  var ownSettingsMax = 10_000
  /// Whether a partition that nobody has read begins at its end.
  var fromLatest = false
  /// What the dead-letter topic takes.
  var deadLetterLimits = DeadLetterLimits()

  /// A room's part of a batch is worth a hop to another thread from so many events on. Measured: a hop costs about 1 µs of
  /// CPU, a gift about 0.2 µs.
  var hopMin = 8

  init(topics: TopicIdentity) { self.topics = topics }

  /// The version of the engine's rules. It rises whenever the same input at the same times would give other instructions.
  static let engineVersion = 1

  /// All that decides what is derived.
  var derivation: Derivation {
    Derivation(settings: settings, version: Self.engineVersion, limits: limits, mapping: map?.canonical)
  }
}

extension BadEvent {
  static func tooManyOwnSettings(_ max: Int) -> BadEvent {
    BadEvent(
      .outOfRange, "this partition has \(max) rooms with settings of their own, and no more are allowed (max_own_settings)")
  }
}
