package import ComboCore
package import ComboEdge
internal import ComboRooms
package import ComboSystem
package import ComboWire

/// Derives a group's output again from its input and its journal, and compares it with the output topic byte for byte. It also
/// checks what a client sees, and that every gift counts once.
///
/// It only reads, and may run while the service runs: records committed meanwhile are left out. It uses as many threads as
/// there are cores. It holds 32 bytes per instruction, some 300 per epoch, 200 per journal entry, and the rooms.
package struct Verifier {
  /// The options of a verification.
  @safe package struct Options: Sendable {
    /// The time before which instructions are not compared, in milliseconds since the Unix epoch.
    package var from = Int64.min
    /// Whether the derivation begins at the current checkpoint, even if the journal reaches back further.
    package var fromCheckpoint = false
    /// Returns the output's partition to which a room belongs, from the room and the number of partitions, or nil if unknown.
    package var placement: (@Sendable (Bytes, Int) -> Int)? = unsafe KeyPartitioner.partition
    /// The rules whose entries can be derived; only tests set others.
    package var rules = Rules.known
    /// Whether the dead-letter topic only has letters of this group.
    package var lettersAreOwn = true
    /// Whether each offset below the first one was that of a record.
    package var offsetsCountRecords = false
    /// The limits of waits for open transactions.
    var patience = WatchedReading.Patience()
    /// The brokers' addresses, for the commands that end such a transaction, or nil if there are none.
    var brokers: String?
    /// Receives sentences about waits, on any thread.
    package var notice: @Sendable (String) -> Void = { _ in }

    package init(
      from: Int64 = .min, fromCheckpoint: Bool = false, lettersAreOwn: Bool = true, brokers: String? = nil,
      notice: @escaping @Sendable (String) -> Void = { _ in }
    ) {
      self.from = from
      self.fromCheckpoint = fromCheckpoint
      self.lettersAreOwn = lettersAreOwn
      self.brokers = brokers
      self.notice = notice
    }
  }

  private let reader: WatchedReading
  private let topics: TopicIdentity
  private let options: Options
  private let log: ServiceLog
  /// Receives the number of all offsets once, and then, from time to time, a number of processed ones. Called by several
  /// threads.
  package var progress: (@Sendable (_ done: Int, _ total: Int?) -> Void)?

  package init(_ reader: any ReadEdge, topics: TopicIdentity, options: Options = Options(), log: ServiceLog = ServiceLog(.error))
  {
    self.reader = WatchedReading(
      reader, topics: topics, brokers: options.brokers, patience: options.patience, notice: options.notice)
    self.topics = topics
    self.options = options
    self.log = log
  }

  /// Reads and compares everything. Throws a ``VerifyFault`` or an `EdgeError` if there can be no verdict.
  package func run() throws -> VerifyReport {
    let outputPartitions = Array(try reader.partitions(.output))
    let oldEnds = try outputPartitions.map { try reader.stableEnd(.output, $0) }
    let partitions = Array(try reader.partitions(.journal))
    // Snapshots must not be newer than the journal.
    var snapshots = try partitions.map { try readSnapshots($0) }
    // The ends of the journal are determined between those of the output. The output of an entry is before the second end of the
    // output, and what is before the first end comes from an entry. Records that were in an open transaction then are not counted
    // as faults, as their entries may have been written since.
    var journals = try inParallel(partitions.count) { i in
      try readFromBeginning(.journal, partitions[i]) { try readJournal(partitions[i]) }
    }
    for (i, partition) in partitions.enumerated() where snapshots[i] == nil && journals[i].continuesOtherRules {
      snapshots[i] = try readSnapshots(partition, isNeeded: true)
      journals[i] = try readFromBeginning(.journal, partition) { try readJournal(partition) }
    }
    var share = OutputShare(of: topics.input)
    let names = journals.compactMap(\.namesInput) + snapshots.compactMap { $0?.state.checkpoint?.derivation.namesInput }
    share.hasUnnamed = names.isEmpty || names.contains(false)
    let outputBounds = try outputPartitions.map { try reader.bounds(.output, $0) }
    reportTotal(outputBounds, journals)
    var places = unsafe OutputPlaces(first: outputBounds.map(\.first), placement: unsafe options.placement)
    let shards = try inParallel(outputPartitions.count) { [places, share] i in
      try readFromBeginning(.output, outputPartitions[i]) {
        try readOutput(outputPartitions[i], share, to: outputBounds[i].end, oldEnd: oldEnds[i], places)
      }
    }
    let index = OutputIndex(places, from: options.from)
    for shard in shards { index.merge(shard.index) }
    index.finish()
    places.first = shards.map(\.first)
    for (partition, shard) in zip(outputPartitions, shards) { places.unread[partition] = shard.openAt }
    let common = Comparison.Common(
      index: index, places: places, letters: try deadLetters(), lettersAreOwn: options.lettersAreOwn, from: options.from)
    // The threads only read it.
    let work = UnsafeTransfer((common: common, snapshots: snapshots))
    let outcomes = try inParallel(partitions.count) { i in
      try readFromBeginning(.input, partitions[i]) {
        try PartitionAudit(
          journals[i], of: partitions[i], work.value.snapshots[i], reader, topics, work.value.common,
          fromCheckpoint: options.fromCheckpoint, rules: options.rules, progress: { progress?($0, nil) }
        ).run()
      }
    }
    var report = VerifyVerdict(common: common, outcomes: outcomes).report()
    if options.offsetsCountRecords {
      report.evicted = try reader.partitions(.input).reduce(0) { try $0 + reader.bounds(.input, $1).first }
    }
    return report
  }

  /// Reads the dead-letter topic. Returns nil if it does not exist, or cannot be read.
  private func deadLetters() throws -> DeadLetterIndex? {
    do {
      if try reader.partitions(.deadLetter).isEmpty { return nil }
      return try DeadLetterIndex(of: topics.input, reader)
    } catch let error as EdgeError where [.notAuthorized, .unknownTopic].contains(error.code) {
      options.notice("dead letters are not compared: \(error)")
      return nil
    }
  }

  // MARK: - Reading

  /// Reads a partition from its beginning. Starts again if retention has deleted the beginning meanwhile, since the records that
  /// were read no longer exist either.
  private func readFromBeginning<R>(_ topic: Topic, _ partition: Int32, _ read: () throws -> R) throws -> R {
    var first = Int64.min
    while true {
      do {
        return try read()
      } catch let error as EdgeError where error.code == .offsetOutOfRange {
        let now = try reader.bounds(topic, partition).first
        if now <= first { throw error }
        first = now
      }
    }
  }

  /// Reads snapshots only if the journal or the input may not reach back to the beginning, or if other rules made the entries.
  private func readSnapshots(_ partition: Int32, isNeeded: Bool = false) throws -> SnapshotReading? {
    guard try reader.partitions(.state).contains(partition) else { return nil }
    let isCut =
      try reader.bounds(.journal, partition).first > 0
      || (try reader.partitions(.input).contains(partition) && reader.bounds(.input, partition).first > 0)
    return isCut || isNeeded || options.fromCheckpoint ? try SnapshotReading(partition, topics, reader, log: log) : nil
  }

  private func readJournal(_ partition: Int32) throws -> JournalReading {
    let bounds = try reader.bounds(.journal, partition)
    var journal = JournalReading(partition, topics, rules: options.rules)
    try reader.scan(.journal, partition, from: bounds.first, to: bounds.end) { record in
      try journal.add(record)
      return true
    }
    return journal
  }

  /// - Returns: The index of the records, the first offset, and the offset of an open transaction at which reading stopped, or
  ///   nil if there was none.
  private func readOutput(
    _ partition: Int32, _ share: OutputShare, to end: Int64, oldEnd: Int64, _ places: OutputPlaces
  ) throws -> (index: OutputIndex, first: Int64, openAt: Int64?) {
    let index = OutputIndex(places, from: options.from)
    let first = try reader.bounds(.output, partition).first
    var steps = OffsetProgress(reported: first) { progress?($0, nil) }
    let openAt = try reader.readStable(.output, partition, from: first, to: end) { record in
      // A timestamp that is not the producer's cannot be compared.
      let time = record.time.flatMap { $0.isAppendTime ? nil : $0.ms }
      if share.has(record) { index.add(record, time: time, isOld: record.offset < oldEnd) }
      steps.advance(to: record.offset)
      return true
    }
    steps.finish(at: end)
    return (index, first, openAt)
  }

  private func reportTotal(_ output: [(first: Int64, end: Int64)], _ journals: [JournalReading]) {
    guard let progress else { return }
    var total = output.reduce(0) { $0 + Int($1.end - $1.first) }
    for journal in journals {
      let first = journal.runs.first?.items.first { !$0.entry.batches.isEmpty }?.entry.batches[0].endOffset ?? 0
      let end = journal.runs.last.map { $0.inputEnd(from: 0, start: first) } ?? first
      total += Int(max(0, end - first))
    }
    progress(0, total)
  }
}
