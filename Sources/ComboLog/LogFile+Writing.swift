internal import ComboSystem
internal import Glibc
internal import Synchronization

extension LogFile {
  /// Runs `body` in a transaction; takes all of it back if it fails, or if the file is gone. Under `writing`.
  func transaction(_ body: () throws(LogFault) -> Void) throws(LogFault) {
    if let failure { throw failure }
    try writer.run("BEGIN IMMEDIATE")
    do throws(LogFault) {
      try body()
      try writer.run("COMMIT")
      // Only now: what was written to a file that is gone is not acknowledged.
      try checkIsThere()
    } catch {
      if writer.isInTransaction { try? writer.run("ROLLBACK") }
      throw failing(error)
    }
  }

  /// Bytes that records take in the file. Under `writing`.
  func usedBytes() throws(LogFault) -> (used: Int64, free: Int64) {
    _ = try pages.step()
    let count = pages.integer(0)
    pages.reset()
    _ = try freePages.step()
    let free = freePages.integer(0)
    freePages.reset()
    return ((count - free) * pageSize, free * pageSize)
  }

  /// Bytes that records take in the file.
  package func size() throws(LogFault) -> Int64 {
    writing.lock()
    defer { writing.unlock() }
    return try usedBytes().used
  }

  /// Refuses early, so that earlier records can still be processed. Under `writing`.
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
        "the disk of \(path) is full: \(disk.free >> 20) MiB are free, and \(limits.reserve >> 20) MiB are kept for what was taken in"
          + " already. Free space on the disk")
    }
  }

  // MARK: - Failure

  /// Why nothing is written any more: the file is gone, or damaged. nil: it is fine.
  package var failure: LogFault? { failed.withLock { $0 } }

  /// From now on nothing is written.
  func fail(_ fault: LogFault) {
    failed.withLock { if $0 == nil { $0 = fault } }
    attention.ring()
  }

  /// The same fault, after which nothing is written if it is damage.
  func failing(_ fault: LogFault) -> LogFault {
    if use == .own, fault.code == .damaged { fail(fault) }
    return fault
  }

  /// Looks whether the file is still where it was opened; sets ``failure`` if not. Costs two calls of the system.
  package func look() {
    writing.lock()
    defer { writing.unlock() }
    if failure == nil { try? checkIsThere() }
  }

  /// Throws if the file, or what SQLite writes ahead to, is no longer what the path leads to. Under `writing`, outside of a transaction.
  private func checkIsThere() throws(LogFault) {
    guard let lock, case .file(let path) = place, let change = change(of: lock, at: path) else { return }
    let fault = LogFault(
      .gone,
      "\(change) while it was in use: nothing more is acknowledged. Put the file in its place that is to be used, and start again"
    )
    fail(fault)
    // All that was acknowledged is in the file then, wherever it is now, and nothing is left beside the one that is in its place. Both files
    // are still open here, whatever became of their names; but others may be at work in a second `-wal`.
    let named = LogFileID(path + "-wal")
    if named == ahead || named == nil && errno == ENOENT { try? writer.run("PRAGMA wal_checkpoint(TRUNCATE)") }
    for database in [writer, reader] { database.leaveFiles() }
    throw fault
  }

  private func change(of lock: LogLock, at path: String) -> String? {
    func isOther(_ path: String, than id: LogFileID) -> Bool? {
      if let found = LogFileID(path) { return found != id ? true : nil }
      // Whoever may not see it for a while has not lost it.
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
