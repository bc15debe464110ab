import Synchronization

/// Recorded log lines.
final class LoggedLines: Sendable {
  private let lines = Mutex<[String]>([])
  var all: [String] { lines.withLock { $0 } }
  /// The lines without their timestamps.
  var messages: [String] { all.map { String($0.dropFirst(25)) } }
  func add(_ line: String) { lines.withLock { $0.append(line) } }
}
