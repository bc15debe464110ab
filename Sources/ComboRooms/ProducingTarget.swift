package import ComboCore
package import ComboEdge
internal import Synchronization

/// What rooms say, and dead letters, on their way into the open transaction.
///
/// The first records of a transaction are held back until there are more of them, or until the commit. librdkafka (2.0.2) registers a partition
/// with the transaction a millisecond after the first record for it, and keeps a processor busy meanwhile. Where records come one by one,
/// nearly each one would be the first of its partition: at some hundred gifts a second that was most of the service's load. Records that
/// are handed over together register all their partitions in one request.
package final class ProducingTarget: SaidTarget {
  private let output: any OutputEdge
  /// A copy of what is watched, for after the commit.
  private let watched: HeldBack
  private let held = HeldBack()
  /// Held while `held` is appended to or passed on.
  private let lock = Mutex<Void>(())
  /// Whether records are passed on at once.
  private let isLetGo = Atomic<Bool>(false)
  private let heldBytes: Int

  /// - Parameter heldBytes: as soon as this much is held, all is produced at once.
  package init(_ output: any OutputEdge, watched: HeldBack, heldBytes: Int) {
    self.output = output
    self.watched = watched
    self.heldBytes = heldBytes
  }

  /// A transaction begins: records held for an earlier one are dropped. No room may work.
  package func begin() {
    held.removeAll()
    isLetGo.store(false, ordering: .relaxed)
  }

  package func said(_ record: Bytes, _ instruction: Instruction, by room: Room) {
    produce(.output, key: room.id, value: record, timestamp: instruction.at)
    if room.isWatched { watched.add(.output, key: room.id, value: record, timestamp: nil) }
  }

  /// Copies a record, whose key chooses its partition. May be called on any thread; records of one thread keep their order.
  package func produce(_ topic: Topic, key: Bytes?, value: Bytes?, timestamp: Int64?, headers: [RecordHeader] = []) {
    if !isLetGo.load(ordering: .acquiring), hold(topic, key, value, timestamp, headers) { return }
    output.produce(topic, partition: nil, key: key, value: value, timestamp: timestamp, headers: headers)
  }

  /// Passes on all that is held.
  package func letGo() {
    if !isLetGo.load(ordering: .acquiring) { lock.withLock { _ in handOut() } }
  }

  /// - Returns: false if another thread has just passed on all that was held.
  @inline(never)
  private func hold(_ topic: Topic, _ key: Bytes?, _ value: Bytes?, _ timestamp: Int64?, _ headers: [RecordHeader]) -> Bool {
    lock.withLock { _ in
      if isLetGo.load(ordering: .relaxed) { return false }
      held.add(topic, key: key, value: value, timestamp: timestamp, headers: headers)
      if held.byteCount >= heldBytes { handOut() }
      return true
    }
  }

  private func handOut() {
    held.handOut { topic, key, value, timestamp, headers in
      output.produce(topic, partition: nil, key: key, value: value, timestamp: timestamp, headers: headers)
    }
    held.removeAll()
    isLetGo.store(true, ordering: .releasing)
  }
}
