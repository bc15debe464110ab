import ComboCore
import ComboEdge

@testable import ComboTestSupport

/// A producer without transactions. Each partition's records arrive in order, acknowledged or not, and those in flight may arrive
/// even after its process is gone.
final class SimDirectProducer {
  private(set) var buffer: [(log: SimLog, record: SimRecord, tag: UInt)] = []
  /// Records that have arrived, but whose acknowledgements the process has not received.
  private(set) var acknowledged: [(tag: UInt, offset: Int64)] = []
  /// The fault after which nothing more is written, or nil if there is none.
  var fault: String?

  func hold(_ log: SimLog, _ record: SimRecord, tag: UInt) { buffer.append((log, record, tag)) }

  /// Delivers one record to the brokers: the first of a random partition.
  func deliver(_ random: inout SplitMix64) {
    if buffer.isEmpty { return }
    let log = buffer[random.below(buffer.count)].log
    let index = buffer.firstIndex { $0.log === log }!
    let (_, record, tag) = buffer.remove(at: index)
    acknowledged.append((tag, log.end))
    log.append(record)
  }

  func takeAcknowledged(_ count: Int) -> [(tag: UInt, offset: Int64)] {
    let taken = Array(acknowledged.prefix(count))
    acknowledged.removeFirst(taken.count)
    return taken
  }

  /// Closes the producer. A random number of its records, of each partition the first ones, may still arrive.
  func handOver(_ random: inout SplitMix64) { buffer = Array(buffer.prefix(random.below(buffer.count + 1))) }
}

/// The direct output of a simulated instance.
final class SimDirectEdge: DirectEdge, @unchecked Sendable {
  // Sendable: a world belongs to one thread.
  private unowned let instance: SimInstance
  private var broker: SimBroker { instance.broker }
  private(set) var producer: SimDirectProducer?

  init(_ instance: SimInstance) { self.instance = instance }

  func renew() throws(EdgeError) {
    try instance.step()
    if let topic = broker.gone.first { throw EdgeError(.unknownTopic, "there is no \(topic.word) topic") }
    leave()
    if broker.happens(broker.faults.retriable) { throw EdgeError(.timedOut, "no answer (made up)", isRetriable: true) }
    producer = SimDirectProducer()
    broker.directs.append(producer!)
  }

  /// Closes the producer, because the process is gone or gets another one.
  func leave() {
    producer?.handOver(&broker.random)
    producer = nil
  }

  func produce(
    _ topic: Topic, partition: Int32?, key: Bytes?, value: Bytes?, timestamp: Int64?, headers: [RecordHeader], tag: UInt
  ) {
    if instance.isOver() { return }
    guard let producer, producer.fault == nil else { return }
    let record = SimRecord(
      key: key.map { [UInt8]($0) }, value: value.map { [UInt8]($0) }, timestamp: timestamp,
      headers: headers + instance.world.headers(of: topic))
    let to = partition ?? SimBroker.partition(of: record.key, broker.partitions(topic).count)
    producer.hold(broker.log(topic, to), record, tag: tag)
  }

  func serve(maxWaitMs: Int32, _ acknowledged: (_ tag: UInt, _ offset: Int64) -> Void) throws(EdgeError) {
    try instance.step()
    guard let producer else { throw EdgeError(.fatal, "there is no producer") }
    if let fault = producer.fault { throw EdgeError(.fatal, fault) }
    for _ in 0..<broker.random.below(producer.buffer.count + 2) { producer.deliver(&broker.random) }
    if broker.happens(broker.faults.fatal / 2) || (!producer.acknowledged.isEmpty && broker.happens(broker.faults.indefinite / 2))
    {
      producer.fault = "a record could not be delivered, or nobody heard that it was (made up)"
      throw EdgeError(.undelivered, producer.fault!)
    }
    if maxWaitMs > 0, producer.acknowledged.isEmpty { broker.clock.advance(Int64(1 + broker.random.below(Int(maxWaitMs)))) }
    for (tag, offset) in producer.takeAcknowledged(broker.random.below(producer.acknowledged.count + 1)) {
      acknowledged(tag, broker.happens(broker.faults.unplaced) ? -1001 : offset)
    }
  }

  func prepare(_ partition: Int32) throws(EdgeError) { try instance.step() }
}
