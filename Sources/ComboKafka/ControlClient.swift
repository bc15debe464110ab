package import CKafka
package import ComboEdge
internal import ComboSystem

/// Asks brokers about topics, and makes and changes them. A consumer without a group that reads nothing; as it is
/// `read_uncommitted`, its end offsets include open transactions.
///
/// Any thread. Every call blocks, asks again while brokers are away or busy, and gives up after its time with an error that
/// says what to do.
package final class ControlClient: Sendable {
  package let client: KafkaClient

  /// - Throws: `badProperty`. Brokers are not contacted yet.
  package init(_ properties: KafkaProperties) throws(EdgeError) {
    let own = [
      ("enable.auto.commit", "false"), ("isolation.level", "read_uncommitted"), ("allow.auto.create.topics", "false"),
    ]
    client = try KafkaClient(.consumer, properties, own, callbacks: ClientCallbacks(.consumer, properties))
  }

  /// Calls until it succeeds, fails permanently, or the time is over.
  func attempt<Result>(
    _ failed: @autoclosure () -> String, withinMs: Int64,
    _ call: (_ timeoutMs: Int32) -> Attempt<Result>
  ) throws(EdgeError) -> Result {
    let deadline = Deadline(afterMs: withinMs)
    while true {
      let result = call(max(1, deadline.left(atMostMs: 5000)))
      // Serves the error callback, which knows why there is no connection.
      rd_kafka_poll(client.handle, 0)
      switch result {
      case .done(let result):
        client.answered()
        return result
      case .failed(let number, let detail, let isTransient):
        if !(isTransient || number.isTransient) || deadline.isOver {
          throw client.error(number, failed(), detail: detail)
        }
      }
      MonotonicClock.sleep(ms: min(50, deadline.leftMs))
    }
  }

  /// How one try ended.
  package enum Attempt<Result> {
    case done(Result)
    /// `isTransient`: worth another try, though the number does not say so.
    case failed(rd_kafka_resp_err_t, detail: String? = nil, isTransient: Bool = false)
  }

  // MARK: Questions

  /// The number of partitions of the topic; nil: there is no such topic.
  package func partitionCount(_ topic: String, withinMs: Int64) throws(EdgeError) -> Int? {
    let handle = try TopicHandle(topic, client)
    return try attempt("cannot get the metadata of topic \"\(topic)\"", withinMs: withinMs) { timeoutMs in
      let (topics, error) = client.metadata(of: handle.pointer, timeoutMs: timeoutMs)
      guard let found = topics.first else { return .failed(error ?? RD_KAFKA_RESP_ERR__TIMED_OUT) }
      switch found.error {
      case RD_KAFKA_RESP_ERR_NO_ERROR: return .done(found.partitionCount)
      case RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART: return .done(nil)
      default: return .failed(found.error)
      }
    }
  }

  /// The first offset of a partition and its end, open transactions included.
  /// - Throws: `unknownTopic`, `unknownPartition` only if it was not there all that time.
  package func watermarks(_ topic: String, _ partition: Int32, withinMs: Int64) throws(EdgeError) -> (first: Int64, end: Int64) {
    try watermarks(topic, partition, seenBy: client, withinMs: withinMs)
  }

  /// The same as `reader` sees it: a `read_committed` one sees the partition end where the first open transaction begins.
  package func watermarks(
    _ topic: String, _ partition: Int32, seenBy reader: KafkaClient, withinMs: Int64
  ) throws(EdgeError) -> (first: Int64, end: Int64) {
    // The reader's own: each client remembers how many partitions a topic has, for minutes, and asks no broker about others.
    let handle = try TopicHandle(topic, reader)
    var isFirst = true
    return try attempt("cannot get the first and last offset of partition \(partition) of topic \"\(topic)\"", withinMs: withinMs)
    {
      timeoutMs in
      let sliceMs = min(timeoutMs, Self.endsSliceMs)
      // A leader that has died is remembered, and asked again and again, until the leader is asked for again.
      if !isFirst { _ = reader.metadata(of: handle.pointer, timeoutMs: sliceMs) }
      isFirst = false
      var ends: [Int64] = []
      for which in [Self.firstOffset, Self.endOffset] {
        // Not `rd_kafka_query_watermark_offsets`: below 2.3.0 it waits for a dead leader as long as that stays dead.
        let list = PartitionList(topic: topic, [partition], offset: which)
        var error = rd_kafka_offsets_for_times(reader.handle, list.pointer, sliceMs)
        if error == RD_KAFKA_RESP_ERR_NO_ERROR, let fault = list.firstError { error = fault.error }
        // Newer libraries also use this code for a partition without a leader.
        if error == RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION {
          let found = reader.metadata(of: handle.pointer, timeoutMs: sliceMs).topics.first
          switch found?.error {
          case RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART: error = RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART
          case RD_KAFKA_RESP_ERR_NO_ERROR where Int(partition) >= found!.partitionCount: break
          default: error = RD_KAFKA_RESP_ERR_LEADER_NOT_AVAILABLE
          }
        }
        guard error == RD_KAFKA_RESP_ERR_NO_ERROR else {
          // Not every broker knows of a topic that was just made, nor its leader. One that stays unknown does not exist.
          let isUnknown = error == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART || error == RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION
          return .failed(error, isTransient: isUnknown)
        }
        ends.append(list[0].offset)
      }
      return .done((ends[0], ends[1]))
    }
  }

  /// In the protocol's request for the offset of a time, these times stand for the first offset and for the end.
  private static let firstOffset: Int64 = -2
  private static let endOffset: Int64 = -1
  /// How long to wait for a leader before asking for a new one.
  private static let endsSliceMs: Int32 = 1500

  /// Of each partition, the first offset whose record is of this time or later; nil: there is none.
  package func offsets(
    _ topic: String, _ partitions: [Int32], atMs timestamp: Int64, withinMs: Int64
  ) throws(EdgeError) -> [(partition: Int32, offset: Int64?)] {
    try offsets(topic, partitions, atMs: timestamp, seenBy: client, withinMs: withinMs)
  }

  /// Where each partition ends as `reader` sees it.
  package func ends(
    _ topic: String, _ partitions: [Int32], seenBy reader: KafkaClient? = nil, withinMs: Int64
  ) throws(EdgeError) -> [(partition: Int32, offset: Int64?)] {
    try offsets(topic, partitions, atMs: Self.endOffset, seenBy: reader ?? client, withinMs: withinMs)
  }

  private func offsets(
    _ topic: String, _ partitions: [Int32], atMs timestamp: Int64, seenBy reader: KafkaClient, withinMs: Int64
  ) throws(EdgeError) -> [(partition: Int32, offset: Int64?)] {
    guard !partitions.isEmpty else { return [] }
    return try attempt("cannot look up times in topic \"\(topic)\"", withinMs: withinMs) { timeoutMs in
      let list = PartitionList(topic: topic, partitions, offset: timestamp)
      var error = rd_kafka_offsets_for_times(reader.handle, list.pointer, timeoutMs)
      if error == RD_KAFKA_RESP_ERR_NO_ERROR, let fault = list.firstError { error = fault.error }
      guard error == RD_KAFKA_RESP_ERR_NO_ERROR else { return .failed(error) }
      return .done((0..<list.count).map { (list[$0].partition, list[$0].offset >= 0 ? list[$0].offset : nil) })
    }
  }

  /// A cluster as its brokers describe it.
  package struct Cluster: Equatable, Sendable {
    /// The same for all of its brokers.
    package let id: String?
    /// Each with its number and its address.
    package let brokers: [Broker]

    package init(id: String?, brokers: [Broker]) {
      self.id = id
      self.brokers = brokers
    }

    package struct Broker: Equatable, Sendable {
      package let id: Int32
      package let address: String

      package init(id: Int32, address: String) {
        self.id = id
        self.address = address
      }
    }
  }

  /// Asks any broker which others there are. The cheapest way to find out whether they can be reached.
  package func cluster(withinMs: Int64) throws(EdgeError) -> Cluster {
    try attempt("cannot describe the cluster", withinMs: withinMs) { timeoutMs in
      var brokers: [Cluster.Broker] = []
      let error = client.withMetadata(of: nil, timeoutMs: timeoutMs) { metadata in
        brokers = UnsafeBufferPointer(start: metadata.brokers, count: Int(metadata.broker_cnt)).map {
          Cluster.Broker(id: $0.id, address: "\($0.host.map { String(cString: $0) } ?? ""):\($0.port)")
        }
      }
      if let error { return .failed(error) }
      guard let text = rd_kafka_clusterid(client.handle, timeoutMs) else {
        return .done(Cluster(id: nil, brokers: brokers.sorted { $0.id < $1.id }))
      }
      defer { rd_kafka_mem_free(client.handle, text) }
      return .done(Cluster(id: String(cString: text), brokers: brokers.sorted { $0.id < $1.id }))
    }
  }
}

/// librdkafka's handle of a topic, for as long as it is asked about.
private struct TopicHandle: ~Copyable {
  let pointer: OpaquePointer

  init(_ topic: String, _ client: KafkaClient) throws(EdgeError) {
    guard let pointer = rd_kafka_topic_new(client.handle, topic, nil) else {
      throw client.error(rd_kafka_last_error(), "cannot get the metadata of topic \"\(topic)\"")
    }
    self.pointer = pointer
  }

  deinit { rd_kafka_topic_destroy(pointer) }
}
