internal import ComboRooms
internal import ComboSystem
internal import ComboWire

/// Makes the journal's entries, and decides when all rooms are to be written.
struct EntryMaker {
  let configuration: ServiceConfiguration
  let time: any TimeSource
  let log: ServiceLog

  /// Returns the next entry of a partition, up to `target`, or up to an earlier time if one entry would become too large.
  func entry(
    of active: ActivePartition, at target: Int64, _ outboxes: OutboxPool, _ quiet: borrowing Quiescence
  ) -> JournalEntry {
    let (last, end, n) = (active.partition.clock, active.partition.offset, active.partition.n)
    var clock = target
    outboxes.withOutbox { outbox in
      clock = active.partition.advance(to: target, outbox: outbox, budget: configuration.entryBytes, quiet)
    }
    active.clock.came(to: clock, of: target)
    if active.mustSayBehind(by: target - clock, monotonic: time.monotonicMs()) {
      log.warning(
        """
        the rooms of partition \(.partition, active.number) are \(.ms, target - clock) ms behind: they emit more than can be \
        written. Find the busiest rooms, and restrict the settings of rooms (--room-settings)
        """)
    }
    let entry = active.partition.closeEntry(clock: clock, of: configuration.topics, quiet)
    precondition(entry.n == n + 1, "entries are numbered in order")
    precondition(entry.clock >= last, "a partition's clock never goes back")
    precondition(entry.clock <= target, "an entry does not end in the future")
    precondition(entry.batches.last.map { $0.endOffset == end } ?? true, "an entry holds everything that was consumed")
    return entry
  }

  /// Returns the first entry of an owner. Its instructions go to `outbox`.
  func takeover(
    of active: ActivePartition, _ takeover: PendingTakeover, outbox: Outbox, _ quiet: borrowing Quiescence
  ) -> JournalEntry {
    let partition = active.partition
    precondition(!partition.hasNews, "an owner consumes nothing before its takeover")
    // Not the current time: rooms may have been due in between.
    let clock = partition.clock + takeover.shift
    // An empty batch holds the offset to continue from.
    partition.tookIn(0, upTo: partition.offset, last: partition.last, now: clock)
    partition.takeOver(
      shift: takeover.shift, settings: active.derivation.engineSettings, isReset: takeover.reset != nil, outbox: outbox, quiet)
    // Under new settings a room may emit something that ends at once.
    partition.forEachDue(at: clock, quiet) { room in room.advance(to: clock, outbox: outbox) }
    var entry = partition.closeEntry(clock: clock, of: configuration.topics, quiet)
    entry.takeover = JournalEntry.Takeover(
      shift: takeover.shift, derivation: active.derivation, delivery: configuration.delivery, topics: configuration.topics,
      reset: takeover.reset)
    return entry
  }

  /// Returns the takeover of a partition whose last owner may still write without transactions. It must be known to count before
  /// any of its output is published.
  func claim(of active: ActivePartition, _ pending: PendingTakeover, _ quiet: borrowing Quiescence) -> JournalEntry {
    var entry = takeover(of: active, pending, outbox: Outbox(UnsaidTarget(active.unsaid)), quiet)
    entry.saidTo = active.terms.saidTo
    return entry
  }

  /// Whether enough records were consumed, or enough time has passed, for a sweep to be worthwhile.
  func isSweepDue(_ active: ActivePartition, _ owed: PartitionState.Owed) -> Bool {
    if owed.mustSweep { return true }
    guard !active.records.isSweeping, active.partition.n > active.sweptAtEntry else { return false }
    return active.records.takenSince >= configuration.checkpointGifts
      || active.records.bytesSince >= configuration.checkpointBytes
      || time.monotonicMs() - active.sweptAt >= Int64(configuration.checkpointIntervalMs)
  }

  /// Begins a sweep, right after the entry `partition.n` was made.
  /// - Parameter journalOffset: Later entries are at this offset or after it.
  func beginSweep(_ active: ActivePartition, journalOffset: Int64, term: Int64?) {
    active.sweptAt = time.monotonicMs()
    active.records.begin(
      active.partition, journalOffset: journalOffset, term: term, derivation: active.derivation)
    active.sweptAtEntry = active.partition.n
  }
}
