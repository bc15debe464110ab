internal import ComboEdge

/// The offsets of the gifts whose ids a room remembers. Its size is proportional to their number.
struct IDOffsets {
  private struct Place {
    var offset: Int64
    /// The time up to which the id is remembered, without shifts.
    var expiry: Int64
    /// The number of its last arrival, in `order`.
    var number: Int
  }

  private var places: [RoomKey: Place] = [:]
  /// The arrivals in their order. Those of ids that arrived again are obsolete.
  private var order: [(key: RoomKey, number: Int)] = []
  private var head = 0
  private var arrivals = 0

  /// Registers a gift with this id.
  /// - Parameters:
  ///   - at: The time of its processing, without shifts.
  ///   - dedupeMs: The time for which ids are remembered.
  ///   - idsMax: The maximum number of ids that are remembered.
  ///   - refreshes: Whether a repetition is remembered as if the id had come now.
  /// - Returns: The offset of the first gift with this id, if it is still remembered.
  mutating func register(_ id: Bytes, offset: Int64, at: Int64, dedupeMs: Int, idsMax: Int, refreshes: Bool) -> Int64? {
    if dedupeMs == 0 || idsMax == 0 { return nil }
    let key = unsafe RoomKey(id)
    let known = places[key].flatMap { at <= $0.expiry ? $0.offset : nil }
    if known != nil, !refreshes { return known }
    arrivals += 1
    places[key] = Place(offset: known ?? offset, expiry: at + Int64(dedupeMs), number: arrivals)
    order.append((key, arrivals))
    while places.count > idsMax || head < order.count && !isRemembered(order[head], at) {
      let oldest = order[head]
      head += 1
      if places[oldest.key]?.number == oldest.number { places[oldest.key] = nil }
    }
    if order.count > 2 * places.count + 1000 {
      order = order[head...].filter { places[$0.key]?.number == $0.number }
      head = 0
    }
    return known
  }

  private func isRemembered(_ arrival: (key: RoomKey, number: Int), _ at: Int64) -> Bool {
    places[arrival.key].map { $0.number == arrival.number && $0.expiry >= at } ?? false
  }
}
