public import ComboCore
public import ComboWire

/// The result for a record.
@usableFromInline
package enum RecordFate {
  /// Each of its events was handed out.
  case events
  /// The map drops it.
  case dropped
  case bad(BadEvent)
}

extension RecordDecoder {
  /// Makes events of a record's value, and hands out each, in order. Everything that takes records in calls this.
  ///
  /// - Parameters:
  ///   - record, isLasting, key, header, arena: see ``decode(_:isLasting:key:header:into:_:)``.
  ///   - slot: says where the next event is to be decoded to. Asked before each event, once those before it were taken; a record that is
  ///     dropped or bad leaves its first slot unused.
  ///   - take: takes an event, which lies in the slot that was asked for last, with the settings that it brings.
  @inlinable @inline(__always)
  package func forEachEvent<Fault: Error>(
    of record: Bytes, isLasting: Bool, key: Bytes?, header: HeaderLookup, into arena: BumpArena,
    slot: () -> UnsafeMutablePointer<Event>, take: (UnsafeMutablePointer<Event>, OwnSettings?) throws(Fault) -> Void
  ) throws(Fault) -> RecordFate {
    let first = slot()
    let isEvent: Bool
    do throws(BadEvent) {
      isEvent = try decode(record, isLasting: isLasting, key: key, header: header, into: arena, &first.pointee)
    } catch {
      return .bad(error)
    }
    if !isEvent { return .dropped }
    try take(first, first.pointee.kind == .roomSettings ? own : nil)
    if further.isEmpty { return .events }
    for event in further {
      let next = slot()
      next.pointee = event
      try take(next, event.kind == .roomSettings ? own : nil)
    }
    return .events
  }
}
