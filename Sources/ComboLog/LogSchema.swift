/// The tables of a log's file besides the records, and the header that identifies the file.
enum LogSchema {
  /// `Cmbo`: file(1) and SQLite find it in the header.
  static let applicationID: Int64 = 0x436d_626f
  /// The version of the format. Version 1, of 0.1.0, has no checksums.
  static let version: Int64 = 2
  /// No version is as large as this: a header that names this one or a larger one is damaged.
  private static let versionEnd: Int64 = 256

  static func create(_ database: Database) throws(LogFault) {
    try database.run(
      """
      PRAGMA application_id = \(applicationID);
      PRAGMA user_version = \(version);
      CREATE TABLE streams (
        id INTEGER PRIMARY KEY, topic TEXT NOT NULL, partition INTEGER NOT NULL, keeping INTEGER NOT NULL,
        first INTEGER NOT NULL, next INTEGER NOT NULL, floor INTEGER NOT NULL, summed INTEGER NOT NULL, sum INTEGER NOT NULL,
        UNIQUE (topic, partition)
      );
      CREATE TABLE positions (
        owner TEXT NOT NULL, stream INTEGER NOT NULL, offset INTEGER NOT NULL, metadata TEXT NOT NULL, sum INTEGER NOT NULL,
        PRIMARY KEY (owner, stream)
      ) WITHOUT ROWID;
      \(marks)
      """)
  }

  /// The tables of the contents of compacted streams at old checkpoints: see ``LogFile/Mark``.
  private static let marks =
    """
    CREATE TABLE marks (
      mark INTEGER NOT NULL, stream INTEGER NOT NULL, offset INTEGER NOT NULL, time INTEGER NOT NULL, PRIMARY KEY (mark, stream)
    ) WITHOUT ROWID;
    CREATE TABLE marked (
      mark INTEGER NOT NULL, stream INTEGER NOT NULL, offset INTEGER NOT NULL, key BLOB, value BLOB, time INTEGER, headers BLOB,
      sum INTEGER, PRIMARY KEY (mark, stream, offset)
    ) WITHOUT ROWID;
    """

  /// Creates the table of a stream's records.
  static func create(_ stream: LogFile.Stream, _ database: Database) throws(LogFault) {
    try database.run(
      "CREATE TABLE \(stream.table) (offset INTEGER PRIMARY KEY, key BLOB, value BLOB, time INTEGER, headers BLOB, sum INTEGER)")
    if stream.keeping == .compacted { try database.run("CREATE UNIQUE INDEX \(stream.table)_key ON \(stream.table) (key)") }
  }

  /// Upgrades a file of version 1 to this version. Its records stay unchanged, without a checksum.
  private static func upgrade(_ database: Database, name: String) throws(LogFault) {
    try database.run(
      """
      BEGIN IMMEDIATE;
      ALTER TABLE streams ADD COLUMN summed INTEGER NOT NULL DEFAULT 0;
      ALTER TABLE streams ADD COLUMN sum INTEGER NOT NULL DEFAULT 0;
      ALTER TABLE positions ADD COLUMN sum INTEGER NOT NULL DEFAULT 0;
      \(marks)
      """)
    for var stream in try LogFile.Stream.list(in: database, version: 1, name: name) {
      try database.run("ALTER TABLE \(stream.table) ADD COLUMN sum INTEGER")
      stream.summedFrom = stream.next
      try stream.write(to: database)
    }
    let positions = try database.prepare("SELECT owner, stream, offset, metadata FROM positions")
    var all: [(owner: String, stream: Int64, offset: Int64, metadata: String)] = []
    while try positions.step() { all.append((positions.text(0), positions.integer(1), positions.integer(2), positions.text(3))) }
    let update = try database.prepare("UPDATE positions SET sum = ? WHERE owner = ? AND stream = ?")
    for (owner, stream, offset, metadata) in all {
      update.bind(1, LogSum.position(owner, stream, offset, metadata))
      update.bind(2, owner)
      update.bind(3, stream)
      try update.run()
    }
    try database.run("PRAGMA user_version = \(version); COMMIT")
  }

  /// Prepares a file for its owner, and upgrades it.
  /// - Parameter found: The version of its format, or nil for a new file.
  static func prepare(_ database: Database, from found: Int64?, name: String) throws(LogFault) {
    let mode = try database.text("PRAGMA journal_mode = WAL")
    guard mode == "wal" else {
      throw LogFault(
        .networkDisk,
        "\(name) is on a file system without shared memory, so SQLite cannot write ahead. Give --data a file on a disk of this machine"
      )
    }
    try database.run(
      """
      PRAGMA journal_size_limit = \(16 << 20);
      PRAGMA secure_delete = OFF;
      PRAGMA cache_size = -4000;
      """)
    if found == nil {
      try database.run("BEGIN IMMEDIATE")
      try create(database)
      try database.run("COMMIT")
    }
    if let found, found < version { try upgrade(database, name: name) }
  }

  /// Checks whether the file is a log that this version reads, and makes SQLite detect more damage.
  /// - Returns: The version of its format.
  static func check(_ database: Database, name: String) throws(LogFault) -> Int64 {
    try database.run("PRAGMA cell_size_check = ON")
    let id = try database.integer("PRAGMA application_id") ?? 0
    let found = try database.integer("PRAGMA user_version") ?? 0
    let isEmpty = try database.integer("SELECT count(*) FROM sqlite_schema") == 0
    guard id == applicationID else {
      throw LogFault(
        .foreign,
        isEmpty
          ? "\(name) is an empty SQLite file, not one of this program. Delete it, or give --data another file"
          : "\(name) is an SQLite file of another program, or its header is damaged. Give --data another file, or put a copy in its place"
      )
    }
    guard (1..<versionEnd).contains(found) else {
      throw LogFault(.damaged, Database.damaged(name, "its header has no valid version"))
    }
    guard found <= version else {
      throw LogFault(
        .foreign,
        "\(name) was written by a newer version of this program (format \(found); this one reads up to \(version)). Use the newer version"
      )
    }
    return found
  }
}
