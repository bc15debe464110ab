internal import CSQLite
internal import Glibc

/// The name under which a log's file was last owned. SQLite keeps the newest data beside that name: under another name of the
/// file (a hard link) neither an owner nor a reader would find it.
enum LogHome {
  /// Returns the path by which a file is to be opened.
  /// - Parameter path: The path that was given, without links in it.
  /// - Throws: `damaged` if the file was moved without its newest data.
  static func path(of path: String) throws(LogFault) -> String {
    guard let id = LogFileID(path), let home = read(path), home != path else { return path }
    if let other = LogFileID(home) { return other == id ? home : path }
    let (left, own) = (home + "-wal", path + "-wal")
    if (LogDisk.size(left) ?? 0) > 0, (LogDisk.size(own) ?? 0) == 0 {
      throw LogFault(
        .damaged,
        "\(path) was moved from \(home) without \(left), which holds the newest records. Move that to \(own), or delete it to do without them"
      )
    }
    return path
  }

  /// Stores the owner's path in the file itself.
  static func keep(_ path: String, in database: Database) throws(LogFault) {
    try database.run("CREATE TABLE IF NOT EXISTS home (path TEXT NOT NULL)")
    if try database.text("SELECT path FROM home") == path { return }
    try database.run("BEGIN IMMEDIATE; DELETE FROM home")
    let insert = try database.prepare("INSERT INTO home (path) VALUES (?)")
    insert.bind(1, path)
    try insert.run()
    try database.run("COMMIT; PRAGMA wal_checkpoint(TRUNCATE)")
  }

  /// Reads the path from the file alone, whatever is beside it. Returns nil if it has none, or is not a log.
  private static func read(_ path: String) -> String? {
    var name = "file:"
    for byte in path.utf8 {
      let isPlain =
        byte == UInt8(ascii: "/") || byte == UInt8(ascii: ".") || byte >= 0x30 && byte <= 0x39
        || byte | 0x20 >= 0x61 && byte | 0x20 <= 0x7a
      name += isPlain ? String(UnicodeScalar(byte)) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
    let database = try? Database(name + "?immutable=1", name: path, access: .asItIs)
    return (try? database?.text("SELECT path FROM home")) ?? nil
  }
}
