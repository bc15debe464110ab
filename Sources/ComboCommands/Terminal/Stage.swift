internal import ComboClient
internal import ComboSystem

/// All rooms that are watched, fed with instruction records.
struct Stage: Sendable {
  /// In the order in which they were first heard of.
  private(set) var rooms: [(name: String, screen: RoomStage)] = []
  /// By the bytes of their names: two texts that look the same may be two rooms.
  private var places: [[UInt8]: Int] = [:]
  /// Instructions taken in, repetitions not among them.
  private(set) var instructions = 0
  /// Shows among them.
  private(set) var shows = 0

  init() {}

  /// With a room that is shown whether it says something or not.
  init(room: String) {
    rooms = [(room, RoomStage())]
    places = [Array(room.utf8): 0]
  }

  /// Says that no room has anything on its screen.
  mutating func beginEmpty() {
    for index in rooms.indices { rooms[index].screen.beginEmpty() }
  }

  /// Takes in the value of a record of the output topic, at the viewer's time `now` in milliseconds; what it was, if it is an
  /// instruction that changed what is known.
  @discardableResult
  mutating func apply(_ record: UnsafeRawBufferPointer, at now: Int64) -> DisplayInstruction? {
    guard let instruction = DisplayInstruction(record) else { return nil }
    let key = Array(instruction.room.utf8)
    let place = places[key] ?? rooms.count
    if place == rooms.count {
      places[key] = place
      rooms.append((instruction.room, RoomStage()))
    }
    guard rooms[place].screen.apply(instruction, at: now) else { return nil }
    instructions += 1
    if case .show = instruction.operation { shows += 1 }
    return instruction
  }

  /// A room's banners; nil if it was not heard of.
  func screen(of room: String) -> RoomStage? { places[Array(room.utf8)].map { rooms[$0].screen } }

  /// Forgets banners that have slid out.
  mutating func sweep(at now: Int64, exitMs: Int) {
    for index in rooms.indices { rooms[index].screen.sweep(at: now, exitMs: exitMs) }
  }
}
