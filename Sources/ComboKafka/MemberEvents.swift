internal import CKafka
internal import ComboEdge

/// A rebalance as librdkafka reported it.
struct Rebalance {
  enum Kind { case assign, revoke }

  let kind: Kind
  private let partitions: UnsafeMutablePointer<rd_kafka_topic_partition_list_t>

  init(_ kind: Kind, copying partitions: UnsafePointer<rd_kafka_topic_partition_list_t>) {
    self.kind = kind
    self.partitions = rd_kafka_topic_partition_list_copy(partitions)
  }

  /// Returns the partitions, which then belong to the caller. Call it once.
  func takePartitions() -> UnsafeMutablePointer<rd_kafka_topic_partition_list_t> { partitions }

  /// Answers the rebalance on behalf of an owner that no longer exists. Replaces ``takePartitions()``.
  func decline(_ handle: OpaquePointer) {
    let list = PartitionList(owning: partitions)
    guard rd_kafka_rebalance_protocol(handle).map({ String(cString: $0) }) == "COOPERATIVE" else {
      rd_kafka_assign(handle, nil)
      return
    }
    // This reference is released when the member leaves the group.
    let error =
      switch kind {
      case .assign: rd_kafka_incremental_assign(handle, list.pointer)
      case .revoke: rd_kafka_incremental_unassign(handle, list.pointer)
      }
    if let error { rd_kafka_error_destroy(error) }
  }
}

/// Receives the events of a group's member.
// Sendable: librdkafka calls it on the thread that serves its queues, which polls and closes; all else is that thread's too.
final class MemberEvents: @unchecked Sendable {
  /// The handler of rebalances, set before the client is first polled, or nil to decline them.
  var onRebalance: ((Rebalance) -> Void)?
  weak var delegate: (any GroupEdgeDelegate)?

  func rebalanced(_ rebalance: Rebalance, _ handle: OpaquePointer) {
    if let onRebalance { onRebalance(rebalance) } else { rebalance.decline(handle) }
  }
}
