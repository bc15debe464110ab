internal import Dispatch
internal import Glibc

/// Ends the process when it was told to stop and does not come to its end, as when brokers are away: calls of librdkafka
/// may then last longer than anybody waits. Nothing is lost by it: what is not committed is done again.
///
/// Lives until the process ends.
final class StopWatchdog: @unchecked Sendable {
  // The proof: after `init`, only the timer's queue uses it.
  private let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "stop"))
  private let stop: StopFlag
  private let log: ServiceLog
  private var ticksSince = 0

  private static let tickMs = 200
  /// From the signal on, so that all is over within 10 s.
  static let patienceMs = 8000
  /// So long it waits for its line to be written: nobody may read standard error, and a full pipe holds whoever writes.
  static let lineMs = 500

  init(_ stop: StopFlag, log: ServiceLog) {
    self.stop = stop
    self.log = log
    timer.setEventHandler { [self] in look() }
    timer.schedule(deadline: .now(), repeating: .milliseconds(Self.tickMs))
    timer.resume()
  }

  private func look() {
    guard stop.isSet else { return }
    ticksSince += 1
    if ticksSince * Self.tickMs < Self.patienceMs { return }
    let isSaid = DispatchSemaphore(value: 0)
    _ = WorkThread { [log] in
      log.warning(
        "stopped without a last commit, as the brokers did not answer in time: what was not committed is done again at the next start"
      )
      log.flush()
      isSaid.signal()
    }
    _ = isSaid.wait(timeout: .now() + .milliseconds(Self.lineMs))
    _exit(0)
  }
}
