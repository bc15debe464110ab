internal import CKafka
package import ComboEdge

/// A member of a consumer group that reads one topic, `read_committed`, and never commits or resets offsets by itself.
///
/// It is not thread-safe: everything except ``committed(_:withinMs:)`` and the read-only queries must be called from one thread.
/// librdkafka loses or repeats messages after a seek or a pause during a batch call.
///
/// Below librdkafka 2.6.1 the assignor is `range`, which revokes everything in each rebalance; from there on it is
/// `cooperative-sticky`.
package final class GroupConsumer {
  /// The configuration of a group consumer.
  package struct Options {
    package var groupID: String
    package var topic: String
    /// The name for static membership: a member that returns under it within the session keeps its partitions.
    package var groupInstanceID: String?
    /// The session timeout: brokers drop a member without heartbeats after this time.
    var sessionTimeoutMs = Int(KafkaProperties.defaultSessionTimeoutMs)
    /// The time for which brokers wait for records before they answer a fetch.
    package var fetchWaitMs: Int
    /// The newest rules of the engine that this member supports, visible to others, or nil if it takes over no partitions.
    package var rules: Int?

    package init(
      groupID: String, topic: String, groupInstanceID: String? = nil, fetchWaitMs: Int = 5, rules: Int? = nil
    ) {
      self.groupID = groupID
      self.topic = topic
      self.groupInstanceID = groupInstanceID
      self.fetchWaitMs = fetchWaitMs
      self.rules = rules
    }
  }

  /// The receiver of rebalances and errors; held weakly.
  weak var delegate: (any GroupEdgeDelegate)? {
    didSet { events.delegate = delegate }
  }
  /// The topic that is read.
  package let topic: String
  /// Whether rebalances move single partitions only.
  package let isCooperative: Bool
  package let client: KafkaClient
  /// Whether it has a name under which it keeps its partitions.
  let isStatic: Bool
  let queue: OpaquePointer
  /// Held so that librdkafka knows the topic, and its partitions can be paused before they are assigned.
  private let topicHandle: OpaquePointer
  let callbacks: ClientCallbacks
  let events = MemberEvents()
  let waker: FetchWaker
  /// The first offset to deliver, by partition.
  let positions = PartitionPositions()
  /// The partitions that the group has assigned to this member, started or not.
  var owned: Set<Int32> = []
  /// The member id under which they were assigned.
  var ownerID: String?
  /// Whether this member is unusable.
  private(set) var hasFailed = false
  /// The errors that the next poll reports, because the delegate must not be called from within its own calls.
  private var unreported: [(error: EdgeError, partition: Int32?)] = []
  /// Errors that were removed from the queue to find the ones behind them.
  private var sifted: [MessageBatch] = []
  /// Rebalances that arrived during a batch. They are handled after its records have been processed.
  private var deferred: [Rebalance] = []
  private var isTakingMore = false
  /// Whether a rebalance is being answered.
  private(set) var isRebalancing = false
  var isClosed = false

  /// - Throws: `badProperty`. Brokers are not contacted yet.
  package init(_ properties: KafkaProperties, _ options: Options) throws(EdgeError) {
    topic = options.topic
    isCooperative = LibrdkafkaProperties.hasSoundCooperativeAssignor
    isStatic = options.groupInstanceID != nil
    var own = [
      ("group.id", options.groupID),
      ("enable.auto.commit", "false"),
      ("enable.auto.offset.store", "false"),
      ("auto.offset.reset", "error"),
      ("isolation.level", "read_committed"),
      ("partition.assignment.strategy", isCooperative ? "cooperative-sticky" : "range"),
      ("allow.auto.create.topics", "false"),
      ("session.timeout.ms", String(options.sessionTimeoutMs)),
      // A rebalance is announced in the response to a heartbeat; until then, revoked partitions have no owner.
      ("heartbeat.interval.ms", String(min(500, options.sessionTimeoutMs / 3))),
      ("max.poll.interval.ms", "300000"),
      // Added partitions are noticed within this time.
      ("topic.metadata.refresh.interval.ms", "60000"),
      // Waiting records are written to memory and have left the caches when they are read. With half the size, the loop waits.
      ("queued.min.messages", "1000000"),
      ("queued.max.messages.kbytes", "12288"),
      ("fetch.message.max.bytes", "524288"),
      // Otherwise each batch of each producer of gifts is fetched separately, hundreds of times per second. That is nearly half
      // of the cost of a steady stream here, and a third at the brokers.
      ("fetch.min.bytes", "65536"),
      ("fetch.wait.max.ms", String(options.fetchWaitMs)),
    ]
    if LibrdkafkaProperties.retriesFullQueues { own.append(("fetch.queue.backoff.ms", "10")) }
    let suffix = options.rules.map(MemberRules.suffix) ?? ""
    if let instance = options.groupInstanceID { own.append(("group.instance.id", instance + suffix)) }
    var properties = properties
    properties.clientIDSuffix = suffix
    callbacks = ClientCallbacks(.consumer, properties, statistics: "consumer", member: events)
    own += callbacks.statisticsProperties
    client = try KafkaClient(.consumer, properties, own, callbacks: callbacks)
    guard let topicHandle = rd_kafka_topic_new(client.handle, topic, nil) else {
      throw client.error(rd_kafka_last_error(), "cannot read topic \"\(topic)\"")
    }
    self.topicHandle = topicHandle
    waker = FetchWaker(client, topic: topic)
    // Errors and rebalances arrive in the same queue as records.
    rd_kafka_poll_set_consumer(client.handle)
    queue = rd_kafka_queue_get_consumer(client.handle)
    events.onRebalance = { [unowned self] rebalance in rebalanceArrived(rebalance) }
  }

  /// Leaves the group if it was not closed; declines its rebalances meanwhile.
  deinit {
    events.onRebalance = nil
    waker.stop()
    // Messages must be freed before their client.
    sifted.removeAll()
    if !isClosed {
      // Otherwise librdkafka's thread would wait forever for the answer to a rebalance, even without close.
      for rebalance in deferred { rebalance.decline(client.handle) }
      leave(timeoutMs: 3000)
    }
    rd_kafka_queue_destroy(queue)
    rd_kafka_topic_destroy(topicHandle)
  }

  /// Joins the group. The delegate is called from within ``poll(maxWaitMs:into:)``.
  func subscribe() throws(EdgeError) {
    let list = PartitionList(topic: topic, [-1])
    let error = rd_kafka_subscribe(client.handle, list.pointer)
    if error != RD_KAFKA_RESP_ERR_NO_ERROR { throw client.error(error, "cannot subscribe to topic \"\(topic)\"") }
  }

  /// Waits up to `maxWaitMs` for a record, then consumes all that are available without waiting. The batch must be released
  /// before. Afterwards it holds only records of started partitions, each offset at most once and ascending.
  ///
  /// It makes no allocation and two calls of librdkafka per batch. Call it at least every `max.poll.interval.ms`.
  /// - Returns: The number of records, which may be 0 before the time is over, because of a rebalance or an error.
  @discardableResult
  package func poll(maxWaitMs: Int32, into batch: MessageBatch) -> Int {
    handleDeferred()
    reportErrors()
    if hasFailed { return 0 }
    guard batch.waitForOne(from: queue, maxWaitMs: maxWaitMs) else { return 0 }
    isTakingMore = true
    batch.addWaiting(from: queue)
    isTakingMore = false
    let positions = positions
    if batch.count >= FetchWaker.recordsMin, !LibrdkafkaProperties.retriesFullQueues { waker.wakeAfterBacklog(positions) }
    batch.filter { message in
      if message.pointee.err == RD_KAFKA_RESP_ERR_NO_ERROR {
        return positions.accept(message.pointee.partition, message.pointee.offset)
      }
      reportError(of: message)
      return false
    }
    if batch.isEmpty { handleDeferred() }
    return batch.count
  }

  private func reportError(of message: UnsafeMutablePointer<rd_kafka_message_t>) {
    let number = message.pointee.err
    if number == RD_KAFKA_RESP_ERR__FATAL { return reportFatalError() }
    let code = EdgeError.Code(number)
    // An error of the whole topic also has partition 0.
    let isStarted = message.pointee.partition >= 0 && positions.isStarted(message.pointee.partition)
    let partition = isStarted && code != .unknownTopic && code != .notAuthorized ? message.pointee.partition : nil
    // librdkafka skips what it cannot read, and continues after it.
    if isStarted && (number == RD_KAFKA_RESP_ERR__BAD_MSG || number == RD_KAFKA_RESP_ERR__NOT_IMPLEMENTED) {
      return reportUnreadable(message)
    }
    // The start offset of this partition is not decided yet, so it cannot be wrong.
    if code == .offsetOutOfRange && partition == nil { return }
    if code != .offsetOutOfRange && !callbacks.shouldReport(number.rawValue) { return }
    let detail = rd_kafka_message_errstr(message).map { String(cString: $0) }
    let place = partition.map { " partition \($0)" } ?? ""
    delegate?.failed(
      client.error(number, "cannot read topic \"\(topic)\"\(place)", detail: detail), partition: partition)
  }

  private func reportUnreadable(_ message: UnsafeMutablePointer<rd_kafka_message_t>) {
    let partition = message.pointee.partition
    positions.stop(partition)
    let reason = rd_kafka_message_errstr(message).map { String(cString: $0) } ?? ""
    let text = "records of topic \"\(topic)\" partition \(partition) cannot be read, and are not skipped: \(reason)."
    let remedy = "If this continues, check the disk of the partition's leader, and make a replica with an intact copy the leader."
    delegate?.failed(EdgeError(.positionLost, "\(text) \(remedy)", number: message.pointee.err.rawValue), partition: partition)
  }

  /// Reports that librdkafka has given up the member: `fenced` if another one with its `group.instance.id` has joined. Otherwise
  /// it is `fatal`, and a new consumer may join in its place.
  private func reportFatalError() {
    var text = [CChar](repeating: 0, count: 512)
    let cause = rd_kafka_fatal_error(client.handle, &text, text.count)
    let detail = ControlClient.text(text)
    var error = client.error(cause, "this member of the group has given up", detail: detail)
    if error.code != .fenced {
      error = EdgeError(.fatal, error.message, number: cause.rawValue)
    } else if memberID == nil {
      // When its session times out, for example because the coordinator is unreachable for long, librdkafka forgets its own id at
      // once but may keep sending heartbeats without it. Brokers then report to a static member that another one has replaced it,
      // which is wrong: a fenced member still has its id.
      let message =
        "this static member of the group has lost its session, which librdkafka treats as fatal (\(detail)). It must be created again."
      error = EdgeError(.fatal, message, number: cause.rawValue)
    }
    delegate?.failed(error, partition: nil)
  }

  /// Marks this member as unusable; the next poll reports why.
  func failMembership(_ message: String, _ code: EdgeError.Code = .fatal) {
    if hasFailed { return }
    hasFailed = true
    unreported.append((EdgeError(code, message), nil))
  }

  private func reportErrors() {
    if unreported.isEmpty && sifted.isEmpty { return }
    let (unreported, sifted) = (unreported, sifted)
    self.unreported = []
    self.sifted = []
    for (error, partition) in unreported { delegate?.failed(error, partition: partition) }
    for batch in sifted {
      batch.filter { message in
        reportError(of: message)
        return false
      }
    }
  }

  // MARK: Rebalances

  /// Consumes all messages in the queue. Records are discarded and must be read again; the next poll handles the rest.
  /// - Returns: Whether a rebalance must be handled.
  func sift() -> Bool {
    isTakingMore = true
    consumeWaiting { batch in
      batch.filter { $0.pointee.err != RD_KAFKA_RESP_ERR_NO_ERROR }
      if !batch.isEmpty { sifted.append(batch) }
    }
    isTakingMore = false
    return !deferred.isEmpty
  }

  private func rebalanceArrived(_ rebalance: Rebalance) {
    if isTakingMore {
      // Records consumed just now are in the batch, but not processed. After an earlier revocation, two members would count them.
      deferred.append(rebalance)
    } else {
      handle(rebalance)
    }
  }

  func handleDeferred() {
    guard !deferred.isEmpty else { return }
    let rebalances = deferred
    deferred = []
    for rebalance in rebalances { handle(rebalance) }
  }

  private func handle(_ rebalance: Rebalance) {
    isRebalancing = true
    defer { isRebalancing = false }
    let list = PartitionList(owning: rebalance.takePartitions())
    // Without cooperative rebalances, librdkafka drops a waiting assignment when its consumer is closed. Its thread may have
    // ended by now, and a request for the member's id, or an answer, would wait for it forever.
    if isClosed, !isCooperative, rebalance.kind == .assign { return }
    // A static member that replaces one with another topic gets that one's partitions.
    if let other = list.keepOnly(topic: topic), rebalance.kind == .assign {
      failMembership(
        "the group gave this member partitions of the topic \"\(other)\", which another program of the same group and instance name reads, or"
          + " this one read until a moment ago. \(EdgeError.fencedAdvice).", .otherTopic)
    }
    switch rebalance.kind {
    case .assign: assign(list)
    case .revoke: unassign(list)
    }
  }

  private func assign(_ list: borrowing PartitionList) {
    let partitions = list.partitions
    checkOwner()
    for partition in partitions { positions.stop(partition) }
    // Paused before they are assigned, so that no records are fetched from the offset that they must have, which may not exist.
    // An offset to be looked up, such as the end, would be no better: half a second after a seek, librdkafka looks it up and
    // jumps there.
    _ = rd_kafka_pause_partitions(client.handle, list.pointer)
    list.setOffsets(0)
    if isCooperative {
      report(rd_kafka_incremental_assign(client.handle, list.pointer), "cannot take over partitions")
      seekStarted(except: partitions)
    } else {
      report(rd_kafka_assign(client.handle, list.pointer), "cannot take over partitions")
      owned = []
    }
    owned.formUnion(partitions)
    delegate?.assigned(partitions)
  }

  private func unassign(_ list: borrowing PartitionList) {
    let partitions = list.partitions
    delegate?.revoked(partitions, lost: isAssignmentLost)
    if isCooperative {
      for partition in partitions { positions.stop(partition) }
      owned.subtract(partitions)
      report(rd_kafka_incremental_unassign(client.handle, list.pointer), "cannot give up partitions")
      seekStarted(except: partitions)
    } else {
      positions.removeAll()
      owned = []
      report(rd_kafka_assign(client.handle, nil), "cannot give up partitions")
    }
  }

  /// Seeks the remaining partitions to their last delivered records. librdkafka may have lost records that it had removed from
  /// its queue when it paused everything for a rebalance.
  func seekStarted(except moved: [Int32]) {
    let staying = positions.started.filter { !moved.contains($0.partition) }
    guard !staying.isEmpty else { return }
    do throws(EdgeError) {
      try seek(staying)
    } catch {
      // If reading continued, records might be missing.
      for (partition, _) in staying {
        positions.stop(partition)
        unreported.append((EdgeError(.positionLost, error.message, number: error.number), partition))
      }
    }
  }

  private func report(_ error: rd_kafka_resp_err_t, _ failed: String) {
    if error != RD_KAFKA_RESP_ERR_NO_ERROR { delegate?.failed(client.error(error, failed), partition: nil) }
  }

  private func report(_ error: OpaquePointer?, _ failed: String) {
    guard let error else { return }
    report(rd_kafka_error_code(error), failed)
    rd_kafka_error_destroy(error)
  }
}
