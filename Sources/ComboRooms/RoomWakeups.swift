internal import ComboSystem

/// The times at which the rooms of a partition are next due. Belongs to the partition's thread.
///
/// If a room is due later than its note, that is found when the note comes up. If it is due earlier, it gets another note, and
/// the old one is dead: ``Room/scheduled`` shows which note of a room counts.
struct RoomWakeups {
  private struct Note: Comparable {
    let time: Int64
    let room: Int32

    static func < (one: Note, other: Note) -> Bool { one.time < other.time }
  }

  private var heap = Heap<Note>()
  /// The notes that have just come up; kept to reuse its memory.
  private var taken: [Note] = []

  /// The time of the earliest note, dead or not.
  var next: Int64? { heap.first?.time }

  /// The number of notes, including dead ones.
  var count: Int { heap.count }

  mutating func removeAll() { heap.removeAll() }

  /// Adds a note of when the room is next due.
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

  /// Removes the notes up to `time`, and passes on the rooms of those that count, with their wakeup found anew.
  /// - Parameter body: Returns whether the room is to be scheduled again.
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

  /// Returns the room of a note, if the note counts.
  private func room(of note: Note, in table: RoomTable) -> Room? {
    guard let room = table.room(at: Int(note.room)), room.scheduled == note.time else { return nil }
    return room
  }

  /// Removes dead notes, if there are many.
  ///
  /// A room that wakes from its rest gets a note for an earlier time, and the note of the rest's end stays. Rests may last a day:
  /// one such note each time that a room becomes idle would be too many. Called only between two entries, when
  /// ``take(until:of:_:)`` is not in progress.
  mutating func dropDead(of table: RoomTable) {
    // This is rare enough that it costs each push one or two comparisons at most.
    if heap.count <= 2 * table.count + Self.deadMin { return }
    var live: [Note] = []
    live.reserveCapacity(table.count)
    for note in heap.elements {
      guard let room = room(of: note, in: table) else { continue }
      // Two notes may be equal, if an earlier one was added in between.
      room.scheduled = .max
      live.append(note)
    }
    for note in live { table.room(at: Int(note.room))!.scheduled = note.time }
    heap = Heap(live)
  }

  private static let deadMin = 64
}
