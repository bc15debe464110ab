package import ComboMaps
internal import ComboWire

/// The loop's state, several times a second, for observers. It is a copy, so that observing does not slow down the loop.
package struct ServiceReport: Sendable {
  /// A partition of this instance.
  package struct Partition: Equatable, Sendable {
    package var number: Int32
    /// The topic; nil if the process has only one input.
    package var input: String?
    package var isRunning: Bool
    /// Records of the input that are not consumed yet; nil while unknown.
    package var lag: Int64?
    /// How long the oldest unread record has been waiting, in milliseconds; 0 if none is.
    package var stalledMs: Int64 = 0
    package var rooms = 0
    /// The share of the input to be replayed that has been, from 0 to 1.
    package var restored = 1.0
    /// Why the last attempt to restore it failed; nil if it did not.
    package var failure: String?
    package var roomsWithOwnSettings = 0
    /// How far its rooms are behind its clock, in milliseconds.
    package var behindMs: Int64 = 0
    /// Entries in flight, in at-least-once delivery.
    package var entriesOnTheirWay = 0
    /// Consumed records that no entry holds yet.
    package var recordsWithoutEntry = 0
    /// The schema that the partition waits for; nil if none.
    package var schemaWait: SchemaWait?

    package init(
      number: Int32, isRunning: Bool, lag: Int64? = nil, stalledMs: Int64 = 0, rooms: Int = 0, restored: Double = 1.0,
      roomsWithOwnSettings: Int = 0, behindMs: Int64 = 0, entriesOnTheirWay: Int = 0, recordsWithoutEntry: Int = 0
    ) {
      (self.number, self.isRunning, self.lag, self.stalledMs, self.rooms) = (number, isRunning, lag, stalledMs, rooms)
      (self.restored, self.roomsWithOwnSettings, self.behindMs) = (restored, roomsWithOwnSettings, behindMs)
      (self.entriesOnTheirWay, self.recordsWithoutEntry) = (entriesOnTheirWay, recordsWithoutEntry)
    }
  }

  package struct SchemaWait: Equatable, Sendable {
    package var id: String
    package var ms: Int64
    /// Why it is missing; nil if there was no answer yet.
    package var reason: String?
  }

  /// A partition whose readers are held up by a transaction that stays open.
  package struct HeldUp: Equatable, Sendable {
    /// `input`, `output`, `journal`, `state`, or `offsets` for the group's offset of the partition.
    package var topic: String
    package var partition: Int32
    /// How long it has been open, by the timestamp of its first record if that is known, in milliseconds.
    package var ms: Int64
    /// How long this instance has seen it open, in milliseconds. Timestamps in the input may be much older.
    package var seenMs: Int64
    /// The whole sentence, without a full stop.
    package var sentence: String

    package init(topic: String, partition: Int32, ms: Int64, seenMs: Int64? = nil, sentence: String) {
      (self.topic, self.partition, self.ms, self.sentence) = (topic, partition, ms, sentence)
      self.seenMs = seenMs ?? ms
    }
  }

  /// The time of the report, by the monotonic clock.
  package var at: Int64 = 0
  /// Whether the group has assigned its partitions.
  package var hasJoined = false
  package var partitions: [Partition] = []
  package var heldUp: [HeldUp] = []
  /// The settings in a `screen` over HTTP, after its banners: `,"slots":2,"enter_ms":250,"count_ms":250,"exit_ms":250`.
  package var told = ""
  /// When the oldest work that waits for a commit began, by the monotonic clock; nil if none waits.
  package var uncommittedSince: Int64?
  /// Why work failed; nil if something was committed since.
  package var fault: String?
  /// A right that was recently denied, as a sentence.
  package var denied: String?
  /// Whether the last attempt to commit failed.
  package var isFailing = false
  /// Why waiting records do not arrive, or why it is unknown whether any wait; nil if they arrive.
  package var stall: String?
  package var totals = ServiceTotals()
  package var histograms = LoopHistograms()
  /// The figures of the last ten seconds; nil if there were no commits.
  package var recentCommits: RecentTimes.Figures?
  package var recentLateness: RecentTimes.Figures?
  package var ownSettingsMax = 0
  /// Whether it has engines, which know what waits and what was skipped.
  package var knowsWaits = true
  /// The number of the input's partitions; nil while unknown.
  package var inputPartitions: Int?
  /// The results of the map, by rule.
  package var mapRows: [RecordOutcomes.Row] = []

  package init() {}

  /// Creates the report of a process from those of its services. It has what the supervisor and the page of the service show.
  /// - Parameter services: The inputs, each with the report of its service; nil if that has not started.
  package init(of services: [(input: String, report: ServiceReport?)]) {
    hasJoined = !services.isEmpty && services.allSatisfy { $0.report?.hasJoined == true }
    at = .max
    for (input, report) in services {
      guard let report else { continue }
      at = min(at, report.at)
      partitions += report.partitions.map { partition in
        var partition = partition
        partition.input = input
        return partition
      }
      heldUp += report.heldUp
      told = report.told
      uncommittedSince = [uncommittedSince, report.uncommittedSince].compactMap { $0 }.min()
      fault = fault ?? report.fault
      denied = denied ?? report.denied
      stall = stall ?? report.stall
      isFailing = isFailing || report.isFailing
      totals.add(report.totals)
      recentCommits = RecentTimes.Figures.larger(recentCommits, report.recentCommits)
      recentLateness = RecentTimes.Figures.larger(recentLateness, report.recentLateness)
    }
  }

  package var rooms: Int { partitions.reduce(0) { $0 + $1.rooms } }
  var isRestoring: Bool { partitions.contains { !$0.isRunning } }
}
