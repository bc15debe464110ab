/// The gift ids that a room remembers, so that a gift sent twice counts once.
///
/// They are in the order in which they came, each as a record: its expiry, some of its hash with its length, its bytes. New ones are
/// added at the end, old ones go at the front, so a gift touches a line or two of them. A table of 5 bytes a place tells by some bits of
/// hash where an id is; only if they agree its record is looked at. What has gone at the front stays in the table, where it finds
/// nothing, until the table is rebuilt: so forgetting costs no look-up.
///
/// Records are in chunks of 2 KiB, of which the only one may be smaller. Many rooms remember so much that it would be most of a process'
/// memory: chunks neither move when there come more, nor leave room free for half as many again.
///
/// Ids expire in their order, unless `dedupe_ms` was lowered meanwhile: then one that has expired behind another that
/// lives on waits there without effect, and how many do so is counted. The owner copies it (``copy()``) and frees it (``free()``).
struct GiftIDs {
  private final class Disorder {
    /// Of all records that have not been counted as expired, by their number; stale for those that went at the front.
    var expiries = DeadlineHeap()
    var firstNumber = 0
    /// How many have expired before `countedBefore`.
    var expired = 0
    var countedBefore = Int64.min
  }

  /// Where the first record begins, and where the next one will, in units of 8 bytes. A chunk begins at a multiple of 256; positions only
  /// rise, unless the records of an only chunk are moved to its beginning.
  private var start = 0
  private var end = 0
  /// Where the last chunk ends.
  private var chunksEnd = 0
  /// The first chunk; nil: there is none.
  private var first: UnsafeMutableRawPointer?
  /// All chunks by their number, of which as many bits count as there are places; not in use before there are two.
  private var chunks = Block<UnsafeMutableRawPointer>()
  /// How many there are, whether they have expired or not.
  private(set) var count: Int32 = 0
  /// A place in it holds, above `unitBits`, the upper bits of the hash, below it where the record begins, counted from `tableStart`.
  private var table = TagTable()
  private var tableStart = 0
  /// What the expiries in the records are counted from.
  private var expiryBase: Int64 = 0
  /// The expiries of the first and the last one.
  private var firstExpiry = Int64.max
  private var lastExpiry = Int64.min
  /// The order of expiries, once it is another than that of the records.
  private var disorder: Disorder?
  /// Whether there has been an id that is too long for a record.
  private var hasLong = false
  /// How many bits of a place in the table are the record's position.
  private var unitBits: UInt8 = 0

  init() {}

  // A record: expiry (4 bytes, see `expiry(_:)`), hash and length (4), the id, padding to a multiple of 8.
  private static let headLength = 8
  private static let unit = 8
  private static let chunkUnits = 256
  /// The lower bits of a record's second half are its id's length, or one of these: the bytes are elsewhere, and the record holds where
  /// and how many; or there is no record any more in this chunk.
  private static let lengthMask: UInt32 = 511
  private static let lengthElsewhere: UInt32 = 510
  private static let lengthOfEnd: UInt32 = 511
  private static let elsewhereUnits = 3
  /// Up to this many are searched one by one: most rooms are small.
  private static let searchedMax: Int32 = 4
  /// The expiry, as it is written, of one that expired long ago.
  private static let longAgo: UInt32 = 0
  /// This many expired ones are dropped for each that is added: they become fewer, and no gift waits for the memory of many.
  private static let droppedAtOnce = 2

  /// Its lower bits have no meaning.
  @inline(__always)
  static func hash(_ id: Bytes, _ seed: UInt64) -> UInt32 { KeyHash.fold(KeyHash.hash(id, seed)) | 1 }

  /// Whether `id` is remembered at `now`.
  @inline(__always)
  func contains(_ id: Bytes, hash: UInt32, at now: Int64) -> Bool {
    find(id, hash: hash, validAt: now) != nil
  }

  /// Adds where an id with this hash would be found.
  @inline(__always)
  func addPlaces(_ hash: UInt32, to all: inout Places) {
    if table.isInUse { table.addPlaces(hash, to: &all) }
  }

