internal import ComboEdge
internal import ComboRooms
internal import ComboSystem

/// The parts that the deliveries and probes of a service, and its reader, share. Used by the loop's thread only.
struct ServiceParts {
  let configuration: ServiceConfiguration
  let edges: Edges
  let log: ServiceLog
  let stop: StopFlag
  let partitions: MemberPartitions
  let batches: Batches
  let watched: WatchedRooms
  let finder: RoomFinder
  let maker: EntryMaker
  let metrics: LoopMetrics
  let outputMemory = OutputMemory()

  /// The time for giving up partitions.
  static let handOverMs: Int64 = 1000
  /// The time for giving up partitions when the service ends. The process has 8 s in all: see ``StopWatchdog``.
  static let stopMs: Int64 = 5000

  /// Returns the deadline for giving up partitions from now on, by the monotonic clock.
  func deadline(isStop: Bool) -> Int64 { edges.time.monotonicMs() + (isStop ? Self.stopMs : Self.handOverMs) }

  /// Sends the committed instructions of watched rooms to their watchers.
  func tellWatchers(_ quiet: borrowing Quiescence) {
    unsafe watched.tellCaptured { id in
      for case let active? in partitions.active { unsafe active.partition.table.find(id)?.watch(false, quiet) }
    }
  }

  /// Logs which of these partitions were not written up to their last entry.
  /// - Parameter isLost: Whether work in progress failed, so that none was.
  func warnOfUnwritten(_ given: [ActivePartition], isLost: Bool = false) {
    for active in given where isLost || !active.isWritten || !partitions.owed(by: active).isNothing {
      log.warning(
        """
        partition \(.partition, active.number) was stopped before all its rooms were written: the next start runs its last entries again
        """)
    }
  }
}
