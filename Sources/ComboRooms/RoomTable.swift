internal import CPrefetch
package import ComboCore
internal import ComboWire
internal import Glibc

/// The rooms of a partition, by name: open addressing over 32-bit hashes with a seed of this process.
package final class RoomTable {
  /// The hash in the upper half, index + 1 in the lower; 0 is an empty place.
  private var places = UnsafeMutableBufferPointer<UInt64>(start: nil, count: 0)
  private var free: [Int32] = []
  /// The rooms, owned; nil at a free index. Looking a room up costs no reference count.
  private var handles: ContiguousArray<Unmanaged<Room>?> = []
  private(set) var count = 0
  private static let seed = UInt64.random(in: 0...UInt64.max)

  init() {}

  deinit {
    for handle in handles { handle?.release() }
    places.deallocate()
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
    let mask = places.count - 1
    guard mask > 0 else { return nil }
    var i = Int(hash) & mask
    while true {
      let place = places[i]
      if place == 0 { return nil }
      if UInt32(truncatingIfNeeded: place >> 32) == hash {
        if let room = handles[Int(truncatingIfNeeded: place & 0xffff_ffff) - 1],
          room._withUnsafeGuaranteedRef({ same($0.id, id) })
        {
          return room
        }
      }
      i = (i + 1) & mask
    }
  }

  package func find(_ id: Bytes) -> Room? { find(id, hash: Self.hash(id))?.takeUnretainedValue() }

  /// Adds a room whose name is not in the table.
  func insert(_ room: Room, hash: UInt32) {
    if (count + 1) * 3 > places.count * 2 { grow() }
    if let used = free.popLast() {
      room.index = used
      handles[Int(used)] = Unmanaged.passRetained(room)
    } else {
      room.index = Int32(handles.count)
      handles.append(Unmanaged.passRetained(room))
    }
    put(UInt64(hash) << 32 | UInt64(room.index + 1))
    count += 1
  }

  func insert(_ room: Room) { insert(room, hash: Self.hash(room.id)) }

  func remove(_ room: Room) {
    let hash = Self.hash(room.id)
    let mask = places.count - 1
    let wanted = UInt64(hash) << 32 | UInt64(room.index + 1)
    var hole = Int(hash) & mask
    while places[hole] != wanted {
      precondition(places[hole] != 0, "a room that is not in the table")
      hole = (hole + 1) & mask
    }
    let emptied = LinearProbing.close(
      hole, mask: mask, home: { places[$0] == 0 ? nil : Int(truncatingIfNeeded: places[$0] >> 32) & mask },
      move: { from, to in places[to] = places[from] })
    places[emptied] = 0
    let handle = handles[Int(room.index)]
    handles[Int(room.index)] = nil
    free.append(room.index)
    count -= 1
    handle?.release()
  }

  package func forEachRoom(_ body: (Room) -> Void) {
    for handle in handles { if let handle { body(handle.takeUnretainedValue()) } }
  }

  @inline(__always)
  private func same(_ a: Bytes, _ b: Bytes) -> Bool {
    a.count == b.count && (a.count == 0 || memcmp(a.baseAddress!, b.baseAddress!, a.count) == 0)
  }

  private func put(_ place: UInt64) {
    let mask = places.count - 1
    var i = Int(truncatingIfNeeded: place >> 32) & mask
    while places[i] != 0 { i = (i + 1) & mask }
    places[i] = place
  }

  private func grow() {
    let old = places
    places = .allocate(capacity: max(64, old.count * 2))
    places.initialize(repeating: 0)
    for place in old where place != 0 { put(place) }
    old.deallocate()
  }
}