  /// Adds the places where the next ones will be added, and of those that expire next.
  @inline(__always)
  func addPlaces(to all: inout Places) {
    guard let first else { return }
    if end < chunksEnd { all.addTwo(address(end)) }
    // Some will have expired since the room was last looked at.
    all.addLines(first + (start & (Self.chunkUnits &- 1)) &* Self.unit, 192)
  }

  /// Remembers `id`, which is not remembered at `now`, and forgets the oldest of those valid above `limit`.
  @inline(__always)
  mutating func add(_ id: Bytes, hash: UInt32, expiry: Int64, limit: Int, at now: Int64) {
    var dropped = 0
    while firstExpiry < now, dropped < Self.droppedAtOnce {
      dropFirst()
      dropped &+= 1
    }
    if disorder == nil {
      // If any has expired, the first have.
      while count >= limit, count > 0 { dropFirst() }
    } else {
      dropInDisorder(limit, at: now)
    }
    append(id, hash: hash, expiry: expiry)
  }

  /// Adds without a limit, at the end. `id` must not be here.
  @inline(__always)
  mutating func append(_ id: Bytes, hash: UInt32, expiry: Int64) {
    let isEarlier = expiry < lastExpiry
    if count == 0 {
      firstExpiry = expiry
      expiryBase = expiry &- Int64(1 << 31)
    }
    lastExpiry = expiry
    var written = expiry &- expiryBase
    if written <= Int64(Self.longAgo) || written > Int64(UInt32.max) { written = rebase(to: expiry) }

    let isElsewhere = id.count >= Int(Self.lengthElsewhere)
    let units = isElsewhere ? Self.elsewhereUnits : (Self.headLength &+ id.count &+ 7) &>> 3
    if end &+ units > chunksEnd { makeRoom(for: units) }
    let memory = address(end)
    let length = isElsewhere ? Self.lengthElsewhere : UInt32(truncatingIfNeeded: id.count)
    memory.storeBytes(of: UInt32(truncatingIfNeeded: written), as: UInt32.self)
    memory.storeBytes(of: hash & ~Self.lengthMask | length, toByteOffset: 4, as: UInt32.self)
    if isElsewhere {
      writeElsewhere(id, to: memory)
    } else {
      copyBytes(id, to: memory + Self.headLength)
    }
    let record = end
    end &+= units
    count &+= 1
    if isEarlier || disorder != nil { orderLast(expiry) }
    if !table.isFull, record &- tableStart < (1 as Int) &<< Int(unitBits) {
      index(record, hash)
    } else if table.isInUse || count > Self.searchedMax {
      indexAll()
    }
  }

  /// Moves every expiry by `milliseconds`.
  mutating func shift(by milliseconds: Int64) {
    if count == 0 { return }
    expiryBase += milliseconds
    if firstExpiry != .min { firstExpiry += milliseconds }
    lastExpiry += milliseconds
    if let disorder {
      disorder.expiries.shift(by: milliseconds)
      if disorder.countedBefore != .min { disorder.countedBefore += milliseconds }
    }
  }

  /// Hands out those valid at `now`, the oldest first.
  func forEach(validAt now: Int64, _ body: (Bytes, Int64) -> Void) {
    forEachRecord { record in if expiry(record) >= now { body(id(record), expiry(record)) } }
  }

  /// The same ids in memory of their own, less those that expired long ago.
  func copy() -> GiftIDs { kept { written($0) != Self.longAgo } }

  /// Forgets all and gives the memory back.
  mutating func free() {
    if hasLong { forEachRecord { if length($0) == Self.lengthElsewhere { elsewhere($0).deallocate() } } }
    forEachChunk { $0.deallocate() }
    chunks.free()
    table.free()
    self = GiftIDs()
  }

