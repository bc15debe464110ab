internal import ComboCore
internal import ComboWire
internal import Glibc

/// Rooms with their engines, found by name.
///
/// Engines do not move while they are used, only when the table grows. Used by one thread at a time.
final class ReplayRooms {
  /// A room, in one cache line.
  struct Room {
    var engine: Engine
    let hash: UInt64
    /// The name, followed by the name as a JSON string.
    let names: UnsafeRawPointer
    let nameLength: Int32
    let jsonLength: Int32
    /// The position of the room's first event in the input. Rooms sorted by it are in the order of their first lines.
    let first: UInt64
    /// The latest time of the room.
    var time: Int64
    /// The group's indices of the first and last event in the current chunk; the first is -1 if there is none.
    var firstEvent: Int32 = -1
    var lastEvent: Int32 = -1
    /// Fills a cache line, so that a room is in one.
    private var padding = 0

    fileprivate init(
      engine: Engine, hash: UInt64, name: UnsafeRawBufferPointer, json: UnsafeRawBufferPointer, first: UInt64, time: Int64
    ) {
      let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: name.count + json.count, alignment: 8)
      memory.copyMemory(from: name)
      UnsafeMutableRawBufferPointer(rebasing: memory[name.count...]).copyMemory(from: json)
      self.engine = engine
      self.hash = hash
      names = UnsafeRawPointer(memory.baseAddress!)
      nameLength = Int32(name.count)
      jsonLength = Int32(json.count)
      self.first = first
      self.time = time
    }

    var name: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: names, count: Int(nameLength)) }
    var json: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: names + Int(nameLength), count: Int(jsonLength)) }
  }

  private var table = ProbeTable(for: 128)
  private var capacity = 128
  /// The memory of the rooms, valid until one is added or removed.
  private(set) var base = ReplayRooms.memory(for: 128)
  /// The indexes below this one are in use or in `free`.
  private var end = 0
  private var free: [Int] = []
  private let json = ByteBuffer(capacity: 2048)
  var count: Int { Int(table.used) }

  private static func memory(for count: Int) -> UnsafeMutablePointer<Room> {
    UnsafeMutableRawPointer.allocate(byteCount: count * MemoryLayout<Room>.stride, alignment: 64)
      .bindMemory(to: Room.self, capacity: count)
  }

  deinit {
    for index in indices {
      base[index].names.deallocate()
      (base + index).deinitialize(count: 1)
    }
    base.deallocate()
    table.free()
  }

  private static let seed = UInt64.random(in: 0...UInt64.max)

  /// Returns the hash by which rooms are found. Its seed is particular to this process, so that collisions cannot be constructed.
  /// No output depends on it.
  @inline(__always)
  static func hash(_ name: UnsafeRawBufferPointer) -> UInt64 { XXH3.hash(name, seed: seed) }

  /// Returns the group of a room, out of a power of two. It is the same in each process: which rooms a sweep removes, and the
  /// order of their last instructions, depend on it.
  @inline(__always)
  static func group(_ name: UnsafeRawBufferPointer, of count: Int) -> Int {
    Int(truncatingIfNeeded: XXH3.hash(name)) & (count - 1)
  }

  /// Returns a room, valid until one is added or removed.
  @inline(__always)
  subscript(index: Int) -> UnsafeMutablePointer<Room> { base + index }

  /// Returns the address at which the search for a room begins.
  @inline(__always)
  func place(of hash: UInt64) -> UnsafeRawPointer { table.address(UInt32(truncatingIfNeeded: hash)) }

  /// Returns the room that most likely has this hash, or nil if there is none.
  @inline(__always)
  func likely(_ hash: UInt64) -> UnsafeMutablePointer<Room>? {
    table.likely(UInt32(truncatingIfNeeded: hash)).map { base + Int($0) }
  }

  /// Returns the index of a room, or -1.
  @inline(__always)
  func find(_ name: UnsafeRawBufferPointer, hash: UInt64) -> Int {
    let base = base
    let found = table.find(UInt32(truncatingIfNeeded: hash)) { index in
      let known = base[Int(index)].name
      return known.count == name.count && memcmp(known.baseAddress!, name.baseAddress!, name.count) == 0
    }
    return found.map { Int($0) } ?? -1
  }

  /// Returns the number of places that a search for this hash reads before an empty place.
  func probes(_ hash: UInt64) -> Int { table.probes(UInt32(truncatingIfNeeded: hash)) }

  /// Adds a room, which must not exist yet, and returns its index.
  func add(_ name: UnsafeRawBufferPointer, hash: UInt64, first: UInt64, engine: Engine, at time: Int64) -> Int {
    json.removeAll()
    InstructionEncoder.writeRoom(name, into: json)
    let index = free.popLast() ?? newIndex()
    (base + index).initialize(
      to: Room(engine: engine, hash: hash, name: name, json: json.bytes, first: first, time: time))
    table.insert(UInt32(truncatingIfNeeded: hash), UInt32(index))
    return index
  }

  func remove(_ index: Int) {
    table.remove(UInt32(truncatingIfNeeded: base[index].hash), UInt32(index))
    base[index].names.deallocate()
    (base + index).deinitialize(count: 1)
    free.append(index)
  }

  /// The indices of all rooms, in the order of their places in memory. Takes time proportional to the maximum number of rooms so
  /// far.
  var indices: [Int] {
    var isUsed = Array(repeating: true, count: end)
    for index in free { isUsed[index] = false }
    return (0..<end).filter { isUsed[$0] }
  }

  private func newIndex() -> Int {
    if end == capacity {
      precondition(capacity < Int(UInt32.max) / 4, "more rooms than a table can hold")
      let larger = Self.memory(for: capacity * 2)
      // None is free here, so all are in use.
      larger.moveInitialize(from: base, count: end)
      base.deallocate()
      base = larger
      capacity *= 2
    }
    end += 1
    return end - 1
  }
}
