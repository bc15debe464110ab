internal import ComboEdge
internal import ComboSystem

/// Counts the input's partitions, by which the place of a sleeping room is known.
final class PartitionCountProbe: QueryProbe<Int?> {
  override var everyMs: Int64 { 0 }
  override var askEveryMs: Int64 { 60_000 }
  override var isIdle: Bool { parts.watched.observatory == nil || !parts.partitions.hasJoined }

  override func question(at now: Int64) -> (@Sendable () -> Int?)? {
    // If the brokers are unreachable, the next assignment repeats it. Until then a sleeping room counts as this member's.
    { [reader = parts.edges.reader] in (try? reader.partitions(.input))?.count }
  }

  override func take(_ count: Int?, at now: Int64) -> Finding? {
    guard let count else { return nil }
    let before = parts.watched.partitionCount
    // A topic that is gone for a moment has none.
    parts.watched.partitionCount = count == 0 ? nil : count
    if let before, before != count {
      parts.log.info("the input now has \(.count, count) partitions instead of \(.before, before)")
    }
    return nil
  }
}

/// Tells observers which rooms are in partitions that another member has now.
final class LostRoomProbe: Probe {
  override var isIdle: Bool { parts.watched.observatory == nil }

  override func check(at now: Int64) -> Finding? {
    let (watched, partitions) = (parts.watched, parts.partitions)
    let lost = watched.lostRooms(at: now) { id, last in
      guard let partition = last ?? parts.finder.home(of: id) else { return true }
      return !partitions.state(of: partition).isUnassigned
    }
    watched.tell(lost.map { watched.answer(.elsewhere(id: 0, room: $0)) })
    return nil
  }
}
