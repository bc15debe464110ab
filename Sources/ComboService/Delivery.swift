internal import ComboCore
internal import ComboEdge
internal import ComboRooms
internal import ComboSystem
internal import ComboWire
internal import Dispatch

/// Publishes the rooms' instructions, and decides when journal entries are made. Called by the loop's thread only.
protocol Delivery: AnyObject {
  /// The target of the rooms' instructions in this delivery.
  var speakers: Speakers { get }
  /// Whether records may be consumed now; if not, ``turn()`` waits for acknowledgements.
  /// - Parameter polled: The number of records of the last poll.
  func takesIn(polled: Int) -> Bool
  /// Whether losing a partition voids work in progress.
  var isVoidedByLoss: Bool { get }

  /// Replaces the producers, and ends open transactions of the old ones.
  func renew() throws(EdgeError)
  /// Called before output of the consumed records is produced.
  func willProduce()
  /// Publishes a record that is not an event.
  func produce(_ letter: DeadLetter, of active: ActivePartition)
  /// Returns how long the loop may wait for records, in milliseconds.
  func waitMs() -> Int32
  /// Performs the work that is due.
  func turn()

  /// Begins to take over partitions that were restored: their takeovers must be written.
  func begin(_ restored: [ActivePartition])
  /// Starts consuming a partition whose takeover counts, from its owner's position. `takeover` is the offset of that entry in the
  /// journal; no other entry counts before `position`.
  func claimed(_ active: ActivePartition, takeover: Int64, position: Int64)
  /// Receives the result of searching a gap of the journal.
  func checked(_ active: ActivePartition, _ check: JournalCheck)

  /// Answers queries about rooms, each once all instructions of the room are published.
  func answerQueries()
  /// The monotonic time since which work has been waiting to become durable; nil if none has.
  var uncommittedSince: Int64? { get }

  /// Gives up partitions in an orderly way, and finishes work in progress as far as time permits.
  /// - Parameter isStop: Whether the service ends. If so, all rooms are written if that is possible within
  ///   ``DeliveryParts/stopMs``, so that a newer version of the engine's rules can continue.
  func handOver(_ partitions: [Int32], isStop: Bool)
  /// Discards work in progress.
  /// - Returns: Whether a transaction is open.
  func drop() -> Bool
  /// Aborts the open transaction, if any, because the service cannot continue.
  func abandon()
}

struct DeliveryParts {
  let configuration: ServiceConfiguration
  let edges: Edges
  let log: ServiceLog
  let partitions: MemberPartitions
  let batches: Batches
  let watched: WatchedRooms
  let finder: RoomFinder
  let maker: EntryMaker

  /// The time for giving up partitions.
  static let handOverMs: Int64 = 1000
  /// The time for giving up partitions when the service ends. The process has 8 s in all: see ``StopWatchdog``.
  static let stopMs: Int64 = 5000

  /// Returns the deadline for giving up partitions from now on, by the monotonic clock.
  func deadline(isStop: Bool) -> Int64 { edges.time.monotonicMs() + (isStop ? Self.stopMs : Self.handOverMs) }

  /// Sends the committed instructions of watched rooms to their watchers. No room may be running.
  func tellWatchers() {
    watched.tellCaptured { id in
      for case let active? in partitions.active { active.partition.table.find(id)?.isWatched = false }
    }
  }

  /// Logs which of these partitions were not written up to their last entry.
  /// - Parameter isLost: Whether work in progress failed.
  func warnOfUnwritten(_ given: [ActivePartition], isLost: Bool = false) {
    for active in given where isLost || !active.isWritten || !partitions.owed(by: active).isNothing {
      log.warning(
        """
        partition \(.partition, active.number) was stopped before all its rooms were written: the next start runs its last entries again
        """)
    }
  }
}

/// The requests of a delivery to its loop. Called by the loop's thread only.
protocol DeliveryHost: AnyObject {
  /// Handles a failure: discards work in progress, and restores all partitions from the brokers.
  /// - Parameter topics: The topics to which a transaction that failed wrote.
  func goBack(_ fault: TransactionFault, writingTo topics: Set<Topic>)
  /// Records that a transaction was committed; the commit began at `began`.
  func committed(_ totals: Service.Totals, _ arrivals: Arrivals, since began: Int64)
  /// Records that more work is durable.
  func said(_ totals: Service.Totals, _ arrivals: Arrivals, since began: Int64)
}

extension DeliveryHost {
  func goBack(_ fault: TransactionFault) { goBack(fault, writingTo: []) }
}
