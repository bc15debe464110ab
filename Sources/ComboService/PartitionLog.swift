package import ComboRooms

/// The entries of a partition that are on their way, in at-least-once delivery.
package final class PartitionLog {
  /// The journal offset of the takeover.
  let term: Int64
  /// Before this offset this owner knows all entries of the journal.
  package var position: Int64
  /// The last entry of which all is acknowledged, and the input offset after it.
  var saidTo: Int64
  var saidOffset: Int64
  /// The part that was committed to the group, and how often to repeat it, because there is no confirmation.
  private var reportedTo: Int64
  private var reportsLeft = 0
  /// In order.
  package var entries: [PendingEntry] = []
  /// The number of those that are released, from the first on.
  var released = 0
  /// Somebody looks what is before the first that is not.
  var isChecking = false
  /// The output of the entry that is being made.
  package var open: HeldBack

  package init(term: Int64, position: Int64, saidTo: Int64, saidOffset: Int64, open: HeldBack) {
    self.term = term
    self.position = position
    self.saidTo = saidTo
    self.saidOffset = saidOffset
    reportedTo = saidTo
    self.open = open
  }

  /// Whether the position must be committed to the group.
  func mustReport() -> Bool {
    if saidTo > reportedTo {
      reportedTo = saidTo
      reportsLeft = 3
    }
    reportsLeft -= 1
    return reportsLeft >= 0
  }

  /// Whether another entry may be written: not too many are on their way to the journal.
  var mayWrite: Bool { entries.count - released < Self.unwrittenMax && entries.count < Self.unsaidMax }

  /// Entries on their way to the journal at a time: the more, the smaller each is.
  private static let unwrittenMax = 2
  package static let unsaidMax = 256
}
