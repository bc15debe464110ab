internal import ComboCore
internal import ComboEdge
internal import ComboSystem
internal import ComboWire

/// Begins a partition whose journal is empty: finds its offset, its time, and whether something was lost. Blocks.
struct FirstOwner {
  private let source: PartitionTopics
  private let time: any TimeSource
  /// Whether a contradiction has lasted for long enough to be believed.
  private let isCertain: Bool
  /// The earliest time at which the partition may begin.
  private let clockMin: Int64

  private typealias Stop = PartitionTopics.Stop

  private var number: Int32 { source.number }
  private var configuration: ServiceConfiguration { source.configuration }
  private var topics: TopicIdentity { source.topics }
  private var input: String { source.input }

  init(_ source: PartitionTopics, time: any TimeSource, isCertain: Bool, clockMin: Int64) {
    self.source = source
    self.time = time
    self.isCertain = isCertain
    self.clockMin = clockMin
  }

  /// - Parameters:
  ///   - committed: The offset that the group has committed, perhaps by another program.
  ///   - bounds: The bounds of the input.
  func begin(
    _ committed: CommittedOffset, _ bounds: (first: Int64, end: Int64), _ journal: PartitionTopics.Journal
  ) throws -> RestoredPartition {
    var offset = bounds.first
    var why = "from its beginning"
    var reset: JournalEntry.Reset?
    if let known = committed.offset {
      offset = known
      why = "from the offset that the group has committed"
      if !isCertain, let n = committed.entry {
        throw Stop.contradiction("the group has committed offset \(known) of \(input), entry \(n), but its journal is empty")
      }
      if let n = committed.entry, known <= bounds.end {
        reset = JournalEntry.Reset(
          reason:
            "the group has committed entry \(n), offset \(known), but its journal and its state are gone: they were deleted",
          offsetsLost: max(0, bounds.first - known))
        offset = max(known, bounds.first)
      } else if known > bounds.end || known < bounds.first {
        throw Stop.contradiction(
          "the group has committed offset \(known) of \(input), which holds offsets \(bounds.first) to \(bounds.end). "
            + "Say where to begin: \(source.resettingOffsets("--to-earliest"))")
      }
    } else if configuration.fromLatest {
      if let began = try groupBegan() {
        // The group has partitions already: this one was made since, or is taken over shortly after the others.
        offset =
          began == .min
          ? bounds.first
          : try source.kafka { () throws(EdgeError) in try source.reader.offset(.input, number, atMs: began) ?? bounds.end }
        why = "from the time at which the group began"
      } else {
        offset = bounds.end
        why = "from its end"
      }
    }
    let records = RoomRecords(topics, partBytes: configuration.partBytes)
    let partition = Partition(
      number, settings: configuration.derivation(after: nil).engineSettings, ownSettingsMax: configuration.ownSettingsMax,
      clock: max(time.wallMs(), clockMin), offset: offset, records: records)
    return RestoredPartition(
      partition: partition, records: records, unsaid: HeldBack(), terms: journal.terms, journalEnd: journal.end, reset: reset,
      neverTaken: reset?.offsetsLost ?? 0, derivation: nil,
      summary: reset.map { PartitionTopics.resetSummary(number, reason: $0.reason, neverTaken: $0.offsetsLost) }
        ?? "new: partition \(.partition, number), read \(.reason, why), offset \(.offset, offset)")
  }

  /// Returns the time of the group's first entry in any journal; nil if none. If a first entry is already deleted, it is the
  /// earliest possible time.
  private func groupBegan() throws -> Int64? {
    var began: Int64?
    let others = try source.kafka({ () throws(EdgeError) in try source.reader.partitions(.journal) }).filter { $0 != number }
    let extents = try source.kafka { () throws(EdgeError) in try source.reader.extents(.journal, others) }
    if extents.contains(where: { $0.first > 0 }) { return .min }
    for (other, extent) in zip(others, extents) {
      var cursor = JournalCursor(topics)
      try source.read(.journal, other, from: 0, to: extent.end) { record in
        guard let entry = cursor.take(record.value, at: record.offset).counting else { return true }
        began = min(began ?? .max, entry.clock)
        return false
      }
    }
    return began
  }
}
