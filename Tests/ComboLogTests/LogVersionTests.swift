import Foundation
import Testing

@testable import ComboLog

/// Files of release 0.1.0.
@Suite("A log's file of version 1")
struct LogVersionTests {
  private func makeOld(_ folder: LogFolder) throws {
    let database = try Database(folder.path, name: "x")
    try database.run(
      """
      PRAGMA application_id = \(LogSchema.applicationID);
      PRAGMA user_version = 1;
      PRAGMA journal_mode = WAL;
      CREATE TABLE streams (
        id INTEGER PRIMARY KEY, topic TEXT NOT NULL, partition INTEGER NOT NULL, keeping INTEGER NOT NULL,
        first INTEGER NOT NULL, next INTEGER NOT NULL, floor INTEGER NOT NULL, UNIQUE (topic, partition)
      );
      CREATE TABLE positions (
        owner TEXT NOT NULL, stream INTEGER NOT NULL, offset INTEGER NOT NULL, metadata TEXT NOT NULL,
        PRIMARY KEY (owner, stream)
      ) WITHOUT ROWID;
      INSERT INTO streams VALUES (1, 'gifts', 0, 1, 2, 3, 4), (2, 'state', 0, 2, 0, 9, 0), (3, 'out', 0, 0, 0, 0, 0);
      CREATE TABLE log_1 (offset INTEGER PRIMARY KEY, key BLOB, value BLOB, time INTEGER, headers BLOB);
      CREATE TABLE log_2 (offset INTEGER PRIMARY KEY, key BLOB, value BLOB, time INTEGER, headers BLOB);
      CREATE UNIQUE INDEX log_2_key ON log_2 (key);
      CREATE TABLE log_3 (offset INTEGER PRIMARY KEY, key BLOB, value BLOB, time INTEGER, headers BLOB);
      INSERT INTO log_1 VALUES (2, x'61', x'31', 1000, NULL), (3, x'61', x'32', 1000, NULL), (4, NULL, NULL, NULL, NULL);
      INSERT INTO log_2 VALUES (5, x'6b', x'39', 1000, NULL);
      INSERT INTO positions VALUES ('g', 1, 4, 'm');
      """)
  }

  @Test("is read as it is, and gets checksums for new records once it is opened to write")
  func upgrades() throws {
    let folder = try LogFolder()
    try makeOld(folder)
    let old = ["2 a=1", "3 a=2", "4 -=-"]
    do {
      let reader = try LogFile(.file(folder.path), use: .read)
      #expect(try reader.all(0) == old && reader.bounds(0) == (2, 5) && reader.all(1, from: 0) == ["5 k=9"])
      #expect(try reader.position("g", 0) == LogPosition(stream: 0, offset: 4, metadata: "m"))
      try reader.check { Issue.record("\($0)") }
    }
    for isFirst in [true, false] {
      let log = try folder.open()
      #expect(log.wasUpgraded == isFirst)
      #expect(try log.all(0) == old + (isFirst ? [] : ["5 a=new"]))
      #expect(try log.position("g", 0) == LogPosition(stream: 0, offset: 4, metadata: "m"))
      if isFirst { try log.commit(.of(0, [("a", "new")]), group: "g") }
      try log.check { Issue.record("\($0)") }
    }
    // Version 1 must refuse it.
    #expect(try Database(folder.path, name: "x").integer("PRAGMA user_version") == 2)
    // A new record without its checksum is not mistaken for an old one.
    try Database(folder.path, name: "x").run("UPDATE log_1 SET sum = NULL")
    #expect(fault(.damaged) { _ = try folder.open().all(0) }.contains("offset 5"))
  }
}
