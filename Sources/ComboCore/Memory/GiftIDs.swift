/// The gift ids that a room remembers, so that a gift sent twice counts once.
///
/// One buffer holds all of them in the order in which they came, each as a record: its expiry, its hash and length, its
/// bytes. New ones are added at the end, old ones go at the front, so a gift touches a line or two of it. A table
/// of 4 bytes a place tells by some bits of hash where an id is; only if they agree its record is looked at. What has gone
/// at the front stays in the table, where it finds nothing, until the table is made anew: so forgetting costs no look-up.
///
/// Ids expire in their order, unless `dedupe_ms` was lowered meanwhile: then one that has expired behind another that
/// lives on waits there without effect. Whoever owns this copies it (``copy()``) and gives it back (``free()``).
struct GiftIDs {
  private var base: UnsafeMutableRawPointer?
  private var capacity = 0
  /// Where the first record begins, and where the last one ends. Records begin at multiples of 8.
  private var start = 0
  private var end = 0
  /// How many there are, whether they have expired or not.
  private(set) var count: Int32 = 0
  /// Open addressing, linear probing, a power of two of places, at most three of four in use. A place holds, above
  /// `unitBits`, the upper bits of the hash, below it 1 + where the record begins, in units of 8 bytes; 0 is an empty place.
  private var places = Block<UInt32>()
  private var placesInUse: Int32 = 0
  private var unitBits: UInt32 = 0
  /// The expiries of the first and the last one, and one at or before that of each.
  private var firstExpiry = Int64.max
  private var lastExpiry = Int64.min
  private var earliestExpiry = Int64.max
  /// Whether one may have expired behind another that has not.
  private var isOutOfOrder = false

  init() {}

  /// A record: expiry (8 bytes), hash (4), length (4), the id, padding to a multiple of 8.
  private static let headLength = 16
  /// Up to so many are looked through one by one: most rooms are small.
  private static let searchedMax: Int32 = 4
  /// The hash of a record whose id was remembered anew further on.
  private static let superseded: UInt32 = 0

  /// Never 0; its lowest bit tells nothing.
  @inline(__always)
  static func hash(_ id: Bytes, _ seed: UInt64) -> UInt32 { KeyHash.fold(KeyHash.hash(id, seed)) | 1 }

  /// Whether `id` is remembered at `now`.
  @inline(__always)
  func contains(_ id: Bytes, hash: UInt32, at now: Int64) -> Bool {
    guard let record = find(id, hash: hash) else { return false }
    return expiry(record) >= now
  }

  /// Hands out where an id with this hash would be found, where it would be added, and where those lie that expire next.
  @inline(__always)
  func forEachPlace(_ hash: UInt32, _ body: (UnsafeRawPointer) -> Void) {
    if places.capacity > 0 { body(places.address(Int32(truncatingIfNeeded: hash &>> 1) & (places.capacity &- 1))) }
    if let base {
      body(base + end)
      body(base + end + 64)
      body(base + start)
      body(base + start + 64)
    }
  }

  /// Remembers `id`, which is not remembered at `now`, and forgets the oldest of those valid above `limit`.
  @inline(__always)
  mutating func add(_ id: Bytes, hash: UInt32, expiry: Int64, limit: Int, at now: Int64) {
    while firstExpiry < now { dropFirst() }
    if isOutOfOrder { makePlace(for: id, hash: hash, limit: limit, at: now) }
    while count >= limit, count > 0 { dropFirst() }
    append(id, hash: hash, expiry: expiry)
  }

