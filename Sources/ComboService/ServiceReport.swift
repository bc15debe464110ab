package import ComboMaps
internal import ComboWire

/// The loop's state, several times a second, for observers: a copy, so that observing
/// does not slow down the loop.
package struct ServiceReport: Sendable {
  /// A partition that is this instance's.
  package struct Partition: Equatable, Sendable {
    package var number: Int32
    package var isRunning: Bool
    /// Records of the input after what was taken in; nil while it is not known.
    package var lag: Int64?
    /// How long records have waited of which none could be read, in milliseconds; 0: none do.
    package var stalledMs: Int64 = 0
    package var rooms = 0
    /// How much of the input that is run through again has been, from 0 to 1.
    package var restored = 1.0
    /// Why the last try to restore it failed; nil: it did not.
    package var failure: String?
    package var roomsWithOwnSettings = 0
    /// How far its rooms are behind its clock, in milliseconds.
    package var behindMs: Int64 = 0
    /// In at-least-once delivery: entries that are on their way.
    package var entriesOnTheirWay = 0
    /// Records taken in that no entry holds yet.
    package var recordsWithoutEntry = 0
    /// nil: it waits for none.
    package var schemaWait: SchemaWait?

    package init(
      number: Int32, isRunning: Bool, lag: Int64? = nil, stalledMs: Int64 = 0, rooms: Int = 0, restored: Double = 1.0,
      roomsWithOwnSettings: Int = 0, behindMs: Int64 = 0, entriesOnTheirWay: Int = 0, recordsWithoutEntry: Int = 0
    ) {
      self.number = number
      self.isRunning = isRunning
      self.lag = lag
      self.stalledMs = stalledMs
      self.rooms = rooms
      self.restored = restored
      self.roomsWithOwnSettings = roomsWithOwnSettings
      self.behindMs = behindMs
      self.entriesOnTheirWay = entriesOnTheirWay
      self.recordsWithoutEntry = recordsWithoutEntry
    }
  }

  /// A schema that a partition waits for.
  package struct SchemaWait: Equatable, Sendable {
    package var id: String
    package var ms: Int64
    /// nil: there was no answer yet.
    package var reason: String?
  }

  /// A partition whose readers are held up by a transaction that stays open.
  package struct HeldUp: Equatable, Sendable {
    /// `input`, `output`, `journal` or `state`.
    package var topic: String
    package var partition: Int32
    /// For how long, as far as this instance has seen it, in milliseconds.
    package var ms: Int64
    /// All of it, without a full stop.
    package var sentence: String

    package init(topic: String, partition: Int32, ms: Int64, sentence: String) {
      self.topic = topic
      self.partition = partition
      self.ms = ms
      self.sentence = sentence
    }
  }

  /// By the monotonic clock.
  package var at: Int64 = 0
  /// Whether the group has assigned its partitions.
  package var hasJoined = false
  package var partitions: [Partition] = []
  package var heldUp: [HeldUp] = []
  /// The settings in a `screen` over HTTP, after its banners: `,"slots":2,"enter_ms":250,"count_ms":250,"exit_ms":250`.
  package var told = ""
  /// Since when something waits for a commit, by the monotonic clock; nil if none does.
  package var uncommittedSince: Int64?
  /// If work failed and nothing was committed since: why.
  package var fault: String?
  /// A right that was denied a moment ago, as a sentence.
  package var denied: String?
  /// Whether what was tried last to be committed failed.
  package var isFailing = false
  /// The reason why waiting records do not come, or why it is unknown whether any wait; nil: they do.
  package var stall: String?
  /// Of this service.
  package var totals = Service.Totals()
  package var commitSeconds = Histogram(bounds: Histogram.seconds)
  package var latenessSeconds = Histogram(bounds: Histogram.lateness)
  package var inputAgeSeconds = Histogram(bounds: Histogram.lateness)
  package var restoreSeconds = Histogram(bounds: Histogram.seconds)
  package var batchRecords = Histogram(bounds: Histogram.records)
  /// Of the last ten seconds; nil if there were none.
  package var recentCommits: RecentTimes.Figures?
  package var recentLateness: RecentTimes.Figures?
  package var ownSettingsMax = 0
  /// Whether it has engines, which know what waits and what was skipped.
  package var knowsWaits = true
  /// nil while it is not known.
  package var inputPartitions: Int?
  /// The results of the map, by rule.
  package var mapRows: [RecordOutcomes.Row] = []

  package init() {}

  package var rooms: Int { partitions.reduce(0) { $0 + $1.rooms } }
  var isRestoring: Bool { partitions.contains { !$0.isRunning } }
}
