public import ComboCore

/// Reads a partition's journal, record by record in the order of the offsets: the only way to its entries. One thread.
///
/// Of each record it says whose it is, whether this program can read it, and whether it counts, so that nobody takes an entry for the
/// group's that belongs to another group, or to an owner that had already lost the partition.
public struct JournalCursor {
  /// What a record is.
  public enum Record: Equatable {
    /// No entry: it has no value.
    case none
    /// An entry that counts.
    case entry(JournalEntry)
    /// An entry that counts, while none before it does: the journal's beginning is gone, and what was left of it began with entries of an
    /// owner that had lost the partition. Its later term shows that, as the takeover has gone with the beginning.
    case first(JournalEntry)
    /// An entry of an owner that had lost the partition. It does not count.
    case overtaken(JournalEntry)
    /// An entry of another group, input or output.
    case foreign(JournalEntry, FormatFault)
    /// A newer version has written it: nothing may be concluded from it.
    case newer(FormatFault)
    /// It cannot be read.
    case broken(FormatFault)

    /// The entry, if it counts.
    package var counting: JournalEntry? {
      switch self {
      case .entry(let entry), .first(let entry): entry
      case .none, .overtaken, .foreign, .newer, .broken: nil
      }
    }

    /// The group's own entry, whether it counts or not.
    package var own: JournalEntry? { if case .overtaken(let entry) = self { entry } else { counting } }

    /// Why it is no entry of the group's; nil: it is one, or nothing.
    package var fault: FormatFault? {
      switch self {
      case .foreign(_, let fault), .newer(let fault), .broken(let fault): fault
      case .none, .entry, .first, .overtaken: nil
      }
    }
  }

  /// The group, input and output whose entries are read.
  public let topics: TopicIdentity
  /// Which entries count from here on.
  package private(set) var terms: JournalTerms
  /// Whether a checkpoint or a takeover says whose entries count.
  private var isTermKnown: Bool
  private let decoder = JournalDecoder()

  /// - Parameters:
  ///   - topics: the group, input and output whose entries are read.
  ///   - checkpoint: entries up to this one do not count; nil: it reads from the first entry that is left, or from any other.
  public init(_ topics: TopicIdentity, after checkpoint: Checkpoint? = nil) {
    self.init(topics, after: JournalTerms(after: checkpoint))
  }

  package init(_ topics: TopicIdentity, after terms: JournalTerms) {
    self.topics = topics
    self.terms = terms
    isTermKnown = terms != JournalTerms()
  }

  /// Takes the next record in.
  /// - Parameters:
  ///   - value: the record's value; not needed afterwards.
  ///   - offset: its offset in the journal.
  public mutating func take(_ value: Bytes?, at offset: Int64) -> Record {
    guard let value else { return .none }
    let entry: JournalEntry
    do throws(FormatFault) {
      entry = try decoder.entry(value)
    } catch {
      return error.code == .newer ? .newer(error) : .broken(error)
    }
    do throws(FormatFault) {
      try topics.check(entry.of, "the journal", of: entry.takeover?.topics)
    } catch {
      return .foreign(entry, error)
    }
    if terms.counts(entry, at: offset) {
      if entry.takeover != nil { isTermKnown = true }
      return .entry(entry)
    }
    guard !isTermKnown, entry.takeover == nil, let term = entry.term, let begun = terms.term, term > begun else {
      return .overtaken(entry)
    }
    terms = JournalTerms()
    _ = terms.counts(entry, at: offset)
    return .first(entry)
  }
}
