internal import ComboEdge

/// The offsets of the gifts whose ids a room remembers. Its size is proportional to their number.
struct IDOffsets {
  private struct Place {
    var offset: Int64
    /// The time up to which the id is remembered, without shifts.
    var expiry: Int64
  }

  private var places: [RoomKey: Place] = [:]
  /// The ids in the order of their arrival. An id that arrived again after it had expired occurs twice.
  private var order: [(key: RoomKey, offset: Int64)] = []
  private var head = 0

  /// Registers a gift with this id.
  /// - Parameters:
  ///   - at: The time of its processing, without shifts.
  ///   - dedupeMs: The time for which ids are remembered.
  ///   - idsMax: The maximum number of ids that are remembered.
  /// - Returns: The offset of the first gift with this id, if it is still remembered.
  mutating func register(_ id: Bytes, offset: Int64, at: Int64, dedupeMs: Int, idsMax: Int) -> Int64? {
    if dedupeMs == 0 || idsMax == 0 { return nil }
    let key = unsafe RoomKey(id)
    if let known = places[key], at <= known.expiry { return known.offset }
    places[key] = Place(offset: offset, expiry: at + Int64(dedupeMs))
    order.append((key, offset))
    while places.count > idsMax || head < order.count && (places[order[head].key]?.expiry ?? .min) < at { removeOldest() }
    return nil
  }

  mutating func forget() { self = IDOffsets() }

  private mutating func removeOldest() {
    let oldest = order[head]
    head += 1
    if places[oldest.key]?.offset == oldest.offset { places[oldest.key] = nil }
    if head > 1000, head * 2 > order.count {
      order.removeFirst(head)
      head = 0
    }
  }
}
