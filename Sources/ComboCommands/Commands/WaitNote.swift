/// Limits how often the reason of a wait is logged: at once if it is new, then once a minute.
struct WaitNote {
  static let everyMs: Int64 = 60_000
  private var last: (reason: String, at: Int64)?

  /// - Parameter now: The monotonic time in milliseconds.
  mutating func isDue(_ reason: String, at now: Int64) -> Bool {
    if let last, last.reason == reason, now - last.at < Self.everyMs { return false }
    last = (reason, now)
    return true
  }
}
