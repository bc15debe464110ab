internal import CKafka
package import ComboEdge
internal import ComboSystem

/// Tries the service's operations without effect: in transactions that are aborted, or with requests that brokers only validate.
///
/// A record of a trial stays in its partition until retention or compaction removes it, like all aborted ones. No reader of
/// committed records sees it.
package struct Trial {
  private let properties: KafkaProperties
  /// An id that no live instance uses, since that one would be fenced.
  package let transactionalID: String
  private let withinMs: Int64

  package init(_ properties: KafkaProperties, transactionalID: String, withinMs: Int64 = 10_000) {
    self.properties = properties
    self.transactionalID = transactionalID
    self.withinMs = withinMs
  }

  /// Checks that the id may be used.
  package func begin() throws(EdgeError) { _ = try producer() }

  private func producer() throws(EdgeError) -> TransactionalProducer {
    let producer = try TransactionalProducer(properties, transactionalID: transactionalID)
    try producer.initTransactions(withinMs: withinMs)
    return producer
  }

  /// Checks that a topic may be written to.
  /// - Parameter timestampMs: The timestamp of the record.
  package func write(to topic: String, partition: Int32, timestampMs: Int64) throws(EdgeError) {
    let transactional = try producer()
    let producer = transactional.producer
    let handle = try producer.topic(topic, withinMs: withinMs)
    try Self.run { () throws(TransactionFault) in try transactional.begin() }
    let key = Array("combo-consumer check".utf8)
    do throws(EdgeError) {
      try key.withUnsafeBufferPointer { (key) throws(EdgeError) in
        try producer.produce(
          handle, partition: partition, key: UnsafeRawBufferPointer(key), value: nil, timestampMs: timestampMs)
      }
      try wait(for: producer, handle)
    } catch {
      // If this fails, the brokers abort soon; the earlier error is more useful.
      try? transactional.abort(withinMs: withinMs)
      throw error
    }
    try Self.run { () throws(TransactionFault) in try transactional.abort(withinMs: withinMs) }
  }

  /// Waits until the record is delivered, or has certainly failed.
  private func wait(for producer: KafkaProducer, _ topic: ProducerTopic) throws(EdgeError) {
    let failed = "cannot write to topic \"\(topic.name)\""
    let deadline = Deadline(afterMs: withinMs)
    while producer.inQueue > 0, !deadline.isOver { rd_kafka_flush(producer.client.handle, 50) }
    if let failure = producer.deliveries.firstFailedDelivery { throw failure }
    if producer.inQueue > 0 { throw producer.client.error(RD_KAFKA_RESP_ERR__TIMED_OUT, failed) }
    if producer.deliveries.purgedDeliveries == 0 { return }
    // The transaction has failed. Only a commit, which must fail, reports the reason.
    guard let reason = rd_kafka_commit_transaction(producer.client.handle, 1000) else {
      throw producer.client.error(RD_KAFKA_RESP_ERR__STATE, failed)
    }
    defer { rd_kafka_error_destroy(reason) }
    throw producer.client.error(
      rd_kafka_error_code(reason), failed, detail: rd_kafka_error_string(reason).map { String(cString: $0) })
  }

  /// Checks that the group's offsets may be part of a transaction. The group need not be joined, and any members do not notice.
  package func commit(group: String, input: String) throws(EdgeError) {
    let transactional = try producer()
    guard let pointer = rd_kafka_consumer_group_metadata_new(group) else {
      throw EdgeError(.invalidRequest, "\"\(group)\" is not a valid group name")
    }
    let metadata = GroupMetadata(pointer: pointer)
    try Self.run { () throws(TransactionFault) in try transactional.begin() }
    do throws(TransactionFault) {
      try transactional.sendOffsets(
        [CommittedOffset(partition: 0, offset: 0, metadata: "")], topic: input, of: metadata, withinMs: withinMs)
    } catch {
      try? transactional.abort(withinMs: withinMs)
      throw error.error
    }
    try Self.run { () throws(TransactionFault) in try transactional.abort(withinMs: withinMs) }
  }

  private static func run(_ step: () throws(TransactionFault) -> Void) throws(EdgeError) {
    do throws(TransactionFault) {
      try step()
    } catch {
      throw error.error
    }
  }

  /// Checks that a partition may be read from `offset` on: waits for a record or the end of the partition.
  package func read(_ topic: String, _ partition: Int32, from offset: Int64) throws(EdgeError) {
    let client = try ReaderClient(properties, isolation: .readUncommitted)
    let reader = try client.reader(topic, partition, from: offset, to: .max)
    let batch = MessageBatch(capacity: 100)
    defer { batch.release() }
    let deadline = Deadline(afterMs: withinMs)
    // With no last offset, the reader is held up at the partition's end. Silence is no result: brokers may be slow to refuse.
    while reader.position == offset, !reader.isHeldUp {
      if deadline.isOver {
        throw client.client.error(
          RD_KAFKA_RESP_ERR__TIMED_OUT, "cannot read partition \(partition) of topic \"\(topic)\"")
      }
      try reader.read(maxWaitMs: 50, into: batch)
      batch.release()
    }
  }
}

extension ControlClient {
  /// The minimum number of replicas of a topic's partitions.
  package func replicas(of topic: String, withinMs: Int64) throws(EdgeError) -> Int {
    let handle = try TopicHandle(topic, client)
    return try attempt("cannot get the metadata of topic \"\(topic)\"", withinMs: withinMs) { timeoutMs -> Attempt<Int> in
      var least: Int?
      let error = client.withMetadata(of: handle.pointer, timeoutMs: timeoutMs) { metadata in
        guard metadata.topic_cnt == 1 else { return }
        let partitions = UnsafeBufferPointer(start: metadata.topics[0].partitions, count: Int(metadata.topics[0].partition_cnt))
        least = partitions.map { Int($0.replica_cnt) }.min()
      }
      if let error { return .failed(error) }
      return least.map { .done($0) } ?? .failed(RD_KAFKA_RESP_ERR_LEADER_NOT_AVAILABLE)
    }
  }
}
