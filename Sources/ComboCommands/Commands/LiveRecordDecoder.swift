internal import ComboMaps
internal import ComboWire

/// Decodes records as the service of `live` does: with its map, and with the room in the record. Used by one thread at a time.
final class LiveRecordDecoder {
  private let decoder: RecordDecoder
  private let arena = BumpArena()
  private var event = Event()

  init(_ map: RecordMap?) {
    var limits = WireLimits()
    limits.roomFromBody = true
    decoder = RecordDecoder(limits: limits, map: map)
  }

  /// Returns the room of a record's event, valid until the next record is decoded, or nil if the map drops the record.
  func room(of value: UnsafeRawBufferPointer, key: UnsafeRawBufferPointer?) throws(BadEvent) -> UnsafeRawBufferPointer? {
    arena.reset()
    return try decoder.decode(value, key: key, into: arena, &event) ? event.room : nil
  }
}
