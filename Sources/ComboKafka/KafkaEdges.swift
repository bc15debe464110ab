package import ComboEdge
internal import ComboSystem
internal import Synchronization

/// The librdkafka member of the group.
package final class KafkaGroup: GroupEdge {
  package var delegate: (any GroupEdgeDelegate)? {
    get { consumer.delegate }
    set { consumer.delegate = newValue }
  }
  package let consumer: GroupConsumer
  package let offsets: any GroupOffsets
  /// The id of its producer, stored with the offsets that it commits, or nil to store none.
  private let transactionalID: String?
  private let holds = [MessageBatch(capacity: KafkaGroup.batchMax), MessageBatch(capacity: KafkaGroup.batchMax)]

  /// The maximum number of records per batch: enough that rooms get several gifts at once, and few enough that decoded events are
  /// still in the processor's cache when the rooms process them.
  private static let batchMax = 8192
  private static let closeWithinMs: Int64 = 3000

  package init(
    _ properties: KafkaProperties, _ options: GroupConsumer.Options, control: ControlClient? = nil, transactionalID: String? = nil
  ) throws(EdgeError) {
    self.transactionalID = transactionalID
    consumer = try GroupConsumer(properties, options)
    offsets = KafkaOffsets(client: consumer.client, topic: options.topic, group: options.groupID, control: control)
  }

  /// The identity of this member, stored with the offsets that it commits.
  var owner: CommittedOffset.Owner? {
    transactionalID.flatMap { id in consumer.memberID.map { CommittedOffset.Owner(member: $0, transactionalID: id) } }
  }

  deinit { release() }

  package func subscribe() throws(EdgeError) { try consumer.subscribe() }

  package func poll(maxWaitMs: Int32, hold: Int, _ body: (InputRecord) -> Void) {
    let batch = holds[hold]
    batch.release()
    consumer.poll(maxWaitMs: maxWaitMs, into: batch)
    batch.deliver { message, endsRun in
      body(
        InputRecord(
          partition: message.partition, offset: message.offset, key: message.key, value: message.value,
          source: message.source, endsRun: endsRun, isLasting: message.isPadded))
    }
  }

  package func release() { for batch in holds { batch.release() } }

  package func start(_ partitions: [(partition: Int32, offset: Int64)]) throws(EdgeError) { try consumer.start(partitions) }

  package func stop(_ partition: Int32) { consumer.positions.stop(partition) }

  package func pause(_ partition: Int32) {
    consumer.positions.stop(partition)
    // A partition that cannot be paused is fetched in vain.
    try? consumer.pause([partition])
  }

  package func commitWithoutWaiting(_ offsets: [CommittedOffset]) {
    let owner = owner
    consumer.commitWithoutWaiting(offsets.map { $0.signed(by: owner) })
  }

  package func end(of partition: Int32) -> Int64? { consumer.watermarks(partition)?.end }

  package func close() {
    release()
    consumer.close(timeoutMs: Self.closeWithinMs)
  }
}

/// The offsets that a group of Kafka has committed.
private struct KafkaOffsets: GroupOffsets {
  let client: KafkaClient
  let topic: String
  let group: String
  /// The client that determines why the group's offset cannot be read, or nil to skip that.
  let control: ControlClient?

  private static let committedWithinMs: Int64 = 30_000
  /// A transaction that has just ended has its marks within this time.
  private static let allCommittedWithinMs: Int64 = 2000

  func committed(_ partition: Int32) throws(EdgeError) -> CommittedOffset {
    do throws(EdgeError) {
      return try client.committed([partition], of: topic, withinMs: Self.committedWithinMs)[0]
    } catch {
      guard let control, let pending = try? pendingOffsets([partition]), !pending.isEmpty else { throw error }
      throw EdgeError(
        .timedOut,
        "the group's offset of \"\(topic)\" partition \(partition) waits for a transaction that has been open for more than"
          + " \(Self.committedWithinMs / 1000) s. \(control.offsetsRemedy(client.brokers, group, seenBy: client))",
        isRetriable: true)
    }
  }

  func committed(_ partitions: [Int32]) throws(EdgeError) -> [CommittedOffset] {
    try client.committed(partitions, of: topic, withinMs: Self.allCommittedWithinMs)
  }

  func pendingOffsets(_ partitions: [Int32]) throws(EdgeError) -> [Int32] {
    try control?.pendingOffsets(ofGroup: group, topic, partitions) ?? []
  }
}

