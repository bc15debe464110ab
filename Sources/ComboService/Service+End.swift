internal import ComboEdge
internal import ComboRooms
internal import ComboSystem

/// The end of a service whose input ends.
extension Service {
  /// Ends the service once its input has ended, all of it is consumed, and no room has more to emit.
  func endIfDone() {
    guard let inputOver, inputOver.isSet else { return }
    let now = edges.time.monotonicMs()
    if now - lookedForEndAt < Self.lookForEndEveryMs { return }
    lookedForEndAt = now
    guard hasTakenOver, delivery.uncommittedSince == nil else { return }
    for case let active? in partitions.active {
      let partition = active.partition
      if edges.group.end(of: active.number) != partition.offset || partition.hasNews || partition.hasMoreToSay { return }
    }
    log.info("the input has ended, and all instructions are written")
    stopRequested.set()
  }

  private static let lookForEndEveryMs: Int64 = 100
}
