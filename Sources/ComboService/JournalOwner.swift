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
      var found: String?
      var isFound = false
      let decoder = JournalDecoder()
      try reader.readJournalTail(partition) { record in
        guard let value = record.value else { return true }
        do throws(FormatFault) {
          let entry = try decoder.entry(value)
          isFound = true
          try topics.check(entry.of, "the journal")
        } catch {
          if error.code == .foreign { found = error.description }
        }
        return found == nil
      }
      if let found { return found }
      if isFound { return nil }
    }
    return nil
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
