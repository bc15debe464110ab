import ComboEdge
import Dispatch
import Synchronization
import Testing

@testable import ComboLog

/// The service's edges on a log: a broker's semantics, without a broker.
@Suite struct LogEdgeTests {
  private static let names = TopicNames(input: "in", output: "out", journal: "journal", state: "state", deadLetter: "dead")

  private func log(partitions: Int = 1, _ limits: LogFile.Limits = .init()) throws -> LogFile {
    let log = try LogFile(.memory, limits: limits)
    for topic in Topic.allCases {
      try log.makeTopic(Self.names[topic], partitions: partitions, topic == .state ? .compacted : .held)
    }
    return log
  }

  /// Records the events of a member.
  private final class Delegate: GroupEdgeDelegate {
    var assigned: [Int32] = []
    var faults: [EdgeError.Code] = []
    func assigned(_ partitions: [Int32]) { assigned += partitions }
    func revoked(_ partitions: [Int32], lost: Bool) {}
    func failed(_ error: EdgeError, partition: Int32?) { faults.append(error.code) }
  }

  private func poll(_ group: LogGroup, hold: Int = 0, maxWaitMs: Int32 = 0) -> [String] {
    var records: [String] = []
    group.poll(maxWaitMs: maxWaitMs, hold: hold) { record in
      let value = record.value.map { String(decoding: $0, as: UTF8.self) } ?? "-"
      records.append("\(record.partition):\(record.offset) \(value)\(record.endsRun ? "." : "")")
    }
    return records
  }

  private func bytes(_ text: String, _ body: (Bytes) -> Void) { Array(text.utf8).withUnsafeBytes { body($0) } }

  @Test("a member gets all partitions, then the records of those that were started, from its positions")
  func hands() throws {
    let log = try log(partitions: 2)
    let group = try LogGroup(log, group: "g", names: Self.names)
    let delegate = Delegate()
    group.delegate = delegate
    group.subscribe()
    try log.append(.of(0, [("k", "a"), ("k", "b"), ("k", "c")], at: 77))
    try log.append(.of(1, [("k", "z")]))
    #expect(poll(group).isEmpty)
    #expect(delegate.assigned == [0, 1])
    try group.start([(0, 1)])
    #expect(poll(group) == ["0:1 b", "0:2 c."])
    try group.start([(1, 0)])
    #expect(poll(group) == ["1:0 z."])
    #expect(group.end(of: 0) == 3)
    group.stop(0)
    try log.append(.of(0, [("k", "d")]))
    #expect(poll(group).isEmpty)
    try group.start([(0, 9)])
    #expect(poll(group).isEmpty && delegate.faults == [.offsetOutOfRange])
  }

  @Test("one poll hands out no more than its bound, of all partitions together, and the next one the rest")
  func handsOutInPages() throws {
    let log = try log(partitions: 2)
    let group = try LogGroup(log, group: "g", names: Self.names)
    group.subscribe()
    _ = poll(group)
    try log.append(.of(0, Array(repeating: ("k", "v"), count: LogGroup.recordsMax - 1)))
    try log.append(.of(1, [("k", "a"), ("k", "b"), ("k", "c")]))
    for partition in 0...1 as ClosedRange<Int32> { try group.start([(partition, 0)]) }
    let first = poll(group)
    #expect(first.count == LogGroup.recordsMax && first.last == "1:0 a.")
    #expect(poll(group) == ["1:1 b", "1:2 c."])
  }

