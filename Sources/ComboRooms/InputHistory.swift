package import ComboEdge
package import ComboWire
internal import Synchronization

/// Checks whether the input is still the topic that the group has consumed, by the journals of all its partitions.
///
/// A partition cannot always tell by its own journal. Nothing may have been consumed of it: a topic may have been recreated with
/// more partitions than before. Or its newest entries and its checkpoint are of the new topic, since it was recreated while it
/// was read.
///
/// The brokers are asked once, by the first call. May be used on any thread.
package final class InputHistory: Sendable {
  private enum Finding {
    case unknown
    case found(String?)
  }

  /// The last record of an entry, by the offset after it.
  private struct Consumed {
    let offset: Int64
    let last: UInt64

    init?(_ entry: JournalEntry) {
      guard let end = entry.batches.last?.endOffset, let last = entry.last else { return nil }
      (offset, self.last) = (end, last)
    }
  }

  private let topics: TopicIdentity
  private let reader: any ReadEdge
  /// The extents that were just read, by partition.
  private let known: [Int32: Restorer.Extents]
  private let finding = Mutex(Finding.unknown)

  package init(_ topics: TopicIdentity, _ reader: any ReadEdge, known: [Int32: Restorer.Extents] = [:]) {
    self.topics = topics
    self.reader = reader
    self.known = known
  }

  /// Returns how the input differs from what the group has consumed; nil if it does not, or if that cannot be determined.
  ///
  /// Blocks: sends two requests about all partitions, and reads the journals and the input of a few of them.
  package func contradiction() throws(EdgeError) -> String? {
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
    let others = numbers.filter { known[$0] == nil }
    let written = zip(others, try reader.extents(.journal, others)).filter { $1.stableEnd > $1.first }
    // Read after the journals' extents, so that the input ends after everything that they have.
    let inputs = try reader.extents(.input, written.map(\.0))
    let asked = zip(written, inputs).map { (number: $0.0, journal: $0.1, input: $1) }
    let answered = known.filter { $1.journal.stableEnd > $1.journal.first }
      .map { (number: $0, journal: $1.journal, input: $1.input) }
    let partitions = (answered + asked).sorted { $0.number < $1.number }
    for (number, journal, input) in partitions {
      guard let newest = try consumed(number, journal) else { continue }
      if input.end < newest.offset {
        return Self.isShorter("\(topics.input) partition \(number)", input.end, consumed: newest.offset)
      }
      if let same = try isThere(newest, number, input) {
        if !same { return Self.hasOther("\(topics.input) partition \(number)", before: newest.offset) }
        break
      }
    }
    // The longest journals: a short one may have begun after the topic was recreated.
    for (number, journal, input) in partitions.sorted(by: { $0.journal.count > $1.journal.count }).prefix(3) {
      var oldest = try firstConsumed(number, journal, sinceReset: false)
      guard let first = oldest, try isThere(first, number, input) == false else { continue }
      // A reset begins anew. That is rare, and only the whole journal shows it.
      oldest = try firstConsumed(number, journal, sinceReset: true)
      if let oldest, try isThere(oldest, number, input) == false {
        return Self.hasOther("\(topics.input) partition \(number)", before: oldest.offset)
      }
    }
    return nil
  }

  /// Returns whether the input still has a consumed record; nil if retention or compaction has deleted it, or if it ends before.
  private func isThere(_ consumed: Consumed, _ number: Int32, _ input: Extent) throws(EdgeError) -> Bool? {
    guard input.first < consumed.offset, consumed.offset <= input.end else { return nil }
    return try reader.fingerprint(number, before: consumed.offset).map { $0 == consumed.last }
  }

  /// Returns the newest consumed record of a partition, by its newest entries.
  private func consumed(_ number: Int32, _ journal: Extent) throws(EdgeError) -> Consumed? {
    // Entries without a record are few in a row: they are those of rooms that end.
    for count in [Int64(32), 4096] {
      var found: Consumed?
      let start = max(journal.first, journal.stableEnd - count)
      try readEntries(number, from: start, in: journal) { entry in
        found = Consumed(entry) ?? found
        return true
      }
      if found != nil || start == journal.first { return found }
    }
    return nil
  }

  /// Returns the last record of a partition's first entry that has one.
  /// - Parameter sinceReset: Whether to search only the entries since the last reset.
  private func firstConsumed(_ number: Int32, _ journal: Extent, sinceReset: Bool) throws(EdgeError) -> Consumed? {
    var found: Consumed?
    try readEntries(number, from: journal.first, in: journal) { entry in
      if sinceReset, entry.takeover?.reset != nil { found = nil }
      found = found ?? Consumed(entry)
      return sinceReset || found == nil
    }
    return found
  }

  private func readEntries(
    _ number: Int32, from start: Int64, in journal: Extent, _ take: (JournalEntry) -> Bool
  ) throws(EdgeError) {
    var cursor = JournalCursor(topics)
    try reader.read(.journal, number, from: start, to: journal.stableEnd, unless: { false }) { record in
      cursor.take(record.value, at: record.offset).own.map(take) ?? true
    }
  }

  static func isShorter(_ partition: String, _ end: Int64, consumed offset: Int64) -> String {
    "\(partition) ends at offset \(end), but the journal says that it was taken in up to offset \(offset)" + wasRecreated
  }

  static func hasOther(_ partition: String, before offset: Int64) -> String {
    "\(partition) has a different record at offset \(offset - 1) than the one that was taken in" + wasRecreated
  }

  static func lacksRecord(_ partition: String, before offset: Int64) -> String {
    "\(partition) has no record at offset \(offset - 1), where one was taken in. Unless the input was compacted" + wasRecreated
  }

  private static let wasRecreated =
    ": the topic was truncated or recreated. " + howToBeginAgain

  package static let howToBeginAgain = "Stop all instances, then follow docs/operating.md, The input was recreated"
}
