package import ComboCore
package import ComboEdge
package import ComboWire

/// Why entries of a journal could not be run again.
package struct ReplayFault: Error, Equatable, Sendable, CustomStringConvertible {
  package let description: String
  package init(_ description: String) { self.description = description }
}

/// An entry was made by another version of the engine's rules than the runner has. Nothing can be derived of it.
package struct OtherRules: Error, Equatable, Sendable {
  /// The entry.
  package let n: Int64
  /// The version that made it.
  package let version: Int
}

/// Runs the entries of a partition's journal over its input again: the same records at the same times, and so the same
/// instructions. What restores a partition, and what audits one.
///
/// Hand it the input's records in order, then ``finish()``. One thread.
package final class EntryRunner {
  package let partition: Partition
  private let lane: Lane
  private let topics: TopicIdentity
  private let nextEntry: () throws -> JournalEntry?
  /// Rooms whose snapshot is newer than the checkpoint, by the entry up to which it holds.
  private var silent: [Int64: [Room]]
  /// Up to this entry rooms are missing, so that nothing can be proved.
  private let silentUpTo: Int64

  /// The version of the engine's rules.
  private let rules: Int?
  /// By what the next entry was derived, unless it is a takeover.
  private var derivation: Derivation
  private var decoder: RecordDecoder
  /// Whether `decoder` goes by `derivation`.
  private var isDecoderMade = false
  private let arena = BumpArena()
  private var event = Event()
  private var entry: JournalEntry?
  private var batch = 0
  private var taken = 0
  /// The fingerprint of the batch's last record, once it is there.
  private var last: UInt64?
  /// Entries run through, and records taken in.
  package private(set) var entries = 0
  /// Records that the map says are none of the service's.
  package private(set) var dropped = 0
  package private(set) var records = 0
  /// Called after each entry, with what the journal says and what came of it.
  package var entryDone: ((_ recorded: JournalEntry, _ derived: JournalEntry) throws -> Void)?
  /// Hands out the value of a record's header, for maps that name it.
  package var header: (InputRecord, _ name: String, _ body: (Bytes) -> Void) -> Void = { _, _, _ in }
  /// Called for each record that is no event.
  package var deadLettered: ((InputRecord, BadEvent) throws -> Void)?
  /// Whether an event is to be taken in, with the settings that it brings; nil: each is.
  package var admits: ((UnsafePointer<Event>, OwnSettings?, Int64) -> Bool)?
  /// Called after a room has taken an event in, with the settings that it brought.
  package var took: ((UnsafePointer<Event>, OwnSettings?, Room, Int64) -> Void)?
  /// Whether the input, and number and digest of the rooms, must be those of each entry.
  package var checksDigest = true

  /// - Parameters:
  ///   - lane: where what is said goes.
  ///   - silent: rooms that wait until the run has come to their snapshot.
  ///   - rules: the version of the engine's rules. Entries made by another one end in ``OtherRules``. nil: whatever they say, for
  ///     tests that only pretend to have another one.
  ///   - next: the journal's entries, from `partition.n + 1` on.
  package init(
    _ partition: Partition, derivation: Derivation, topics: TopicIdentity, lane: Lane, silent: [Int64: [Room]] = [:],
    rules: Int? = ServiceConfiguration.engineVersion, next: @escaping () throws -> JournalEntry?
  ) throws {
    self.partition = partition
    self.lane = lane
    self.topics = topics
    self.silent = silent
    silentUpTo = silent.keys.max() ?? 0
    nextEntry = next
    self.rules = rules
    self.derivation = derivation
    decoder = RecordDecoder(limits: derivation.limits)
    try open()
  }

  /// Takes the next record of the input in.
  package func take(_ record: InputRecord) throws {
    while let entry {
      if batch == entry.batches.count {
        try close(entry)
      } else if record.offset >= entry.batches[batch].endOffset {
        try endBatch(entry)
      } else if entry.takeover?.reset != nil, entry.batches[batch].taken == 0 {
        // Where a reset goes on. Its owner took in nothing before that: an operator had it skipped.
        return
      } else {
        taken += 1
        if record.offset + 1 == entry.batches[batch].endOffset { last = record.fingerprint }
        records += 1
        try run(record, at: entry.batches[batch].now)
        return
      }
    }
    // What lies above the last entry has not been taken in yet.
  }

  /// The input has no more records that belong to the entries.
  package func finish() throws {
    while let entry {
      while batch < entry.batches.count { try endBatch(entry) }
      try close(entry)
    }
  }

  private func run(_ record: InputRecord, at now: Int64) throws {
    guard let value = record.value else { return }
    arena.reset()
    do throws(BadEvent) {
      let isOurs = try decoder.decode(
        value, key: record.key, header: { header(record, $0, $1) }, into: arena, &event)
      if !isOurs {
        dropped += 1
        return
      }
    } catch {
      partition.deadLettered()
      try deadLettered?(record, error)
      return
    }
    try take(record, at: now)
    for further in decoder.further {
      event = further
      try take(record, at: now)
    }
  }

  /// Takes the event in.
  private func take(_ record: InputRecord, at now: Int64) throws {
    let own = event.kind == .roomSettings ? decoder.own : nil
    if let admits, !withUnsafePointer(to: &event, { admits($0, own, now) }) { return }
    let route = withUnsafePointer(to: &event) { partition.route($0, own: own, offset: record.offset, at: now) }
    switch route {
    case .room(let room):
      withUnsafePointer(to: &event) { event in
        room._withUnsafeGuaranteedRef {
          $0.take(event, own: own, at: now, lane: lane)
          $0.keepLent()
        }
        if let took { took(event, own, room.takeUnretainedValue(), now) }
      }
    case .nowhere: break
    case .tooManyOwnSettings:
      partition.deadLettered()
      try deadLettered?(record, .tooManyOwnSettings(partition.ownSettingsMax))
    }
  }

  private func endBatch(_ entry: JournalEntry) throws {
    let expected = entry.batches[batch]
    if taken != expected.taken {
      throw ReplayFault(
        "entry \(entry.n) took in \(expected.taken) records below offset \(expected.endOffset), but the input now holds \(taken):"
          + " it was compacted, truncated or recreated")
    }
    partition.tookIn(
      taken, upTo: expected.endOffset, last: expected.taken == 0 ? partition.last : last, now: expected.now)
    batch += 1
    taken = 0
    last = nil
  }

  private func close(_ entry: JournalEntry) throws {
    partition.forEachDue(at: entry.clock) { $0.advance(to: entry.clock, lane: lane) }
    let derived = partition.closeEntry(clock: entry.clock, of: topics)
    if let rooms = silent.removeValue(forKey: entry.n) {
      for room in rooms { partition.wake(room) }
    }
    entries += 1
    if checksDigest, let fault = Self.inputFault(entry, derived) { throw fault }
    if checksDigest, entry.n >= silentUpTo, derived.rooms != entry.rooms || derived.digest != entry.digest {
      throw ReplayFault(
        "after entry \(entry.n) there are \(derived.rooms) rooms with digest \(String(derived.digest, radix: 16)), but the journal"
          + " says \(entry.rooms) with \(String(entry.digest, radix: 16))")
    }
    try entryDone?(entry, derived)
    try open()
  }

  /// If the last record that was run through again is not the one that was taken in.
  package static func inputFault(_ recorded: JournalEntry, _ derived: JournalEntry) -> ReplayFault? {
    guard let taken = recorded.last, let last = derived.last, taken != last else { return nil }
    return ReplayFault(
      "the record at offset \(derived.batches.last!.endOffset - 1), the last of entry \(recorded.n), is another one than was taken in: the"
        + " input was truncated or recreated")
  }

  private func open() throws {
    entry = try nextEntry()
    batch = 0
    taken = 0
    guard let entry else { return }
    if entry.n != partition.n + 1 {
      throw ReplayFault("the journal continues with entry \(entry.n) where \(partition.n + 1) should be")
    }
    if let takeover = entry.takeover {
      derivation = takeover.derivation
      isDecoderMade = false
    }
    if let rules, derivation.version != rules { throw OtherRules(n: entry.n, version: derivation.version) }
    if !isDecoderMade {
      // Not before an entry needs it: after a clean stop nothing needs what an earlier version went by.
      decoder = try derivation.decoder()
      isDecoderMade = true
    }
    partition.decidedRefusals = Set(entry.refused)
    if let takeover = entry.takeover {
      partition.takeOver(
        shift: takeover.shift, settings: EngineSettings(takeover.derivation.settings), isReset: takeover.reset != nil, lane: lane)
    }
  }
}
