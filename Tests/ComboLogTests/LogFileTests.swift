import ComboSystem
import Foundation
import Testing

@testable import ComboLog

/// A log in its own folder, which is deleted with this object.
final class LogFolder {
  let path: String
  let folder: String

  init() throws {
    folder = LogDisk.resolved(NSTemporaryDirectory() + "/combo-log-\(UInt64.random(in: 0 ... .max))")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    path = folder + "/test.db"
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  /// Returns the URL of the log's file, or of one beside it.
  func url(_ ending: String = "") -> URL { URL(fileURLWithPath: path + ending) }

  func open(_ limits: LogFile.Limits = .init()) throws -> LogFile { try LogFile(.file(path), limits: limits) }
}

extension LogBatch {
  static func of(_ stream: Int, _ records: [(key: String?, value: String?)], at time: Int64? = 1000) -> LogBatch {
    var batch = LogBatch()
    for (key, value) in records { batch.append(stream, key, value, at: time) }
    return batch
  }

  mutating func append(_ stream: Int, _ key: String?, _ value: String?, at time: Int64? = 1000, headers: [UInt8] = []) {
    func with(_ text: String?, _ body: (UnsafeRawBufferPointer?) -> Void) {
      guard let text else { return body(nil) }
      Array(text.utf8).withUnsafeBytes { body($0) }
    }
    with(key) { key in with(value) { value in append(stream, key: key, value: value, timestamp: time, headers: headers) } }
  }
}

extension LogFile {
  /// Returns all records of a stream, as `offset key=value`.
  func all(_ stream: Int, from start: Int64? = nil, at most: Int = 4096) throws -> [String] {
    let page = LogPage()
    var position = start ?? bounds(stream).first
    var texts: [String] = []
    while position < bounds(stream).next {
      page.removeAll()
      position = try read(stream, from: position, recordsMax: most, into: page)
      for record in page.records {
        let key = page.key(record).map { String(decoding: $0, as: UTF8.self) } ?? "-"
        let value = page.value(record).map { String(decoding: $0, as: UTF8.self) } ?? "-"
        texts.append("\(record.offset) \(key)=\(value)")
      }
    }
    return texts
  }
}

/// Runs `body`, which must throw a fault of this code, and returns its sentence.
@discardableResult
func fault(_ code: LogFault.Code, sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void) -> String {
  do {
    try body()
    Issue.record("nothing was thrown, but \(code) should have been", sourceLocation: sourceLocation)
    return ""
  } catch let fault as LogFault {
    #expect(fault.code == code, "\(fault)", sourceLocation: sourceLocation)
    return fault.message
  } catch {
    Issue.record(error, sourceLocation: sourceLocation)
    return ""
  }
}

@Suite struct LogFileTests {
  @Test("records, positions and offsets are there again after the log was reopened")
  func reopens() throws {
    let folder = try LogFolder()
    do {
      let log = try folder.open()
      try log.makeTopic("gifts", partitions: 2)
      var batch = LogBatch.of(0, [("a", "1"), (nil, "2"), ("c", nil), ("", "")])
      batch.append(1, "z", "9")
      try log.append(batch)
      try log.commit(LogBatch(), group: "g", positions: [LogPosition(stream: 0, offset: 3, metadata: "n=1")])
    }
    let log = try folder.open()
    #expect(log.partitions("gifts") == 2)
    #expect(try log.all(0) == ["0 a=1", "1 -=2", "2 c=-", "3 ="])
    #expect(try log.all(1) == ["0 z=9"])
    #expect(try log.position("g", 0) == LogPosition(stream: 0, offset: 3, metadata: "n=1"))
    #expect(try log.position("g", 1) == nil)
    #expect(try log.position("h", 0) == nil)
    #expect(log.bounds(0) == (0, 4))
    try log.append(.of(0, [("d", "5")]))
    #expect(try log.all(0, from: 4) == ["4 d=5"])
  }

  @Test("a transaction that fails leaves nothing behind, neither records nor positions", arguments: [true, false])
  func failsAsAWhole(isFile: Bool) throws {
    let folder = try LogFolder()
    var limits = LogFile.Limits()
    limits.sizeMax = 1 << 20
    limits.reserve = 0
    let log = try isFile ? folder.open(limits) : LogFile(.memory, limits: limits)
    try log.makeTopic("out", partitions: 1)
    try log.commit(.of(0, [("a", "1")]), group: "g", positions: [LogPosition(stream: 0, offset: 1, metadata: "")])
    var large = LogBatch()
    for _ in 0..<40 { large.append(0, "k", String(repeating: "x", count: 100_000)) }
    let sentence = fault(.full) {
      try log.commit(large, group: "g", positions: [LogPosition(stream: 0, offset: 41, metadata: "")])
    }
    #expect(sentence.contains("--data-max"))
    #expect(try log.all(0) == ["0 a=1"])
    #expect(try log.position("g", 0)?.offset == 1)
    try log.commit(.of(0, [("b", "2")]), group: "g")
    #expect(try log.all(0) == ["0 a=1", "1 b=2"])
  }

