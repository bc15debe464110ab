internal import ComboRooms
internal import ComboWire

/// An entry that was written, until all it led to is acknowledged.
package final class PendingEntry {
  /// Its index in the list of all, which its tags name.
  package let slot: Int
  /// nil: its partition is no longer this owner's, and its output is dropped.
  package var active: ActivePartition?
  package var n: Int64 = 0
  /// The input offset after it.
  package var offset: Int64 = 0
  /// Its place in the journal, once it is acknowledged; negative: it is there, at an unknown offset.
  var journalOffset: Int64?
  /// Its output.
  var held = HeldBack()
  var isReleased = false
  /// By the monotonic clock: when it was written.
  package var since: Int64 = 0
  /// Records of its output that are not acknowledged.
  var unacknowledged = 0
  package var totals = Service.Totals()
  var arrivals = Arrivals()
  /// When it was made, by ``WatchedRooms/moment``.
  var moment = 0
  /// News for observers once all is acknowledged: first the instructions of watched rooms, then the screens after it.
  var spoken: [News] = []
  package var answers: [WatchedRooms.Answer] = []

  package init(slot: Int) { self.slot = slot }

  var journalTag: UInt { UInt(slot + 1) << 1 }
  var outputTag: UInt { journalTag | 1 }

  /// Whether no further report of it comes.
  package var isDone: Bool { journalOffset != nil && unacknowledged == 0 }
}
