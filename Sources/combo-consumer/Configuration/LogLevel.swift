/// How bad it is, or how bad it must at least be to be logged: an error is above all others.
enum LogLevel: String, CaseIterable, Comparable, Sendable {
  case debug, info, warning, error

  static func < (one: Self, other: Self) -> Bool {
    allCases.firstIndex(of: one)! < allCases.firstIndex(of: other)!
  }
}
