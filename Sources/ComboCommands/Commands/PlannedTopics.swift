internal import ComboEdge

/// The topics of a group after `run` has created the missing ones, which are empty.
final class PlannedTopics: ReadEdge {
  private let base: any ReadEdge
  /// The number of partitions of each topic that exist.
  private let existing: [Topic: Int32]
  /// The minimum number of partitions that each topic will have.
  private let count: Int32

  init(_ base: any ReadEdge, existing: [Topic: Int32], count: Int32) {
    self.base = base
    self.existing = existing
    self.count = count
  }

  private func exists(_ topic: Topic, _ partition: Int32) -> Bool { partition < existing[topic] ?? 0 }

  func bounds(_ topic: Topic, _ partition: Int32) throws(EdgeError) -> (first: Int64, end: Int64) {
    exists(topic, partition) ? try base.bounds(topic, partition) : (0, 0)
  }

  func stableEnd(_ topic: Topic, _ partition: Int32) throws(EdgeError) -> Int64 {
    exists(topic, partition) ? try base.stableEnd(topic, partition) : 0
  }

  func offset(_ topic: Topic, _ partition: Int32, atMs time: Int64) throws(EdgeError) -> Int64? {
    exists(topic, partition) ? try base.offset(topic, partition, atMs: time) : nil
  }

  func ends(_ topic: Topic, _ partitions: [Int32]) throws(EdgeError) -> [(partition: Int32, end: Int64)] {
    try base.ends(topic, partitions.filter { exists(topic, $0) })
  }

  func openTransactions(_ topic: Topic, _ partitions: [Int32]) throws(EdgeError) -> [OpenTransaction] {
    try base.openTransactions(topic, partitions.filter { exists(topic, $0) })
  }

  func readAll(
    _ topic: Topic, _ partition: Int32, from start: Int64, to end: Int64, _ body: (InputRecord) -> Bool
  ) throws(EdgeError) {
    if exists(topic, partition) { try base.readAll(topic, partition, from: start, to: end, body) }
  }

  func partitions(_ topic: Topic) throws(EdgeError) -> Range<Int32> { 0..<max(count, existing[topic] ?? 0) }

  func read(
    _ topic: Topic, _ partition: Int32, from start: Int64, to end: Int64, unless isCancelled: () -> Bool,
    _ body: (InputRecord) -> Bool
  ) throws(EdgeError) {
    if exists(topic, partition) { try base.read(topic, partition, from: start, to: end, unless: isCancelled, body) }
  }
}
