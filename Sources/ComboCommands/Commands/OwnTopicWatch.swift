internal import ComboEdge
internal import ComboKafka
internal import ComboSystem
internal import Synchronization

/// Checks whether the group's topics are still those with which it was started.
///
/// If brokers create topics automatically, a deleted one is recreated with their defaults at the next produce request.
final class OwnTopicWatch: TopicWatch {
  private let control: ControlClient
  private let names: TopicNames
  private let state = Mutex(State())

  private struct State {
    /// The number of partitions of each topic.
    var counts: [Topic: Int] = [:]
    var suspect: LostTopic?
  }

  private static let withinMs: Int64 = 5000

  init(_ control: ControlClient, _ names: TopicNames) {
    self.control = control
    self.names = names
  }

  func check() throws(EdgeError) -> LostTopic? {
    try state.withLock { state throws(EdgeError) in
      let found = try findLost(&state.counts)
      // A single broker may be out of date or stuck, so only a finding that repeats counts.
      defer { state.suspect = found }
      return found == state.suspect ? found : nil
    }
  }

  private func findLost(_ counts: inout [Topic: Int]) throws(EdgeError) -> LostTopic? {
    for topic in Topic.allCases where topic != .input {
      guard let count = try control.partitionCount(names[topic], withinMs: Self.withinMs) else {
        return LostTopic(topic, "is gone: somebody has deleted it")
      }
      let before = counts[topic] ?? count
      counts[topic] = max(before, count)
      if count < before {
        return LostTopic(topic, "was deleted and recreated: it has \(Counted.text(count, "partitions")), and had \(before)")
      }
    }
    let state = try control.settings(of: names.state, withinMs: Self.withinMs)
    if try TopicFindings.isUnchosenState(state, control, names, withinMs: Self.withinMs) {
      return LostTopic(.state, "was deleted, and recreated by brokers with their defaults")
    }
    return nil
  }
}
