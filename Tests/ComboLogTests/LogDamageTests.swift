import Foundation
import Testing

@testable import ComboLog

/// Bits that flip in a file. What is read is what was written, or is reported as damaged.
@Suite("A damaged file of a log")
struct LogDamageTests {
  static let bytes: [UInt8] = [1, 0, 0x68, 1, 0, 0, 0, 0x76]

  /// Limits that let a damaged file be used.
  static var unchecked: LogFile.Limits {
    var limits = LogFile.Limits()
    limits.checkMax = 0
    return limits
  }

  /// Writes a file with twenty records in a topic that is kept, and three in a compacted one.
  func write(_ folder: LogFolder) throws {
    let log = try folder.open()
    try log.makeTopic("gifts", partitions: 1, .held)
    try log.makeTopic("state", partitions: 1, .compacted)
    var batch = LogBatch()
    for number in 0..<20 {
      batch.append(0, number == 3 ? nil : "key\(number)", String(repeating: "v", count: number * 300), headers: Self.bytes)
    }
    for key in ["a", "b", "c"] { batch.append(1, key, "state of \(key)") }
    try log.commit(batch, group: "g", positions: [LogPosition(stream: 0, offset: 7, metadata: "m")])
    log.close()
  }

  func alter(_ folder: LogFolder, _ sql: String) throws {
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
    for use in [LogFile.Use.read, .own] {
      let log = try LogFile(.file(folder.path), use: use, limits: Self.unchecked)
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
    try LogFile(.file(folder.path), use: .read).check { found.append($0.message) }
    #expect(found.first?.contains(sentence) == true, "\(found)")
  }

  @Test("the list of streams and the positions of groups have checksums too")
  func lists() throws {
    for column in ["first", "next", "floor", "summed", "sum", "partition", "keeping"] {
      let folder = try LogFolder()
      try write(folder)
      try alter(folder, "UPDATE streams SET \(column) = \(column) + 1 WHERE id = 1")
      fault(.damaged) { _ = try folder.open() }
      fault(.damaged) { _ = try LogFile(.file(folder.path), use: .read) }
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

  @Test("a file that was closed is checked record by record before anything is changed")
  func checkedBeforeUse() throws {
    let folder = try LogFolder()
    try write(folder)
    try alter(folder, "UPDATE log_1 SET value = x'00' WHERE offset = 5")
    let whole = try Data(contentsOf: folder.url())
    #expect(fault(.damaged) { _ = try folder.open() }.contains("offset 5"))
    #expect(try Data(contentsOf: folder.url()) == whole)
    #expect(LogDisk.size(folder.path + "-wal") == nil && LogDisk.size(folder.path + "-shm") == nil)
  }

  @Test("a file that was not closed is checked record by record before it is used")
  func checkedAfterCrash() throws {
    let folder = try LogFolder()
    try write(folder)
    try alter(folder, "UPDATE log_1 SET value = x'00' WHERE offset = 5")
    // A crash leaves this behind.
    let log = try LogFile(.file(folder.path), use: .read)
    try log.writer.run("CREATE TABLE other (a)")
    #expect((LogDisk.size(folder.path + "-wal") ?? 0) > 0)
    #expect(fault(.damaged) { _ = try folder.open() }.contains("offset 5"))
  }

  @Test(
    "a file that is refused stays as it is, and a copy of it beside what was written ahead is whole",
    arguments: [(true, false), (false, false), (false, true)])
  func refusedUnchanged(isTorn: Bool, isFlipped: Bool) throws {
    let folder = try LogFolder()
    try write(folder)
    try folder.leave(["1", "2"])
    let whole = try Data(contentsOf: folder.url())
    // An incomplete last transaction is left out, and kept only once the file is used.
    if isTorn { try (Data(contentsOf: folder.url("-wal")) + Data(count: 5000)).write(to: folder.url("-wal"), options: []) }
    var ahead = try Data(contentsOf: folder.url("-wal"))
    if isFlipped {
      ahead[32 + 24 + 100] ^= 1
      try ahead.write(to: folder.url("-wal"), options: [])
    }
    var damaged = whole
    // A byte of the largest record's value, which is not written ahead.
    let place = try #require(damaged.range(of: Data(String(repeating: "v", count: 4000).utf8))).lowerBound
    damaged[place] ^= 1
    try damaged.write(to: folder.url(), options: [])
    for _ in 0..<2 {
      let sentence = fault(.damaged) { _ = try folder.open() }
      #expect(sentence.contains("a copy of it alone beside \(folder.path)-wal") && sentence.contains("move both away"))
      #expect(try Data(contentsOf: folder.url()) == damaged)
      #expect(try Data(contentsOf: folder.url("-wal")) == ahead)
      #expect(LogDisk.size(folder.path + "-wal-damaged") == nil)
    }
    try whole.write(to: folder.url(), options: [])
    let log = try folder.open()
    #expect(try log.all(0).suffix(2) == ["20 a=1", "21 a=2"] && log.wasChecked)
    #expect(log.leftOutCopies.count == (isTorn ? 1 : 0) && log.repaired == (isFlipped ? [156] : []))
  }

  @Test("an owner that finds damage leaves the records written ahead beside the file")
  func foundWhileInUse() throws {
    let folder = try LogFolder()
    try write(folder)
    try alter(folder, "UPDATE log_1 SET value = x'00' WHERE offset = 5")
    let ahead: Data
    do {
      let log = try folder.open(Self.unchecked)
      try log.append(.of(0, [("a", "1")]))
      ahead = try Data(contentsOf: folder.url("-wal"))
      fault(.damaged) { _ = try log.all(0) }
      log.close()
    }
    #expect(try !ahead.isEmpty && Data(contentsOf: folder.url("-wal")) == ahead)
  }

  @Test("a deleted record is not missed, although it is deleted while others read")
  func deletedMeanwhile() throws {
    let folder = try LogFolder()
    try write(folder)
    let reader = try LogFile(.file(folder.path), use: .read)
    let log = try folder.open()
    try log.commit(LogBatch(), group: "g", holds: [(0, 10)])
    #expect(try log.retain(ageMs: 0, now: 1_000_000) == 10)
    #expect(reader.bounds(0).first == 0)
    fault(.outOfRange) { _ = try reader.read(0, from: 0, into: LogPage()) }
    var offsets: [Int64] = []
    _ = try reader.forEachPage(of: 0) {
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
    let expected = try all(LogFile(.file(folder.path), use: .read)) { _ in Issue.record("nothing is damaged yet") }
    var random = SplitMix(seed: seed)
    var (refused, named) = (0, 0)
    for _ in 0..<60 {
      var damaged = whole
      let (byte, bit) = (Int(random.next() % UInt64(whole.count)), UInt8(random.next() % 8))
      damaged[byte] ^= 1 << bit
      try damaged.write(to: URL(fileURLWithPath: folder.path))
      var faults = 0
      do {
        let log = try folder.open(bit < 4 ? Self.unchecked : .init())
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
      let log = try folder.open(Self.unchecked)
      fault(.damaged) { _ = try log.read(0, from: 0, into: LogPage()) }
      log.close()
    }
    // Nothing was written ahead, and readers leave it so.
    for _ in 0..<2 { #expect(try !LogFile(.file(folder.path), use: .read).lacksAhead) }
    #expect(LogDisk.size(folder.path + "-wal") == 0)
    #expect(fault(.damaged) { _ = try folder.open() }.contains("offset 5"))
  }

  @Test("pages that lead back to earlier ones end each reading, and later pages are still found")
  func pagesInCircles() throws {
    let folder = try LogFolder()
    try write(folder)
    let root = try #require(
      try Database(folder.path, name: "x").integer("SELECT rootpage FROM sqlite_schema WHERE name = 'log_1'"))
    var bytes = [UInt8](try Data(contentsOf: folder.url()))
    // https://www.sqlite.org/fileformat2.html#b_tree_pages: each cell of an inner page begins with the number of the page below
    // it.
    let page = Int(root - 1) * 4096
    #expect(bytes[page] == 5)
    let cells = [0, 2].map { page + Int(bytes[page + 12 + 2 * $0]) << 8 + Int(bytes[page + 13 + 2 * $0]) }
    for byte in 0..<4 { bytes[cells[1] + byte] = bytes[cells[0] + byte] }
    try Data(bytes).write(to: folder.url())
    let log = try LogFile(.file(folder.path), use: .read)
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
}
