/// What goes wrong between a platform and the topic.
struct PlatformFaults: Equatable, Sendable {
  /// Share of records that come twice.
  var duplicates = 0.0
  /// Each record comes up to so much later, in milliseconds.
  var reorderMs = 0
  /// Share of streaks whose end is never told.
  var lostEnds = 0.0
  /// Share of a streak's records that come seconds late, after the streak's end.
  var lateTotals = 0.0
}
