internal import ComboRooms

/// The entries in flight, and those of earlier owners that may still be acknowledged. The records of an entry bear its tags.
/// Entries are reused, so that the steady state has no allocations.
final class PendingEntries {
  private var entries: [PendingEntry] = []
  private var free: [Int] = []

  /// Whether no acknowledgement is outstanding.
  var isEmpty: Bool { entries.count == free.count }

  /// Returns a pending entry for the entry that a partition has just made.
  func take(_ active: ActivePartition, since: Int64, moment: Int) -> PendingEntry {
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
    pending.totals = ServiceTotals()
    pending.moment = moment
    return pending
  }

  /// Releases an entry once no acknowledgement is outstanding.
  func recycle(_ pending: PendingEntry) {
    pending.active = nil
    pending.held.removeAll()
    pending.arrivals.removeAll()
    pending.spoken = []
    pending.answers = []
    free.append(pending.slot)
  }

  /// Records that a record with this tag was acknowledged.
  func acknowledged(_ tag: UInt, _ offset: Int64) -> PendingEntry {
    let pending = entries[Int(tag >> 1) - 1]
    if tag & 1 == 0 { pending.journalOffset = offset } else { pending.unacknowledged -= 1 }
    if pending.active == nil, pending.isDone { recycle(pending) }
    return pending
  }

  /// Detaches an entry whose partition is no longer this owner's.
  func disown(_ pending: PendingEntry) {
    if pending.isDone { recycle(pending) } else { pending.active = nil }
  }

  /// Removes all entries, since the producer is replaced: the old one reports nothing more.
  func removeAll() {
    for entry in entries { entry.active = nil }
    entries = []
    free = []
  }
}
