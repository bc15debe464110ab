internal import ComboCore
internal import ComboEdge
internal import ComboMaps
internal import ComboWire

/// Reads records that reach no engine. Used by one thread.
final class RecordProbe {
  private let decoder: RecordDecoder
  private let arena = BumpArena()
  private var event = Event()
  /// Whether it is known how the service reads records. Only then is a record that is not an event known to be none.
  let isKnown: Bool

  init(_ derivation: Derivation) throws(FormatFault) {
    decoder = try derivation.decoder()
    isKnown = true
  }

  /// Creates a probe for records whose reading is unknown.
  init() {
    var limits = WireLimits()
    limits.roomFromBody = true
    decoder = RecordDecoder(limits: limits)
    isKnown = false
  }

  /// The reason why the last record was dropped.
  var dropReason: String { decoder.dropReason }

  /// Passes the events of a record to `body`: none if it is a bad event, or the map drops it.
  @discardableResult
  func forEachEvent(of record: InputRecord, _ body: (Event) -> Void) -> RecordFate {
    guard let value = record.value else { return .events }
    arena.reset()
    do throws(BadEvent) {
      if try !decoder.decode(value, key: record.key, header: { record.withLastHeader($0, $1) }, into: arena, &event) {
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
