internal import ComboEdge
internal import ComboSystem

/// Checks from time to time, outside of the loop, whether the brokers belong to another cluster. Used by the loop's thread.
struct ClusterWatch {
  private let check: ClusterCheck
  private var query = BackgroundQuery<ClusterAnswer>()
  /// The sentence about the other cluster, or nil if it is the same as at the start, as far as known.
  private(set) var other: String?

  /// The interval of queries. Each one needs its own connection.
  private static let everyMs: Int64 = 10_000

  init(_ check: ClusterCheck) { self.check = check }

  /// Processes an answer that has arrived, and queries again when it is due.
  /// - Returns: Whether ``other`` has changed between nil and a sentence.
  mutating func check(at now: Int64) -> Bool {
    let was = other
    if let answer = query.takeAnswer() { process(answer) }
    if query.isDue(everyMs: Self.everyMs, at: now) { query.ask(at: now, BackgroundTask.run) { [check] in check.ask() } }
    return (was == nil) != (other == nil)
  }

  /// Queries at once. Blocks.
  /// - Returns: Whether it is another cluster.
  mutating func isElsewhere() -> Bool {
    process(check.ask())
    return other != nil
  }

  private mutating func process(_ answer: ClusterAnswer) {
    switch answer {
    case .own: other = nil
    case .other(let reason): other = reason
    case .unknown: break
    }
  }
}
