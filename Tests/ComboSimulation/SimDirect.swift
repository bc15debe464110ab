import ComboCore
import ComboEdge

@testable import ComboTestSupport

/// A producer without transactions: of each partition's records in order, acknowledged or not. What it has under way arrives
/// whether or not its process lives.
final class SimDirectProducer {
  private(set) var buffer: [(log: SimLog, record: SimRecord, tag: UInt)] = []
  /// Arrived, but its process has not heard of it.
  private(set) var acknowledged: [(tag: UInt, offset: Int64)] = []
  /// Nothing more is written.
  var fault: String?

  func hold(_ log: SimLog, _ record: SimRecord, tag: UInt) { buffer.append((log, record, tag)) }

  /// Brings one record to the brokers: the first of some partition.
  func deliver(_ random: inout SplitMix64) {
    if buffer.isEmpty { return }
    let log = buffer[random.below(buffer.count)].log
    let index = buffer.firstIndex { $0.log === log }!
    let (_, record, tag) = buffer.remove(at: index)
    acknowledged.append((tag, log.end))
    log.append(record)
  }

  func hear(_ count: Int) -> [(tag: UInt, offset: Int64)] {
    let heard = Array(acknowledged.prefix(count))
    acknowledged.removeFirst(heard.count)
    return heard
  }

  /// It gives up: some of what it holds may still arrive, of each partition the first ones.
  func handOver(_ random: inout SplitMix64) { buffer = Array(buffer.prefix(random.below(buffer.count + 1))) }
}

/// The direct output of a simulated instance.
final class SimDirectEdge: DirectEdge, @unchecked Sendable {
  // The proof: a world belongs to one thread.
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

  /// The process is no more, or has another producer.
  func leave() {
    producer?.handOver(&broker.random)
    producer = nil
  }

  func produce(
    _ topic: Topic, partition: Int32?, key: Bytes?, value: Bytes?, timestamp: Int64?, headers: [RecordHeader], tag: UInt
  ) {
    if instance.isOver() { return }
    guard let producer, producer.fault == nil else { return }
    let record = SimRecord(key: key.map { [UInt8]($0) }, value: value.map { [UInt8]($0) }, timestamp: timestamp, headers: headers)
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
    for (tag, offset) in producer.hear(broker.random.below(producer.acknowledged.count + 1)) {
      acknowledged(tag, broker.happens(broker.faults.unplaced) ? -1001 : offset)
    }
  }

  func prepare(_ partition: Int32) throws(EdgeError) { try instance.step() }
}
