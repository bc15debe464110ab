/// A source of time. Monotonic time measures, wall time stamps.
package protocol TimeSource: AnyObject, Sendable {
  /// Returns the time in milliseconds since the Unix epoch; it may jump.
  func wallMs() -> Int64
  /// Returns the time in milliseconds since some moment; it never falls.
  func monotonicMs() -> Int64
  /// Blocks this thread.
  func sleep(ms: Int64)
}

/// The machine's clocks.
package final class SystemTime: TimeSource {
  package func wallMs() -> Int64 { WallClock.nowMs }
  package func monotonicMs() -> Int64 { MonotonicClock.nowMs }
  package func sleep(ms: Int64) { MonotonicClock.sleep(ms: ms) }

  package init() {}
}
