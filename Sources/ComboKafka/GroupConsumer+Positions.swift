internal import CKafka
package import ComboEdge
internal import ComboSystem

extension GroupConsumer {
  /// Starts or restarts the delivery of these partitions, each at its offset. No record below it is delivered after this call,
  /// even if it was fetched before.
  ///
  /// It waits for librdkafka's own thread, not for the network. The partitions must be assigned.
  package func start(_ starts: [(partition: Int32, offset: Int64)]) throws(EdgeError) {
    guard !starts.isEmpty else { return }
    let partitions = starts.map(\.partition)
    for partition in partitions { positions.stop(partition) }
    // Paused until all of them are in place. A partition that must be assigned again takes time, and records that the others
    // fetch meanwhile would be discarded (`sift`) and not be read again.
    try pause(partitions)
    try seek(starts)
    for (partition, offset) in starts { positions.start(partition, at: offset) }
    try startFetching(partitions)
  }

  private func startFetching(_ partitions: [Int32]) throws(EdgeError) {
    let list = PartitionList(topic: topic, partitions)
    let error = rd_kafka_resume_partitions(client.handle, list.pointer)
    if error != RD_KAFKA_RESP_ERR_NO_ERROR { throw client.error(error, "cannot start reading topic \"\(topic)\"") }
    if LibrdkafkaProperties.resumesLate { waker.wake(partitions) }
  }

  /// Pauses the delivery and fetching of these partitions until ``start(_:)``. The current batch stays valid.
  func pause(_ partitions: [Int32]) throws(EdgeError) {
    guard !partitions.isEmpty else { return }
    let list = PartitionList(topic: topic, partitions)
    let error = rd_kafka_pause_partitions(client.handle, list.pointer)
    if error != RD_KAFKA_RESP_ERR_NO_ERROR { throw client.error(error, "cannot pause topic \"\(topic)\"") }
  }

  /// The first offset and the end of a partition as of the last fetch, for the lag, or nil while unknown. Makes no request.
  package func watermarks(_ partition: Int32) -> (first: Int64, end: Int64)? {
    var first: Int64 = 0
    var end: Int64 = 0
    let error = rd_kafka_get_watermark_offsets(client.handle, topic, partition, &first, &end)
    guard error == RD_KAFKA_RESP_ERR_NO_ERROR, end >= 0 else { return nil }
    return (max(0, first), end)
  }

  func seek(_ targets: [(partition: Int32, offset: Int64)]) throws(EdgeError) {
    let deadline = Deadline(afterMs: 5000)
    let patience = Deadline(afterMs: 200)
    // The time-out in milliseconds, which 2.0 interprets as microseconds.
    let timeout: Int32 = LibrdkafkaProperties.seekTimesOutTooEarly ? 5_000_000 : 5000
    var targets = targets
    while true {
      let list = PartitionList(capacity: targets.count)
      for (partition, offset) in targets { list.add(topic: topic, partition, offset: offset) }
      var fault: (partition: Int32, error: rd_kafka_resp_err_t)?
      if let error = rd_kafka_seek_partitions(client.handle, list.pointer, timeout) {
        fault = (targets[0].partition, rd_kafka_error_code(error))
        rd_kafka_error_destroy(error)
      } else {
        fault = list.firstError
        targets = (0..<list.count).filter { list[$0].err != RD_KAFKA_RESP_ERR_NO_ERROR }.map { targets[$0] }
      }
      guard let fault else { return }
      if fault.error == RD_KAFKA_RESP_ERR__STATE && patience.isOver && targets.allSatisfy({ owned.contains($0.partition) }) {
        return try assignAgain(targets)
      }
      // The fetcher is still starting, or stopping after a previous assignment.
      let passes = fault.error == RD_KAFKA_RESP_ERR__STATE || fault.error.isTransient
      guard passes && !deadline.isOver else {
        throw client.error(fault.error, "cannot seek in partition \(fault.partition) of \"\(topic)\"")
      }
      MonotonicClock.sleep(ms: 2)
    }
  }

