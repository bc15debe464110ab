/// What goes wrong between a platform and the topic.
package struct PlatformFaults: Equatable, Sendable {
  /// Share of records that come twice.
  package var duplicates = 0.0
  /// Each record comes up to so much later, in milliseconds.
  package var reorderMs = 0
  /// Share of streaks whose end is never told.
  package var lostEnds = 0.0
  /// Share of a streak's records that come seconds late, after the streak's end.
  package var lateTotals = 0.0

  package init() {}
}
