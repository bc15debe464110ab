package import ComboSystem
internal import Synchronization

/// The machine's clocks. The wall clock is not followed far ahead unless the caller allows it.
///
/// A partition's time never falls. If it followed a clock that is wrong for some seconds, and an entry recorded that, the output
/// might refuse everything that comes after. So a jump ahead waits until the output has accepted a record of the new time;
/// meanwhile the old time continues evenly. Any thread.
package final class TrustedTime: TimeSource {
  private struct State {
    /// The wall clock minus the monotonic one, as it was last trusted; nil if it was not yet.
    var offset: Int64?
    var isDoubted = false
  }

  private let machine: any TimeSource
  private let state = Mutex(State())

  /// The largest jump that is followed at once.
  static let jumpMs: Int64 = 60_000

  package init(_ machine: any TimeSource = SystemTime()) { self.machine = machine }

  package func monotonicMs() -> Int64 { machine.monotonicMs() }
  package func sleep(ms: Int64) { machine.sleep(ms: ms) }

  package func wallMs() -> Int64 {
    let (wall, monotonic) = (machine.wallMs(), machine.monotonicMs())
    return state.withLock { state in
      guard let offset = state.offset else { return wall }
      state.isDoubted = wall - monotonic - offset > Self.jumpMs
      if state.isDoubted { return monotonic + offset }
      state.offset = wall - monotonic
      return wall
    }
  }

  /// The time of the wall clock, trusted or not.
  package var shownMs: Int64 { machine.wallMs() }

  /// Whether the wall clock has jumped ahead, and is not followed.
  package var isDoubted: Bool { state.withLock { $0.isDoubted } }

  /// Trusts the wall clock as it is now.
  package func trust() {
    let offset = machine.wallMs() - machine.monotonicMs()
    state.withLock { $0 = State(offset: offset) }
  }
}

/// Tries whether the output accepts records of the time that this machine's clock shows.
package struct ClockTrial: Sendable {
  /// The clock that is tried.
  package let time: TrustedTime
  /// How far a record's time may be ahead of the brokers' clocks, in milliseconds.
  package let aheadMaxMs: Int64
  /// Whether the output accepts a record of this time. Blocks.
  package let takes: @Sendable (_ timeMs: Int64) throws(EdgeError) -> Bool

  package init(time: TrustedTime, aheadMaxMs: Int64, takes: @escaping @Sendable (_ timeMs: Int64) throws(EdgeError) -> Bool) {
    self.time = time
    self.aheadMaxMs = aheadMaxMs
    self.takes = takes
  }

  package enum Outcome: Sendable {
    case taken, refused
    case failed(EdgeError)
  }

  /// Tries the time that the clock shows now.
  package func run() -> Outcome {
    do throws(EdgeError) {
      return try takes(time.shownMs) ? .taken : .refused
    } catch {
      return .failed(error)
    }
  }
}
