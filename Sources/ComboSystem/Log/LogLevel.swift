/// The severity of a line, or the minimum that is logged: an error is above all others.
package enum LogLevel: String, CaseIterable, Comparable, Sendable {
  case debug, info, warning, error

  /// The severity as a number: the higher, the worse.
  package var rank: Int { Self.allCases.firstIndex(of: self)! }

  package static func < (one: Self, other: Self) -> Bool { one.rank < other.rank }
}

/// The format of log lines.
package enum LogFormat: String, CaseIterable, Sendable {
  /// A time, a level and a sentence, for people.
  case text
  /// One JSON object per line, for machines.
  case json
}
