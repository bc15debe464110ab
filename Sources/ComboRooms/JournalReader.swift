internal import ComboCore
package import ComboEdge
package import ComboWire

/// The entries after the known ones that an owner finds in the journal.
package enum JournalCheck {
  /// Its takeover counts: it is at this offset, and before `position` no entry of others counts.
  case counts(takeover: Int64, position: Int64)
  /// No entry ends its term.
  case clear
  /// Somebody else has written what counts.
  case overtaken
  /// It could not be read.
  case failed(String)
}

/// Reads the journal for its owner. Blocks; runs outside of the loop.
package struct JournalReader: @unchecked Sendable {
  // The proof: made by the loop, used by one other thread.
  package let number: Int32
  package let topics: TopicIdentity
  package let reader: any ReadEdge
  package let cancellation: Cancellation

  package init(number: Int32, topics: TopicIdentity, reader: any ReadEdge, cancellation: Cancellation) {
    self.number = number
    self.topics = topics
    self.reader = reader
    self.cancellation = cancellation
  }

  /// Whether the takeover that was just committed counts, by all that is before it.
  /// - Parameters:
  ///   - known: where the journal's entries stand before offset `from`.
  package func find(_ takeover: JournalEntry, after known: JournalTerms, from: Int64) -> JournalCheck {
    var terms = known
    var from = from
    var found: Int64?
    do throws(EdgeError) {
      // Twice: the mark of its own transaction is behind it, and only then the position is known.
      for _ in 0..<2 {
        let end = try reader.bounds(.journal, number).end
        var isOvertaken = false
        try read(from, end) { offset, entry in
          guard let entry else {
            isOvertaken = true
            return false
          }
          if !terms.counts(entry, at: offset) { return true }
          if found == nil, entry == takeover {
            found = offset
          } else {
            isOvertaken = true
          }
          return !isOvertaken
        }
        if cancellation.isCancelled { return .failed("it is no longer needed") }
        if isOvertaken { return .overtaken }
        from = max(from, end)
      }
    } catch {
      return .failed(error.message)
    }
    guard let found else { return .failed("the takeover is not in the journal") }
    return .counts(takeover: found, position: from)
  }

  /// Whether there is a takeover from one offset to another.
  package func check(from: Int64, to end: Int64) -> JournalCheck {
    var isOvertaken = false
    do throws(EdgeError) {
      try read(from, end) { _, entry in
        isOvertaken = entry == nil || entry?.takeover != nil
        return !isOvertaken
      }
    } catch {
      return .failed(error.message)
    }
    if cancellation.isCancelled { return .failed("it is no longer needed") }
    return isOvertaken ? .overtaken : .clear
  }

  /// Records that are no entries of this group are left for restoring to find. One of a newer version is handed out as nil: only its owner
  /// version writes it, and what it says about this one's term is not known here.
  private func read(_ from: Int64, _ end: Int64, _ take: (Int64, JournalEntry?) -> Bool) throws(EdgeError) {
    let decoder = JournalDecoder()
    try reader.read(.journal, number, from: from, to: end, unless: { cancellation.isCancelled }) { record in
      guard let value = record.value else { return true }
      do throws(FormatFault) {
        let entry = try decoder.entry(value)
        return entry.of != topics.hash || take(record.offset, entry)
      } catch {
        return error.code != .newer || take(record.offset, nil)
      }
    }
  }
}
