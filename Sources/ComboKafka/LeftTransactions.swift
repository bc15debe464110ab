package import ComboEdge
internal import ComboSystem
internal import Synchronization

/// Ends the transaction that a former member, such as one that was killed, has left open. Otherwise brokers wait for its
/// `transaction.timeout.ms`, and so do the new owner of its partitions and every reader of the output.
///
/// Its id is in the group's offset, which it committed. A current member ends its own transaction. Any thread may call it; calls
/// run one at a time, so that taking over several of its partitions ends the transaction once.
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

  /// Ends the transaction. Blocks.
  /// - Returns: The id of the transaction that was ended; nil if there was none.
  package func end(_ partition: Int32) throws(EdgeError) -> String? {
    let last = try control.committed(ofGroup: group, names.input, partition, withinMs: Self.withinMs)
    guard let owner = last.owner, owner.transactionalID != transactionalID else { return nil }
    return try isBusy.withLock { (_) throws(EdgeError) -> String? in
      let open = try openPlaces(partition)
      if open.isEmpty { return nil }
      MonotonicClock.sleep(ms: Self.settleMs)
      if try open.isDisjoint(with: openPlaces(partition)) { return nil }
      // A member that has returned under its name has ended its old transaction.
      let members = try control.members(ofGroup: group, withinMs: Self.withinMs)
      if members.contains(where: {
        $0.id == owner.member || $0.instance.map { owner.transactionalID.hasSuffix(".\($0)") } ?? false
      }) {
        return nil
      }
      let producer = try TransactionalProducer(properties, transactionalID: owner.transactionalID)
      try producer.initTransactions(withinMs: Self.withinMs)
      // Replicas learn of the end a moment later. What stays open belongs to another producer.
      let deadline = Deadline(afterMs: Self.settleMs)
      repeat {
        if try !open.isSubset(of: openPlaces(partition)) { return owner.transactionalID }
        MonotonicClock.sleep(ms: 50)
      } while !deadline.isOver
      return nil
    }
  }

  private struct Place: Hashable {
    /// The topic; nil for the group's offset.
    let topic: Topic?
    let offset: Int64
  }

  /// The places of open transactions of the partition.
  private func openPlaces(_ partition: Int32) throws(EdgeError) -> Set<Place> {
    var places: Set<Place> = []
    if try !control.pendingOffsets(ofGroup: group, names.input, [partition]).isEmpty {
      places.insert(Place(topic: nil, offset: 0))
    }
    for topic in [Topic.journal, .state, .output] {
      // The output may have fewer partitions.
      guard let count = try control.partitionCount(names[topic], withinMs: Self.withinMs), partition < count else { continue }
      for open in try reading.openTransactions(topic, [partition]) { places.insert(Place(topic: topic, offset: open.offset)) }
    }
    return places
  }
}
