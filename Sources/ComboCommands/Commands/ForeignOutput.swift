internal import ComboEdge
internal import ComboKafka
internal import ComboRooms
internal import ComboService
internal import ComboSystem
internal import ComboWire

/// Looks whether the output holds records although the group has no journal of any: another group may write the same gifts there.
struct ForeignOutput {
  private let reader: any ReadEdge
  private let topics: TopicIdentity
  /// Whether the group has committed nothing; asked last, as it takes a connection of its own.
  private let isNew: () throws(EdgeError) -> Bool

  /// In as many offsets there may be only marks and records of trials, which were aborted.
  private static let trialsMax: Int64 = 200
  private static let withinMs: Int64 = 5000

  /// Records are read; the clients report nothing, as the service works without the right to do that.
  init(_ options: ServiceOptions, _ properties: KafkaProperties, _ control: ControlClient) throws(EdgeError) {
    let quiet = try properties.with(brokers: properties.brokers, presets: [], log: .none)
    let reader = try KafkaReading(quiet, control: control, names: options.topicNames, silenceMaxMs: Self.withinMs)
    self.init(reader, options.configuration.topics) { () throws(EdgeError) in
      let asker = try GroupConsumer(quiet, .init(groupID: options.group, topic: options.input))
      let count = try control.partitionCount(options.input, withinMs: Self.withinMs) ?? 0
      return try asker.committed((0..<Int32(count)).map { $0 }, withinMs: Self.withinMs).allSatisfy { $0.entry == nil }
    }
  }

  init(_ reader: any ReadEdge, _ topics: TopicIdentity, isNew: @escaping () throws(EdgeError) -> Bool) {
    self.reader = reader
    self.topics = topics
    self.isNew = isNew
  }

  /// False too if that cannot be found out: missing topics and rights are reported elsewhere.
  var isLikely: Bool { (try? find()) ?? false }

  private func find() throws(EdgeError) -> Bool {
    // First, as it is what ends the look at each start but the first.
    let owner = JournalOwner(reader, of: topics)
    for partition in try reader.partitions(.journal) where try owner.hasEntries(partition) { return false }
    var filled: [(partition: Int32, first: Int64, end: Int64)] = []
    for partition in try reader.partitions(.output) {
      let (first, end) = try reader.bounds(.output, partition)
      if first < end { filled.append((partition, first, end)) }
    }
    if filled.isEmpty { return false }
    guard try isNew() else { return false }
    if filled.contains(where: { $0.end - $0.first > Self.trialsMax }) { return true }
    for (partition, first, end) in filled {
      var isFound = false
      let stable = min(end, try reader.stableEnd(.output, partition))
      try reader.read(.output, partition, from: first, to: stable, unless: { false }) { _ in
        isFound = true
        return false
      }
      if isFound { return true }
    }
    return false
  }
}
