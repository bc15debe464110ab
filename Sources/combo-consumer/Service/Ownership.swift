internal import ComboCore
internal import ComboWire
internal import Synchronization

/// A partition that is this member's; the token tells its present restoring from earlier ones.
struct Ownership {
  var token: Int
  var cancellation: Cancellation
}

/// The entry by which this owner begins.
struct PendingTakeover {
  var shift: Int64
  var reset: JournalEntry.Reset?
}

/// A partition that takes in.
final class ActivePartition {
  let partition: Partition
  let records: RoomRecords
  var clock: PartitionClock
  var takeover: PendingTakeover?
  /// By the monotonic clock: when it got its last entry, and when its last sweep began.
  var lastEntry: Int64
  var sweptAt: Int64
  var sweptAtEntry: Int64

  // Of the batch that is being filled.
  var now: Int64 = 0
  var taken = 0
  var next: Int64 = 0

  init(_ partition: Partition, records: RoomRecords, clock: PartitionClock, takeover: PendingTakeover, sweptAt: Int64) {
    self.partition = partition
    self.records = records
    self.clock = clock
    self.takeover = takeover
    self.sweptAt = sweptAt
    lastEntry = sweptAt
    sweptAtEntry = partition.n
  }

  var isTakingOver: Bool { takeover != nil }

  /// Whether an entry is due even if nothing came in.
  func entryIsDue(at now: Int64, monotonic: Int64, entryEvery: Int64) -> Bool {
    if let look = partition.nextLook, look <= now { return true }
    return partition.awake > 0 && monotonic - lastEntry >= entryEvery
  }

  func hasWork(at now: Int64, monotonic: Int64, entryEvery: Int64) -> Bool {
    takeover != nil || partition.hasNews || records.isSweeping
      || entryIsDue(at: now, monotonic: monotonic, entryEvery: entryEvery)
  }
}

/// Carries values from other threads to the loop's.
final class Mailbox<Value>: Sendable {
  private let values = Mutex<[Boxed<Value>]>([])

  func put(_ value: Value) {
    let boxed = Boxed(value)
    values.withLock { $0.append(boxed) }
  }

  func takeAll() -> [Value] {
    let taken = values.withLock { values in
      defer { values = [] }
      return values
    }
    return taken.map(\.value)
  }
}

/// A value that its sender no longer touches.
private struct Boxed<Value>: @unchecked Sendable {
  let value: Value
  init(_ value: Value) { self.value = value }
}

/// Set once, by a signal or another thread.
final class StopFlag: Sendable {
  private let flag = Atomic<Bool>(false)
  init() {}
  var isSet: Bool { flag.load(ordering: .relaxed) }
  func set() { flag.store(true, ordering: .relaxed) }
}
