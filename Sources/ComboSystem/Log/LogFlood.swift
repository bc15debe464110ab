/// Counts similar lines instead of writing each: the first is written and, once its window is over, the number of the others.
///
/// A plain value: its user passes the time, in milliseconds of a monotonic clock.
struct LogFlood: Sendable {
  /// The time after the first line for which similar lines are counted.
  static let windowMs: Int64 = 10_000
  /// The maximum number of different lines that are counted at a time. Above it, all lines with the same template count as one,
  /// so that a flood of lines that all differ is one too.
  static let likenessesMax = 200

  /// The lines like one that was written `since`: they are counted and not written.
  struct Count: Sendable {
    let since: Int64
    let level: LogLevel
    /// The last of them, or the one that was written if there are none.
    var message: LogMessage
    var count = 0
  }

  private var windows: [String: Count] = [:]

  /// Returns whether a line is to be written, after those that ``due(at:)`` returns; otherwise it was counted.
  mutating func shouldWrite(_ level: LogLevel, _ message: LogMessage, at now: Int64) -> Bool {
    var key = "\(level.rank)\(message.likeness)"
    if windows[key] == nil, windows.count >= Self.likenessesMax { key = "\(level.rank){}\(message.template)" }
    if windows[key] != nil {
      windows[key]!.count += 1
      windows[key]!.message = message
      return false
    }
    // Templates are few, so this is bounded.
    windows[key] = Count(since: now, level: level, message: message)
    return true
  }

  /// Returns and removes the counts of windows that are over by now, oldest first.
  mutating func due(at now: Int64) -> [Count] {
    removeCounts { now - $0.since >= Self.windowMs }
  }

  /// Returns and removes the counts of all windows.
  mutating func rest() -> [Count] { removeCounts { _ in true } }

  /// When the next window that has counted something is over, or nil if none.
  var nextDue: Int64? { windows.values.filter { $0.count > 0 }.map { $0.since + Self.windowMs }.min() }

  private mutating func removeCounts(where isOver: (Count) -> Bool) -> [Count] {
    let over = windows.filter { isOver($0.value) }
    if over.isEmpty { return [] }
    for key in over.keys { windows[key] = nil }
    return over.values.filter { $0.count > 0 }.sorted { $0.since < $1.since }
  }
}
