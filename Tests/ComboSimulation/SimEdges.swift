import ComboCore
import ComboEdge
import ComboWire

@testable import ComboTestSupport

/// The group membership of a simulated instance.
final class SimGroupEdge: GroupEdge, GroupOffsets, @unchecked Sendable {
  // Sendable: a world belongs to one thread.
  weak var delegate: (any GroupEdgeDelegate)?
  var offsets: any GroupOffsets { self }
  private unowned let instance: SimInstance
  private var positions: [Int32: Int64] = [:]
  private var isClosed = false
  /// The values of the lasting records of the last polls, by `hold`, with padding behind each.
  private var holds: [[UnsafeMutableRawBufferPointer]] = [[], []]

  private var broker: SimBroker { instance.broker }
  private var group: SimGroup { instance.broker.group }
  private var member: SimMember { instance.member }

  init(_ instance: SimInstance) { self.instance = instance }

  func subscribe() throws(EdgeError) {
    try instance.step()
    group.join(member)
  }

  deinit { release() }

  func poll(maxWaitMs: Int32, hold: Int, _ body: (InputRecord) -> Void) {
    release(hold)
    let body: (InputRecord) -> Void = { record in
      // Records with odd offsets are lasting.
      body(record.offset % 2 == 1 ? self.lasting(record, hold) : record)
    }
    if instance.isOver() { return }
    rebalance()
    if instance.isOver() { return }
    if !deliver(to: body), maxWaitMs > 0 {
      broker.clock.advance(Int64(broker.random.below(Int(maxWaitMs) + 1)))
      _ = deliver(to: body)
    }
  }

  private func lasting(_ record: InputRecord, _ hold: Int) -> InputRecord {
    guard let value = record.value, value.count > 0 else { return record }
    let kept = UnsafeMutableRawBufferPointer.allocate(byteCount: value.count + BumpArena.padding, alignment: 1)
    kept.initializeMemory(as: UInt8.self, repeating: UInt8(ascii: "\""))
    kept.copyMemory(from: value)
    holds[hold].append(kept)
    var lasting = record
    lasting.value = Bytes(start: kept.baseAddress, count: value.count)
    lasting.isLasting = true
    return lasting
  }

  /// Overwrites and frees the values of a hold, so that anything that still reads them finds other bytes.
  private func release(_ hold: Int) {
    for kept in holds[hold] {
      kept.initializeMemory(as: UInt8.self, repeating: 0xee)
      kept.deallocate()
    }
    holds[hold] = []
  }

  func release() { for hold in holds.indices { release(hold) } }

  func end(of partition: Int32) -> Int64? { positions[partition] == nil ? nil : broker.log(.input, partition).end }

  private func deliver(to body: (InputRecord) -> Void) -> Bool {
    var any = false
    let most = 1 + broker.random.below(instance.world.batchMax)
    for (partition, position) in positions.sorted(by: { $0.key < $1.key }) {
      let log = broker.log(.input, partition)
      if position < log.first || position > log.end {
        positions[partition] = nil
        delegate?.failed(EdgeError(.offsetOutOfRange, "offset \(position) is out of range"), partition: partition)
        continue
      }
      var index = log.index(of: position)
      let end = log.lastStable
      var count = 0
      while index < log.records.count, count < most, positions[partition] != nil {
        let record = log.records[index]
        index += 1
        if record.offset >= end { break }
        if !record.isCommitted { continue }
        any = true
        count += 1
        positions[partition] = record.offset + 1
        lend(record, partition, body)
        if instance.isDead { return true }
      }
    }
    return any
  }

  /// Does what a rebalance requires before more records are delivered.
  private func rebalance() {
    if !member.isIn, !isClosed {
      revoke(member.owned, lost: true)
      member.next = nil
      if instance.isDead { return }
      group.join(member)
    }
    if group.isPreparing, !member.hasJoined {
      if !group.isCooperative { revoke(member.owned, lost: false) }
      if instance.isDead { return }
      member.next = nil
      group.rejoin(member)
    }
    guard let next = member.next, member.isIn else { return }
    member.next = nil
    let leaving = member.owned.filter { !next.contains($0) }
    let coming = next.filter { !member.owned.contains($0) }
    if !leaving.isEmpty {
      revoke(leaving, lost: false)
      if instance.isDead { return }
      if member.isIn { group.prepare() }
    }
    member.owned += coming
    delegate?.assigned(coming)
  }

  private func revoke(_ partitions: [Int32], lost: Bool) {
    if partitions.isEmpty { return }
    delegate?.revoked(partitions, lost: lost)
    for partition in partitions { positions[partition] = nil }
    member.owned.removeAll { partitions.contains($0) }
  }

  func start(_ partitions: [(partition: Int32, offset: Int64)]) throws(EdgeError) {
    for (partition, offset) in partitions {
      try instance.step()
      if broker.happens(broker.faults.unseekable) { throw EdgeError(.timedOut, "no answer (made up)", isRetriable: true) }
      if !member.owned.contains(partition) { instance.complain("partition \(partition) was started, but is not assigned") }
      positions[partition] = offset
    }
  }

  func stop(_ partition: Int32) { positions[partition] = nil }

  func committed(_ partition: Int32) throws(EdgeError) -> CommittedOffset {
    try instance.step()
    if broker.happens(broker.faults.retriable) { throw EdgeError(.timedOut, "no answer (made up)", isRetriable: true) }
    return broker.committed(partition)
  }

  func commitWithoutWaiting(_ offsets: [CommittedOffset]) {
    if instance.isOver() { return }
    guard group.accepts(member) else { return }
    for offset in offsets { broker.commit(offset) }
  }

  func close() {
    if instance.isOver() { return }
    revoke(member.owned, lost: !member.isIn)
    isClosed = true
    group.remove(member)
  }
}

