internal import CKafka
package import ComboEdge
internal import ComboSystem
internal import Synchronization

/// A consumer without a group that reads any number of partitions in parallel, each with a ``PartitionReader`` on any thread.
package final class ReaderClient: Sendable {
  /// The visibility of transactions for readers.
  package enum Isolation: String, Sendable {
    /// Only committed records, up to the first open transaction.
    case readCommitted = "read_committed"
    /// All records, including aborted ones.
    case readUncommitted = "read_uncommitted"
  }

  fileprivate struct Place: Hashable { let topic: String, partition: Int32 }

  package let client: KafkaClient
  /// The partitions being read: librdkafka has one queue of fetched records per partition and client.
  fileprivate let inUse = Mutex<Set<Place>>([])

  /// - Parameters:
  ///   - queuedKilobytes: The maximum size of a partition's fetched records that have not been read.
  ///   - fetchWaitMs: The time for which brokers wait for new records before they answer: short for a reader that ends, else
  ///     longer.
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

  /// Creates a reader of a partition.
  ///
  /// - Parameters:
  ///   - from: The first offset to read.
  ///   - to: The offset after the last one to read: usually the end as a `read_uncommitted` reader sees it
  ///     (``ControlClient/watermarks(_:_:seenBy:withinMs:)``).
  /// - Throws: A retriable error if this client is already reading the partition.
  package func reader(_ topic: String, _ partition: Int32, from: Int64, to: Int64) throws(EdgeError) -> PartitionReader {
    try PartitionReader(self, topic, partition, from: from, to: to)
  }

  /// Reads a partition from one offset to another.
  /// - Parameters:
  ///   - silenceMaxMs: The time without progress after which it fails.
  ///   - advice: The end of that error's message: the possible cause, and what to do.
  /// - Throws: `timedOut`, and what a ``PartitionReader`` or `body` throws.
  package func read(
    _ topic: String, _ partition: Int32, from start: Int64, to end: Int64, silenceMaxMs: Int64, advice: String,
    _ body: (KafkaMessage) throws(EdgeError) -> Void
  ) throws(EdgeError) {
    let reader = try reader(topic, partition, from: start, to: end)
    let batch = MessageBatch(capacity: 4096)
    var silence = Deadline(afterMs: silenceMaxMs)
    while !reader.isAtEnd {
      let before = reader.position
      try reader.read(maxWaitMs: 100, into: batch)
      defer { batch.release() }
      for index in 0..<batch.count { try body(batch[index]) }
      if reader.position > before {
        // The time that `body` took is not the brokers'.
        silence = Deadline(afterMs: silenceMaxMs)
      } else if silence.isOver {
        throw EdgeError(
          .timedOut, "partition \(partition) of \"\(topic)\" cannot be read beyond offset \(reader.position): \(advice)",
          isRetriable: true)
      }
    }
  }
}

/// Reads a partition from one offset to another, and detects its end even behind aborted records or transaction markers, which
/// are never visible. For one thread at a time.
package final class PartitionReader {
  package let topic: String
  package let partition: Int32
  /// The offset after the last one to read.
  package let end: Int64
  /// The offset before which all records have been delivered.
  package private(set) var position: Int64
  /// Whether the brokers have no more readable records before ``end``, because a transaction is still open. It ends by itself
  /// within its time-out.
  package private(set) var isHeldUp = false
  private let reader: ReaderClient
  private let topicHandle: OpaquePointer
  private let queue: OpaquePointer
  private var isReading = false
  /// The time since which brokers report a missing topic or partition. This may happen for a moment after it was created.
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

  /// Waits up to `maxWaitMs` for a record, then adds all that are available. The batch must be released before. Records from
  /// ``end`` on are never delivered. Read until ``isAtEnd``; the batch of the last call may contain records, too.
  ///
  /// - Returns: The number of records.
  /// - Throws: `offsetOutOfRange`, `unknownTopic`, `unknownPartition`, `notAuthorized`, `authentication`; these are permanent.
  ///   Unreachable brokers are no error here: they are logged, and the reader waits for them.
  @discardableResult
  package func read(maxWaitMs: Int32, into batch: MessageBatch) throws(EdgeError) -> Int {
    guard isReading else { return 0 }
    guard batch.waitForOne(from: queue, maxWaitMs: maxWaitMs) else {
      // Serves the client's error callback.
      rd_kafka_poll(reader.client.handle, 0)
      try checkIsThere()
      return 0
    }
    hasHeardOfIt = true
    batch.addWaiting(from: queue)
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
        next = max(next, message.pointee.offset)
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

  /// Checks that the partition exists, because librdkafka waits silently for a missing one.
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

  /// The time for which a topic must be unknown before that is believed.
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
