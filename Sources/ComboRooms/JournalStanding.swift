package import ComboWire

/// The position of the partition in the journal.
package struct JournalStanding {
  package var n: Int64
  package var clock: Int64
  package var shifted: Int64
  package var offset: Int64?
  /// The fingerprint of the record right before that offset, if it is known.
  package var last: UInt64?

  /// It cannot be read.
  package init(unknownSince clock: Int64) {
    n = 0
    self.clock = clock
    shifted = 0
  }

  /// As this process has written it.
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
