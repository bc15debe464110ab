package import ComboEdge
package import ComboWire

/// Looks whose the group's journal is, before the group is joined: an instance that was started with another output than the others must not
/// take a partition from one of them only to find out that it cannot have it.
package struct JournalOwner {
  private let reader: any ReadEdge
  private let topics: TopicIdentity

  package init(_ reader: any ReadEdge, of topics: TopicIdentity) {
    self.reader = reader
    self.topics = topics
  }

  /// A partition's newest entry; nil: it has none.
  package func newestEntry(_ partition: Int32) throws(EdgeError) -> JournalEntry? {
    guard try reader.partitions(.journal).contains(partition) else { return nil }
    let decoder = JournalDecoder()
    var newest: JournalEntry?
    try reader.readJournalTail(partition) { record in
      if let entry = record.value.flatMap({ try? decoder.entry($0) }) { newest = entry }
      return true
    }
    return newest
  }

  /// The fault, as a sentence; nil: the journal is empty, or this group's own.
  package func fault() throws(EdgeError) -> String? {
    for partition in try reader.partitions(.journal) {
      var found: (of: UInt64, fault: FormatFault)?
      var isFound = false
      let decoder = JournalDecoder()
      try reader.readJournalTail(partition) { record in
        guard let value = record.value, let entry = try? decoder.entry(value) else { return true }
        isFound = true
        do throws(FormatFault) {
          try topics.check(entry.of, "the journal")
        } catch {
          found = (entry.of, error)
        }
        return found == nil
      }
      if let found {
        return try owner(found.of, partition).map { topics.foreign("the journal", of: $0) } ?? found.fault.description
      }
      if isFound { return nil }
    }
    return nil
  }

  /// Whose mark it is, by a takeover of the journal; nil: none is left. Reads as much of the journal as lies before that.
  private func owner(_ mark: UInt64, _ partition: Int32) throws(EdgeError) -> TopicIdentity? {
    let (first, end) = try reader.bounds(.journal, partition)
    let decoder = JournalDecoder()
    var owner: TopicIdentity?
    try reader.read(.journal, partition, from: first, to: min(end, try reader.stableEnd(.journal, partition)), unless: { false })
    {
      if let topics = $0.value.flatMap({ try? decoder.entry($0) })?.takeover?.topics, topics.hash == mark { owner = topics }
      return owner == nil
    }
    return owner
  }
}

extension ReadEdge {
  /// Hands out a partition's newest records of the journal: an entry is among them, if it holds any, as only marks of transactions stand
  /// between entries. Records in an open transaction are not waited for.
  func readJournalTail(_ partition: Int32, _ take: (InputRecord) -> Bool) throws(EdgeError) {
    let (first, end) = try bounds(.journal, partition)
    let stable = min(end, try stableEnd(.journal, partition))
    try read(.journal, partition, from: max(first, stable - 64), to: stable, unless: { false }, take)
  }
}
