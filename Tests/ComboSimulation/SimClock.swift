import ComboSystem

@testable import ComboTestSupport

/// The time of a simulated world. Monotonic time moves only forward, now and then by a millisecond while it is looked at; the
/// wall clock stands anywhere.
final class SimClock: @unchecked Sendable {
  // The proof: a world belongs to one thread.
  private(set) var monotonic: Int64 = 5_000
  var wall: Int64 = 1_700_000_000_000
  var random: SplitMix64
  /// One look in so many moves the time on; 0: none does.
  var moves = 6

  init(_ random: SplitMix64) { self.random = random }

  func advance(_ ms: Int64) {
    monotonic += ms
    wall += ms
  }

  func looked() {
    if moves > 0, random.below(moves) == 0 { advance(1) }
  }
}

/// One machine's clocks.
final class SimTime: TimeSource, @unchecked Sendable {
  // The proof: a world belongs to one thread.
  private let clock: SimClock
  /// How far this machine's wall clock is off.
  var skew: Int64

  init(_ clock: SimClock, skew: Int64) {
    self.clock = clock
    self.skew = skew
  }

  func wallMs() -> Int64 {
    clock.looked()
    return clock.wall + skew
  }

  func monotonicMs() -> Int64 {
    clock.looked()
    return clock.monotonic
  }

  var onSleep: (() -> Void)?

  func sleep(ms: Int64) {
    clock.advance(ms)
    onSleep?()
  }
}
