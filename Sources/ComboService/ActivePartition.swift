internal import ComboCore
package import ComboEdge
package import ComboRooms
package import ComboSystem
package import ComboWire

/// A partition that is this member's; the token distinguishes its present restoring from earlier ones.
struct Ownership {
  var token: Int
  var cancellation: Cancellation
  /// Since when each look has found what contradicts itself, by the monotonic clock.
  var doubtedSince: Int64?
  /// Why the last try to restore it failed; nil: it did not.
  var failure: String?
  /// When to check again, if no check is in progress.
  var nextTry: Int64?
  /// Of restoring it.
  var backOff = BackOff()
}

/// The entry by which this owner begins.
package struct PendingTakeover {
  package var shift: Int64
  var reset: JournalEntry.Reset?

  package init(shift: Int64, reset: JournalEntry.Reset? = nil) {
    self.shift = shift
    self.reset = reset
  }
}

/// A partition that takes in, or will once its takeover is known to count.
package final class ActivePartition {
  package let partition: Partition
  package let records: RoomRecords
  /// What decides what is derived from the takeover on.
  let derivation: Derivation
  package var clock: PartitionClock
  /// Not written yet.
  package var takeover: PendingTakeover?
  /// What earlier entries, and a takeover that had to be claimed, led to and may be missing in the output.
  let unsaid: HeldBack
  /// Where the journal stood when it was restored.
  let terms: JournalTerms
  let journalEnd: Int64
  /// The takeover that was written to claim the partition.
  var claim: JournalEntry?
  /// An entry must say that all before it was said.
  package var owesEntry = false
  /// All rooms must be written, as what they began with cannot be derived.
  var mustSweep = false
  /// In at-least-once delivery, once the claim counts: its entries that are on their way.
  package var log: PartitionLog?
  /// By the monotonic clock: when it got its last entry, and when its last sweep began.
  var lastEntry: Int64
  var sweptAt: Int64
  var sweptAtEntry: Int64
  /// The input offset in the last commit that was sent.
  var committedOffset: Int64

  // Of the batch that is being filled.
  package var now: Int64 = 0
  package var taken = 0
  package var next: Int64 = 0
  package var last: UInt64 = 0
  /// When the first record of this poll was written, by its own word.
  var firstTimestamp: Int64 = 0
  /// What has come in since the last entry, by kind and by age.
  package var tally = EventCounts()
  var arrivals = Arrivals()
  /// The schema that the record at its offset names, if it waits for that.
  package var awaited: String?
  /// Which of the member's maps its derivation has.
  var mapVersion = 0
  /// Whether it was said that its clock is far ahead of the wall clock.
  private var isAhead = false
  /// How far its rooms were behind its clock after the last entry, in milliseconds.
  private(set) var behindMs: Int64 = 0
  /// When it was last said that they are far behind, by the monotonic clock; nil: not since they were up to date.
  private var saidBehind: Int64?

  package init(_ restored: RestoredPartition, derivation: Derivation, takeover: PendingTakeover, time: any TimeSource) {
    self.derivation = derivation
    partition = restored.partition
    records = restored.records
    unsaid = restored.unsaid
    terms = restored.terms
    journalEnd = restored.journalEnd
    clock = PartitionClock(partition.clock + takeover.shift, time)
    self.takeover = takeover
    sweptAt = time.monotonicMs()
    lastEntry = sweptAt
    sweptAtEntry = partition.n
    committedOffset = partition.offset
  }

  package var number: Int32 { partition.number }

  /// Whether the state topic holds all its rooms as they are after the last entry, so that no entry has to be run again.
  var isWritten: Bool {
    takeover == nil && !owesEntry && !mustSweep && !partition.hasNews && !records.isSweeping && sweptAtEntry == partition.n
  }

  /// Whether an entry is due even without input.
  func entryIsDue(at now: Int64, monotonic: Int64) -> Bool {
    if clock.isBehind { return true }
    if let look = partition.nextWakeup, look <= now { return true }
    return partition.awake > 0 && monotonic - lastEntry >= Self.entryEveryMs
  }

  /// When, by the monotonic clock, an entry is due even without input.
  func nextEntry(wall: Int64, monotonic: Int64) -> Int64 {
    if clock.isBehind { return monotonic }
    guard partition.awake > 0 else { return .max }
    var next = lastEntry + Self.entryEveryMs
    if let look = partition.nextWakeup {
      next = min(next, monotonic + max(0, look - clock.time(wall: wall, monotonic: monotonic)))
    }
    return next
  }

  /// A partition with rooms awake gets an entry at least so often, so that a crash makes no one lose more time.
  private static let entryEveryMs: Int64 = 1000

  /// Where the group stands with it.
  package var position: CommittedOffset { position(after: partition.n, upTo: partition.offset) }

  /// Where the group stands with it after one of its entries.
  /// - Parameter offset: the input offset after it.
  func position(after n: Int64, upTo offset: Int64) -> CommittedOffset {
    var position = CommittedOffset(partition: number, offset: offset, metadata: String(n))
    position.namesOwner = partition.settings.rules.namesOwners
    return position
  }

  /// How many records are known to wait.
  /// - Parameter end: the input's end, as far as it is known.
  package func waiting(upTo end: Int64?) -> Int64 { max(0, (end ?? 0) - partition.offset) }

  /// Whether the clock has just come to be so far ahead of the wall clock that somebody should know.
  func isNewlyAhead(of wall: Int64) -> Bool {
    let lead = clock.lead(over: wall)
    if lead <= 0 { isAhead = false }
    if isAhead || lead <= Self.leadMaxMs { return false }
    isAhead = true
    return true
  }

  /// LogNotes how far its rooms are behind.
  /// - Returns: whether that is so far that somebody should be told, now or again.
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
