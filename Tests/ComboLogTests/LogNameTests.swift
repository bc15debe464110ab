import Foundation
import Testing

@testable import ComboLog

/// One file by several names, and a name that leads to another file.
@Suite("The file of a log, and its names")
struct LogNameTests {
  private func append(_ log: LogFile, _ value: String) throws {
    try log.makeTopic("gifts", partitions: 1)
    try log.append(.of(0, [("a", value)]))
  }

  @Test("a second owner is refused by a symbolic link and by a hard link, with the id of the first", arguments: [true, false])
  func isInUse(isSymbolic: Bool) throws {
    let folder = try LogFolder()
    let log = try folder.open()
    try append(log, "1")
    let other = folder.folder + "/other.db"
    #expect((isSymbolic ? symlink("test.db", other) : link(folder.path, other)) == 0)
    let sentence = fault(.inUse) { _ = try LogFile(.file(other)) }
    #expect(sentence.contains("\(folder.path) is in use") && sentence.contains("pid \(getpid())"))
    // Others read all that was written, by any name.
    try log.append(.of(0, [("a", "2")]))
    #expect(try LogFile(.file(other), use: .read).all(0) == ["0 a=1", "1 a=2"])
    #expect(log.failure == nil)
    try log.append(.of(0, [("a", "3")]))
  }

  @Test("a write of another program while it is in use ends all writing", arguments: [true, false])
  func overwritten(isEmpty: Bool) throws {
    let folder = try LogFolder()
    let log = try folder.open()
    for value in ["1", "2"] { try append(log, value) }
    #expect(log.failure == nil)
    // As `cp` and `truncate` do: the inode stays.
    let copy = isEmpty ? Data() : try Data(contentsOf: URL(fileURLWithPath: folder.path))
    try copy.write(to: URL(fileURLWithPath: folder.path), options: [])
    if isEmpty {
      log.checkPresence()
      #expect(log.failure?.code == .gone)
    }
    #expect(fault(.gone) { try append(log, "3") }.contains("was overwritten by another program"))
    log.close()
    #expect(LogFileID(folder.path + "-wal") != nil)
  }

  @Test(
    "what another program does to it during a transaction is noticed before that is acknowledged, and nothing is moved into it")
  func overwrittenMeanwhile() throws {
    let folder = try LogFolder()
    let log = try folder.open()
    try append(log, "1")
    let insert = try log.writer.prepare("INSERT INTO positions (owner, stream, offset, metadata, sum) VALUES (?, 9, 9, ?, 0)")
    let sentence = fault(.gone) {
      try log.transaction { () throws(LogFault) in
        #expect(truncate(folder.path, 0) == 0)
        // More than is moved into the file at once.
        for number in 0..<20 {
          insert.bind(1, "\(number)")
          insert.bind(2, String(repeating: "v", count: 400_000))
          try insert.run()
        }
      }
    }
    #expect(sentence.contains("was overwritten by another program"))
    #expect(log.failure?.code == .gone)
    log.close()
    #expect(try Data(contentsOf: URL(fileURLWithPath: folder.path)).isEmpty)
  }

  @Test("a file written ahead that another program cuts off or overwrites ends all writing", arguments: [true, false])
  func aheadOverwritten(isCut: Bool) throws {
    let folder = try LogFolder()
    let log = try folder.open()
    try append(log, "1")
    let ahead = URL(fileURLWithPath: folder.path + "-wal")
    let copy = try Data(contentsOf: ahead)
    for value in ["2", "3"] { try append(log, value) }
    let before = try Data(contentsOf: URL(fileURLWithPath: folder.path))
    try (isCut ? Data() : copy).write(to: ahead, options: [])
    #expect(fault(.gone) { try append(log, "4") }.contains("test.db-wal was overwritten or cut off by another program"))
    log.close()
    // Closing puts none of it into the file.
    #expect(try Data(contentsOf: URL(fileURLWithPath: folder.path)) == before)
  }

  @Test("its own checkpoints are no other program's")
  func checkpointed() throws {
    let folder = try LogFolder()
    let log = try folder.open()
    // Several times the size at which SQLite moves what was written ahead into the file.
    let before = try #require(log.stamp)
    for number in 0..<40 { try append(log, String(repeating: "v", count: 400_000) + "\(number)") }
    #expect(log.stamp != before)
    log.checkPresence()
    #expect(log.failure == nil)
  }

  @Test(
    "another process is named as the one that has the file, though it has no file beside it, even if it is still opening it",
    arguments: [false, true])
  func otherProcess(isOpening: Bool) throws {
    let folder = try LogFolder()
    do { try append(try folder.open(), "1") }
    let holder = Process()
    holder.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    let (given, pipe) = (Pipe(), Pipe())
    (holder.standardInput, holder.standardOutput) = (given, pipe)
    holder.arguments = [
      "python3", "-c",
      """
      import fcntl, os, sys, time
      file = os.open(sys.argv[1], os.O_RDWR)
      fcntl.flock(file, fcntl.LOCK_EX)
      if "\(isOpening)" == "true":
          print("locked", flush=True)
          time.sleep(0.3)
      fcntl.lockf(file, fcntl.LOCK_EX, 1, 1 << 62)
      print("shown", flush=True)
      sys.stdin.read()
      """, folder.path,
    ]
    try holder.run()
    #expect(pipe.fileHandleForReading.availableData.count > 0)
    #expect(fault(.inUse) { _ = try folder.open() }.contains("(pid \(holder.processIdentifier))"))
    try given.fileHandleForWriting.close()
    holder.waitUntilExit()
    #expect(try folder.open().all(0) == ["0 a=1"])
  }

