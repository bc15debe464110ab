internal import ComboCore
internal import ComboWire
internal import Glibc

/// Rooms with their engines, found by name.
///
/// Open addressing over indexes; engines do not move while they are used, only when the table grows. One thread at a time.
final class ReplayRooms {
  /// A room.
  struct Room {
    var engine: Engine
    let hash: UInt64
    let name: UnsafeRawBufferPointer
    /// The name as a JSON string; it stands behind the name, in the same memory.
    let json: UnsafeRawBufferPointer
    /// Where in the input it came up: rooms in this order are in the order of their first lines.
    let first: UInt64
    /// The latest time that it was told.
    var time: Int64
    /// Its first and last event in the chunk at hand; -1 if it has none.
    var firstEvent: Int32 = -1
    var lastEvent: Int32 = -1
  }

  private struct Cell {
    /// The upper half of the hash.
    var tag: UInt32
    /// 0: empty; else the index of the room + 1.
    var index: UInt32
  }

  private var cells: UnsafeMutablePointer<Cell>
  private var mask: Int
  private var rooms: UnsafeMutablePointer<Room>
  private var capacity: Int
  /// Indexes below this are in use, or in `free`.
  private var end = 0
  private var free: [Int] = []
  private let json = ByteBuffer(capacity: 2048)
  /// How many there are.
  private(set) var count = 0

  init() {
    mask = 255
    cells = .allocate(capacity: 256)
    cells.initialize(repeating: Cell(tag: 0, index: 0), count: 256)
    capacity = 128
    rooms = .allocate(capacity: 128)
  }

  deinit {
    for index in indices {
      rooms[index].name.deallocate()
      (rooms + index).deinitialize(count: 1)
    }
    rooms.deallocate()
    cells.deallocate()
  }

  /// The hash that rooms are found by.
  @inline(__always)
  static func hash(_ name: UnsafeRawBufferPointer) -> UInt64 { XXH3.hash(name) }

  /// A room; valid until one is added or removed.
  @inline(__always)
  subscript(index: Int) -> UnsafeMutablePointer<Room> { rooms + index }

  /// The index of a room, or -1.
  @inline(__always)
  func find(_ name: UnsafeRawBufferPointer, hash: UInt64) -> Int {
    var place = Int(truncatingIfNeeded: hash) & mask
    let tag = UInt32(truncatingIfNeeded: hash >> 32)
    while cells[place].index != 0 {
      if cells[place].tag == tag {
        let index = Int(cells[place].index) - 1
        let known = rooms[index].name
        if known.count == name.count, memcmp(known.baseAddress!, name.baseAddress!, name.count) == 0 { return index }
      }
      place = (place + 1) & mask
    }
    return -1
  }

  /// A new room, which must not be there yet; its index.
  func add(_ name: UnsafeRawBufferPointer, hash: UInt64, first: UInt64, engine: Engine, at time: Int64) -> Int {
    if (count + 1) * 2 > mask { grow() }
    json.removeAll()
    InstructionEncoder.writeRoom(name, into: json)
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: name.count + json.count, alignment: 1)
    memory.copyMemory(from: name)
    UnsafeMutableRawBufferPointer(rebasing: memory[name.count...]).copyMemory(from: json.bytes)
    let copy = UnsafeRawBufferPointer(memory)
    let index = free.popLast() ?? newIndex()
    (rooms + index).initialize(
      to: Room(
        engine: engine, hash: hash, name: UnsafeRawBufferPointer(rebasing: copy[..<name.count]),
        json: UnsafeRawBufferPointer(rebasing: copy[name.count...]), first: first, time: time))
    enter(index, hash)
    count += 1
    return index
  }

  /// Forgets a room.
  func remove(_ index: Int) {
    var place = Int(truncatingIfNeeded: rooms[index].hash) & mask
    while Int(cells[place].index) != index + 1 { place = (place + 1) & mask }
    // What stands behind it moves up, unless it would come before its own place.
    var next = (place + 1) & mask
    while cells[next].index != 0 {
      let home = Int(truncatingIfNeeded: rooms[Int(cells[next].index) - 1].hash) & mask
      if (next - home) & mask >= (next - place) & mask {
        cells[place] = cells[next]
        place = next
      }
      next = (next + 1) & mask
    }
    cells[place] = Cell(tag: 0, index: 0)
    rooms[index].name.deallocate()
    (rooms + index).deinitialize(count: 1)
    free.append(index)
    count -= 1
  }

  /// The indexes of all rooms, in the order of their places in memory. Takes time in proportion to the most rooms ever held.
  var indices: [Int] {
    var isUsed = Array(repeating: true, count: end)
    for index in free { isUsed[index] = false }
    return (0..<end).filter { isUsed[$0] }
  }

  private func enter(_ index: Int, _ hash: UInt64) {
    var place = Int(truncatingIfNeeded: hash) & mask
    while cells[place].index != 0 { place = (place + 1) & mask }
    cells[place] = Cell(tag: UInt32(truncatingIfNeeded: hash >> 32), index: UInt32(index + 1))
  }

  private func newIndex() -> Int {
    if end == capacity {
      precondition(capacity < Int(UInt32.max) / 4, "more rooms than a table can hold")
      let larger = UnsafeMutablePointer<Room>.allocate(capacity: capacity * 2)
      // None is free here, so all are there.
      larger.moveInitialize(from: rooms, count: end)
      rooms.deallocate()
      rooms = larger
      capacity *= 2
    }
    end += 1
    return end - 1
  }

  private func grow() {
    cells.deallocate()
    mask = mask * 2 + 1
    cells = .allocate(capacity: mask + 1)
    cells.initialize(repeating: Cell(tag: 0, index: 0), count: mask + 1)
    for index in indices { enter(index, rooms[index].hash) }
  }
}
