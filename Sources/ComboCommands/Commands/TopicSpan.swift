internal import ComboEdge
internal import ComboKafka
internal import ComboReplay

/// A span of a topic for `tune`: its records, partition by partition.
struct TopicSpan {
  private static let withinMs: Int64 = 30_000

  private let topic: String
  private let since: Int64?
  private let until: Int64?
  private let control: ControlClient
  private let client: ReaderClient

  /// - Parameters:
  ///   - since: The time of the first records, in milliseconds since the Unix epoch, or nil for the oldest.
  ///   - until: The time from which records are left out, or nil for the present end.
  /// - Throws: `badProperty`. Brokers are not contacted yet.
  init(_ properties: KafkaProperties, _ topic: String, since: Int64?, until: Int64?) throws(EdgeError) {
    self.topic = topic
    self.since = since
    self.until = until
    control = try ControlClient(properties)
    client = try ReaderClient(properties)
  }

  /// Reads the whole span, and ends the feed.
  func read(into feed: RecordFeed) {
    do throws(EdgeError) {
      guard let count = try control.partitionCount(topic, withinMs: Self.withinMs) else {
        return feed.end("the topic \"\(topic)\" does not exist: check --input")
      }
      for partition in 0..<Int32(count) { try read(partition, into: feed) }
      feed.end()
    } catch {
      feed.end(error.message)
    }
  }

  private func read(_ partition: Int32, into feed: RecordFeed) throws(EdgeError) {
    let bounds = try control.watermarks(topic, partition, withinMs: Self.withinMs)
    let start = max(bounds.first, try offset(partition, atMs: since, else: bounds.first, bounds.end))
    let end = min(bounds.end, try offset(partition, atMs: until, else: bounds.end, bounds.end))
    try client.read(
      topic, partition, from: start, to: end, silenceMaxMs: Self.withinMs,
      advice: "a transaction is open there, or its leader is not available. Try again later, or end earlier with --until"
    ) { message in
      if let value = message.value { feed.add(key: message.key, value: value, time: message.timestampMs) }
    }
  }

  /// Returns the offset of the first record at or after `time`: `none` if `time` is nil, `end` if there is no such record.
  private func offset(_ partition: Int32, atMs time: Int64?, else none: Int64, _ end: Int64) throws(EdgeError) -> Int64 {
    guard let time else { return none }
    return try control.offsets(topic, [partition], atMs: max(0, time), withinMs: Self.withinMs)[0].offset ?? end
  }
}
