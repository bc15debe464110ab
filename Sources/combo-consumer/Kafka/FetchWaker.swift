internal import CKafka
internal import Dispatch
internal import Synchronization

/// Keeps a full queue from becoming an empty one.
///
/// When a consumer's queue is full, librdkafka below 2.2.0 puts off the next fetch for up to a second, whatever is taken out of the
/// queue meanwhile (newer ones for `fetch.queue.backoff.ms`). Its thread wakes up for any request to the same broker, and then
/// looks again: so, while records come in plenty, the leaders are asked for the ends of their partitions now and then. The
/// answer is of no use.
///
/// With it a queue need not hold a second's records: 100 MiB less, at the same throughput.
final class FetchWaker: Sendable {
  /// Fewer than these are no backlog: the queue that they come from is not full.
  static let recordsMin = 256
  /// A queue must hold what is taken out of it within two of these.
  private static let intervalMs: Int64 = 10
  private static let answerWithinMs: Int32 = 1000

  private let client: KafkaClient
  private let topic: String
  /// Asking waits for the answer: one at a time, beside the thread that polls.
  private let queue = DispatchQueue(label: "fetch waker")
  private let isAsking = Atomic<Bool>(false)
  private let askedAt = Atomic<Int64>(0)

  init(_ client: KafkaClient, topic: String) {
    self.client = client
    self.topic = topic
  }

  /// To be called when records have been taken in plenty. Never waits.
  func wake(_ positions: PartitionPositions) {
    let now = MonotonicClock.nowMs
    if now - askedAt.load(ordering: .relaxed) < Self.intervalMs { return }
    if isAsking.exchange(true, ordering: .acquiring) { return }
    askedAt.store(now, ordering: .relaxed)
    let partitions = positions.started.map(\.partition)
    queue.async { [self] in
      let list = PartitionList(topic: topic, partitions, offset: Int64(RD_KAFKA_OFFSET_END))
      _ = rd_kafka_offsets_for_times(client.handle, list.pointer, Self.answerWithinMs)
      isAsking.store(false, ordering: .releasing)
    }
  }

  /// Waits until nothing is asked any more.
  func stop() { queue.sync {} }
}
