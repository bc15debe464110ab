internal import ComboCore
package import ComboEdge
package import ComboSystem
package import ComboWire
internal import Synchronization

/// A partition as its last owner left it.
package struct RestoredPartition {
  package let partition: Partition
  package let records: RoomRecords
  /// What its last entries led to and may be missing in the output.
  package let unsaid: HeldBack
  /// Where its journal stands before the offset `journalEnd`.
  package let terms: JournalTerms
  package let journalEnd: Int64
  /// If it could not be restored as it was.
  package let reset: JournalEntry.Reset?
  /// Records of the input that nobody took in and that are gone.
  package var neverTaken: Int64 = 0
  /// In a sentence, for the log.
  package let summary: LogMessage

  package init(
    partition: Partition, records: RoomRecords, unsaid: HeldBack, terms: JournalTerms, journalEnd: Int64,
    reset: JournalEntry.Reset?, neverTaken: Int64 = 0, summary: LogMessage
  ) {
    self.partition = partition
    self.records = records
    self.unsaid = unsaid
    self.terms = terms
    self.journalEnd = journalEnd
    self.reset = reset
    self.neverTaken = neverTaken
    self.summary = summary
  }
}

/// What came of restoring a partition.
package enum RestoreOutcome {
  case restored(RestoredPartition)
  /// The service must not go on: somebody has to mend something first.
  case refused(String)
  /// What was found contradicts itself. It is to be believed only if it stays so.
  case doubtful(String)
  /// It may work later.
  case failed(String)
  /// Somebody has deleted this topic.
  case gone(Topic)
  /// Nobody needs it any more.
  case stopped
  /// It was only looked whether all fits together, and it does; this is the time to which the partition has come.
  case examined(clock: Int64)
}

package struct RestoreResult {
  package let number: Int32
  package let token: Int
  package let outcome: RestoreOutcome

  package init(number: Int32, token: Int, outcome: RestoreOutcome) {
    self.number = number
    self.token = token
    self.outcome = outcome
  }
}

/// Tells a restorer that it is no longer needed.
package final class Cancellation: Sendable {
  private let flag = Atomic<Bool>(false)
  package init() {}
  package var isCancelled: Bool { flag.load(ordering: .relaxed) }
  package func cancel() { flag.store(true, ordering: .relaxed) }

  // How far it is.
  private let ahead = Atomic<Int64>(0)
  private let done = Atomic<Int64>(0)

  /// So many records of the input are to be run through again.
  package func begins(_ count: Int64) { ahead.store(count, ordering: .relaxed) }
  /// So many of them were.
  package func came(to count: Int64) { done.store(count, ordering: .relaxed) }
  /// From 0 to 1.
  package var progress: Double {
    let all = ahead.load(ordering: .relaxed)
    return all <= 0 ? 0 : min(1, Double(done.load(ordering: .relaxed)) / Double(all))
  }
}

