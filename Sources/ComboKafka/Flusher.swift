internal import CKafka
internal import ComboEdge
internal import ComboSystem
internal import Dispatch
internal import Synchronization

/// Lets what a producer has queued go out at once, whatever its linger, on a thread of its own.
///
/// `rd_kafka_flush` does so only while it is being called, and if successes are not reported it notices the last one up to 10 ms late
/// (its poll of the queue of reports ends early for a report only). A commit that called it would wait for the offsets first, then for
/// records that have lingered meanwhile, then for those 10 ms: three quarters of its time.
final class Flusher: Sendable {
  private let producer: KafkaProducer
  private let queue = DispatchQueue(label: "flusher")
  private let isWanted = Atomic<Bool>(false)
  /// How long it may continue after ``end()``.
  private static let sliceMs: Int32 = 10
  /// The interval between checks whether all is delivered.
  private static let lookMs: Int64 = 1

  init(_ producer: KafkaProducer) { self.producer = producer }

  /// Begins, if it has not. Ends by itself when all is delivered, or has failed.
  func begin() {
    if isWanted.exchange(true, ordering: .acquiring) { return }
    queue.async { [self] in
      while isWanted.load(ordering: .relaxed) {
        if rd_kafka_flush(producer.client.handle, Self.sliceMs) == RD_KAFKA_RESP_ERR_NO_ERROR { break }
      }
      isWanted.store(false, ordering: .releasing)
    }
  }

  /// Waits until all is delivered, or has failed, and ends.
  func finish(withinMs: Int64) throws(EdgeError) {
    defer { end() }
    let deadline = Deadline(afterMs: withinMs)
    while producer.inQueue > 0 {
      if deadline.isOver { throw producer.undelivered(RD_KAFKA_RESP_ERR__TIMED_OUT) }
      // It may just have finished the previous transaction.
      begin()
      MonotonicClock.sleep(ms: Self.lookMs)
    }
  }

  /// Lets records linger again, a moment later. Does not wait.
  func end() { isWanted.store(false, ordering: .relaxed) }

  /// Ends, and waits until it has: the client may go then. If librdkafka does not come back, the client stays for as long as the process does.
  func stop() {
    end()
    let hasEnded = Latch()
    queue.async { hasEnded.set() }
    let deadline = Deadline(afterMs: Self.stopWithinMs)
    while !hasEnded.isSet, !deadline.isOver { MonotonicClock.sleep(ms: 1) }
    if !hasEnded.isSet { _ = Unmanaged.passRetained(producer) }
  }

  private static let stopWithinMs: Int64 = 5000

  private final class Latch: Sendable {
    private let flag = Atomic<Bool>(false)
    var isSet: Bool { flag.load(ordering: .acquiring) }
    func set() { flag.store(true, ordering: .releasing) }
  }
}