/// Names of topics that threads of librdkafka add.
private final class DeniedTopics: Sendable {
  let names = Mutex<Set<String>>([])
}

/// The librdkafka transactional producer.
// Sendable: only the loop's thread replaces `current`, while no room works; the first fault is behind a lock.
package final class KafkaOutput: OutputEdge, @unchecked Sendable {
  private final class Current {
    let transactional: TransactionalProducer
    let topics: [ProducerTopic]
    // Unmanaged, to avoid reference counting for each record: all threads would change the counts at once.
    let producer: Unmanaged<KafkaProducer>
    let handles: UnsafeMutablePointer<Unmanaged<ProducerTopic>>

    init(_ transactional: TransactionalProducer, _ topics: [ProducerTopic]) {
      self.transactional = transactional
      self.topics = topics
      producer = .passUnretained(transactional.producer)
      handles = .allocate(capacity: topics.count)
      for (index, topic) in topics.enumerated() { (handles + index).initialize(to: .passUnretained(topic)) }
    }

    deinit { handles.deallocate() }
  }

  private var current: Current? {
    didSet { currentHandle = current.map(Unmanaged.passUnretained) }
  }
  private var currentHandle: Unmanaged<Current>?
  private let properties: KafkaProperties
  private let transactionalID: String
  private let names: TopicNames
  private let group: KafkaGroup
  private let queueFullWaitMs: Int64
  private let outputHeaders: [OutputHeader]
  private let newest = NewestScreens()
  private let fault = Mutex<EdgeError?>(nil)
  /// The topics that could not be added to the transaction for want of a right.
  private let denied = DeniedTopics()
  /// Whether there is a fault. Any thread reads it for each record.
  private let hasFailed = Atomic(false)

  private static let initWithinMs: Int64 = 30_000
  private static let topicsWithinMs: Int64 = 30_000
  private static let offsetsWithinMs: Int64 = 10_000
  private static let deliveredWithinMs: Int64 = 15_000
  private static let commitWithinMs: Int64 = 9000
  private static let abortWithinMs: Int64 = 10_000

  /// - Parameters:
  ///   - outputHeaders: The headers of each record of the output.
  ///   - queueFullWaitMs: The maximum time for which a record waits for room in a full queue.
  package init(
    _ properties: KafkaProperties, transactionalID: String, names: TopicNames, group: KafkaGroup,
    outputHeaders: [OutputHeader] = [],
    queueFullWaitMs: Int64 = 10_000
  ) {
    let denied = denied
    var properties = properties
    properties.log = KafkaLog { [log = properties.log] level, facility, text in
      if let topic = KafkaWords.deniedTopic(text) { denied.names.withLock { _ = $0.insert(topic) } }
      log.write(level, facility, text)
    }
    self.properties = properties
    self.transactionalID = transactionalID
    self.names = names
    self.group = group
    self.outputHeaders = outputHeaders
    self.queueFullWaitMs = queueFullWaitMs
  }

  package func renew() throws(EdgeError) {
    current = nil
    resetFault()
    let transactional = try TransactionalProducer(
      properties, transactionalID: transactionalID, queueFullWaitMs: queueFullWaitMs)
    try transactional.initTransactions(withinMs: Self.initWithinMs)
    var topics: [ProducerTopic] = []
    for topic in Topic.allCases where topic != .input {
      topics.append(try transactional.producer.topic(names[topic], withinMs: Self.topicsWithinMs))
    }
    // Placed after the topics that have a fixed index.
    if let screens = names.screens {
      topics.append(try transactional.producer.topic(screens, withinMs: Self.topicsWithinMs))
      newest.forget()
    }
    current = Current(transactional, topics)
  }

  package func begin() throws(TransactionFault) {
    guard let current else { throw .fatal("there is no producer") }
    resetFault()
    try withAdvice { () throws(TransactionFault) in try current.transactional.begin() }
  }

  package func produce(
    _ topic: Topic, partition: Int32?, key: Bytes?, value: Bytes?, timestamp: Int64?, headers: [RecordHeader]
  ) {
    // If this transaction has failed, the commit reports it. Another record would only wait again for room in the full queue.
    guard let currentHandle, !hasFailed.load(ordering: .relaxed) else { return }
    let headers =
      outputHeaders.isEmpty || topic != .output ? headers : headers + outputHeaders.map { $0.header(key: key, value: value) }
    let (producer, handles) = currentHandle._withUnsafeGuaranteedRef { ($0.producer, $0.handles) }
    producer._withUnsafeGuaranteedRef { producer in
      handles[topic.rawValue - 1]._withUnsafeGuaranteedRef { handle in
        do throws(EdgeError) {
          if topic == .output, names.screens != nil, let key, let value {
            // The topic of screens is updated in the same transaction.
            let change = newest.process(key: key, value: value)
            if change != .nothing {
              let screens = handles[Topic.allCases.count - 1].takeUnretainedValue()
              try producer.produce(screens, key: key, value: change == .screen ? value : nil, timestampMs: timestamp)
            }
          }
          try producer.produce(
            handle, partition: partition, key: key, value: value, timestampMs: timestamp, headers: RecordHeaders(headers))
        } catch {
          // The room that emits it cannot handle this; the commit can.
          fault.withLock { if $0 == nil { $0 = error } }
          hasFailed.store(true, ordering: .relaxed)
        }
      }
    }
  }

  package func commit(_ offsets: [CommittedOffset]) throws(TransactionFault) {
    guard let current else { throw .fatal("there is no producer") }
    let refused = fault.withLock { $0 }.map { error in
      TransactionFault(error.code == .fenced || error.code == .fatal ? .fatal : .abort, error)
    }
    // If the transaction had failed before, sending the offsets reports the reason.
    if let refused, refused.error.code != .undelivered { throw refused }
    try withAdvice { () throws(TransactionFault) in
      let metadata: GroupMetadata
      do throws(EdgeError) {
        metadata = try group.consumer.groupMetadata()
      } catch {
        throw .abort(error)
      }
      let owner = group.owner
      try current.transactional.sendOffsets(
        offsets.map { $0.signed(by: owner) }, topic: names.input, of: metadata, withinMs: Self.offsetsWithinMs)
      if let refused { throw refused }
      try current.transactional.commit(deliveredWithinMs: Self.deliveredWithinMs, withinMs: Self.commitWithinMs)
    }
  }

  package func abort() throws(TransactionFault) {
    guard let current else { return }
    resetFault()
    try withAdvice { () throws(TransactionFault) in try current.transactional.abort(withinMs: Self.abortWithinMs) }
  }

  package func serve() { current?.transactional.producer.poll() }

  package func prepare(_ partition: Int32) throws(EdgeError) {
    guard let current else { return }
    for topic in [Topic.journal, .state] {
      try current.transactional.producer.awaitPartition(
        partition, of: current.topics[topic.rawValue - 1], withinMs: Self.topicsWithinMs)
    }
  }

  private func resetFault() {
    fault.withLock { $0 = nil }
    denied.names.withLock { $0 = [] }
    hasFailed.store(false, ordering: .relaxed)
  }

  /// Runs a step, and adds advice to an error of fencing or missing permissions.
  private func withAdvice(_ step: () throws(TransactionFault) -> Void) throws(TransactionFault) {
    do throws(TransactionFault) {
      try step()
    } catch {
      if error.error.code == .notAuthorized, error.error.isTopicDenied || error.error.number == 0,
        Self.isOfOffsets(error.error) || !Topic.allCases.contains(where: { error.reason.contains(names[$0]) })
      {
        throw TransactionFault(error.kind, named(error.error))
      }
      if !error.isFenced { throw error }
      throw .fatal(EdgeError(.fenced, "\(error.reason) \(EdgeError.fencedAdvice)."))
    }
  }

  /// Whether offsets were refused. To commit them takes the right to read the input.
  private static func isOfOffsets(_ error: EdgeError) -> Bool { error.message.contains("commit offsets") }

  /// Adds which right is missing. Brokers' answers name no topic, but librdkafka logs those that it could not add.
  private func named(_ error: EdgeError) -> EdgeError {
    let own = [Topic.output, .journal, .state, .deadLetter]
    let refused = denied.names.withLock { $0.sorted() }
    let topic = refused.isEmpty ? nil : own.first { refused.contains(names[$0]) }
    func fault(_ words: String, _ topic: Topic?) -> EdgeError {
      EdgeError(
        .notAuthorized, "\(error.message) The right \(words)", number: error.number, isRetriable: error.isRetriable, topic: topic)
    }
    if let name = refused.first { return fault("Write is missing on \"\(topic.map { names[$0] } ?? name)\"", topic) }
    if Self.isOfOffsets(error) { return fault("Read is missing on \"\(names.input)\"", .input) }
    let list = own.map { "\"\(names[$0])\"" }.joined(separator: ", ")
    return fault("Read is missing on \"\(names.input)\", or Write on one of \(list): `combo-consumer check` reports which", nil)
  }
}
