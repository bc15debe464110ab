/// The records of ``GiftIDs`` in the order of arrival: new ones are added at the end, old ones are removed at the front.
///
/// A record is identified by its position. It holds an expiry, which is not interpreted here, the upper bits of a hash, and an
/// id's bytes.
///
/// Records are in chunks of 2 KiB; a chunk may be smaller only while there is one. In many rooms, ids would make up most of a
/// process's memory. Chunks do not move when more are added, and do not keep half as much again in reserve. The owner frees
/// them with ``free()``.
@safe struct GiftIDRecords {
  /// The positions of the first record and of the next new one, in units of 8 bytes. A chunk begins at a multiple of 256.
  /// Positions only rise, unless the records of a single chunk are moved to its beginning.
  private(set) var start = 0
  private(set) var end = 0
  /// The position at which the last chunk ends.
  private var chunksEnd = 0
  /// The first chunk, or nil if there is none.
  private var first: UnsafeMutableRawPointer?
  /// All chunks, indexed by the lower bits of their number. In use only from two chunks on.
  private var chunks = unsafe Block<UnsafeMutableRawPointer>()
  private(set) var count: Int32 = 0
  /// Whether an id was ever too long for a record.
  private var hasLong = false

  init() {}

  // A record: expiry (4 bytes), hash and length (4 bytes), the id, and padding to a multiple of 8.
  private static let headLength = 8
  private static let unit = 8
  static let chunkUnits = 256
  /// The mask of the lower bits of a record's second word. They hold the id's length or one of the two values below: the bytes
  /// are elsewhere and the record holds their address and number, or there are no more records in this chunk.
  private static let lengthMask: UInt32 = 511
  private static let lengthElsewhere: UInt32 = 510
  private static let lengthOfEnd: UInt32 = 511
  private static let elsewhereUnits = 3
  /// The bits of a hash that a record keeps.
  static var hashMask: UInt32 { ~lengthMask }

  // MARK: - Records

  @inline(__always)
  func expiry(_ record: Int) -> UInt32 { unsafe address(record).load(as: UInt32.self) }

  func setExpiry(_ record: Int, _ expiry: UInt32) { unsafe address(record).storeBytes(of: expiry, as: UInt32.self) }

  /// The bits of the hash that the record keeps.
  @inline(__always)
  func hash(_ record: Int) -> UInt32 { unsafe address(record).load(fromByteOffset: 4, as: UInt32.self) & ~Self.lengthMask }

  @inline(__always)
  func id(_ record: Int) -> Bytes {
    let length = length(record)
    if length == Self.lengthElsewhere { return unsafe Bytes(elsewhere(record)) }
    return unsafe Bytes(start: address(record) + Self.headLength, count: Int(length))
  }

  func forEachRecord(_ body: (Int) -> Void) {
    var record = start
    for _ in 0..<count {
      if isPastLast(record) { record = Self.nextChunk(record) }
      body(record)
      record += units(record)
    }
  }

  func isLast(_ record: Int) -> Bool { record + units(record) == end }

  /// Adds the addresses of the next new records and of the first ones.
  @inline(__always)
  func addPlaces(to all: inout Places) {
    guard let first = unsafe first else { return }
    if end < chunksEnd { unsafe all.addTwo(address(end)) }
    // Some of the first have probably expired since the room was last used.
    unsafe all.addLines(first + (start & (Self.chunkUnits &- 1)) &* Self.unit, 192)
  }

  @inline(__always)
  private func address(_ record: Int) -> UnsafeMutableRawPointer {
    let number = record &>> 8
    let chunk =
      unsafe number == start &>> 8 ? first.unsafelyUnwrapped : chunks[Int32(truncatingIfNeeded: number) & (chunks.capacity &- 1)]
    return unsafe chunk + (record & (Self.chunkUnits &- 1)) &* Self.unit
  }

