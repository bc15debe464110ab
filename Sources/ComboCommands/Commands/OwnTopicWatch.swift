internal import ComboEdge
internal import ComboKafka

/// Checks whether the group's topics are still those with which it was started.
///
/// If brokers create topics automatically, a deleted one is recreated with their defaults at the next produce request.
final class OwnTopicWatch: TopicWatch, @unchecked Sendable {
  // Sendable: only one thread at a time checks.
  private let control: ControlClient
  private let names: TopicNames
  /// The number of partitions of each topic, and the ends of those of the journal and the state topic.
  private var counts: [Topic: Int] = [:]
  private var ends: [Topic: [Int32: Int64]] = [:]
  private var suspect: LostTopic?

  private static let withinMs: Int64 = 5000

  init(_ control: ControlClient, _ names: TopicNames) {
    self.control = control
    self.names = names
  }

  func look(_ owned: [Int32]) throws(EdgeError) -> LostTopic? {
    let found = try findLost(owned)
    // A single broker may be out of date or stuck, so only a finding that repeats counts.
    defer { suspect = found }
    return found == suspect ? found : nil
  }

  private func findLost(_ owned: [Int32]) throws(EdgeError) -> LostTopic? {
    for topic in Topic.allCases where topic != .input {
      guard let count = try control.partitionCount(names[topic], withinMs: Self.withinMs) else {
        return LostTopic(topic, "is gone: somebody has deleted it")
      }
      let before = counts[topic] ?? count
      counts[topic] = max(before, count)
      if count < before { return LostTopic(topic, "was deleted and recreated: it has \(count) partitions, and had \(before)") }
    }
    let state = try control.settings(of: names.state, withinMs: Self.withinMs)
    if try TopicFindings.isUnchosenState(state, control, names, withinMs: Self.withinMs) {
      return LostTopic(.state, "was deleted, and recreated by brokers with their defaults")
    }
    for topic in [Topic.journal, .state] {
      var shorter: [String] = []
      for (partition, end) in try control.ends(names[topic], owned, withinMs: Self.withinMs) {
        guard let end else { continue }
        let before = ends[topic]?[partition] ?? end
        ends[topic, default: [:]][partition] = max(before, end)
        if end < before { shorter.append("partition \(partition) ended at offset \(before), and is shorter now") }
      }
      if !shorter.isEmpty {
        return LostTopic(topic, "was deleted and recreated, or lost records: \(shorter.joined(separator: "; "))")
      }
    }
    return nil
  }
}
