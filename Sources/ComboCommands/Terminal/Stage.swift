internal import ComboSystem

/// All rooms that are watched, fed with instruction records.
struct Stage: Sendable {
  /// In the order in which they were first heard of.
  private(set) var rooms: [(name: String, screen: RoomScreen)] = []
  private var places: [String: Int] = [:]
  /// Instructions taken in, repetitions not among them.
  private(set) var instructions = 0
  /// Shows among them.
  private(set) var shows = 0

  init() {}

  /// With a room that is shown whether it says something or not.
  init(room: String) {
    rooms = [(room, RoomScreen())]
    places = [room: 0]
  }

  /// Says that no room has anything on its screen.
  mutating func beginEmpty() {
    for index in rooms.indices { rooms[index].screen.beginEmpty() }
  }

  /// Takes in the value of a record of the output topic, at the viewer's time `now` in milliseconds; what it was, if it is an
  /// instruction that changed what is known.
  @discardableResult
  mutating func apply(_ record: UnsafeRawBufferPointer, at now: Int64) -> JSONValue? {
    guard let instruction = JSONValue(record), let room = instruction["room"]?.string else { return nil }
    let place = places[room] ?? rooms.count
    if place == rooms.count {
      places[room] = place
      rooms.append((room, RoomScreen()))
    }
    guard rooms[place].screen.apply(instruction, at: now) else { return nil }
    instructions += 1
    if instruction["op"]?.string == "show" { shows += 1 }
    return instruction
  }

  /// Forgets banners that have slid out.
  mutating func sweep(at now: Int64, exitMs: Int) {
    for index in rooms.indices { rooms[index].screen.sweep(at: now, exitMs: exitMs) }
  }
}
