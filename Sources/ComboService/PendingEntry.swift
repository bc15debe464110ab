internal import ComboRooms
internal import ComboWire

/// An entry that was written, until all its output is acknowledged.
package final class PendingEntry {
  /// Its index in the list of all entries, which its tags name.
  package let slot: Int
  /// The partition; nil if it is no longer this owner's, so that the output is discarded.
  package var active: ActivePartition?
  package var n: Int64 = 0
  /// The input offset after it.
  package var offset: Int64 = 0
  /// Its offset in the journal, once it is acknowledged; negative if that offset is unknown.
  var journalOffset: Int64?
  /// Its output.
  var held = HeldBack()
  var isReleased = false
  /// When it was written, by the monotonic clock.
  package var since: Int64 = 0
  /// Records of its output that are not acknowledged yet.
  var unacknowledged = 0
  package var totals = ServiceTotals()
  var arrivals = Arrivals()
  /// When it was made, as a ``WatchedRooms/moment``.
  var moment = 0
  /// News for observers once all is acknowledged: first the instructions of watched rooms, then the screens after them.
  var spoken: [News] = []
  package var answers: [WatchedRooms.Answer] = []

  package init(slot: Int) { self.slot = slot }

  var journalTag: UInt { UInt(slot + 1) << 1 }
  var outputTag: UInt { journalTag | 1 }

  /// Whether no acknowledgement of it is outstanding.
  package var isDone: Bool { journalOffset != nil && unacknowledged == 0 }
}
