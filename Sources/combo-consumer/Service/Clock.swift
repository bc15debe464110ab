/// Where the time comes from. Monotonic time measures, wall time stamps.
protocol TimeSource: AnyObject, Sendable {
  /// In milliseconds since the Unix epoch; may jump.
  func wallMs() -> Int64
  /// In milliseconds since some moment; never falls.
  func monotonicMs() -> Int64
}

/// The machine's clocks.
final class SystemTime: TimeSource {
  func wallMs() -> Int64 { WallClock.nowMs }
  func monotonicMs() -> Int64 { MonotonicClock.nowMs }
}

/// A partition's own time. It never falls: while the wall clock is behind, it goes on by the monotonic one.
struct PartitionClock {
  /// The time last told.
  private(set) var last: Int64
  private var monotonic: Int64

  /// A clock that shows `start` now.
  init(_ start: Int64, _ time: any TimeSource) {
    last = start
    monotonic = time.monotonicMs()
  }

  /// What time it is.
  func time(wall: Int64, monotonic now: Int64) -> Int64 { wall >= last ? wall : last + max(0, now - monotonic) }

  /// What time it is; never less than was told before.
  mutating func now(wall: Int64, monotonic now: Int64) -> Int64 {
    last = time(wall: wall, monotonic: now)
    monotonic = max(monotonic, now)
    return last
  }

  /// By how much it is ahead of the wall clock.
  func lead(over wall: Int64) -> Int64 { last - wall }
}
