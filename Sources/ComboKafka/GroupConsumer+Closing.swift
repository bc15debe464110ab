internal import CKafka
internal import ComboEdge
internal import ComboSystem

extension GroupConsumer {
  /// Closes the consumer without a commit: reports the last revocation to the delegate, leaves the group, and waits for that up
  /// to `timeoutMs`; after that, the session times out. A static member does not leave, and its session lasts until it is freed.
  /// Closing again has no effect.
  /// - Returns: Whether the group has received everything that it must.
  @discardableResult
  package func close(timeoutMs: Int64) -> Bool {
    guard !isClosed else { return true }
    handleDeferred()
    isClosed = true
    return leave(timeoutMs: timeoutMs)
  }

  @discardableResult
  func leave(timeoutMs: Int64) -> Bool {
    if isStatic {
      // A static member sends nothing to the group (KIP-345), so librdkafka need not close its consumer. During a close, its
      // thread may end between two waiting rebalances, and the answer to the second would wait for it forever.
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

  /// Declines the rebalances in the queue. If librdkafka's consumer is not closed, its thread waits forever for their answers.
  /// This member no longer owns partitions.
  private func declineWaiting() {
    events.onRebalance = nil
    consumeWaiting { $0.release() }
  }
}
