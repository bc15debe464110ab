package import CKafka
package import ComboEdge
internal import ComboSystem
internal import Synchronization

/// Queries, creates and changes topics. It is a consumer without a group that reads nothing. As it is `read_uncommitted`, its end
/// offsets include open transactions.
///
/// It may be used from any thread. Every call blocks, retries while brokers are unreachable or busy, and finally times out with
/// an error that names the remedy.
package final class ControlClient: Sendable {
  package let client: KafkaClient
  private let properties: KafkaProperties
  /// The client for requests to a group's coordinator. Created when first needed.
  private let coordinatorClient = Mutex<(group: String, client: KafkaClient)?>(nil)

  /// - Throws: `badProperty`. Brokers are not contacted yet.
  package init(_ properties: KafkaProperties) throws(EdgeError) {
    self.properties = properties
    client = try Self.makeClient(properties)
  }

  private static func makeClient(_ properties: KafkaProperties, _ more: [(String, String)] = []) throws(EdgeError) -> KafkaClient
  {
    let own = [
      ("enable.auto.commit", "false"), ("isolation.level", "read_uncommitted"), ("allow.auto.create.topics", "false"),
    ]
    return try KafkaClient(.consumer, properties, own + more, callbacks: ClientCallbacks(.consumer, properties))
  }

  /// Sends one admin request to a group's coordinator, and reads its response.
  ///
  /// It has a client of its own, which does not join the group. Without a group, librdkafka crashes if a broker answers that it
  /// is not the coordinator (its issue 5040, in all versions up to 2.15). A failure replaces the client: in librdkafka's cache,
  /// each request would prolong the entry of the former coordinator (`rd_kafka_coord_cache_get`).
  func askCoordinator<Result>(
    of group: String, _ operation: rd_kafka_admin_op_t, _ timeoutMs: Int32,
    send: (_ client: OpaquePointer, _ options: OpaquePointer?, _ queue: OpaquePointer?) -> Void,
    read: (_ event: OpaquePointer) -> Attempt<Result>
  ) -> Attempt<Result> {
    let found: KafkaClient? = coordinatorClient.withLock { current in
      if current?.group != group {
        current = (try? Self.makeClient(properties, [("group.id", group)])).map { new in
          new.leaveSilently()
          return (group, new)
        }
      }
      return current?.client
    }
    guard let found else { return .failed(RD_KAFKA_RESP_ERR__CRIT_SYS_RESOURCE) }
    let answer = Self.ask(found, operation, timeoutMs, send: send, read: read)
    if case .failed = answer { coordinatorClient.withLock { if $0?.client === found { $0 = nil } } }
    return answer
  }

  /// Sends one admin request to a coordinator.
  ///
  /// The request never expires in librdkafka, which would abort the process: a request that expires before the coordinator is
  /// known is released twice once it is known (`rd_kafka_admin_coord_request` and `rd_kafka_coord_req_fail`, seen with 2.0.2
  /// and 2.14). It ends with its client.
  static func ask<Result>(
    _ client: KafkaClient, _ operation: rd_kafka_admin_op_t, _ timeoutMs: Int32,
    send: (_ client: OpaquePointer, _ options: OpaquePointer?, _ queue: OpaquePointer?) -> Void,
    read: (_ event: OpaquePointer) -> Attempt<Result>
  ) -> Attempt<Result> {
    admin(
      client, operation, timeoutMs, expiresMs: 3_600_000, send: { send(client.handle, $0, $1) }, read: read)
  }

  /// Repeats a call until it succeeds, fails permanently, or times out.
  func attempt<Result>(
    _ failed: @autoclosure () -> String, withinMs: Int64,
    _ call: (_ timeoutMs: Int32) -> Attempt<Result>
  ) throws(EdgeError) -> Result {
    let deadline = Deadline(afterMs: withinMs)
    while true {
      let result = call(max(1, deadline.left(atMostMs: 5000)))
      // Serves the error callback, which receives the reason for a missing connection.
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

  /// The result of one attempt.
  package enum Attempt<Result> {
    case done(Result)
    /// A failure. `isTransient` makes it retriable even if the number does not.
    case failed(rd_kafka_resp_err_t, detail: String? = nil, isTransient: Bool = false)
  }

  // MARK: Queries

  /// The names of all topics that this client may see.
  package func topics(withinMs: Int64) throws(EdgeError) -> [String] {
    try attempt("cannot list the topics", withinMs: withinMs) { timeoutMs in
      let (topics, error) = client.metadata(of: nil, isOfAll: true, timeoutMs: timeoutMs)
      if let error { return .failed(error) }
      return .done(topics.filter { $0.error == RD_KAFKA_RESP_ERR_NO_ERROR }.map(\.name))
    }
  }

  /// The number of partitions of the topic, or nil if there is no such topic.
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

  /// The first offset of a partition and its end, including open transactions.
  /// - Parameter reader: The client whose view counts instead: a `read_committed` one's end is the first open transaction.
  /// - Throws: `unknownTopic` and `unknownPartition` only if it did not exist during the whole time.
  package func watermarks(
    _ topic: String, _ partition: Int32, seenBy reader: KafkaClient? = nil, withinMs: Int64
  ) throws(EdgeError) -> (first: Int64, end: Int64) {
    let reader = reader ?? client
    // The reader's own handle: each client caches a topic's number of partitions for minutes and rejects others.
    let handle = try TopicHandle(topic, reader)
    var isFirst = true
    return try attempt("cannot get the first and last offset of partition \(partition) of topic \"\(topic)\"", withinMs: withinMs)
    {
      timeoutMs in
      let sliceMs = min(timeoutMs, Self.endsSliceMs)
      // librdkafka remembers a dead leader, and asks it repeatedly, until the metadata is requested again.
      if !isFirst { _ = reader.metadata(of: handle.pointer, timeoutMs: sliceMs) }
      isFirst = false
      var ends: [Int64] = []
      for which in [Self.firstOffset, Self.endOffset] {
        // Not `rd_kafka_query_watermark_offsets`: below 2.3.0 it waits for a dead leader indefinitely.
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
          // Not every broker knows a new topic or its leader yet. A topic that stays unknown does not exist.
          let isUnknown = error == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART || error == RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION
          return .failed(error, isTransient: isUnknown)
        }
        ends.append(list[0].offset)
      }
      return .done((ends[0], ends[1]))
    }
  }

  /// These times request the first offset and the end in the protocol's request for the offset of a time.
  private static let firstOffset: Int64 = -2
  private static let endOffset: Int64 = -1
  /// The time to wait for a leader before its metadata is requested again.
  private static let endsSliceMs: Int32 = 1500

  /// The first offset of each partition that still exists.
  package func firsts(
    _ topic: String, _ partitions: [Int32], withinMs: Int64
  ) throws(EdgeError) -> [(partition: Int32, offset: Int64?)] {
    try offsets(topic, partitions, atMs: Self.firstOffset, withinMs: withinMs)
  }

  /// The end of each partition as `reader` sees it.
  package func ends(
    _ topic: String, _ partitions: [Int32], seenBy reader: KafkaClient? = nil, withinMs: Int64
  ) throws(EdgeError) -> [(partition: Int32, offset: Int64?)] {
    try offsets(topic, partitions, atMs: Self.endOffset, seenBy: reader, withinMs: withinMs)
  }

  /// The first offset of each partition with a record of this time or later, or nil if there is none.
  package func offsets(
    _ topic: String, _ partitions: [Int32], atMs timestamp: Int64, seenBy reader: KafkaClient? = nil, withinMs: Int64
  ) throws(EdgeError) -> [(partition: Int32, offset: Int64?)] {
    guard !partitions.isEmpty else { return [] }
    let reader = reader ?? client
    let handle = try TopicHandle(topic, reader)
    var isFirst = true
    return try attempt("cannot look up times in topic \"\(topic)\"", withinMs: withinMs) { timeoutMs in
      // A broker finds the ends at once, and times in its files.
      let sliceMs = timestamp < 0 ? min(timeoutMs, Self.endsSliceMs) : timeoutMs
      // librdkafka remembers a dead leader, as above, and a topic's number of partitions for minutes.
      let mayBeStale = isFirst
      if !isFirst { _ = reader.metadata(of: handle.pointer, timeoutMs: sliceMs) }
      isFirst = false
      let list = PartitionList(topic: topic, partitions, offset: timestamp)
      var error = rd_kafka_offsets_for_times(reader.handle, list.pointer, sliceMs)
      if error == RD_KAFKA_RESP_ERR_NO_ERROR, let fault = list.firstError { error = fault.error }
      guard error == RD_KAFKA_RESP_ERR_NO_ERROR else {
        return .failed(error, isTransient: mayBeStale && error == RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION)
      }
      return .done((0..<list.count).map { (list[$0].partition, list[$0].offset >= 0 ? list[$0].offset : nil) })
    }
  }

  /// A cluster as described by its brokers.
  package struct Cluster: Equatable, Sendable {
    /// The cluster's id, which all of its brokers share.
    package let id: String?
    /// The brokers with their numbers and addresses.
    package let brokers: [Broker]

    package struct Broker: Equatable, Sendable {
      package let id: Int32
      package let address: String
    }
  }

  /// Requests the list of brokers from any of them. This is the cheapest way to find out whether they are reachable.
  package func cluster(withinMs: Int64) throws(EdgeError) -> Cluster {
    try attempt("cannot describe the cluster", withinMs: withinMs) { timeoutMs in
      var brokers: [Cluster.Broker] = []
      let error = client.withMetadata(of: nil, timeoutMs: timeoutMs) { metadata in
        brokers = UnsafeBufferPointer(start: metadata.brokers, count: Int(metadata.broker_cnt)).map {
          Cluster.Broker(id: $0.id, address: "\($0.host.map { String(cString: $0) } ?? ""):\($0.port)")
        }
      }
      if let error { return .failed(error) }
      let id = rd_kafka_clusterid(client.handle, timeoutMs)
      defer { rd_kafka_mem_free(client.handle, id) }
      return .done(Cluster(id: id.map { String(cString: $0) }, brokers: brokers.sorted { $0.id < $1.id }))
    }
  }
}

/// librdkafka's handle of a topic, for the duration of its queries.
struct TopicHandle: ~Copyable {
  let pointer: OpaquePointer

  init(_ topic: String, _ client: KafkaClient) throws(EdgeError) {
    guard let pointer = rd_kafka_topic_new(client.handle, topic, nil) else {
      throw client.error(rd_kafka_last_error(), "cannot get the metadata of topic \"\(topic)\"")
    }
    self.pointer = pointer
  }

  deinit { rd_kafka_topic_destroy(pointer) }
}
