/// The faults between a platform and the topic.
package struct PlatformFaults: Equatable, Sendable {
  /// Share of records that are sent twice.
  package var duplicates = 0.0
  /// The largest delay of a record, in milliseconds.
  package var reorderMs = 0
  /// Share of streaks without an end record.
  package var lostEnds = 0.0
  /// Share of a streak's records that arrive 3 to 12 s late, most of them after the streak's end.
  package var lateTotals = 0.0

  package init() {}
}
