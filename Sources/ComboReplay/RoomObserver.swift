internal import ComboCore
internal import ComboWire

/// The time at which a replay's output is written.
enum OutputTime {
  /// After each event, by its sink.
  case atOnce
  /// After each chunk, room by room in the order of the rooms' first lines, by ``RoomObserver/write(_:_:all:to:)``.
  case afterChunks
  case never
}

/// Processes the instructions of a replay's rooms. The type is known at compile time, as it is used for each event.
protocol RoomObserver {
  associatedtype Sink: InstructionSink
  typealias Room = UnsafeMutablePointer<ReplayRooms.Room>

  static var outputTime: OutputTime { get }

  /// Begins to observe a room.
  mutating func add(_ index: Int, _ room: Room, slots: Int)
  /// Returns the sink of a room's instructions.
  func sink(_ index: Int, _ room: Room, _ buffer: ByteBuffer) -> Sink
  /// Passes a gift to a room's engine.
  func process(_ gift: UnsafePointer<Gift>, at now: Int64, _ index: Int, _ room: Room, _ sink: inout Sink)
  /// Sets the number of slots that a room has from now on.
  func set(slots: Int, _ index: Int, at now: Int64)
  /// Writes the complete results of a room or, with `all`, all results.
  /// - Returns: Whether nothing is left.
  func write(_ index: Int, _ room: Room, all: Bool, to buffer: ByteBuffer) -> Bool
  /// Stops observing a room that has rested or ended.
  mutating func remove(_ index: Int, _ room: Room)
  /// Completes a sweep, in which rooms were removed.
  mutating func endSweep()
}

extension RoomObserver {
  func set(slots: Int, _ index: Int, at now: Int64) {}
  func write(_ index: Int, _ room: Room, all: Bool, to buffer: ByteBuffer) -> Bool { true }
  mutating func endSweep() {}
}

/// Writes the instructions as JSON lines.
struct InstructionObserver: RoomObserver {
  static var outputTime: OutputTime { .atOnce }

  mutating func add(_ index: Int, _ room: Room, slots: Int) {}

  @inline(__always)
  func sink(_ index: Int, _ room: Room, _ buffer: ByteBuffer) -> ReplaySink {
    ReplaySink(room: room.pointee.json, buffer: buffer)
  }

  @inline(__always)
  func process(_ gift: UnsafePointer<Gift>, at now: Int64, _ index: Int, _ room: Room, _ sink: inout ReplaySink) {
    room.pointee.engine.takeLent(gift, at: now, to: &sink)
  }

  mutating func remove(_ index: Int, _ room: Room) {}
}

/// Writes the fate of each gift instead of the instructions, as JSON lines.
struct FateObserver: RoomObserver {
  static var outputTime: OutputTime { .afterChunks }

  private var trails: [GiftTrail?] = []

  mutating func add(_ index: Int, _ room: Room, slots: Int) {
    if index >= trails.count { trails.append(contentsOf: repeatElement(nil, count: index + 1 - trails.count)) }
    trails[index] = GiftTrail()
  }

  func sink(_ index: Int, _ room: Room, _ buffer: ByteBuffer) -> GiftTrail.Sink { trails[index]!.sink }

  func process(_ gift: UnsafePointer<Gift>, at now: Int64, _ index: Int, _ room: Room, _ sink: inout GiftTrail.Sink) {
    trails[index]!.process(gift.pointee, at: now, by: &room.pointee.engine)
  }

  func write(_ index: Int, _ room: Room, all: Bool, to buffer: ByteBuffer) -> Bool {
    let trail = trails[index]!
    trail.removeComplete(all: all) { fate in
      fate.write(room: room.pointee.json, to: buffer)
      buffer.append(UInt8(ascii: "\n"))
    }
    return trail.isEmpty
  }

  mutating func remove(_ index: Int, _ room: Room) { trails[index] = nil }
}
