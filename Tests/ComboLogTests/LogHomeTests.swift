import Foundation
import Testing

@testable import ComboLog

extension LogFolder {
  /// Leaves the file as a killed process does: by its first name, with its write-ahead log beside it.
  func leave(_ values: [String]) throws {
    let log = try open()
    try log.makeTopic("gifts", partitions: 1)
    for value in values { try log.append(.of(0, [("a", value)])) }
    let kept = try LogFolder()
    for ending in ["", "-wal"] { try FileManager.default.copyItem(atPath: path + ending, toPath: kept.path + ending) }
    log.writer.leaveFiles()
    log.reader.leaveFiles()
    // The inode stays, so that hard links stay.
    for ending in ["", "-wal"] { try Data(contentsOf: kept.url(ending)).write(to: url(ending), options: []) }
  }
}

/// A file that was not closed, and the file written ahead that it needs.
@Suite("A log's file without the records written ahead")
struct LogHomeTests {
  private func all(_ path: String, _ use: LogFile.Use = .own) throws -> (lacksAhead: Bool, records: [String]) {
    let log = try LogFile(.file(path), use: use)
    defer { log.close() }
    return (log.lacksAhead, try log.all(0))
  }

  @Test("by another name, it is refused until those records are there, or an empty file in their place")
  func otherName() throws {
    let (folder, elsewhere) = (try LogFolder(), try LogFolder())
    try folder.leave(["1", "2"])
    #expect(link(folder.path, elsewhere.path) == 0)
    let moved = folder.folder + "-moved"
    #expect(rename(folder.folder, moved) == 0)
    defer { try? FileManager.default.removeItem(atPath: moved) }
    let sentence = fault(.damaged) { _ = try elsewhere.open() }
    try #require(sentence.contains("was not closed when it was used as \(folder.path)"), "\(sentence)")
    #expect(fault(.damaged) { _ = try LogFile(.file(elsewhere.path), use: .read) } == sentence)
    // Nothing was done to it: by the name that has the other file beside it, all is there.
    let found = try all(moved + "/test.db", .read)
    #expect(!found.lacksAhead && found.records == ["0 a=1", "1 a=2"])
    try Data().write(to: elsewhere.url("-wal"))
    // The file alone has not even the topic.
    #expect(try elsewhere.open().partitions("gifts") == 0)
  }

  @Test("closed, it is opened by any name")
  func closed() throws {
    let (folder, elsewhere) = (try LogFolder(), try LogFolder())
    try folder.leave(["1"])
    #expect(try all(folder.path).records == ["0 a=1"])
    #expect(rename(folder.path, elsewhere.path) == 0)
    let found = try all(elsewhere.path)
    #expect(!found.lacksAhead && found.records == ["0 a=1"])
  }

  @Test("moved away while it was in use, it is whole")
  func movedAway() throws {
    let (folder, elsewhere) = (try LogFolder(), try LogFolder())
    do {
      let log = try folder.open()
      try log.makeTopic("gifts", partitions: 1)
      try log.append(.of(0, [("a", "1")]))
      #expect(rename(folder.path, elsewhere.path) == 0)
      log.checkPresence()
      #expect(log.failure?.code == .gone)
    }
    let found = try all(elsewhere.path)
    #expect(!found.lacksAhead && found.records == ["0 a=1"])
  }

