internal import ComboEdge
internal import ComboKafka
internal import ComboRooms

/// Compares the cluster of the brokers with that of this process's start, so that nothing is created, claimed or read in another
/// one that has the same address. Any thread.
struct ClusterCheck: Sendable {
  private let properties: KafkaProperties
  private let brokers: String
  private let memory: GroupMemory

  private static let withinMs: Int64 = 5000

  init(_ properties: KafkaProperties, _ brokers: String, _ memory: GroupMemory) {
    var properties = properties
    properties.statistics = nil
    self.properties = properties
    self.brokers = brokers
    self.memory = memory
  }

  /// Asks the brokers. Blocks for five seconds at most.
  func ask() -> ClusterAnswer {
    // A new client, as one keeps the first id that it receives.
    guard let id = try? ControlClient(properties).cluster(withinMs: Self.withinMs).id else { return .unknown }
    guard let former = memory.formerCluster(than: id) else { return .own }
    return .other("the brokers at \(brokers) belong to another cluster now: its id is \(id), and was \(former)")
  }

  /// The sentence about another cluster, or nil if it is the same, or unknown.
  var other: String? { if case .other(let reason) = ask() { reason } else { nil } }
}
