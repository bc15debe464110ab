package import ComboEdge
package import ComboWire

/// Checks that the journal belongs to this group, before the group is joined: an instance started with another output than the
/// others must not take a partition from one of them only to find that it cannot own it.
package struct JournalOwner {
  private let reader: any ReadEdge
  private let topics: TopicIdentity

  package init(_ reader: any ReadEdge, of topics: TopicIdentity) {
    self.reader = reader
    self.topics = topics
  }

  /// Whether a partition has entries, whoever wrote them.
  package func hasEntries(_ partition: Int32) throws(EdgeError) -> Bool {
    guard try reader.partitions(.journal).contains(partition) else { return false }
    var found = false
    try reader.readJournalTail(partition, of: topics) {
      found =
        switch $0 {
        case .entry, .first, .overtaken, .foreign: true
        case .none, .newer, .broken: false
        }
      return !found
    }
    return found
  }

  /// Returns the fault as a sentence; nil if the journal is empty or this group's own.
  package func fault() throws(EdgeError) -> String? {
    for partition in try reader.partitions(.journal) {
      var found: (entry: JournalEntry, fault: FormatFault)?
      var isOwn = false
      try reader.readJournalTail(partition, of: topics) {
        if case .foreign(let entry, let fault) = $0 { found = (entry, fault) }
        if $0.own != nil { isOwn = true }
        return found == nil
      }
      if let found { return try fault(ofMark: found.entry.of, partition) ?? found.fault.description }
      if isOwn { return nil }
    }
    return nil
  }

  /// Returns the fault that names the owner of a mark, according to a takeover in the journal; nil if no takeover is left. Reads
  /// the journal up to that takeover.
  private func fault(ofMark mark: UInt64, _ partition: Int32) throws(EdgeError) -> String? {
    let (first, end) = try reader.bounds(.journal, partition)
    var cursor = JournalCursor(topics)
    var named: String?
    try reader.read(.journal, partition, from: first, to: min(end, try reader.stableEnd(.journal, partition)), unless: { false })
    { record in
      if case .foreign(let entry, let fault) = unsafe cursor.take(record.value, at: record.offset), entry.of == mark,
        entry.takeover != nil
      {
        named = fault.description
      }
      return named == nil
    }
    return named
  }
}

extension ReadEdge {
  /// Passes on the newest records of a partition's journal. An entry is among them if the partition holds any, as only
  /// transaction markers are between entries. Does not wait for records in an open transaction.
  func readJournalTail(
    _ partition: Int32, of topics: TopicIdentity, _ take: (JournalCursor.Record) -> Bool
  ) throws(EdgeError) {
    let (first, end) = try bounds(.journal, partition)
    let stable = min(end, try stableEnd(.journal, partition))
    var cursor = JournalCursor(topics)
    try read(.journal, partition, from: max(first, stable - 64), to: stable, unless: { false }) {
      unsafe take(cursor.take($0.value, at: $0.offset))
    }
  }
}