  @Test("by its own name, and as a copy of the file alone, it is opened with a warning", arguments: [true, false])
  func warned(isCopy: Bool) throws {
    let (folder, copy) = (try LogFolder(), try LogFolder())
    try folder.leave(["1"])
    if isCopy {
      try FileManager.default.copyItem(atPath: folder.path, toPath: copy.path)
      try FileManager.default.removeItem(atPath: folder.folder)
    } else {
      #expect(unlink(folder.path + "-wal") == 0)
    }
    let path = isCopy ? copy.path : folder.path
    for use in [LogFile.Use.read, .own] { #expect(try LogFile(.file(path), use: use).lacksAhead) }
  }

  @Test("what was written ahead in an earlier use is refused, and undoes nothing", arguments: [true, false])
  func stale(isMovedBefore: Bool) throws {
    let folder = try LogFolder()
    let ahead: Data
    do {
      let log = try folder.open()
      defer { log.close() }
      try log.makeTopic("gifts", partitions: 1)
      try log.append(.of(0, [("a", "1")]))
      if isMovedBefore { log.writing { log.moveAhead("RESTART") } }
      try log.append(.of(0, [("a", "2")]))
      ahead = try Data(contentsOf: folder.url("-wal"))
    }
    do {
      let log = try folder.open()
      defer { log.close() }
      try log.append(.of(0, [("a", "3")]))
    }
    try ahead.write(to: folder.url("-wal"))
    let sentence = fault(.damaged) { _ = try folder.open() }
    #expect(sentence.contains("of an earlier time") && sentence.contains("Move it away"), "\(sentence)")
    #expect(fault(.damaged) { _ = try LogFile(.file(folder.path), use: .read) } == sentence)
    #expect(unlink(folder.path + "-wal") == 0)
    #expect(try all(folder.path).records == ["0 a=1", "1 a=2", "2 a=3"])
  }

  @Test("a copy that SQLite made while it was in use is whole")
  func vacuumed() throws {
    let (folder, copy) = (try LogFolder(), try LogFolder())
    let log = try folder.open()
    try log.makeTopic("gifts", partitions: 1)
    try log.append(.of(0, [("a", "1")]))
    try log.reader.run("VACUUM INTO '\(copy.path)'")
    let found = try all(copy.path)
    #expect(!found.lacksAhead && found.records == ["0 a=1"])
  }

  @Test(
    "a new file was left open by nobody, though the lock of an earlier one is there; the fault for readers names who creates it")
  func notThere() throws {
    let folder = try LogFolder()
    #expect(fault(.unknown) { _ = try LogFile(.file(folder.path), use: .read) }.contains("the first start of `live` creates it"))
    try Data("123\n".utf8).write(to: folder.url(".lock"))
    let log = try folder.open()
    #expect(log.isNew && !log.wasChecked)
  }

  @Test("a file of a version that noted only its path is opened, and noted")
  func formerNote() throws {
    let folder = try LogFolder()
    do {
      let log = try folder.open()
      try log.writer.run("DROP TABLE home; CREATE TABLE home (path TEXT NOT NULL); INSERT INTO home VALUES ('\(folder.path)')")
    }
    try folder.leave(["1"])
    #expect(try Database(folder.path, name: "x").text("SELECT path FROM home WHERE inode > 0") == folder.path)
    #expect(unlink(folder.path + "-wal") == 0 || errno == ENOENT)
    #expect(try LogFile(.file(folder.path), use: .read).lacksAhead)
  }

  @Test(
    "what another program does to what is written ahead during a commit is noticed before that is acknowledged",
    arguments: [true, false])
  func overwrittenMeanwhile(isCut: Bool) throws {
    let folder = try LogFolder()
    let log = try folder.open()
    try log.makeTopic("gifts", partitions: 1)
    try log.append(.of(0, [("a", "1")]))
    let copy = try Data(contentsOf: folder.url("-wal"))
    try log.append(.of(0, [("a", "2")]))
    let before = try Data(contentsOf: folder.url())
    let sentence = fault(.gone) {
      try log.transaction { () throws(LogFault) in
        try log.writer.run("INSERT INTO positions (owner, stream, offset, metadata, sum) VALUES ('x', 9, 9, '', 0)")
        // As `cp` does it.
        if isCut { #expect(truncate(folder.path + "-wal", 0) == 0) } else { try? copy.write(to: folder.url("-wal"), options: []) }
      }
    }
    #expect(sentence.contains("test.db-wal was overwritten or cut off by another program"))
    #expect(log.failure?.code == .gone)
    log.close()
    #expect(try Data(contentsOf: folder.url()) == before)
  }
}