/// Brings a partition's rooms back to the last commit: the newest snapshots, then the input from the checkpoint on, in the
/// journal's batches; the digest of the last entry proves that all is as it was.
///
/// Blocks; runs beside the loop.
package struct Restorer: @unchecked Sendable {
  // The proof: made by the loop, used by one other thread.
  private let source: PartitionTopics
  private let time: any TimeSource
  /// Asks what the group has committed.
  private let position: () throws(EdgeError) -> CommittedOffset
  /// Whether what contradicts itself was found so for long enough to be believed.
  private let isCertain: Bool
  /// A partition that is new begins at this time or later, so that a room which moved to it gets a later epoch.
  private let clockMin: Int64
  /// Nothing is run through again: it is only looked whether that could be done.
  private var isExamination = false

  /// - Parameter position: asks what the group has committed, once no transaction is open on it; waits for that.
  package init(
    _ source: PartitionTopics, time: any TimeSource, isCertain: Bool, clockMin: Int64,
    position: @escaping () throws(EdgeError) -> CommittedOffset
  ) {
    self.source = source
    self.time = time
    self.isCertain = isCertain
    self.clockMin = clockMin
    self.position = position
  }

  private typealias Stop = PartitionTopics.Stop

  private var number: Int32 { source.number }
  private var configuration: ServiceConfiguration { source.configuration }
  private var cancellation: Cancellation { source.cancellation }
  private var topics: TopicIdentity { source.topics }
  private var input: String { source.input }

  /// What the group has committed, or why that cannot be known.
  package enum Answer {
    case answer(CommittedOffset)
    case noAnswer(RestoreOutcome)
  }

  /// Comes first. Waits for brokers and, where a transaction is open on the partition, for its end, but takes no processor.
  package func ask() -> Answer {
    do {
      try source.kafka { () throws(EdgeError) in try source.reader.makeRoom(for: number) }
      return .answer(try committed())
    } catch {
      return .noAnswer(outcome(of: error))
    }
  }

  /// What restoring would come to, without running anything through again: whether group, journal, state and input fit together. Reads
  /// only.
  /// - Parameter hasJournal: whether the topics of journal and state are there.
  package func examine(from committed: CommittedOffset, hasJournal: Bool) -> RestoreOutcome {
    var other = self
    other.isExamination = true
    if hasJournal { return other.run(from: committed) }
    do {
      let bounds = try source.kafka { () throws(EdgeError) in try source.reader.bounds(.input, number) }
      return .restored(try begin(committed, bounds, PartitionTopics.Journal(terms: JournalTerms(after: nil), end: 0)))
    } catch {
      return outcome(of: error)
    }
  }

  /// - Parameter committed: what the group had committed, asked for before.
  package func run(from committed: CommittedOffset) -> RestoreOutcome {
    do {
      do {
        return .restored(try restore(from: committed))
      } catch let stop as Stop {
        // Somebody whose partition it is may have committed between two of our looks.
        if stop.isAboutWhatWasFound, try self.committed() != committed { return .failed("another member is still at work on it") }
        throw stop
      }
    } catch {
      return outcome(of: error)
    }
  }

  private func outcome(of error: any Error) -> RestoreOutcome {
    switch error {
    case Stop.cancelled: .stopped
    case Stop.examined(let clock): .examined(clock: clock)
    case Stop.refused(let reason): .refused(reason)
    case Stop.kafka(let error): outcome(of: error)
    case Stop.contradiction(let reason): isCertain ? .refused(reason) : .doubtful(reason)
    case Stop.lost(let reason, _): isCertain ? .failed(reason) : .doubtful(reason)
    default: .failed("\(error)")
    }
  }

  private func outcome(of error: EdgeError) -> RestoreOutcome {
    switch error.code {
    case .offsetOutOfRange:
      // A leader that stood still, and does not know yet that it was replaced, calls what came meanwhile out of range. If it is
      // really not there, looking anew finds that out.
      return .doubtful(error.message)
    case .unknownTopic, .unknownPartition:
      // Brokers that do not answer have not said that it is gone.
      for topic in [Topic.journal, .state, .input] {
        if let partitions = try? source.reader.partitions(topic), partitions.isEmpty { return .gone(topic) }
      }
      if let partitions = try? source.reader.partitions(.input), !partitions.contains(number) { return .refused(error.message) }
      // Not every broker has heard of it yet, or it is a partition of journal or state that looking anew makes.
      return .failed(error.message)
    default:
      return error.isRetriable ? .failed(error.message) : .refused(error.message)
    }
  }

  // MARK: - What there is

  private func committed() throws -> CommittedOffset {
    try source.kafka { () throws(EdgeError) in try position() }
  }

  private func restore(from committed: CommittedOffset) throws -> RestoredPartition {
    let began = time.monotonicMs()
    let journalBounds = try source.kafka { () throws(EdgeError) in try source.reader.bounds(.journal, number) }
    let inputBounds = try source.kafka { () throws(EdgeError) in try source.reader.bounds(.input, number) }
    let state = try source.readState()
    let journal = try source.readJournal(
      from: max(state.checkpoint?.journal ?? 0, journalBounds.first), to: journalBounds.end, state)
    let broken = journal.broken
    let unknown = broken == nil ? nil : JournalStanding(unknownSince: time.wallMs())
    guard var last = JournalStanding(journal.entries, state.checkpoint) ?? unknown else {
      return try begin(committed, inputBounds, journal)
    }
    var missing: String?
    if let checkpoint = state.checkpoint, journalBounds.end < checkpoint.journal {
      missing =
        "the journal ends at offset \(journalBounds.end), but the checkpoint was written when it ended at offset \(checkpoint.journal):"
        + " it was truncated or recreated"
    }
    if broken == nil && missing == nil {
      let isInTransactions = journal.terms.term == nil
      try check(committed, against: last, isInTransactions: isInTransactions, inputBounds)
      if let n = committed.entry, isInTransactions ? n != last.n : n > last.n {
        missing =
          "the group stands at entry \(n), but the journal ends with entry \(last.n): later entries were lost or deleted"
        last.n = max(last.n, n)
      }
    } else {
      // What the entries said that cannot be read is known in part: beside the group's offset stands the number of the last one.
      last.n = max(last.n, committed.entry ?? 0)
      if let known = committed.offset, known > last.offset ?? -1 {
        last.offset = known
        last.last = nil
      }
    }
    do {
      do {
        if let broken { throw broken }
        if let missing { throw Stop.lost(reason: missing, offsets: 0) }
        return try run(state, journal, inputBounds, began: began)
      } catch let replay as ReplayFault {
        throw Stop.lost(reason: replay.description, offsets: 0)
      } catch let format as FormatFault {
        if format.code != .broken { throw Stop.refused(format.description) }
        throw Stop.lost(reason: format.description, offsets: 0)
      }
    } catch Stop.lost(let reason, let offsets) where isCertain {
      if try self.committed() != committed { throw Stop.lost(reason: reason, offsets: offsets) }
      do {
        return try source.salvage(state, journal, last, inputBounds, reason: reason, offsets: offsets)
      } catch let format as FormatFault {
        throw Stop.refused(format.description)
      }
    }
  }

  /// A partition that nobody has read.
  private func begin(
    _ committed: CommittedOffset, _ bounds: (first: Int64, end: Int64), _ journal: PartitionTopics.Journal
  ) throws -> RestoredPartition {
    var offset = bounds.first
    var why = "from its beginning"
    var reset: JournalEntry.Reset?
    if let known = committed.offset {
      offset = known
      why = "where the group stands"
      if !isCertain, let n = committed.entry {
        throw Stop.contradiction("the group stands at offset \(known) of \(input), entry \(n), but its journal is empty")
      }
      if let n = committed.entry, known <= bounds.end {
        reset = JournalEntry.Reset(
          reason: "the group stands at entry \(n), offset \(known), but its journal and its state are gone: they were deleted",
          offsetsLost: max(0, bounds.first - known))
        offset = max(known, bounds.first)
      } else if known > bounds.end || known < bounds.first {
        throw Stop.contradiction(
          "the group stands at offset \(known) of \(input), which holds offsets \(bounds.first) to \(bounds.end). "
            + "Say where to begin: \(resettingOffsets("--to-earliest"))")
      }
    } else if configuration.fromLatest {
      if let began = try groupBegan() {
        // It has partitions already: this one was made since, or is taken over some moments after the others.
        offset =
          began == .min
          ? bounds.first
          : try source.kafka { () throws(EdgeError) in try source.reader.offset(.input, number, atMs: began) ?? bounds.end }
        why = "from the time on at which the group began"
      } else {
        offset = bounds.end
        why = "from its end"
      }
    }
    let records = RoomRecords(topics, partBytes: configuration.partBytes)
    let partition = Partition(
      number, settings: EngineSettings(configuration.settings), ownSettingsMax: configuration.ownSettingsMax,
      clock: max(time.wallMs(), clockMin), offset: offset, records: records)
    return RestoredPartition(
      partition: partition, records: records, unsaid: HeldBack(), terms: journal.terms, journalEnd: journal.end, reset: reset,
      neverTaken: reset?.offsetsLost ?? 0,
      summary: reset.map { PartitionTopics.resetSummary(number, reason: $0.reason, neverTaken: $0.offsetsLost) }
        ?? "new: partition \(.partition, number), read \(.reason, why), offset \(.offset, offset)")
  }

  /// The time of the group's first entry in any journal; nil if there is none. As early as can be if a first entry is deleted already.
  private func groupBegan() throws -> Int64? {
    var began: Int64?
    let decoder = JournalDecoder()
    for other in try source.kafka({ () throws(EdgeError) in try source.reader.partitions(.journal) }) where other != number {
      let bounds = try source.kafka { () throws(EdgeError) in try source.reader.bounds(.journal, other) }
      if bounds.first > 0 { return .min }
      try source.read(.journal, other, from: 0, to: bounds.end) { record in
        guard let value = record.value, let entry = try? decoder.entry(value) else { return true }
        began = min(began ?? .max, entry.clock)
        return false
      }
    }
    return began
  }

  /// The journal is the truth: what the group says must agree with it. Where offsets are committed beside it, for tools only, the
  /// group may be behind.
  private func check(
    _ committed: CommittedOffset, against last: JournalStanding, isInTransactions: Bool, _ bounds: (first: Int64, end: Int64)
  ) throws {
    guard let offset = last.offset else { return }
    if let known = committed.offset, isInTransactions ? known != offset : known > offset {
      throw Stop.contradiction(
        "the group stands at offset \(known) of \(input), but the journal ends at offset \(offset) (entry \(last.n)): the offsets were"
          + " changed from outside. To continue from the journal, stop all instances and run: \(resettingOffsets("--to-offset \(offset)")). To begin anew, use another"
          + " group, or delete the topics of this one's journal and state")
    }
    func otherInput(_ what: String) -> Stop {
      .contradiction(
        "\(input) \(what): the topic was truncated or recreated. Use another group for it, or delete the topics of this group's journal and"
          + " state and its offsets")
    }
    if bounds.end < offset { throw otherInput("ends at offset \(bounds.end), but the journal has taken it in up to \(offset)") }
    // Behind it stands a record that was taken in, never a transaction's mark: of a topic that only grew, it is there until retention
    // deletes it.
    if let taken = last.last, bounds.first < offset {
      var found: UInt64?
      try source.read(.input, from: offset - 1, to: offset) { record in
        found = record.fingerprint
        return false
      }
      if found != taken { throw otherInput("holds another record at offset \(offset - 1) than the one that was taken in") }
    }
  }

  /// The command that sets the group's offset, as it is to be typed.
  private func resettingOffsets(_ to: String) -> String {
    "kafka-consumer-groups --bootstrap-server \(configuration.brokers) --group \(topics.group) --topic \(topics.input):\(number)"
      + " --reset-offsets \(to) --execute"
  }

  // MARK: - Running through again

  private func run(
    _ state: PartitionTopics.State, _ journal: PartitionTopics.Journal, _ bounds: (first: Int64, end: Int64), began: Int64
  ) throws -> RestoredPartition {
    let entries = journal.entries
    let beginning = try source.beginning(state, entries, isLenient: false)
    let partition = beginning.partition
    let last = entries.last?.n ?? partition.n
    if let newest = beginning.silent.keys.max(), newest > last {
      throw Stop.lost(reason: "a room was written after entry \(newest), but the journal ends with entry \(last)", offsets: 0)
    }
    let (start, end) = (partition.offset, entries.last(where: { !$0.batches.isEmpty })?.batches.last?.endOffset ?? 0)
    if bounds.first > max(start, end) || (bounds.first > start && end > start) {
      throw Stop.lost(
        reason: "\(input) begins at offset \(bounds.first), but is needed from offset \(start) on: what lay before was deleted",
        offsets: bounds.first - start)
    }
    if let stop = source.otherRules(in: entries, after: beginning.derivation) { throw stop }
    if isExamination { throw Stop.examined(clock: entries.last?.clock ?? partition.clock) }
    // A snapshot is committed only once all is said up to its entry.
    let saidTo = max(journal.terms.saidTo, beginning.silent.keys.max() ?? 0)
    let unsaid = UnsaidTarget(HeldBack(), isOn: false)
    var rest = entries.makeIterator()
    let runner = try EntryRunner(
      partition, derivation: beginning.derivation, topics: topics, lane: Lane(unsaid), silent: beginning.silent,
      rules: configuration.rules,
      next: {
        let next = rest.next()
        unsaid.isOn = next.map { $0.n > saidTo } ?? false
        return next
      })
    runner.header = { [reader = source.reader] in reader.header($1, of: $0, $2) }
    runner.deadLettered = { record, bad in
      if !unsaid.isOn { return }
      let letter = DeadLetter(
        record, bad, topic: topics.input, details: source.reader.details(of: record), limits: configuration.deadLetterLimits,
        wall: time.wallMs())
      unsaid.held.add(.deadLetter, key: letter.key, value: letter.value, timestamp: letter.timestamp, headers: letter.headers)
    }
    var fault: (any Error)?
    cancellation.begins(max(0, end - start))
    try source.read(.input, from: start, to: max(start, end)) { record in
      cancellation.came(to: record.offset - start)
      do {
        try runner.take(record)
        return true
      } catch {
        fault = error
        return false
      }
    }
    if let fault { throw fault }
    try runner.finish()
    partition.decidedRefusals = nil
    // As those that have rested meanwhile, these may have a snapshot that was not seen.
    beginning.records.isRunThrough = false
    partition.table.forEachRoom { $0.hasRecord = true }
    beginning.records.takenSince = runner.records
    let ms = time.monotonicMs() - began
    let proof: LogMessage = runner.entries > 0 ? "digest found" : "no entry since its checkpoint"
    return RestoredPartition(
      partition: partition, records: beginning.records, unsaid: unsaid.held, terms: journal.terms, journalEnd: journal.end,
      reset: nil,
      summary: """
        restored: partition \(.partition, number) at offset \(.offset, partition.offset), entry \(.entry, partition.n), \
        \(.rooms, partition.awake) rooms, \(.records, runner.records) records and \(.entries, runner.entries) entries derived again, \
        \(proof), in \(.ms, ms) ms\(unsaid.held.isEmpty ? nil : "; \(.count, unsaid.held.count) records are written again")
        """)
  }
}
