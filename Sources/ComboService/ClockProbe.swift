internal import ComboEdge
internal import ComboSystem

/// Makes the service follow the wall clock only as far as the output accepts its time.
final class ClockProbe: QueryProbe<ClockTrial.Outcome> {
  private var isDoubting = false

  private static let tryAgainMs: Int64 = 5000

  override var everyMs: Int64 { 0 }
  override var askEveryMs: Int64 { Self.tryAgainMs }
  override var isIdle: Bool { parts.edges.clockTrial == nil }

  /// Tries the clock before a partition is begun, or taken over, at a wrong time. Blocks.
  /// - Returns: The time to wait before the next attempt, in milliseconds; nil if the clock is trusted now.
  func tryFirst() -> Int64? {
    guard let trial = parts.edges.clockTrial else { return nil }
    switch trial.run() {
    case .accepted:
      parts.watched.observatory?.hindrance = nil
    case .refused:
      parts.log.warning(
        """
        this machine's clock is further ahead of the brokers' than the output accepts (\(.limit, trial.aheadMaxMs) ms, \
        message.timestamp.after.max.ms): the service starts once it is right. Correct it
        """)
      parts.watched.observatory?.hindrance = "this machine's clock is further ahead of the brokers' than the output accepts"
      return Self.tryAgainMs
    case .failed(let error) where error.isRetriable || error.code == .unknownTopic:
      parts.log.warning("waiting, and trying again: \(.reason, error)")
      return 1000
    case .failed(let error):
      // Without the right to run a trial, the clock is trusted.
      parts.log.info("could not determine whether the output accepts the time of this machine's clock: \(.reason, error)")
    }
    trial.time.trust()
    return nil
  }

  override func check(at now: Int64) -> Finding? {
    guard let time = parts.edges.clockTrial?.time else { return nil }
    let isDoubted = time.isDoubted
    if isDoubted, !isDoubting {
      let ms = time.machineMs - parts.edges.time.wallMs()
      parts.log.warning(
        "this machine's clock has jumped ahead by \(.ms, ms) ms: time continues evenly until the output accepts the new time")
      askSoon()
    }
    isDoubting = isDoubted
    return nil
  }

  /// Tries a clock that has jumped ahead.
  override func question(at now: Int64) -> (@Sendable () -> ClockTrial.Outcome)? {
    guard isDoubting, let trial = parts.edges.clockTrial else { return nil }
    return { trial.run() }
  }

  override func take(_ outcome: ClockTrial.Outcome, at now: Int64) -> Finding? {
    guard let trial = parts.edges.clockTrial else { return nil }
    switch outcome {
    case .accepted:
      trial.time.trust()
      parts.log.info("the output accepts the time of this machine's clock, which partitions follow again")
    case .refused:
      parts.log.warning(
        """
        this machine's clock is further ahead of the brokers' than the output accepts (\(.limit, trial.aheadMaxMs) ms, \
        message.timestamp.after.max.ms), and is ignored. Correct it
        """)
    case .failed(let error):
      parts.log.warning("could not determine whether the output accepts the time of this machine's clock: \(.reason, error)")
    }
    return nil
  }
}
