/// The delays before retries: none at first, then longer and longer ones, so that twenty failures take more than a minute.
package struct BackOff {
  private static let delaysMs: [Int64] = [0, 100, 250, 500, 1000, 2000, 3000, 5000]

  /// Failures since the last success.
  private(set) var failures = 0
  /// The index of the next delay. Other work may succeed between two failures of the same operation, so this falls only after a
  /// while without one.
  private var level = 0
  private var calmAt = Int64.min

  package init() {}

  /// Whether nothing has failed for longer than the time until the next retry, by the monotonic clock.
  func isCalm(at now: Int64) -> Bool { now >= calmAt }

  /// Records a failure.
  /// - Returns: The time to wait before the retry, in milliseconds.
  package mutating func failed(at now: Int64) -> Int64 {
    if failures == 0, isCalm(at: now) { level = 0 }
    let delay = Self.delaysMs[min(level, Self.delaysMs.count - 1)]
    failures += 1
    level += 1
    calmAt = now + delay + delay / 2 + 1000
    return delay
  }

  /// Records a success.
  mutating func succeeded() { failures = 0 }
}

/// Detects that another instance uses the same transactional id: the two fence each other again and again, and both commit in
/// between. A transaction that timed out fences its producer too, but less often. If each fences the other before it can commit,
/// there are more fences and no commits.
struct Fences {
  static let withinMs: Int64 = 30_000
  /// The start of another producer can fence twice: the brokers first abort the open transaction, and its client then retries.
  static let max = 5
  /// The limit without commits in between: a coordinator in trouble may fence several times, too.
  static let maxInAll = 9
  private var at: [Int64] = []
  private var all: [Int64] = []
  private var commits = -1

  /// Records that the producer was fenced.
  /// - Parameter commits: The number of commits so far.
  /// - Returns: Whether that is once too often.
  mutating func fenced(at now: Int64, commits: Int) -> Bool {
    all.removeAll { now - $0 > Self.withinMs }
    all.append(now)
    if all.count >= Self.maxInAll { return true }
    if commits == self.commits { return false }
    self.commits = commits
    at.removeAll { now - $0 > Self.withinMs }
    at.append(now)
    return at.count >= Self.max
  }
}
