internal import Glibc

/// What the service says of itself, a line an event, on standard error.
struct ServiceLog: Sendable {
  /// The least that is said.
  var level: LogLevel
  /// Where lines go.
  var write: @Sendable (String) -> Void = { line in
    var line = line + "\n"
    line.withUTF8 { _ = Glibc.write(2, $0.baseAddress, $0.count) }
  }

  init(_ level: LogLevel) { self.level = level }

  func error(_ text: @autoclosure () -> String) { say(.error, text()) }
  func warning(_ text: @autoclosure () -> String) { say(.warning, text()) }
  func info(_ text: @autoclosure () -> String) { say(.info, text()) }
  func debug(_ text: @autoclosure () -> String) { say(.debug, text()) }

  private func say(_ level: LogLevel, _ text: @autoclosure () -> String) {
    guard level >= self.level else { return }
    write("\(timestamp()) \(level.rawValue) \(text())")
  }

  private func timestamp() -> String {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    var parts = tm()
    gmtime_r(&now.tv_sec, &parts)
    func two(_ value: Int32) -> String { value < 10 ? "0\(value)" : "\(value)" }
    let ms = now.tv_nsec / 1_000_000
    let padded = ms < 10 ? "00\(ms)" : ms < 100 ? "0\(ms)" : "\(ms)"
    return "\(parts.tm_year + 1900)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday))T\(two(parts.tm_hour)):"
      + "\(two(parts.tm_min)):\(two(parts.tm_sec)).\(padded)Z"
  }
}
