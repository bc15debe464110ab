internal import CKafka
internal import ComboEdge
internal import ComboSystem

/// The identity of this member in its group at this moment, for ``TransactionalProducer/sendOffsets(_:topic:of:withinMs:)``. It is out of date
/// after the next rebalance, which may not even be reported to a cooperative member.
struct GroupMetadata: ~Copyable {
  let pointer: OpaquePointer

  deinit { rd_kafka_consumer_group_metadata_destroy(pointer) }
}

/// A cooperative member keeps its partitions while it joins again. If the coordinator has forgotten it by then, librdkafka joins
/// under a new id; a dynamic member is told on the way that its partitions are lost, a static one is not, and may even keep some
/// that others had meanwhile. And a member without id and generation is no member to the brokers, which take its offsets as those
/// of a tool, unfenced. So offsets are sent only under the id under which the partitions were given.
extension GroupConsumer {
  /// Fetch it afresh for each transaction. Two messages to librdkafka's thread and back, no network; longer only if the
  /// membership is lost, to hear what becomes of it.
  /// - Throws: `memberLost`: records in progress must be given up; the delegate is informed of the rest.
  func groupMetadata() throws(EdgeError) -> GroupMetadata {
    guard let pointer = rd_kafka_consumer_group_metadata(client.handle) else {
      throw client.error(RD_KAFKA_RESP_ERR__STATE, "cannot get the id of this group member: the consumer is closed")
    }
    let metadata = GroupMetadata(pointer: pointer)
    // After it, so that an id which is gone by now is noticed. A new one cannot come to be that of the partitions in between: they
    // are given and taken by this thread.
    try checkMembership()
    return metadata
  }

  /// Whether the partitions are others' already: the group gave this member up.
  var isAssignmentLost: Bool { rd_kafka_assignment_lost(client.handle) != 0 }

  /// The id that the coordinator gave this member; nil before it joined, and once it was lost.
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
      // Whether it is lost is known as soon as the id is changed; the next poll reports it. While a rebalance is being answered
      // no further report comes.
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

  /// How long to wait for librdkafka to report to a dynamic member, which the coordinator forgot, that its partitions are lost: it
  /// does so once it joins again, which takes it a second, or with the next heartbeat.
  private static let patienceMs: Int64 = 4000

  /// A partition was given to a member: was everything else given to the same?
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
