internal import ComboCore
internal import ComboEdge
internal import ComboRooms
internal import ComboSystem
internal import ComboWire

/// The service follows the wall clock only as far as the output accepts its time.
extension Service {
  /// The state of the trials.
  struct ClockWatch {
    let outcomes = Mailbox<ClockTrial.Outcome>()
    var isTrying = false
    var nextTrial: Int64 = 0
    var isDoubting = false
  }

  private static let tryAgainMs: Int64 = 5000

  /// Waits until the output accepts the clock's time, so that no partition is begun, or taken over, at a wrong one.
  func awaitSoundClock() {
    guard let trial = edges.clockTrial else { return }
    while isRunning {
      watched.observatory?.beat()
      switch trial.run() {
      case .accepted:
        watched.observatory?.hindrance = nil
        return trial.time.trust()
      case .refused:
        warnClockRefused(trial)
        watched.observatory?.hindrance = "this machine's clock is further ahead of the brokers' than the output accepts"
        pause(ms: Self.tryAgainMs)
      case .failed(let error) where error.isRetriable || error.code == .unknownTopic:
        log.warning("waiting, and trying again: \(.reason, error)")
        pause(ms: 1000)
      case .failed(let error):
        // Without the right to run a trial, the clock is trusted.
        log.info("could not determine whether the output accepts the time of this machine's clock: \(.reason, error)")
        return trial.time.trust()
      }
    }
  }

  /// Tries a clock that has jumped ahead, outside of the loop.
  func watchClock() {
    guard let trial = edges.clockTrial else { return }
    for outcome in clockWatch.outcomes.takeAll() {
      clockWatch.isTrying = false
      clockWatch.nextTrial = edges.time.monotonicMs() + Self.tryAgainMs
      switch outcome {
      case .accepted:
        trial.time.trust()
        log.info("the output accepts the time of this machine's clock, which partitions follow again")
      case .refused: warnClockRefused(trial)
      case .failed(let error):
        log.warning("could not determine whether the output accepts the time of this machine's clock: \(.reason, error)")
      }
    }
    let isDoubted = trial.time.isDoubted
    if isDoubted, !clockWatch.isDoubting {
      let ms = trial.time.shownMs - edges.time.wallMs()
      log.warning(
        "this machine's clock has jumped ahead by \(.ms, ms) ms: time continues evenly until the output accepts the new time")
      clockWatch.nextTrial = 0
    }
    clockWatch.isDoubting = isDoubted
    guard isDoubted, !clockWatch.isTrying, edges.time.monotonicMs() >= clockWatch.nextTrial else { return }
    clockWatch.isTrying = true
    let outcomes = clockWatch.outcomes
    edges.inBackground(.query) { outcomes.put(trial.run()) }
  }

  private func warnClockRefused(_ trial: ClockTrial) {
    log.warning(
      """
      this machine's clock is further ahead of the brokers' than the output accepts (\(.limit, trial.aheadMaxMs) ms, \
      message.timestamp.after.max.ms), and is ignored. Correct it
      """)
  }
}
