internal import CKafka
package import ComboEdge
internal import ComboSystem

extension GroupConsumer {
  /// Returns the committed offsets of its own topic: see ``KafkaClient/committed(_:of:withinMs:)``.
  package func committed(_ partitions: [Int32], withinMs: Int64) throws(EdgeError) -> [CommittedOffset] {
    try client.committed(partitions, of: topic, withinMs: withinMs)
  }

  /// Commits offsets outside any transaction without waiting for the response, for tools that show the lag. An error is logged,
  /// and the next commit corrects it. Nothing is sent unless this is still the member that owns the partitions: without id and
  /// generation, brokers would treat it as a tool, and an empty group accepts a tool's offsets.
  func commitWithoutWaiting(_ offsets: [CommittedOffset]) {
    guard let id = memberID, id == ownerID else { return }
    let list = PartitionList(capacity: offsets.count)
    for offset in offsets {
      guard let next = offset.offset else { continue }
      list.add(topic: topic, offset.partition, offset: next, metadata: offset.metadata)
    }
    if list.count > 0 { rd_kafka_commit(client.handle, list.pointer, 1) }
  }
}

extension KafkaClient {
  /// The group's committed offsets of these partitions. It waits for open transactions on them, and retries while coordinators
  /// move or brokers are unreachable, until the time is over. A missing offset is believed only after three responses, because a
  /// coordinator that is still loading may report one.
  ///
  /// It may be called from any thread, also before the group is joined.
  /// - Throws: `unreachable`, `timedOut` (a transaction is open), `notAuthorized`.
  package func committed(_ partitions: [Int32], of topic: String, withinMs: Int64) throws(EdgeError) -> [CommittedOffset] {
    guard !partitions.isEmpty else { return [] }
    let deadline = Deadline(afterMs: withinMs)
    var timesNothing = 0
    while true {
      let list = PartitionList(topic: topic, partitions)
      var error = rd_kafka_committed(handle, list.pointer, max(1, deadline.left(atMostMs: 5000)))
      if error == RD_KAFKA_RESP_ERR_NO_ERROR, let fault = list.firstError { error = fault.error }
      if error == RD_KAFKA_RESP_ERR_NO_ERROR {
        let offsets = (0..<list.count).map { CommittedOffset(list[$0]) }
        timesNothing += 1
        if timesNothing == 3 || !offsets.contains(where: { $0.offset == nil }) { return offsets }
      } else if !error.isTransient || deadline.isOver {
        throw self.error(error, "cannot get the committed offsets of topic \"\(topic)\"")
      }
      if deadline.isOver {
        throw self.error(
          RD_KAFKA_RESP_ERR__TIMED_OUT, "cannot verify the committed offsets of topic \"\(topic)\"")
      }
      MonotonicClock.sleep(ms: min(100, deadline.leftMs))
    }
  }
}

extension CommittedOffset {
  init(_ partition: rd_kafka_topic_partition_t) {
    self.init(
      partition: partition.partition, offset: partition.offset >= 0 ? partition.offset : nil,
      metadata: String(
        decoding: UnsafeRawBufferPointer(start: partition.metadata, count: partition.metadata_size), as: UTF8.self))
  }
}
