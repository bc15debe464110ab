internal import ComboClient

/// All watched rooms, updated from instruction records.
struct Stage: Sendable {
  /// The rooms in the order of their first instructions.
  private(set) var rooms: [(name: String, screen: RoomStage)] = []
  /// The indices of rooms by the bytes of their names, as equal strings may be different rooms.
  private var places: [[UInt8]: Int] = [:]
  /// The number of instructions applied, without repetitions.
  private(set) var instructions = 0
  /// The number of `show`s among them.
  private(set) var shows = 0

  init() {}

  /// Creates a stage with one room, which is shown even if it emits nothing.
  init(room: String) {
    rooms = [(room, RoomStage())]
    places = [Array(room.utf8): 0]
  }

  /// Marks all rooms' screens as empty.
  mutating func beginEmpty() {
    for index in rooms.indices { rooms[index].screen.beginEmpty() }
  }

  /// Applies the value of a record of the output topic at the viewer's time `now`, in milliseconds. Returns the instruction if it
  /// changed what is known, or nil.
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

  /// Returns a room's banners, or nil if the stage has no such room.
  func screen(of room: String) -> RoomStage? { places[Array(room.utf8)].map { rooms[$0].screen } }

  /// Removes banners that have slid out.
  mutating func sweep(at now: Int64, exitMs: Int) {
    for index in rooms.indices { rooms[index].screen.sweep(at: now, exitMs: exitMs) }
  }
}
