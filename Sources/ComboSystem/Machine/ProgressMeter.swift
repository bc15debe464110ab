internal import Glibc

/// Shows the progress of long work on standard error, if that is a terminal and standard output is none: otherwise the progress
/// would be mixed with the output, unless all output follows at the end.
package struct ProgressMeter {
  private let total: Int?
  private let unit: String
  private let isShown: Bool
  private let began = MonotonicClock.nowMs
  private var shown: Int64 = 0

  /// Creates a meter for `total` units, or nil if their number is unknown.
  /// - Parameter isAlone: Whether nothing is written to standard output meanwhile.
  package init(of total: Int?, unit: String, isAlone: Bool = false) {
    self.total = total
    self.unit = unit
    isShown = isatty(STDERR_FILENO) == 1 && (isAlone || isatty(STDOUT_FILENO) == 0)
  }

  /// Shows the progress, at most five times per second. May be called often.
  package mutating func update(_ count: Int) {
    guard isShown else { return }
    let now = MonotonicClock.nowMs
    if now - shown < 200 { return }
    shown = now
    Console.write("\r\(Self.line(count, of: total, unit, elapsedMs: now - began))\u{1b}[K", to: STDERR_FILENO)
  }

  /// Shows the final state, with a line end.
  package mutating func end(_ count: Int) {
    guard isShown else { return }
    Console.write("\r\(Self.line(count, of: total, unit, elapsedMs: MonotonicClock.nowMs - began))\u{1b}[K\n", to: STDERR_FILENO)
  }

  /// Clears the line, before a sentence follows.
  package func clear() {
    if isShown { Console.write("\r\u{1b}[K", to: STDERR_FILENO) }
  }

  package static func line(_ count: Int, of total: Int?, _ unit: String, elapsedMs: Int64) -> String {
    let rate = count * 1000 / Int(max(1, elapsedMs))
    let share = total.map { $0 > 0 ? " (\(count * 100 / $0) %)" : "" } ?? ""
    return "\(grouped(count)) \(unit)\(share), \(grouped(rate)) a second"
  }

  /// Returns `1234567` as `1,234,567`.
  package static func grouped(_ number: Int) -> String {
    var text = ""
    for (index, digit) in String(number).reversed().enumerated() {
      if index > 0, index % 3 == 0, digit != "-" { text.append(",") }
      text.append(digit)
    }
    return String(text.reversed())
  }
}
