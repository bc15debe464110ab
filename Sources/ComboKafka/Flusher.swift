internal import CKafka
internal import ComboEdge
internal import ComboSystem
internal import Dispatch
internal import Synchronization

/// Sends a producer's queued records immediately, regardless of its linger, on a thread of its own.
///
/// `rd_kafka_flush` does so only while it is running. If successes are not reported, it notices the last one up to 10 ms late,
/// because only a report ends its poll of the report queue early. A commit that called it would wait for the offsets, then for
/// records that have lingered meanwhile, then for those 10 ms: three quarters of its time.
final class Flusher: Sendable {
  private let producer: KafkaProducer
  private let queue = DispatchQueue(label: "flusher")
  private let isRequested = Atomic<Bool>(false)
  /// The maximum time for which it continues after ``end()``.
  private static let sliceMs: Int32 = 10
  /// The interval between checks whether everything is delivered.
  private static let checkMs: Int64 = 1

  init(_ producer: KafkaProducer) { self.producer = producer }

  /// Starts flushing, unless it is already running. It ends by itself when everything is delivered or has failed.
  func begin() {
    if isRequested.exchange(true, ordering: .acquiring) { return }
    queue.async { [self] in
      while isRequested.load(ordering: .relaxed) {
        if rd_kafka_flush(producer.client.handle, Self.sliceMs) == RD_KAFKA_RESP_ERR_NO_ERROR { break }
      }
      isRequested.store(false, ordering: .releasing)
    }
  }

  /// Waits until everything is delivered or has failed, and ends.
  func finish(withinMs: Int64) throws(EdgeError) {
    defer { end() }
    let deadline = Deadline(afterMs: withinMs)
    while producer.inQueue > 0 {
      if deadline.isOver { throw producer.undelivered(RD_KAFKA_RESP_ERR__TIMED_OUT) }
      // The flush may just have finished with the previous transaction.
      begin()
      MonotonicClock.sleep(ms: Self.checkMs)
    }
  }

  /// Lets records linger again a moment later. Does not wait.
  func end() { isRequested.store(false, ordering: .relaxed) }

  /// Ends and waits, so that the client can be released. If librdkafka does not return, the client is leaked.
  func stop() {
    end()
    let hasEnded = DispatchSemaphore(value: 0)
    queue.async { hasEnded.signal() }
    if hasEnded.wait(timeout: .now() + .milliseconds(Self.stopWithinMs)) == .timedOut { _ = Unmanaged.passRetained(producer) }
  }

  private static let stopWithinMs = 5000
}
