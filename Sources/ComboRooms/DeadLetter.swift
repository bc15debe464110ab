package import ComboEdge
package import ComboWire

package struct DeadLetterLimits: Equatable, Sendable {
  /// The maximum size of a record that is passed on whole, in bytes, headers included.
  package var bytes = 1_000_000
  /// How far a record's timestamp may be before and after the brokers' time, in milliseconds; nil if there is no limit.
  package var beforeMs: Int64?
  package var afterMs: Int64?

  package init(bytes: Int = 1_000_000, beforeMs: Int64? = nil, afterMs: Int64? = nil) {
    self.bytes = bytes
    self.beforeMs = beforeMs
    self.afterMs = afterMs
  }

  /// Whether the brokers would refuse a record of this time. They subtract 64-bit integers with overflow, so a time that is far
  /// enough before theirs counts as one after it.
  package func refuse(_ time: Int64, wall: Int64) -> Bool {
    let age = wall &- time
    return beforeMs.map { age > $0 } ?? false || afterMs.map { 0 &- age > $0 } ?? false
  }
}

/// A record that is not an event, as it is written to the dead-letter topic: unchanged, with headers that contain the reason.
package struct DeadLetter {
  package let key: Bytes?
  package let value: Bytes?
  package let timestamp: Int64?
  package let headers: [RecordHeader]

  /// The maximum number of bytes kept of each of value, key and headers of a record that is too large for the topic; fewer if the
  /// topic accepts less than four times as much. If only the timestamp is refused, the value is truncated to this too.
  static let truncatedBytes = 65_536
  /// The maximum size of a header that is kept of such a record.
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
      // Any part may be the one that is too large, and a dead letter that the brokers refuse would be written again forever.
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

  /// Returns the maximum number of bytes that headers take in a record.
  private static func size(_ headers: [RecordHeader]) -> Int {
    headers.reduce(64) { $0 + size($1) }
  }

  private static func size(_ header: RecordHeader) -> Int {
    header.name.utf8.count + (header.value?.count ?? 0) + 8
  }
}
