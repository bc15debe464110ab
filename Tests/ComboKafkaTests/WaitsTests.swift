import CWaits
import ComboSystem
import Testing

@Suite("Waits by the monotonic clock")
struct WaitsTests {
  /// librdkafka finds its functions by name, this program's first.
  @Test("take the place of libc's for shared libraries")
  func found() { #expect(waits_are_in_place() == 1) }

  @Test("end at the time they are given, and not before", arguments: [30, 0, -5000])
  func timedOut(ms: Int64) {
    let began = MonotonicClock.nowMs
    #expect(waits_try(ms) == 1)
    #expect(MonotonicClock.nowMs - began >= ms - 1)
  }

  @Test("go on from what the wall clock showed")
  func steady() { #expect(abs(waits_steady_utc_ms() - WallClock.nowMs) < 60_000) }
}
