internal import CKafka
package import ComboEdge
internal import ComboSystem

/// A topic to produce to. Created once at the start: producing the first record by a topic's name could wait for a second.
package final class ProducerTopic: Sendable {
  package let name: String
  /// The client, which exists as long as the topic.
  fileprivate let client: KafkaClient
  /// librdkafka guards it by itself.
  private let shared: SharedPointer<OpaquePointer>
  var handle: OpaquePointer { shared.pointer }

  fileprivate init(_ name: String, of client: KafkaClient) throws(EdgeError) {
    guard let handle = rd_kafka_topic_new(client.handle, name, nil) else {
      throw client.error(rd_kafka_last_error(), "cannot use topic \"\(name)\"")
    }
    self.name = name
    self.client = client
    shared = SharedPointer(handle)
  }

  deinit { rd_kafka_topic_destroy(handle) }
}

/// The common part of all producers: it queues records in librdkafka, from any thread, and tracks their delivery.
package final class KafkaProducer: Sendable {
  package let client: KafkaClient
  package let deliveries: Deliveries
  /// The time for which ``produce(_:partition:key:value:timestampMs:headers:tag:)`` waits for room in a full queue.
  private let queueFullWaitMs: Int64

  /// - Parameters:
  ///   - own: The properties of this kind of producer; they override the common ones.
  ///   - receiver: Receives the reports of records with a tag; held weakly.
  ///   - queueFullWaitMs: The time to wait for room in a full queue before it is an error.
  package init(
    _ properties: KafkaProperties, _ own: [(String, String)], receiver: (any DeliveryReceiver)? = nil,
    queueFullWaitMs: Int64 = 10_000
  ) throws(EdgeError) {
    self.queueFullWaitMs = queueFullWaitMs
    let isTransactional = own.contains { $0.0 == "transactional.id" }
    deliveries = Deliveries(brokers: properties.brokers, receiver: receiver)
    let callbacks = ClientCallbacks(
      .producer, properties, statistics: isTransactional ? "transactional_producer" : "direct_producer", deliveries: deliveries)
    let shared = [
      ("compression.codec", "lz4"),
      ("linger.ms", "5"),
      // The partitioner of Java clients.
      ("partitioner", "murmur2_random"),
      ("batch.num.messages", "100000"),
      ("batch.size", "1000000"),
      // Whole screens and dead letters may be large; the brokers decide what a topic accepts.
      ("message.max.bytes", "10000000"),
      ("queue.buffering.max.messages", "1000000"),
      ("queue.buffering.max.kbytes", "262144"),
    ]
    client = try KafkaClient(.producer, properties, shared + own + callbacks.statisticsProperties, callbacks: callbacks)
  }

  private static let unknownMs: Int64 = 5000

  /// Returns a handle to produce to a topic, once every partition of it has a leader.
  /// - Throws: `unknownTopic`, `notAuthorized`, or `unreachable` after the time.
  package func topic(_ name: String, withinMs: Int64) throws(EdgeError) -> ProducerTopic {
    let topic = try ProducerTopic(name, of: client)
    let deadline = Deadline(afterMs: withinMs)
    // Not every broker knows a new topic yet. A topic that stays unknown does not exist.
    let unknownUntil = Deadline(afterMs: min(withinMs, Self.unknownMs))
    while true {
      let (topics, error) = client.metadata(of: topic.handle, timeoutMs: max(1, deadline.left(atMostMs: 5000)))
      if let found = topics.first, found.error == RD_KAFKA_RESP_ERR_NO_ERROR, found.hasLeaders { return topic }
      let fault = error ?? topics.first?.error ?? RD_KAFKA_RESP_ERR_LEADER_NOT_AVAILABLE
      let passes =
        fault == RD_KAFKA_RESP_ERR_NO_ERROR || fault.isTransient || fault == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART
      poll()
      let isMissing = fault == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART && unknownUntil.isOver
      if !passes || isMissing || deadline.isOver {
        let last = fault == RD_KAFKA_RESP_ERR_NO_ERROR ? RD_KAFKA_RESP_ERR_LEADER_NOT_AVAILABLE : fault
        throw client.error(last, "cannot produce to topic \"\(name)\"")
      }
      MonotonicClock.sleep(ms: 50)
    }
  }

  /// Waits until the producer knows this partition of the topic, which may be newer than its metadata. Makes no request if known.
  func awaitPartition(_ partition: Int32, of topic: ProducerTopic, withinMs: Int64) throws(EdgeError) {
    let deadline = Deadline(afterMs: withinMs)
    // Reads librdkafka's own state: an unknown partition is never "available".
    while rd_kafka_topic_partition_available(topic.handle, partition) == 0 {
      let (_, error) = client.metadata(of: topic.handle, timeoutMs: max(1, deadline.left(atMostMs: 5000)))
      if let error, !error.isTransient { throw client.error(error, "cannot produce to topic \"\(topic.name)\"") }
      if deadline.isOver {
        throw client.error(
          RD_KAFKA_RESP_ERR_LEADER_NOT_AVAILABLE, "cannot produce to partition \(partition) of topic \"\(topic.name)\"")
      }
      poll()
      MonotonicClock.sleep(ms: 20)
    }
  }

  /// Copies a record into the queue; it is sent later. Any thread may call it, several at once.
  ///
  /// If the queue is full, it waits for room up to the limit given at creation, serving delivery reports.
  ///
  /// - Parameters:
  ///   - partition: The partition, or nil to choose it by the key.
  ///   - key: The key, or nil for none, with a random partition.
  ///   - value: The value, or nil for none, which deletes the key in a compacted topic.
  ///   - timestampMs: The timestamp in milliseconds since the epoch, or nil for now.
  ///   - headers: The headers, or nil for none. They are consumed even on failure.
  ///   - tag: Any value except 0 requests a report of this record.
  /// - Throws: `queueFull`, `recordTooLarge`, `unknownPartition`; `undelivered` if the transaction has failed and must be
  ///   aborted; `fatal` or `fenced` if the producer must be created again.
  package func produce(
    _ topic: ProducerTopic, partition: Int32? = nil, key: UnsafeRawBufferPointer?, value: UnsafeRawBufferPointer?,
    timestampMs: Int64? = nil, headers: consuming RecordHeaders? = nil, tag: UInt = 0
  ) throws(EdgeError) {
    let headers = headers?.release()
    // On the stack, and only the words that librdkafka reads are written: each element has a union of 64 bytes.
    let error = withUnsafeTemporaryAllocation(of: rd_kafka_vu_t.self, capacity: 8) { parts in
      let part = parts.baseAddress.unsafelyUnwrapped
      part[0].vtype = RD_KAFKA_VTYPE_RKT
      part[0].u.rkt = topic.handle
      part[1].vtype = RD_KAFKA_VTYPE_PARTITION
      part[1].u.i32 = partition ?? -1
      part[2].vtype = RD_KAFKA_VTYPE_MSGFLAGS
      part[2].u.i = RD_KAFKA_MSG_F_COPY
      part[3].vtype = RD_KAFKA_VTYPE_VALUE
      part[3].u.mem.ptr = Self.pointer(value)
      part[3].u.mem.size = value?.count ?? 0
      part[4].vtype = RD_KAFKA_VTYPE_KEY
      part[4].u.mem.ptr = Self.pointer(key)
      part[4].u.mem.size = key?.count ?? 0
      part[5].vtype = RD_KAFKA_VTYPE_OPAQUE
      part[5].u.ptr = UnsafeMutableRawPointer(bitPattern: tag)
      part[6].vtype = RD_KAFKA_VTYPE_TIMESTAMP
      part[6].u.i64 = timestampMs ?? 0
      if let headers {
        part[7].vtype = RD_KAFKA_VTYPE_HEADERS
        part[7].u.headers = headers
      }
      var full: Deadline?
      while true {
        guard let error = rd_kafka_produceva(client.handle, part, headers == nil ? 7 : 8) else {
          return RD_KAFKA_RESP_ERR_NO_ERROR
        }
        let number = rd_kafka_error_code(error)
        rd_kafka_error_destroy(error)
        if number != RD_KAFKA_RESP_ERR__QUEUE_FULL || full?.isOver == true { return number }
        let deadline = full ?? Deadline(afterMs: queueFullWaitMs)
        full = deadline
        rd_kafka_poll(client.handle, deadline.left(atMostMs: 10))
      }
    }
    if error == RD_KAFKA_RESP_ERR_NO_ERROR { return }
    if let headers { rd_kafka_headers_destroy(headers) }
    throw produceError(error, topic)
  }

  /// Returns null for nil, and another address for empty bytes.
  @inline(__always)
  private static func pointer(_ bytes: UnsafeRawBufferPointer?) -> UnsafeMutableRawPointer? {
    guard let bytes else { return nil }
    return UnsafeMutableRawPointer(mutating: bytes.baseAddress ?? emptyBytes.pointer)
  }

  private func produceError(_ error: rd_kafka_resp_err_t, _ topic: ProducerTopic) -> EdgeError {
    let failed = "cannot produce to topic \"\(topic.name)\""
    if let fatal = fatalError(failed) { return fatal }
    if error == RD_KAFKA_RESP_ERR__STATE {
      return EdgeError(
        .undelivered, "\(failed): the transaction has failed, or none is open. Abort it and begin again.",
        number: error.rawValue)
    }
    return client.error(error, failed)
  }

  /// The error for which librdkafka has failed this producer, or nil.
  func fatalError(_ failed: String) -> EdgeError? {
    var text = [CChar](repeating: 0, count: 512)
    let cause = rd_kafka_fatal_error(client.handle, &text, text.count)
    guard cause != RD_KAFKA_RESP_ERR_NO_ERROR else { return nil }
    let detail = ControlClient.text(text)
    let error = EdgeError(cause, failed: failed, detail: detail, brokers: client.brokers)
    return EdgeError(error.code == .fenced ? .fenced : .fatal, error.message, number: cause.rawValue)
  }

  /// Serves delivery reports and errors; waits up to `maxWaitMs` for the first. Call it regularly if there is no commit or flush.
  package func poll(maxWaitMs: Int32 = 0) { rd_kafka_poll(client.handle, maxWaitMs) }

  /// Waits until everything produced is delivered or has failed, serving the reports.
  /// - Throws: `timedOut` or `unreachable`, with the number of undelivered records.
  package func flush(withinMs: Int64) throws(EdgeError) {
    let error = rd_kafka_flush(client.handle, Int32(clamping: withinMs))
    if error != RD_KAFKA_RESP_ERR_NO_ERROR { throw undelivered(error) }
  }

  /// The error for records that are still in the queue.
  func undelivered(_ error: rd_kafka_resp_err_t) -> EdgeError {
    client.error(error, Counted.text(inQueue, "records are not delivered yet"))
  }

  /// The number of records and reports in progress.
  var inQueue: Int { Int(rd_kafka_outq_len(client.handle)) }
}
