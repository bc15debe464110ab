/// The gift ids that a room remembers, so that a gift sent twice counts once.
///
/// They are stored in the order of arrival (``GiftIDRecords``), so a gift touches one or two cache lines of them. A table with
/// 5 bytes per place finds an id by some bits of its hash; its record is read only if they agree. Ids removed at the front stay
/// in the table, without effect, until the table is rebuilt. Removal therefore needs no look-up.
///
/// Ids expire in their order, unless `dedupe_ms` was lowered meanwhile. Then an expired id may wait without effect behind one
/// that is still valid, and these are counted. The owner copies the value with ``copy()`` and frees it with ``free()``.
struct GiftIDs {
  private final class Disorder {
    /// The expiries of all records not counted as expired, with their numbers. Entries of records removed at the front are
    /// stale.
    var expiries = DeadlineHeap()
    var firstNumber = 0
    /// The positions of records that were retired before they expired; their entries in `expiries` are stale.
    var retired: Set<Int32> = []
    /// The number of records that expired before `countedBefore` or were retired.
    var expired = 0
    var countedBefore = Int64.min
  }

  private var records = GiftIDRecords()
  /// The number of bits of a table place that hold the record's position. Placed here to fill padding.
  private var unitBits: UInt8 = 0
  /// A place holds the upper bits of the hash above `unitBits`, and below it the record's position relative to `tableStart`.
  private var table = TagTable()
  private var tableStart = 0
  /// The time from which the expiries in the records are counted.
  private var expiryBase: Int64 = 0
  /// The expiries of the first and the last record.
  private var firstExpiry = Int64.max
  private var lastExpiry = Int64.min
  /// The order of expiries, or nil while it is that of the records.
  private var disorder: Disorder?

  init() {}

  /// The number of records, including expired ones.
  @inline(__always)
  var count: Int32 { records.count }

  /// The number of ids up to which they are searched linearly, as in most rooms.
  private static let searchedMax: Int32 = 4
  /// The stored expiry of an id that expired long ago.
  private static let longAgo: UInt32 = 0
  /// The number of expired ids removed for each one added. They get fewer, and no gift has to wait until many are freed.
  private static let droppedAtOnce = 2

  /// The hash of an id. Its lower bits have no meaning.
  @inline(__always)
  static func hash(_ id: Bytes, _ seed: UInt64) -> UInt32 { unsafe KeyHash.fold(KeyHash.hash(id, seed)) | 1 }

  @inline(__always)
  func contains(_ id: Bytes, hash: UInt32, at now: Int64) -> Bool {
    unsafe find(id, hash: hash, validAt: now) != nil
  }

  /// Adds the addresses at which an id with this hash would be found.
  @inline(__always)
  func addPlaces(_ hash: UInt32, to all: inout Places) {
    if table.isInUse { table.addPlaces(hash, to: &all) }
  }

  /// Adds the addresses of the next new ids and of those that expire next.
  @inline(__always)
  func addPlaces(to all: inout Places) { records.addPlaces(to: &all) }

  /// Adds `id`, which is not remembered at `now`, and removes the oldest valid ids above `limit`.
  @inline(__always)
  mutating func add(_ id: Bytes, hash: UInt32, expiry: Int64, limit: Int, at now: Int64) {
    var dropped = 0
    while firstExpiry < now, dropped < Self.droppedAtOnce {
      dropFirst()
      dropped &+= 1
    }
    if disorder == nil {
      // If any have expired, the first ones have.
      while count >= limit, count > 0 { dropFirst() }
    } else {
      dropInDisorder(limit, at: now)
    }
    unsafe append(id, hash: hash, expiry: expiry)
  }

  /// Renews `id`, which is remembered at `now`, as if it had just arrived.
  mutating func refresh(_ id: Bytes, hash: UInt32, expiry: Int64, limit: Int, at now: Int64) {
    guard let record = unsafe find(id, hash: hash, validAt: now) else { return }
    if disorder == nil { order(countedBefore: .min) }
    countExpired(at: now)
    disorder?.retired.insert(Int32(truncatingIfNeeded: record))
    disorder?.expired += 1
    records.setExpiry(record, Self.longAgo)
    if record == records.start { firstExpiry = .min }
    unsafe add(id, hash: hash, expiry: expiry, limit: limit, at: now)
  }

