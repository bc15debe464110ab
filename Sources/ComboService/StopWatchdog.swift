package import ComboSystem
internal import Dispatch
internal import Glibc

/// Ends the process if it was asked to stop and does not end, for example while brokers are away: calls of librdkafka may then
/// take too long. No gift is lost: uncommitted work is repeated.
///
/// Lives until the process ends.
package final class StopWatchdog: @unchecked Sendable {
  // The proof: after `init`, only the timer's queue uses it.
  private let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "stop"))
  private let stop: StopFlag
  private let log: ServiceLog
  /// When it first saw the request to stop. A time, not a number of ticks: all ticks missed while this process is frozen are
  /// delivered as one.
  private var sinceMs: Int64?

  package static let tickMs: Int64 = 200
  /// The time from the signal on, so that everything is over within 10 s.
  package static let patienceMs: Int64 = 8000

  package init(_ stop: StopFlag, log: ServiceLog) {
    self.stop = stop
    self.log = log
    timer.setEventHandler { [self] in look() }
    timer.schedule(deadline: .now(), repeating: .milliseconds(Int(Self.tickMs)))
    timer.resume()
  }

  private func look() {
    guard stop.isSet else { return }
    let nowMs = MonotonicClock.nowMs
    let began = sinceMs ?? nowMs
    sinceMs = began
    if nowMs - began < Self.patienceMs { return }
    log.warning(
      "stopped without a last commit, because the brokers did not answer in time: uncommitted work is done again at the next start"
    )
    log.flush()
    _exit(0)
  }
}
