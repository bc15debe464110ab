internal import CKafka
package import ComboEdge
internal import Synchronization

/// Receives the delivery reports of records produced with a tag.
package protocol DeliveryReceiver: AnyObject, Sendable {
  /// Reports a record that all in-sync replicas have acknowledged at this offset or, with an error, one that was not, or possibly
  /// not, written. The offset is negative if the response with the offset was an error and only a later one confirmed the record.
  /// Runs on the thread that polls or flushes the producer; must be quick.
  func delivered(tag: UInt, partition: Int32, offset: Int64, error: EdgeError?)
}

/// Receives the delivery reports of a producer, on the threads that poll, flush or commit.
package final class Deliveries: Sendable {
  private let brokers: String
  private let failures = Atomic(0)
  private let purges = Atomic(0)
  private let firstFailure = Mutex<EdgeError?>(nil)
  private weak let receiver: (any DeliveryReceiver)?

  init(brokers: String, receiver: (any DeliveryReceiver)?) {
    self.brokers = brokers
    self.receiver = receiver
  }

  /// The number of records removed from the queue by an abort, or because their transaction has failed.
  var purgedDeliveries: Int { purges.load(ordering: .relaxed) }

  /// The number of records that could not be delivered so far, without purged ones.
  package var failedDeliveries: Int { failures.load(ordering: .relaxed) }

  /// The error of the first failed delivery.
  package var firstFailedDelivery: EdgeError? { firstFailure.withLock { $0 } }

  /// Resets the first failure, so that the next one becomes the first.
  func resetFirstFailure() { firstFailure.withLock { $0 = nil } }

  func reported(_ message: UnsafePointer<rd_kafka_message_t>) {
    let error = message.pointee.err
    let tag = UInt(bitPattern: message.pointee._private)
    if error == RD_KAFKA_RESP_ERR_NO_ERROR {
      if tag != 0 {
        receiver?.delivered(
          tag: tag, partition: message.pointee.partition, offset: message.pointee.offset, error: nil)
      }
      return
    }
    let failure = self.failure(of: message)
    // Records that an abort removed from the queue are not failures.
    if error != RD_KAFKA_RESP_ERR__PURGE_QUEUE && error != RD_KAFKA_RESP_ERR__PURGE_INFLIGHT {
      firstFailure.withLock { if $0 == nil { $0 = failure } }
      failures.add(1, ordering: .relaxed)
    } else {
      purges.add(1, ordering: .relaxed)
    }
    if tag != 0 {
      receiver?.delivered(tag: tag, partition: message.pointee.partition, offset: message.pointee.offset, error: failure)
    }
  }

  private func failure(of message: UnsafePointer<rd_kafka_message_t>) -> EdgeError {
    let topic = message.pointee.rkt.map { String(cString: rd_kafka_topic_name($0)) } ?? ""
    let error = EdgeError(
      message.pointee.err, failed: "a record for topic \"\(topic)\" could not be delivered", brokers: brokers)
    // The code of the error if it names the cause; otherwise only that the record was not delivered.
    switch error.code {
    case .notAuthorized, .unknownTopic, .unknownPartition, .recordTooLarge, .badTimestamp, .fenced: return error
    default: return EdgeError(.undelivered, error.message, number: error.number, isRetriable: error.isRetriable)
    }
  }
}
