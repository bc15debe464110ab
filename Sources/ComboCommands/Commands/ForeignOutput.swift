internal import ComboEdge
internal import ComboKafka
internal import ComboRooms
internal import ComboService
internal import ComboWire

/// Checks whether the output holds records although the group has no journal entries. Another group may then write the same gifts
/// there.
struct ForeignOutput {
  private let reader: any ReadEdge
  private let topics: TopicIdentity
  /// Whether the group has committed nothing. Checked only if the output is not empty, as it needs its own connection.
  private let isNew: () throws(EdgeError) -> Bool
  /// Whether other inputs may share the output.
  private var isShared = false

  /// The number of offsets up to which a partition may hold only marks and records of aborted trials.
  private static let trialsMax: Int64 = 200
  private static let withinMs: Int64 = 5000

  /// The clients log nothing, as the service also works without the right to read the output.
  init(_ options: ServiceOptions, _ properties: KafkaProperties, _ control: ControlClient) throws(EdgeError) {
    let quiet = try properties.with(brokers: properties.brokers, presets: [], log: .none)
    let reader = try KafkaReading(quiet, control: control, names: options.topicNames, silenceMaxMs: Self.withinMs)
    self.init(reader, options.configuration.topics) { () throws(EdgeError) in
      let asker = try GroupConsumer(quiet, .init(groupID: options.group, topic: options.input))
      let count = try control.partitionCount(options.input, withinMs: Self.withinMs) ?? 0
      return try asker.committed((0..<Int32(count)).map { $0 }, withinMs: Self.withinMs).allSatisfy { $0.entry == nil }
    }
    isShared = options.namesInput
  }

  init(_ reader: any ReadEdge, _ topics: TopicIdentity, isNew: @escaping () throws(EdgeError) -> Bool) {
    self.reader = reader
    self.topics = topics
    self.isNew = isNew
  }

  /// Whether another group is likely to write there. False if that cannot be determined: missing topics and rights are reported
  /// elsewhere.
  var isLikely: Bool { !isShared && (try? find()) ?? false }

  private func find() throws(EdgeError) -> Bool {
    // Checked first, as it settles the question at every start but the first.
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
