internal import CKafka
package import ComboEdge
internal import ComboSystem

/// A member of a consumer group that reads one topic, `read_committed`, and never commits or resets offsets by itself.
///
/// Not thread-safe: everything, except ``committed(_:withinMs:)`` and the read-only queries, is called from one thread
/// (librdkafka loses or repeats messages if a partition is sought or paused during a batch call).
///
/// Below librdkafka 2.6.1 the assignor is `range` (eager: each rebalance revokes everything), from there on
/// `cooperative-sticky`.
package final class GroupConsumer {
  /// The configuration of a group consumer.
  package struct Options {
    package var groupID: String
    package var topic: String
    /// Static membership: a member that comes back under its name within the session keeps its partitions.
    package var groupInstanceID: String?
    /// The session timeout: brokers drop a member without heartbeats after this time.
    var sessionTimeoutMs = Int(KafkaProperties.defaultSessionTimeoutMs)
    /// The group drops a member that did not poll for this long.
    var maxPollIntervalMs = 300_000
    /// How long brokers wait for records before they answer a fetch.
    package var fetchWaitMs: Int
    /// The newest rules of the engine that this member follows, for others to see; nil if it takes over no partitions.
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

  /// Receives rebalances and errors; must outlive the consumer or be removed before.
  weak var delegate: (any GroupEdgeDelegate)? {
    didSet { callbacks.delegate = delegate }
  }
  /// The one topic that is read.
  package let topic: String
  /// Whether rebalances move single partitions only.
  package let isCooperative: Bool
  package let client: KafkaClient
  /// Whether it has a name under which it keeps its partitions.
  let isStatic: Bool
  let queue: OpaquePointer
  /// Held so that librdkafka knows the topic, and its partitions can be paused before they are assigned.
  private let topicHandle: OpaquePointer
  private let callbacks: GroupCallbacks
  let waker: FetchWaker
  /// By partition: the first offset to deliver.
  let positions = PartitionPositions()
  /// All partitions that the group gave this member, started or not.
  private(set) var owned: Set<Int32> = []
  /// The member id under which they were given.
  var ownerID: String?
  /// This member is unusable.
  private(set) var hasFailed = false
  /// Events for the delegate, which the next poll delivers, because the delegate must not be called from within its own calls.
  private var untold: [(error: EdgeError, partition: Int32?)] = []
  /// Errors that were taken out of the queue to find the errors behind them.
  private var sifted: [MessageBatch] = []
  /// Rebalances that came in the middle of a batch: they are handled once its records have been handed out.
  private var deferred: [Rebalance] = []
  private var isTakingMore = false
  /// A rebalance is being answered.
  private(set) var isRebalancing = false
  private var isClosed = false

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
      // A rebalance is announced in the answer to a heartbeat; until then, revoked partitions stay without an owner.
      ("heartbeat.interval.ms", String(min(500, options.sessionTimeoutMs / 3))),
      ("max.poll.interval.ms", String(options.maxPollIntervalMs)),
      // Added partitions are noticed within this time.
      ("topic.metadata.refresh.interval.ms", "60000"),
      // Waiting records are memory that is first filled, and then read when it is in no cache any more. With half of it the loop waits for
      // fetches.
      ("queued.min.messages", "1000000"),
      ("queued.max.messages.kbytes", "12288"),
      ("fetch.message.max.bytes", "524288"),
      // Otherwise each batch of each producer of gifts is fetched by itself, hundreds of times a second: nearly half of the cost of
      // a steady stream here, a third of its cost at the brokers.
      ("fetch.min.bytes", "65536"),
      ("fetch.wait.max.ms", String(options.fetchWaitMs)),
    ]
    if LibrdkafkaProperties.looksAgainAtFullQueues { own.append(("fetch.queue.backoff.ms", "10")) }
    let suffix = options.rules.map(MemberRules.suffix) ?? ""
    if let instance = options.groupInstanceID { own.append(("group.instance.id", instance + suffix)) }
    var properties = properties
    properties.clientIDSuffix = suffix
    callbacks = GroupCallbacks(.consumer, properties, statistics: "consumer")
    own += callbacks.statisticsProperties
    client = try KafkaClient(.consumer, properties, own, callbacks: callbacks)
    guard let topicHandle = rd_kafka_topic_new(client.handle, topic, nil) else {
      throw client.error(rd_kafka_last_error(), "cannot read topic \"\(topic)\"")
    }
    self.topicHandle = topicHandle
    waker = FetchWaker(client, topic: topic)
    // Errors and rebalances come by the same queue as records.
    rd_kafka_poll_set_consumer(client.handle)
    queue = rd_kafka_queue_get_consumer(client.handle)
    callbacks.onRebalance = { [unowned self] rebalance in rebalanceCame(rebalance) }
  }

  /// Leaves the group without a request, if it was not closed.
  deinit {
    callbacks.onRebalance = nil
    waker.stop()
    // Messages are freed before their client.
    sifted.removeAll()
    if !isClosed {
      // librdkafka's thread would wait forever for an answer to a rebalance, even without close.
      for rebalance in deferred { rebalance.decline(client.handle) }
      leave(timeoutMs: 3000)
    }
    rd_kafka_queue_destroy(queue)
    rd_kafka_topic_destroy(topicHandle)
  }

  /// Joins the group. The delegate is informed from within ``poll(maxWaitMs:into:max:)``.
  func subscribe() throws(EdgeError) {
    let list = PartitionList(topic: topic, [-1])
    let error = rd_kafka_subscribe(client.handle, list.pointer)
    if error != RD_KAFKA_RESP_ERR_NO_ERROR { throw client.error(error, "cannot subscribe to topic \"\(topic)\"") }
  }

  /// Waits up to `maxWaitMs` for a record, then takes what else is there without waiting, up to `max`. The batch must be
  /// released; what it then holds are records only, of started partitions, each offset at most once and rising.
  ///
  /// No allocation, two calls of librdkafka a batch. Must be called at least every `max.poll.interval.ms`.
  /// - Returns: the number of records, which may be 0 before the time is over (a rebalance, an error).
  @discardableResult
  package func poll(maxWaitMs: Int32, into batch: MessageBatch, max: Int = .max) -> Int {
    handleDeferred()
    tell()
    if hasFailed { return 0 }
    guard batch.waitForOne(from: queue, maxWaitMs: maxWaitMs) else { return 0 }
    isTakingMore = true
    batch.takeMore(from: queue, max: max)
    isTakingMore = false
    let positions = positions
    if batch.count >= FetchWaker.recordsMin, !LibrdkafkaProperties.looksAgainAtFullQueues { waker.tookPlenty(positions) }
    batch.filter { message in
      if message.pointee.err == RD_KAFKA_RESP_ERR_NO_ERROR {
        return positions.take(message.pointee.partition, message.pointee.offset)
      }
      reportError(of: message)
      return false
    }
    if batch.isEmpty { handleDeferred() }
    return batch.count
  }

  private func reportError(of message: UnsafeMutablePointer<rd_kafka_message_t>) {
    let number = message.pointee.err
    if number == RD_KAFKA_RESP_ERR__FATAL {
      reportFatalError()
      return
    }
    let code = EdgeError.Code(number)
    // An error of the whole topic names partition 0, too.
    let isStarted = message.pointee.partition >= 0 && positions.isStarted(message.pointee.partition)
    let partition = isStarted && code != .unknownTopic && code != .notAuthorized ? message.pointee.partition : nil
    // librdkafka leaves out what it cannot read, and continues after it.
    if isStarted && (number == RD_KAFKA_RESP_ERR__BAD_MSG || number == RD_KAFKA_RESP_ERR__NOT_IMPLEMENTED) {
      reportUnreadable(message)
      return
    }
    // The offset of a partition whose start is not decided yet cannot be wrong.
    if code == .offsetOutOfRange && partition == nil { return }
    if code != .offsetOutOfRange && !callbacks.isNews(number.rawValue) { return }
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

  /// librdkafka has given the member up: `fenced`, if another one with its `group.instance.id` has joined, else `fatal`, and a new
  /// consumer may join in its place.
  private func reportFatalError() {
    var text = [CChar](repeating: 0, count: 512)
    let cause = rd_kafka_fatal_error(client.handle, &text, text.count)
    let detail = ControlClient.text(text)
    let error = client.error(cause, "this member of the group has given up", detail: detail)
    guard error.code == .fenced else {
      delegate?.failed(EdgeError(.fatal, error.message, number: cause.rawValue), partition: nil)
      return
    }
    // When its session times out, as when the coordinator is away for long, librdkafka forgets its own id at once, but may go on
    // to send heartbeats, now without it. A static member is then told that another has taken its place, which is wrong: a really
    // fenced member still has its id.
    guard memberID == nil else {
      delegate?.failed(error, partition: nil)
      return
    }
    let message =
      "this static member of the group has lost its session, which librdkafka treats as fatal (\(detail)). It must be created again."
    delegate?.failed(EdgeError(.fatal, message, number: cause.rawValue), partition: nil)
  }

  /// This member is unusable; the next poll reports why.
  func failMembership(_ message: String, _ code: EdgeError.Code = .fatal) {
    if hasFailed { return }
    hasFailed = true
    untold.append((EdgeError(code, message), nil))
  }

  private func tell() {
    if untold.isEmpty && sifted.isEmpty { return }
    let (untold, sifted) = (untold, sifted)
    self.untold = []
    self.sifted = []
    for (error, partition) in untold { delegate?.failed(error, partition: partition) }
    for batch in sifted {
      batch.filter { message in
        reportError(of: message)
        return false
      }
    }
  }

  // MARK: Rebalances

  /// Takes what waits in the queue. Records are given up, which must be read again; all else is handled by the next poll.
  /// - Returns: whether a rebalance is to be handled.
  func sift() -> Bool {
    isTakingMore = true
    takeWaiting { batch in
      batch.filter { $0.pointee.err != RD_KAFKA_RESP_ERR_NO_ERROR }
      if !batch.isEmpty { sifted.append(batch) }
    }
    isTakingMore = false
    return !deferred.isEmpty
  }

  private func rebalanceCame(_ rebalance: Rebalance) {
    if isTakingMore {
      // Records taken just now are in the batch, but not handed out; taking their partitions away before would have
      // them counted by two.
      deferred.append(rebalance)
    } else {
      handle(rebalance)
    }
  }

  private func handleDeferred() {
    guard !deferred.isEmpty else { return }
    let rebalances = deferred
    deferred = []
    for rebalance in rebalances { handle(rebalance) }
  }

  private func handle(_ rebalance: Rebalance) {
    isRebalancing = true
    defer { isRebalancing = false }
    let list = PartitionList(owning: rebalance.takePartitions())
    // Where partitions are not handed over cooperatively, librdkafka drops an assignment that waits when its consumer is closed. Its thread
    // may have ended by now, and a question for the member's id, or an answer, would wait for it forever.
    if isClosed, !isCooperative, rebalance.kind == .assign { return }
    // A static member that takes the place of one with another topic gets the partitions of that one.
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
    // Before they are assigned, so that no records are fetched from the offset that they must have, which may not be there. (An
    // offset to be looked up, such as the end, would be no better: librdkafka looks it up again half a second after a
    // seek, and goes there.)
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

  /// librdkafka may have lost the records that it had taken out of its queue when it paused everything for a rebalance, so the
  /// partitions that stay are read again from where they were last handed out.
  func seekStarted(except moved: [Int32]) {
    let staying = positions.started.filter { !moved.contains($0.partition) }
    guard !staying.isEmpty else { return }
    do throws(EdgeError) {
      try seek(staying)
    } catch {
      // Read on, they might leave something out.
      for (partition, _) in staying {
        positions.stop(partition)
        untold.append((EdgeError(.positionLost, error.message, number: error.number), partition))
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

  // MARK: Closing

  /// Without a commit: reports the last revocation to the delegate, leaves the group and waits for that, but not longer than
  /// `timeoutMs`: then the session times out. A static member does not leave, and its session goes on until it is freed. Closing again has
  /// no effect.
  /// - Returns: whether the group knows what it has to.
  @discardableResult
  package func close(timeoutMs: Int64) -> Bool {
    guard !isClosed else { return true }
    handleDeferred()
    isClosed = true
    return leave(timeoutMs: timeoutMs)
  }

  @discardableResult
  private func leave(timeoutMs: Int64) -> Bool {
    if isStatic {
      // The group is told nothing (KIP-345), so librdkafka need not close its consumer. While it does, its thread may end between two
      // rebalances that wait, and the answer to the second would wait for it forever.
      if !owned.isEmpty { delegate?.revoked(owned.sorted(), lost: isAssignmentLost) }
      owned = []
      positions.removeAll()
      declineWaiting()
      client.leaveSilently()
      return true
    }
    guard let closing = rd_kafka_queue_new(client.handle) else { return false }
    defer { rd_kafka_queue_destroy(closing) }
    if let error = rd_kafka_consumer_close_queue(client.handle, closing) {
      rd_kafka_error_destroy(error)
      declineWaiting()
      client.leaveSilently()
      return false
    }
    let deadline = Deadline(afterMs: timeoutMs)
    let batch = MessageBatch(capacity: 1)
    while rd_kafka_consumer_closed(client.handle) == 0 && !deadline.isOver {
      // Serves the rebalance callback.
      _ = batch.waitForOne(from: closing, maxWaitMs: deadline.left(atMostMs: 20))
      batch.release()
    }
    let isClosed = rd_kafka_consumer_closed(client.handle) != 0
    if !isClosed { client.leaveSilently() }
    return isClosed
  }

  /// If librdkafka's consumer is not closed, its thread waits forever for the answer to a rebalance that is in the queue. This member no
  /// longer owns partitions.
  private func declineWaiting() {
    callbacks.onRebalance = nil
    takeWaiting { $0.release() }
  }
}
