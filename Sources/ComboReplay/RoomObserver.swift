internal import ComboCore
internal import ComboWire

/// The time at which a replay's output is written.
enum Telling {
  /// The output of each event, by its sink.
  case atOnce
  /// That of each chunk, room by room in the order of the rooms' first lines, by ``RoomObserver/tell(_:_:all:to:)``.
  case afterChunks
  case never
}

/// What a replay makes of its rooms' instructions. Known at compile time, as it is asked for each event.
protocol RoomObserver {
  associatedtype Sink: InstructionSink
  typealias Room = UnsafeMutablePointer<ReplayRooms.Room>

  static var tells: Telling { get }

  /// Begins to observe a room.
  mutating func add(_ index: Int, _ room: Room, slots: Int)
  /// Returns the sink of a room's instructions.
  func sink(_ index: Int, _ room: Room, _ buffer: ByteBuffer) -> Sink
  /// Passes a gift to a room's engine.
  func take(_ gift: UnsafePointer<Gift>, at now: Int64, _ index: Int, _ room: Room, _ sink: inout Sink)
  /// Notes the slots that a room has from now on.
  func set(slots: Int, _ index: Int, at now: Int64)
  /// Tells what is certain of a room or, with `all`, the rest.
  /// - Returns: Whether that was all.
  func tell(_ index: Int, _ room: Room, all: Bool, to buffer: ByteBuffer) -> Bool
  /// Ends to observe a room, which has rested or ended.
  mutating func forget(_ index: Int, _ room: Room)
  /// Ends a sweep, in which rooms were forgotten.
  mutating func endSweep()
}

extension RoomObserver {
  func set(slots: Int, _ index: Int, at now: Int64) {}
  func tell(_ index: Int, _ room: Room, all: Bool, to buffer: ByteBuffer) -> Bool { true }
  mutating func endSweep() {}
}

/// Writes the instructions as JSON lines.
struct InstructionObserver: RoomObserver {
  static var tells: Telling { .atOnce }

  mutating func add(_ index: Int, _ room: Room, slots: Int) {}

  @inline(__always)
  func sink(_ index: Int, _ room: Room, _ buffer: ByteBuffer) -> ReplaySink {
    ReplaySink(room: room.pointee.json, buffer: buffer)
  }

  @inline(__always)
  func take(_ gift: UnsafePointer<Gift>, at now: Int64, _ index: Int, _ room: Room, _ sink: inout ReplaySink) {
    room.pointee.engine.takeLent(gift, at: now, to: &sink)
  }

  mutating func forget(_ index: Int, _ room: Room) {}
}

/// Reports what became of each gift instead of the instructions, as JSON lines.
struct FateObserver: RoomObserver {
  static var tells: Telling { .afterChunks }

  private var trails: [GiftTrail?] = []

  mutating func add(_ index: Int, _ room: Room, slots: Int) {
    if index >= trails.count { trails.append(contentsOf: repeatElement(nil, count: index + 1 - trails.count)) }
    trails[index] = GiftTrail()
  }

  func sink(_ index: Int, _ room: Room, _ buffer: ByteBuffer) -> GiftTrail.Sink { trails[index]!.sink }

  func take(_ gift: UnsafePointer<Gift>, at now: Int64, _ index: Int, _ room: Room, _ sink: inout GiftTrail.Sink) {
    trails[index]!.take(gift.pointee, at: now, by: &room.pointee.engine)
  }

  func tell(_ index: Int, _ room: Room, all: Bool, to buffer: ByteBuffer) -> Bool {
    let trail = trails[index]!
    trail.takeOut(all: all) { fate in
      fate.write(room: room.pointee.json, to: buffer)
      buffer.append(UInt8(ascii: "\n"))
    }
    return trail.isEmpty
  }

  mutating func forget(_ index: Int, _ room: Room) { trails[index] = nil }
}
