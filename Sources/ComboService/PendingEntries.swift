internal import ComboRooms

/// The entries that are on their way, and those of earlier owners of which something may still be heard. The records of an entry bear its
/// tags. Entries are used again, so that without allocations in the steady state.
struct PendingEntries {
  private var entries: [PendingEntry] = []
  private var free: [Int] = []

  /// Whether nothing more will be heard of any.
  var isEmpty: Bool { entries.count == free.count }

  /// One for the entry that a partition has just made.
  mutating func take(_ active: ActivePartition, since: Int64, moment: Int) -> PendingEntry {
    let pending: PendingEntry
    if let slot = free.popLast() {
      pending = entries[slot]
    } else {
      pending = PendingEntry(slot: entries.count)
      entries.append(pending)
    }
    pending.active = active
    pending.n = active.partition.n
    pending.offset = active.partition.offset
    pending.journalOffset = nil
    pending.isReleased = false
    pending.since = since
    pending.unacknowledged = 0
    pending.totals = Service.Totals()
    pending.moment = moment
    return pending
  }

  /// Nothing more will be heard of it.
  mutating func recycle(_ pending: PendingEntry) {
    pending.active = nil
    pending.held.removeAll()
    pending.arrivals.removeAll()
    pending.spoken = []
    pending.answers = []
    free.append(pending.slot)
  }

  /// A record with this tag was acknowledged.
  mutating func acknowledged(_ tag: UInt, _ offset: Int64) -> PendingEntry {
    let pending = entries[Int(tag >> 1) - 1]
    if tag & 1 == 0 { pending.journalOffset = offset } else { pending.unacknowledged -= 1 }
    if pending.active == nil, pending.isDone { recycle(pending) }
    return pending
  }

  /// Its partition is no longer this owner's.
  mutating func disown(_ pending: PendingEntry) {
    if pending.isDone { recycle(pending) } else { pending.active = nil }
  }

  /// A new producer is made: of the records of the old one nothing is heard any more.
  mutating func removeAll() {
    for entry in entries { entry.active = nil }
    entries = []
    free = []
  }
}
