import ComboEdge
import Foundation
import Testing

@testable import ComboLog

/// Old records are deleted up to a mark, from which all that is left can be derived again.
@Suite("Old records of a log")
struct LogRetentionTests {
  private static let (input, journal, state, output) = (0, 1, 2, 3)
  private static let names = TopicNames(input: "in", output: "out", journal: "journal", state: "state", deadLetter: "out")

  /// Returns a log of at most 1 MiB with a group's topics.
  private func log(_ folder: LogFolder? = nil) throws -> LogFile {
    var limits = LogFile.Limits()
    limits.sizeMax = 1 << 20
    let log = try folder.map { try $0.open(limits) } ?? LogFile(.memory, limits: limits)
    for (topic, keeping) in [("in", .held), ("journal", .held), ("state", .compacted), ("out", .retained)]
      as [(String, LogFile.Keeping)]
    {
      try log.makeTopic(topic, partitions: 1, keeping)
    }
    return log
  }

  /// Writes ten records of a time, and commits their results.
  private func work(_ log: LogFile, at time: Int64, bytes: Int = 10) throws {
    let text = String(repeating: "x", count: bytes)
    try log.append(.of(Self.input, Array(repeating: ("k", text), count: 10), at: time))
    var batch = LogBatch.of(Self.journal, [(nil, "entry")], at: nil)
    for _ in 0..<10 { batch.append(Self.output, "k", text, at: time) }
    try log.commit(
      batch, group: "g", positions: [LogPosition(stream: Self.input, offset: log.bounds(Self.input).next, metadata: "")])
  }

  /// Writes a checkpoint of all processed records.
  private func check(_ log: LogFile, _ name: String) throws {
    try log.commit(
      .of(Self.state, [("checkpoint", name), ("room", "at \(name)")]), group: "g",
      holds: [(Self.input, log.bounds(Self.input).next), (Self.journal, log.bounds(Self.journal).next)])
  }

  private func stateAtBase(_ log: LogFile) throws -> [String]? {
    guard let mark = try log.base() else { return nil }
    let page = LogPage()
    _ = try log.read(Self.state, from: 0, mark: mark, into: page)
    return page.records.map { "\($0.offset) " + String(decoding: page.value($0)!, as: UTF8.self) }
  }

  /// Returns what a reader of the state topic finds, up to this many records.
  private func state(_ log: LogFile, _ history: LogReading.History, most: Int = .max) throws -> [String] {
    var found: [String] = []
    try LogReading(log, names: Self.names, history: history).read(.state, 0, from: 0, to: 40, unless: { false }) {
      found.append(String(decoding: $0.value!, as: UTF8.self))
      return found.count < most
    }
    return found
  }

