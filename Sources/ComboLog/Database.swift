internal import CSQLite

/// One connection to an SQLite database. Not thread-safe: the caller locks.
final class Database {
  enum Access {
    case owner
    case reader
    /// Reads only, without locks, and ignores the files beside this one. The path is a URI.
    case immutable
  }

  private let handle: OpaquePointer
  private let name: String
  /// Held until SQLite has closed the file.
  private let lock: LogLock?

  /// - Parameters:
  ///   - path: The file's path, or nil for a database in memory.
  ///   - name: The file's name in sentences.
  init(_ path: String?, name: String, access: Access = .owner, lock: LogLock? = nil) throws(LogFault) {
    self.lock = lock
    var opened: OpaquePointer?
    let how =
      switch access {
      case .owner: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
      case .reader: SQLITE_OPEN_READWRITE
      case .immutable: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
      }
    // The caller has a lock of its own, so SQLite needs none.
    let flags = how | SQLITE_OPEN_NOMUTEX
    let result = sqlite3_open_v2(path ?? ":memory:", &opened, flags, nil)
    guard let opened else { throw LogFault(.failed, "SQLite has no memory left to open \(name)") }
    handle = opened
    self.name = name
    sqlite3_extended_result_codes(handle, 1)
    sqlite3_busy_timeout(handle, 2000)
    if result != SQLITE_OK { throw fault(result, "cannot open") }
  }

  deinit { sqlite3_close_v2(handle) }

  /// The number of pages in the file written ahead, as of the last commit. It is counted after ``disableCheckpoints()``.
  private(set) var pagesAhead: Int32 = 0

