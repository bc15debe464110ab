internal import Glibc

/// The name under which a log's file was last owned, and whether that owner closed it. SQLite stores the newest data beside that
/// name: under another name of the file (a hard link), neither an owner nor a reader would find it.
enum LogHome {
  /// A file's note about its last owner, read without the data beside it.
  private struct Note {
    let path: String
    /// The inode of the file, or nil if it was closed. A copy has that of its original.
    let inode: UInt64?
    /// The generation of what was written ahead and is in the file by now.
    let generation: Int64
  }

  /// Finds the path by which a file is to be opened.
  /// - Parameter path: The path that was given, without links in it.
  /// - Returns: The path, whether the file was not closed and the newest data is not beside it, and the generation in the file.
  /// - Throws: `damaged` if the file was moved without its newest data.
  static func find(_ path: String) throws(LogFault) -> (path: String, lacksAhead: Bool, generation: Int64) {
    guard let id = LogFileID(path), let note = read(path) else { return (path, false, 0) }
    let home = note.path
    let other = LogFileID(home)
    if home == path || other == id { return (home, lacksAhead(home, note), note.generation) }
    let (left, own) = (home + "-wal", path + "-wal")
    if other == nil, (LogDisk.size(left) ?? 0) > 0, (LogDisk.size(own) ?? 0) == 0 {
      throw LogFault(
        .damaged,
        "\(path) was moved from \(home) without \(left), which holds the newest records. Move that to \(own); or, to do without them,"
          + " delete it and make an empty file \(own)")
    }
    let lacksAhead = lacksAhead(path, note)
    if lacksAhead, note.inode == id.inode {
      throw LogFault(
        .damaged,
        "\(path) was not closed when it was used as \(home), and the file with its newest records, which was \(left) then, is not beside"
          + " it. Give --data the name that the file has beside it now, or move it to \(own); or, to do without these records, make an"
          + " empty file \(own)")
    }
    return (path, lacksAhead, note.generation)
  }

  /// Whether a file was not closed, and nothing that was written ahead is beside it. An empty file there means that nothing was.
  private static func lacksAhead(_ path: String, _ note: Note) -> Bool {
    note.inode != nil && LogDisk.size(path + "-wal") == nil && isWrittenAhead(path)
  }

  /// Records in the file itself that it is in use, and by which path. This is durable on return unless the disk is full.
  /// - Returns: Whether it was recorded.
  static func recordOwner(_ path: String, _ id: LogFileID, in database: Database) throws(LogFault) -> Bool {
    do throws(LogFault) {
      try database.run("BEGIN IMMEDIATE; CREATE TABLE IF NOT EXISTS home (path TEXT NOT NULL, inode INTEGER)")
      for column in ["inode", "generation"]
      where try database.integer("SELECT count(*) FROM pragma_table_info('home') WHERE name = '\(column)'") == 0 {
        try database.run("ALTER TABLE home ADD COLUMN \(column) INTEGER")
      }
      let last = try database.integer("SELECT generation FROM home") ?? 0
      try database.run("DELETE FROM home")
      let insert = try database.prepare("INSERT INTO home (path, inode, generation) VALUES (?, ?, ?)")
      insert.bind(1, path)
      insert.bind(2, Int64(bitPattern: id.inode))
      insert.bind(3, last + 1)
      try insert.run()
      try database.run("COMMIT; PRAGMA wal_checkpoint(TRUNCATE)")
      return true
    } catch {
      if database.isInTransaction { try? database.run("ROLLBACK") }
      // Existing records must be processed even if the disk is full.
      if error.code != .full { throw error }
      return false
    }
  }

  /// Begins a generation of what is written ahead, with the first transaction after the earlier one was moved into the file.
  static func beginGeneration(_ database: Database) throws(LogFault) {
    try database.run("UPDATE home SET generation = generation + 1")
  }

  /// Throws if what is beside the file is of an earlier generation than what is in the file by now: it would undo newer records.
  /// - Parameter generation: The one in the file alone.
  static func checkAhead(_ database: Database, _ path: String, since generation: Int64) throws(LogFault) {
    if generation == 0 { return }
    let ahead = try database.integer("SELECT generation FROM home") ?? 0
    if ahead >= generation { return }
    throw LogFault(
      .damaged,
      "\(path)-wal is of an earlier time than \(path), which has newer records that it would undo. Move it away: what it had then is in"
        + " \(path), or was missing when \(path) was used without it")
  }

  /// Records that everything is in the file itself, once what is written ahead has been moved there.
  static func recordClosed(_ database: Database) throws(LogFault) { try database.run("UPDATE home SET inode = NULL") }

  /// Reads the note from the file alone, whatever is beside it. Returns nil if it has none, or is not a log.
  private static func read(_ path: String) -> Note? {
    var name = "file:"
    for byte in path.utf8 {
      let isPlain =
        byte == UInt8(ascii: "/") || byte == UInt8(ascii: ".") || byte >= 0x30 && byte <= 0x39
        || byte | 0x20 >= 0x61 && byte | 0x20 <= 0x7a
      name += isPlain ? String(UnicodeScalar(byte)) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
    guard let database = try? Database(name + "?immutable=1", name: path, access: .immutable),
      let home = (try? database.text("SELECT path FROM home")) ?? nil
    else { return nil }
    let inode = (try? database.integer("SELECT inode FROM home WHERE inode IS NOT NULL")) ?? nil
    let generation = (try? database.integer("SELECT generation FROM home")) ?? nil
    return Note(path: home, inode: inode.map { UInt64(bitPattern: $0) }, generation: generation ?? 0)
  }

  /// Whether the file's last writer wrote ahead. A copy that SQLite made with `VACUUM INTO` is whole, and says that it did not.
  private static func isWrittenAhead(_ path: String) -> Bool {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    defer { if file != -1 { close(file) } }
    var version: UInt8 = 0
    return pread(file, &version, 1, 18) == 1 && version == 2
  }
}
