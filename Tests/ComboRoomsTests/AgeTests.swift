import ComboCore
import ComboRooms
import ComboWire
import Testing

@Suite("The maximum age")
struct AgeTests {
  private func isTooOld(_ maxAgeMs: Int, ts: Int64, record: Int64?, now: Int64, _ kind: Event.Kind = .gift) -> Bool {
    var limits = WireLimits()
    limits.maxAgeMs = maxAgeMs
    var event = Event()
    event.kind = kind
    event.ts = ts
    return withUnsafePointer(to: event) { limits.isTooOld($0, at: now) { record } }
  }

  @Test("is passed by a gift one millisecond above it, by the event's own time before the record's")
  func limits() {
    #expect(!isTooOld(100, ts: 900, record: 0, now: 1000) && isTooOld(100, ts: 899, record: 1000, now: 1000))
    #expect(!isTooOld(100, ts: -1, record: 900, now: 1000) && isTooOld(100, ts: -1, record: 899, now: 1000))
    #expect(isTooOld(100, ts: -1, record: .min, now: 1000))
    // Gifts from the future or without a time are never too old.
    #expect(!isTooOld(100, ts: 2000, record: nil, now: 1000) && !isTooOld(100, ts: -1, record: nil, now: 1000))
    // The limit is off, or the event is no gift.
    #expect(!isTooOld(0, ts: 0, record: 0, now: 1000) && !isTooOld(100, ts: 0, record: 0, now: 1000, .roomClosed))
  }
}