  /// Assigns partitions again that librdkafka has stopped fetching because their offset was out of range. Their pause persists.
  private func assignAgain(_ targets: [(partition: Int32, offset: Int64)]) throws(EdgeError) {
    if isCooperative { return try assignAgainInSteps(targets) }
    let list = PartitionList(capacity: owned.count)
    for (partition, offset) in targets { list.add(topic: topic, partition, offset: offset) }
    for partition in owned where !targets.contains(where: { $0.partition == partition }) {
      list.add(topic: topic, partition, offset: positions.position(partition) ?? 0)
    }
    // A partition that is not started has no offset that certainly exists. A missing one would stop its fetching.
    try pause(owned.filter { !positions.isStarted($0) })
    let number = rd_kafka_assign(client.handle, list.pointer)
    if number != RD_KAFKA_RESP_ERR_NO_ERROR { throw client.error(number, "cannot resume reading topic \"\(topic)\"") }
  }

  /// Assigns partitions again, between rebalances only. While one waits to be reported, librdkafka mistakes these calls for its
  /// answer, and assigns others the partitions that are not released yet.
  private func assignAgainInSteps(_ targets: [(partition: Int32, offset: Int64)]) throws(EdgeError) {
    let failed = "cannot resume reading topic \"\(topic)\""
    if isRebalancing || sift() { throw client.error(RD_KAFKA_RESP_ERR__IN_PROGRESS, failed) }
    // Partitions that only need a seek are being fetched, and their first records could arrive by the second check, which would
    // discard them. Partitions that are being started are already paused.
    try pause(targets.map(\.partition))
    let list = PartitionList(capacity: targets.count)
    for (partition, offset) in targets { list.add(topic: topic, partition, offset: offset) }
    var error = rd_kafka_incremental_unassign(client.handle, list.pointer)
    if error == nil { error = rd_kafka_incremental_assign(client.handle, list.pointer) }
    if sift() {
      // The rebalance may have come before these calls or after them.
      failMembership("\(failed): the group rebalanced at the same moment. This member must be created again.")
    }
    // Records that were sifted out are read again.
    seekStarted(except: targets.map(\.partition))
    if let error {
      let number = rd_kafka_error_code(error)
      rd_kafka_error_destroy(error)
      throw client.error(number, failed)
    }
    // Only those that needed a seek; the caller resumes the partitions that are being started.
    let resumed = targets.map(\.partition).filter(positions.isStarted)
    if !resumed.isEmpty { try startFetching(resumed) }
  }

  /// Consumes the records that are in the queue now. During a backlog, new ones arrive all the time.
  func consumeWaiting(_ body: (MessageBatch) -> Void) {
    var left = Int(rd_kafka_queue_length(queue))
    while left > 0 {
      let batch = MessageBatch(capacity: min(left, 4096))
      batch.addWaiting(from: queue, max: left)
      if batch.isEmpty { break }
      left -= batch.count
      body(batch)
    }
  }
}

/// The next offset to deliver of each partition. It is a class, so that the poll's loop over a batch accesses plain memory. It
/// grows with the highest partition number, 8 bytes each.
final class PartitionPositions {
  /// The position of a stopped partition: no record has an offset at or above it.
  private static let stopped = Int64.max
  private var next: UnsafeMutablePointer<Int64>
  private var count = 0

  init() { next = .allocate(capacity: 1) }

  deinit { next.deallocate() }

  /// Returns whether the record is the next one to deliver, and advances if so.
  @inline(__always)
  func accept(_ partition: Int32, _ offset: Int64) -> Bool {
    let index = Int(partition)
    guard index < count, offset >= next[index] else { return false }
    next[index] = offset + 1
    return true
  }

  func start(_ partition: Int32, at offset: Int64) {
    makeRoom(for: partition)
    next[Int(partition)] = offset
  }

  func stop(_ partition: Int32) {
    makeRoom(for: partition)
    next[Int(partition)] = Self.stopped
  }

  func removeAll() { next.update(repeating: Self.stopped, count: count) }

  func isStarted(_ partition: Int32) -> Bool { position(partition) != nil }

  /// The offset after the last delivered record, or the start offset, or nil if the partition is not started.
  func position(_ partition: Int32) -> Int64? {
    let index = Int(partition)
    guard index >= 0 && index < count && next[index] != Self.stopped else { return nil }
    return next[index]
  }

  /// The started partitions with their positions.
  var started: [(partition: Int32, offset: Int64)] {
    (0..<count).filter { next[$0] != Self.stopped }.map { (Int32($0), next[$0]) }
  }

  private func makeRoom(for partition: Int32) {
    let needed = Int(partition) + 1
    guard needed > count else { return }
    let larger = UnsafeMutablePointer<Int64>.allocate(capacity: needed)
    larger.initialize(repeating: Self.stopped, count: needed)
    larger.update(from: next, count: count)
    next.deallocate()
    next = larger
    count = needed
  }
}
