/// The tables of a log's file besides the records, and how it differs from other files.
enum LogSchema {
  /// `Cmbo`: what file(1) and SQLite find in the header.
  static let applicationID: Int64 = 0x436d_626f
  static let version: Int64 = 1

  static func create(_ database: Database) throws(LogFault) {
    try database.run(
      """
      PRAGMA application_id = \(applicationID);
      PRAGMA user_version = \(version);
      CREATE TABLE streams (
        id INTEGER PRIMARY KEY, topic TEXT NOT NULL, partition INTEGER NOT NULL, keeping INTEGER NOT NULL,
        first INTEGER NOT NULL, next INTEGER NOT NULL, floor INTEGER NOT NULL, UNIQUE (topic, partition)
      );
      CREATE TABLE positions (
        owner TEXT NOT NULL, stream INTEGER NOT NULL, offset INTEGER NOT NULL, metadata TEXT NOT NULL,
        PRIMARY KEY (owner, stream)
      ) WITHOUT ROWID;
      """)
  }

  /// Prepares a file for its owner.
  static func prepare(_ database: Database, isNew: Bool, name: String) throws(LogFault) {
    if !isNew { try check(database, name: name) }
    let mode = try database.text("PRAGMA journal_mode = WAL")
    guard mode == "wal" else {
      throw LogFault(
        .networkDisk,
        "\(name) is on a file system without shared memory, so SQLite cannot write ahead. Give --data a file on a disk of this machine"
      )
    }
    try database.run(
      """
      PRAGMA synchronous = FULL;
      PRAGMA journal_size_limit = \(16 << 20);
      PRAGMA secure_delete = OFF;
      PRAGMA cache_size = -4000;
      """)
    if isNew {
      try database.run("BEGIN IMMEDIATE")
      try create(database)
      try database.run("COMMIT")
    }
  }

  /// Whether the file is a log that this version reads.
  static func check(_ database: Database, name: String) throws(LogFault) {
    let id = try database.integer("PRAGMA application_id") ?? 0
    let found = try database.integer("PRAGMA user_version") ?? 0
    let isEmpty = try database.integer("SELECT count(*) FROM sqlite_schema") == 0
    guard id == applicationID else {
      throw LogFault(
        .foreign,
        isEmpty
          ? "\(name) is an empty SQLite file, not one of this program. Delete it, or give --data another file"
          : "\(name) is an SQLite file of another program. Give --data another file")
    }
    guard found <= version else {
      throw LogFault(
        .foreign,
        "\(name) was written by a newer version of this program (format \(found); this one reads up to \(version)). Use the newer version"
      )
    }
  }
}