  @Test("delivered records stay until the next poll with the same hold")
  func lasts() throws {
    let log = try log()
    let group = try LogGroup(log, group: "g", names: Self.names)
    group.subscribe()
    _ = poll(group)
    try group.start([(0, 0)])
    var kept: [Bytes] = []
    for hold in [0, 1] {
      try log.append(.of(0, [("key", String(repeating: "\(hold)", count: 5000))]))
      group.poll(maxWaitMs: 0, hold: hold) { record in
        #expect(record.isLasting)
        kept.append(record.value!)
      }
    }
    #expect(kept.count == 2)
    for (hold, value) in kept.enumerated() { #expect(value.allSatisfy { $0 == UInt8(ascii: "0") + UInt8(hold) }) }
  }

  @Test("a waiting member is woken by a record")
  func wakes() throws {
    let log = try log()
    let group = try LogGroup(log, group: "g", names: Self.names)
    group.subscribe()
    _ = poll(group)
    try group.start([(0, 0)])
    // The producer needs its own thread, as all threads of the tests may be waiting. The member most likely waits by then.
    DispatchQueue(label: "producer").asyncAfter(deadline: .now() + 0.02) { _ = try? log.append(.of(0, [("k", "a")])) }
    // Without the wake-up it would wait for two minutes, and then read the record.
    let began = DispatchTime.now()
    #expect(poll(group, maxWaitMs: 120_000) == ["0:0 a."])
    #expect(DispatchTime.now() < began + 60)
  }

  @Test("output, journal, state and offsets are there together after a commit, and none of them before or after an abort")
  func commits() throws {
    let log = try log()
    let output = try LogOutput(log, group: "g", names: Self.names)
    let group = try LogGroup(log, group: "g", names: Self.names)
    let reader = try LogReading(log, names: Self.names)
    func produce(_ text: String) {
      bytes(text) { value in
        for topic in [Topic.output, .journal, .state] {
          output.produce(topic, partition: 0, key: value, value: value, timestamp: 5, headers: [.init(name: "h", value: [1])])
        }
      }
    }
    output.renew()
    try output.begin()
    produce("a")
    #expect(try reader.bounds(.output, 0).end == 0)
    output.abort()
    output.renew()
    try output.begin()
    produce("b")
    try output.commit([CommittedOffset(partition: 0, offset: 3, metadata: "1")])
    for topic in [Topic.output, .journal, .state] {
      var found: [String] = []
      try reader.read(topic, 0, from: 0, to: 1, unless: { false }) { record in
        found.append(String(decoding: record.value!, as: UTF8.self))
        #expect(record.time == RecordTime(ms: 5))
        #expect(record.headers == [.init(name: "h", value: [1])])
        return true
      }
      #expect(found == ["b"])
    }
    #expect(try group.offsets.committed(0).offset == 3)
    #expect(try group.offsets.committed(0).entry == 1)
  }

  @Test("a producer and a member that others have taken over from are fenced")
  func fences() throws {
    let log = try log()
    let (old, new) = (try LogOutput(log, group: "g", names: Self.names), try LogOutput(log, group: "g", names: Self.names))
    let member = try LogGroup(log, group: "g", names: Self.names)
    let delegate = Delegate()
    member.delegate = delegate
    member.subscribe()
    old.renew()
    try old.begin()
    bytes("x") { old.produce(.output, partition: nil, key: $0, value: $0, timestamp: nil, headers: []) }
    new.renew()
    try LogGroup(log, group: "g", names: Self.names).subscribe()
    #expect {
      try old.commit([])
    } throws: { fault in
      (fault as? TransactionFault)?.kind == .fatal
    }
    #expect(log.bounds(log.stream("out", 0)!).next == 0)
    _ = poll(member)
    #expect(delegate.faults == [.fenced])
    try new.begin()
    try new.commit([])
  }

  @Test("records of one key are in one partition, where Java's producer puts them")
  func places() throws {
    let log = try log(partitions: 4)
    let output = try LogOutput(log, group: "g", names: Self.names)
    output.renew()
    try output.begin()
    for number in 0..<100 {
      bytes("room-\(number % 10)") { output.produce(.output, partition: nil, key: $0, value: $0, timestamp: nil, headers: []) }
    }
    try output.commit([])
    var found = 0
    for partition in 0..<4 as Range<Int32> {
      for text in try log.all(log.stream("out", partition)!) {
        found += 1
        let key = text.split(separator: " ")[1].prefix { $0 != "=" }
        bytes(String(key)) { #expect(KeyPartitioner.partition($0, 4) == Int(partition)) }
      }
    }
    #expect(found == 100)
  }

  @Test("records that a state record needs are kept, however old they are")
  func holds() throws {
    let log = try log()
    try log.append(.of(0, [("k", "a"), ("k", "b"), ("k", "c")], at: 1))
    let output = try LogOutput(log, group: "g", names: Self.names, held: { _, _ in (input: 2, journal: 0) })
    output.renew()
    try output.begin()
    bytes("checkpoint") { output.produce(.state, partition: 0, key: $0, value: $0, timestamp: nil, headers: []) }
    try output.commit([CommittedOffset(partition: 0, offset: 3, metadata: "")])
    try log.retain(ageMs: 0, now: 1_000_000)
    #expect(try log.all(0) == ["2 k=c"])
  }

  @Test("a commit waits for space, and no longer than until the service stops")
  func waitsForSpace() throws {
    var limits = LogFile.Limits()
    limits.sizeMax = 1 << 20
    limits.reserve = 0
    let asked = Mutex(0)
    let warned = Mutex(0)
    let output = try LogOutput(
      log(partitions: 1, limits), group: "g", names: Self.names,
      isStopping: {
        asked.withLock {
          $0 += 1
          return $0 > 1
        }
      }, warn: { _ in warned.withLock { $0 += 1 } })
    output.renew()
    try output.begin()
    bytes(String(repeating: "x", count: 4 << 20)) {
      output.produce(.output, partition: 0, key: nil, value: $0, timestamp: nil, headers: [])
    }
    #expect {
      try output.commit([])
    } throws: { fault in
      (fault as? TransactionFault)?.kind == .abort
    }
    #expect(asked.withLock { $0 } == 2 && warned.withLock { $0 } == 1)
  }
}
