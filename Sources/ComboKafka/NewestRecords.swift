package import ComboEdge
internal import ComboSystem

/// Reads the newest records of partitions. For one thread at a time.
package struct NewestRecords {
  private let control: ControlClient
  private let client: ReaderClient
  private let batch = MessageBatch(capacity: 4000)

  private static let withinMs: Int64 = 10_000
  /// The number of offsets before the end at which the search begins. Markers and aborted records may follow the record.
  private static let reach: Int64 = 64

  /// - Throws: `badProperty`.
  package init(_ properties: KafkaProperties, _ control: ControlClient) throws(EdgeError) {
    self.control = control
    client = try ReaderClient(properties, queuedKilobytes: 2048)
  }

  /// The time of the newest committed record of each non-empty partition, in milliseconds since the Unix epoch.
  ///
  /// While a transaction is open, only the records before it count.
  /// - Throws: `timedOut` among others.
  package func times(_ topic: String, _ partitions: [Int32]) throws(EdgeError) -> [Int32: Int64] {
    var times: [Int32: Int64] = [:]
    var left: [(partition: Int32, first: Int64, end: Int64)] = []
    for partition in partitions {
      let bounds = try control.watermarks(topic, partition, seenBy: client.client, withinMs: Self.withinMs)
      if bounds.first < bounds.end { left.append((partition, bounds.first, bounds.end)) }
    }
    var reach = Self.reach
    while !left.isEmpty {
      try read(topic, left.map { ($0.partition, max($0.first, $0.end - reach), $0.end) }) { partition, message in
        times[partition] = max(times[partition] ?? 0, message.timestampMs ?? 0)
      }
      left.removeAll { times[$0.partition] != nil || $0.end - reach <= $0.first }
      reach *= 16
    }
    return times
  }

  /// Reads all committed records of a topic.
  /// - Throws: `unknownTopic`, `timedOut` among others.
  package func readAll(
    _ topic: String, _ body: (_ key: Bytes?, _ value: Bytes?, _ time: Int64) -> Void
  ) throws(EdgeError) {
    guard let count = try control.partitionCount(topic, withinMs: Self.withinMs) else {
      throw EdgeError(.unknownTopic, "the topic \"\(topic)\" does not exist")
    }
    var all: [(partition: Int32, start: Int64, end: Int64)] = []
    for partition in 0..<Int32(count) {
      let bounds = try control.watermarks(topic, partition, seenBy: client.client, withinMs: Self.withinMs)
      all.append((partition, bounds.first, bounds.end))
    }
    try read(topic, all) { _, message in body(message.key, message.value, message.timestampMs ?? 0) }
  }

  private func read(
    _ topic: String, _ spans: [(partition: Int32, start: Int64, end: Int64)], _ body: (Int32, KafkaMessage) -> Void
  ) throws(EdgeError) {
    var readers: [PartitionReader] = []
    for span in spans { readers.append(try client.reader(topic, span.partition, from: span.start, to: span.end)) }
    var patience = Deadline(afterMs: Self.withinMs)
    while true {
      readers.removeAll { $0.isAtEnd }
      guard let first = readers.first else { return }
      for reader in readers {
        let position = reader.position
        try reader.read(maxWaitMs: reader === first ? 5 : 0, into: batch)
        defer { batch.release() }
        for index in 0..<batch.count { body(reader.partition, batch[index]) }
        if reader.position > position { patience = Deadline(afterMs: Self.withinMs) }
      }
      if patience.isOver {
        throw EdgeError(
          .timedOut,
          "topic \"\(topic)\" partition \(first.partition) returned no records from offset \(first.position) on for \(Self.withinMs / 1000) s",
          isRetriable: true)
      }
    }
  }
}
