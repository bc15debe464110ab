internal import ComboCore
internal import ComboWire

/// What rooms say goes to the output topic at once, inside the open transaction.
final class ProducingTarget: SaidTarget {
  private let output: any OutputEdge
  /// A copy of what is watched, for after the commit.
  private let watched: HeldBack

  init(_ output: any OutputEdge, watched: HeldBack) {
    self.output = output
    self.watched = watched
  }

  func said(_ record: Bytes, _ instruction: Instruction, by room: Room) {
    output.produce(.output, partition: nil, key: room.id, value: record, timestamp: instruction.at, headers: [])
    if room.isWatched { watched.add(.output, key: room.id, value: record, timestamp: nil) }
  }
}

/// Writes a partition's records of the state topic.
struct StateTopicWriter: StateWriter {
  private let output: any OutputEdge
  private let partition: Int32

  init(_ output: any OutputEdge, _ partition: Int32) {
    self.output = output
    self.partition = partition
  }

  func write(key: Bytes, value: Bytes?) {
    output.produce(.state, partition: partition, key: key, value: value, timestamp: nil, headers: [])
  }
}

/// What the dead-letter topic takes.
struct DeadLetterLimits: Equatable, Sendable {
  /// The largest record that is handed on whole, in bytes, its headers included.
  var bytes = 1_000_000
  /// How far a record's time may lie before and after the brokers', in milliseconds; nil: any.
  var beforeMs: Int64?
  var afterMs: Int64?

  /// Whether the brokers would not take a record of this time. They reckon with 64 bits as they come, so that a time long before theirs
  /// counts as one long after it.
  func refuse(_ time: Int64, wall: Int64) -> Bool {
    let age = wall &- time
    return beforeMs.map { age > $0 } ?? false || afterMs.map { 0 &- age > $0 } ?? false
  }
}

/// A record that is no event, as it goes to the dead-letter topic: unchanged, with headers that say why.
struct DeadLetter {
  let value: Bytes?
  let timestamp: Int64?
  let headers: [RecordHeader]

  /// Of a record that is too large for the topic, so much is kept.
  static let truncatedBytes = 65_536

  init(
    _ record: InputRecord, _ bad: BadEvent, topic: String, details: (timestamp: Int64?, headers: [RecordHeader]),
    limits: DeadLetterLimits, wall: Int64
  ) {
    func header(_ name: String, _ value: some StringProtocol) -> RecordHeader {
      RecordHeader(name: name, value: Array(value.utf8))
    }
    var all = details.headers
    all.append(header("combo.error", bad.code.rawValue))
    all.append(header("combo.reason", bad.reason))
    all.append(header("combo.topic", topic))
    all.append(header("combo.partition", String(record.partition)))
    all.append(header("combo.offset", String(record.offset)))
    let size =
      (record.value?.count ?? 0) + (record.key?.count ?? 0)
      + all.reduce(64) { $0 + $1.name.utf8.count + ($1.value?.count ?? 0) + 8 }
    let isTooLarge = size > limits.bytes
    if isTooLarge || details.timestamp.map({ limits.refuse($0, wall: wall) }) ?? false {
      value = record.value.map { Bytes(rebasing: $0.prefix(Self.truncatedBytes)) }
      // Somebody else's headers may be what makes it too large.
      if isTooLarge { all.removeAll { !$0.name.hasPrefix("combo.") && ($0.value?.count ?? 0) > 1024 } }
      all.append(header("combo.truncated", String(record.value?.count ?? 0)))
      all.append(header("combo.timestamp", details.timestamp.map { String($0) } ?? ""))
      timestamp = nil
    } else {
      value = record.value
      timestamp = details.timestamp
    }
    headers = all
  }
}
