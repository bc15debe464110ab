import ComboEdge

@testable import ComboTestSupport

/// How often what goes wrong; in thousandths of the calls.
struct SimFaults {
  var abortable = 0
  var fatal = 0
  var retriable = 0
  /// A commit that ends without an answer: it happened, did not, or will.
  var indefinite = 0
  /// Marks of transactions that come late.
  var lateMarks = 0
  /// A leader that was replaced without its knowing: what is read is beyond its end, or it tells an end of long ago.
  var staleLeaders = 0
  /// Records that are acknowledged without the offset at which they stand.
  var unplaced = 0

  static let none = SimFaults()
}

/// A cluster in memory: topics, transactions, one group, its offsets. All of a world belongs to one thread.
final class SimBroker {
  let clock: SimClock
  var random: SplitMix64
  var faults = SimFaults.none
  /// What leaders tell in place of a topic's ends, until they know that they were replaced.
  var toldEnds: [Topic: Int64] = [:]
  /// Topics that somebody has deleted.
  var gone: Set<Topic> = []
  /// Whoever leads this topic's partitions has not heard of them yet.
  var unheardOf: Topic?
  /// Nobody may ask where this topic begins and ends.
  var forbidden: Topic?
  /// Nobody tells where this topic begins and ends; how often it was asked.
  var unanswered: (topic: Topic, questions: Int)?
  private var logs: [[SimLog]]
  let group: SimGroup
  /// What is committed, by partition.
  private(set) var offsets: [Int32: CommittedOffset] = [:]
  private(set) var transactions: [SimTransaction] = []
  private var producers: [String: (epoch: Int, current: SimTransaction?)] = [:]
  /// Commits that are still under way from their producer.
  private var lateCommits: [SimTransaction] = []
  /// What producers that are no more had still under way.
  private var lostRooms: [SimProducer] = []

  /// Producers without transactions that have something under way, of the living and the dead.
  var directs: [SimDirectProducer] = []
  /// The network holds back what no living process waits for.
  var areDirectsHeld = false

  static let transactionTimeoutMs: Int64 = 2_000

  init(_ clock: SimClock, _ random: SplitMix64, partitions: Int, outputPartitions: Int, isCooperative: Bool) {
    self.clock = clock
    self.random = random
    logs = Topic.allCases.map { topic in
      (0..<(topic == .output || topic == .deadLetter ? outputPartitions : partitions)).map { _ in SimLog() }
    }
    group = SimGroup(clock, partitions: Int32(partitions), isCooperative: isCooperative)
  }

  func log(_ topic: Topic, _ partition: Int32) -> SimLog { logs[topic.rawValue][Int(partition)] }
  func partitions(_ topic: Topic) -> Range<Int32> { 0..<Int32(logs[topic.rawValue].count) }

  /// The input gains partitions.
  func grow(to count: Int) {
    while logs[Topic.input.rawValue].count < count { logs[Topic.input.rawValue].append(SimLog()) }
    group.grow(to: Int32(count))
  }

  /// Makes a partition of journal and state.
  func makeRoom(for partition: Int32) {
    for topic in [Topic.journal, .state] {
      while logs[topic.rawValue].count <= Int(partition) { logs[topic.rawValue].append(SimLog()) }
    }
  }

  func happens(_ thousandths: Int) -> Bool { thousandths > 0 && random.below(1000) < thousandths }

  // MARK: - Transactions

  /// A producer makes itself known: others of its id are fenced, what they left open is ended.
  /// - Returns: its epoch.
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

  /// The open transaction of a producer; it begins with what is first done in it.
  func transaction(_ producer: String, _ epoch: Int) -> SimTransaction {
    if let current = producers[producer]!.current {
      if current.state == .open { return current }
      settle(current)
    }
    let new = SimTransaction(producer: producer, epoch: epoch, deadline: clock.monotonic + Self.transactionTimeoutMs)
    producers[producer]!.current = new
    transactions.append(new)
    return new
  }

  /// The transaction that is open, if there is one.
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

  /// A commit was sent, but nobody heard of it again.
  func commitLater(_ transaction: SimTransaction) { lateCommits.append(transaction) }

  /// The end of a transaction becomes known everywhere.
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

  /// Lets happen what happens by itself.
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

  /// What producers without transactions have under way arrives, all of it.
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

  /// What a producer that is no more had under way may still arrive.
  func left(_ producer: SimProducer) {
    if !producer.buffer.isEmpty { lostRooms.append(producer) }
  }

  // MARK: - Waiting

  /// A reader waits until it may read up to `end`. Nobody else moves meanwhile.
  func wait(for log: SimLog, upTo end: Int64) {
    while let open = log.open.first(where: { $0.first < end }) { wait(for: open.transaction) }
  }

  /// What the group has committed, once no transaction is open on it.
  func committed(_ partition: Int32) -> CommittedOffset {
    while let transaction = transactions.first(where: { $0.offsets.contains { $0.partition == partition } }) {
      wait(for: transaction)
    }
    return position(of: partition)
  }

  /// The same, as an audit sees it, which waits for nothing.
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

  /// Offsets that a member commits outside of transactions.
  func commit(_ offset: CommittedOffset) { offsets[offset.partition] = offset }

  // MARK: - Hands of others

  /// Somebody moves the group's offset, or lets it expire.
  func moveOffset(_ partition: Int32, to offset: Int64?) {
    offsets[partition] = offset.map { CommittedOffset(partition: partition, offset: $0, metadata: "") }
  }

  /// Which partition a key belongs to.
  static func partition(of key: [UInt8]?, _ count: Int) -> Int32 {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in key ?? [] { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return Int32(SplitMix64.mix(hash) % UInt64(count))
  }
}
