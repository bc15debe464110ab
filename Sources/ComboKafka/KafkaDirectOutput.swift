package import ComboEdge
internal import Synchronization

/// The librdkafka producer that writes without transactions.
package final class KafkaDirectOutput: DirectEdge {
  private struct Current {
    let producer: KafkaProducer
    let topics: [Topic: ProducerTopic]
    let screens: ProducerTopic?
    let reports: Reports
  }

  /// The reports of one producer. A new producer has new ones, so that those of the old one are ignored.
  private final class Reports: DeliveryReceiver, Sendable {
    struct Results {
      var acknowledged: ContiguousArray<(tag: UInt, offset: Int64)> = []
      var fault: EdgeError?
    }
    let results = Mutex(Results())

    func delivered(tag: UInt, partition: Int32, offset: Int64, error: EdgeError?) {
      results.withLock { results in
        if let error {
          if results.fault == nil { results.fault = error }
        } else if tag != 0 {
          results.acknowledged.append((tag, offset))
        }
      }
    }
  }

  private var current: Current?
  /// The acknowledgements that ``serve(maxWaitMs:_:)`` reports. The memory is reused.
  private var reported: ContiguousArray<(tag: UInt, offset: Int64)> = []
  private let properties: KafkaProperties
  private let names: TopicNames
  private let queueFullWaitMs: Int64
  private let outputHeaders: [OutputHeader]
  private let newest = NewestScreens()

  private static let topicsWithinMs: Int64 = 30_000

  /// - Parameters:
  ///   - outputHeaders: The headers of each record of the output.
  ///   - queueFullWaitMs: The maximum time for which a record waits for room in a full queue.
  package init(
    _ properties: KafkaProperties, names: TopicNames, outputHeaders: [OutputHeader] = [], queueFullWaitMs: Int64 = 10_000
  ) {
    self.properties = properties
    self.names = names
    self.outputHeaders = outputHeaders
    self.queueFullWaitMs = queueFullWaitMs
  }

  package func renew() throws(EdgeError) {
    current = nil
    let reports = Reports()
    let producer = try IdempotentProducer.make(properties, receiver: reports, queueFullWaitMs: queueFullWaitMs)
    var topics: [Topic: ProducerTopic] = [:]
    for topic in [Topic.output, .journal, .deadLetter] {
      topics[topic] = try producer.topic(names[topic], withinMs: Self.topicsWithinMs)
    }
    let screens = try names.screens.map { name throws(EdgeError) in try producer.topic(name, withinMs: Self.topicsWithinMs) }
    newest.forget()
    current = Current(producer: producer, topics: topics, screens: screens, reports: reports)
  }

  package func produce(
    _ topic: Topic, partition: Int32?, key: Bytes?, value: Bytes?, timestamp: Int64?, headers: [RecordHeader], tag: UInt
  ) {
    guard let current, let handle = current.topics[topic] else { return }
    // This producer is unusable, as the next `serve` reports. Another record would leave a gap or wait again.
    if current.reports.results.withLock({ $0.fault != nil }) { return }
    let headers =
      outputHeaders.isEmpty || topic != .output ? headers : headers + outputHeaders.map { $0.header(key: key, value: value) }
    do throws(EdgeError) {
      try current.producer.produce(
        handle, partition: partition, key: key, value: value, timestampMs: timestamp, headers: RecordHeaders(headers), tag: tag)
      guard topic == .output, let screens = current.screens, let key, let value else { return }
      switch newest.process(key: key, value: value) {
      case .nothing: break
      case .screen: try current.producer.produce(screens, key: key, value: value, timestampMs: timestamp)
      case .end: try current.producer.produce(screens, key: key, value: nil, timestampMs: timestamp)
      }
    } catch {
      current.reports.delivered(tag: tag, partition: -1, offset: -1, error: error)
    }
  }

  package func serve(maxWaitMs: Int32, _ acknowledged: (_ tag: UInt, _ offset: Int64) -> Void) throws(EdgeError) {
    guard let current else { throw EdgeError(.fatal, "there is no producer") }
    current.producer.poll(maxWaitMs: maxWaitMs)
    var fault: EdgeError?
    current.reports.results.withLock { results in
      swap(&results.acknowledged, &reported)
      fault = results.fault
    }
    for (tag, offset) in reported { acknowledged(tag, offset) }
    reported.removeAll(keepingCapacity: true)
    if let fault = fault ?? current.producer.fatalError("the producer has given up") { throw fault }
  }

  package func prepare(_ partition: Int32) throws(EdgeError) {
    guard let current, let journal = current.topics[.journal] else { return }
    try current.producer.awaitPartition(partition, of: journal, withinMs: Self.topicsWithinMs)
  }
}