  @Test("more is refused early, so that accepted records can still be committed")
  func refusesEarly() throws {
    var limits = LogFile.Limits()
    limits.sizeMax = 1 << 20
    let log = try LogFile(.memory, limits: limits)
    try log.makeTopic("gifts", partitions: 1, .held)
    var taken = 0
    let sentence = fault(.full) {
      while true {
        try log.append(.of(0, [("k", String(repeating: "x", count: 10_000))]))
        taken += 1
        try log.commit(LogBatch(), group: "g", positions: [LogPosition(stream: 0, offset: Int64(taken), metadata: "")])
      }
    }
    #expect(taken > 50)
    #expect(sentence.contains("size limit"))
    // Nothing may be deleted before it was processed.
    #expect(try log.retain(ageMs: 0, now: 1_000_000) == 0)
    try log.commit(.of(0, [("k", String(repeating: "x", count: 100_000))]), group: "g", holds: [(0, 40)])
    #expect(try log.retain(ageMs: 1_000_000_000, now: 1000) > 0)
    try log.append(.of(0, [("k", "v")]))
    #expect(log.bounds(0).first > 0 && log.bounds(0).first <= 40)
  }

  @Test("a compacted topic keeps the newest record of each key, and none of a deleted one")
  func compacts() throws {
    let folder = try LogFolder()
    do {
      let log = try folder.open()
      try log.makeTopic("state", partitions: 1, .compacted)
      try log.commit(.of(0, [("a", "1"), ("b", "1"), ("a", "2"), ("c", "1"), ("c", nil)]), group: "g")
      #expect(try log.all(0, at: 1) == ["1 b=1", "2 a=2"])
      try log.commit(.of(0, [("b", nil), ("a", nil)]), group: "g")
    }
    let log = try folder.open()
    #expect(try log.all(0).isEmpty)
    #expect(log.bounds(0).next == 7)
    try log.commit(.of(0, [("d", "8")]), group: "g")
    #expect(try log.all(0) == ["7 d=8"])
  }

  @Test("old records are deleted, held ones are not, and offsets continue")
  func retains() throws {
    let folder = try LogFolder()
    do {
      let log = try folder.open()
      try log.makeTopic("plain", partitions: 1)
      try log.makeTopic("held", partitions: 1, .held)
      for time in [1000, 2000, 3000] as [Int64] {
        try log.append(.of(0, [("a", "\(time)")], at: time))
        try log.append(.of(1, [("a", "\(time)")], at: time))
      }
      try log.commit(LogBatch(), group: "g", holds: [(1, 1)])
      #expect(try log.retain(ageMs: 1000, now: 3500) == 3)
      #expect(try log.all(0) == ["2 a=3000"])
      #expect(try log.all(1) == ["1 a=2000", "2 a=3000"])
      fault(.outOfRange) { _ = try log.read(0, from: 1, into: LogPage()) }
      fault(.outOfRange) { _ = try log.read(0, from: 4, into: LogPage()) }
      #expect(try log.retain(ageMs: 0, now: 9000) == 1)
    }
    let log = try folder.open()
    #expect(log.bounds(0) == (3, 3))
    try log.append(.of(0, [("b", "x")]))
    #expect(try log.all(0) == ["3 b=x"])
  }

  @Test("the former owner of a group is fenced")
  func fences() throws {
    let log = try LogFile(.memory)
    try log.makeTopic("out", partitions: 1)
    let old = log.takeOver("g")
    try log.commit(.of(0, [("a", "1")]), group: "g", owner: old)
    let new = log.takeOver("g")
    fault(.fenced) { try log.commit(.of(0, [("a", "2")]), group: "g", owner: old) }
    try log.commit(.of(0, [("a", "3")]), group: "g", owner: new)
    #expect(try log.all(0) == ["0 a=1", "1 a=3"])
  }

  @Test("headers are read back unchanged, also without a value")
  func headers() throws {
    let log = try LogFile(.memory)
    try log.makeTopic("gifts", partitions: 1)
    var headers: [UInt8] = []
    Array("x".utf8).withUnsafeBytes { LogHeaders.write("one", $0, to: &headers) }
    LogHeaders.write("two", nil, to: &headers)
    var batch = LogBatch()
    batch.append(0, "k", "v", headers: headers)
    try log.append(batch)
    let page = LogPage()
    _ = try log.read(0, from: 0, into: page)
    var found: [String] = []
    LogHeaders.forEach(try #require(page.headers(page.records[0]))) { name, value in
      found.append("\(String(decoding: name, as: UTF8.self))=\(value.map { String(decoding: $0, as: UTF8.self) } ?? "none")")
    }
    #expect(found == ["one=x", "two=none"])
    // Cut anywhere, the headers end early and nothing is read beyond.
    for count in 0..<headers.count { headers[..<count].withUnsafeBytes { LogHeaders.forEach($0) { _, _ in } } }
  }

