internal import ComboCore

/// The partitions of the output: where each begins, and which of them may hold a room.
@safe package struct OutputPlaces: Sendable {
  /// The first offset of each partition that still exists; above 0 if records were deleted.
  package var first: [Int64]
  /// Returns the partition to which a room belongs, from the room and the number of partitions, or nil if unknown.
  let placement: (@Sendable (Bytes, Int) -> Int)?
  /// The partitions that were not read to their end, each with the offset of the open transaction.
  var unread: [Int32: Int64] = [:]

  /// Returns the partitions in which a room may be: its own, and those that were its own when there were fewer.
  func ofRoom(_ name: [UInt8]) -> [Int] {
    guard let placement = unsafe placement else { return Array(first.indices) }
    var found: [Int] = []
    for count in stride(from: first.count, to: 0, by: -1) {
      let partition = unsafe name.withUnsafeBytes { unsafe placement($0, count) }
      if !found.contains(partition) { found.append(partition) }
    }
    return found
  }

  /// Whether a partition that may hold the room, other than this one, was not read to its end.
  func mayBeUnread(_ name: [UInt8], elsewhereThan partition: Int32?) -> Bool {
    !unread.isEmpty && ofRoom(name).contains { unread[Int32($0)] != nil && Int32($0) != partition }
  }

  /// Whether a room may be in a partition.
  func mayHold(_ partition: Int32, _ name: Bytes) -> Bool {
    guard let placement = unsafe placement else { return true }
    // Usually the first one matches.
    return stride(from: first.count, to: 0, by: -1).contains { unsafe placement(name, $0) == Int(partition) }
  }
}
