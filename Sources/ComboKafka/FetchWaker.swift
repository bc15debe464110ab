internal import CKafka
internal import ComboSystem
internal import Dispatch
internal import Synchronization

/// Wakes librdkafka's threads that fetch. They sleep for up to a second though there is something to fetch again, and are woken by any
/// request to the same broker. So the leaders are asked for the ends of their partitions; the answer is of no use.
///
/// Below 2.2.0 that is so when a consumer's queue was full, whatever is taken out of it meanwhile (newer ones have
/// `fetch.queue.backoff.ms`). With this a queue need not hold a second's records: 100 MiB less, at the same throughput. In newer ones
/// it is so after a resumption (``LibrdkafkaProperties/resumesLate``).
final class FetchWaker: Sendable {
  /// Fewer than these in one poll are no backlog: the queue that they come from is not full.
  static let recordsMin = 256
  /// A queue must hold what is taken out of it within two of these.
  private static let intervalMs: Int64 = 10
  private static let answerWithinMs: Int32 = 5000

  private let client: KafkaClient
  private let topic: String
  /// A request waits for its answer, so it does not run on the polling thread. A request that is given up early causes a warning.
  private let queue = DispatchQueue(label: "fetch waker")
  private let isAsking = Atomic<Bool>(false)
  private let askedAt = Atomic<Int64>(0)
  private let isStopping = Atomic<Bool>(false)

  init(_ client: KafkaClient, topic: String) {
    self.client = client
    self.topic = topic
  }

  /// To be called when records have been taken in plenty: wakes now and then. Never waits.
  func tookPlenty(_ positions: PartitionPositions) {
    let now = MonotonicClock.nowMs
    if now - askedAt.load(ordering: .relaxed) < Self.intervalMs { return }
    if isAsking.exchange(true, ordering: .acquiring) { return }
    askedAt.store(now, ordering: .relaxed)
    wake(positions.started.map(\.partition))
  }

  /// Wakes the fetchers of these partitions. Never waits.
  func wake(_ partitions: [Int32]) {
    queue.async { [self] in
      if isStopping.load(ordering: .relaxed) { return }
      let list = PartitionList(topic: topic, partitions, offset: Int64(RD_KAFKA_OFFSET_END))
      _ = rd_kafka_offsets_for_times(client.handle, list.pointer, Self.answerWithinMs)
      isAsking.store(false, ordering: .releasing)
    }
  }

  /// Waits for the request in progress, if any.
  func stop() {
    isStopping.store(true, ordering: .relaxed)
    queue.sync {}
  }
}
