internal import ComboSystem
internal import Glibc
internal import Synchronization

extension LogFile {
  /// Runs `body` in a transaction, which is rolled back if it fails, or if the file is gone. Requires `writing`.
  func transaction(_ body: () throws(LogFault) -> Void) throws(LogFault) {
    if let failure { throw failure }
    try checkIsOwn()
    try writer.run("BEGIN IMMEDIATE")
    do throws(LogFault) {
      if beginsGeneration { try LogHome.beginGeneration(writer) }
      try body()
      try writer.run("COMMIT")
      beginsGeneration = false
      stampAhead = aheadNow
      // Checked after the commit, so that a write to a file that is gone or was overwritten meanwhile is not acknowledged.
      try checkIsThere()
      try checkIsOwn()
      try checkIsWhole()
    } catch {
      if writer.isInTransaction { try? writer.run("ROLLBACK") }
      // A large transaction is written ahead before it ends.
      if failure == nil { stampAhead = aheadNow }
      throw failing(error)
    }
    if writer.pagesAhead >= Self.pagesAheadMax { moveAhead("PASSIVE") }
  }

  /// The number of pages written ahead at which they are moved into the file. It is SQLite's default.
  private static let pagesAheadMax = 1000

  /// Moves what was written ahead into the file. Requires `writing`, outside of a transaction, just after a check that the file
  /// is this process's own: what another program does to it meanwhile is not noticed.
  func moveAhead(_ how: String) {
    // What cannot be moved now, for a reader or a full disk, stays where it is.
    try? writer.run("PRAGMA wal_checkpoint(\(how))")
    beginsGeneration = hasGenerations
    updateStamps()
  }

  /// Returns the number of used and of free bytes in the file. Requires `writing`.
  func usedBytes() throws(LogFault) -> (used: Int64, free: Int64) {
    _ = try pages.step()
    let count = pages.integer(0)
    pages.reset()
    _ = try freePages.step()
    let free = freePages.integer(0)
    freePages.reset()
    return ((count - free) * pageSize, free * pageSize)
  }

  /// Returns the number of bytes that records use in the file.
  package func size() throws(LogFault) -> Int64 {
    try writing { () throws(LogFault) in try usedBytes().used }
  }

  /// Throws early if there is no room, so that earlier records can still be processed. Requires `writing`.
  func checkRoom(for bytes: Int) throws(LogFault) {
    let (used, free) = try usedBytes()
    if used + Int64(bytes) > limits.sizeMax {
      throw LogFault(
        .full,
        "\(place.name) has reached its size limit of \(limits.sizeMax) bytes, and no record in it may be deleted yet. Raise --data-max-mib"
      )
    }
    guard case .file(let path) = place, limits.reserve > 0 else { return }
    let now = MonotonicClock.nowMs
    if disk == nil || now - disk!.at >= limits.diskEveryMs { disk = LogDisk.free(path).map { ($0, now) } }
    if let disk, disk.free + free < limits.reserve + Int64(bytes) {
      throw LogFault(
        .full,
        "the disk of \(path) is full: \(disk.free >> 20) MiB are free, and \(limits.reserve >> 20) MiB are reserved for the results of"
          + " accepted records. Free space on the disk")
    }
  }

  // MARK: - Failure

  /// The reason why nothing is written any more (the file is gone or damaged), or nil if it is in order.
  package var failure: LogFault? { failed.withLock { $0 } }

  /// Stops all writing from now on.
  func fail(_ fault: LogFault) {
    failed.withLock { if $0 == nil { $0 = fault } }
    attention.ring()
  }

  /// Returns the fault. Stops all writing if it is damage.
  func failing(_ fault: LogFault) -> LogFault {
    if use == .own, fault.code == .damaged { fail(fault) }
    return fault
  }

  /// Checks that the file is still where it was opened, and sets ``failure`` if not. Costs two system calls.
  package func checkPresence() {
    writing {
      guard failure == nil else { return }
      do throws(LogFault) {
        try checkIsThere()
        try checkIsOwn()
      } catch {
        // It is the failure now.
      }
    }
  }

