internal import Synchronization

/// Topics with partitions, offsets and transactions in one SQLite file, or in memory.
///
/// Records appended together are durable together: one SQLite transaction, written ahead, and synced to the disk before the call
/// returns unless the caller requests less. One process owns a file; others may read it (``Use/read``). Any thread may call
/// anything.
// Sendable: `writer` and its state are used within `writing`, `reader` within `reading`, `streams` under `state`.
package final class LogFile: @unchecked Sendable {
  package enum Use: Sendable {
    /// Read and write. One process at a time.
    case own
    /// Read only, even while another process owns the file.
    case read
  }

  package struct Limits: Sendable {
    /// The maximum number of bytes of all records. Beyond it, ``append(_:isSynced:)`` refuses more.
    package var sizeMax: Int64 = 2 << 30
    /// Bytes that ``append(_:isSynced:)`` leaves free on the disk, so that appended records can still be processed.
    package var reserve: Int64 = 64 << 20
    /// The size up to which a file is checked before it is used.
    var checkMax: Int64 = 256 << 20
    /// The minimum interval of requests for the free space of the disk.
    var diskEveryMs: Int64 = 500

    package init() {}

    /// The maximum size of the file, so that work in progress can be finished after no more records are accepted.
    var fileMax: Int64 { sizeMax + max(sizeMax / 4, 1 << 20) }
  }

  /// The retention of a topic's records.
  package enum Keeping: Int64, Sendable {
    /// Kept for the time that ``retain(ageMs:now:)`` is given, and up to the size limit.
    case retained = 0
    /// Kept like ``retained``, except that records held by ``commit(_:group:positions:holds:owner:)`` are never deleted.
    case held = 1
    /// Only the newest record of each key, without limit of time; a record without a value deletes its key.
    case compacted = 2
  }

  struct Name: Hashable {
    let topic: String
    let partition: Int32
  }

  struct State {
    var streams: [Stream] = []
    var places: [Name: Int] = [:]
    /// The owner that may commit for a group: the newest one.
    var owners: [String: UInt64] = [:]
  }

  /// The statements of all streams, for one connection.
  final class Statements {
    var insert: [Int: Statement] = [:]
    var replace: [Int: Statement] = [:]
    var select: [Int: Statement] = [:]
    var offsets: Statement?
  }

  /// The place of the file itself, without links.
  package let place: LogPlace
  package let limits: Limits
  let use: Use
  let writer: Database
  let reader: Database
  private let writerTurn = Mutex(())
  private let readerTurn = Mutex(())
  let written = Statements()
  let read = Statements()
  let state = Mutex(State())
  /// The lock, and the file that SQLite writes ahead, or nil if the file is not owned.
  let lock: LogLock?
  private(set) var ahead: LogFileID?
  /// Requires `writing`.
  private(set) var aheadEnd: LogAheadEnd?
  private(set) var version: Int64
  let failed = Mutex<LogFault?>(nil)
  /// Rung when the owner should check ``failure`` and ``needsRetention``.
  package let attention = LogBell()
  let pages: Statement
  let freePages: Statement
  let pageSize: Int64
  /// The stamps of the file, and of the one that SQLite writes ahead, after this process last wrote to them. Requires `writing`.
  var stamp: LogLock.Stamp?
  var stampAhead: LogLock.Stamp?
  /// The free space of the disk at the last request. Requires `writing`.
  var disk: (free: Int64, at: Int64)?
  /// Rung when ``append(_:isSynced:)`` has appended records.
  package let appended = LogBell()
  let retention = Mutex(Retention())
  let commitHook = Mutex<(@Sendable () -> Void)?>(nil)
  private let syncHook = Mutex<(@Sendable (UInt64) -> Void)?>(nil)
  /// Whether what is written ahead has generations, and whether the next transaction begins one. Requires `writing`.
  private(set) var hasGenerations = false
  var beginsGeneration = false
  /// The number of the last write. Requires `writing`.
  private var writes: UInt64 = 0
  private let syncedWrites = Atomic<UInt64>(0)
  /// Whether the next transaction is synced to the disk before it returns, or nil if that was not set yet. Requires `writing`.
  private var syncs: Bool?
  /// Rung when ``commit(_:group:positions:holds:owner:)`` has committed a transaction.
  package let committed = LogBell()
  /// Whether the file was not closed properly last time, and was checked.
  package let wasChecked: Bool
  /// The places of flipped bits in the file written ahead that were repaired at opening, in bytes from its beginning.
  package let repaired: [Int]
  /// Whether the file, or the one that it is a copy of, was not closed, and no file written ahead was beside it.
  package let lacksAhead: Bool
  /// The place in the file written ahead from which the rest was left out because of damage, or nil if nothing was.
  package let leftOut: Int?
  /// Whether the file was of an earlier version, which can no longer open it.
  package let wasUpgraded: Bool
  /// Whether the log was created now.
  package let isNew: Bool
  /// The folder of the file, if it was created too; nil otherwise.
  package let madeFolder: String?

  // MARK: - Opening

  /// Opens a log, or creates an empty one.
  package init(_ place: LogPlace, use: Use = .own, limits: Limits = Limits()) throws(LogFault) {
    self.limits = limits
    self.use = use
    var (repair, checks): (LogAhead.Repair?, Bool) = (nil, false)
    switch place {
    case .memory:
      self.place = place
      (lock, lacksAhead) = (nil, false)
      writer = try Database(nil, name: place.name)
      try LogSchema.create(writer)
      version = LogSchema.version
      (wasChecked, wasUpgraded, repaired, leftOut) = (false, false, [], nil)
      (isNew, madeFolder) = (true, nil)
      reader = writer
    case .file(let given):
      try LogDisk.requireLocal(given)
      madeFolder = use == .read ? nil : try LogDisk.makeFolder(of: LogDisk.resolved(given))
      let (path, generation): (String, Int64)
      (path, lacksAhead, generation) = try LogHome.find(LogDisk.resolved(given))
      self.place = .file(path)
      if use == .read {
        try Self.requireFile(path)
        (repaired, leftOut) = LogLock.isHeld(path) ? ([], nil) : try LogAhead.search(path, isOwner: false)
        lock = nil
        writer = try Database(path, name: path, access: .reader)
        // Only the owner moves these records into the file. An empty one shows that none are missing.
        if LogDisk.size(path + "-wal") != nil { writer.leaveFiles() }
        version = try LogSchema.check(writer, name: path)
        try LogHome.checkAhead(writer, path, since: generation)
        (wasChecked, wasUpgraded, isNew) = (false, false, false)
        reader = writer
      } else {
        try LogDisk.requireWritable(path)
        isNew = LogDisk.size(path) ?? 0 == 0
        if isNew { try LogAhead.requireNone(of: path) }
        let lock = try LogLock(path)
        let turned = try LogAhead.Repair(path)
        (repair, repaired, leftOut) = (turned, turned.places, turned.leftOut)
        self.lock = lock
        let wasOpen = (LogDisk.size(path + "-wal") ?? 0) > 0
        writer = try Database(path, name: path, lock: lock)
        reader = try Database(path, name: path, lock: lock)
        // If the file is refused, what was written ahead stays beside it: a copy of the file may be put in its place.
        if wasOpen { for database in [writer, reader] { database.leaveFiles() } }
        if isNew { try LogSchema.prepare(writer, from: nil, name: path) }
        version = try LogSchema.check(writer, name: path)
        if wasOpen { try LogHome.checkAhead(writer, path, since: generation) }
        wasUpgraded = version < LogSchema.version
        checks = !isNew && (LogDisk.size(path) ?? 0) <= limits.checkMax
        // 0.1.0 always leaves its lock.
        wasChecked = checks && (wasOpen || lock.wasLeft && !wasUpgraded)
        try reader.run("PRAGMA cache_size = -2000")
      }
    }
    pageSize = try writer.integer("PRAGMA page_size") ?? 4096
    if use == .own { try writer.run("PRAGMA max_page_count = \(limits.fileMax / pageSize)") }
    pages = try writer.prepare("PRAGMA page_count")
    freePages = try writer.prepare("PRAGMA freelist_count")
    try load()
    if checks { try requireIntact() }
    repair?.confirm()
    try begin()
    lock?.publishHolder()
    updateStamps()
  }

  /// Makes the first changes to a file that will be used.
  private func begin() throws(LogFault) {
    guard let lock, case .file(let path) = place else { return }
    if leftOut != nil { try LogAhead.storeCopy(of: path) }
    if !isNew { try LogSchema.prepare(writer, from: version, name: path) }
    if wasUpgraded {
      version = LogSchema.version
      // The former statements read no checksums.
      read.select = [:]
      try load()
    }
    writer.disableCheckpoints()
    ahead = LogFileID(path + "-wal")
    aheadEnd = LogAheadEnd(path + "-wal", pageSize: pageSize)
    hasGenerations = try LogHome.recordOwner(path, lock.id, in: writer)
    beginsGeneration = hasGenerations
    for database in [writer, reader] { database.leaveFiles(false) }
  }

  private func requireIntact() throws(LogFault) {
    var found: LogFault?
    try check { found = found ?? $0 }
    if let found { throw found }
  }

  /// Throws if there is no log, or an empty file in its place.
  private static func requireFile(_ path: String) throws(LogFault) {
    if LogDisk.size(path) ?? 0 > 0 { return }
    try LogAhead.requireNone(of: path)
    throw LogFault(
      .unknown,
      "there is no file of `live` at \(path): the first start of `live` creates it. Give --data the file that `live` uses")
  }

  /// The copies that owners have kept of files written ahead whose ends they left out.
  package var leftOutCopies: [String] { if case .file(let path) = place { LogAhead.copies(of: path) } else { [] } }

  /// Sets the function that is called after each transaction of ``commit(_:group:positions:holds:owner:)``, on the thread that
  /// committed it.
  package func onCommit(_ body: (@Sendable () -> Void)?) { commitHook.withLock { $0 = body } }

  // MARK: - Turns

  /// Calls `body` while no other thread uses `writer` and its state. Not to be called within itself.
  func writing<Result: Sendable, Fault>(_ body: () throws(Fault) -> Result) throws(Fault) -> Result {
    try writerTurn.withLock { _ throws(Fault) in try body() }
  }

  /// Calls `body` while no other thread uses `reader`. Not to be called within itself.
  func reading<Result: Sendable, Fault>(_ body: () throws(Fault) -> Result) throws(Fault) -> Result {
    if reader === writer { return try writing(body) }
    return try readerTurn.withLock { _ throws(Fault) in try body() }
  }

  // MARK: - Syncing

  /// The number of the last write that is on the disk, as ``append(_:isSynced:)`` returns it.
  package var synced: UInt64 { syncedWrites.load(ordering: .acquiring) }

  /// Sets the function that is called when writes that were not synced at once are on the disk. It gets the last one's number, on
  /// the thread that synced them.
  package func onSync(_ body: (@Sendable (UInt64) -> Void)?) { syncHook.withLock { $0 = body } }

  /// Makes all records durable. Costs a sync of the disk, or nothing if all are.
  package func sync() throws(LogFault) {
    let numbers = try writing { () throws(LogFault) -> (write: UInt64, syncsEarlier: Bool)? in
      guard synced != writes, let any = state.withLock({ $0.streams.first }) else { return nil }
      try prepareWrite(isSynced: true)
      // SQLite syncs nothing for a transaction that writes nothing. One sync covers everything that was written ahead before it.
      try transaction { () throws(LogFault) in try any.write(to: writer) }
      return countWrite(isSynced: true)
    }
    if let numbers { notifySynced(numbers) }
  }

  /// Sets whether the next transaction is synced. Requires `writing`, outside of a transaction.
  func prepareWrite(isSynced: Bool) throws(LogFault) {
    if syncs == isSynced { return }
    if case .file = place { try writer.run("PRAGMA synchronous = \(isSynced ? "FULL" : "NORMAL")") }
    syncs = isSynced
  }

  /// Counts a write that has succeeded. Requires `writing`.
  /// - Returns: Its number, and whether earlier writes were synced with it.
  func countWrite(isSynced: Bool) -> (write: UInt64, syncsEarlier: Bool) {
    let syncsEarlier = isSynced && synced != writes
    writes += 1
    if isSynced || place == .memory { syncedWrites.store(writes, ordering: .releasing) }
    return (writes, syncsEarlier)
  }

  func notifySynced(_ numbers: (write: UInt64, syncsEarlier: Bool)) {
    if numbers.syncsEarlier { syncHook.withLock { $0 }?(numbers.write) }
  }

  /// Reads the owner's writes, if the owner is another process.
  func refresh() throws(LogFault) { if use == .read { try load() } }

  /// Lets all further reads see the file as it is now, if the owner is another process. Until this log is released, the owner's
  /// `FILE-wal` grows with each write, so nothing may wait in between.
  func freeze() throws(LogFault) {
    guard use == .read else { return }
    let isFrozen = try reading { () throws(LogFault) in
      if reader.isInTransaction { return true }
      try reader.run("BEGIN")
      return false
    }
    if !isFrozen { try load() }
  }

  /// Reads the list of streams.
  func load() throws(LogFault) {
    try reading { () throws(LogFault) in
      let streams = try Stream.list(in: reader, version: version, name: place.name)
      state.withLock { state in
        state.streams = streams
        state.places = [:]
        for (index, stream) in streams.enumerated() {
          state.places[Name(topic: stream.topic, partition: stream.partition)] = index
        }
      }
    }
  }

  /// Writes everything into the file itself, so that the next start does not have to check it.
  package func close() {
    if use == .read { return }
    writing {
      if let failure {
        // What was written ahead stays beside a damaged file, as when that is refused.
        if failure.code == .damaged { leaveFiles() }
        return
      }
      guard case .file = place else { return }
      // The ends of streams too, so that the loss of the last records would be noticed.
      let streams = state.withLock { $0.streams }
      try? transaction { () throws(LogFault) in
        for stream in streams { try stream.write(to: writer) }
        try LogHome.recordClosed(writer)
      }
      // What another program has written ahead must not get into the file.
      if failure == nil { try? writer.run("PRAGMA wal_checkpoint(TRUNCATE)") }
      lock?.recordClosed()
    }
  }

  // MARK: - Topics

  /// Creates a topic, if it does not exist yet. An existing one gets the partitions that it lacks.
  package func makeTopic(_ topic: String, partitions: Int, _ keeping: Keeping = .retained) throws(LogFault) {
    for partition in 0..<Int32(partitions) where stream(topic, partition) == nil {
      try writing { () throws(LogFault) in
        let id = (try writer.integer("SELECT coalesce(max(id), 0) FROM streams") ?? 0) + 1
        let new = Stream(id: id, topic: topic, partition: partition, keeping: keeping)
        try transaction { () throws(LogFault) in
          try LogSchema.create(new, writer)
          try new.write(to: writer)
        }
        state.withLock { state in
          state.places[Name(topic: topic, partition: partition)] = state.streams.count
          state.streams.append(new)
        }
      }
    }
  }

  /// Returns the key of a partition in all other calls, or nil if the partition does not exist.
  package func stream(_ topic: String, _ partition: Int32) -> Int? {
    state.withLock { $0.places[Name(topic: topic, partition: partition)] }
  }

  /// Returns the number of partitions of a topic; 0 if it does not exist.
  package func partitions(_ topic: String) -> Int { state.withLock { $0.streams.count { $0.topic == topic } } }

  /// Returns the first offset that still exists, and that of the next record.
  package func bounds(_ stream: Int) -> (first: Int64, next: Int64) {
    state.withLock { ($0.streams[stream].first, $0.streams[stream].next) }
  }
}
