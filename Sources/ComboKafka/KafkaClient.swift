package import CKafka
package import ComboEdge
internal import ComboSystem
internal import Dispatch
internal import Synchronization

/// A client of librdkafka with the context of its callbacks. The handle exists as long as this object, so users of the handle
/// (topics, queues, readers) hold it.
package final class KafkaClient: Sendable {
  /// librdkafka guards it by itself.
  private let shared: SharedPointer<OpaquePointer>
  /// librdkafka's handle.
  var handle: OpaquePointer { shared.pointer }
  package let brokers: String
  /// The state of the callbacks, which outlives the handle.
  private let callbacks: ClientCallbacks
  private let kind: ClientKind
  /// Whether to leave the group without a request, because the client did not close in time.
  private let leavesSilently = Atomic(false)

  /// - Parameters:
  ///   - own: The properties that this client needs; they override the program's presets, and the user's override them.
  ///   - callbacks: The client's callbacks.
  /// - Throws: `badProperty`.
  package init(
    _ kind: ClientKind, _ properties: KafkaProperties, _ own: [(String, String)], callbacks: ClientCallbacks
  ) throws(EdgeError) {
    self.kind = kind
    brokers = properties.brokers
    self.callbacks = callbacks
    let configuration = try properties.configuration(kind, own)
    callbacks.install(configuration)
    do throws(EdgeError) {
      shared = SharedPointer(try configuration.makeClient())
    } catch {
      throw EdgeError(error.code, error.message.masking(properties.secrets), number: error.number)
    }
    callbacks.begin(handle)
  }

  /// The time that librdkafka's threads have to end, in milliseconds.
  private static let endsWithinMs = 5000

  /// Waits for librdkafka's threads. `callbacks` is released later, so none of them can use it after it is freed.
  deinit {
    // librdkafka (seen with 2.0.2; the lines are the same in 2.15) frees a transactional producer's error text before its broker
    // threads have ended (`rd_kafka_txns_term`). If one of them receives a ProduceResponse with "fenced" at that moment, it frees
    // the text again. So no request may be in progress.
    if kind == .producer { rd_kafka_purge(handle, RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT) }
    let flags = leavesSilently.load(ordering: .relaxed) ? RD_KAFKA_DESTROY_F_NO_CONSUMER_CLOSE : 0
    // A consumer whose topic was deleted may never end (seen with 2.0.2): its partitions stay referenced, and through them the
    // thread of their broker. By then it has left its group, so nothing else waits for it.
    let hasEnded = DispatchSemaphore(value: 0)
    _ = WorkThread { [callbacks, shared] in
      rd_kafka_destroy_flags(shared.pointer, flags)
      withExtendedLifetime(callbacks) {}
      hasEnded.signal()
    }
    if hasEnded.wait(timeout: .now() + .milliseconds(Self.endsWithinMs)) == .timedOut { callbacks.reportStuck() }
  }

  /// Prevents `deinit` from waiting for the group's coordinator.
  func leaveSilently() { leavesSilently.store(true, ordering: .relaxed) }

  /// Creates an error of this client.
  package func error(_ number: rd_kafka_resp_err_t, _ failed: String, detail: String? = nil) -> EdgeError {
    // "All brokers down" and "timed out" are vague; the reason of a failed connection is more useful.
    let code = EdgeError.Code(number)
    if (code == .unreachable || code == .timedOut), let broken = callbacks.lastConnectionFault {
      return EdgeError(
        RD_KAFKA_RESP_ERR__TRANSPORT, failed: failed, detail: broken, brokers: brokers)
    }
    return EdgeError(number, failed: failed, detail: detail, brokers: brokers)
  }

  /// Records that a broker has answered, so that earlier connection errors are obsolete.
  package func answered() { callbacks.answered() }
}
