import CWaits
import ComboSystem
import Glibc
import Testing

@Suite("Waits by the monotonic clock")
struct WaitsTests {
  /// librdkafka looks its functions up by name, first in this program.
  @Test("take the place of libc's for shared libraries")
  func found() { #expect(waits_are_in_place() == 1) }

  @Test("end at the time they are given, and not before", arguments: [30, 0, -5000], [0, 1] as [Int32])
  func timedOut(ms: Int64, byGettimeofday: Int32) {
    let began = MonotonicClock.nowMs
    #expect(waits_try(ms, byGettimeofday) == 1)
    let elapsed = MonotonicClock.nowMs - began
    #expect(elapsed >= ms - 1)
  }

  @Test(
    "of both kinds of times last as long as they should after the wall clock was set", arguments: [-3600, 0, 3600] as [Int64])
  func clockWasSet(seconds: Int64) {
    let second: Int64 = 1_000_000_000
    // 100 s after a start at 1,700,000,000 s; the wall clock was set meanwhile.
    let steady = 1_700_000_000 * second
    let now = 100 * second + 123_456_789
    let wall = (steady + now + seconds * second) / 1000 * 1000
    #expect(waits_end(wall + 5 * second, steady, wall, now) == now + 5 * second, "a time of gettimeofday")
    #expect(waits_end(steady + now + 5 * second, steady, wall, now) == now + 5 * second, "a time of timespec_get")
    #expect(waits_end(steady + now + 5 * second, steady, 0, 0) == now + 5 * second, "gettimeofday was never asked")
  }

  @Test("continue from the time of the wall clock")
  func steady() {
    var now = timespec()
    #expect(timespec_get(&now, TIME_UTC) == TIME_UTC)
    #expect(abs(now.tv_sec * 1000 - Int(WallClock.nowMs)) < 60_000)
  }
}
