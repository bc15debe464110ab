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
  let key: Bytes?
  let value: Bytes?
  let timestamp: Int64?
  let headers: [RecordHeader]

  /// Of a record that is too large for the topic, so much is kept: of its value, of its key, and of its headers; less if the topic takes
  /// less than four times as much.
  static let truncatedBytes = 65_536
  /// Of such a record's headers, each is kept whose name and value are no longer.
  private static let headerBytes = 1024

  init(
    _ record: InputRecord, _ bad: BadEvent, topic: String, details: (timestamp: Int64?, headers: [RecordHeader]),
    limits: DeadLetterLimits, wall: Int64
  ) {
    func header(_ name: String, _ value: some StringProtocol) -> RecordHeader {
      RecordHeader(name: name, value: Array(value.utf8))
    }
    let why = [
      header("combo.error", bad.code.rawValue), header("combo.reason", bad.reason), header("combo.topic", topic),
      header("combo.partition", String(record.partition)), header("combo.offset", String(record.offset)),
    ]
    let whole = Self.size(details.headers) + Self.size(why) + (record.value?.count ?? 0) + (record.key?.count ?? 0)
    let isTooLarge = whole > limits.bytes
    guard isTooLarge || details.timestamp.map({ limits.refuse($0, wall: wall) }) ?? false else {
      (key, value, timestamp, headers) = (record.key, record.value, details.timestamp, details.headers + why)
      return
    }
    var all = details.headers
    var own = why
    own.append(header("combo.truncated", String(record.value?.count ?? 0)))
    own.append(header("combo.timestamp", details.timestamp.map { String($0) } ?? ""))
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
