internal import CKafka
package import ComboEdge
internal import ComboSystem
internal import Synchronization

/// A consumer without a group, from which any number of partitions are read in parallel, each by a ``PartitionReader`` on
/// any thread.
package final class ReaderClient: Sendable {
  /// The visibility of transactions for readers.
  package enum Isolation: String, Sendable {
    /// Only committed records, up to the first transaction that is still open.
    case readCommitted = "read_committed"
    /// All, aborted records too.
    case readUncommitted = "read_uncommitted"
  }

  fileprivate struct Place: Hashable { let topic: String, partition: Int32 }

  package let client: KafkaClient
  /// librdkafka has one place per partition and client for fetched records.
  fileprivate let inUse = Mutex<Set<Place>>([])

  /// - Parameters:
  ///   - queuedKilobytes: the limit of a partition's fetched records that are not read yet.
  ///   - fetchWaitMs: how long brokers wait for new records before they answer: short for a reader that ends, longer for one that stays.
  /// - Throws: `badProperty`. Brokers are not contacted yet.
  package init(
    _ properties: KafkaProperties, isolation: Isolation = .readCommitted, fetchWaitMs: Int = 10, queuedKilobytes: Int = 65536
  ) throws(EdgeError) {
    let own = [
      ("enable.auto.commit", "false"), ("enable.auto.offset.store", "false"), ("auto.offset.reset", "error"),
      ("isolation.level", isolation.rawValue), ("enable.partition.eof", "true"), ("allow.auto.create.topics", "false"),
      // The end is reported by an empty fetch, which the broker answers only after this time.
      ("fetch.wait.max.ms", "\(fetchWaitMs)"),
      ("queued.min.messages", "1000000"), ("queued.max.messages.kbytes", "\(queuedKilobytes)"),
      ("fetch.message.max.bytes", "4194304"),
    ]
    client = try KafkaClient(.consumer, properties, own, callbacks: ClientCallbacks(.consumer, properties))
  }

  /// Begins to read a partition.
  ///
  /// - Parameters:
  ///   - from: the first offset wanted.
  ///   - to: the offset after the last one wanted: usually the end as a `read_uncommitted` reader sees it
  ///     (``ControlClient/watermarks(_:_:withinMs:)``).
  /// - Throws: a retriable error if this client reads the partition already.
  package func reader(_ topic: String, _ partition: Int32, from: Int64, to: Int64) throws(EdgeError) -> PartitionReader {
    try PartitionReader(self, topic, partition, from: from, to: to)
  }
}

