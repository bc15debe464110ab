package import ComboCore
package import ComboEdge
internal import ComboRooms
package import ComboSystem
package import ComboWire
internal import Dispatch
internal import Synchronization

/// Derives a group's output again from its input and its journal, and compares it with the output topic byte for byte; checks
/// and also what a client sees, and that every gift counts once.
///
/// Only reads, and may run while the service runs: records committed meanwhile are left out. Uses as many threads as there
/// are cores; memory: 32 bytes an instruction, some 300 bytes an epoch, 200 bytes a journal entry, and the rooms.
package struct Verifier {
  /// What is asked for.
  package struct Options: Sendable {
    /// Only instructions from this time on are compared, in milliseconds since the Unix epoch.
    package var from = Int64.min
    /// The derivation begins at the current checkpoint, though the journal may reach back further.
    package var fromCheckpoint = false
    /// The partition of the output, of this many, that a room belongs to; nil: unknown.
    package var placement: (@Sendable (Bytes, Int) -> Int)? = KeyPartitioner.partition
    /// The rules whose entries can be derived; tests alone set others.
    package var rules = Rules.known
    /// Whether the dead-letter topic has letters of this group only.
    package var lettersAreOwn = true
    /// How long transactions that are open are waited for.
    var patience = WatchedReading.Patience()
    /// Hears what is waited for, in sentences; any thread.
    package var notice: @Sendable (String) -> Void = { _ in }

    package init(
      from: Int64 = .min, fromCheckpoint: Bool = false, lettersAreOwn: Bool = true,
      notice: @escaping @Sendable (String) -> Void = { _ in }
    ) {
      self.from = from
      self.fromCheckpoint = fromCheckpoint
      self.lettersAreOwn = lettersAreOwn
      self.notice = notice
    }
  }

  private let reader: WatchedReading
  private let topics: TopicIdentity
  private let options: Options
  private let log: ServiceLog
  /// Called now and then with a number of offsets that were run through, and once first with how many there are; by several
  /// threads.
  package var progress: (@Sendable (_ done: Int, _ total: Int?) -> Void)?

  package init(_ reader: any ReadEdge, topics: TopicIdentity, options: Options = Options(), log: ServiceLog = ServiceLog(.error))
  {
    self.reader = WatchedReading(reader, topics: topics, patience: options.patience, say: options.notice)
    self.topics = topics
    self.options = options
    self.log = log
  }

  /// Reads and compares all. Throws if there can be no verdict: a ``VerifyFault`` or a `EdgeError`.
  package func run() throws -> VerifyReport {
    let outputPartitions = Array(try reader.partitions(.output))
    let oldEnds = try outputPartitions.map { try reader.stableEnd(.output, $0) }
    let partitions = Array(try reader.partitions(.journal))
    // What snapshots say must not be newer than the journal.
    var snapshots: [SnapshotReading?] = []
    for partition in partitions { snapshots.append(try readSnapshots(partition)) }
    // The ends of the journal are settled between the two looks at the output: what an entry led to stands before the second,
    // and what stands before the first comes from an entry. What was in an open transaction then is not held against anybody:
    // its entry may have been written since.
    var journals = try inParallel(partitions.count) { i in
      try readAnew(.journal, partitions[i]) { try readJournal(partitions[i]) }
    }
    for (i, partition) in partitions.enumerated() where snapshots[i] == nil && journals[i].goesOnFromOtherRules {
      snapshots[i] = try readSnapshots(partition, isNeeded: true)
      journals[i] = try readAnew(.journal, partition) { try readJournal(partition) }
    }
    let outputBounds = try outputPartitions.map { try reader.bounds(.output, $0) }
    tellTotal(outputBounds, partitions, journals)
    var places = OutputPlaces(first: outputBounds.map(\.first), placement: options.placement)
    let shards = try inParallel(outputPartitions.count) { [places] i in
      try readAnew(.output, outputPartitions[i]) {
        try readOutput(outputPartitions[i], to: outputBounds[i].end, oldEnd: oldEnds[i], places)
      }
    }
    let index = OutputIndex(places, from: options.from)
    for shard in shards { index.merge(shard.index) }
    index.finish()
    places.first = shards.map(\.first)
    for (partition, shard) in zip(outputPartitions, shards) { places.unread[partition] = shard.openAt }
    let common = Comparison.Common(
      index: index, places: places, letters: try deadLetters(), lettersAreOwn: options.lettersAreOwn, from: options.from)
    let work = Unshared((common: common, snapshots: snapshots))
    let outcomes = try inParallel(partitions.count) { i in
      try readAnew(.input, partitions[i]) {
        try PartitionAudit(
          journals[i], of: partitions[i], work.value.snapshots[i], reader, topics, work.value.common,
          fromCheckpoint: options.fromCheckpoint, rules: options.rules, progress: { progress?($0, nil) }
        ).run()
      }
    }
    return VerifyVerdict(common, outcomes).report()
  }

  /// What the dead-letter topic holds; nil if there is none, or it may not be read.
  private func deadLetters() throws -> DeadLetterIndex? {
    let letters = DeadLetterIndex(of: topics.input)
    do {
      if try reader.partitions(.deadLetter).isEmpty { return nil }
      try letters.read(reader)
      return letters
    } catch let error as EdgeError where [.notAuthorized, .unknownTopic].contains(error.code) {
      options.notice("dead letters are not compared: \(error)")
      return nil
    }
  }

  // MARK: - Reading

  /// Reads a partition from its beginning, and once more whenever retention has deleted that meanwhile: what was read of it then is
  /// no longer there either.
  private func readAnew<R>(_ topic: Topic, _ partition: Int32, _ read: () throws -> R) throws -> R {
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

  /// Only where the journal or the input may not reach back to the beginning, or other rules made what stands there.
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

  /// - Returns: what it holds, where it begins, and the offset from which on it was not read, as a transaction is open.
  private func readOutput(
    _ partition: Int32, to end: Int64, oldEnd: Int64, _ places: OutputPlaces
  ) throws -> (index: OutputIndex, first: Int64, openAt: Int64?) {
    let index = OutputIndex(places, from: options.from)
    let first = try reader.bounds(.output, partition).first
    var told = first
    let openAt = try reader.readStable(.output, partition, from: first, to: end) { record in
      // Of another time than its producer's nothing is known.
      let time = record.time.flatMap { $0.isAppendTime ? nil : $0.ms }
      index.add(record, time: time, isOld: record.offset < oldEnd)
      if record.offset - told >= 10_000 {
        progress?(Int(record.offset - told), nil)
        told = record.offset
      }
      return true
    }
    progress?(Int(max(0, end - told)), nil)
    return (index, first, openAt)
  }

  private func tellTotal(
    _ output: [(first: Int64, end: Int64)], _ partitions: [Int32], _ journals: [JournalReading]
  ) {
    guard let progress else { return }
    var total = output.reduce(0) { $0 + Int($1.end - $1.first) }
    for journal in journals {
      let first = journal.runs.first?.items.first { !$0.entry.batches.isEmpty }?.entry.batches[0].endOffset ?? 0
      let end = journal.runs.last.map { $0.inputEnd(from: 0, start: first) } ?? first
      total += Int(max(0, end - first))
    }
    progress(0, total)
  }

  /// Does a number of things on all cores, and hands their results back in order. Throws the first error, by number.
  private func inParallel<R>(_ count: Int, _ body: (Int) throws -> R) throws -> [R] {
    let results = Mutex(Unshared<[Result<R, any Error>?]>(Array(repeating: nil, count: count)))
    withoutActuallyEscaping(body) { body in
      let body = Unshared(body)
      DispatchQueue.concurrentPerform(iterations: count) { i in
        let result = Unshared(Result { try body.value(i) })
        results.withLock { $0.value[i] = result.value }
      }
    }
    return try results.withLock { Unshared(try $0.value.map { try $0!.get() }) }.value
  }
}

/// The proof: what is carried is either only read, or made by one thread and then used by another.
private struct Unshared<Value>: @unchecked Sendable {
  var value: Value
  init(_ value: Value) { self.value = value }
}
