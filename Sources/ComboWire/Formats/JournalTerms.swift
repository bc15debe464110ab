/// Which entries of a partition's journal count.
///
/// In at-least-once delivery a replaced owner (a zombie) may still write: its entries may come between those of the next owner, and after
/// them. So each entry names its *term*, the offset of its owner's takeover. After a takeover, entries of older terms do not count. A takeover
/// counts if it continues from the last entry that counts; it does not count if there is an entry between that its owner did not know. All
/// who read the journal in the order of its offsets come to the same result.
package struct JournalTerms: Equatable {
  /// The last entry that counts; nil: none was seen.
  package private(set) var n: Int64?
  /// The term that entries bear now; nil: they were written in transactions (exactly once).
  package private(set) var term: Int64?
  /// Up to this entry all that was said is in the output; what later ones led to may be missing there, or in part.
  package private(set) var saidTo: Int64 = 0

  /// - Parameter checkpoint: the entries up to this one do not count; nil: from the first one on.
  package init(after checkpoint: Checkpoint? = nil) {
    guard let checkpoint else { return }
    n = checkpoint.n
    term = checkpoint.term
    saidTo = checkpoint.n
  }

  /// Takes the next record of the journal in.
  /// - Returns: whether it counts. A gap in the numbers is left for the reader to find: such an entry counts.
  package mutating func counts(_ entry: JournalEntry, at offset: Int64) -> Bool {
    if let n {
      if entry.n <= n { return false }
      if entry.takeover == nil, entry.term != term { return false }
    }
    n = entry.n
    if let takeover = entry.takeover {
      term = takeover.delivery == .atLeastOnce ? offset : nil
    } else {
      term = entry.term
    }
    saidTo = max(saidTo, entry.saidTo ?? entry.n)
    return true
  }

  /// The entries that count, of records in the order of their offsets.
  package static func counting(
    _ records: [(offset: Int64, entry: JournalEntry)], after checkpoint: Checkpoint? = nil
  ) -> [JournalEntry] {
    var terms = JournalTerms(after: checkpoint)
    return records.compactMap { terms.counts($0.entry, at: $0.offset) ? $0.entry : nil }
  }
}
