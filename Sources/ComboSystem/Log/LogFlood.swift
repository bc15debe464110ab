/// Counts similar lines in place of letting each be written: the first is written, and, once its time is over, the
/// number of the others.
///
/// A plain value: its user passes the time, in milliseconds of a monotonic clock.
struct LogFlood: Sendable {
  /// From the first line on.
  static let windowMs: Int64 = 10_000
  /// Different lines that are counted at a time. Above it, all whose sentence is the same count as one, so that a flood
  /// of lines that all differ is one too.
  static let likenessesMax = 200

  /// Lines that were counted and not written.
  struct Count: Sendable {
    let level: LogLevel
    /// The last of them.
    let message: LogMessage
    let count: Int
  }

  private struct Window {
    let since: Int64
    var level: LogLevel
    var last: LogMessage
    var count = 0
  }

  private var windows: [String: Window] = [:]

  init() {}

  /// Whether a line is to be written, after those that ``due(at:)`` gives; else it was counted.
  mutating func isNews(_ level: LogLevel, _ message: LogMessage, at now: Int64) -> Bool {
    var key = "\(level.rank)\(message.likeness)"
    if windows[key] == nil, windows.count >= Self.likenessesMax { key = "\(level.rank){}\(message.template)" }
    if windows[key] != nil {
      windows[key]!.count += 1
      windows[key]!.last = message
      return false
    }
    // Templates are few, so this ends.
    windows[key] = Window(since: now, level: level, last: message)
    return true
  }

  /// The counts of windows that are over by now, the oldest first. They are then forgotten.
  mutating func due(at now: Int64) -> [Count] {
    take { now - $0.since >= Self.windowMs }
  }

  /// The counts of all windows.
  mutating func rest() -> [Count] { take { _ in true } }

  /// When the next window is over that has counted something; nil: none has.
  var nextDue: Int64? { windows.values.filter { $0.count > 0 }.map { $0.since + Self.windowMs }.min() }

  private mutating func take(_ isOver: (Window) -> Bool) -> [Count] {
    let over = windows.filter { isOver($0.value) }
    if over.isEmpty { return [] }
    for key in over.keys { windows[key] = nil }
    return over.values.filter { $0.count > 0 }.sorted { $0.since < $1.since }.map {
      Count(level: $0.level, message: $0.last, count: $0.count)
    }
  }
}