  @Test("by age they are deleted up to the newest mark that is old enough, and its state is kept", arguments: [true, false])
  func byAge(isFile: Bool) throws {
    let folder = isFile ? try LogFolder() : nil
    do {
      let log = try log(folder)
      // One round an hour (of 1000 ms here); records are kept for eight hours.
      for hour in 1...20 as ClosedRange<Int64> {
        try work(log, at: hour * 1000)
        try check(log, "\(hour)")
        try work(log, at: hour * 1000 + 500)
        try log.retain(ageMs: 8000, now: hour * 1000 + 600)
        // In the first hours, nothing is old enough to be deleted.
        if hour < 10 { #expect(log.bounds(Self.input).first == 0) }
      }
      // The mark of hour 12 is the newest whose records are older than 12,600.
      #expect(log.bounds(Self.input).first == 230 && log.bounds(Self.journal).first == 23)
      #expect(try stateAtBase(log) == ["22 12", "23 at 12"])
      let page = LogPage()
      _ = try log.read(Self.output, from: log.bounds(Self.output).first, into: page)
      #expect(page.records.first?.timestamp == 12_000)
      #expect(try log.all(Self.state, from: 0) == ["38 checkpoint=20", "39 room=at 20"])
      #expect(try state(log, .newest) == ["20", "at 20"] && state(log, .oldest) == ["12", "at 12"])
      #expect(try state(log, .both) == ["12", "at 12", "20", "at 20"] && state(log, .both, most: 1) == ["12"])
      log.close()
    }
    if let folder {
      let log = try log(folder)
      #expect(try stateAtBase(log) == ["22 12", "23 at 12"])
      try log.check { Issue.record("\($0)") }
      // A damaged mark is noticed too.
      try log.writer.run("UPDATE marked SET value = x'00' WHERE offset = 22")
      fault(.damaged) { _ = try stateAtBase(log) }
    }
  }

  @Test("another process still reads the records that are deleted meanwhile")
  func readBesides() throws {
    let folder = try LogFolder()
    let log = try log(folder)
    try work(log, at: 1000)
    try check(log, "1")
    let reader = try LogReading(LogFile(.file(folder.path), use: .read), names: Self.names)
    try work(log, at: 2000)
    try log.retain(ageMs: 1000, now: 2500)
    #expect(log.bounds(Self.input).first == 10)
    #expect(try reader.bounds(.input, 0) == (0, 10))
    var found: [Int64] = []
    try reader.read(.input, 0, from: 0, to: 10, unless: { false }) {
      found.append($0.offset)
      return true
    }
    #expect(found == Array(0..<10))
  }

  @Test("a reader of pages learns which records were deleted after it had begun, and nothing of those before")
  func deletedBetweenPages() throws {
    let folder = try LogFolder()
    let log = try log(folder)
    for _ in 0..<600 { try work(log, at: 1000) }
    try check(log, "1")
    let reader = try LogFile(.file(folder.path), use: .read)
    for _ in 0..<10 { try work(log, at: 2000) }
    var (deleted, read): ([Range<Int64>], [Int64]) = ([], [])
    _ = try reader.forEachPage(of: Self.input, deleted: { deleted.append($0) }) { page in
      read += page.records.map(\.offset)
      if deleted.isEmpty, read.count < 6000 { #expect(throws: Never.self) { try log.retain(ageMs: 1000, now: 2500) } }
      return true
    }
    #expect(read.first == 0 && deleted == [Int64(read.count)..<6000], "\(read.count) \(deleted)")
    deleted = []
    _ = try reader.forEachPage(of: Self.input, deleted: { deleted.append($0) }) { _ in true }
    #expect(deleted.isEmpty)
  }

  @Test("records that no checkpoint follows are deleted too, a quarter of their time later")
  func idle() throws {
    let log = try log()
    try work(log, at: 1000)
    try check(log, "1")
    try work(log, at: 1500)
    try log.retain(ageMs: 8000, now: 2000)
    #expect(try log.base() == nil)
    try log.retain(ageMs: 8000, now: 9100)
    #expect(log.bounds(Self.input).first == 10 && log.bounds(Self.output).first == 0)
    #expect(try stateAtBase(log) == ["0 1", "1 at 1"])
    try log.retain(ageMs: 8000, now: 11_600)
    #expect(log.bounds(Self.input).first == 10 && log.bounds(Self.output).first == 20)
  }

  @Test("in a log that is full, room is made at once, up to a mark, and only records that may not be deleted refuse more")
  func bySize() throws {
    let log = try log()
    var time: Int64 = 1000
    let rings = log.attention.rings
    while !log.needsRetention {
      try work(log, at: time, bytes: 1000)
      try check(log, "\(time)")
      time += 1
    }
    #expect(log.attention.rings == rings + 1)
    // The first eighth only makes a mark, and deletes nothing.
    #expect(try log.retain(ageMs: 1_000_000, now: time) == 0)
    #expect(try log.base() == nil && !log.needsRetention)
    let marked = log.bounds(Self.input).next
    // The test does not call `retain` any more.
    while log.bounds(Self.input).first == 0 {
      try work(log, at: time, bytes: 1000)
      try check(log, "\(time)")
      time += 1
    }
    #expect(log.bounds(Self.input).first == marked)
    #expect(try stateAtBase(log)?.count == 2)
    #expect(try log.size() < 1 << 20)
    // The records after the last checkpoint may not be deleted.
    let floor = log.bounds(Self.input).next
    let sentence = fault(.full) { while true { try work(log, at: time, bytes: 1000) } }
    #expect(sentence.contains("no record in it may be deleted yet"))
    #expect(log.bounds(Self.input).first == floor)
  }

  @Test("records without a later checkpoint stay in a log that is full, and new ones are refused until there is one")
  func beforeCheckpoint() throws {
    let log = try log()
    var time: Int64 = 1000
    fault(.full) {
      while true {
        try work(log, at: time, bytes: 1000)
        time += 1
      }
    }
    #expect(try log.retain(ageMs: 1_000_000, now: time) == 0 && log.refusal() != nil)
    #expect(log.bounds(Self.output).first == 0 && log.bounds(Self.journal).first == 0)
    try check(log, "1")
    #expect(try log.retain(ageMs: 1_000_000, now: time) > 0 && log.refusal() == nil)
    #expect(log.bounds(Self.output).first > 0)
  }

  @Test("a log that has no room for a mark loses old records nevertheless, and gets a mark once there is room")
  func noRoomForMark() throws {
    let log = try log()
    try log.commit(.of(Self.state, [("large", String(repeating: "x", count: 200_000))]), group: "g")
    try work(log, at: 1000)
    try check(log, "1")
    let output = LogBatch.of(Self.output, Array(repeating: ("k", String(repeating: "x", count: 1000)), count: 20), at: 2000)
    fault(.full) { while true { try log.commit(output, group: "g") } }
    #expect(log.bounds(Self.output).first > 0)
    for _ in 0..<20 { try log.commit(.of(Self.journal, [(nil, "entry")], at: 3000), group: "g") }
    try check(log, "2")
    #expect(try log.retain(ageMs: 1_000_000, now: 3000) > 0)
    #expect(try stateAtBase(log)?.contains { $0.hasSuffix("2") } == true)
  }

  @Test("no more is taken in than there is room for its results; results that are larger still get it")
  func unprocessed() throws {
    let log = try log()
    func append() throws { try log.append(.of(Self.input, [("k", String(repeating: "x", count: 10_000))])) }
    let sentence = fault(.full) { while true { try append() } }
    #expect(sentence.contains("room only for the results of the records that were accepted"))
    let end = log.bounds(Self.input).next
    #expect((20..<60).contains(end))
    func commit(_ offset: Int64, output: Int) throws {
      var batch = LogBatch()
      for _ in 0..<output { batch.append(Self.output, "k", String(repeating: "x", count: 10_000)) }
      try log.commit(batch, group: "g", positions: [LogPosition(stream: Self.input, offset: offset, metadata: "")])
    }
    try commit(end - 1, output: 1)
    try append()
    // Four times as many as are taken in are expected. Beyond that, a commit that failed has made room for the next one.
    while log.bounds(Self.output).first == 0 { try? commit(end, output: 10) }
    try commit(end, output: 1)
  }

  @Test("the results of a record are reserved once, with its own bytes")
  func reserved() throws {
    let log = try log()
    try log.append(.of(Self.input, [("k", "x")]))
    // The file may have 2 MiB: the record and four times as much for its results fit, but not six times.
    try log.append(.of(Self.input, [("k", String(repeating: "x", count: 380_000))]))
  }

  @Test("old marks are deleted for new ones, and a large state gets no mark")
  func bounded() throws {
    let log = try log()
    for hour in 1...100 as ClosedRange<Int64> {
      try work(log, at: hour * 1000)
      try check(log, "\(hour)")
      try log.retain(ageMs: 8000, now: hour * 1000)
    }
    let marks = try #require(try log.writer.integer("SELECT count(DISTINCT mark) FROM marks"))
    #expect((8...10).contains(marks))
    #expect(try log.writer.integer("SELECT count(DISTINCT mark) FROM marked") == marks)
    try log.commit(.of(Self.state, [("large", String(repeating: "x", count: 40_000))]), group: "g")
    try work(log, at: 200_000)
    try check(log, "large")
    try log.retain(ageMs: 8000, now: 201_500)
    #expect(try log.writer.integer("SELECT mark FROM marks WHERE time > 100000") == nil)
  }
}
