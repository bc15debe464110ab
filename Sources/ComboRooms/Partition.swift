internal import CPrefetch
public import ComboCore
internal import ComboSystem
public import ComboWire

/// The rooms of one partition and its journal: the entry in progress, the digest, and which room is due when.
///
/// The same code serves the service, restoring and auditing, which differ only in how the rooms are run and where what
/// they say goes. Belongs to one thread.
@usableFromInline
package final class Partition {
  package let number: Int32
  /// What its rooms go by.
  @usableFromInline package private(set) var settings: EngineSettings
  /// The last entry that was made.
  package private(set) var n: Int64
  /// The time up to which everything has happened that was due.
  package private(set) var clock: Int64
  /// The next input offset.
  package private(set) var offset: Int64
  /// The fingerprint of the record right before that offset; nil if no record was read, or by an owner that did not keep it.
  package private(set) var last: UInt64?
  /// The sum of all shifts.
  package private(set) var shifted: Int64
  /// Rooms that may have settings of their own.
  @usableFromInline package let ownSettingsMax: Int

  package let table = RoomTable()
  /// By how much its time was brought back in all: epochs of rooms that wake are so much later than the clock, so that they are later than
  /// any that a room had before.
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
  /// Of the entry made last.
  package private(set) var lastDeadLetters = 0
  /// Records taken in since the last entry.
  package private(set) var taken = 0
  private var touched: [Unmanaged<Room>] = []

  /// The watchers of its rooms; nil if there can be none.
  package var watcher: (any RoomWatcher)?
  /// What the state topic holds of the rooms; nil if it is not kept.
  package let records: RoomRecords?

  package init(
    _ number: Int32, settings: EngineSettings, ownSettingsMax: Int, n: Int64 = 0, clock: Int64, offset: Int64,
    last: UInt64? = nil, shifted: Int64 = 0, epochLead: Int64 = 0, records: RoomRecords? = nil
  ) {
    self.epochLead = epochLead
    self.number = number
    self.settings = settings
    self.ownSettingsMax = ownSettingsMax
    self.n = n
    self.clock = clock
    self.offset = offset
    self.last = last
    self.shifted = shifted
    self.records = records
  }

  /// Whether the entry that is being made holds anything.
  package var hasNews: Bool { !batches.isEmpty }

  /// Its next due time: a deadline of a room, or the end of its rest; nil if there is none.
  package var nextWakeup: Int64? { wakeups.next }

  /// The number of notes, including outdated ones.
  package var deadlines: Int { wakeups.count }
  /// Whether a room will say more even if nothing comes in: a banner is on screen or waits, or a final is due. Looks at all rooms that are
  /// awake.
  package var hasMoreToSay: Bool {
    wakeups.containsDeadline(of: table)
  }

  // MARK: - Taking in

  /// A batch has been taken in, up to `offset`.
  /// - Parameter last: the fingerprint of its last record.
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

  /// The room that takes an event, made if need be; nil if there is no work for it.
  @inline(__always)
  private func room(for event: UnsafePointer<Event>, at now: Int64) -> Unmanaged<Room>? {
    let hash = RoomTable.hash(event.pointee.room)
    if let room = table.find(event.pointee.room, hash: hash) {
      let isSilent = room._withUnsafeGuaranteedRef { room in
        if room.silentUpTo > n { return true }
        touch(room)
        return false
      }
      return isSilent ? nil : room
    }
    switch event.pointee.kind {
    case .roomClosed, .retract: return nil
    case .gift, .roomSettings: return Unmanaged.passUnretained(makeRoom(event.pointee.room, hash: hash, at: now))
    }
  }

  private func makeRoom(_ id: Bytes, hash: UInt32, at now: Int64) -> Room {
    let room = Room(id, Engine(at: now, epoch: now + epochLead, settings: settings))
    room.partition = number
    if let watcher { room.isWatched = watcher.woke(id, in: number) }
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

  /// Where an event goes.
  @usableFromInline
  package enum Route {
    case room(Unmanaged<Room>)
    /// Nowhere: it closes or retracts in a room that is not awake, or the room's snapshot holds it already.
    case nowhere
    /// To the dead-letter topic: enough rooms have settings of their own.
    case tooManyOwnSettings
  }

  /// Where an event goes, and what the partition must know of it.
  /// - Parameter own: what a `room_settings` brings.
  @usableFromInline @inline(__always)
  package func route(_ event: UnsafePointer<Event>, own: OwnSettings?, offset: Int64, at now: Int64) -> Route {
    if let own, isRefused(own, event.pointee.room, offset) {
      refused.append(offset)
      return .tooManyOwnSettings
    }
    guard let room = room(for: event, at: now) else { return .nowhere }
    switch event.pointee.kind {
    case .gift, .retract: break
    case .roomClosed: ownSettingsChange(of: room.takeUnretainedValue(), to: false)
    case .roomSettings: ownSettingsChange(of: room.takeUnretainedValue(), to: !(own?.isEmpty ?? true))
    }
    return .room(room)
  }

  /// Whether a room would be one too many with settings of its own. A decision is not made twice: while
  /// restoring, rooms are there whose settings came later.
  private func isRefused(_ own: OwnSettings, _ id: Bytes, _ offset: Int64) -> Bool {
    if let decided = decidedRefusals { return decided.contains(offset) }
    return !own.isEmpty && ownSettingsCount >= ownSettingsMax && !(table.find(id)?.hasOwn ?? false)
  }

  /// While entries are run through again: the offsets refused in them. nil: it is decided here.
  var decidedRefusals: Set<Int64>?

  private func ownSettingsChange(of room: Room, to hasOwn: Bool) {
    if room.hasOwn == hasOwn { return }
    room.hasOwn = hasOwn
    ownSettingsCount += hasOwn ? 1 : -1
  }

  /// A record went to the dead-letter topic.
  @usableFromInline
  package func deadLettered() { deadLetters += 1 }

  // MARK: - Making an entry

  /// Hands out the rooms with a deadline up to `clock`: they are to be advanced to it before ``closeEntry(clock:of:)``. All rooms
  /// are quiet.
  package func forEachDue(at clock: Int64, _ advance: (Room) -> Void) {
    let due = due(at: clock)
    let places = PrefetchList()
    defer { places.free() }
    for (index, room) in due.enumerated() {
      // Most are not in the processor's cache.
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
    // What an event of this very entry has set is not scheduled yet.
    var due: [Room] = []
    for handle in touched {
      handle._withUnsafeGuaranteedRef { room in
        room.findWakeup()
        if case .deadline(let deadline) = room.wakeup, deadline <= clock { due.append(room) }
      }
    }
    return due
  }

  /// Lets happen what is due up to `target`; up to an earlier time if the rooms say more than `budget` bytes until then. So a partition that is
  /// behind comes to the present in several entries, each of a bounded size. All rooms are quiet.
  /// - Returns: the time come to, for ``closeEntry(clock:of:)``.
  package func advance(to target: Int64, speaker: Speaker, budget: Int) -> Int64 {
    // No entry ends before a time at which it has taken something in.
    let least = batches.last?.now ?? clock
    let before = speaker.bytes
    // Before this no room is due.
    var reached = min(target, max(clock, min(nextWakeup ?? .max, batches.first?.now ?? .max)))
    repeat {
      let (from, bytes) = (reached, speaker.bytes)
      reached = min(target, reached + pace.step)
      forEachDue(at: reached) { $0.advance(to: reached, speaker: speaker) }
      pace.took(max(1, reached - from), bytes: speaker.bytes - bytes, budget: budget)
    } while reached < target && (reached < least || speaker.bytes - before < budget)
    return reached
  }

  /// Makes the next entry, once all rooms are quiet, and leaves out those that have rested by `clock`.
  package func closeEntry(clock: Int64, of topics: TopicIdentity) -> JournalEntry {
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

  /// Schedules a room's next look, or drops it if it has rested.
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
      awake -= 1
      digest &-= room.foldedHash
      if room.hasOwn { ownSettingsCount -= 1 }
    }
    table.remove(room)
  }

  // MARK: - Taking over

  /// The oldest rules that have all that is in the state of its rooms. Reads all banners.
  package var neededRules: Rules {
    var needed = Rules.oldest
    table.forEachRoom { needed = max(needed, $0.engine.neededRules) }
    return needed
  }

  /// The time away is cut out: everything that is yet to come moves by `shift`, and rooms come under new settings, which
  /// may make them say something. The entry is then closed like any other, at `clock + shift`.
  /// - Parameter isReset: the state could not be proved: all rooms begin a new epoch.
  package func takeOver(shift: Int64, settings new: EngineSettings, isReset: Bool, speaker: Speaker) {
    let changed = new.values != settings.values || new.rules != settings.rules
    shifted += shift
    epochLead += max(0, -shift)
    settings = new
    wakeups.removeAll()
    table.forEachRoom { room in
      // A snapshot that is newer than this entry holds all of it already.
      if room.isGhost || room.silentUpTo > n { return }
      room.engine.shift(by: shift)
      room.forgetWakeup()
      if isReset { return }
      if changed {
        touch(room)
        var sink = RoomSink(room: room, speaker: speaker)
        room.engine.adopt(new, at: clock + shift, to: &sink)
        room.forgetWakeup()
      }
      room.scheduled = .max
      wakeups.schedule(room)
    }
    if isReset { reset(at: clock + shift, adopting: changed ? new : nil, speaker: speaker) }
  }

  /// All rooms begin a new epoch at `now`. New settings come afterwards: what a room would have said before was said already, or never.
  private func reset(at now: Int64, adopting new: EngineSettings?, speaker: Speaker) {
    wakeups.removeAll()
    table.forEachRoom { room in
      if room.isGhost {
        table.remove(room)
        return
      }
      room.silentUpTo = -1
      touch(room)
      var sink = RoomSink(room: room, speaker: speaker)
      room.engine.beginAnew(at: now, to: &sink)
      if let new { room.engine.adopt(new, at: now, to: &sink) }
      room.forgetWakeup()
      room.scheduled = .max
    }
  }

  /// Where the journal says it stands, when that could not be come to by running through it.
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

  /// A room as its snapshot has it, while restoring.
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

  /// The entries that a room's snapshot holds have been run through: from now on it takes part.
  package func wake(_ room: Room) {
    if room.isGhost { forget(room) } else { wakeups.schedule(room) }
  }
}

/// The list of watched rooms.
package protocol RoomWatcher: AnyObject {
  /// A room wakes.
  /// - Returns: whether it is watched.
  func woke(_ id: Bytes, in partition: Int32) -> Bool
}
