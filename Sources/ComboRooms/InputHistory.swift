package import ComboEdge
package import ComboWire
internal import Synchronization

/// Tells whether the input is still the topic that the group has consumed, by the journals of all its partitions. A partition of
/// which nothing was consumed cannot tell by its own: a topic may have been recreated with more partitions than before.
///
/// The brokers are asked once, by the first call. May be used on any thread.
package final class InputHistory: Sendable {
  private enum Finding {
    case unknown
    case found(String?)
  }

  private let topics: TopicIdentity
  private let reader: any ReadEdge
  private let finding = Mutex(Finding.unknown)

  package init(_ topics: TopicIdentity, _ reader: any ReadEdge) {
    self.topics = topics
    self.reader = reader
  }

  /// Returns how the input differs from what the group has consumed; nil if it does not, or if nothing tells.
  ///
  /// Blocks: two questions about all partitions, and a read or two of one partition's journal and input.
  func contradiction() throws(EdgeError) -> String? {
    try finding.withLock { finding throws(EdgeError) in
      if case .found(let found) = finding { return found }
      let found = try look()
      finding = .found(found)
      return found
    }
  }

  private func look() throws(EdgeError) -> String? {
    let journals = try reader.partitions(.journal)
    let numbers = Array(journals.clamped(to: try reader.partitions(.input)))
    let extents = try reader.extents(.journal, numbers)
    let written = zip(numbers, extents).filter { $1.stableEnd > $1.first }
    if written.isEmpty { return nil }
    // Asked afterwards: then the input ends after all that the journals have.
    let inputs = try reader.extents(.input, written.map(\.0))
    for ((number, journal), input) in zip(written, inputs) {
      guard let (offset, last) = try consumed(number, journal) else { continue }
      if input.end < offset { return Self.isShorter("\(topics.input) partition \(number)", input.end, consumed: offset) }
      // If retention or compaction has deleted the record, another partition may tell.
      guard input.first < offset, let found = try reader.fingerprint(number, before: offset) else { continue }
      return found == last ? nil : Self.hasOther("\(topics.input) partition \(number)", before: offset)
    }
    return nil
  }

  /// Returns the offset after the last consumed record of a partition, and the record's fingerprint, by its newest entries.
  private func consumed(_ number: Int32, _ journal: Extent) throws(EdgeError) -> (offset: Int64, last: UInt64)? {
    // Entries without a record are few in a row: they are those of rooms that end.
    for count in [Int64(32), 4096] {
      var cursor = JournalCursor(topics)
      var found: (Int64, UInt64)?
      let start = max(journal.first, journal.stableEnd - count)
      try reader.read(.journal, number, from: start, to: journal.stableEnd, unless: { false }) { record in
        if let entry = cursor.take(record.value, at: record.offset).own, let end = entry.batches.last?.endOffset,
          let last = entry.last
        {
          found = (end, last)
        }
        return true
      }
      if found != nil || start == journal.first { return found }
    }
    return nil
  }

  static func isShorter(_ partition: String, _ end: Int64, consumed offset: Int64) -> String {
    "\(partition) ends at offset \(end), but the journal says that it was taken in up to offset \(offset)" + wasRecreated
  }

  static func hasOther(_ partition: String, before offset: Int64) -> String {
    "\(partition) has a different record at offset \(offset - 1) than the one that was taken in" + wasRecreated
  }

  private static let wasRecreated =
    ": the topic was truncated or recreated. " + howToBeginAgain

  package static let howToBeginAgain = "Stop all instances, then follow docs/operating.md, The input was recreated"
}
