internal import ComboMaps
internal import ComboWire

/// Decodes records as the service of `live` does: by its map, and with the room in the record. One thread at a time uses it.
final class LiveRecordDecoder {
  private let decoder: RecordDecoder
  private let arena = BumpArena()
  private var event = Event()

  init(_ map: RecordMap?) {
    var limits = WireLimits()
    limits.roomFromBody = true
    decoder = RecordDecoder(limits: limits, map: map)
  }

  /// The room of a record's event, valid until the next one is decoded; nil if the map drops the record.
  func room(of value: UnsafeRawBufferPointer, key: UnsafeRawBufferPointer?) throws(BadEvent) -> UnsafeRawBufferPointer? {
    arena.reset()
    return try decoder.decode(value, key: key, into: arena, &event) ? event.room : nil
  }
}
