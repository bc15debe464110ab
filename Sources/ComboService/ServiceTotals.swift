internal import ComboEdge
package import ComboRooms
package import ComboWire

/// The records consumed and the instructions emitted in this process, as far as they are durable.
package struct ServiceTotals: Equatable, Sendable {
  /// Records consumed, whatever became of them.
  package var events = 0
  package var instructions = 0
  package var bad = 0
  package var withoutValue = 0
  package var commits = 0
  package var aborts = 0
  package var restores = 0
  package var resets = 0
  package var stateBytes = 0
  package var journalBytes = 0
  /// How often a partition's clock became far ahead of the wall clock.
  package var clockLeads = 0
  /// Records of the input that were never read, according to resets.
  package var lost = 0
  /// Partitions whose time was brought back.
  package var clocksBroughtBack = 0
  package var movedBySeek = 0
  /// Events by kind, and instructions by operation.
  package var tally = EventCounts()
  package var said = InstructionCounts()

  package init() {}
}

extension ServiceTotals {
  /// A total that is a metric of its own.
  package struct Counter: Sendable {
    package let name: String
    package let help: String
    package let total: any WritableKeyPath<ServiceTotals, Int> & Sendable

    fileprivate init(_ name: String, _ total: any WritableKeyPath<ServiceTotals, Int> & Sendable, _ help: String) {
      (self.name, self.help, self.total) = (name, help, total)
    }
  }

  /// The totals that are metrics without labels. The metrics page and its reference are made from this table.
  package static let counters: [Counter] = [
    Counter("combo_records_total", \.events, "Records of the input whose outcome is durable."),
    Counter("combo_records_without_value_total", \.withoutValue, "Records without a value; they are skipped."),
    Counter("combo_commits_total", \.commits, "Transactions committed."),
    Counter("combo_aborts_total", \.aborts, "Returns to the last commit."),
    Counter("combo_restores_total", \.restores, "Partition restores that were started."),
    Counter(
      "combo_resets_total", \.resets,
      "Partitions whose state could not be restored, so that their rooms began a new epoch (resets)."),
    Counter("combo_lost_records_total", \.lost, "Records of the input that were deleted before they were read."),
    Counter("combo_clock_leads_total", \.clockLeads, "Times that a partition's clock ran far ahead of the wall clock."),
    Counter("combo_state_bytes_total", \.stateBytes, "Bytes of snapshots written."),
    Counter("combo_journal_bytes_total", \.journalBytes, "Bytes of journal entries written."),
  ]

  /// The topics that these records are in.
  var topics: Set<Topic> {
    var topics: Set<Topic> = []
    if journalBytes > 0 { topics.insert(.journal) }
    if stateBytes > 0 { topics.insert(.state) }
    if instructions > 0 { topics.insert(.output) }
    if bad > 0 { topics.insert(.deadLetter) }
    return topics
  }

  package mutating func add(_ other: ServiceTotals) {
    for counter in ServiceTotals.counters { self[keyPath: counter.total] += other[keyPath: counter.total] }
    instructions += other.instructions
    bad += other.bad
    clocksBroughtBack += other.clocksBroughtBack
    movedBySeek += other.movedBySeek
    tally.add(other.tally)
    said.add(other.said)
  }

  /// Adds what an entry consumed and emitted.
  package mutating func add(_ entry: JournalEntry, deadLetters: Int, bytes: Int) {
    for batch in entry.batches { events += batch.taken }
    instructions += entry.said - deadLetters
    bad += deadLetters
    journalBytes += bytes
  }
}
