import ComboSystem

@testable import ComboTestSupport

/// The time of a simulated world. Monotonic time only moves forward, sometimes by a millisecond when it is read. The wall clock
/// may be at any time.
final class SimClock: @unchecked Sendable {
  // Sendable: a world belongs to one thread.
  private(set) var monotonic: Int64 = 5_000
  var wall: Int64 = 1_700_000_000_000
  var random: SplitMix64
  /// The average number of reads after which the time advances by a millisecond; 0 if reads never advance it.
  var moves = 6

  init(_ random: SplitMix64) { self.random = random }

  func advance(_ ms: Int64) {
    monotonic += ms
    wall += ms
  }

  func wasRead() {
    if moves > 0, random.below(moves) == 0 { advance(1) }
  }
}

/// One machine's clocks.
final class SimTime: TimeSource, @unchecked Sendable {
  // Sendable: a world belongs to one thread.
  private let clock: SimClock
  /// The error of this machine's wall clock, in milliseconds.
  var skew: Int64

  init(_ clock: SimClock, skew: Int64) {
    self.clock = clock
    self.skew = skew
  }

  func wallMs() -> Int64 {
    clock.wasRead()
    return clock.wall + skew
  }

  func monotonicMs() -> Int64 {
    clock.wasRead()
    return clock.monotonic
  }

  var onSleep: (() -> Void)?

  func sleep(ms: Int64) {
    clock.advance(ms)
    onSleep?()
  }
}