  @Test("records of many threads are appended whole, each once, and those that do not fit are refused")
  func appends() throws {
    let log = try LogFile(.memory)
    try log.makeTopic("gifts", partitions: 1)
    let appender = LogAppender(log, queueMax: 10_000, gapMs: 0)
    let bell = LogBell()
    DispatchQueue.concurrentPerform(iterations: 8) { thread in
      for number in 0..<100 {
        _ = appender.offerPatiently(.of(0, [("\(thread)", "\(number)a"), ("\(thread)", "\(number)b")])) { fault in
          #expect(fault == nil)
          bell.ring()
        }
      }
    }
    appender.stop()
    #expect(bell.rings == 800)
    let all = try log.all(0)
    #expect(all.count == 1600)
    for thread in 0..<8 {
      let own = all.compactMap { $0.split(separator: " ")[1].hasPrefix("\(thread)=") ? String($0.split(separator: "=")[1]) : nil }
      #expect(own == (0..<100).flatMap { ["\($0)a", "\($0)b"] })
    }
    #expect(!appender.offer(.of(0, [("k", "v")])) { _ in })
  }
}

@Suite("An appender")
struct LogAppenderTests {
  /// The outcomes of offers.
  private final class Outcomes: @unchecked Sendable {
    private let lock = NSLock()
    private var faults: [LogFault?] = []
    let bell = LogBell()

    var count: Int { lock.withLock { faults.count } }

    func add(_ fault: LogFault?) {
      lock.withLock { faults.append(fault) }
      bell.ring()
    }

    func wait(for count: Int) {
      let deadline = MonotonicClock.nowMs + 20_000
      while self.count < count, MonotonicClock.nowMs < deadline {
        let rings = bell.rings
        if self.count < count { bell.wait(after: rings, maxMs: 100) }
      }
    }
  }

  @Test("acknowledges the records that somebody waits for once they are synced, by a commit or by itself")
  func acknowledges() throws {
    let folder = try LogFolder()
    let log = try folder.open()
    try log.makeTopic("gifts", partitions: 1)
    let appender = LogAppender(log)
    let outcomes = Outcomes()
    #expect(appender.offer(.of(0, [("a", "1")]), .synced) { outcomes.add($0) })
    outcomes.wait(for: 1)
    #expect(outcomes.count == 1)
    #expect(log.synced > 0)
    #expect(appender.offer(.of(0, [("a", "2")]), .written) { outcomes.add($0) })
    outcomes.wait(for: 2)
    #expect(try log.all(0) == ["0 a=1", "1 a=2"])
    appender.stop()
    #expect(outcomes.count == 2)
    #expect(!appender.offer(.of(0, [("a", "3")])) { outcomes.add($0) })
  }

  @Test("SQLite syncs acknowledged and committed records before it reports them")
  func syncedToTheDisk() throws {
    let folder = try LogFolder()
    let log = try folder.open()
    try log.makeTopic("t", partitions: 1, .retained)
    // 2 is FULL: the log is synced with each transaction. 1 is NORMAL: not before a checkpoint.
    func level() throws -> Int64? { try log.writer.integer("PRAGMA synchronous") }
    try log.append(.of(0, [("k", "1")]))
    #expect(try level() == 2)
    try log.append(.of(0, [("k", "2")]), isSynced: false)
    #expect(try level() == 1)
    try log.commit(.of(0, [("k", "3")]), group: "g")
    #expect(try level() == 2)
    try log.append(.of(0, [("k", "4")]), isSynced: false)
    try log.sync()
    #expect(try level() == 2)
  }

  @Test("records that were only written are synced by the next commit, and by nothing else before")
  func syncs() throws {
    let folder = try LogFolder()
    let log = try folder.open()
    try log.makeTopic("gifts", partitions: 1)
    let outcomes = Outcomes()
    log.onSync { _ in outcomes.add(nil) }
    let first = try log.append(.of(0, [("a", "1")]), isSynced: false)
    let second = try log.append(.of(0, [("a", "2")]), isSynced: false)
    #expect(first < second && log.synced < first && outcomes.count == 0)
    try log.commit(LogBatch(), group: "g", positions: [LogPosition(stream: 0, offset: 2, metadata: "")])
    #expect(log.synced > second && outcomes.count == 1)
    let third = try log.append(.of(0, [("a", "3")]), isSynced: false)
    #expect(log.synced < third)
    try log.sync()
    #expect(log.synced > third && outcomes.count == 2)
    try log.sync()
    #expect(outcomes.count == 2)
    #expect(try log.all(0).count == 3)
  }
}
