/// Determines which entries of a partition's journal count.
///
/// In at-least-once delivery a replaced owner (a zombie) may still write: its entries may come between those of the next owner,
/// and after them. Each entry therefore has a *term*, the offset of its owner's takeover. After a takeover, entries of older
/// terms do not count. A takeover counts if it continues from the last entry that counts; it does not count if there is an entry
/// in between that its owner did not know. Everyone who reads the journal in the order of its offsets gets the same result.
package struct JournalTerms: Equatable {
  /// The last entry that counts, or nil if there has been none.
  package private(set) var n: Int64?
  /// The current term of entries, or nil if they were written in transactions (exactly once).
  package private(set) var term: Int64?
  /// The entry up to which all instructions are in the output. Those of later entries may be missing there, at least in part.
  package private(set) var saidTo: Int64 = 0

  /// Creates the terms at a checkpoint.
  /// - Parameter checkpoint: The entries up to it do not count. Pass nil to begin with the first one.
  package init(after checkpoint: Checkpoint? = nil) {
    guard let checkpoint else { return }
    n = checkpoint.n
    term = checkpoint.term
    saidTo = checkpoint.n
  }

  /// Processes the next record of the journal.
  /// - Returns: Whether it counts. An entry after a gap in the numbers counts; finding the gap is left to the reader.
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

  /// Returns the entries that count among records in the order of their offsets.
  package static func counting(
    _ records: [(offset: Int64, entry: JournalEntry)], after checkpoint: Checkpoint? = nil
  ) -> [JournalEntry] {
    var terms = JournalTerms(after: checkpoint)
    return records.compactMap { terms.counts($0.entry, at: $0.offset) ? $0.entry : nil }
  }
}
