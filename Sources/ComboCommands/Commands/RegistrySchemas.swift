internal import ComboEdge
internal import ComboMaps
internal import ComboRegistry
internal import ComboRooms
internal import ComboSystem
internal import ComboWire
internal import Synchronization

/// The schemas of a registry, or, while it does not answer, those that another instance has written to the group's journals.
final class RegistrySchemas: SchemaSource {
  private let registry: SchemaRegistry
  private let reader: any ReadEdge
  private let topics: TopicIdentity
  /// The monotonic time at which the journals were last read for each id.
  private let readAt = Mutex<[String: Int64]>([:])

  /// Journals may be long, so they are read at this interval only.
  private static let readEveryMs: Int64 = 60_000

  init(_ registry: SchemaRegistry, journals reader: any ReadEdge, of topics: TopicIdentity) {
    self.registry = registry
    self.reader = reader
    self.topics = topics
  }

  func takeRetry() -> Bool { registry.takeRetry() }

  func ask(_ id: String) -> SchemaAnswer {
    let answer = registry.ask(id)
    guard case .none = answer, mayRead(id), let known = known(id) else { return answer }
    return .schema(known)
  }

  private func mayRead(_ id: String) -> Bool {
    let now = MonotonicClock.nowMs
    return readAt.withLock { readAt in
      if let last = readAt[id], now - last < Self.readEveryMs { return false }
      readAt = readAt.filter { now - $0.value < Self.readEveryMs }
      readAt[id] = now
      return true
    }
  }

  private func known(_ id: String) -> String? {
    guard let partitions = try? reader.partitions(.journal) else { return nil }
    for partition in partitions {
      let source = PartitionTopics(partition, ServiceConfiguration(topics: topics), reader, log: .silent)
      guard let mapping = try? source.standing().derivation?.mapping else { continue }
      if let schema = RecordMap.schemas(of: mapping)[id] { return schema }
    }
    return nil
  }
}
