internal import ComboCore
package import ComboEdge
package import ComboRooms
package import ComboSystem
package import ComboWire

/// A partition of the group, which may be this member's.
struct Ownership {
  var state = PartitionState.unassigned
  /// Distinguishes the current restore from earlier ones.
  private(set) var token = 0
  private(set) var cancellation = Cancellation()
  /// The delays between attempts to restore it.
  var backOff = BackOff()

  /// Cancels the work for it outside of the loop, whose results are then ignored.
  mutating func cancel(next token: Int) {
    cancellation.cancel()
    cancellation = Cancellation()
    self.token = token
  }
}

/// The takeover entry that this owner has yet to write.
package struct PendingTakeover {
  let shift: Int64
  var reset: JournalEntry.Reset?
}

/// A partition that is being consumed, or will be once its takeover is known to count.
package final class ActivePartition {
  package let partition: Partition
  package let records: RoomRecords
  /// The settings, rules, limits and map that apply from the takeover on.
  let derivation: Derivation
  package var clock: PartitionClock
  /// The output of earlier entries, and of a takeover that had to be claimed, that may be missing in the output topic.
  let unsaid: HeldBack
  /// The state of the journal when the partition was restored.
  let terms: JournalTerms
  let journalEnd: Int64
  /// The entries in flight. Set in at-least-once delivery only, once the claim counts.
  package var log: PartitionLog?
  /// The monotonic times of its last entry and of the start of its last sweep.
  var lastEntry: Int64
  var sweptAt: Int64
  var sweptAtEntry: Int64
  /// The input offset in the last commit that was sent.
  var committedOffset: Int64

  // The batch that is being filled.
  package var now: Int64 = 0
  package var taken = 0
  package var next: Int64 = 0
  package var last: UInt64 = 0
  /// The producer's timestamp of the first record of this poll, or the wall clock's time if it has none.
  var firstTimestamp: Int64 = 0
  /// The events since the last entry by kind, and the arrival times of their records.
  package var tally = EventCounts()
  var arrivals = Arrivals()
  /// The version of the member's map in its derivation.
  var mapVersion = 0
  /// Whether it was logged that its clock is far ahead of the wall clock.
  private var isAhead = false
  /// How far its rooms lagged behind its clock after the last entry, in milliseconds.
  private(set) var behindMs: Int64 = 0
  /// When it was last logged that they are far behind, by the monotonic clock; nil if not since they were up to date.
  private var saidBehind: Int64?

  package init(_ restored: RestoredPartition, derivation: Derivation, shift: Int64, time: any TimeSource) {
    self.derivation = derivation
    partition = restored.partition
    records = restored.records
    unsaid = restored.unsaid
    terms = restored.terms
    journalEnd = restored.journalEnd
    clock = PartitionClock(partition.clock + shift, time)
    sweptAt = time.monotonicMs()
    lastEntry = sweptAt
    sweptAtEntry = partition.n
    committedOffset = partition.offset
  }

  package var number: Int32 { partition.number }

  /// Whether the state topic holds all its rooms as of the last entry, so that no entry has to be replayed, if nothing is owed.
  var isWritten: Bool { !partition.hasNews && !records.isSweeping && sweptAtEntry == partition.n }

  /// Whether rooms may have changed since the last sweep, and none is under way.
  var needsSweep: Bool { !records.isSweeping && !partition.hasNews && sweptAtEntry < partition.n }

  /// Whether an entry is due even without input.
  func entryIsDue(at now: Int64, monotonic: Int64) -> Bool {
    if clock.isBehind { return true }
    if let look = partition.nextWakeup, look <= now { return true }
    return partition.awake > 0 && monotonic - lastEntry >= Self.entryEveryMs
  }

  /// The monotonic time at which an entry is due even without input.
  func nextEntry(wall: Int64, monotonic: Int64) -> Int64 {
    if clock.isBehind { return monotonic }
    guard partition.awake > 0 else { return .max }
    var next = lastEntry + Self.entryEveryMs
    if let look = partition.nextWakeup {
      next = min(next, monotonic + max(0, look - clock.time(wall: wall, monotonic: monotonic)))
    }
    return next
  }

  /// The maximum interval between entries of a partition with rooms awake, so that a crash never loses more time than this.
  private static let entryEveryMs: Int64 = 1000

  /// The position to commit to the group.
  package var position: CommittedOffset { position(after: partition.n, upTo: partition.offset) }

  /// The position to commit to the group after one of its entries.
  /// - Parameter offset: The input offset after it.
  func position(after n: Int64, upTo offset: Int64) -> CommittedOffset {
    var position = CommittedOffset(partition: number, offset: offset, metadata: String(n))
    position.namesOwner = partition.settings.rules.namesOwners
    return position
  }

  /// The number of records that are known to be waiting.
  /// - Parameter end: The end offset of the input, if known.
  package func waiting(upTo end: Int64?) -> Int64 { max(0, (end ?? 0) - partition.offset) }

  /// Returns whether the clock has just become so far ahead of the wall clock that it should be logged.
  func isNewlyAhead(of wall: Int64) -> Bool {
    let lead = clock.lead(over: wall)
    if lead <= 0 { isAhead = false }
    if isAhead || lead <= Self.leadMaxMs { return false }
    isAhead = true
    return true
  }

  /// Records how far its rooms are behind.
  /// - Returns: Whether that is so far that it should be logged, now or again.
  func mustSayBehind(by ms: Int64, monotonic now: Int64) -> Bool {
    behindMs = ms
    if ms == 0 { saidBehind = nil }
    if ms <= Self.leadMaxMs || now - (saidBehind ?? .min / 2) < Self.sayBehindEveryMs { return false }
    saidBehind = now
    return true
  }

  private static let sayBehindEveryMs: Int64 = 60_000

  private static let leadMaxMs: Int64 = 5000
}
