internal import ComboCore
internal import ComboEdge
internal import ComboSystem
internal import ComboWire

/// Reads through another reader, and reports if a transaction that is open holds it up. Used by any number of threads.
final class WatchedReading: ReadEdge {
  /// The limits for a read that makes no progress.
  struct Patience: Sendable {
    /// The time after which the wait is reported, in milliseconds.
    var tellAfterMs: Int64 = 5_000
    /// The time after which ``WatchedReading/readStable(_:_:from:to:_:)`` stops waiting, in milliseconds.
    var giveUpAfterMs: Int64 = 15_000
  }

  private let reader: any ReadEdge
  private let topics: TopicIdentity
  private let patience: Patience
  private let say: @Sendable (String) -> Void

  init(
    _ reader: any ReadEdge, topics: TopicIdentity, patience: Patience = Patience(), say: @escaping @Sendable (String) -> Void
  ) {
    self.reader = reader
    self.topics = topics
    self.patience = patience
    self.say = say
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
    _ topic: Topic, _ partition: Int32, from start: Int64, to end: Int64, _ take: (InputRecord) -> Bool
  ) throws(EdgeError) {
    try reader.readAll(topic, partition, from: start, to: end, take)
  }

  func read(
    _ topic: Topic, _ partition: Int32, from start: Int64, to end: Int64, unless isCancelled: () -> Bool,
    _ take: (InputRecord) -> Bool
  ) throws(EdgeError) {
    var wait = Wait(self, topic, partition, end)
    try reader.read(
      topic, partition, from: start, to: end,
      unless: {
        wait.look()
        return isCancelled()
      }
    ) { record in
      wait.resume()
      return take(record)
    }
  }

  /// Reads like ``read(_:_:from:to:unless:_:)``, but if a transaction stays open, only up to there.
  /// - Returns: The offset at which it is open, or nil if everything was read.
  func readStable(
    _ topic: Topic, _ partition: Int32, from start: Int64, to end: Int64, _ take: (InputRecord) -> Bool
  ) throws(EdgeError) -> Int64? {
    var wait = Wait(self, topic, partition, end)
    var next = start
    var isOver = false
    try reader.read(
      topic, partition, from: start, to: end,
      unless: {
        wait.look()
        return wait.openAt != nil && wait.isTooLong
      }
    ) { record in
      wait.resume()
      next = record.offset + 1
      isOver = !take(record)
      return !isOver
    }
    guard !isOver, wait.openAt != nil, wait.isTooLong else { return nil }
    // Reads the records before it that the brokers had not delivered yet.
    let openAt = try min(end, reader.stableEnd(topic, partition))
    try read(topic, partition, from: next, to: openAt, unless: { false }, take)
    if openAt == end { return nil }
    say("\(name(topic, partition)): everything after offset \(openAt) is not compared")
    return openAt
  }

  private func name(_ topic: Topic, _ partition: Int32) -> String {
    let name =
      switch topic {
      case .input: topics.input
      case .output: topics.output
      case .journal: "\(topics.input).\(topics.group).combo-journal"
      case .state: "\(topics.input).\(topics.group).combo-state"
      case .deadLetter: "dead letters"
      }
    return "partition \(partition) of \(name)"
  }

  /// A read in progress.
  private struct Wait {
    private let reading: WatchedReading
    private let topic: Topic
    private let partition: Int32
    private let end: Int64
    private var since = MonotonicClock.nowMs
    /// The offset of an open transaction, at which reading stops.
    private(set) var openAt: Int64?

    init(_ reading: WatchedReading, _ topic: Topic, _ partition: Int32, _ end: Int64) {
      self.reading = reading
      self.topic = topic
      self.partition = partition
      self.end = end
    }

    private var waitedMs: Int64 { MonotonicClock.nowMs - since }
    var isTooLong: Bool { waitedMs >= reading.patience.giveUpAfterMs }

    mutating func resume() {
      since = MonotonicClock.nowMs
      openAt = nil
    }

    mutating func look() {
      if openAt != nil || waitedMs < reading.patience.tellAfterMs { return }
      // The client reports brokers that do not respond.
      guard let stable = try? reading.reader.stableEnd(topic, partition), stable < end else {
        since = MonotonicClock.nowMs
        return
      }
      openAt = stable
      reading.say(
        "\(reading.name(topic, partition)): a transaction is open at offset \(stable); waiting for it to end, or to time out. `check` has"
          + " the commands that end it")
    }
  }
}
