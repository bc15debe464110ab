internal import CPrefetch
public import ComboCore
internal import ComboSystem
public import ComboWire

/// The rooms of one partition and its journal: the entry in progress, the digest, and when each room is due.
///
/// The same code serves the service, restores and audits, which differ only in how the rooms are run and where their instructions
/// go. Belongs to one thread.
@usableFromInline
package final class Partition {
  package let number: Int32
  @usableFromInline package private(set) var settings: EngineSettings
  /// The number of the last entry that was made.
  package private(set) var n: Int64
  /// The time up to which everything that was due has happened.
  package private(set) var clock: Int64
  /// The next input offset.
  package private(set) var offset: Int64
  /// The fingerprint of the record right before that offset; nil if no record was read, or its owner did not keep it.
  package private(set) var last: UInt64?
  /// The sum of all shifts.
  package private(set) var shifted: Int64
  /// The maximum number of rooms with settings of their own.
  @usableFromInline package let ownSettingsMax: Int

  package let table = RoomTable()
  /// The total by which its time was brought back. Epochs of rooms that wake are this much later than the clock, so that they are
  /// later than any that a room had before.
  package private(set) var epochLead: Int64

  private var wakeups = RoomWakeups()
  package private(set) var digest: UInt64 = 0
  /// Rooms that are awake; ghosts do not count.
  package private(set) var awake = 0
  package private(set) var ownSettingsCount = 0

  private var pace = AdvancePace()

  // The entry that is being made.
  package private(set) var batches: [JournalEntry.Batch] = []
  package private(set) var refused: [Int64] = []
  package private(set) var deadLetters = 0
  package private(set) var lastDeadLetters = 0
  /// Records consumed since the last entry.
  package private(set) var taken = 0
  private var touched: [Unmanaged<Room>] = []

  /// The watched rooms; nil if none can be.
  package var watchList: WatchList?
  /// The state topic's records of the rooms; nil if they are not kept.
  package let records: RoomRecords?

  package init(
    _ number: Int32, settings: EngineSettings, ownSettingsMax: Int, n: Int64 = 0, clock: Int64, offset: Int64,
    last: UInt64? = nil, shifted: Int64 = 0, epochLead: Int64 = 0, records: RoomRecords? = nil
  ) {
    (self.number, self.settings, self.ownSettingsMax, self.records) = (number, settings, ownSettingsMax, records)
    (self.n, self.clock, self.offset, self.last) = (n, clock, offset, last)
    (self.shifted, self.epochLead) = (shifted, epochLead)
  }

  /// Whether the entry in progress holds anything.
  package var hasNews: Bool { !batches.isEmpty }

  /// Its next due time: a deadline of a room, or the end of its rest; nil if none.
  package var nextWakeup: Int64? { wakeups.next }

  /// The number of scheduled wakeups, including outdated ones.
  package var deadlines: Int { wakeups.count }
  /// Whether a room will emit more even without input: a banner is on screen or waits, or a final is due. Reads all rooms that
  /// are awake.
  package func hasMoreToSay(_ quiet: borrowing Quiescence) -> Bool { wakeups.containsDeadline(of: table) }

  // MARK: - Consuming

  /// Records that a batch was consumed, up to `offset`.
  /// - Parameter last: The fingerprint of its last record.
  package func tookIn(_ count: Int, upTo offset: Int64, last: UInt64?, now: Int64) {
    taken += count
    self.offset = offset
    self.last = last
    if let last = batches.last, last.now == now {
      batches[batches.count - 1].endOffset = offset
      batches[batches.count - 1].taken += count
    } else {
      batches.append(JournalEntry.Batch(endOffset: offset, taken: count, now: now))
    }
  }

  private func makeRoom(_ id: Bytes, hash: UInt32, at now: Int64) -> Room {
    let room = Room(id, Engine(at: now, epoch: now + epochLead, settings: settings))
    room.partition = number
    if let watchList { room.isWatched = watchList.woke(id, in: number) }
    table.insert(room, hash: hash)
    awake += 1
    digest &+= room.hash.value
    room.foldedHash = room.hash.value
    touch(room)
    return room
  }

  @inline(__always)
  private func touch(_ room: Room) {
    if room.changedAt == n + 1 { return }
    room.changedAt = n + 1
    touched.append(Unmanaged.passUnretained(room))
  }

  /// The destination of an event.
  @usableFromInline
  package enum Route {
    case room(Unmanaged<Room>)
    /// Nowhere: it closes or retracts in a room that is not awake, or the room's snapshot contains it already.
    case nowhere
    /// The dead-letter topic: enough rooms have settings of their own.
    case tooManyOwnSettings
  }

  /// Returns the destination of an event, a room that is created if necessary, and records what the partition must know of it.
  /// - Parameter own: The settings that a `room_settings` brings.
  @usableFromInline @inline(__always)
  package func route(_ event: UnsafePointer<Event>, own: OwnSettings?, offset: Int64, at now: Int64) -> Route {
    if let own, isRefused(own, event.pointee.room, offset) {
      refused.append(offset)
      return .tooManyOwnSettings
    }
    let id = event.pointee.room
    let hash = RoomTable.hash(id)
    let room: Unmanaged<Room>
    if let found = table.find(id, hash: hash) {
      let isSilent = found._withUnsafeGuaranteedRef { room in
        if room.silentUpTo > n { return true }
        touch(room)
        return false
      }
      if isSilent { return .nowhere }
      room = found
    } else {
      // There is nothing to close or to retract.
      if event.pointee.kind == .roomClosed || event.pointee.kind == .retract { return .nowhere }
      room = Unmanaged.passUnretained(makeRoom(id, hash: hash, at: now))
    }
    switch event.pointee.kind {
    case .gift, .retract: break
    case .roomClosed: ownSettingsChange(of: room.takeUnretainedValue(), to: false)
    case .roomSettings: ownSettingsChange(of: room.takeUnretainedValue(), to: !(own?.isEmpty ?? true))
    }
    return .room(room)
  }

  /// Whether a room would be one too many with settings of its own. A decision is not made twice: during a restore, rooms exist
  /// whose settings came later.
  private func isRefused(_ own: OwnSettings, _ id: Bytes, _ offset: Int64) -> Bool {
    if let decided = decidedRefusals { return decided.contains(offset) }
    return !own.isEmpty && ownSettingsCount >= ownSettingsMax && !(table.find(id)?.hasOwn ?? false)
  }

  /// The refused offsets of the entries that are being replayed; nil if the decision is made here.
  var decidedRefusals: Set<Int64>?

  private func ownSettingsChange(of room: Room, to hasOwn: Bool) {
    if room.hasOwn == hasOwn { return }
    room.hasOwn = hasOwn
    ownSettingsCount += hasOwn ? 1 : -1
    precondition(ownSettingsCount >= 0, "fewer than no rooms have settings of their own")
  }

  /// Records that a record went to the dead-letter topic.
  @usableFromInline
  package func deadLettered() { deadLetters += 1 }

  // MARK: - Making an entry

  /// Passes on the rooms with a deadline up to `clock`, which must be advanced to it before
  /// ``closeEntry(clock:of:_:)``.
  package func forEachDue(at clock: Int64, _ quiet: borrowing Quiescence, _ advance: (Room) -> Void) {
    let due = due(at: clock)
    let places = PrefetchList()
    defer { places.free() }
    for (index, room) in due.enumerated() {
      // Most rooms are not in the processor's cache.
      if index + 8 < due.count { due[index + 8].prefetchWork() }
      for step in 0..<2 where index + 5 - 3 * step < due.count {
        places.prefetch(due[index + 5 - 3 * step].engine.prefetchAddresses(step: step, at: clock, in: places.base))
      }
      advance(room)
    }
  }

  private func due(at clock: Int64) -> [Room] {
    wakeups.take(until: clock, of: table) { room in
      switch room.wakeup {
      case .deadline(let deadline) where deadline <= clock: touch(room)
      case .rest(let rest) where rest < clock: touch(room)  // closing the entry drops it
      default: return room.changedAt != n + 1  // what it was scheduled for has moved
      }
      return false
    }
    // Wakeups that an event of this very entry has set are not scheduled yet.
    var due: [Room] = []
    for handle in touched {
      handle._withUnsafeGuaranteedRef { room in
        room.findWakeup()
        if case .deadline(let deadline) = room.wakeup, deadline <= clock { due.append(room) }
      }
    }
    return due
  }

  /// Advances the rooms to `target`, or to an earlier time if they emit more than `budget` bytes until then. A partition that is
  /// behind thus reaches the present in several entries, each of a bounded size.
  /// - Returns: The time reached, for ``closeEntry(clock:of:_:)``.
  package func advance(to target: Int64, outbox: Outbox, budget: Int, _ quiet: borrowing Quiescence) -> Int64 {
    let least = batches.last?.now ?? clock
    precondition(target >= least, "an entry does not end before a time at which it consumed something")
    let before = outbox.bytes
    // No room is due before this.
    var reached = min(target, max(clock, min(nextWakeup ?? .max, batches.first?.now ?? .max)))
    repeat {
      let (from, bytes) = (reached, outbox.bytes)
      reached = min(target, reached + pace.step)
      forEachDue(at: reached, quiet) { $0.advance(to: reached, outbox: outbox) }
      pace.took(max(1, reached - from), bytes: outbox.bytes - bytes, budget: budget)
    } while reached < target && (reached < least || outbox.bytes - before < budget)
    return reached
  }

  /// Makes the next entry, and removes rooms that have rested by `clock`.
  package func closeEntry(clock: Int64, of topics: TopicIdentity, _ quiet: borrowing Quiescence) -> JournalEntry {
    n += 1
    self.clock = clock
    var said = deadLetters
    lastDeadLetters = deadLetters
    for handle in touched {
      handle._withUnsafeGuaranteedRef { room in
        said += room.said
        room.said = 0
        digest &+= room.hash.value &- room.foldedHash
        room.foldedHash = room.hash.value
        settle(room)
      }
    }
    touched.removeAll(keepingCapacity: true)
    wakeups.dropDead(of: table)
    let entry = JournalEntry(
      n: n, batches: batches, clock: clock, said: said, rooms: awake, digest: digest, shifted: shifted, of: topics.hash,
      refused: refused, last: batches.isEmpty ? nil : last)
    batches.removeAll(keepingCapacity: true)
    refused.removeAll()
    deadLetters = 0
    taken = 0
    return entry
  }

  /// Schedules a room's next wakeup, or removes the room if it has rested.
  private func settle(_ room: Room) {
    room.findWakeup()
    if case .rest(let rest) = room.wakeup, rest < clock {
      records?.rested(room)
      forget(room)
    } else {
      wakeups.schedule(room)
    }
  }

  private func forget(_ room: Room) {
    if !room.isGhost {
      precondition(awake > 0, "a room rests that was not awake")
      awake -= 1
      digest &-= room.foldedHash
      if room.hasOwn { ownSettingsCount -= 1 }
    }
    table.remove(room)
  }

  // MARK: - Taking over

  /// The oldest rules that support everything in the state of its rooms. Reads all banners.
  package var neededRules: Rules {
    var needed = Rules.oldest
    table.forEachRoom { needed = max(needed, $0.engine.neededRules) }
    return needed
  }

  /// Begins the work of a new owner. The time without an owner is cut out: everything that is yet to happen moves by `shift`, and
  /// rooms get the new settings, which may make them emit something. The entry is then closed like any other, at `clock + shift`.
  /// - Parameter isReset: Whether the state could not be proved, so that all rooms begin a new epoch.
  package func takeOver(shift: Int64, settings new: EngineSettings, isReset: Bool, outbox: Outbox, _ quiet: borrowing Quiescence)
  {
    let changed = new.values != settings.values || new.rules != settings.rules
    shifted += shift
    epochLead += max(0, -shift)
    settings = new
    wakeups.removeAll()
    table.forEachRoom { room in
      // A snapshot that is newer than this entry contains all of it already.
      if room.isGhost || room.silentUpTo > n { return }
      room.engine.shift(by: shift)
      room.forgetWakeup()
      if isReset { return }
      if changed {
        touch(room)
        var sink = RoomSink(room: room, outbox: outbox)
        room.engine.adopt(new, at: clock + shift, to: &sink)
        room.forgetWakeup()
      }
      room.scheduled = .max
      wakeups.schedule(room)
    }
    if isReset { reset(at: clock + shift, adopting: changed ? new : nil, outbox: outbox) }
  }

  /// Begins a new epoch of all rooms at `now`. New settings come afterwards: what a room would have emitted before was emitted
  /// already, or never.
  private func reset(at now: Int64, adopting new: EngineSettings?, outbox: Outbox) {
    table.forEachRoom { room in
      if room.isGhost {
        table.remove(room)
        return
      }
      room.silentUpTo = -1
      touch(room)
      var sink = RoomSink(room: room, outbox: outbox)
      room.engine.beginAnew(at: now, to: &sink)
      if let new { room.engine.adopt(new, at: now, to: &sink) }
      room.forgetWakeup()
      room.scheduled = .max
    }
  }

  /// Sets the position that the journal has, if it could not be reached by a replay.
  package func stand(at n: Int64, clock: Int64, offset: Int64, last: UInt64?, shifted: Int64, broughtBack: Int64 = 0) {
    epochLead += broughtBack
    table.forEachRoom { room in
      if room.silentUpTo >= 0 { return }
      room.engine.shift(by: shifted - self.shifted)
      room.forgetWakeup()
    }
    self.n = n
    self.clock = clock
    self.offset = offset
    self.last = last
    self.shifted = shifted
  }

  /// Adds a room from its snapshot, while restoring.
  package func restore(_ room: Room) {
    room.partition = number
    table.insert(room)
    if room.isGhost { return }
    awake += 1
    digest &+= room.hash.value
    room.foldedHash = room.hash.value
    if room.hasOwn { ownSettingsCount += 1 }
    if room.silentUpTo <= n { wakeups.schedule(room) }
  }

  /// Activates a room, once the entries that its snapshot contains have been replayed.
  package func wake(_ room: Room) {
    if room.isGhost { forget(room) } else { wakeups.schedule(room) }
  }
}