  /// The first thing that must hold and does not, in words, or nil.
  func brokenInvariant() -> String? {
    var (found, expired, last): (Int32, Int, Int?) = (0, 0, nil)
    var fault: String?
    forEachRecord { record in
      // One that has expired may be there twice.
      if find(id(record), hash: hash(record), validAt: expiry(record)) == nil { fault = "an id is not found" }
      if found == 0, firstExpiry != expiry(record) { fault = "the first id expires at another time" }
      if let disorder, expiry(record) < disorder.countedBefore { expired += 1 }
      found += 1
      last = record
    }
    if let fault { return fault }
    if found != count { return "\(found) ids, not \(count)" }
    if let last, last + units(last) != end { return "the ids end at another place" }
    return expired == disorder?.expired ?? 0 ? nil : "\(expired) ids have expired, not \(disorder?.expired ?? 0)"
  }

  // MARK: - Records

  /// The place of a record, by its position.
  @inline(__always)
  private func address(_ record: Int) -> UnsafeMutableRawPointer {
    let number = record &>> 8
    let chunk =
      number == start &>> 8 ? first.unsafelyUnwrapped : chunks[Int32(truncatingIfNeeded: number) & (chunks.capacity &- 1)]
    return chunk + (record & (Self.chunkUnits &- 1)) &* Self.unit
  }

  @inline(__always)
  private func written(_ record: Int) -> UInt32 { address(record).load(as: UInt32.self) }

  @inline(__always)
  private func expiry(_ record: Int) -> Int64 {
    let written = written(record)
    return written == Self.longAgo ? .min : expiryBase &+ Int64(written)
  }

  /// What is kept of it.
  @inline(__always)
  private func hash(_ record: Int) -> UInt32 { address(record).load(fromByteOffset: 4, as: UInt32.self) & ~Self.lengthMask }

  @inline(__always)
  private func length(_ record: Int) -> UInt32 { address(record).load(fromByteOffset: 4, as: UInt32.self) & Self.lengthMask }

  @inline(__always)
  private static func units(ofLength length: UInt32) -> Int {
    length == lengthElsewhere ? elsewhereUnits : (headLength &+ Int(length) &+ 7) &>> 3
  }

  @inline(__always)
  private func units(_ record: Int) -> Int { Self.units(ofLength: length(record)) }

  @inline(__always)
  private func id(_ record: Int) -> Bytes {
    let length = length(record)
    if length == Self.lengthElsewhere { return Bytes(elsewhere(record)) }
    return Bytes(start: address(record) + Self.headLength, count: Int(length))
  }

  private func forEachRecord(_ body: (Int) -> Void) {
    var record = start
    for _ in 0..<count {
      if isPastLast(record) { record = Self.nextChunk(record) }
      body(record)
      record += units(record)
    }
  }

  /// Whether there is no record at this position, but one in the next chunk.
  @inline(__always)
  private func isPastLast(_ record: Int) -> Bool {
    record & (Self.chunkUnits &- 1) != 0 && length(record) == Self.lengthOfEnd
  }

  @inline(__always)
  private static func nextChunk(_ record: Int) -> Int { (record | (chunkUnits &- 1)) &+ 1 }

  /// The bytes of an id that is too long for a record.
  private func elsewhere(_ record: Int) -> UnsafeMutableRawBufferPointer {
    let memory = address(record) + Self.headLength
    return UnsafeMutableRawBufferPointer(
      start: memory.load(as: UnsafeMutableRawPointer.self), count: memory.load(fromByteOffset: 8, as: Int.self))
  }

  @inline(never)
  private mutating func writeElsewhere(_ id: Bytes, to record: UnsafeMutableRawPointer) {
    let bytes = UnsafeMutableRawPointer.allocate(byteCount: id.count, alignment: 1)
    bytes.copyMemory(from: id.baseAddress.unsafelyUnwrapped, byteCount: id.count)
    hasLong = true
    (record + Self.headLength).storeBytes(of: bytes, as: UnsafeMutableRawPointer.self)
    (record + Self.headLength).storeBytes(of: id.count, toByteOffset: 8, as: Int.self)
  }

  /// The record of `id`, if it is valid at `now`.
  @inline(__always)
  private func find(_ id: Bytes, hash: UInt32, validAt now: Int64) -> Int? {
    if !table.isInUse { return search(id, hash: hash, validAt: now) }
    let unitBits = UInt32(unitBits)
    let units = ((1 as UInt32) &<< unitBits) &- 1
    let kept = hash & ~Self.lengthMask
    let place = table.find(hash) { place in
      // What has gone at the front is still in the table.
      (place ^ kept) &>> unitBits == 0 && record(at: place & units) >= start && matches(record(at: place & units), id, kept, now)
    }
    return place.map { record(at: $0 & units) }
  }