  /// Appends `id`, which must not exist, without a limit.
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

    if unsafe records.reserve(id) {
      if table.isInUse { indexAll() }
      if let disorder { order(countedBefore: disorder.countedBefore) }
    }
    let record = unsafe records.append(id, hash: hash, expiry: UInt32(truncatingIfNeeded: written))
    if isEarlier || disorder != nil { orderLast(record, expiry) }
    if !table.isFull, record &- tableStart < (1 as Int) &<< Int(unitBits) {
      index(record, hash)
    } else if table.isInUse || count > Self.searchedMax {
      indexAll()
    }
  }

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

  /// Calls `body` with each id valid at `now`, the oldest first.
  func forEach(validAt now: Int64, _ body: (Bytes, Int64) -> Void) {
    records.forEachRecord { record in if expiry(record) >= now { unsafe body(records.id(record), expiry(record)) } }
  }

  /// Returns a copy with its own memory, without the ids that expired long ago.
  func copy() -> GiftIDs { kept { records.expiry($0) != Self.longAgo } }

  mutating func free() {
    records.free()
    table.free()
    self = GiftIDs()
  }

  /// Returns a description of the first broken invariant, or nil.
  func brokenInvariant() -> String? {
    var (found, expired, last): (Int32, Int, Int?) = (0, 0, nil)
    var fault: String?
    records.forEachRecord { record in
      // An expired id may occur twice.
      if unsafe find(records.id(record), hash: records.hash(record), validAt: expiry(record)) == nil {
        fault = "an id is not found"
      }
      if found == 0, firstExpiry != expiry(record) { fault = "the first id expires at another time" }
      if let disorder, expiry(record) < disorder.countedBefore { expired += 1 }
      found += 1
      last = record
    }
    if let fault { return fault }
    if isOrderStale { return "most entries of the order of expiries are stale" }
    if found != count { return "\(found) ids, not \(count)" }
    if let last, !records.isLast(last) { return "the ids end at another place" }
    return expired == disorder?.expired ?? 0 ? nil : "\(expired) ids have expired, not \(disorder?.expired ?? 0)"
  }

  // MARK: - Finding

  @inline(__always)
  private func expiry(_ record: Int) -> Int64 {
    let written = records.expiry(record)
    return written == Self.longAgo ? .min : expiryBase &+ Int64(written)
  }

  /// The record of `id`, if it is valid at `now`.
  @inline(__always)
  private func find(_ id: Bytes, hash: UInt32, validAt now: Int64) -> Int? {
    if !table.isInUse { return unsafe search(id, hash: hash, validAt: now) }
    let unitBits = UInt32(unitBits)
    let units = ((1 as UInt32) &<< unitBits) &- 1
    let kept = hash & GiftIDRecords.hashMask
    let place = table.find(hash) { place in
      // Records removed at the front are still in the table.
      unsafe (place ^ kept) &>> unitBits == 0 && record(at: place & units) >= records.start
        && matches(record(at: place & units), id, kept, now)
    }
    return place.map { record(at: $0 & units) }
  }

  /// The record to which a place in the table refers.
  @inline(__always)
  private func record(at units: UInt32) -> Int { tableStart &+ Int(units) }

  private func search(_ id: Bytes, hash: UInt32, validAt now: Int64) -> Int? {
    var found: Int?
    records.forEachRecord { if found == nil, unsafe matches($0, id, hash & GiftIDRecords.hashMask, now) { found = $0 } }
    return found
  }

  @inline(__always)
  private func matches(_ record: Int, _ id: Bytes, _ hash: UInt32, _ now: Int64) -> Bool {
    unsafe records.hash(record) == hash && expiry(record) >= now && sameBytes(records.id(record), id)
  }

  // MARK: - Removing

  @inline(__always)
  private mutating func dropFirst() {
    if let disorder {
      disorder.firstNumber += 1
      if firstExpiry < disorder.countedBefore { disorder.expired -= 1 }
    }
    records.dropFirst()
    if count > 0 {
      firstExpiry = expiry(records.start)
    } else {
      firstExpiry = .max
      lastExpiry = .min
      disorder = nil
    }
  }

  /// Updates the order of expiries after a record was added that expires before its predecessor, or while such a record exists.
  @inline(never)
  private mutating func orderLast(_ record: Int, _ expiry: Int64) {
    guard let disorder else { return order(countedBefore: .min) }
    disorder.expiries.push(
      .init(time: expiry, number: disorder.firstNumber + Int(count) - 1, index: Int32(truncatingIfNeeded: record)))
    // Entries leave only when they expire, but `max_ids` removes records before that.
    if isOrderStale { order(countedBefore: disorder.countedBefore) }
  }

  private var isOrderStale: Bool { disorder.map { $0.expiries.isStale(count - Int32($0.expired)) } ?? false }

  /// Creates the order of expiries.
  /// - Parameter countedBefore: Records that expired before this time are only counted.
  private mutating func order(countedBefore: Int64) {
    let disorder = Disorder()
    disorder.countedBefore = countedBefore
    var number = 0
    records.forEachRecord { record in
      let expiry = self.expiry(record)
      if expiry < countedBefore {
        disorder.expired += 1
      } else {
        disorder.expiries.push(.init(time: expiry, number: number, index: Int32(truncatingIfNeeded: record)))
      }
      number += 1
    }
    self.disorder = disorder
  }

  /// Counts the records that have expired before `now`.
  private mutating func countExpired(at now: Int64) {
    guard let disorder else { return }
    while let entry = disorder.expiries.first, entry.time < now {
      disorder.expiries.popFirst()
      let isRetired = disorder.retired.remove(entry.index) != nil
      if !isRetired, entry.number >= disorder.firstNumber { disorder.expired += 1 }
    }
    disorder.countedBefore = max(disorder.countedBefore, now)
  }

  /// Removes records out of order: an expired one may be behind one that is still valid, and does not count towards the limit.
  @inline(never)
  private mutating func dropInDisorder(_ limit: Int, at now: Int64) {
    countExpired(at: now)
    while let disorder, Int(count) - disorder.expired >= limit { dropFirst() }
    guard let disorder, disorder.expired > Int(count) / 2 + 16 else { return }
    let kept = kept { expiry($0) >= now }
    free()
    self = kept
  }

  /// Returns a copy of some of them, with its own memory.
  private func kept(_ isKept: (Int) -> Bool) -> GiftIDs {
    var kept = GiftIDs()
    records.forEachRecord { if isKept($0) { unsafe kept.append(records.id($0), hash: records.hash($0), expiry: expiry($0)) } }
    return kept
  }

  /// Moves `expiryBase` so that `expiry` is in the middle of the range. The range covers 24 days on both sides, and no expiry
  /// that still matters is more than a day away.
  /// - Returns: The stored form of `expiry`.
  private mutating func rebase(to expiry: Int64) -> Int64 {
    let base = expiry &- Int64(1 << 31)
    records.forEachRecord { record in
      if records.expiry(record) == Self.longAgo { return }
      let moved = self.expiry(record) &- base
      let written = moved <= Int64(Self.longAgo) ? Self.longAgo : UInt32(clamping: moved)
      records.setExpiry(record, written)
    }
    expiryBase = base
    firstExpiry = self.expiry(records.start)
    return expiry &- base
  }

  // MARK: - The table

  /// Rebuilds the table, with places for at least half as many more.
  @inline(never)
  private mutating func indexAll() {
    // While records are also removed, a larger table is used: stale places would soon fill it again.
    let wantedMin = tableStart < records.start ? count &* 3 : count &* 2
    var wanted: Int32 = 16
    while wanted < wantedMin { wanted *= 2 }
    table.reset(capacity: wanted)
    tableStart = records.start
    // Leaves room for the records that are added until the table is full.
    let units = (records.end - records.start + GiftIDRecords.chunkUnits) * 4
    unitBits = UInt8(min(31, Int.bitWidth - units.leadingZeroBitCount))
    records.forEachRecord { index($0, records.hash($0)) }
  }

  @inline(__always)
  private mutating func index(_ record: Int, _ hash: UInt32) {
    let upper = ((hash & GiftIDRecords.hashMask) &>> UInt32(unitBits)) &<< UInt32(unitBits)
    table.insert(hash, upper | UInt32(truncatingIfNeeded: record &- tableStart))
  }
}
