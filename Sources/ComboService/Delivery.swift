internal import ComboCore
internal import ComboEdge
internal import ComboRooms
internal import ComboSystem
internal import ComboWire
internal import Dispatch

/// How rooms' instructions get out, and when entries of the journal are made. The loop's thread alone calls it.
protocol Delivery: AnyObject {
  /// The target of the rooms' instructions in this delivery.
  var speakers: Speakers { get }
  /// Whether records may be taken in now; if not, ``turn()`` waits for acknowledgements.
  /// - Parameter polled: the number of records of the last poll.
  func takesIn(polled: Int) -> Bool
  /// Whether this member has work in progress that becomes void if it loses the partition.
  var isVoidedByLoss: Bool { get }

  /// New producers; open transactions of the old ones are ended.
  func renew() throws(EdgeError)
  /// Output of the records follows.
  func willProduce()
  /// A record that is no event goes out.
  func produce(_ letter: DeadLetter, of active: ActivePartition)
  /// How long the loop may wait for records.
  func waitMs() -> Int32
  /// Does what is due.
  func turn()

  /// Partitions were restored: their takeovers must be written.
  func begin(_ restored: [ActivePartition])
  /// The takeover counts: the partition takes in from now on, from its owner's position. `takeover` is the place of that entry
  /// in the journal, and before `position` no other entry counts.
  func claimed(_ active: ActivePartition, takeover: Int64, position: Int64)
  /// The entry that was searched for in a gap of the journal was found.
  func checked(_ active: ActivePartition, _ check: JournalCheck)

  /// Answers queries about rooms, each once all its instructions are out.
  func answerQueries()
  /// The time since which, by the monotonic clock, work waits to be durable; nil if none does.
  var uncommittedSince: Int64? { get }

  /// The partitions are given up in an orderly way: work in progress is finished, as far as there is time.
  /// - Parameter isStop: whether the service ends. Then all rooms are written if that can be done within
  ///   ``DeliveryParts/stopMs``, so that a newer version of the engine's rules can continue.
  func handOver(_ partitions: [Int32], isStop: Bool)
  /// The partition is no longer taken in.
  func deactivated(_ active: ActivePartition)
  /// Discards work in progress. Leaves usable producers, created again if necessary.
  func drop(_ fault: TransactionFault)
  /// The process ends without continuing.
  func abandon()
}

/// The context of a delivery.
struct DeliveryParts {
  let configuration: ServiceConfiguration
  let edges: Edges
  let log: ServiceLog
  let partitions: MemberPartitions
  let watched: WatchedRooms
  let maker: EntryMaker

  /// The time for giving up partitions.
  static let handOverMs: Int64 = 1000
  /// The same of a service that ends. The process has 8 s in all: see ``StopWatchdog``.
  static let stopMs: Int64 = 5000

  /// The deadline for giving up partitions from now on, by the monotonic clock.
  func deadline(isStop: Bool) -> Int64 { edges.time.monotonicMs() + (isStop ? Self.stopMs : Self.handOverMs) }

  /// Reports which of these were not written to their last entry.
  /// - Parameter isLost: work in progress failed.
  func warnOfUnwritten(_ given: [ActivePartition], isLost: Bool = false) {
    for active in given where isLost || !active.isWritten {
      log.warning(
        """
        partition \(.partition, active.number) was stopped before all its rooms were written: the next start runs its last entries again
        """)
    }
  }
}

/// The requests of a delivery to its loop. The loop's thread alone calls it.
protocol DeliveryHost: AnyObject {
  /// Waits until no room works.
  func quiesce()
  /// A failure: work in progress is discarded, and all partitions are restored from the brokers.
  func goBack(_ fault: TransactionFault)
  /// Creates the producers again, for as long as it takes.
  func renewProducers()
  /// A transaction was committed; the commit began at `began`.
  func committed(_ totals: Service.Totals, _ arrivals: Arrivals, since began: Int64)
  /// More work is durable.
  func said(_ totals: Service.Totals, _ arrivals: Arrivals, since began: Int64)
  /// The instructions of watched rooms are committed; no room works.
  func tellWatchers()
  /// Answers queries about rooms in partitions that fit, and about rooms in none, for which `nil` is asked. They are not sent yet.
  /// No room of these partitions may work, and all their instructions must have been sent, or be sent before.
  func answers(where fits: (ActivePartition?) -> Bool) -> [WatchedRooms.Answer]
}

extension DeliveryHost {
  /// Ends a transaction that failed, if one is open, and continues with new producers.
  func endTransaction(isOpen: Bool, after fault: TransactionFault, _ output: any OutputEdge, log: ServiceLog) {
    if fault.kind == .abort {
      if !isOpen { return }
      do throws(TransactionFault) {
        // Quicker than if the new producer has to find it open.
        try output.abort()
      } catch {
        log.warning("the transaction could not be aborted: \(.reason, error.reason)")
      }
    }
    renewProducers()
  }
}
