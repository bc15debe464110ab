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

  /// - Parameter derivation: How records become events, or nil if unknown.
  init(_ derivation: Derivation?) throws(FormatFault) {
    var limits = WireLimits()
    limits.roomFromBody = true
    decoder = try derivation?.decoder() ?? RecordDecoder(limits: limits)
    isKnown = derivation != nil
  }

  /// The reason why the last record was dropped.
  var dropReason: String { decoder.dropReason }

  /// Calls `body` with the events of a record: none if it is a bad event, or the map drops it.
  @discardableResult
  func forEachEvent(of record: InputRecord, _ body: (Event) -> Void) -> RecordFate {
    guard let value = unsafe record.value else { return .events }
    arena.reset()
    return unsafe withUnsafeMutablePointer(to: &event) { slot in
      unsafe decoder.forEachEvent(
        of: value, isLasting: false, key: record.key, header: { unsafe record.withLastHeader($0, $1) }, into: arena,
        slot: { unsafe slot }, body: { event, _ in unsafe body(event.pointee) })
    }
  }
}
