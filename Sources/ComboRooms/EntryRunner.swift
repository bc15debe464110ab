package import ComboCore
package import ComboEdge
package import ComboMaps
internal import ComboSystem
package import ComboWire

/// The reason why entries of a journal could not be replayed.
package struct ReplayFault: Error, Equatable, Sendable, CustomStringConvertible {
  package let description: String
  package init(_ description: String) { self.description = description }
}

/// An error for an entry that was made by rules that the runner does not have. It cannot be derived.
package struct OtherRules: Error, Equatable, Sendable {
  package let n: Int64
  package let rules: Rules
}

/// Replays the entries of a partition's journal over its input: the same records at the same times, and so the same instructions.
/// Used to restore and to audit a partition.
///
/// Pass it the input's records in order, then call ``finish()``. One thread.
package final class EntryRunner<Observer: EntryObserver> {
  package let partition: Partition
  private let outbox: Outbox
  private let topics: TopicIdentity
  private let observer: Observer
  /// Rooms whose snapshot is newer than the checkpoint, by the entry up to which the snapshot holds.
  private var silent: [Int64: [Room]]
  /// The entry up to which rooms are missing, so that no proof is possible.
  private let silentUpTo: Int64

  /// The rules whose entries can be derived.
  private let rules: ClosedRange<Rules>?
  /// The derivation of the next entry, unless it is a takeover.
  package private(set) var derivation: Derivation
  /// The derivation of all entries, whatever their takeovers contain; nil to use that of their takeovers.
  private var own: Derivation?
  private var intake: RecordIntake
  private var isIntakeMade = false
  package let arena = BumpArena()
  private let event: UnsafeMutablePointer<Event>
  /// The time at which the current record was consumed.
  package private(set) var now: Int64 = 0
  private var entry: JournalEntry?
  private var batch = 0
  private var taken = 0
  /// The fingerprint of the batch's last record, once it was read.
  private var last: UInt64?
  /// The number of entries replayed.
  package private(set) var entries = 0
  /// Records that the map drops.
  package private(set) var dropped = 0
  package private(set) var records = 0
  /// Whether all entries have been replayed, so that no more records are processed.
  package var isOver: Bool { entry == nil }

  /// - Parameters:
  ///   - outbox: Receives the instructions.
  ///   - silent: Rooms that wait until the replay has reached their snapshot.
  ///   - rules: The rules whose entries can be derived; others throw ``OtherRules``. nil for all, in tests that only pretend to
  ///     have others.
  ///   - observer: Provides the journal's entries, from `partition.n + 1` on.
  package init(
    _ partition: Partition, derivation: Derivation, topics: TopicIdentity, outbox: Outbox, silent: [Int64: [Room]] = [:],
    rules: ClosedRange<Rules>? = Rules.known, observer: Observer
  ) throws {
    self.partition = partition
    self.outbox = outbox
    self.topics = topics
    self.silent = silent
    silentUpTo = silent.keys.max() ?? 0
    self.observer = observer
    self.rules = rules
    self.derivation = derivation
    intake = RecordIntake(RecordDecoder(limits: derivation.limits, rules: derivation.rules))
    event = .allocate(capacity: 1)
    event.initialize(to: Event())
    try open()
  }

  deinit { event.deallocate() }

  /// Processes the next record of the input.
  package func take(_ record: InputRecord) throws {
    while let entry {
      if batch == entry.batches.count {
        try close(entry)
      } else if record.offset >= entry.batches[batch].endOffset {
        try endBatch(entry)
      } else if let reset = entry.takeover?.reset, entry.batches[batch].taken == 0 {
        // This batch is the position after a reset. Its owner skipped the records before it, as an operator had requested.
        observer.wasSkipped(record, by: reset)
        return
      } else {
        taken += 1
        if record.offset + 1 == entry.batches[batch].endOffset { last = record.fingerprint }
        records += 1
        now = entry.batches[batch].now
        arena.reset()
        try intake.take(record, into: partition, at: now, to: self)
        return
      }
    }
    // Records after the last entry are not read yet.
  }

  /// Derives everything from the next entry on by these rules, settings and map, whatever the journal contains: as if the owner
  /// had been restarted with them. No entry may be in progress.
  package func derive(by own: Derivation) throws {
    self.own = own
    derivation = own
    intake = RecordIntake(try own.decoder())
    isIntakeMade = true
    partition.takeOver(shift: 0, settings: own.engineSettings, isReset: false, outbox: outbox, .ofSoleThread())
  }

  /// Requests the next entry again, after ``finish()`` has reached the last one.
  package func resume() throws { if entry == nil { try open() } }

  /// Completes the entries: the input has no more records that belong to them.
  package func finish() throws {
    while let entry {
      while batch < entry.batches.count { try endBatch(entry) }
      try close(entry)
    }
  }

  private func endBatch(_ entry: JournalEntry) throws {
    let expected = entry.batches[batch]
    if taken != expected.taken {
      throw ReplayFault(
        "entry \(entry.n) took in \(Counted.text(expected.taken, "records")) below offset \(expected.endOffset), but the input now holds \(taken):"
          + " it was compacted, truncated or recreated")
    }
    partition.tookIn(
      taken, upTo: expected.endOffset, last: expected.taken == 0 ? partition.last : last, now: expected.now)
    batch += 1
    taken = 0
    last = nil
  }

  private func close(_ entry: JournalEntry) throws {
    let quiet = Quiescence.ofSoleThread()
    partition.forEachDue(at: entry.clock, quiet) { $0.advance(to: entry.clock, outbox: outbox) }
    let derived = partition.closeEntry(clock: entry.clock, of: topics, quiet)
    if let rooms = silent.removeValue(forKey: entry.n) {
      for room in rooms { partition.wake(room) }
    }
    entries += 1
    if observer.checksEntries {
      if let fault = entry.inputFault(derived) { throw fault }
      if entry.n >= silentUpTo, let fault = entry.roomsFault(derived) { throw fault }
    }
    try observer.ended(entry, derived)
    try open()
  }

  private func open() throws {
    entry = try observer.nextEntry()
    batch = 0
    taken = 0
    guard let entry else { return }
    if entry.n != partition.n + 1 {
      throw ReplayFault("the journal has entry \(entry.n) where entry \(partition.n + 1) should be")
    }
    if let takeover = entry.takeover {
      derivation = takeover.derivation
      if var own {
        if let rules, rules.contains(derivation.rules) { own.rules = derivation.rules }
        own.addSchemas(of: derivation)
        derivation = own
      }
      isIntakeMade = false
    }
    if let rules, !rules.contains(derivation.rules) { throw OtherRules(n: entry.n, rules: derivation.rules) }
    if !isIntakeMade {
      // Only once an entry needs it: after a clean stop the rules of an earlier version are not needed.
      intake = RecordIntake(try derivation.decoder())
      isIntakeMade = true
    }
    partition.decidedRefusals = Set(entry.refused)
    if let takeover = entry.takeover {
      partition.takeOver(
        shift: takeover.shift, settings: derivation.engineSettings, isReset: takeover.reset != nil, outbox: outbox,
        .ofSoleThread())
    }
  }
}

extension EntryRunner: RecordReceiver {
  package typealias Fault = any Error

  package func slot() -> UnsafeMutablePointer<Event> { event }

  package func isAdmitted(_ event: UnsafePointer<Event>, own: OwnSettings?) -> Bool { observer.admits(event, own, at: now) }

  package func take(_ event: UnsafeMutablePointer<Event>, own: OwnSettings?, by room: Unmanaged<Room>) {
    room._withUnsafeGuaranteedRef {
      observer.take(event, own, by: $0, at: now, outbox: outbox)
      $0.keepLent()
    }
  }

  package func wasTooOld(_ event: UnsafePointer<Event>) { observer.wasTooOld(event, at: now) }

  package func wasDropped(_ record: InputRecord, by decoder: RecordDecoder) {
    dropped += 1
    observer.wasDropped(record, by: decoder, at: now)
  }

  package func wasBad(_ record: InputRecord, _ bad: BadEvent) throws { try observer.wasBad(record, bad, at: now) }
}
