import ComboCore
import ComboEdge

@testable import ComboTestSupport

/// A transactional producer, with the records that it holds back and its own view of its state.
final class SimProducer {
  let broker: SimBroker
  let id: String
  let epoch: Int
  var isInTransaction = false
  /// The fault after which it cannot be used any more, or nil if there is none.
  var fatal: String?
  /// The operation after which it must not be used: a commit without an answer, or an abort, as librdkafka would give its next
  /// records the sequence numbers of some that are in the log. Only a new producer can continue.
  var usedUpBy: String?
  /// The fault in the transaction, or nil if there is none.
  var fault: String?
  /// Records that are not at the brokers yet, in the order of production.
  private(set) var buffer: [(log: SimLog, record: SimRecord)] = []
  private var delivered = 0

  init(_ broker: SimBroker, id: String) {
    self.broker = broker
    self.id = id
    epoch = broker.initialize(id)
  }

  func hold(_ log: SimLog, _ record: SimRecord) { buffer.append((log, record)) }

  /// Delivers up to `count` of the next records to the brokers.
  func deliver(_ count: Int) {
    let count = min(count, buffer.count)
    if count == 0 { return }
    for (log, record) in buffer[0..<count] {
      guard broker.isCurrent(id, epoch) else {
        fatal = "fenced: another producer has the id \(id), or its transaction took too long"
        buffer = []
        return
      }
      var record = record
      record.transaction = broker.transaction(id, epoch)
      log.append(record)
    }
    buffer.removeFirst(count)
  }

  func purge() { buffer = [] }
}

/// The transactional output of a simulated instance.
final class SimOutputEdge: OutputEdge, @unchecked Sendable {
  // Sendable: a world belongs to one thread.
  private unowned let instance: SimInstance
  private var broker: SimBroker { instance.broker }
  private(set) var producer: SimProducer?

  init(_ instance: SimInstance) { self.instance = instance }

  func renew() throws(EdgeError) {
    try instance.step()
    if let topic = broker.gone.first { throw EdgeError(.unknownTopic, "there is no \(topic.word) topic") }
    if let old = producer { broker.left(old) }
    producer = nil
    if broker.happens(broker.faults.retriable) { throw EdgeError(.timedOut, "no answer (made up)", isRetriable: true) }
    producer = SimProducer(broker, id: instance.transactionalID)
    try instance.step()
  }

  func begin() throws(TransactionFault) {
    try instance.stepOfTransaction()
    let producer = try current()
    if producer.isInTransaction { instance.complain("a transaction was begun in an open one") }
    producer.isInTransaction = true
    producer.fault = nil
  }

  func produce(
    _ topic: Topic, partition: Int32?, key: Bytes?, value: Bytes?, timestamp: Int64?, headers: [RecordHeader]
  ) {
    if instance.isOver() { return }
    guard let producer, producer.fatal == nil else { return }
    guard producer.isInTransaction else {
      instance.complain("a record was produced outside of a transaction")
      return
    }
    let record = SimRecord(
      key: key.map { [UInt8]($0) }, value: value.map { [UInt8]($0) }, timestamp: timestamp,
      headers: headers + instance.world.headers(of: topic))
    let to = partition ?? SimBroker.partition(of: record.key, broker.partitions(topic).count)
    producer.hold(broker.log(topic, to), record)
    if broker.random.below(4) == 0 { producer.deliver(broker.random.below(producer.buffer.count + 1)) }
    if broker.happens(broker.faults.abortable / 20) { producer.fault = "a record could not be delivered (made up)" }
  }

  func commit(_ offsets: [CommittedOffset]) throws(TransactionFault) {
    try instance.stepOfTransaction()
    let producer = try current()
    if !producer.isInTransaction { instance.complain("a commit without a transaction") }
    if let fault = producer.fault { throw .abort(fault) }
    producer.deliver(broker.random.below(producer.buffer.count + 1))
    try instance.stepOfTransaction()
    try send(offsets, producer)
    try instance.stepOfTransaction()
    producer.deliver(.max)
    try check(producer)
    try instance.stepOfTransaction()
    try end(producer)
    producer.isInTransaction = false
    try instance.stepOfTransaction()
  }

  private func send(_ offsets: [CommittedOffset], _ producer: SimProducer) throws(TransactionFault) {
    if offsets.isEmpty { return }
    try check(producer)
    if broker.happens(broker.faults.abortable) { throw .abort("the offsets could not be sent (made up)") }
    if !broker.group.accepts(instance.member) { throw .abort("the group has gone on without this member") }
    let transaction = broker.transaction(producer.id, producer.epoch)
    for offset in offsets {
      transaction.offsets.removeAll { $0.partition == offset.partition }
      transaction.offsets.append(offset)
    }
  }

  /// The fate of a commit.
  enum CommitFate { case happens, unheard, lost, late }

  private func end(_ producer: SimProducer) throws(TransactionFault) {
    // Checked again: a frozen instance may have been given up meanwhile, and brokers then refuse to end its transaction.
    try check(producer)
    let faults = broker.faults
    if broker.happens(faults.abortable) { throw .abort("the commit needs an abort (made up)") }
    if broker.happens(faults.fatal) {
      producer.fatal = "the producer gave up (made up)"
      throw .fatal(producer.fatal!)
    }
    var fate = instance.nextCommit ?? .happens
    instance.nextCommit = nil
    if fate == .happens, broker.happens(faults.indefinite) {
      fate = [.unheard, .lost, .late][broker.random.below(3)]
    }
    if let transaction = broker.openTransaction(producer.id) {
      switch fate {
      case .happens, .unheard: broker.decide(transaction, .committed)
      case .late: broker.commitLater(transaction)
      case .lost: break
      }
    }
    if fate != .happens {
      producer.usedUpBy = "a commit without an answer"
      throw .indefinite("the commit got no answer in time (made up)")
    }
  }

  func abort() throws(TransactionFault) {
    try instance.stepOfTransaction()
    guard let producer else { return }
    try check(producer)
    producer.purge()
    if broker.happens(broker.faults.fatal) {
      producer.fatal = "the abort was not answered (made up)"
      throw .fatal(producer.fatal!)
    }
    if let transaction = broker.openTransaction(producer.id) { broker.decide(transaction, .aborted) }
    producer.isInTransaction = false
    producer.usedUpBy = "an abort"
    try instance.stepOfTransaction()
  }

  func serve() {}

  private func current() throws(TransactionFault) -> SimProducer {
    guard let producer else { throw .fatal("there is no producer") }
    try check(producer)
    return producer
  }

  private func check(_ producer: SimProducer) throws(TransactionFault) {
    if let cause = producer.usedUpBy { instance.complain("a producer was used on after \(cause)") }
    if producer.fatal == nil, !broker.isCurrent(producer.id, producer.epoch) { producer.fatal = "fenced" }
    if let fatal = producer.fatal { throw .fatal(fatal) }
  }
}