  @Test("another process learns who has the file")
  func tells() throws {
    let folder = try LogFolder()
    let log = try folder.open()
    try append(log, "1")
    _ = try log.all(0)
    try log.writer.run("PRAGMA wal_checkpoint(TRUNCATE)")
    let other = Process()
    other.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    let pipe = Pipe()
    other.standardOutput = pipe
    other.arguments = [
      "python3", "-c",
      """
      import fcntl, os, struct, sys
      file = os.open(sys.argv[1], os.O_RDWR)
      asked = struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, 1 << 62, 1, 0)
      print(struct.unpack("hhqqi4x", fcntl.fcntl(file, fcntl.F_GETLK, asked))[4])
      """, folder.path,
    ]
    try other.run()
    let answer = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    #expect(answer == "\(getpid())\n")
    other.waitUntilExit()
  }

  @Test("by a link that leads to no file yet the file is made where the link leads")
  func linkToNothing() throws {
    let (folder, other) = (try LogFolder(), try LogFolder())
    #expect(symlink("\(other.folder)/below/real.db", folder.path) == 0)
    let log = try folder.open()
    #expect(log.isNew && log.madeFolder == "\(other.folder)/below")
    #expect(log.place == .file("\(other.folder)/below/real.db"))
    try append(log, "1")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.folder) == ["test.db"])
  }

  @Test("after a crash the newest records are found by another name too", arguments: [true, false])
  func crashed(isOwner: Bool) throws {
    let (folder, elsewhere) = (try LogFolder(), try LogFolder())
    try folder.leave(["1", "2"])
    #expect(link(folder.path, elsewhere.path) == 0)
    let log = try LogFile(.file(elsewhere.path), use: isOwner ? .own : .read)
    #expect(log.place == .file(folder.path))
    #expect(try log.all(0) == ["0 a=1", "1 a=2"])
  }

  @Test("after a crash readers leave both files as they are")
  func readers() throws {
    let folder = try LogFolder()
    try folder.leave(["1", "2"])
    func files() throws -> [Data] { try ["", "-wal"].map { try Data(contentsOf: folder.url($0)) } }
    let before = try files()
    for _ in 0..<2 { #expect(try LogFile(.file(folder.path), use: .read).all(0) == ["0 a=1", "1 a=2"]) }
    #expect(try files() == before && !before[1].isEmpty)
  }

  @Test("a file that was moved without its newest records is refused, until they are there too")
  func movedAlone() throws {
    let (folder, elsewhere) = (try LogFolder(), try LogFolder())
    try folder.leave(["1", "2"])
    #expect(rename(folder.path, elsewhere.path) == 0)
    let sentence = fault(.damaged) { _ = try elsewhere.open() }
    #expect(sentence.contains("without \(folder.path)-wal"), "\(sentence)")
    #expect(fault(.damaged) { _ = try LogFile(.file(elsewhere.path), use: .read) } == sentence)
    #expect(rename(folder.path + "-wal", elsewhere.path + "-wal") == 0)
    #expect(try elsewhere.open().all(0) == ["0 a=1", "1 a=2"])
    // The file has this name from now on.
    #expect(try elsewhere.open().place == .file(elsewhere.path))
  }

  @Test(
    "once the file is gone, or what is written ahead, nothing is acknowledged, and what was is in the file",
    arguments: ["deleted", "moved away", "replaced", "-wal, which belongs to"], [true, false])
  func gone(how: String, isIdle: Bool) throws {
    let (folder, other) = (try LogFolder(), try LogFolder())
    do { try append(try other.open(), "other") }
    let log = try folder.open()
    try append(log, "1")
    log.checkPresence()
    #expect(log.failure == nil)
    let unsynced = try log.append(.of(0, [("a", "unsynced")]), isSynced: false)
    let rings = log.attention.rings
    let last = folder.folder + "/moved.db"
    switch how {
    case "deleted": #expect(unlink(folder.path) == 0)
    case "moved away": #expect(rename(folder.path, last) == 0)
    case "replaced":
      #expect(link(folder.path, last) == 0)
      #expect(rename(other.path, folder.path) == 0)
    default: #expect(unlink(folder.path + "-wal") == 0)
    }
    if isIdle { log.checkPresence() }
    let sentence = fault(.gone) { try log.append(.of(0, [("a", "2")])) }
    #expect(sentence.contains(how) && log.failure?.message == sentence, "\(sentence)")
    #expect(log.attention.rings == rings + 1)
    fault(.gone) { try log.commit(LogBatch(), group: "g", positions: [LogPosition(stream: 0, offset: 1, metadata: "")]) }
    fault(.gone) { try log.sync() }
    #expect(log.synced < unsynced)
    log.close()
    if how.hasPrefix("-wal") {
      #expect(LogDisk.size(folder.path + "-wal") == nil)
      #expect(try LogFile(.file(folder.path), use: .read).all(0).first == "0 a=1")
    }
    if how == "moved away" {
      #expect(LogDisk.size(folder.path + "-wal") == 0)
      let moved = try LogFile(.file(last), use: .read)
      #expect(try moved.all(0).first == "0 a=1")
    }
  }

  @Test("a file in the place of a replaced one is left unchanged")
  func leavesOther() throws {
    let (folder, other) = (try LogFolder(), try LogFolder())
    try other.leave(["other 1", "other 2"])
    do {
      let log = try folder.open()
      try append(log, "1")
      for ending in ["", "-wal"] { #expect(rename(other.path + ending, folder.path + ending) == 0) }
      fault(.gone) { try log.append(.of(0, [("a", "2")])) }
      log.close()
    }
    #expect(try folder.open().all(0) == ["0 a=other 1", "1 a=other 2"])
  }
}
