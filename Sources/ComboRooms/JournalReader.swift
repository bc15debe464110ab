internal import ComboCore
package import ComboEdge
package import ComboWire

/// The result of a check of the journal after the entries that an owner knows.
package enum JournalCheck {
  /// The owner's takeover counts: it is at this offset, and before `position` no entry of others counts.
  case counts(takeover: Int64, position: Int64)
  /// No entry ends the owner's term.
  case clear
  /// Another owner has written an entry that counts.
  case overtaken
  /// The journal could not be read.
  case failed(String)
}

/// Reads the journal for its owner. Blocks; runs outside of the loop.
package struct JournalReader: Sendable {
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

  /// Checks whether the takeover that was just committed counts, given everything before it.
  /// - Parameter known: The state of the journal's entries before offset `from`.
  package func find(_ takeover: JournalEntry, after known: JournalTerms, from: Int64) -> JournalCheck {
    var cursor = JournalCursor(topics, after: known)
    var from = from
    var found: Int64?
    do throws(EdgeError) {
      // Reads twice: the marker of its own transaction follows the takeover, and only behind it is the position known.
      for _ in 0..<2 {
        let end = try reader.bounds(.journal, number).end
        var isOvertaken = false
        try read(from, end, &cursor) { offset, record in
          if let entry = record.counting {
            if found == nil, entry == takeover { found = offset } else { isOvertaken = true }
          } else if Self.mayEndTerm(record) {
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

  /// Checks whether there is a takeover between two offsets.
  package func check(from: Int64, to end: Int64) -> JournalCheck {
    var isOvertaken = false
    var cursor = JournalCursor(topics)
    do throws(EdgeError) {
      try read(from, end, &cursor) { _, record in
        isOvertaken = record.own?.takeover != nil || Self.mayEndTerm(record)
        return !isOvertaken
      }
    } catch {
      return .failed(error.message)
    }
    if cancellation.isCancelled { return .failed("it is no longer needed") }
    return isOvertaken ? .overtaken : .clear
  }

  /// Whether a record may end this owner's term. Records that are no entries of this group are left for the restore to find. But
  /// only the partition's owner writes entries of a newer version, and what they contain about this owner's term is not known
  /// here.
  private static func mayEndTerm(_ record: JournalCursor.Record) -> Bool { if case .newer = record { true } else { false } }

  private func read(
    _ from: Int64, _ end: Int64, _ cursor: inout JournalCursor, _ take: (Int64, JournalCursor.Record) -> Bool
  ) throws(EdgeError) {
    try reader.read(.journal, number, from: from, to: end, unless: { cancellation.isCancelled }) { record in
      take(record.offset, cursor.take(record.value, at: record.offset))
    }
  }
}
