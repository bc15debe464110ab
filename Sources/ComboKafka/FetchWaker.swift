internal import CKafka
internal import ComboSystem
internal import Dispatch
internal import Synchronization

/// Wakes librdkafka's fetch threads. They sleep for up to a second even if there is something to fetch, and any request to the
/// same broker wakes them. Therefore the leaders are asked for the ends of their partitions; the response is ignored.
///
/// Below 2.2.0, they sleep after a consumer's queue was full, whatever is removed from it meanwhile (newer versions have
/// `fetch.queue.backoff.ms`). With this class a queue need not hold a second's records, which saves 100 MiB at the same
/// throughput. Newer versions sleep after a resumption (``LibrdkafkaProperties/resumesLate``).
final class FetchWaker: Sendable {
  /// The minimum number of records in one poll that indicates a backlog: with fewer, the queue is not full.
  static let recordsMin = 256
  /// The minimum interval between requests. A queue must hold the records consumed within two of them.
  private static let intervalMs: Int64 = 10
  private static let answerWithinMs: Int32 = 5000

  private let client: KafkaClient
  private let topic: String
  /// A request waits for its response, so it does not run on the polling thread. Cancelling it early would cause a warning.
  private let queue = DispatchQueue(label: "fetch waker")
  private let isAsking = Atomic<Bool>(false)
  private let askedAt = Atomic<Int64>(0)
  private let isStopping = Atomic<Bool>(false)

  init(_ client: KafkaClient, topic: String) {
    self.client = client
    self.topic = topic
  }

  /// Wakes the fetchers at intervals. Call it after consuming many records. Never waits.
  func wakeAfterBacklog(_ positions: PartitionPositions) {
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
