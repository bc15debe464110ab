internal import ComboEdge
internal import ComboSystem

/// Makes the service follow the wall clock only as far as the output accepts its time.
final class ClockProbe: Probe {
  private let outcomes = Mailbox<ClockTrial.Outcome>()
  private var isTrying = false
  private var nextTrial: Int64 = 0
  private var isDoubting = false

  private static let tryAgainMs: Int64 = 5000

  override var everyMs: Int64 { 0 }
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

  /// Tries a clock that has jumped ahead, outside of the loop.
  override func check(at now: Int64) -> Ending? {
    guard let trial = parts.edges.clockTrial else { return nil }
    for outcome in outcomes.takeAll() {
      isTrying = false
      nextTrial = now + Self.tryAgainMs
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
    }
    let isDoubted = trial.time.isDoubted
    if isDoubted, !isDoubting {
      let ms = trial.time.machineMs - parts.edges.time.wallMs()
      parts.log.warning(
        "this machine's clock has jumped ahead by \(.ms, ms) ms: time continues evenly until the output accepts the new time")
      nextTrial = 0
    }
    isDoubting = isDoubted
    guard isDoubted, !isTrying, now >= nextTrial else { return nil }
    isTrying = true
    parts.edges.inBackground(.query) { [outcomes] in outcomes.put(trial.run()) }
    return nil
  }
}
