/// How bad it is, or how bad it must at least be to be logged: an error is above all others.
package enum LogLevel: String, CaseIterable, Comparable, Sendable {
  case debug, info, warning, error

  /// The higher, the worse.
  package var rank: Int { Self.allCases.firstIndex(of: self)! }

  package static func < (one: Self, other: Self) -> Bool { one.rank < other.rank }
}

/// How a log line is written.
package enum LogFormat: String, CaseIterable, Sendable {
  /// For people: a time, a level and a sentence.
  case text
  /// For machines: one object a line.
  case json
}
