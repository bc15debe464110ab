internal import ComboEdge

/// Where the gifts stand whose ids a room remembers. As large as twice what it remembers at most.
struct IDOffsets {
  private struct Place {
    var offset: Int64
    /// When it was taken in, all shifts taken off.
    var at: Int64
  }

  private var newer: [RoomKey: Place] = [:]
  private var older: [RoomKey: Place] = [:]

  /// A gift with this id comes.
  /// - Parameters:
  ///   - dedupeMs: how long ids are remembered.
  ///   - idsMax: how many.
  /// - Returns: where the first one stands, if its id is still remembered.
  mutating func came(_ id: Bytes, offset: Int64, at: Int64, dedupeMs: Int, idsMax: Int) -> Int64? {
    let key = RoomKey(id)
    if let known = newer[key] ?? older[key], at - known.at <= Int64(dedupeMs) { return known.offset }
    if newer.count >= idsMax { (older, newer) = (newer, [:]) }
    newer[key] = Place(offset: offset, at: at)
    return nil
  }

  mutating func forget() { (newer, older) = ([:], [:]) }
}
