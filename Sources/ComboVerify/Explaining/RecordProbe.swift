internal import ComboCore
internal import ComboEdge
internal import ComboMaps
internal import ComboWire

/// Reads records that do not reach an engine. Used by one thread.
final class RecordProbe {
  private let decoder: RecordDecoder
  private let arena = BumpArena()
  private var event = Event()
  /// Whether it is known how the service reads records. Otherwise a record that cannot be read may still be an event.
  let isKnown: Bool

  init(_ derivation: Derivation) throws(FormatFault) {
    decoder = try derivation.decoder()
    isKnown = true
  }

  /// Creates a probe for records whose format is unknown.
  init() {
    var limits = WireLimits()
    limits.roomFromBody = true
    decoder = RecordDecoder(limits: limits)
    isKnown = false
  }

  /// The reason why the last record was dropped.
  var dropReason: String { decoder.dropReason }

  /// Calls `body` with the events of a record: none if it is a bad event, or the map drops it.
  @discardableResult
  func forEachEvent(of record: InputRecord, _ body: (Event) -> Void) -> RecordFate {
    guard let value = unsafe record.value else { return .events }
    arena.reset()
    do throws(BadEvent) {
      if try unsafe !decoder.decode(value, key: record.key, header: { unsafe record.withLastHeader($0, $1) }, into: arena, &event)
      {
        return .dropped
      }
    } catch {
      return .bad(error)
    }
    body(event)
    for further in decoder.further { body(further) }
    return .events
  }
}
