internal import CKafka
internal import ComboEdge
internal import ComboSystem

/// The current identity of this member in its group, for ``TransactionalProducer/sendOffsets(_:topic:of:withinMs:)``. It is
/// outdated after the next rebalance, which may not even be reported to a cooperative member.
struct GroupMetadata: ~Copyable {
  let pointer: OpaquePointer

  deinit { rd_kafka_consumer_group_metadata_destroy(pointer) }
}

/// The check that offsets are sent only under the member id under which the partitions were assigned.
/// A cooperative member keeps its partitions while it joins again. If the coordinator has forgotten it by then, librdkafka joins
/// under a new id. It reports to a dynamic member that its partitions are lost, but not to a static one, which may even keep some
/// that others owned meanwhile. Brokers treat a member without id and generation as a tool, and accept its offsets unfenced.
extension GroupConsumer {
  /// Returns the current identity; fetch it for each transaction. It costs two messages to librdkafka's thread and back, without
  /// network, and takes longer only if the membership is lost, to wait for the reason.
  /// - Throws: `memberLost`: discard the records in progress; the rest is reported to the delegate.
  func groupMetadata() throws(EdgeError) -> GroupMetadata {
    guard let pointer = rd_kafka_consumer_group_metadata(client.handle) else {
      throw client.error(RD_KAFKA_RESP_ERR__STATE, "cannot get the id of this group member: the consumer is closed")
    }
    let metadata = GroupMetadata(pointer: pointer)
    // Checked afterwards, so that an outdated id is noticed. A new id cannot become that of the partitions in between, since this
    // thread assigns and revokes them.
    try checkMembership()
    return metadata
  }

  /// Whether the partitions already belong to others, because the group has removed this member.
  var isAssignmentLost: Bool { rd_kafka_assignment_lost(client.handle) != 0 }

  /// The id that the coordinator assigned to this member, or nil before it joined, and once it was lost.
  var memberID: String? {
    guard let id = rd_kafka_memberid(client.handle) else { return nil }
    defer { rd_kafka_mem_free(client.handle, id) }
    return id.pointee == 0 ? nil : String(cString: id)
  }

  private func checkMembership() throws(EdgeError) {
    if owned.isEmpty { return }
    if hasFailed { throw notAMember }
    let patience = Deadline(afterMs: Self.patienceMs)
    while true {
      let id = memberID
      if id != nil && id == ownerID { return }
      // The loss is known as soon as the id changes, and the next poll reports it. While a rebalance is being answered, none
      // arrives.
      if isAssignmentLost || isRebalancing { break }
      if id != nil || isStatic || patience.isOver {
        giveUpMembership()
        break
      }
      MonotonicClock.sleep(ms: 5)
    }
    throw notAMember
  }

  private var notAMember: EdgeError {
    client.error(RD_KAFKA_RESP_ERR_UNKNOWN_MEMBER_ID, "cannot send offsets of topic \"\(topic)\"")
  }

  /// The time to wait for librdkafka to report lost partitions to a dynamic member that the coordinator has forgotten. It does so
  /// with the next heartbeat, or when it joins again, which takes a second.
  private static let patienceMs: Int64 = 4000

  /// Checks that a newly assigned partition has the same owner as all others.
  func checkOwner() {
    let id = memberID
    if owned.isEmpty || !isCooperative {
      ownerID = id
    } else if id != nil && id != ownerID {
      giveUpMembership()
    }
  }

  private func giveUpMembership() {
    failMembership(
      "the group forgot this member while it joined again, and other members may have had its partitions meanwhile."
        + " It must be created again.")
  }
}
