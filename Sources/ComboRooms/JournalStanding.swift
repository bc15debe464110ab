package import ComboWire

/// The position of the partition according to its journal.
package struct JournalStanding {
  package var n: Int64
  package var clock: Int64
  package var shifted: Int64
  package var offset: Int64?
  /// The fingerprint of the record right before that offset, if known.
  package var last: UInt64?

  /// Creates the position of a journal that cannot be read.
  package init(unknownSince clock: Int64) {
    n = 0
    self.clock = clock
    shifted = 0
  }

  /// Creates the position that this process has written.
  init(_ written: GroupMemory.Written) {
    n = written.n
    clock = written.clock
    shifted = 0
    offset = written.offset
  }

  package init?(_ entries: [JournalEntry], _ checkpoint: Checkpoint?) {
    guard let n = entries.last?.n ?? checkpoint?.n else { return nil }
    self.n = n
    clock = entries.last?.clock ?? checkpoint!.clock
    shifted = entries.last?.shifted ?? checkpoint!.shifted
    if let taking = entries.last(where: { !$0.batches.isEmpty }) {
      offset = taking.batches.last?.endOffset
      last = taking.last
    } else {
      offset = checkpoint?.input
      last = checkpoint?.last
    }
  }
}
