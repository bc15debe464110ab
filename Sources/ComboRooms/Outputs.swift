package import ComboCore
package import ComboEdge
package import ComboWire
internal import Synchronization

/// What rooms say, and dead letters, on their way into the open transaction.
///
/// What a transaction begins with is held back until there is more of it, or until the commit. librdkafka tells the coordinator of a
/// partition a millisecond after the first record for it, in which one of its threads keeps a processor busy (2.0.2). Where records
/// come one by one, nearly each would be the first of its partition: that was most of what the service took for some hundred
/// gifts a second. All together are told at once, and at the commit those of the journal with them.
package final class ProducingTarget: SaidTarget {
  private let output: any OutputEdge
  /// A copy of what is watched, for after the commit.
  private let watched: HeldBack
  private let held = HeldBack()
  /// Held while `held` is appended to or passed on.
  private let lock = Mutex<Void>(())
  /// Whether what comes now goes out at once.
  private let isLetGo = Atomic<Bool>(false)
  private let heldBytes: Int

  /// - Parameter heldBytes: as soon as this much is held, all is produced at once.
  package init(_ output: any OutputEdge, watched: HeldBack, heldBytes: Int) {
    self.output = output
    self.watched = watched
    self.heldBytes = heldBytes
  }

  /// A transaction begins; instructions held of another one are dropped. No room may work.
  package func begin() {
    held.removeAll()
    isLetGo.store(false, ordering: .relaxed)
  }

  package func said(_ record: Bytes, _ instruction: Instruction, by room: Room) {
    produce(.output, key: room.id, value: record, timestamp: instruction.at)
    if room.isWatched { watched.add(.output, key: room.id, value: record, timestamp: nil) }
  }

  /// Copies a record, which goes where its key leads. Any thread; those of one thread keep their order.
  package func produce(_ topic: Topic, key: Bytes?, value: Bytes?, timestamp: Int64?, headers: [RecordHeader] = []) {
    if !isLetGo.load(ordering: .acquiring), hold(topic, key, value, timestamp, headers) { return }
    output.produce(topic, partition: nil, key: key, value: value, timestamp: timestamp, headers: headers)
  }

  /// Lets all go that is held.
  package func letGo() {
    if !isLetGo.load(ordering: .acquiring) { lock.withLock { _ in handOut() } }
  }

  /// - Returns: false if another thread has just let all go.
  @inline(never)
  private func hold(_ topic: Topic, _ key: Bytes?, _ value: Bytes?, _ timestamp: Int64?, _ headers: [RecordHeader]) -> Bool {
    lock.withLock { _ in
      if isLetGo.load(ordering: .relaxed) { return false }
      held.add(topic, key: key, value: value, timestamp: timestamp, headers: headers)
      if held.byteCount >= heldBytes { handOut() }
      return true
    }
  }

  private func handOut() {
    held.handOut { topic, key, value, timestamp, headers in
      output.produce(topic, partition: nil, key: key, value: value, timestamp: timestamp, headers: headers)
    }
    held.removeAll()
    isLetGo.store(true, ordering: .releasing)
  }
}

/// Writes a partition's records of the state topic.
package struct StateTopicWriter: StateWriter {
  private let output: any OutputEdge
  private let partition: Int32

  package init(_ output: any OutputEdge, _ partition: Int32) {
    self.output = output
    self.partition = partition
  }

  package func write(key: Bytes, value: Bytes?) {
    output.produce(.state, partition: partition, key: key, value: value, timestamp: nil, headers: [])
  }
}

/// What the dead-letter topic takes.
package struct DeadLetterLimits: Equatable, Sendable {
  /// The largest record that is handed on whole, in bytes, its headers included.
  package var bytes = 1_000_000
  /// How far a record's time may be before and after the brokers', in milliseconds; nil: any.
  package var beforeMs: Int64?
  package var afterMs: Int64?

  package init(bytes: Int = 1_000_000, beforeMs: Int64? = nil, afterMs: Int64? = nil) {
    self.bytes = bytes
    self.beforeMs = beforeMs
    self.afterMs = afterMs
  }

  /// Whether the brokers would not take a record of this time. They reckon with 64 bits as they come, so that a time long before theirs
  /// counts as one long after it.
  package func refuse(_ time: Int64, wall: Int64) -> Bool {
    let age = wall &- time
    return beforeMs.map { age > $0 } ?? false || afterMs.map { 0 &- age > $0 } ?? false
  }
}

/// A record that is no event, as it goes to the dead-letter topic: unchanged, with headers that say why.
package struct DeadLetter {
  package let key: Bytes?
  package let value: Bytes?
  package let timestamp: Int64?
  package let headers: [RecordHeader]

  /// The parts kept of a record that is too large for the topic: of its value, of its key, and of its headers; less if the topic takes
  /// less than four times as much.
  static let truncatedBytes = 65_536
  /// Of such a record's headers, each is kept whose name and value are no longer.
  private static let headerBytes = 1024

  package init(
    _ record: InputRecord, _ bad: BadEvent, topic: String, limits: DeadLetterLimits, wall: Int64
  ) {
    let (time, others) = (record.time?.ms, record.headers)
    func header(_ name: String, _ value: some StringProtocol) -> RecordHeader {
      RecordHeader(name: name, value: Array(value.utf8))
    }
    let why = [
      header("combo.error", bad.code.rawValue), header("combo.reason", bad.reason), header("combo.topic", topic),
      header("combo.partition", String(record.partition)), header("combo.offset", String(record.offset)),
    ]
    let whole = Self.size(others) + Self.size(why) + (record.value?.count ?? 0) + (record.key?.count ?? 0)
    let isTooLarge = whole > limits.bytes
    guard isTooLarge || time.map({ limits.refuse($0, wall: wall) }) ?? false else {
      (key, value, timestamp, headers) = (record.key, record.value, time, others + why)
      return
    }
    var all = others
    var own = why
    own.append(header("combo.truncated", String(record.value?.count ?? 0)))
    own.append(header("combo.timestamp", time.map { String($0) } ?? ""))
    var kept = record.key
    var left = Self.truncatedBytes
    if isTooLarge {
      // Anything of it may be what makes it too large; and a letter that the brokers refuse would be written again for ever.
      let share = min(Self.truncatedBytes, max(0, limits.bytes - Self.size(own) - 64) / 4)
      var room = share
      all.removeAll { other in
        let bytes = Self.size(other)
        if other.name.utf8.count > Self.headerBytes || other.value?.count ?? 0 > Self.headerBytes || bytes > room { return true }
        room -= bytes
        return false
      }
      if let whole = kept, whole.count > share {
        kept = Bytes(rebasing: whole.prefix(share))
        own.append(header("combo.key_truncated", String(whole.count)))
      }
      left = min(left, 2 * share)
    }
    key = kept
    value = record.value.map { Bytes(rebasing: $0.prefix(left)) }
    timestamp = nil
    headers = all + own
  }

  /// In a record, at most.
  private static func size(_ headers: [RecordHeader]) -> Int {
    headers.reduce(64) { $0 + size($1) }
  }

  private static func size(_ header: RecordHeader) -> Int {
    header.name.utf8.count + (header.value?.count ?? 0) + 8
  }
}
