internal import ComboCore
internal import ComboWire

extension Partition {
  /// Checks what must hold of the partition and all of its rooms, once it is restored. Reads all rooms: for tests and the
  /// simulation.
  /// - Returns: What does not hold; nil if all of it does.
  package func brokenInvariant(_ quiet: borrowing Quiescence) -> String? {
    var (rooms, own, sum, earliest) = (0, 0, UInt64(0), Int64.max)
    var fault: String?
    table.forEachRoom { room in
      if room.isGhost { return }
      rooms += 1
      if room.hasOwn { own += 1 }
      sum &+= room.foldedHash
      earliest = min(earliest, room.scheduled)
      if !hasNews, room.foldedHash != room.hash.value { fault = "the digest lacks what a room emitted" }
      if !hasNews, room.said != 0 { fault = "an entry lacks an instruction of a room" }
      if room.partition != number { fault = "a room is of another partition" }
      if let broken = room.engine.brokenInvariant() { fault = broken }
    }
    if rooms != awake { return "\(rooms) rooms are awake, not \(awake)" }
    if own != ownSettingsCount { return "\(own) rooms have settings of their own, not \(ownSettingsCount)" }
    if sum != digest { return "the digest is not the sum of the rooms' hashes" }
    if earliest < nextWakeup ?? .max { return "a room is due at \(earliest), before the first wakeup" }
    return fault
  }
}
