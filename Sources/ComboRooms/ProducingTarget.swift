package import ComboCore
package import ComboEdge
internal import Synchronization

/// Passes the rooms' instructions, and dead letters, into the open transaction.
///
/// The first records of a transaction are held back until there are more of them, or until the commit. librdkafka (2.0.2)
/// registers a partition with the transaction a millisecond after the first record for it, and keeps a processor busy meanwhile.
/// If records arrive one by one, nearly each one is the first of its partition: at some hundred gifts per second that was most of
/// the service's load. Records that are passed on together register all their partitions in one request.
package final class ProducingTarget: InstructionTarget, Sendable {
  private let output: any OutputEdge
  /// A copy of the watched rooms' instructions, for after the commit.
  private let watched: HeldBack
  private let held = HeldBack()
  /// Held while `held` is appended to or passed on.
  private let lock = Mutex<Void>(())
  /// Whether records are passed on at once.
  private let isReleased = Atomic<Bool>(false)
  private let heldBytes: Int

  /// - Parameter heldBytes: The amount of held data at which all of it is produced.
  package init(_ output: any OutputEdge, watched: HeldBack, heldBytes: Int) {
    self.output = output
    self.watched = watched
    self.heldBytes = heldBytes
  }

  /// Begins a transaction, and discards records held for an earlier one. Rooms run in a transaction only, so none is running.
  package func begin() {
    held.removeAll()
    isReleased.store(false, ordering: .relaxed)
  }

  package func said(_ record: Bytes, _ instruction: Instruction, by room: Room) {
    produce(.output, key: room.id, value: record, timestamp: instruction.at)
    if room.isWatched { watched.add(.output, key: room.id, value: record, timestamp: nil) }
  }

  /// Copies a record, whose key determines its partition. May be called on any thread; records of one thread keep their order.
  package func produce(_ topic: Topic, key: Bytes?, value: Bytes?, timestamp: Int64?, headers: [RecordHeader] = []) {
    if !isReleased.load(ordering: .acquiring), hold(topic, key, value, timestamp, headers) { return }
    output.produce(topic, partition: nil, key: key, value: value, timestamp: timestamp, headers: headers)
  }

  /// Passes on everything that is held.
  package func release() {
    if !isReleased.load(ordering: .acquiring) { lock.withLock { _ in handOut() } }
  }

  /// - Returns: false if another thread has just passed on everything that was held.
  @inline(never)
  private func hold(_ topic: Topic, _ key: Bytes?, _ value: Bytes?, _ timestamp: Int64?, _ headers: [RecordHeader]) -> Bool {
    lock.withLock { _ in
      if isReleased.load(ordering: .relaxed) { return false }
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
    isReleased.store(true, ordering: .releasing)
  }
}
