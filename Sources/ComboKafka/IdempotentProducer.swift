package import ComboEdge

/// A producer that writes each record once and in order, without transactions, and reports the offset of each tagged record. If a
/// record cannot be written, none after it is: the producer fails (`fatal`) rather than leave a gap.
enum IdempotentProducer {
  /// - Parameter receiver: Receives the report of each record produced with a tag; held weakly.
  /// - Throws: `badProperty`. Brokers are not contacted yet.
  static func make(
    _ properties: KafkaProperties, receiver: any DeliveryReceiver, queueFullWaitMs: Int64 = 10_000
  ) throws(EdgeError) -> KafkaProducer {
    try KafkaProducer(
      properties,
      [
        ("enable.idempotence", "true"), ("enable.gapless.guarantee", "true"), ("delivery.report.only.error", "false"),
        // Records never fail for want of time: later ones would leave a gap.
        ("linger.ms", "0"), ("delivery.timeout.ms", "0"),
      ],
      receiver: receiver, queueFullWaitMs: queueFullWaitMs)
  }
}

/// A fast producer for one topic, each record once and in order, for generated load.
package final class TopicProducer {
  private let producer: KafkaProducer
  private let topic: ProducerTopic

  /// - Throws: `unreachable`, `unknownTopic`, `notAuthorized` after `withinMs`.
  package init(_ properties: KafkaProperties, topic name: String, withinMs: Int64) throws(EdgeError) {
    producer = try KafkaProducer(
      properties, [("delivery.report.only.error", "true"), ("enable.idempotence", "true")], queueFullWaitMs: 60_000)
    topic = try producer.topic(name, withinMs: withinMs)
  }

  /// Copies a record into the queue; waits while the queue is full.
  @inline(__always)
  package func produce(key: UnsafeRawBufferPointer?, value: UnsafeRawBufferPointer?) throws(EdgeError) {
    try producer.produce(topic, key: key, value: value)
  }

  /// Serves errors. Call it regularly.
  package func poll() { producer.poll() }

  /// Waits until everything is delivered.
  package func flush(withinMs: Int64) throws(EdgeError) { try producer.flush(withinMs: withinMs) }

  package var deliveries: Deliveries { producer.deliveries }
}
