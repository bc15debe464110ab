public import ComboCore
public import ComboWire

/// The result for a record.
@usableFromInline
package enum RecordFate {
  /// The record's events, each of which was passed on.
  case events
  /// No event, as the map drops the record.
  case dropped
  case bad(BadEvent)
}

extension RecordDecoder {
  /// Decodes the events of a record, and passes them on in order. All inputs of records call this.
  ///
  /// - Parameters:
  ///   - record, isLasting, key, header, arena: See ``decode(_:isLasting:key:header:into:_:)``.
  ///   - slot: Returns the memory for the next event. It is called before each event, after the events before it were consumed. A
  ///     record that is dropped or bad leaves its first slot unused.
  ///   - body: Consumes the event in the last slot, with its settings, which are nil unless it is a `room_settings`.
  @inlinable @inline(__always)
  package func forEachEvent<Fault: Error>(
    of record: Bytes, isLasting: Bool, key: Bytes?, header: HeaderLookup, into arena: BumpArena,
    slot: () -> UnsafeMutablePointer<Event>, body: (UnsafeMutablePointer<Event>, OwnSettings?) throws(Fault) -> Void
  ) throws(Fault) -> RecordFate {
    let first = slot()
    let isEvent: Bool
    do throws(BadEvent) {
      isEvent = try decode(record, isLasting: isLasting, key: key, header: header, into: arena, &first.pointee)
    } catch {
      return .bad(error)
    }
    if !isEvent { return .dropped }
    try body(first, first.pointee.kind == .roomSettings ? own : nil)
    if further.isEmpty { return .events }
    for event in further {
      let next = slot()
      next.pointee = event
      try body(next, event.kind == .roomSettings ? own : nil)
    }
    return .events
  }
}
