internal import ComboEdge
internal import ComboSystem

/// Asks from time to time, outside of the loop, whether the brokers belong to another cluster. Used by the loop's thread.
struct ClusterWatch {
  private let check: ClusterCheck
  private var query = BackgroundQuery<ClusterAnswer>()
  /// The sentence about the other cluster, or nil if it is the same as at the start, as far as known.
  private(set) var other: String?

  /// The interval of questions. Each one takes a connection of its own.
  private static let everyMs: Int64 = 10_000

  init(_ check: ClusterCheck) { self.check = check }

  /// Takes an answer that has come, and asks again when it is time.
  /// - Returns: Whether ``other`` has changed between nil and a sentence.
  mutating func look(at now: Int64) -> Bool {
    let was = other
    if let answer = query.takeAnswer() { note(answer) }
    if query.isDue(everyMs: Self.everyMs, at: now) { query.ask(at: now, BackgroundTask.run) { [check] in check.ask() } }
    return (was == nil) != (other == nil)
  }

  /// Asks at once. Blocks.
  /// - Returns: Whether it is another cluster.
  mutating func isElsewhere() -> Bool {
    note(check.ask())
    return other != nil
  }

  private mutating func note(_ answer: ClusterAnswer) {
    switch answer {
    case .own: other = nil
    case .other(let reason): other = reason
    case .unknown: break
    }
  }
}
