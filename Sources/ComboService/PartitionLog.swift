package import ComboRooms
internal import ComboWire

/// The entries of a partition that are in flight, in at-least-once delivery.
package final class PartitionLog {
  /// The partition, which keeps its log.
  unowned let active: ActivePartition
  private let onTheirWay: PendingEntries
  private let holding: HoldingTarget
  /// The journal offset of the takeover.
  let term: Int64
  /// The offset before which this owner knows all entries of the journal.
  package var position: Int64
  /// The last entry that is entirely acknowledged, and the input offset after it.
  var saidTo: Int64
  var saidOffset: Int64
  /// The last entry committed to the group, and how often to repeat the commit, because it is not confirmed.
  private var reportedTo: Int64
  private var reportsLeft = 0
  package var entries: [PendingEntry] = []
  /// The number of entries that are released, from the first on.
  var released = 0
  /// Whether the journal before the first unreleased entry is being checked.
  var isChecking = false
  /// The output of the entry that is being made.
  package var open: HeldBack

  /// - Parameters:
  ///   - onTheirWay: The entries in flight of all partitions.
  ///   - holding: Where the rooms of all partitions emit.
  init(of active: ActivePartition, term: Int64, position: Int64, _ onTheirWay: PendingEntries, _ holding: HoldingTarget) {
    (self.active, self.onTheirWay, self.holding) = (active, onTheirWay, holding)
    (self.term, self.position) = (term, position)
    saidTo = active.terms.saidTo
    saidOffset = active.partition.offset
    reportedTo = saidTo
    open = HeldBack()
  }

  /// Discards what is in flight, since the partition is no longer consumed.
  /// - Returns: The answers that depended on it.
  func close(_ quiet: borrowing Quiescence) -> [WatchedRooms.Answer] {
    holding.set(active.number, nil, quiet)
    let answers = entries.flatMap(\.answers)
    for entry in entries { onTheirWay.disown(entry) }
    entries = []
    return answers
  }

  /// Returns whether the position must be committed to the group.
  func mustReport() -> Bool {
    if saidTo > reportedTo {
      reportedTo = saidTo
      reportsLeft = 3
    }
    reportsLeft -= 1
    return reportsLeft >= 0
  }

  /// Whether another entry may be written: not too many are in flight to the journal.
  var mayWrite: Bool { entries.count - released < Self.unwrittenMax && entries.count < Self.unsaidMax }

  /// The maximum number of entries in flight to the journal: the more there are, the smaller each is.
  private static let unwrittenMax = 2
  package static let unsaidMax = 256
}
