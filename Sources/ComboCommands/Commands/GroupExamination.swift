internal import ComboEdge
internal import ComboKafka
internal import ComboRooms
internal import ComboSystem

/// Examines partitions as `run` does when it takes them over. Reads only, and needs no member of the group.
struct GroupExamination {
  private let configuration: ServiceConfiguration
  private let reading: any ReadEdge
  private let group: KafkaGroup
  private let history: InputHistory

  private static let withinMs: Int64 = 10_000

  init(_ configuration: ServiceConfiguration, _ reading: any ReadEdge, _ group: KafkaGroup) {
    self.configuration = configuration
    self.reading = reading
    self.group = group
    history = InputHistory(configuration.topics, reading)
  }

  /// Returns the group's committed offsets of partitions.
  func committed(_ partitions: [Int32]) throws(EdgeError) -> [CommittedOffset] {
    try group.consumer.committed(partitions, withinMs: Self.withinMs)
  }

  func source(_ partition: Int32) -> PartitionTopics { PartitionTopics(partition, configuration, reading, log: .silent) }

  /// Returns the outcome of a restore from a committed offset.
  func outcome(from found: CommittedOffset) -> RestoreOutcome {
    let restorer = Restorer(
      source(found.partition), time: SystemTime(), isCertain: true, clockMin: .min,
      // A running instance may have moved on since; then what was found is no contradiction.
      position: { [client = group.consumer.client, topic = group.consumer.topic] () throws(EdgeError) in
        try client.committed([found.partition], of: topic, withinMs: Self.withinMs).first ?? found
      })
    return restorer.examine(from: found, history: history)
  }

  /// Returns the reason why the service would end as soon as it had its partitions, or nil if it would not, or if the brokers do
  /// not answer.
  func refusal() -> String? {
    guard let partitions = try? reading.partitions(.input), let committed = try? committed(Array(partitions)) else { return nil }
    for found in committed {
      switch outcome(from: found) {
      case .refused(let reason), .otherRules(_, let reason): return reason
      case .restored, .examined, .doubtful, .failed, .gone, .stopped: break
      }
    }
    return nil
  }
}