/// Reads a partition from one offset to another, and knows when it has reached the end: also if the records before it are aborted
/// records or the marks of transactions, which are never seen. One thread at a time.
package final class PartitionReader {
  package let topic: String
  package let partition: Int32
  /// The offset after the last one wanted.
  package let end: Int64
  /// All records before it have been delivered.
  package private(set) var position: Int64
  /// The brokers have no more readable records, though ``end`` is not reached: a transaction is still open. It ends by itself
  /// within its time-out.
  package private(set) var isHeldUp = false
  private let reader: ReaderClient
  private let topicHandle: OpaquePointer
  private let queue: OpaquePointer
  private var isReading = false
  /// Since when the brokers report that there is no such topic or partition, which may happen for a moment after it was made.
  private var absentSince: (atMs: Int64, error: rd_kafka_resp_err_t)?
  private var hasHeardOfIt = false

  fileprivate init(
    _ reader: ReaderClient, _ topic: String, _ partition: Int32, from: Int64, to: Int64
  ) throws(EdgeError) {
    self.topic = topic
    self.partition = partition
    end = to
    position = from
    let client = reader.client
    guard let topicHandle = rd_kafka_topic_new(client.handle, topic, nil) else {
      throw client.error(rd_kafka_last_error(), "cannot read topic \"\(topic)\"")
    }
    guard let queue = rd_kafka_queue_new(client.handle) else {
      rd_kafka_topic_destroy(topicHandle)
      throw client.error(RD_KAFKA_RESP_ERR__CRIT_SYS_RESOURCE, "cannot read topic \"\(topic)\"")
    }
    self.topicHandle = topicHandle
    self.queue = queue
    self.reader = reader
    guard from < to else { return }
    guard reader.inUse.withLock({ $0.insert(.init(topic: topic, partition: partition)).inserted }) else {
      throw EdgeError(
        .other, "cannot read partition \(partition) of topic \"\(topic)\" twice at once: use another client for it.",
        isRetriable: true)
    }
    if rd_kafka_consume_start_queue(topicHandle, partition, from, queue) != 0 {
      let error = rd_kafka_last_error()
      _ = reader.inUse.withLock { $0.remove(.init(topic: topic, partition: partition)) }
      throw client.error(error, "cannot read partition \(partition) of topic \"\(topic)\"")
    }
    isReading = true
  }

  deinit {
    stop()
    rd_kafka_queue_destroy(queue)
    rd_kafka_topic_destroy(topicHandle)
  }

  /// Whether everything before ``end`` has been delivered.
  package var isAtEnd: Bool { position >= end }

  /// Waits up to `maxWaitMs` for a record, then takes what else is there. The batch must be released. Records from ``end`` on
  /// are never delivered. Read until ``isAtEnd``; the batch of that last call may hold records too.
  ///
  /// - Returns: the number of records.
  /// - Throws: `offsetOutOfRange`, `unknownTopic`, `unknownPartition`, `notAuthorized`, `authentication`: continuing is of no
  ///   use. Brokers that are away are no error here: they are logged, and waited for.
  @discardableResult
  package func read(maxWaitMs: Int32, into batch: MessageBatch, max: Int = .max) throws(EdgeError) -> Int {
    guard isReading else { return 0 }
    guard batch.waitForOne(from: queue, maxWaitMs: maxWaitMs) else {
      // Serves the client's error callback.
      rd_kafka_poll(reader.client.handle, 0)
      try checkIsThere()
      return 0
    }
    hasHeardOfIt = true
    batch.takeMore(from: queue, max: max)
    var fault: EdgeError?
    var next = position
    let (end, partition) = (end, partition)
    batch.filter { message in
      if message.pointee.err == RD_KAFKA_RESP_ERR_NO_ERROR {
        let offset = message.pointee.offset
        guard offset >= next else { return false }
        next = offset + 1
        isHeldUp = false
        return offset < end
      }
      if message.pointee.err == RD_KAFKA_RESP_ERR__PARTITION_EOF {
        next = Swift.max(next, message.pointee.offset)
        isHeldUp = next < end
      } else if let error = lastingFault(of: message) {
        fault = error
      }
      return false
    }
    position = min(next, end)
    if let fault {
      batch.release()
      stop()
      throw fault
    }
    if isAtEnd {
      isHeldUp = false
      stop()
    }
    assert(batch.isEmpty || batch[0].partition == partition)
    return batch.count
  }

  /// librdkafka waits silently for a partition that does not exist.
  private func checkIsThere() throws(EdgeError) {
    guard !hasHeardOfIt else { return }
    let (topics, _) = reader.client.metadata(of: topicHandle, timeoutMs: 1000)
    guard let found = topics.first else { return }
    let absent: rd_kafka_resp_err_t? =
      switch found.error {
      case RD_KAFKA_RESP_ERR_NO_ERROR:
        Int(partition) < found.partitionCount ? nil : RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION
      case let error: error.isTransient ? nil : error
      }
    guard let absent else {
      absentSince = nil
      return
    }
    let now = MonotonicClock.nowMs
    if absentSince?.error != absent { absentSince = (now, absent) }
    guard let since = absentSince, now - since.atMs >= Self.absentForMs else { return }
    stop()
    throw reader.client.error(absent, "cannot read partition \(partition) of topic \"\(topic)\"")
  }

  /// How long a topic must be unknown before that is believed.
  private static let absentForMs: Int64 = 2000

  private func lastingFault(of message: UnsafeMutablePointer<rd_kafka_message_t>) -> EdgeError? {
    let number = message.pointee.err
    guard !number.isTransient else { return nil }
    let detail = rd_kafka_message_errstr(message).map { String(cString: $0) }
    return reader.client.error(
      number, "cannot read partition \(partition) of topic \"\(topic)\" from offset \(position)", detail: detail)
  }

  private func stop() {
    guard isReading else { return }
    isReading = false
    rd_kafka_consume_stop(topicHandle, partition)
    _ = reader.inUse.withLock { $0.remove(.init(topic: topic, partition: partition)) }
  }
}
