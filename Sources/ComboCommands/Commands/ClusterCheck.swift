internal import ComboEdge
internal import ComboKafka
internal import ComboRooms

/// Compares the brokers' cluster with that at the start of this process, so that nothing is created, claimed or read in another
/// cluster with the same address. Any thread.
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

  /// Queries the brokers. Blocks for at most five seconds.
  func ask() -> ClusterAnswer {
    // A new client, as one keeps the first id that it receives.
    guard let id = try? ControlClient(properties).cluster(withinMs: Self.withinMs).id else { return .unknown }
    guard let former = memory.formerCluster(than: id) else { return .own }
    return .other("the brokers at \(brokers) belong to another cluster now: its id is \(id), and was \(former)")
  }

  /// The sentence about another cluster, or nil if it is the same, or unknown.
  var other: String? { if case .other(let reason) = ask() { reason } else { nil } }
}
