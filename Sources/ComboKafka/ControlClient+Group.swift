internal import CKafka
package import ComboEdge

extension ControlClient {
  /// A member of a group, as described by its coordinator.
  package struct Member: Equatable, Sendable, CustomStringConvertible {
    package let clientID: String
    /// The id that the coordinator assigned to it.
    package let id: String
    /// The name under which it was started, without the rules, or nil for a dynamic member.
    package let instance: String?
    /// The newest rules of the engine that it supports, or nil for those of 0.1.0 and for other programs.
    package let rules: Int?
    package let host: String
    package let partitions: Int
    /// The topics of its partitions.
    package let topics: Set<String>

    /// `client "combo-consumer", instance "a" at 10.0.0.7 with 4 partitions`.
    package var description: String {
      let name = instance.map { ", instance \"\($0)\"" } ?? ""
      return "client \"\(clientID)\"\(name) at \(host) with \(partitions) partition\(partitions == 1 ? "" : "s")"
    }
  }

  /// The members of a group, empty if it does not exist. Requires the right Describe on the group.
  package func members(ofGroup group: String, withinMs: Int64) throws(EdgeError) -> [Member] {
    try attempt("cannot describe group \"\(group)\"", withinMs: withinMs) { timeoutMs in
      group.withCString { name in
        var name: UnsafePointer<CChar>? = name
        return askCoordinator(of: group, RD_KAFKA_ADMIN_OP_DESCRIBECONSUMERGROUPS, timeoutMs) { client, options, queue in
          rd_kafka_DescribeConsumerGroups(client, &name, 1, options, queue)
        } read: { event in
          let one = Self.theOne {
            rd_kafka_DescribeConsumerGroups_result_groups(rd_kafka_event_DescribeConsumerGroups_result(event), &$0)
          }
          guard let found = one else { return .failed(RD_KAFKA_RESP_ERR__BAD_MSG) }
          let error = rd_kafka_ConsumerGroupDescription_error(found)
          guard error == nil else {
            return .failed(rd_kafka_error_code(error), detail: rd_kafka_error_string(error).map { String(cString: $0) })
          }
          let members = (0..<rd_kafka_ConsumerGroupDescription_member_count(found)).map { index in
            let member = rd_kafka_ConsumerGroupDescription_member(found, index)
            func text(_ pointer: UnsafePointer<CChar>?) -> String { pointer.map { String(cString: $0) } ?? "" }
            let clientID = text(rd_kafka_MemberDescription_client_id(member))
            let instance = MemberRules.split(text(rd_kafka_MemberDescription_group_instance_id(member)))
            let isStatic = !instance.name.isEmpty
            let assigned = rd_kafka_MemberAssignment_partitions(rd_kafka_MemberDescription_assignment(member))
            let partitions = assigned.map { UnsafeBufferPointer(start: $0.pointee.elems, count: Int($0.pointee.cnt)) }
            return Member(
              clientID: clientID, id: text(rd_kafka_MemberDescription_consumer_id(member)),
              instance: isStatic ? instance.name : nil,
              rules: isStatic ? instance.rules : MemberRules.split(clientID).rules,
              host: text(rd_kafka_MemberDescription_host(member)).trimmingPrefix("/").description,
              partitions: partitions?.count ?? 0, topics: Set(partitions?.map { text($0.topic) } ?? []))
          }
          return .done(members)
        }
      }
    }
  }

  /// The group's current committed offsets, in the order of the partitions, whether or not an open transaction is about to change
  /// them.
  package func committed(
    ofGroup group: String, _ topic: String, _ partitions: [Int32], withinMs: Int64
  ) throws(EdgeError) -> [CommittedOffset] {
    if partitions.isEmpty { return [] }
    return try offsets(ofGroup: group, topic, partitions, isStable: false, withinMs: withinMs).map(\.offset)
  }

  /// The partitions whose offset an open transaction is about to change.
  package func pendingOffsets(ofGroup group: String, _ topic: String, _ partitions: [Int32]) throws(EdgeError) -> [Int32] {
    if let pending = try findPendingOffsets(ofGroup: group, topic, partitions) { return pending }
    if partitions.count == 1 { return partitions }
    var pending: [Int32] = []
    for partition in partitions { pending += try pendingOffsets(ofGroup: group, topic, [partition]) }
    return pending
  }

