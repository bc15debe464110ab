/// Says when the reason of a wait is to be logged: at once if it is another one, then once a minute.
struct WaitNote {
  static let everyMs: Int64 = 60_000
  private var last: (reason: String, at: Int64)?

  /// - Parameter now: by the monotonic clock.
  mutating func isDue(_ reason: String, at now: Int64) -> Bool {
    if let last, last.reason == reason, now - last.at < Self.everyMs { return false }
    last = (reason, now)
    return true
  }
}
