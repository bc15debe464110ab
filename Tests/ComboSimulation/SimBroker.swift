import ComboEdge

@testable import ComboTestSupport

/// The frequencies of faults, in thousandths of the calls.
struct SimFaults {
  var abortable = 0
  var fatal = 0
  var retriable = 0
  /// Commits that end without an answer: they happened, did not, or will.
  var indefinite = 0
  /// A partition cannot be read from an offset.
  var unseekable = 0
  /// Transaction markers that are written late.
  var lateMarks = 0
  /// Leaders that were replaced without knowing it: what is read is beyond their end, or they report an end of long ago.
  var staleLeaders = 0
  /// Records that are acknowledged without their offset.
  var unplaced = 0

  static let none = SimFaults()
}

/// A cluster in memory: topics, transactions, and one group with its offsets. A whole world belongs to one thread.
final class SimBroker {
  let clock: SimClock
  var random: SplitMix64
  var faults = SimFaults.none
  /// The ends that replaced leaders report instead of a topic's own, until they know that they were replaced.
  var toldEnds: [Topic: Int64] = [:]
  /// Deleted topics.
  var gone: Set<Topic> = []
  /// A topic whose leaders do not know its partitions yet.
  var unheardOf: Topic?
  /// A topic whose bounds no instance is authorized to read.
  var forbidden: Topic?
  /// A topic whose bounds are requested without an answer, and the number of those requests.
  var unanswered: (topic: Topic, questions: Int)?
  private var logs: [[SimLog]]
  let group: SimGroup
  /// The committed offsets, by partition.
  private(set) var offsets: [Int32: CommittedOffset] = [:]
  private(set) var transactions: [SimTransaction] = []
  private var producers: [String: (epoch: Int, current: SimTransaction?)] = [:]
  /// Transactions whose commit has not arrived from the producer yet.
  private var lateCommits: [SimTransaction] = []
  /// Producers that are gone, with records still in flight.
  private var lostRooms: [SimProducer] = []

  /// Producers without transactions, of living and dead instances, that may have records in flight.
  var directs: [SimDirectProducer] = []
  /// Whether the network holds back records that no living process waits for.
  var areDirectsHeld = false

  static let transactionTimeoutMs: Int64 = 2_000

  /// - Parameter neighbor: The cluster of another input's services, whose output this one's write to as well, or nil if there is
  ///   none.
  init(
    _ clock: SimClock, _ random: SplitMix64, partitions: Int, outputPartitions: Int, isCooperative: Bool,
    beside neighbor: SimBroker? = nil
  ) {
    self.clock = clock
    self.random = random
    logs = Topic.allCases.map { topic in
      (0..<(topic == .output || topic == .deadLetter ? outputPartitions : partitions)).map { _ in SimLog() }
    }
    if let neighbor { logs[Topic.output.rawValue] = neighbor.logs[Topic.output.rawValue] }
    group = SimGroup(clock, partitions: Int32(partitions), isCooperative: isCooperative)
  }

  func log(_ topic: Topic, _ partition: Int32) -> SimLog { logs[topic.rawValue][Int(partition)] }
  func partitions(_ topic: Topic) -> Range<Int32> { 0..<Int32(logs[topic.rawValue].count) }

  /// Adds partitions to the input.
  func grow(to count: Int) {
    while logs[Topic.input.rawValue].count < count { logs[Topic.input.rawValue].append(SimLog()) }
    group.grow(to: Int32(count))
  }

  /// Creates a partition of the journal and the state.
  func makeRoom(for partition: Int32) {
    for topic in [Topic.journal, .state] {
      while logs[topic.rawValue].count <= Int(partition) { logs[topic.rawValue].append(SimLog()) }
    }
  }

  func happens(_ thousandths: Int) -> Bool { thousandths > 0 && random.below(1000) < thousandths }

  // MARK: - Transactions

  /// Initializes a producer: fences others with its id, and ends the transaction that they left open.
  /// - Returns: The producer's epoch.
  func initialize(_ producer: String) -> Int {
    let known = producers[producer] ?? (0, nil)
    if let open = known.current, open.state == .open {
      let arrived = lateCommits.contains { $0 === open } && random.below(2) == 0
      decide(open, arrived ? .committed : .aborted)
    }
    if let last = known.current { settle(last) }
    producers[producer] = (known.epoch + 1, nil)
    return known.epoch + 1
  }

  func isCurrent(_ producer: String, _ epoch: Int) -> Bool { producers[producer]?.epoch == epoch }

  /// Returns the open transaction of a producer, and begins one if there is none.
  func transaction(_ producer: String, _ epoch: Int) -> SimTransaction {
    if let current = producers[producer]!.current {
      if current.state == .open { return current }
      settle(current)
    }
    let new = SimTransaction(producer: producer, epoch: epoch, deadline: clock.monotonic + Self.transactionTimeoutMs)
    new.coordinator = self
    producers[producer]!.current = new
    transactions.append(new)
    return new
  }

