public import ComboWire

extension WireLimits {
  /// Whether an event is a gift that is too old for the engine. Only the journal's time and the record decide, so that a replay
  /// comes to the same result.
  /// - Parameters:
  ///   - now: The time at which it is consumed.
  ///   - recordTime: The record's timestamp, for an event that has none. A gift without any time has no age.
  @inlinable @inline(__always)
  package func isTooOld(_ event: UnsafePointer<Event>, at now: Int64, recordTime: () -> Int64?) -> Bool {
    if maxAgeMs == 0 || event.pointee.kind != .gift { return false }
    guard let time = event.pointee.ts >= 0 ? event.pointee.ts : recordTime() else { return false }
    // A producer may set any time: `now - time` could overflow.
    return time < now - Int64(maxAgeMs)
  }
}