  /// Keeps SQLite from moving what was written ahead into the file during a commit.
  func disableCheckpoints() {
    // Replaces the hook that does so.
    _ = sqlite3_wal_hook(
      handle,
      { context, _, _, pages in
        Unmanaged<Database>.fromOpaque(context!).takeUnretainedValue().pagesAhead = pages
        return SQLITE_OK
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  /// Runs statements whose results are not needed.
  func run(_ sql: String) throws(LogFault) {
    let result = sqlite3_exec(handle, sql, nil, nil, nil)
    if result != SQLITE_OK { throw fault(result, "cannot write") }
  }

  /// Returns the first column of the first row, or nil if there is no row.
  func integer(_ sql: String) throws(LogFault) -> Int64? {
    let statement = try prepare(sql)
    return try statement.step() ? statement.integer(0) : nil
  }

  /// Returns the first column of the first row, as text, or nil if there is no row.
  func text(_ sql: String) throws(LogFault) -> String? {
    let statement = try prepare(sql)
    return try statement.step() ? statement.text(0) : nil
  }

  func prepare(_ sql: String) throws(LogFault) -> Statement {
    var statement: OpaquePointer?
    let result = sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
    guard result == SQLITE_OK, let statement else { throw fault(result, "cannot use") }
    return Statement(statement, self)
  }

  /// Sets whether closing leaves what was written ahead, and neither moves nor deletes it. SQLite would delete it by its name,
  /// which may be that of another file by then.
  func leaveFiles(_ leaves: Bool = true) { csqlite_leave_files(handle, leaves ? 1 : 0) }

  /// Whether a transaction is open. SQLite ends one by itself when the disk is full.
  var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

  func fault(_ result: Int32, _ what: String) -> LogFault {
    let detail = String(cString: sqlite3_errmsg(handle))
    switch result & 0xff {
    case SQLITE_FULL:
      return LogFault(
        .full,
        "\(name) cannot grow: the disk is full, or the file has reached its size limit. Free space on the disk, or raise --data-max-mib"
      )
    case SQLITE_READONLY, SQLITE_PERM:
      return LogFault(
        .readOnly,
        "\(name) cannot be written (\(detail)). Check the permissions of the file and its folder, or give --data another file")
    case SQLITE_CANTOPEN:
      return LogFault(
        .readOnly,
        "\(name) cannot be opened (\(detail)). Check that its folder exists and can be written, or give --data another file")
    case SQLITE_CORRUPT:
      return LogFault(.damaged, Self.damaged(name, detail))
    case SQLITE_NOTADB:
      return LogFault(
        .foreign,
        "\(name) is no SQLite file, or its beginning is damaged. If it was a file of this program, put a copy in its place; else give --data another file"
      )
    case SQLITE_BUSY, SQLITE_LOCKED:
      return LogFault(.inUse, "\(name) is locked by another program (\(detail)). Close that program, or give --data another file")
    default:
      return LogFault(.failed, "\(what) \(name): \(detail) (SQLite \(result)). Check the disk and the kernel's log")
    }
  }

  static func damaged(_ name: String, _ detail: String) -> String {
    "\(name) is damaged (\(detail)). \(remedy(name, prints: "what can still be read"))"
  }

  /// Returns what can be done about a file that is damaged.
  static func remedy(_ name: String, prints what: String) -> String {
    let ahead = name + "-wal"
    let isAhead = (LogDisk.size(ahead) ?? 0) > 0
    let copies =
      isAhead
      ? "copies of it and of \(ahead), which holds the newest records, in their places; or a copy of it alone beside \(ahead), if that was made after the program had ended"
      : "a copy in its place"
    return "Put \(copies). `live --export` prints \(what); move \(isAhead ? "both" : "it") away to begin with a new file"
  }
}

/// A prepared statement. Not thread-safe: the caller locks.
final class Statement {
  private let handle: OpaquePointer
  private let database: Database

  fileprivate init(_ handle: OpaquePointer, _ database: Database) {
    self.handle = handle
    self.database = database
  }

  deinit { sqlite3_finalize(handle) }

  /// Advances to the next row.
  /// - Returns: false if there is none. The statement is then reset, as it is when it fails.
  func step() throws(LogFault) -> Bool {
    let result = sqlite3_step(handle)
    if result == SQLITE_ROW { return true }
    let fault = result == SQLITE_DONE ? nil : database.fault(result, "cannot use")
    sqlite3_reset(handle)
    if let fault { throw fault }
    return false
  }

  /// Runs the statement to its end.
  func run() throws(LogFault) { while try step() {} }

  func reset() { sqlite3_reset(handle) }

  func bind(_ index: Int32, _ value: Int64?) {
    if let value { sqlite3_bind_int64(handle, index, value) } else { sqlite3_bind_null(handle, index) }
  }

  func bind(_ index: Int32, _ text: String) {
    var text = text
    text.withUTF8 { bytes in
      // Copied, as the bytes are gone when this returns.
      let copy = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
      _ =
        bytes.baseAddress == nil
        ? sqlite3_bind_text(handle, index, "", 0, copy)
        : bytes.withMemoryRebound(to: CChar.self) { sqlite3_bind_text(handle, index, $0.baseAddress, Int32($0.count), copy) }
    }
  }

  /// Binds bytes without copying them: they must stay until the statement has run.
  func bind(_ index: Int32, lasting bytes: UnsafeRawBufferPointer?) {
    if let bytes, bytes.isEmpty {
      sqlite3_bind_zeroblob(handle, index, 0)
    } else {
      // No pointer binds null.
      sqlite3_bind_blob64(handle, index, bytes?.baseAddress, UInt64(bytes?.count ?? 0), nil)
    }
  }

  func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

  func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

  func text(_ column: Int32) -> String { sqlite3_column_text(handle, column).map { String(cString: $0) } ?? "" }

  /// Returns the bytes of a column, valid until the next step, or nil if the column is null.
  func bytes(_ column: Int32) -> UnsafeRawBufferPointer? {
    if isNull(column) { return nil }
    let start = sqlite3_column_blob(handle, column)
    return UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : Int(sqlite3_column_bytes(handle, column)))
  }
}
