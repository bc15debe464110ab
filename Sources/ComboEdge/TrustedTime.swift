package import ComboSystem
internal import Synchronization

/// The machine's clocks. A large jump ahead of the wall clock is ignored until the caller confirms it.
///
/// A partition's time never decreases. If it followed a clock that is wrong for some seconds, and an entry recorded that time,
/// the output might refuse all later records. So a jump ahead waits until the output has accepted a record of the new time.
/// Meanwhile the old time continues evenly. Any thread.
package final class TrustedTime: TimeSource {
  private struct State {
    /// The difference between the wall clock and the monotonic one when it was last trusted, or nil if it never was.
    var offset: Int64?
    var isDoubted = false
  }

  private let machine: any TimeSource
  private let state = Mutex(State())

  /// The largest jump that is accepted at once.
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
  package var machineMs: Int64 { machine.wallMs() }

  /// Whether the wall clock has jumped ahead, and the jump is ignored.
  package var isDoubted: Bool { state.withLock { $0.isDoubted } }

  /// Trusts the wall clock as it is now.
  package func trust() {
    let offset = machine.wallMs() - machine.monotonicMs()
    state.withLock { $0 = State(offset: offset) }
  }
}

/// A trial whether the output accepts records with the time of this machine's clock.
package struct ClockTrial: Sendable {
  /// The clock that is tried.
  package let time: TrustedTime
  /// How far a record's time may be ahead of the brokers' clocks, in milliseconds.
  package let aheadMaxMs: Int64
  /// Whether the output accepts a record of this time. Blocks.
  package let accepts: @Sendable (_ timeMs: Int64) throws(EdgeError) -> Bool

  package init(time: TrustedTime, aheadMaxMs: Int64, accepts: @escaping @Sendable (_ timeMs: Int64) throws(EdgeError) -> Bool) {
    self.time = time
    self.aheadMaxMs = aheadMaxMs
    self.accepts = accepts
  }

  package enum Outcome: Sendable {
    case accepted, refused
    case failed(EdgeError)
  }

  /// Tries the time that the clock shows now.
  package func run() -> Outcome {
    do throws(EdgeError) {
      return try accepts(time.machineMs) ? .accepted : .refused
    } catch {
      return .failed(error)
    }
  }
}