  /// Adds without a limit, at the end. `id` must not be here.
  @inline(__always)
  mutating func append(_ id: Bytes, hash: UInt32, expiry: Int64) {
    if expiry < lastExpiry { isOutOfOrder = true }
    if count == 0 { firstExpiry = expiry }
    lastExpiry = expiry
    earliestExpiry = min(earliestExpiry, expiry)
    let length = Self.recordLength(id.count)
    if end &+ length > capacity { makeRoom(for: length) }
    let record = end
    let memory = base.unsafelyUnwrapped + record
    memory.storeBytes(of: expiry, as: Int64.self)
    memory.storeBytes(of: hash, toByteOffset: 8, as: UInt32.self)
    memory.storeBytes(of: UInt32(truncatingIfNeeded: id.count), toByteOffset: 12, as: UInt32.self)
    if let from = id.baseAddress { (memory + Self.headLength).copyMemory(from: from, byteCount: id.count) }
    end &+= length
    count &+= 1
    if placesInUse &* 4 < places.capacity &* 3 {
      index(record, hash)
    } else if places.capacity > 0 || count > Self.searchedMax {
      indexAll()
    }
  }

  /// Moves every expiry by `milliseconds`.
  mutating func shift(by milliseconds: Int64) {
    var record = start
    while record < end {
      // One that is superseded stays so.
      let moved = isCurrent(record) ? expiry(record) + milliseconds : .min
      base.unsafelyUnwrapped.storeBytes(of: moved, toByteOffset: record, as: Int64.self)
      record = next(record)
    }
    if count == 0 { return }
    if firstExpiry != .min { firstExpiry += milliseconds }
    lastExpiry += milliseconds
    if earliestExpiry != .min { earliestExpiry += milliseconds }
  }

  /// Hands out those valid at `now`, the oldest first.
  func forEach(validAt now: Int64, _ body: (Bytes, Int64) -> Void) {
    var record = start
    while record < end {
      if isCurrent(record), expiry(record) >= now { body(id(record), expiry(record)) }
      record = next(record)
    }
  }

