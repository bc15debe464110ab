internal import ComboEdge

/// Where the gifts stand whose ids a room remembers. As large as what it remembers.
struct IDOffsets {
  private struct Place {
    var offset: Int64
    /// Up to this time it is remembered, all shifts taken off.
    var expiry: Int64
  }

  private var places: [RoomKey: Place] = [:]
  /// The ids in the order in which they came; one that came again after it had expired stands here twice.
  private var order: [(key: RoomKey, offset: Int64)] = []
  private var head = 0

  /// A gift with this id comes.
  /// - Parameters:
  ///   - at: when it is taken in, all shifts taken off.
  ///   - dedupeMs: how long ids are remembered.
  ///   - idsMax: how many.
  /// - Returns: where the first one stands, if its id is still remembered.
  mutating func came(_ id: Bytes, offset: Int64, at: Int64, dedupeMs: Int, idsMax: Int) -> Int64? {
    if dedupeMs == 0 || idsMax == 0 { return nil }
    let key = RoomKey(id)
    if let known = places[key], at <= known.expiry { return known.offset }
    places[key] = Place(offset: offset, expiry: at + Int64(dedupeMs))
    order.append((key, offset))
    while places.count > idsMax || head < order.count && (places[order[head].key]?.expiry ?? .min) < at { forgetOldest() }
    return nil
  }

  mutating func forget() { self = IDOffsets() }

  private mutating func forgetOldest() {
    let oldest = order[head]
    head += 1
    if places[oldest.key]?.offset == oldest.offset { places[oldest.key] = nil }
    if head > 1000, head * 2 > order.count {
      order.removeFirst(head)
      head = 0
    }
  }
}
