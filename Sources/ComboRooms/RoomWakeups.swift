internal import ComboSystem

/// When the rooms of a partition are next due. Belongs to the partition's thread.
///
/// A room that is due later than its note says is found out when the note comes up. One that is due earlier gets another note, and the old
/// one is dead: rooms know by ``Room/scheduled`` which of their notes counts.
struct RoomWakeups {
  private struct Note: Comparable {
    let time: Int64
    let room: Int32

    static func < (one: Note, other: Note) -> Bool { one.time < other.time }
  }

  private var heap = Heap<Note>()
  /// Those that have just come up; kept for its memory.
  private var taken: [Note] = []

  /// The earliest one, dead or not.
  var next: Int64? { heap.first?.time }

  /// The number of notes, including dead ones.
  var count: Int { heap.count }

  mutating func removeAll() { heap.removeAll() }

  /// Notes when the room is next due.
  mutating func schedule(_ room: Room) {
    room.findWakeup()
    let time: Int64
    switch room.wakeup {
    case .deadline(let deadline): time = deadline
    case .rest(let rest): time = rest + 1
    case .never: return
    }
    if time < room.scheduled {
      room.scheduled = time
      heap.push(Note(time: time, room: room.index))
    }
  }

  /// Takes out the notes up to `time`, and hands out the rooms of those that count, with their wakeup found anew.
  /// - Parameter body: returns whether the room is to be scheduled again.
  mutating func take(until time: Int64, of table: RoomTable, _ body: (Room) -> Bool) {
    taken.removeAll(keepingCapacity: true)
    while let next = heap.pop(if: { $0.time <= time }) { taken.append(next) }
    for (index, next) in taken.enumerated() {
      if index + 8 < taken.count { table.prefetchRoom(at: Int(taken[index + 8].room)) }
      guard let room = room(of: next, in: table) else { continue }
      room.scheduled = .max
      room.findWakeup()
      if body(room) { schedule(room) }
    }
  }

  /// Whether any room has a deadline, and not only the end of its rest.
  func containsDeadline(of table: RoomTable) -> Bool {
    heap.elements.contains { note in
      if case .deadline? = room(of: note, in: table)?.wakeup { true } else { false }
    }
  }

  /// The room of a note that counts.
  private func room(of note: Note, in table: RoomTable) -> Room? {
    guard let room = table.room(at: Int(note.room)), room.scheduled == note.time else { return nil }
    return room
  }

  /// Drops dead notes, if they are many.
  ///
  /// A room that wakes from its rest is noted for a nearer time, and the note of the rest's end stays. Rests may last a day: one such note
  /// each time that a room falls idle would become too many. Called only between two entries, when no room is on its way through
  /// ``take(until:of:_:)``.
  mutating func dropDead(of table: RoomTable) {
    // So seldom that it costs a push no more than a look or two.
    if heap.count <= 2 * table.count + Self.deadMin { return }
    var live: [Note] = []
    live.reserveCapacity(table.count)
    for note in heap.elements {
      guard let room = room(of: note, in: table) else { continue }
      // Two may be alike, if it was noted for a nearer time in between.
      room.scheduled = .max
      live.append(note)
    }
    for note in live { table.room(at: Int(note.room))!.scheduled = note.time }
    heap = Heap(live)
  }

  private static let deadMin = 64
}