  /// Updates the stamps after this process has written to the files. Requires `writing`.
  func updateStamps() {
    stamp = lock?.stamp
    stampAhead = aheadNow
  }

  private var aheadNow: LogLock.Stamp? {
    guard lock != nil, case .file(let path) = place else { return nil }
    return LogLock.Stamp(of: path + "-wal")
  }

  /// Throws if another program has written to the files since this process did, such as `cp` of a backup over one. Requires
  /// `writing`, outside of a transaction.
  func checkIsOwn() throws(LogFault) {
    guard let lock, case .file(let path) = place else { return }
    let fault: LogFault
    if lock.stamp != stamp {
      fault = LogFault(
        .gone,
        "\(path) was overwritten by another program while it was in use: nothing more is acknowledged. What was written ahead in \(path)-wal"
          + " may no longer belong to it. Put the right file in its place, without a \(path)-wal of another one, and start again")
    } else if LogLock.Stamp(of: path + "-wal") != stampAhead, change(of: lock, at: path) == nil {
      fault = aheadFault(path)
    } else {
      return
    }
    throw leaving(fault)
  }

  /// Throws if another program has overwritten or cut off what is written ahead during the last transaction. Requires `writing`,
  /// just after a commit.
  private func checkIsWhole() throws(LogFault) {
    guard let aheadEnd, case .file(let path) = place, !aheadEnd.advance(pages: writer.pagesAhead) else { return }
    throw leaving(aheadFault(path))
  }

  private func aheadFault(_ path: String) -> LogFault {
    LogFault(
      .gone,
      "\(path)-wal was overwritten or cut off by another program while it was in use: nothing more is acknowledged, and what was"
        + " acknowledged last may be lost. Put the right \(path)-wal in its place if there is a copy, and start again")
  }

  /// Stops all writing, including that of closing, and returns the fault.
  private func leaving(_ fault: LogFault) -> LogFault {
    fail(fault)
    leaveFiles()
    return fault
  }

  /// Leaves what is written ahead beside the file when it is closed. Requires `writing`.
  func leaveFiles() {
    writer.leaveFiles()
    if reader !== writer { reading { reader.leaveFiles() } }
  }

  /// Throws if the path no longer leads to the file, or to the one that SQLite writes ahead. Requires `writing`, outside of a
  /// transaction.
  private func checkIsThere() throws(LogFault) {
    guard let lock, case .file(let path) = place, let change = change(of: lock, at: path) else { return }
    let fault = LogFault(
      .gone,
      "\(change) while it was in use: nothing more is acknowledged. Put the file in its place that is to be used, and start again"
    )
    // The file then contains everything that was acknowledged, wherever it is now, and nothing is left beside the one in its
    // place. Both files are still open here, whatever became of their names; but other processes may use a second `-wal`.
    let named = LogFileID(path + "-wal")
    if named == ahead || named == nil && errno == ENOENT {
      try? LogHome.recordClosed(writer)
      try? writer.run("PRAGMA wal_checkpoint(TRUNCATE)")
    }
    throw leaving(fault)
  }

  private func change(of lock: LogLock, at path: String) -> String? {
    func isOther(_ path: String, than id: LogFileID) -> Bool? {
      if let found = LogFileID(path) { return found != id ? true : nil }
      // A file that cannot be seen for a while is not lost.
      return [ENOENT, ENOTDIR, ESTALE].contains(errno) ? false : nil
    }
    if let isReplaced = isOther(path, than: lock.id) {
      return "\(path) was \(isReplaced ? "replaced" : lock.names == 0 ? "deleted" : "moved away")"
    }
    if let ahead, isOther(path + "-wal", than: ahead) != nil {
      return "\(path)-wal, which belongs to \(path), was deleted or replaced"
    }
    return nil
  }
}