  /// The record that a place in the table leads to.
  @inline(__always)
  private func record(at units: UInt32) -> Int { tableStart &+ Int(units) }

  private func search(_ id: Bytes, hash: UInt32, validAt now: Int64) -> Int? {
    var found: Int?
    forEachRecord { if found == nil, matches($0, id, hash & ~Self.lengthMask, now) { found = $0 } }
    return found
  }

  @inline(__always)
  private func matches(_ record: Int, _ id: Bytes, _ hash: UInt32, _ now: Int64) -> Bool {
    self.hash(record) == hash && expiry(record) >= now && sameBytes(self.id(record), id)
  }

  // MARK: - Forgetting

  @inline(__always)
  private mutating func dropFirst() {
    if let disorder {
      disorder.firstNumber += 1
      if firstExpiry < disorder.countedBefore { disorder.expired -= 1 }
    }
    let length = length(start)
    if length == Self.lengthElsewhere { elsewhere(start).deallocate() }
    start &+= Self.units(ofLength: length)
    count &-= 1
    if start & (Self.chunkUnits &- 1) == 0 || (count > 0 && isPastLast(start)) { leaveFirstChunk() }
    if count > 0 {
      firstExpiry = expiry(start)
    } else {
      firstExpiry = .max
      lastExpiry = .min
      disorder = nil
    }
  }

  /// All of the first chunk has gone.
  private mutating func leaveFirstChunk() {
    first.unsafelyUnwrapped.deallocate()
    if start & (Self.chunkUnits &- 1) != 0 { start = Self.nextChunk(start) }
    if start == chunksEnd {
      first = nil
    } else {
      first = chunks[Int32(truncatingIfNeeded: start &>> 8) & (chunks.capacity &- 1)]
    }
  }

  /// One was added at the end that expires before the last one, or while such a one is held.
  @inline(never)
  private mutating func orderLast(_ expiry: Int64) {
    if let disorder {
      disorder.expiries.push(.init(time: expiry, number: disorder.firstNumber + Int(count) - 1, index: 0))
      return
    }
    let disorder = Disorder()
    var number = 0
    forEachRecord { record in
      disorder.expiries.push(.init(time: self.expiry(record), number: number, index: 0))
      number += 1
    }
    self.disorder = disorder
  }

  /// While they are out of order, one that has expired may stand behind another that lives on: it does not count towards the limit.
  @inline(never)
  private mutating func dropInDisorder(_ limit: Int, at now: Int64) {
    if let disorder {
      while let entry = disorder.expiries.first, entry.time < now {
        disorder.expiries.popFirst()
        if entry.number >= disorder.firstNumber { disorder.expired += 1 }
      }
      disorder.countedBefore = max(disorder.countedBefore, now)
    }
    while let disorder, Int(count) - disorder.expired >= limit { dropFirst() }
    guard let disorder, disorder.expired > Int(count) / 2 + 16 else { return }
    let kept = kept { expiry($0) >= now }
    free()
    self = kept
  }

  /// Some of them, in memory of their own.
  private func kept(_ isKept: (Int) -> Bool) -> GiftIDs {
    var kept = GiftIDs()
    forEachRecord { if isKept($0) { kept.append(id($0), hash: hash($0), expiry: expiry($0)) } }
    return kept
  }

  /// Lets expiries be counted so that `expiry` is in the middle of the range: 24 days to both sides, where no expiry
  /// that still counts is more than a day away.
  /// - Returns: how it is written.
  private mutating func rebase(to expiry: Int64) -> Int64 {
    let base = expiry &- Int64(1 << 31)
    forEachRecord { record in
      if written(record) == Self.longAgo { return }
      let moved = self.expiry(record) &- base
      let written = moved <= Int64(Self.longAgo) ? Self.longAgo : UInt32(clamping: moved)
      address(record).storeBytes(of: written, as: UInt32.self)
    }
    expiryBase = base
    firstExpiry = self.expiry(start)
    return expiry &- base
  }