  @inline(__always)
  private func length(_ record: Int) -> UInt32 {
    unsafe address(record).load(fromByteOffset: 4, as: UInt32.self) & Self.lengthMask
  }

  @inline(__always)
  private static func units(ofLength length: UInt32) -> Int {
    length == lengthElsewhere ? elsewhereUnits : (headLength &+ Int(length) &+ 7) &>> 3
  }

  @inline(__always)
  private func units(_ record: Int) -> Int { Self.units(ofLength: length(record)) }

  /// Whether there is no record at this position, but one in the next chunk.
  @inline(__always)
  private func isPastLast(_ record: Int) -> Bool {
    record & (Self.chunkUnits &- 1) != 0 && length(record) == Self.lengthOfEnd
  }

  @inline(__always)
  private static func nextChunk(_ record: Int) -> Int { (record | (chunkUnits &- 1)) &+ 1 }

  /// The bytes of an id that is too long for a record.
  private func elsewhere(_ record: Int) -> UnsafeMutableRawBufferPointer {
    let memory = unsafe address(record) + Self.headLength
    return unsafe UnsafeMutableRawBufferPointer(
      start: memory.load(as: UnsafeMutableRawPointer.self), count: memory.load(fromByteOffset: 8, as: Int.self))
  }

  // MARK: - Adding and removing

  /// Makes room for a record of this id at the end.
  /// - Returns: Whether records were moved and thus changed their positions.
  @inline(__always)
  mutating func reserve(_ id: Bytes) -> Bool {
    let units = unsafe Self.units(of: id)
    return end &+ units > chunksEnd ? makeRoom(for: units) : false
  }

  /// Adds a record at the end, where there must be room.
  /// - Returns: Its position.
  @inline(__always)
  mutating func append(_ id: Bytes, hash: UInt32, expiry: UInt32) -> Int {
    let record = end
    let memory = unsafe address(record)
    let isElsewhere = id.count >= Int(Self.lengthElsewhere)
    let length = isElsewhere ? Self.lengthElsewhere : UInt32(truncatingIfNeeded: id.count)
    unsafe memory.storeBytes(of: expiry, as: UInt32.self)
    unsafe memory.storeBytes(of: hash & ~Self.lengthMask | length, toByteOffset: 4, as: UInt32.self)
    if isElsewhere {
      unsafe writeElsewhere(id, to: memory)
    } else {
      unsafe copyBytes(id, to: memory + Self.headLength)
    }
    unsafe end &+= Self.units(of: id)
    count &+= 1
    return record
  }

  /// Removes the first record; there must be one.
  @inline(__always)
  mutating func dropFirst() {
    let length = length(start)
    if length == Self.lengthElsewhere { unsafe elsewhere(start).deallocate() }
    start &+= Self.units(ofLength: length)
    count &-= 1
    if start & (Self.chunkUnits &- 1) == 0 || (count > 0 && isPastLast(start)) { leaveFirstChunk() }
  }

  mutating func free() {
    if hasLong { forEachRecord { if length($0) == Self.lengthElsewhere { unsafe elsewhere($0).deallocate() } } }
    unsafe forEachChunk { unsafe $0.deallocate() }
    unsafe chunks.free()
    self = GiftIDRecords()
  }

  @inline(__always)
  private static func units(of id: Bytes) -> Int {
    id.count >= Int(lengthElsewhere) ? elsewhereUnits : (headLength &+ id.count &+ 7) &>> 3
  }

  @inline(never)
  private mutating func writeElsewhere(_ id: Bytes, to record: UnsafeMutableRawPointer) {
    let bytes = UnsafeMutableRawPointer.allocate(byteCount: id.count, alignment: 1)
    unsafe bytes.copyMemory(from: id.baseAddress.unsafelyUnwrapped, byteCount: id.count)
    hasLong = true
    unsafe (record + Self.headLength).storeBytes(of: bytes, as: UnsafeMutableRawPointer.self)
    unsafe (record + Self.headLength).storeBytes(of: id.count, toByteOffset: 8, as: Int.self)
  }

