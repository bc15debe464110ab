internal import Glibc

/// The time for durations. It never jumps.
package enum MonotonicClock {
  /// Milliseconds since an arbitrary moment of the past.
  package static var nowMs: Int64 { time(of: CLOCK_MONOTONIC) }

  /// Blocks this thread.
  package static func sleep(ms: Int64) {
    guard ms > 0 else { return }
    var time = timespec(tv_sec: Int(ms / 1000), tv_nsec: Int(ms % 1000) * 1_000_000)
    var left = timespec()
    while unsafe nanosleep(&time, &left) != 0 && errno == EINTR { time = left }
  }
}

/// The time for timestamps. It may jump, also backwards.
package enum WallClock {
  /// Milliseconds since the Unix epoch.
  package static var nowMs: Int64 { time(of: CLOCK_REALTIME) }
}

private func time(of clock: clockid_t) -> Int64 {
  var time = timespec()
  unsafe clock_gettime(clock, &time)
  return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
}

/// The end of a limited time.
package struct Deadline {
  private let atMs: Int64

  package init(afterMs: Int64) { atMs = MonotonicClock.nowMs + afterMs }

  /// The remaining time, at least 0.
  package var leftMs: Int64 { max(0, atMs - MonotonicClock.nowMs) }
  package var isOver: Bool { leftMs == 0 }

  /// Returns the remaining time, but at most `ms`, in the type of librdkafka's time-outs.
  package func left(atMostMs ms: Int64) -> Int32 { Int32(min(leftMs, ms)) }
}