  /// Returns the open transaction of a producer, or nil if there is none.
  func openTransaction(_ producer: String) -> SimTransaction? {
    guard let current = producers[producer]?.current, current.state == .open else { return nil }
    return current
  }

  func decide(_ transaction: SimTransaction, _ state: SimTransaction.State) {
    precondition(transaction.state == .open)
    transaction.state = state
    lateCommits.removeAll { $0 === transaction }
    if !happens(faults.lateMarks) { settle(transaction) }
  }

  /// Keeps a commit that was sent and got no answer, as it may still arrive.
  func commitLater(_ transaction: SimTransaction) { lateCommits.append(transaction) }

  /// Writes all markers of a transaction that has ended, and applies its offsets.
  func settle(_ transaction: SimTransaction) {
    precondition(transaction.state != .open)
    for log in transaction.unmarked { log.mark(transaction) }
    applyOffsets(transaction)
    transactions.removeAll { $0 === transaction }
  }

  private func applyOffsets(_ transaction: SimTransaction) {
    if transaction.state == .committed {
      for offset in transaction.offsets { offsets[offset.partition] = offset }
    }
    transaction.offsets = []
  }

  func settleAll() {
    for transaction in transactions where transaction.state != .open { settle(transaction) }
  }

  // MARK: - Time

  /// Advances what happens without a call: transactions expire, and late markers, commits and records may arrive.
  func tick() {
    expire()
    if !transactions.isEmpty, random.below(4) == 0 {
      let transaction = transactions[random.below(transactions.count)]
      if transaction.state != .open {
        if random.below(2) == 0, let log = transaction.unmarked.first { log.mark(transaction) } else { applyOffsets(transaction) }
        if transaction.isSettled { transactions.removeAll { $0 === transaction } }
      }
    }
    if !lateCommits.isEmpty, random.below(8) == 0 {
      let late = lateCommits.removeLast()
      if late.state == .open, isCurrent(late.producer, late.epoch) { decide(late, .committed) }
    }
    if !areDirectsHeld, !directs.isEmpty, random.below(3) == 0 { directs[random.below(directs.count)].deliver(&random) }
    if !lostRooms.isEmpty, random.below(4) == 0 {
      let stray = lostRooms[random.below(lostRooms.count)]
      stray.deliver(1)
      if stray.buffer.isEmpty { lostRooms.removeAll { $0 === stray } }
    }
  }

  /// Delivers all records that producers without transactions have in flight.
  func settleDirects() {
    for direct in directs { while !direct.buffer.isEmpty { direct.deliver(&random) } }
  }

  func expire() {
    for transaction in transactions where transaction.state == .open && transaction.deadline <= clock.monotonic {
      expire(transaction)
    }
    group.expire()
  }

  private func expire(_ transaction: SimTransaction) {
    if transaction.state != .open { return }
    producers[transaction.producer]?.epoch += 1
    decide(transaction, .aborted)
  }

  /// Keeps a producer that is gone if it has records in flight, as they may still arrive.
  func left(_ producer: SimProducer) {
    if !producer.buffer.isEmpty { lostRooms.append(producer) }
  }

  // MARK: - Waiting

  /// Waits until a reader may read up to `end`. Nothing else happens meanwhile.
  func wait(for log: SimLog, upTo end: Int64) {
    while let open = log.open.first(where: { $0.first < end }) {
      (open.transaction.coordinator ?? self).wait(for: open.transaction)
    }
  }

  /// Returns the group's committed offset, once no transaction with an offset of the partition is pending.
  func committed(_ partition: Int32) -> CommittedOffset {
    while let transaction = transactions.first(where: { $0.offsets.contains { $0.partition == partition } }) {
      wait(for: transaction)
    }
    return position(of: partition)
  }

  /// Returns the group's committed offset without waiting, for audits.
  func position(of partition: Int32) -> CommittedOffset {
    offsets[partition] ?? CommittedOffset(partition: partition, offset: nil, metadata: "")
  }

  private func wait(for transaction: SimTransaction) {
    if transaction.state == .open {
      clock.advance(max(0, transaction.deadline - clock.monotonic))
      expire(transaction)
    }
    settle(transaction)
  }

  /// Commits an offset of a member outside of transactions.
  func commit(_ offset: CommittedOffset) { offsets[offset.partition] = offset }

  // MARK: - Interventions

  /// Moves the group's offset, or lets it expire if `offset` is nil.
  func moveOffset(_ partition: Int32, to offset: Int64?) {
    offsets[partition] = offset.map { CommittedOffset(partition: partition, offset: $0, metadata: "") }
  }

  /// Returns the partition of a key.
  static func partition(of key: [UInt8]?, _ count: Int) -> Int32 {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in key ?? [] { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return Int32(SplitMix64.mix(hash) % UInt64(count))
  }
}