extension SimRecord: RecordSource {
  static func time(of record: UnsafeRawPointer) -> RecordTime? { this(record).timestamp.map { RecordTime(ms: $0) } }

  static func headers(of record: UnsafeRawPointer) -> [RecordHeader] { this(record).headers }

  static func withLastHeader(_ name: String, of record: UnsafeRawPointer, _ body: (Bytes) -> Void) {
    this(record).headers.last { $0.name == name }?.value?.withUnsafeBytes(body)
  }

  private static func this(_ record: UnsafeRawPointer) -> SimRecord { record.assumingMemoryBound(to: SimRecord.self).pointee }
}

private func lend(_ record: SimRecord, _ partition: Int32, _ body: (InputRecord) -> Void) {
  withUnsafePointer(to: record) { pointer in
    func deliver(_ key: Bytes?, _ value: Bytes?) {
      body(
        InputRecord(
          partition: partition, offset: record.offset, key: key, value: value, source: (SimRecord.self, UnsafeRawPointer(pointer))
        ))
    }
    func withKey(_ key: Bytes?) {
      if let value = record.value { value.withUnsafeBytes { deliver(key, $0) } } else { deliver(key, nil) }
    }
    if let key = record.key { key.withUnsafeBytes { withKey($0) } } else { withKey(nil) }
  }
}

/// Reads partitions of the simulated cluster.
final class SimReadEdge: ReadEdge, @unchecked Sendable {
  // Sendable: a world belongs to one thread; an audit's threads only read.
  private let broker: SimBroker
  /// The reading instance, or nil for an audit, which sees what is committed, waits for nothing and changes nothing.
  private weak var instance: SimInstance?
  private let isAudit: Bool

  init(_ broker: SimBroker, instance: SimInstance?) {
    self.broker = broker
    self.instance = instance
    isAudit = instance == nil
  }

  private func step() throws(EdgeError) {
    if isAudit { return }
    guard let instance else { throw EdgeError(.other, "this process is no more") }
    try instance.step()
    if broker.happens(broker.faults.retriable) { throw EdgeError(.timedOut, "no answer (made up)", isRetriable: true) }
  }

  func bounds(_ topic: Topic, _ partition: Int32) throws(EdgeError) -> (first: Int64, end: Int64) {
    try step()
    if let unanswered = broker.unanswered, unanswered.topic == topic {
      broker.unanswered!.questions += 1
      throw EdgeError(.timedOut, "no answer", isRetriable: true)
    }
    if !isAudit, broker.forbidden == topic { throw EdgeError(.notAuthorized, "not allowed (made up)") }
    if !isAudit, broker.gone.contains(topic) || broker.unheardOf == topic {
      throw EdgeError(.unknownTopic, "there is no \(topic.word) topic")
    }
    let log = broker.log(topic, partition)
    let end = end(log.end, of: log, topic)
    if end < log.end { instance?.outdatedEnds.append((topic, partition, end)) }
    return (log.first, end)
  }

  func stableEnd(_ topic: Topic, _ partition: Int32) throws(EdgeError) -> Int64 {
    try step()
    let log = broker.log(topic, partition)
    return isAudit ? log.end : end(log.lastStable, of: log, topic)
  }

  /// Returns the end of a log that its leader reports.
  private func end(_ end: Int64, of log: SimLog, _ topic: Topic) -> Int64 {
    if isAudit { return end }
    if let told = broker.toldEnds[topic] { return told }
    if !broker.happens(broker.faults.staleLeaders) { return end }
    return log.first + Int64(broker.random.below(Int(end - log.first) + 1))
  }

  func partitions(_ topic: Topic) throws(EdgeError) -> Range<Int32> {
    try step()
    return broker.gone.contains(topic) ? 0..<0 : broker.partitions(topic)
  }

  func offset(_ topic: Topic, _ partition: Int32, atMs time: Int64) throws(EdgeError) -> Int64? {
    try step()
    return broker.log(topic, partition).records.first { $0.timestamp.map { $0 >= time } ?? false }?.offset
  }

  func makeRoom(for partition: Int32) throws(EdgeError) {
    if isAudit { return }
    try step()
    broker.makeRoom(for: partition)
  }

  func read(
    _ topic: Topic, _ partition: Int32, from start: Int64, to end: Int64, unless isCancelled: () -> Bool,
    _ body: (InputRecord) -> Bool
  ) throws(EdgeError) {
    try read(topic, partition, from: start, to: end, all: false, unless: isCancelled, body)
  }

  func readAll(
    _ topic: Topic, _ partition: Int32, from start: Int64, to end: Int64, _ body: (InputRecord) -> Bool
  ) throws(EdgeError) {
    try read(topic, partition, from: start, to: end, all: true, unless: { false }, body)
  }

  private func read(
    _ topic: Topic, _ partition: Int32, from start: Int64, to end: Int64, all: Bool, unless isCancelled: () -> Bool,
    _ body: (InputRecord) -> Bool
  ) throws(EdgeError) {
    if start >= end { return }
    try step()
    let log = broker.log(topic, partition)
    let isStale = !isAudit && broker.happens(broker.faults.staleLeaders)
    if isStale || start < log.first || start > log.end {
      throw EdgeError(.offsetOutOfRange, "offset \(start) is out of range")
    }
    if !isAudit, !all { broker.wait(for: log, upTo: end) }
    var needsMore = true
    var index = log.index(of: start)
    while index < log.records.count, needsMore, !isCancelled() {
      let record = log.records[index]
      index += 1
      if record.offset >= end { break }
      if !all, !record.isCommitted { continue }
      lend(record, partition) { needsMore = body($0) }
    }
  }
}
