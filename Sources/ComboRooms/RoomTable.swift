internal import CPrefetch
package import ComboCore
internal import ComboWire
internal import Glibc

/// The rooms of a partition, by name. Their hashes have a seed of this process.
package final class RoomTable {
  private var table = ProbeTable(for: 32)
  private var free: [Int32] = []
  /// The rooms, owned; nil at a free index. Looking a room up costs no reference count.
  private var handles: ContiguousArray<Unmanaged<Room>?> = []
  var count: Int { Int(table.used) }
  private static let seed = UInt64.random(in: 0...UInt64.max)

  init() {}

  deinit {
    for handle in handles { handle?.release() }
    table.free()
  }

  @inline(__always)
  static func hash(_ id: Bytes) -> UInt32 { UInt32(truncatingIfNeeded: XXH3.hash(id, seed: seed)) }

  /// The number of places, with a room or without.
  package var placeCount: Int { handles.count }

  /// Returns the room at a place, if there is one.
  package func room(at index: Int) -> Room? { handles[index]?.takeUnretainedValue() }

  /// Prefetches the memory of the room at a place.
  @inline(__always)
  func prefetchRoom(at index: Int) {
    if let room = handles[index] { Room.prefetchHead(room) }
  }

  /// Returns the room of that name, if there is one.
  @inline(__always)
  func find(_ id: Bytes, hash: UInt32) -> Unmanaged<Room>? {
    let found = table.find(hash) { index in
      handles[Int(index)]?._withUnsafeGuaranteedRef { same($0.id, id) } == true
    }
    return found.flatMap { handles[Int($0)] }
  }

  package func find(_ id: Bytes) -> Room? { find(id, hash: Self.hash(id))?.takeUnretainedValue() }

  /// Adds a room whose name is not in the table.
  func insert(_ room: Room, hash: UInt32) {
    if let used = free.popLast() {
      room.index = used
      handles[Int(used)] = Unmanaged.passRetained(room)
    } else {
      room.index = Int32(handles.count)
      handles.append(Unmanaged.passRetained(room))
    }
    table.insert(hash, UInt32(room.index))
  }

  func insert(_ room: Room) { insert(room, hash: Self.hash(room.id)) }

  func remove(_ room: Room) {
    table.remove(Self.hash(room.id), UInt32(room.index))
    let handle = handles[Int(room.index)]
    handles[Int(room.index)] = nil
    free.append(room.index)
    handle?.release()
  }

  package func forEachRoom(_ body: (Room) -> Void) {
    for handle in handles { if let handle { body(handle.takeUnretainedValue()) } }
  }

  @inline(__always)
  private func same(_ a: Bytes, _ b: Bytes) -> Bool {
    a.count == b.count && (a.count == 0 || memcmp(a.baseAddress!, b.baseAddress!, a.count) == 0)
  }
}
