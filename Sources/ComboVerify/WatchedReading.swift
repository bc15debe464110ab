internal import ComboEdge
internal import ComboSystem
internal import ComboWire

/// Reads through another reader. If an open transaction blocks the read, reports it and waits for a limited time. Used by any
/// number of threads.
final class WatchedReading: ReadEdge {
  /// The limits for a read that makes no progress.
  struct Patience: Sendable {
    /// The time after which the wait is reported, in milliseconds.
    var reportAfterMs: Int64 = 5_000
    /// The time after which the wait ends, in milliseconds.
    var giveUpAfterMs: Int64 = 15_000
  }

  private let reader: any ReadEdge
  private let topics: TopicIdentity
  private let brokers: String?
  private let patience: Patience
  private let notice: @Sendable (String) -> Void

  /// - Parameter brokers: The brokers' addresses, for the commands that end a transaction, or nil if there are none.
  init(
    _ reader: any ReadEdge, topics: TopicIdentity, brokers: String?, patience: Patience = Patience(),
    notice: @escaping @Sendable (String) -> Void
  ) {
    self.reader = reader
    self.topics = topics
    self.brokers = brokers
    self.patience = patience
    self.notice = notice
  }

  func bounds(_ topic: Topic, _ partition: Int32) throws(EdgeError) -> (first: Int64, end: Int64) {
    try reader.bounds(topic, partition)
  }

  func stableEnd(_ topic: Topic, _ partition: Int32) throws(EdgeError) -> Int64 { try reader.stableEnd(topic, partition) }
  func partitions(_ topic: Topic) throws(EdgeError) -> Range<Int32> { try reader.partitions(topic) }

  func offset(_ topic: Topic, _ partition: Int32, atMs time: Int64) throws(EdgeError) -> Int64? {
    try reader.offset(topic, partition, atMs: time)
  }

  func makeRoom(for partition: Int32) throws(EdgeError) { try reader.makeRoom(for: partition) }

  func readAll(
    _ topic: Topic, _ partition: Int32, from start: Int64, to end: Int64, _ body: (InputRecord) -> Bool
  ) throws(EdgeError) {
    try reader.readAll(topic, partition, from: start, to: end, body)
  }

  /// - Throws: `timedOut` if a transaction stays open before `end`.
  func read(
    _ topic: Topic, _ partition: Int32, from start: Int64, to end: Int64, unless isCancelled: () -> Bool,
    _ body: (InputRecord) -> Bool
  ) throws(EdgeError) {
    guard let open = try watch(topic, partition, from: start, to: end, unless: isCancelled, body) else { return }
    throw EdgeError(.timedOut, "\(sentence(open)): what follows it cannot be read. \(remedy(open))", isRetriable: false)
  }

  /// Reads like ``read(_:_:from:to:unless:_:)``, but stops at a transaction that stays open.
  /// - Returns: The offset at which it is open, or nil if everything was read.
  func readStable(
    _ topic: Topic, _ partition: Int32, from start: Int64, to end: Int64, _ body: (InputRecord) -> Bool
  ) throws(EdgeError) -> Int64? {
    var next = start
    var isOver = false
    let open = try watch(topic, partition, from: start, to: end, unless: { false }) { record in
      next = record.offset + 1
      isOver = !body(record)
      return !isOver
    }
    guard !isOver, let open else { return nil }
    // Reads the records before it that the brokers had not delivered yet.
    let openAt = try min(end, reader.stableEnd(topic, partition))
    try read(topic, partition, from: next, to: openAt, unless: { false }, body)
    if openAt == end { return nil }
    notice("\(name(topic, partition)): everything after offset \(openAt) is not compared. \(remedy(open))")
    return openAt
  }

  /// Reads records, and returns the transaction that has stayed open for too long, if there is one.
  private func watch(
    _ topic: Topic, _ partition: Int32, from start: Int64, to end: Int64, unless isCancelled: () -> Bool,
    _ body: (InputRecord) -> Bool
  ) throws(EdgeError) -> OpenTransaction? {
    var wait = Wait(reading: self, topic: topic, partition: partition, end: end)
    try reader.read(
      topic, partition, from: start, to: end,
      unless: {
        wait.check()
        return wait.isOver || isCancelled()
      }
    ) { record in
      wait.resume()
      return body(record)
    }
    return wait.isOver ? wait.open : nil
  }

  private func names() -> TopicNames { TopicNames(input: topics.input, output: topics.output, group: topics.group) }

  private func sentence(_ open: OpenTransaction) -> String {
    let since = open.since.map { ", since \(Timestamp.text($0))" } ?? ""
    return "\(name(open.topic, open.partition)): a transaction is open at offset \(open.offset)\(since)"
  }

  private func remedy(_ open: OpenTransaction) -> String {
    guard let brokers, open.topic != .deadLetter else { return "`check` has the commands that end it" }
    return OpenTransaction.remedy(brokers, names()[open.topic], open.partition, offset: open.offset)
  }

  private func name(_ topic: Topic, _ partition: Int32) -> String {
    // The name of the dead-letter topic is not known here, as an option can set it.
    "partition \(partition) of \(topic == .deadLetter ? "the dead letters" : names()[topic])"
  }

  /// A read in progress.
  private struct Wait {
    let reading: WatchedReading
    let topic: Topic
    let partition: Int32
    let end: Int64
    private(set) var since = MonotonicClock.nowMs
    /// The transaction at which reading stops.
    private(set) var open: OpenTransaction?
    /// Whether it has stayed open for too long.
    private(set) var isOver = false

    private var waitedMs: Int64 { MonotonicClock.nowMs - since }

    mutating func resume() {
      since = MonotonicClock.nowMs
      open = nil
    }

    mutating func check() {
      let isTooLong = open != nil && waitedMs >= reading.patience.giveUpAfterMs
      if isOver || !isTooLong && (open != nil || waitedMs < reading.patience.reportAfterMs) { return }
      // The client reports brokers that do not respond.
      guard let stable = try? reading.reader.stableEnd(topic, partition), stable < end else { return resume() }
      let found = OpenTransaction(topic: topic, partition: partition, offset: stable, end: end)
      if isTooLong, let open, open.isSame(as: found) {
        self.open = reading.reader.withTime(found)
        isOver = true
        return
      }
      // Another transaction than before gets the full time to end.
      if isTooLong { since = MonotonicClock.nowMs }
      open = found
      reading.notice("\(reading.sentence(found)); waiting for it to end, or to time out. `check` has the commands that end it")
    }
  }
}
