/// How long is waited before what failed is tried again: not at all at first, then longer and longer, so that twenty failures take more
/// than a minute.
struct BackOff {
  private static let delaysMs: [Int64] = [0, 100, 250, 500, 1000, 2000, 3000, 5000]

  /// Failures since something came of it.
  private(set) var failures = 0

  /// Something failed.
  /// - Returns: how long to wait, in milliseconds.
  mutating func failed() -> Int64 {
    defer { failures += 1 }
    return Self.delaysMs[min(failures, Self.delaysMs.count - 1)]
  }

  /// Something came of it.
  mutating func succeeded() { failures = 0 }
}

/// Detects that another instance uses the same transactional id: both fence each other, again and again, and both commit in between.
/// A transaction that timed out fences its producer too, but not so often. Where each fences the other before it can commit, there are
/// more fences and no commits.
struct Fences {
  static let withinMs: Int64 = 30_000
  /// One start of another producer can fence twice: the brokers first abort the open transaction, and its client then asks again.
  static let max = 5
  /// Without commits in between: a coordinator in trouble may fence several times, too.
  static let maxInAll = 9
  private var at: [Int64] = []
  private var all: [Int64] = []
  private var commits = -1

  /// - Parameter commits: how many there were so far.
  /// - Returns: whether it was once too often.
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
