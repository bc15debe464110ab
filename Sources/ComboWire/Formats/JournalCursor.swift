public import ComboCore

/// Reads a partition's journal, record by record in the order of offsets: the only way to its entries. For one thread.
///
/// It classifies each record: which group wrote it, whether this program can read it, and whether it counts. Callers therefore
/// cannot mistake an entry of another group, or of an owner that had already lost the partition, for the group's own.
public struct JournalCursor {
  /// The class of a record.
  public enum Record: Equatable {
    /// A record without a value, which is no entry.
    case none
    /// An entry that counts.
    case entry(JournalEntry)
    /// An entry that counts, although none before it does: the journal's beginning is gone, and the rest began with entries of an
    /// owner that had lost the partition. Its later term shows that, since the takeover is gone with the beginning.
    case first(JournalEntry)
    /// An entry of an owner that had lost the partition. It does not count.
    case overtaken(JournalEntry)
    /// An entry of another group, input or output.
    case foreign(JournalEntry, FormatFault)
    /// An entry of a newer version. No conclusion may be drawn from it.
    case newer(FormatFault)
    /// An unreadable record.
    case broken(FormatFault)

    /// The entry, if it counts, or nil.
    package var counting: JournalEntry? {
      switch self {
      case .entry(let entry), .first(let entry): entry
      case .none, .overtaken, .foreign, .newer, .broken: nil
      }
    }

    /// The group's own entry, whether or not it counts, or nil.
    package var own: JournalEntry? { if case .overtaken(let entry) = self { entry } else { counting } }

    /// The reason why it is not an entry of the group, or nil if it is one, or if it has no value.
    package var fault: FormatFault? {
      switch self {
      case .foreign(_, let fault), .newer(let fault), .broken(let fault): fault
      case .none, .entry, .first, .overtaken: nil
      }
    }
  }

  /// The group, input and output whose entries are read.
  public let topics: TopicIdentity
  /// The terms that determine which of the following entries count.
  package private(set) var terms: JournalTerms
  /// Whether a checkpoint or a takeover determines which owner's entries count.
  private var isTermKnown: Bool
  private let decoder = JournalDecoder()

  /// Creates a cursor.
  /// - Parameters:
  ///   - topics: The group, input and output whose entries are read.
  ///   - checkpoint: The entries up to it do not count. Pass nil to read from the first remaining entry or from any other.
  public init(_ topics: TopicIdentity, after checkpoint: Checkpoint? = nil) {
    self.init(topics, after: JournalTerms(after: checkpoint))
  }

  package init(_ topics: TopicIdentity, after terms: JournalTerms) {
    self.topics = topics
    self.terms = terms
    isTermKnown = terms != JournalTerms()
  }

  /// Reads the next record.
  /// - Parameters:
  ///   - value: The record's value; not needed after the call.
  ///   - offset: Its offset in the journal.
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