  // MARK: - Memory

  /// Makes room for a record of this many units at the end.
  @inline(never)
  private mutating func makeRoom(for units: Int) {
    let chunkStart = start & ~(Self.chunkUnits - 1)
    let capacity = chunksEnd - chunkStart
    if first == nil || capacity < Self.chunkUnits {
      let needed = end - start + units
      if first != nil, needed * 3 <= capacity * 2 {
        // A third of the chunk is free before the first record.
        moveOnlyChunk(to: nil, capacity)
        return
      }
      let grown = min(Self.chunkUnits, max(8, count > 2 ? needed * 3 / 2 + 1 : needed))
      moveOnlyChunk(to: Self.allocate(grown), grown)
      if needed <= grown { return }
    }
    addChunk()
  }

  /// Moves the records of an only chunk to its beginning, or to that of a larger one.
  private mutating func moveOnlyChunk(to larger: UnsafeMutableRawPointer?, _ capacity: Int) {
    let moved = start & (Self.chunkUnits - 1)
    let chunk = larger ?? first.unsafelyUnwrapped
    if let first { chunk.copyMemory(from: first + moved * Self.unit, byteCount: (end - start) * Self.unit) }
    if larger != nil { first?.deallocate() }
    first = chunk
    start -= moved
    end -= moved
    chunksEnd = start + capacity
    if moved > 0, table.isInUse { indexAll() }
  }

  /// One more chunk behind the last one, which has its full size.
  private mutating func addChunk() {
    if end < chunksEnd { address(end).storeBytes(of: Self.lengthOfEnd, toByteOffset: 4, as: UInt32.self) }
    let chunk = Self.allocate(Self.chunkUnits)
    if count == 0 {
      first.unsafelyUnwrapped.deallocate()
      first = chunk
      start = chunksEnd
    } else {
      let inUse = Int32(truncatingIfNeeded: (chunksEnd - 1) >> 8 - start >> 8 + 1)
      if chunks.capacity <= inUse { growChunks(inUse) }
      chunks[Int32(truncatingIfNeeded: chunksEnd >> 8) & (chunks.capacity - 1)] = chunk
    }
    end = chunksEnd
    chunksEnd += Self.chunkUnits
  }

  private mutating func growChunks(_ inUse: Int32) {
    var grown = Block<UnsafeMutableRawPointer>()
    grown.resize(to: max(4, chunks.capacity * 2))
    var number = Int32(truncatingIfNeeded: start >> 8)
    forEachChunk { chunk in
      grown[number & (grown.capacity - 1)] = chunk
      number &+= 1
    }
    chunks.free()
    chunks = grown
  }

  private func forEachChunk(_ body: (UnsafeMutableRawPointer) -> Void) {
    guard let first else { return }
    body(first)
    var position = Self.nextChunk(start)
    while position < chunksEnd {
      body(address(position))
      position += Self.chunkUnits
    }
  }

  private static func allocate(_ units: Int) -> UnsafeMutableRawPointer { .allocate(byteCount: units * unit, alignment: unit) }

  /// Rebuilds the table, with places for at least half as many more.
  @inline(never)
  private mutating func indexAll() {
    // Where as many go as come, for more: it would soon be full again of those that have gone.
    let wantedMin = tableStart < start ? count &* 3 : count &* 2
    var wanted: Int32 = 16
    while wanted < wantedMin { wanted *= 2 }
    table.reset(capacity: wanted)
    tableStart = start
    // Also for what comes until the table is full.
    let units = (end - start + Self.chunkUnits) * 4
    unitBits = UInt8(min(31, Int.bitWidth - units.leadingZeroBitCount))
    forEachRecord { index($0, hash($0)) }
  }

  /// Puts a record into the table.
  @inline(__always)
  private mutating func index(_ record: Int, _ hash: UInt32) {
    let upper = ((hash & ~Self.lengthMask) &>> UInt32(unitBits)) &<< UInt32(unitBits)
    table.insert(hash, upper | UInt32(truncatingIfNeeded: record &- tableStart))
  }
}
