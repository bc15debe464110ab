package import ComboSystem
internal import Glibc

/// Ends the process if it was asked to stop and does not end, for example while brokers are away: calls of librdkafka may then
/// take too long. No gift is lost: uncommitted work is repeated.
package enum StopWatchdog {
  package static let tickMs: Int64 = 200
  /// The time from the signal on, so that everything is over within 10 s.
  package static let patienceMs: Int64 = 8000

  /// Watches on a thread of its own, until the process ends.
  package static func start(_ stop: StopFlag, log: ServiceLog) {
    _ = WorkThread {
      while !stop.isSet { MonotonicClock.sleep(ms: tickMs) }
      MonotonicClock.sleep(ms: patienceMs)
      log.warning(
        "stopped without a last commit, because the brokers did not answer in time: uncommitted work is done again at the next start"
      )
      log.flush()
      _exit(0)
    }
  }
}
