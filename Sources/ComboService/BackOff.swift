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
