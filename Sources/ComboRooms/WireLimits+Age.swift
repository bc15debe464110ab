public import ComboWire

extension WireLimits {
  /// Whether an event is a gift that no engine is to see, since it is too old. It is decided by the journal's time and the record alone, so that
  /// whoever derives it again comes to the same.
  /// - Parameters:
  ///   - now: when it is taken in.
  ///   - recordTime: the record's own time, for an event that tells none. A gift without any time has no age.
  @inlinable @inline(__always)
  package func isTooOld(_ event: UnsafePointer<Event>, at now: Int64, recordTime: () -> Int64?) -> Bool {
    if maxAgeMs == 0 || event.pointee.kind != .gift { return false }
    guard let time = event.pointee.ts >= 0 ? event.pointee.ts : recordTime() else { return false }
    return now - time > Int64(maxAgeMs)
  }
}