  /// The same ids in memory of their own.
  func copy() -> GiftIDs {
    var copy = self
    copy.places = places.copy()
    guard let base else { return copy }
    let memory = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 8)
    (memory + start).copyMemory(from: base + start, byteCount: end - start)
    copy.base = memory
    return copy
  }

  /// Forgets all and gives the memory back.
  mutating func free() {
    base?.deallocate()
    places.free()
    self = GiftIDs()
  }

  /// The first thing that must hold and does not, in words, or nil.
  func brokenInvariant() -> String? {
    var (found, record, earliest): (Int32, Int, Int64) = (0, start, .max)
    while record < end {
      if isCurrent(record), find(id(record), hash: hash(record)) != record { return "an id is not found" }
      earliest = min(earliest, expiry(record))
      found += 1
      record = next(record)
    }
    if found != count || record != end { return "\(found) ids, not \(count)" }
    if count > 0, firstExpiry != expiry(start) { return "the first id expires at another time" }
    return earliest < earliestExpiry ? "an id expires before the earliest" : nil
  }

  // MARK: - Records

  @inline(__always)
  private static func recordLength(_ length: Int) -> Int { headLength &+ (length &+ 7) & ~7 }

  @inline(__always)
  private func expiry(_ record: Int) -> Int64 { base.unsafelyUnwrapped.load(fromByteOffset: record, as: Int64.self) }

  @inline(__always)
  private func hash(_ record: Int) -> UInt32 { base.unsafelyUnwrapped.load(fromByteOffset: record &+ 8, as: UInt32.self) }

  @inline(__always)
  private func length(_ record: Int) -> Int {
    Int(base.unsafelyUnwrapped.load(fromByteOffset: record &+ 12, as: UInt32.self))
  }

  @inline(__always)
  private func next(_ record: Int) -> Int { record &+ Self.recordLength(length(record)) }

  @inline(__always)
  private func id(_ record: Int) -> Bytes {
    Bytes(start: base.unsafelyUnwrapped + record + Self.headLength, count: length(record))
  }

  private func isCurrent(_ record: Int) -> Bool { hash(record) != Self.superseded }

  /// The record of `id`, valid or not.
  @inline(__always)
  private func find(_ id: Bytes, hash: UInt32) -> Int? {
    let mask = places.capacity &- 1
    if mask < 0 { return search(id, hash: hash) }
    let units = ((1 as UInt32) &<< unitBits) &- 1
    var i = Int32(truncatingIfNeeded: hash &>> 1) & mask
    while true {
      let place = places[i]
      if place == 0 { return nil }
      // What has gone at the front is still in the table.
      if (place ^ hash) &>> unitBits == 0 {
        let record = Int((place & units) &- 1) &<< 3
        if record >= start, matches(record, id, hash) { return record }
      }
      i = (i &+ 1) & mask
    }
  }

  private func search(_ id: Bytes, hash: UInt32) -> Int? {
    var record = start
    while record < end {
      if matches(record, id, hash) { return record }
      record = next(record)
    }
    return nil
  }

  @inline(__always)
  private func matches(_ record: Int, _ id: Bytes, _ hash: UInt32) -> Bool {
    self.hash(record) == hash && length(record) == id.count && next(record) <= end && sameBytes(self.id(record), id)
  }

  // MARK: - Forgetting

  @inline(__always)
  private mutating func dropFirst() {
    start = next(start)
    count &-= 1
    if count > 0 {
      firstExpiry = expiry(start)
    } else {
      firstExpiry = .max
      lastExpiry = .min
      earliestExpiry = .max
      isOutOfOrder = false
    }
  }

  /// While ids are out of order, one that has expired may still be here under the same name, or count towards the limit.
  private mutating func makePlace(for id: Bytes, hash: UInt32, limit: Int, at now: Int64) {
    if let record = find(id, hash: hash) {
      base.unsafelyUnwrapped.storeBytes(of: Self.superseded, toByteOffset: record + 8, as: UInt32.self)
      base.unsafelyUnwrapped.storeBytes(of: Int64.min, toByteOffset: record, as: Int64.self)
      earliestExpiry = .min
      if record == start { firstExpiry = .min }
    }
    if count < limit || earliestExpiry >= now { return }
    var kept = GiftIDs()
    var record = start
    while record < end {
      if expiry(record) >= now { kept.append(self.id(record), hash: self.hash(record), expiry: expiry(record)) }
      record = next(record)
    }
    free()
    self = kept
  }

  // MARK: - Memory

  /// Makes room for a record of `length` bytes at the end.
  private mutating func makeRoom(for length: Int) {
    let live = end - start
    let needed = live + length
    if needed * 3 <= capacity * 2 {
      // A third of the buffer lies free before the first record.
      base.unsafelyUnwrapped.copyMemory(from: base.unsafelyUnwrapped + start, byteCount: live)
    } else {
      let grown = max(64, count > 2 ? (needed * 3 / 2 + 8) & ~7 : needed)
      let memory = UnsafeMutableRawPointer.allocate(byteCount: grown, alignment: 8)
      if let base {
        memory.copyMemory(from: base + start, byteCount: live)
        base.deallocate()
      }
      base = memory
      capacity = grown
    }
    start = 0
    end = live
    if places.capacity > 0 { indexAll() }
  }

  /// Makes the table anew, with places for half as many to come at least.
  private mutating func indexAll() {
    var wanted: Int32 = 16
    while wanted < count &* 2 { wanted *= 2 }
    if wanted == places.capacity {
      places.fill(with: 0)
    } else {
      places.free()
      places = Block(repeating: 0, count: wanted)
    }
    placesInUse = 0
    unitBits = UInt32(Int.bitWidth - (capacity / 8 + 1).leadingZeroBitCount)
    var record = start
    while record < end {
      if isCurrent(record) { index(record, hash(record)) }
      record = next(record)
    }
  }

  /// Puts a record into the table.
  @inline(__always)
  private mutating func index(_ record: Int, _ hash: UInt32) {
    let mask = places.capacity &- 1
    var i = Int32(truncatingIfNeeded: hash &>> 1) & mask
    while places[i] != 0 { i = (i &+ 1) & mask }
    let upper = (hash &>> unitBits) &<< unitBits
    places[i] = upper | UInt32(truncatingIfNeeded: (record &>> 3) &+ 1)
    placesInUse &+= 1
  }
}
