package import ComboEdge
internal import ComboSystem
internal import Synchronization

/// Ends the transaction that a former member, such as one that was killed, has left open. Otherwise brokers wait for its
/// `transaction.timeout.ms`, and so do the new owner of its partitions and every reader of the output.
///
/// Its id is in the group's offset, which it committed. A current member ends its own transaction. Any thread may call it; calls
/// run one at a time, so that two that concern the same transaction end it once.
package final class LeftTransactions: Sendable {
  private let properties: KafkaProperties
  private let control: ControlClient
  private let reading: KafkaReading
  private let names: TopicNames
  private let group: String
  private let transactionalID: String
  private let isBusy = Mutex<Void>(())

  private static let withinMs: Int64 = 10_000
  /// The time within which an active or just ended transaction completes.
  private static let settleMs: Int64 = 600

  /// - Parameter transactionalID: This member's own id, which its producer already uses.
  package init(
    _ properties: KafkaProperties, control: ControlClient, reading: KafkaReading, names: TopicNames, group: String,
    transactionalID: String
  ) {
    self.properties = properties
    self.control = control
    self.reading = reading
    self.names = names
    self.group = group
    self.transactionalID = transactionalID
  }

  /// Ends the transactions of the last owners of these partitions. Blocks.
  /// - Returns: The ids of the transactions that were ended, each with a partition of its owner.
  package func end(_ partitions: [Int32]) throws(EdgeError) -> [(id: String, partition: Int32)] {
    let last = try control.committed(ofGroup: group, names.input, partitions, withinMs: Self.withinMs)
    let others = last.filter { $0.owner.map { $0.transactionalID != transactionalID } ?? false }
    var ended: [(id: String, partition: Int32)] = []
    for (owner, offsets) in Dictionary(grouping: others, by: { $0.owner! }) {
      let left = offsets.map(\.partition)
      if let id = try end(left, of: owner) { ended.append((id, left[0])) }
    }
    return ended
  }

  /// - Returns: The id of the transaction that was ended, or nil if there was none.
  private func end(_ partitions: [Int32], of owner: CommittedOffset.Owner) throws(EdgeError) -> String? {
    try isBusy.withLock { (_) throws(EdgeError) -> String? in
      let open = try openPlaces(partitions)
      if open.isEmpty { return nil }
      MonotonicClock.sleep(ms: Self.settleMs)
      if try open.isDisjoint(with: openPlaces(partitions)) { return nil }
      // A member that has returned under its name has ended its old transaction.
      let members = try control.members(ofGroup: group, withinMs: Self.withinMs)
      let isThere = members.contains { member in
        member.id == owner.member
          || member.instance.map { Self.belongs(owner.transactionalID, to: $0, of: group, names.input) } ?? false
      }
      if isThere { return nil }
      let producer = try TransactionalProducer(properties, transactionalID: owner.transactionalID)
      try producer.initTransactions(withinMs: Self.withinMs)
      // Replicas learn of the end a moment later. What stays open belongs to another producer.
      let deadline = Deadline(afterMs: Self.settleMs)
      repeat {
        if try !open.isSubset(of: openPlaces(partitions)) { return owner.transactionalID }
        MonotonicClock.sleep(ms: 50)
      } while !deadline.isOver
      return nil
    }
  }

  /// Whether a transactional id is probably that of an instance.
  static func belongs(_ id: String, to instance: String, of group: String, _ input: String) -> Bool {
    let start = "\(group).\(input)."
    // An id that was chosen may end with the instance.
    if !id.hasPrefix(start) { return id.hasSuffix(".\(instance)") }
    // Each of several inputs has a member whose instance begins with the input.
    let own = id.dropFirst(start.count)
    return own == instance || instance == "\(input).\(own)"
  }

  private struct Place: Hashable {
    /// The topic, or nil for the group's offsets.
    let topic: Topic?
    let partition: Int32
    let offset: Int64
  }

  /// The places of open transactions of the partitions.
  private func openPlaces(_ partitions: [Int32]) throws(EdgeError) -> Set<Place> {
    var places: Set<Place> = []
    if try control.findPendingOffsets(ofGroup: group, names.input, partitions)?.isEmpty != true {
      places.insert(Place(topic: nil, partition: 0, offset: 0))
    }
    for topic in [Topic.journal, .state, .output] {
      // The output may have fewer partitions.
      guard let count = try control.partitionCount(names[topic], withinMs: Self.withinMs) else { continue }
      for open in try reading.openTransactions(topic, partitions.filter { $0 < count }) {
        places.insert(Place(topic: topic, partition: open.partition, offset: open.offset))
      }
    }
    return places
  }
}
