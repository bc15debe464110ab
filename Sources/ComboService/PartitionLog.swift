package import ComboRooms
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
  /// When it was made, by ``Watching/moment``.
  var moment = 0
  /// What those who look on are told once all is acknowledged: first what watched rooms said in it, then where rooms stand after it.
  var spoken: [News] = []
  package var answers: [Watching.Answer] = []

  package init(slot: Int) { self.slot = slot }

  var journalTag: UInt { UInt(slot + 1) << 1 }
  var outputTag: UInt { journalTag | 1 }

  /// Whether nothing more will be heard of it.
  package var isDone: Bool { journalOffset != nil && unacknowledged == 0 }
}

/// The entries of a partition that are on their way, in at-least-once delivery.
package final class PartitionLog {
  /// The journal offset of the takeover.
  let term: Int64
  /// Before this offset nothing stands in the journal that this owner does not know of.
  package var position: Int64
  /// The last entry of which all is acknowledged, and the input offset behind it.
  var saidTo: Int64
  var saidOffset: Int64
  /// Of that, what the group was told, and how often it is to be told again: nobody hears whether it took it.
  private var toldTo: Int64
  private var tellingsLeft = 0
  /// In order.
  package var entries: [PendingEntry] = []
  /// How many of them are released, from the first on.
  var released = 0
  /// Somebody looks what stands before the first that is not.
  var isLooking = false
  /// What the entry that is being made leads to.
  package var open: HeldBack

  package init(term: Int64, position: Int64, saidTo: Int64, saidOffset: Int64, open: HeldBack) {
    self.term = term
    self.position = position
    self.saidTo = saidTo
    self.saidOffset = saidOffset
    toldTo = saidTo
    self.open = open
  }

  /// Whether the group is to be told where it stands.
  func mustTell() -> Bool {
    if saidTo > toldTo {
      toldTo = saidTo
      tellingsLeft = 3
    }
    tellingsLeft -= 1
    return tellingsLeft >= 0
  }

  /// Whether another entry may be written: not too many are on their way to the journal.
  var mayWrite: Bool { entries.count - released < Self.unwrittenMax && entries.count < Self.unsaidMax }

  /// Entries on their way to the journal at a time: the more, the smaller each is.
  private static let unwrittenMax = 2
  package static let unsaidMax = 256
}
