import Foundation
import Testing

@testable import ComboLog

/// Bits that flip in a file. What is read is what was written, or is reported as damaged.
@Suite("A damaged file of a log")
struct LogDamageTests {
  private static let bytes: [UInt8] = [1, 0, 0x68, 1, 0, 0, 0, 0x76]

  /// Writes a file with twenty records in a topic that is kept, and three in a compacted one.
  private func write(_ folder: LogFolder) throws {
    let log = try folder.open()
    try log.makeTopic("gifts", partitions: 1, .held)
    try log.makeTopic("state", partitions: 1, .compacted)
    let batch = LogBatch()
    for number in 0..<20 {
      batch.append(0, number == 3 ? nil : "key\(number)", String(repeating: "v", count: number * 300), headers: Self.bytes)
    }
    for key in ["a", "b", "c"] { batch.append(1, key, "state of \(key)") }
    try log.commit(batch, group: "g", positions: [LogPosition(stream: 0, offset: 7, metadata: "m")])
    log.close()
  }

  private func alter(_ folder: LogFolder, _ sql: String) throws {
    let database = try Database(folder.path, name: "x")
    try database.run(sql)
  }

  @Test(
    "a record that was altered is named by whoever reads it, and left out only if that is asked for",
    arguments: [
      "key = x'6b6579'", "key = NULL", "value = x'76'", "value = value || x'00'", "time = 1001", "time = NULL", "headers = x'01'",
      "headers = NULL", "sum = sum + 1", "sum = NULL", "key = value, value = key",
    ])
  func altered(how: String) throws {
    let folder = try LogFolder()
    try write(folder)
    try alter(folder, "UPDATE log_1 SET \(how) WHERE offset = 5")
    for use in [LogFile.Use.look, .own] {
      let log = try LogFile(.file(folder.path), use: use)
      let page = LogPage()
      let sentence = fault(.damaged) { _ = try log.read(0, from: 0, into: page) }
      #expect(sentence.contains("the record at offset 5 of topic \"gifts\" partition 0 is not what was written"))
      #expect(page.records.map(\.offset) == [0, 1, 2, 3, 4])
      // The damage makes its owner fail.
      #expect((log.failure?.message == sentence) == (use == .own))
      if use == .own { fault(.damaged) { try log.append(.of(0, [("k", "v")])) } }
      var found: [String] = []
      try log.check { found.append($0.message) }
      #expect(found == [sentence])
      var offsets: [Int64] = []
      found = []
      #expect(
        try log.forEachPage(of: 0, damaged: { found.append($0.message) }) {
          offsets += $0.records.map(\.offset)
          return true
        })
      #expect(offsets == [0, 1, 2, 3, 4] + (6..<20) && found == [sentence])
    }
  }

  @Test(
    "a record that is gone is missed, at the end too, and a state that was altered is named",
    arguments: [
      ("DELETE FROM log_1 WHERE offset = 5", "the record at offset 5 of topic \"gifts\" partition 0 is missing"),
      ("DELETE FROM log_1 WHERE offset >= 18", "the record at offset 18 of topic \"gifts\" partition 0 is missing"),
      ("DELETE FROM log_1 WHERE offset = 0", "the record at offset 0 of topic \"gifts\" partition 0 is missing"),
      ("UPDATE log_1 SET offset = 25 WHERE offset = 19", "offset 19 of topic \"gifts\" partition 0 is missing"),
      ("UPDATE log_2 SET value = x'00' WHERE offset = 1", "offset 1 of topic \"state\" partition 0 is not what was written"),
    ])
  func missing(sql: String, sentence: String) throws {
    let folder = try LogFolder()
    try write(folder)
    try alter(folder, sql)
    var found: [String] = []
    try LogFile(.file(folder.path), use: .look).check { found.append($0.message) }
    #expect(found.first?.contains(sentence) == true, "\(found)")
  }

  @Test("the list of streams and the positions of groups have checksums too")
  func lists() throws {
    for column in ["first", "next", "floor", "summed", "sum", "partition", "keeping"] {
      let folder = try LogFolder()
      try write(folder)
      try alter(folder, "UPDATE streams SET \(column) = \(column) + 1 WHERE id = 1")
      fault(.damaged) { _ = try folder.open() }
      fault(.damaged) { _ = try LogFile(.file(folder.path), use: .look) }
    }
    for change in ["offset = 8", "metadata = 'n'", "sum = 0", "stream = 2"] {
      let folder = try LogFolder()
      try write(folder)
      try alter(folder, "UPDATE positions SET \(change)")
      let log = try folder.open()
      #expect(fault(.damaged) { _ = try log.position("g", change.hasPrefix("stream") ? 1 : 0) }.contains("group g"))
      #expect(log.failure != nil)
    }
  }

  @Test("a file that was not closed is checked record by record before it is used")
  func checkedAfterCrash() throws {
    let folder = try LogFolder()
    try write(folder)
    try alter(folder, "UPDATE log_1 SET value = x'00' WHERE offset = 5")
    // A crash leaves this behind.
    let log = try LogFile(.file(folder.path), use: .look)
    try log.writer.run("CREATE TABLE other (a)")
    #expect((LogDisk.size(folder.path + "-wal") ?? 0) > 0)
    #expect(fault(.damaged) { _ = try folder.open() }.contains("offset 5"))
  }

  @Test("a deleted record is not missed, though it goes while others read")
  func deletedMeanwhile() throws {
    let folder = try LogFolder()
    try write(folder)
    let look = try LogFile(.file(folder.path), use: .look)
    let log = try folder.open()
    try log.commit(LogBatch(), group: "g", holds: [(0, 10)])
    #expect(try log.retain(ageMs: 0, now: 1_000_000) == 10)
    #expect(look.bounds(0).first == 0)
    fault(.outOfRange) { _ = try look.read(0, from: 0, into: LogPage()) }
    var offsets: [Int64] = []
    _ = try look.forEachPage(of: 0) {
      offsets += $0.records.map(\.offset)
      return true
    }
    #expect(offsets == Array(10..<20))
  }

  @Test(
    "whatever bit flips, each record that is read is the one that was written, or the file is called damaged", arguments: 0..<8)
  func flippedBits(seed: UInt64) throws {
    let folder = try LogFolder()
    try write(folder)
    let whole = try Data(contentsOf: URL(fileURLWithPath: folder.path))
    func all(_ log: LogFile, _ damaged: @escaping (LogFault) -> Void) throws -> [String] {
      var texts: [String] = []
      for stream in 0..<2 {
        _ = try log.forEachPage(of: stream, damaged: damaged) { page in
          for record in page.records {
            texts.append(
              "\(stream) \(record.offset) \(record.timestamp ?? -1) "
                + [page.key(record), page.value(record), page.headers(record)].map { "\($0.map { Array($0) } ?? [])" }.joined())
          }
          return true
        }
      }
      return texts
    }
    let expected = try all(LogFile(.file(folder.path), use: .look)) { _ in Issue.record("nothing is damaged yet") }
    var random = SplitMix(seed: seed)
    var (refused, named) = (0, 0)
    for _ in 0..<60 {
      var damaged = whole
      let (byte, bit) = (Int(random.next() % UInt64(whole.count)), UInt8(random.next() % 8))
      damaged[byte] ^= 1 << bit
      try damaged.write(to: URL(fileURLWithPath: folder.path))
      var faults = 0
      do {
        let log = try folder.open()
        let found = try all(log) { _ in faults += 1 }
        if faults > 0 {
          named += 1
          #expect(found.allSatisfy { expected.contains($0) }, "seed \(seed), byte \(byte), bit \(bit)")
        } else {
          #expect(found == expected, "seed \(seed), byte \(byte), bit \(bit)")
          #expect(
            try log.position("g", 0) == LogPosition(stream: 0, offset: 7, metadata: "m"), "seed \(seed), byte \(byte), bit \(bit)"
          )
        }
      } catch let fault as LogFault {
        #expect(fault.code != .inUse && fault.code != .full, "\(fault)")
        refused += 1
      }
      for ending in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: folder.path + ending) }
    }
    #expect(refused + named > 5, "seed \(seed)")
  }

  @Test("a file that was found damaged is refused by the next owner, whatever else it would read")
  func damagedAgain() throws {
    let folder = try LogFolder()
    try write(folder)
    try alter(folder, "UPDATE log_1 SET value = x'00' WHERE offset = 5")
    do {
      let log = try folder.open()
      #expect(!log.wasChecked)
      fault(.damaged) { _ = try log.read(0, from: 0, into: LogPage()) }
      log.close()
    }
    #expect(LogDisk.size(folder.path + "-wal") ?? 0 == 0)
    #expect(fault(.damaged) { _ = try folder.open() }.contains("offset 5"))
  }

  @Test("pages that lead back to earlier ones end each reading, and what lies behind them is still found")
  func pagesInCircles() throws {
    let folder = try LogFolder()
    try write(folder)
    let root = try #require(
      try Database(folder.path, name: "x").integer("SELECT rootpage FROM sqlite_schema WHERE name = 'log_1'"))
    var bytes = [UInt8](try Data(contentsOf: folder.url()))
    // https://www.sqlite.org/fileformat2.html#b_tree_pages: each cell of an inner page begins with the number of the page below it.
    let page = Int(root - 1) * 4096
    #expect(bytes[page] == 5)
    let cells = [0, 2].map { page + Int(bytes[page + 12 + 2 * $0]) << 8 + Int(bytes[page + 13 + 2 * $0]) }
    for byte in 0..<4 { bytes[cells[1] + byte] = bytes[cells[0] + byte] }
    try Data(bytes).write(to: folder.url())
    let log = try LogFile(.file(folder.path), use: .look)
    var (offsets, found): ([Int64], [String]) = ([], [])
    #expect(
      try log.forEachPage(of: 0, damaged: { found.append($0.message) }) {
        offsets += $0.records.map(\.offset)
        return true
      })
    #expect(offsets == offsets.sorted() && Set(offsets).count == offsets.count && offsets.first == 0 && offsets.last == 19)
    #expect(offsets.count < 20 && found.contains { $0.contains("is missing") }, "\(offsets), \(found)")
    found = []
    try log.check { found.append($0.message) }
    #expect(!found.isEmpty)
  }

  /// Returns a file whose owner was killed, with its write-ahead log.
  private func killed(_ commits: Int = 8) throws -> (file: Data, ahead: Data) {
    let folder = try LogFolder()
    let log = try folder.open()
    try log.makeTopic("gifts", partitions: 1, .held)
    for number in 0..<commits {
      try log.commit(.of(0, [("k\(number)", String(repeating: "v", count: number * 700))]), group: "g")
    }
    return (try Data(contentsOf: folder.url()), try Data(contentsOf: folder.url("-wal")))
  }

  @Test("a bit that flips in what was written ahead loses nothing: its owner turns it back, others refuse", arguments: 0..<10)
  func flippedAhead(seed: UInt64) throws {
    let (file, ahead) = try killed()
    var random = SplitMix(seed: seed)
    for round in 0..<4 {
      let folder = try LogFolder()
      var damaged = ahead
      // The header and the last frame are damaged, too.
      let (first, count) = round == 0 ? (0, 24) : round == 1 ? (ahead.count - 4096, 4000) : (0, ahead.count)
      // The checksum does not distinguish the upper bits of a word of 32 bits.
      let (byte, bit) = (first + Int(random.next() % UInt64(count)) & ~3, UInt8(random.next() % 8))
      damaged[byte] ^= 1 << bit
      try file.write(to: folder.url())
      try damaged.write(to: folder.url("-wal"))
      let sentence = fault(.damaged) { _ = try LogFile(.file(folder.path), use: .look) }
      #expect(sentence.contains("byte \(byte) of \(folder.path)-wal"), "seed \(seed), byte \(byte), bit \(bit)")
      #expect(try Data(contentsOf: folder.url("-wal")) == damaged)
      let log = try folder.open()
      #expect(log.repaired == [byte] && log.leftOut == nil, "seed \(seed), bit \(bit)")
      #expect(try log.all(0).count == 8, "seed \(seed), byte \(byte), bit \(bit)")
    }
    var damaged = ahead
    let word = 32 + 24 + Int(random.next() % 1000) * 4
    damaged[word + 3] ^= 0x80
    let folder = try LogFolder()
    try file.write(to: folder.url())
    try damaged.write(to: folder.url("-wal"))
    #expect(fault(.damaged) { _ = try folder.open() }.contains("cannot be known which one"), "seed \(seed), word \(word)")
    #expect(fault(.damaged) { _ = try LogFile(.file(folder.path), use: .look) }.contains("cannot be known which one"))
    #expect(try Data(contentsOf: folder.url("-wal")) == damaged)
  }

  @Test("what a power cut leaves of the last transaction is no flipped bit", arguments: [1, 24, 600, 4119, 4120, 5000])
  func tornAhead(missing: Int) throws {
    var (file, ahead) = try killed()
    ahead.replaceSubrange((ahead.count - missing)..., with: Data(repeating: 0, count: missing))
    let folder = try LogFolder()
    try file.write(to: folder.url())
    try ahead.write(to: folder.url("-wal"))
    do {
      let seen = try LogFile(.file(folder.path), use: .look)
      #expect(seen.leftOut == ahead.count - (missing + 4119) / 4120 * 4120 && seen.leftOutCopies.isEmpty)
    }
    do {
      let log = try folder.open()
      #expect(log.repaired == [])
      #expect(try log.all(0).count == 7)
      #expect(log.leftOut == ahead.count - (missing + 4119) / 4120 * 4120)
      #expect(try Data(contentsOf: URL(fileURLWithPath: try #require(log.leftOutCopies.first))) == ahead)
      log.close()
    }
    let log = try folder.open()
    #expect(log.leftOut == nil && log.leftOutCopies == [folder.path + "-wal-damaged"])
    // The next one does not replace it.
    try Data("x".utf8).write(to: folder.url("-wal-damaged-2"))
    #expect(log.leftOutCopies.count == 2)
  }

  @Test("damage up to the end of what was written ahead is noticed", arguments: 0..<10)
  func damagedEnd(seed: UInt64) throws {
    let (file, ahead) = try killed(40)
    var random = SplitMix(seed: seed)
    let frames = (ahead.count - 32) / 4120
    for kind in 0..<6 {
      let frame = frames - 1 - Int(random.next() % 4)
      let start = 32 + frame * 4120
      var damaged = ahead
      switch kind {
      case 0: damaged.replaceSubrange(start..., with: Data(count: ahead.count - start))
      case 1: damaged.replaceSubrange(start..., with: (start..<ahead.count).map { _ in UInt8(truncatingIfNeeded: random.next()) })
      case 2: for each in frame..<frames { damaged[32 + each * 4120 + 8 + Int(random.next() % 8)] ^= 0xff }
      case 5:
        // As if all were of an earlier use.
        for each in frame..<frames {
          damaged[32 + each * 4120 + 11] &-= 1
          damaged[32 + each * 4120 + 13] ^= 16
        }
      case 3: damaged.removeLast(ahead.count - start - 1 - Int(random.next() % 4119))
      default: damaged = Data(count: ahead.count)
      }
      let folder = try LogFolder()
      try file.write(to: folder.url())
      try damaged.write(to: folder.url("-wal"))
      #expect(try folder.open().leftOut == (kind == 4 ? 0 : start), "seed \(seed), kind \(kind), frame \(frame) of \(frames)")
      #expect(try Data(contentsOf: folder.url("-wal-damaged")) == damaged)
    }
  }

  @Test("several wrong bits in what was written ahead are a fault as long as later commits stand behind them", arguments: 0..<10)
  func damagedAhead(seed: UInt64) throws {
    let (file, ahead) = try killed(40)
    var random = SplitMix(seed: seed)
    let frames = (ahead.count - 32) / 4120
    let size = { (frame: Int) in ahead[(32 + frame * 4120 + 4)...].prefix(4).reduce(0) { $0 << 8 | UInt32($1) } }
    for _ in 0..<4 {
      let folder = try LogFolder()
      let frame = Int(random.next() % UInt64(frames))
      var damaged = ahead
      let byte = 32 + frame * 4120 + 24 + Int(random.next() % 4000)
      damaged[byte] ^= 0x15
      try file.write(to: folder.url())
      try damaged.write(to: folder.url("-wal"))
      if (frame + 1..<frames).count(where: { size($0) > 0 }) >= 16 {
        for open in [{ _ = try LogFile(.file(folder.path), use: .look) }, { _ = try folder.open() }] as [() throws -> Void] {
          let sentence = fault(.damaged) { try open() }
          #expect(
            sentence.contains("truncate -s \(32 + frame * 4120) \(folder.path)-wal"), "seed \(seed), byte \(byte): \(sentence)")
        }
        #expect(try Data(contentsOf: folder.url("-wal")) == damaged)
        #expect(truncate(folder.path + "-wal", 32 + frame * 4120) == 0)
      }
      // What the last transactions lack may be what a power cut has left of them.
      let isCut = (frame + 1..<frames).count(where: { size($0) > 0 }) >= 16
      let log = try folder.open()
      #expect(log.repaired == [] && log.leftOut == (isCut ? nil : 32 + frame * 4120), "seed \(seed), byte \(byte)")
      if log.stream("gifts", 0) != nil { #expect(try log.all(0).count < 40, "seed \(seed), byte \(byte)") }
    }
  }

  @Test(
    "no damage of what was written ahead hides what stands behind it",
    arguments: [0..<512, 17..<18, 32 + 16 + 4120 * 9..<32 + 20 + 4120 * 9, 8 * 4096..<9 * 4096, 4120 * 3..<4120 * 9])
  func lostAhead(damage: Range<Int>) throws {
    var (file, ahead) = try killed(40)
    for byte in damage { ahead[byte] ^= 0x5a }
    let folder = try LogFolder()
    try file.write(to: folder.url())
    try ahead.write(to: folder.url("-wal"))
    for open in [{ _ = try LogFile(.file(folder.path), use: .look) }, { _ = try folder.open() }] as [() throws -> Void] {
      #expect(fault(.damaged) { try open() }.contains("or do without what was written from there on: truncate -s"))
    }
    #expect(try Data(contentsOf: folder.url("-wal")) == ahead)
  }

  @Test(
    "bytes that are missing of what was written ahead do not hide what stands behind them",
    arguments: [0, 8, 4096, 6144, 4120 * 9])
  func shiftedAhead(from: Int) throws {
    for count in [1, 512, 4120] {
      var (file, ahead) = try killed(40)
      ahead.removeSubrange(from..<from + count)
      let folder = try LogFolder()
      try file.write(to: folder.url())
      try ahead.write(to: folder.url("-wal"))
      #expect(
        fault(.damaged) { _ = try folder.open() }.contains("or do without what was written from there on: truncate -s"),
        "\(count) bytes")
    }
  }

  @Test("what an earlier use has left behind the end of what was written ahead is no damage", arguments: [0, 1, 600, 4119])
  func earlierUse(missing: Int) throws {
    let folder = try LogFolder()
    let log = try folder.open()
    try log.makeTopic("gifts", partitions: 1, .held)
    for number in 0..<43 {
      try log.commit(.of(0, [("k\(number)", "v")]), group: "g")
      if number == 39 {
        try log.writer.run("PRAGMA wal_checkpoint(RESTART)")
        log.stamp = log.lock?.stamp
      }
    }
    var ahead = try Data(contentsOf: folder.url("-wal"))
    #expect(ahead.count > 40 * 4120)
    // The frames of the last three commits, of which a power cut leaves two and a half.
    let salts = ahead[16..<24]
    let frames = (0..<(ahead.count - 32) / 4120).prefix {
      ahead[(32 + $0 * 4120 + 8)..<(32 + $0 * 4120 + 16)].elementsEqual(salts)
    }
    let end = 32 + frames.count * 4120
    ahead.replaceSubrange(end - missing..<end, with: Data(repeating: 0, count: missing))
    let copy = try LogFolder()
    try Data(contentsOf: folder.url()).write(to: copy.url())
    try ahead.write(to: copy.url("-wal"))
    let opened = try copy.open()
    #expect(try opened.all(0).count == (missing == 0 ? 43 : 42))
    #expect((opened.leftOut == nil) == (missing == 0))
  }

  @Test("what was written ahead is kept for a file that is not there")
  func aheadAlone() throws {
    let ahead = try killed().ahead
    let folder = try LogFolder()
    for isEmpty in [false, true] {
      if isEmpty { try Data().write(to: folder.url()) }
      try ahead.write(to: folder.url("-wal"))
      #expect(fault(.damaged) { _ = try folder.open() }.contains("Move that file back"))
      #expect(fault(.damaged) { _ = try LogFile(.file(folder.path), use: .look) }.contains("Move that file back"))
      #expect(try Data(contentsOf: folder.url("-wal")) == ahead)
    }
  }

  private struct SplitMix: RandomNumberGenerator {
    var state: UInt64
    init(seed: UInt64) { state = seed }
    mutating func next() -> UInt64 {
      state &+= 0x9e37_79b9_7f4a_7c15
      var mixed = state
      mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
      mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
      return mixed ^ (mixed >> 31)
    }
  }
}

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
      let look = try LogFile(.file(folder.path), use: .look)
      #expect(try look.all(0) == old && look.bounds(0) == (2, 5) && look.all(1, from: 0) == ["5 k=9"])
      #expect(try look.position("g", 0) == LogPosition(stream: 0, offset: 4, metadata: "m"))
      try look.check { Issue.record("\($0)") }
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
