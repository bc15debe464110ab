internal import CKafka
package import ComboEdge

/// A producer that writes each record once and in order, without transactions, and says of each tagged record where it was
/// written. If one cannot be written, none after it is: the producer gives up (`fatal`) rather than leave a gap.
enum IdempotentProducer {
  /// - Parameters:
  ///   - receiver: hears of each record produced with a tag; held weakly.
  ///   - lingerMs: how long a record may wait for others to be sent with it.
  ///   - deliveryWithinMs: what is not delivered by then has failed, while later records may still be written; 0: none fails so.
  /// - Throws: `badProperty`. Brokers are not contacted yet.
  static func make(
    _ properties: KafkaProperties, receiver: any DeliveryReceiver, lingerMs: Int = 0,
    deliveryWithinMs: Int = 0, queueFullWaitMs: Int64 = 10_000
  ) throws(EdgeError) -> KafkaProducer {
    try KafkaProducer(
      properties,
      [
        ("enable.idempotence", "true"), ("enable.gapless.guarantee", "true"), ("delivery.report.only.error", "false"),
        ("linger.ms", String(lingerMs)), ("delivery.timeout.ms", String(deliveryWithinMs)),
      ],
      receiver: receiver, queueFullWaitMs: queueFullWaitMs)
  }
}

/// A producer for one topic, each record once and in order: fast, for made-up load.
package final class TopicProducer {
  private let producer: KafkaProducer
  private let topic: ProducerTopic

  /// - Throws: `unreachable`, `unknownTopic`, `notAuthorized` after `withinMs`.
  package init(_ properties: KafkaProperties, topic name: String, withinMs: Int64) throws(EdgeError) {
    producer = try KafkaProducer(
      properties, [("delivery.report.only.error", "true"), ("enable.idempotence", "true")], queueFullWaitMs: 60_000)
    topic = try producer.topic(name, withinMs: withinMs)
  }

  /// Puts a record, copied, into the queue; waits while the queue is full.
  @inline(__always)
  package func produce(key: UnsafeRawBufferPointer?, value: UnsafeRawBufferPointer?) throws(EdgeError) {
    try producer.produce(topic, key: key, value: value)
  }

  /// Serves errors; to be called now and then.
  package func poll() { producer.poll() }

  /// Waits until everything is delivered.
  package func flush(withinMs: Int64) throws(EdgeError) { try producer.flush(withinMs: withinMs) }

  /// Records that could not be delivered so far.
  package var failedDeliveries: Int { producer.failedDeliveries }

  /// Why the first of them could not.
  package var firstFailedDelivery: EdgeError? { producer.firstFailedDelivery }
}
