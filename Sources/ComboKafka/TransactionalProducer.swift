internal import CKafka
package import ComboEdge
internal import ComboSystem

/// An exactly-once producer: records produced between `begin` and `commit`, and offsets sent with them, count together or not at
/// all.
///
/// Any thread may produce records through ``producer``. Everything else is called from one thread at a time, and no record may be
/// produced during `begin`, `commit` or `abort`.
package final class TransactionalProducer {
  /// The producer of the records.
  package let producer: KafkaProducer
  package let transactionalID: String
  private let flusher: Flusher
  /// The number of failed deliveries when the transaction began.
  private var failedBefore = 0

  /// - Parameters:
  ///   - transactionalID: The id. It must be the same at each start of this instance, so that a transaction left by a crash is
  ///     ended at once, and differ from that of any other instance.
  ///   - timeoutMs: The time after which brokers abort an idle transaction; readers wait for that.
  /// - Throws: `badProperty`. Brokers are not contacted yet.
  package init(
    _ properties: KafkaProperties, transactionalID: String, timeoutMs: Int = 10_000, queueFullWaitMs: Int64 = 10_000
  ) throws(EdgeError) {
    self.transactionalID = transactionalID
    producer = try KafkaProducer(
      properties,
      [
        ("transactional.id", transactionalID), ("transaction.timeout.ms", String(timeoutMs)),
        ("enable.idempotence", "true"), ("delivery.report.only.error", "true"),
        // Records are not read before the commit, which ignores the linger. Larger batches cost less, here and at the brokers.
        ("linger.ms", "50"),
        // For some milliseconds after a commit, the coordinator refuses the next transaction's offsets.
        ("retry.backoff.ms", "20"),
      ], queueFullWaitMs: queueFullWaitMs)
    flusher = Flusher(producer)
  }

  deinit { flusher.stop() }

  /// Obtains the producer's identity, fences any other with the same id, and ends its open transaction. Call it once, first.
  ///
  /// - Throws: A retriable error if brokers were unreachable or busy: call it again. Any other error needs the operator.
  package func initTransactions(withinMs: Int64) throws(EdgeError) {
    let failed = "cannot initialize transactional id \"\(transactionalID)\""
    let deadline = Deadline(afterMs: withinMs)
    while true {
      // In slices, which librdkafka continues, so that connection errors are reported in between.
      let error = rd_kafka_init_transactions(producer.client.handle, max(1, deadline.left(atMostMs: 1000)))
      producer.poll()
      guard let error else {
        producer.client.answered()
        return
      }
      let isRetriable = rd_kafka_error_is_retriable(error) != 0
      let fault = describe(error, failed)
      if !isRetriable || deadline.isOver {
        throw EdgeError(fault.code, fault.message, number: fault.number, isRetriable: isRetriable)
      }
      // Sleep, because an error may return at once instead of after the slice.
      MonotonicClock.sleep(ms: min(20, deadline.leftMs))
    }
  }

  /// Opens a transaction. Cheap, since it is local.
  package func begin() throws(TransactionFault) {
    failedBefore = producer.deliveries.failedDeliveries
    producer.deliveries.resetFirstFailure()
    if let error = rd_kafka_begin_transaction(producer.client.handle) {
      throw .fatal(describe(error, "cannot begin a transaction"))
    }
  }

  /// Adds the group's new offsets to the open transaction, while its records are being sent.
  ///
  /// It may exceed its time while no broker is reachable: librdkafka checks the time only when the state of a connection changes.
  ///
  /// - Parameters:
  ///   - offsets: The next record to read of each partition, with metadata.
  ///   - topic: The topic of these partitions.
  ///   - group: The group's metadata, fetched just before.
  func sendOffsets(
    _ offsets: [CommittedOffset], topic: String, of group: borrowing GroupMetadata,
    withinMs: Int64
  ) throws(TransactionFault) {
    guard !offsets.isEmpty else { return }
    // If the offsets cannot be sent, the abort, or the end of this producer, stops the flusher.
    flusher.begin()
    let list = PartitionList(capacity: offsets.count)
    for offset in offsets {
      guard let next = offset.offset else { continue }
      list.add(topic: topic, offset.partition, offset: next, metadata: offset.metadata)
    }
    let deadline = Deadline(afterMs: withinMs)
    var hasFailed = false
    while true {
      let timeout = max(1, deadline.left(atMostMs: .max))
      guard
        let error = rd_kafka_send_offsets_to_transaction(producer.client.handle, list.pointer, group.pointer, timeout)
      else { return }
      switch sort(error, "cannot add the offsets to the transaction") {
      case .again(let error):
        // The producer must not be used further: requests still in progress could arrive in its next transaction.
        if deadline.isOver { throw .indefinite(error) }
        MonotonicClock.sleep(ms: 10)
      case .fault(let fault):
        // The transaction failed meanwhile: asked again, librdkafka gives the reason.
        if fault.error.number == RD_KAFKA_RESP_ERR__STATE.rawValue, !hasFailed {
          hasFailed = true
          continue
        }
        // The group has continued without this member, which is no reason to exit.
        throw fault.error.code == .memberLost ? .abort(fault.error) : fault
      }
    }
  }

  /// Delivers all remaining records, then commits. Throws an `abort` if a record could not be delivered.
  ///
  /// Brokers write the markers of a commit or an abort a moment after they answer: a partition's end may still grow by them.
  ///
  /// - Parameters:
  ///   - deliveredWithinMs: The time for delivery. If some records are not delivered by then, it throws an `abort`.
  ///   - withinMs: The time for the commit itself. It must be less than `socket.timeout.ms`, which is 100 ms less than a
  ///     transaction may take. After that, librdkafka would repeat the request, and the first one, if it arrived late, would
  ///     commit half of the next transaction.
  package func commit(deliveredWithinMs: Int64, withinMs: Int64) throws(TransactionFault) {
    if failedInThisTransaction == nil {
      do throws(EdgeError) {
        try flusher.finish(withinMs: deliveredWithinMs)
      } catch {
        throw .abort(error)
      }
    }
    if let failure = failedInThisTransaction { throw .abort(failure) }
    let deadline = Deadline(afterMs: withinMs)
    while true {
      guard
        let error = rd_kafka_commit_transaction(producer.client.handle, max(1, deadline.left(atMostMs: .max)))
      else { return }
      switch sort(error, "cannot commit the transaction") {
      case .again(let error):
        if deadline.isOver { throw .indefinite(error) }
        MonotonicClock.sleep(ms: 10)
      case .fault(let fault): throw fault
      }
    }
  }

  /// Discards the records since `begin`. A timeout is `fatal`; a new producer with the same id then aborts the transaction, too.
  ///
  /// Use another producer afterwards if a record may have been queued or in progress. librdkafka (seen with 2.0.2; the lines of
  /// `rd_kafka_toppar_purge_queues` are the same in 2.15) gives the sequence numbers of all records that an abort removes from
  /// its queue to the next records, as if they had never been sent. A record that was sent, and waits there to be sent again
  /// because its response was lost, may be in the log. The broker then takes the next record for a duplicate, and acknowledges it
  /// without writing it. A new producer has a new epoch, in which sequence numbers start again.
  package func abort(withinMs: Int64) throws(TransactionFault) {
    flusher.end()
    let deadline = Deadline(afterMs: withinMs)
    while true {
      guard
        let error = rd_kafka_abort_transaction(producer.client.handle, max(1, deadline.left(atMostMs: .max)))
      else { return }
      switch sort(error, "cannot abort the transaction") {
      case .fault(let fault):
        // An error that requires an abort is retried, since this is the abort.
        if fault.kind != .abort { throw fault }
        if deadline.isOver { throw .fatal(fault.error) }
      case .again(let error):
        if deadline.isOver { throw .fatal(error) }
      }
      MonotonicClock.sleep(ms: 10)
    }
  }

  // MARK: Sorting errors

  private enum Sorted {
    case again(EdgeError)
    case fault(TransactionFault)
  }

  /// Classifies an error in the order that librdkafka documents: it needs an abort, is retriable, or is fatal.
  private func sort(_ error: OpaquePointer, _ failed: String) -> Sorted {
    let needsAbort = rd_kafka_error_txn_requires_abort(error) != 0
    let isRetriable = rd_kafka_error_is_retriable(error) != 0
    let described = describe(error, failed)
    // The first refused record names the reason and the topic.
    if needsAbort { return .fault(.abort(failedInThisTransaction ?? described)) }
    if isRetriable { return .again(described) }
    return .fault(.fatal(described))
  }

  /// Returns the error as a sentence, and destroys it.
  private func describe(_ error: OpaquePointer, _ failed: String) -> EdgeError {
    let number = rd_kafka_error_code(error)
    let detail = String(cString: rd_kafka_error_string(error))
    rd_kafka_error_destroy(error)
    if let fatal = producer.fatalError(failed) { return fatal }
    return producer.client.error(number, failed, detail: detail)
  }

  private var failedInThisTransaction: EdgeError? {
    producer.deliveries.failedDeliveries == failedBefore ? nil : producer.deliveries.firstFailedDelivery
  }
}
