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

  /// So many records before its end a partition holds an entry, if it holds any: between them stand only marks of transactions.
  private static let lookBack: Int64 = 64

  /// Whether the output is empty though the journal knows of instructions: it was recreated while no instance ran.
  package func outputWasMadeAnew() throws(EdgeError) -> Bool {
    for partition in try reader.partitions(.output) where try reader.bounds(.output, partition).end > 0 { return false }
    for partition in try reader.partitions(.journal) {
      let (first, end) = try reader.bounds(.journal, partition)
      let decoder = JournalDecoder()
      // Where no room is awake, all that an entry led to are dead letters.
      var hasSaid = false
      try reader.read(
        .journal, partition, from: max(first, end - Self.lookBack), to: try reader.stableEnd(.journal, partition),
        unless: { false }
      ) { record in
        if let entry = record.value.flatMap({ try? decoder.entry($0) }), entry.said > 0, entry.rooms > 0 { hasSaid = true }
        return !hasSaid
      }
      if hasSaid { return true }
    }
    return false
  }

  /// The fault, as a sentence; nil: the journal is empty, or this group's own.
  package func fault() throws(EdgeError) -> String? {
    for partition in try reader.partitions(.journal) {
      let (first, end) = try reader.bounds(.journal, partition)
      // Records in an open transaction are not waited for.
      let stable = min(end, try reader.stableEnd(.journal, partition))
      var found: String?
      var isFound = false
      let decoder = JournalDecoder()
      try reader.read(.journal, partition, from: max(first, stable - Self.lookBack), to: stable, unless: { false }) { record in
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
