package import CKafka
package import ComboEdge
internal import Synchronization

/// A client of librdkafka with what its callbacks need. The handle lives as long as this object, which the user of the
/// handle (topics, queues, readers) therefore holds.
///
/// `@unchecked Sendable`: the handle may be used from any thread (librdkafka's promise), the rest is immutable or behind
/// a lock.
package final class KafkaClient: @unchecked Sendable {
  /// librdkafka's handle.
  let handle: OpaquePointer
  package let brokers: String
  /// The state that the callbacks see; outlives the handle.
  private let callbacks: ClientCallbacks
  private let kind: ClientKind
  /// Leave without a word to the group: for one that did not close in time.
  private let leavesSilently = Atomic(false)

  /// - Parameters:
  ///   - own: properties that this client needs; over the program's presets, under the user's.
  ///   - callbacks: its own.
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
      handle = try configuration.makeClient()
    } catch {
      throw EdgeError(error.code, error.message.masking(properties.secrets), number: error.number)
    }
    callbacks.begin(handle)
  }

  /// Waits for librdkafka's threads. `callbacks` is released after it, so none of them can find it gone.
  deinit {
    // librdkafka (seen with 2.0.2; the lines are the same in 2.15) frees a transactional producer's error text before its
    // broker threads have ended (`rd_kafka_txns_term`): the answer to a ProduceRequest that tells one of them "fenced" just then
    // frees it once more. So no request may be in progress.
    if kind == .producer { rd_kafka_purge(handle, RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT) }
    if leavesSilently.load(ordering: .relaxed) {
      rd_kafka_destroy_flags(handle, RD_KAFKA_DESTROY_F_NO_CONSUMER_CLOSE)
    } else {
      rd_kafka_destroy(handle)
    }
  }

  /// Makes `deinit` not wait for the group's coordinator.
  func leaveSilently() { leavesSilently.store(true, ordering: .relaxed) }

  /// An error of this client's.
  package func error(_ number: rd_kafka_resp_err_t, _ failed: String, detail: String? = nil) -> EdgeError {
    // "All brokers down" and "timed out" mean little; the reason of a failed connection is more useful.
    let code = EdgeError.Code(number)
    if (code == .unreachable || code == .timedOut), let broken = callbacks.lastConnectionFault {
      return EdgeError(
        RD_KAFKA_RESP_ERR__TRANSPORT, failed: failed, detail: broken, brokers: brokers)
    }
    return EdgeError(number, failed: failed, detail: detail, brokers: brokers)
  }

  /// Something answered: what was wrong with the connections before is over.
  package func answered() { callbacks.answered() }
}
