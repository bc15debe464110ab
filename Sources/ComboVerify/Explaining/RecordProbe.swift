internal import ComboCore
internal import ComboEdge
internal import ComboWire

/// Reads records that no engine is told of. One a thread.
final class RecordProbe {
  private let decoder: RecordDecoder
  private let arena = BumpArena()
  private var event = Event()

  init(_ derivation: Derivation) throws(FormatFault) {
    decoder = try derivation.decoder()
  }

  /// For records of which nobody knows how they would be read.
  init() {
    var limits = WireLimits()
    limits.roomFromBody = true
    decoder = RecordDecoder(limits: limits)
  }

  /// Hands out the events of a record; none if it is a bad event, or the map drops it.
  func forEachEvent(of record: InputRecord, _ body: (Event) -> Void) {
    guard let value = record.value else { return }
    arena.reset()
    do throws(BadEvent) {
      if try !decoder.decode(value, key: record.key, header: { record.withLastHeader($0, $1) }, into: arena, &event) {
        return
      }
    } catch {
      return
    }
    body(event)
    for further in decoder.further { body(further) }
  }
}
