/// What the loop says of itself several times a second, for whoever looks at the service from outside: a copy, so that looking
/// costs the loop nothing.
struct ServiceReport: Sendable {
  /// A partition that is this instance's.
  struct Partition: Equatable, Sendable {
    var number: Int32
    var isRunning: Bool
    /// Records of the input behind what was taken in; nil while it is not known.
    var lag: Int64?
    var rooms = 0
    /// How much of the input that is run through again has been, from 0 to 1.
    var restored = 1.0
    var roomsWithOwnSettings = 0
    /// In at-least-once delivery: entries that are on their way.
    var entriesOnTheirWay = 0
    /// Records taken in that no entry holds yet.
    var recordsWithoutEntry = 0
  }

  /// By the monotonic clock.
  var at: Int64 = 0
  /// Whether the group has told it which partitions are its own.
  var hasJoined = false
  var partitions: [Partition] = []
  /// Since when something waits for a commit, by the monotonic clock; nil if nothing does.
  var uncommittedSince: Int64?
  /// Whether what was tried last to be committed failed.
  var isFailing = false
  /// Of this service.
  var totals = Service.Totals()
  var commitSeconds = Histogram(bounds: Histogram.seconds)
  var latenessSeconds = Histogram(bounds: Histogram.lateness)
  var batchRecords = Histogram(bounds: Histogram.records)
  /// Of the last ten seconds; nil if there were none.
  var recentCommits: RecentTimes.Figures?
  var recentLateness: RecentTimes.Figures?
  var ownSettingsMax = 0

  var rooms: Int { partitions.reduce(0) { $0 + $1.rooms } }
  var isRestoring: Bool { partitions.contains { !$0.isRunning } }
}