  // MARK: - Chunks

  @inline(never)
  private mutating func makeRoom(for units: Int) -> Bool {
    let chunkStart = start & ~(Self.chunkUnits - 1)
    let capacity = chunksEnd - chunkStart
    var hasMoved = false
    if unsafe first == nil || capacity < Self.chunkUnits {
      let needed = end - start + units
      // At least a third of the chunk is free before the first record.
      if unsafe first != nil, needed * 3 <= capacity * 2 { return unsafe moveOnlyChunk(to: nil, capacity) }
      let grown = min(Self.chunkUnits, max(8, count > 2 ? needed * 3 / 2 + 1 : needed))
      hasMoved = unsafe moveOnlyChunk(to: Self.allocate(grown), grown)
      if needed <= grown { return hasMoved }
    }
    addChunk()
    return hasMoved
  }

  /// Moves the records of a single chunk to its beginning, or to that of a larger one.
  /// - Returns: Whether their positions have changed.
  private mutating func moveOnlyChunk(to larger: UnsafeMutableRawPointer?, _ capacity: Int) -> Bool {
    let moved = start & (Self.chunkUnits - 1)
    let chunk = unsafe larger ?? first.unsafelyUnwrapped
    if let first = unsafe first { unsafe chunk.copyMemory(from: first + moved * Self.unit, byteCount: (end - start) * Self.unit) }
    if unsafe larger != nil { unsafe first?.deallocate() }
    unsafe first = unsafe chunk
    start -= moved
    end -= moved
    chunksEnd = start + capacity
    return moved > 0
  }

  /// Adds a chunk behind the last one, which has its full size.
  private mutating func addChunk() {
    if end < chunksEnd { unsafe address(end).storeBytes(of: Self.lengthOfEnd, toByteOffset: 4, as: UInt32.self) }
    let chunk = unsafe Self.allocate(Self.chunkUnits)
    if count == 0 {
      unsafe first.unsafelyUnwrapped.deallocate()
      unsafe first = unsafe chunk
      start = chunksEnd
    } else {
      let inUse = Int32(truncatingIfNeeded: (chunksEnd - 1) >> 8 - start >> 8 + 1)
      if unsafe chunks.capacity <= inUse { growChunks(inUse) }
      unsafe chunks[Int32(truncatingIfNeeded: chunksEnd >> 8) & (chunks.capacity - 1)] = unsafe chunk
    }
    end = chunksEnd
    chunksEnd += Self.chunkUnits
  }

  private mutating func growChunks(_ inUse: Int32) {
    var grown = unsafe Block<UnsafeMutableRawPointer>()
    unsafe grown.resize(to: max(4, chunks.capacity * 2))
    var number = Int32(truncatingIfNeeded: start >> 8)
    unsafe forEachChunk { chunk in
      unsafe grown[number & (grown.capacity - 1)] = unsafe chunk
      number &+= 1
    }
    unsafe chunks.free()
    unsafe chunks = unsafe grown
  }

  /// Frees the first chunk after its last record was removed.
  private mutating func leaveFirstChunk() {
    unsafe first.unsafelyUnwrapped.deallocate()
    if start & (Self.chunkUnits &- 1) != 0 { start = Self.nextChunk(start) }
    if start == chunksEnd {
      unsafe first = nil
    } else {
      unsafe first = unsafe chunks[Int32(truncatingIfNeeded: start &>> 8) & (chunks.capacity &- 1)]
    }
  }

  private func forEachChunk(_ body: (UnsafeMutableRawPointer) -> Void) {
    guard let first = unsafe first else { return }
    unsafe body(first)
    var position = Self.nextChunk(start)
    while position < chunksEnd {
      unsafe body(address(position))
      position += Self.chunkUnits
    }
  }

  private static func allocate(_ units: Int) -> UnsafeMutableRawPointer { .allocate(byteCount: units * unit, alignment: unit) }
}
