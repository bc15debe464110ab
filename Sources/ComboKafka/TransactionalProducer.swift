internal import CKafka
package import ComboEdge
internal import ComboSystem

/// An exactly-once producer: all records produced between `begin` and `commit`, and the offsets sent along, count together
/// or not at all.
///
/// Records are produced through ``producer`` from any thread; everything else is called from one thread at a time, and no
/// record is produced during `begin`, `commit` or `abort`.
package final class TransactionalProducer {
  /// Takes the records.
  package let producer: KafkaProducer
  package let transactionalID: String
  private let flusher: Flusher
  /// Failed deliveries when the transaction began.
  private var failedBefore = 0

  /// - Parameters:
  ///   - transactionalID: the same at each start of this instance, so that a transaction left by a crash is ended at once, and no
  ///     other instance's.
  ///   - timeoutMs: brokers abort an idle transaction after this time; readers wait for that.
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
        // It is not read before the commit, which does not wait for the linger: larger batches cost less, here and at the brokers.
        ("linger.ms", "50"),
        // For some milliseconds after a commit the coordinator refuses the next transaction's offsets.
        ("retry.backoff.ms", "20"),
      ], queueFullWaitMs: queueFullWaitMs)
    flusher = Flusher(producer)
  }

  deinit { flusher.stop() }

  /// Gets the producer's identity, fences any other with the same id, and ends its open transaction. Once, first.
  ///
  /// - Throws: a retriable error if brokers could not be reached or were busy in this time: call it again. Any other is for
  ///   the operator.
  package func initTransactions(withinMs: Int64) throws(EdgeError) {
    let failed = "cannot initialize transactional id \"\(transactionalID)\""
    let deadline = Deadline(afterMs: withinMs)
    while true {
      // In slices, which librdkafka takes up again, so that errors of connections are reported meanwhile.
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
      // An error that comes at once and not after the slice must not be asked for in a busy loop.
      MonotonicClock.sleep(ms: min(20, deadline.leftMs))
    }
  }

  /// Opens a transaction. Local, so cheap.
  package func begin() throws(TransactionFault) {
    failedBefore = producer.failedDeliveries
    producer.forgetFirstFailure()
    if let error = rd_kafka_begin_transaction(producer.client.handle) {
      throw .fatal(describe(error, "cannot begin a transaction"))
    }
  }

  /// Makes the group's new offsets part of the open transaction, while its records go out.
  ///
  /// May take longer than it is given while no broker can be reached: librdkafka looks at the time only when the state of a
  /// connection changes.
  ///
  /// - Parameters:
  ///   - offsets: the next record to read of each partition, with metadata.
  ///   - topic: of these partitions.
  ///   - group: fetched just now.
  func sendOffsets(
    _ offsets: [CommittedOffset], topic: String, of group: borrowing GroupMetadata,
    withinMs: Int64
  ) throws(TransactionFault) {
    guard !offsets.isEmpty else { return }
    // If they cannot be sent, the abort, or the end of this producer, ends it.
    flusher.begin()
    let list = PartitionList(capacity: offsets.count)
    for offset in offsets {
      guard let next = offset.offset else { continue }
      list.add(topic: topic, offset.partition, offset: next, metadata: offset.metadata)
    }
    let deadline = Deadline(afterMs: withinMs)
    while true {
      let timeout = max(1, deadline.left(atMostMs: .max))
      guard
        let error = rd_kafka_send_offsets_to_transaction(producer.client.handle, list.pointer, group.pointer, timeout)
      else { return }
      switch sort(error, "cannot add the offsets to the transaction") {
      case .again(let error):
        // The same producer must not go on: what is still in progress could arrive in its next transaction.
        if deadline.isOver { throw .indefinite(error) }
        MonotonicClock.sleep(ms: 10)
      case .fault(let fault):
        // The group has gone on without this member, which is no reason to end.
        throw fault.error.code == .memberLost ? .abort(fault.error) : fault
      }
    }
  }

  /// Delivers all remaining records, then commits. A record that could not be delivered makes it an `abort`.
  ///
  /// Brokers write the marks of a commit or an abort a moment after they answer: a partition's end may still grow by them.
  ///
  /// - Parameters:
  ///   - deliveredWithinMs: for the records; if some are not delivered by then, it is an `abort`.
  ///   - withinMs: for the commit itself. Less than `socket.timeout.ms`, 100 ms less than a transaction may take: after that
  ///     librdkafka would ask for it once more, and the first request, if it came late, would commit half of the next transaction.
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

  /// Throws away the records since `begin`. If it does not end in time, that is `fatal`: a new producer with the same id
  /// aborts it too.
  ///
  /// Use another producer after it, if a record may have been in the queue, or in progress. librdkafka (seen with 2.0.2; the lines of
  /// `rd_kafka_toppar_purge_queues` are the same in 2.15) gives the sequence numbers of all that an abort throws out of its queue to
  /// the next records, as if none of them had ever been sent. One that was sent, and waits there to be sent again because its answer
  /// was lost, may be in the log: to the broker the next record is then the same one once more, and is acknowledged without being
  /// written. A new producer has a new epoch, in which numbers start again.
  package func abort(withinMs: Int64) throws(TransactionFault) {
    flusher.end()
    let deadline = Deadline(afterMs: withinMs)
    while true {
      guard
        let error = rd_kafka_abort_transaction(producer.client.handle, max(1, deadline.left(atMostMs: .max)))
      else { return }
      switch sort(error, "cannot abort the transaction") {
      case .fault(let fault):
        // One that asks for an abort is tried again: this is the abort.
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

  /// In the order that librdkafka asks for: does it need an abort; may the call be repeated; else it is fatal.
  private func sort(_ error: OpaquePointer, _ failed: String) -> Sorted {
    let needsAbort = rd_kafka_error_txn_requires_abort(error) != 0
    let isRetriable = rd_kafka_error_is_retriable(error) != 0
    let described = describe(error, failed)
    // The first record that was refused says why, and of which topic.
    if needsAbort { return .fault(.abort(failedInThisTransaction ?? described)) }
    if isRetriable { return .again(described) }
    return .fault(.fatal(described))
  }

  /// The error in a sentence; destroys it.
  private func describe(_ error: OpaquePointer, _ failed: String) -> EdgeError {
    let number = rd_kafka_error_code(error)
    let detail = String(cString: rd_kafka_error_string(error))
    rd_kafka_error_destroy(error)
    if let fatal = producer.fatalError(failed) { return fatal }
    return producer.client.error(number, failed, detail: detail)
  }

  private var failedInThisTransaction: EdgeError? {
    producer.failedDeliveries == failedBefore ? nil : producer.firstFailedDelivery
  }
}