  /// Returns the partitions whose offset an open transaction is about to change, or nil if there are some and librdkafka does not
  /// report which.
  func findPendingOffsets(
    ofGroup group: String, _ topic: String, _ partitions: [Int32]
  ) throws(EdgeError) -> [Int32]? {
    if partitions.isEmpty { return [] }
    // Shows that the coordinator answers: in the next request, some versions of librdkafka ask again until the time is over.
    _ = try offsets(ofGroup: group, topic, partitions, isStable: false, withinMs: Self.answersMs)
    do throws(EdgeError) {
      let found = try offsets(ofGroup: group, topic, partitions, isStable: true, withinMs: Self.pendingMs)
      return found.filter(\.isPending).map(\.offset.partition)
    } catch {
      if error.code != .timedOut { throw error }
      return nil
    }
  }

  /// The group's committed offsets, in the order of the partitions.
  /// - Parameter isStable: Whether to detect those that an open transaction is about to change.
  private func offsets(
    ofGroup group: String, _ topic: String, _ partitions: [Int32], isStable: Bool, withinMs: Int64
  ) throws(EdgeError) -> [(offset: CommittedOffset, isPending: Bool)] {
    let list = PartitionList(topic: topic, partitions)
    var request = rd_kafka_ListConsumerGroupOffsets_new(group, list.pointer)
    defer { rd_kafka_ListConsumerGroupOffsets_destroy(request) }
    let some = partitions.count == 1 ? "partition \(partitions[0])" : "\(partitions.count) partitions"
    let failed = "cannot get the committed offset of topic \"\(topic)\" \(some)"
    return try attempt(failed, withinMs: withinMs) { timeoutMs in
      askCoordinator(of: group, RD_KAFKA_ADMIN_OP_LISTCONSUMERGROUPOFFSETS, timeoutMs) { client, options, queue in
        if let error = rd_kafka_AdminOptions_set_require_stable_offsets(options, isStable ? 1 : 0) {
          rd_kafka_error_destroy(error)
        }
        rd_kafka_ListConsumerGroupOffsets(client, &request, 1, options, queue)
      } read: { event in
        let one = Self.theOne {
          rd_kafka_ListConsumerGroupOffsets_result_groups(rd_kafka_event_ListConsumerGroupOffsets_result(event), &$0)
        }
        guard let found = one else { return .failed(RD_KAFKA_RESP_ERR__BAD_MSG) }
        if let error = rd_kafka_group_result_error(found) { return .failed(rd_kafka_error_code(error)) }
        guard let offsets = rd_kafka_group_result_partitions(found) else { return .failed(RD_KAFKA_RESP_ERR__BAD_MSG) }
        let elements = UnsafeBufferPointer(start: offsets.pointee.elems, count: Int(offsets.pointee.cnt))
        let byPartition = Dictionary(elements.map { ($0.partition, $0) }) { first, _ in first }
        var answers: [(offset: CommittedOffset, isPending: Bool)] = []
        for partition in partitions {
          guard let one = byPartition[partition] else { return .failed(RD_KAFKA_RESP_ERR__BAD_MSG) }
          let isPending = one.err == RD_KAFKA_RESP_ERR_UNSTABLE_OFFSET_COMMIT
          if one.err != RD_KAFKA_RESP_ERR_NO_ERROR, !isPending { return .failed(one.err) }
          answers.append((CommittedOffset(one), isPending))
        }
        return .done(answers)
      }
    }
  }

  private static let answersMs: Int64 = 5000
  private static let pendingMs: Int64 = 1500

  /// The advice on a transaction that blocks a group's offsets.
  /// - Parameter reader: A consumer that reads only what is committed. It finds where the transaction began.
  package func offsetsRemedy(_ brokers: String, _ group: String, seenBy reader: KafkaClient?) -> String {
    let topic = "__consumer_offsets"
    // Not every client may describe this topic.
    guard let count = try? partitionCount(topic, withinMs: Self.pendingMs), count > 0 else {
      return "To find it: `kafka-transactions.sh --bootstrap-server \(brokers) find-hanging --topic \(topic)`"
    }
    // The coordinator's partition is found by Java's hash of the group.
    let hash = group.utf16.reduce(Int32(0)) { $0 &* 31 &+ Int32($1) }
    let partition = Int32(Int64(hash == .min ? 0 : abs(hash)) % Int64(count))
    let found = reader.flatMap { try? ends(topic, [partition], seenBy: $0, withinMs: Self.pendingMs) }
    return OpenTransaction.remedy(brokers, topic, partition, offset: found?.first?.offset)
  }
}
