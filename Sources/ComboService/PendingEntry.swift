internal import ComboRooms
internal import ComboWire

/// An entry that was written, until all it led to is acknowledged.
package final class PendingEntry {
  /// Where it stands in the list of all, which its tags name.
  package let slot: Int
  /// nil: its partition is no longer this owner's; what it led to is nobody's business any more.
  package var active: ActivePartition?
  package var n: Int64 = 0
  /// The input offset behind it.
  package var offset: Int64 = 0
  /// Where it stands in the journal, once that is acknowledged; negative: it does, but nobody knows where.
  var journalOffset: Int64?
  /// What it led to.
  var held = HeldBack()
  var isReleased = false
  /// By the monotonic clock: when it was written.
  package var since: Int64 = 0
  /// Records of what it led to that are not acknowledged.
  var unacknowledged = 0
  package var totals = Service.Totals()
  var arrivals = Arrivals()
  /// When it was made, by ``WatchedRooms/moment``.
  var moment = 0
  /// What those who look on are told once all is acknowledged: first what watched rooms said in it, then where rooms stand after it.
  var spoken: [News] = []
  package var answers: [WatchedRooms.Answer] = []

  package init(slot: Int) { self.slot = slot }

  var journalTag: UInt { UInt(slot + 1) << 1 }
  var outputTag: UInt { journalTag | 1 }

  /// Whether nothing more will be heard of it.
  package var isDone: Bool { journalOffset != nil && unacknowledged == 0 }
}
