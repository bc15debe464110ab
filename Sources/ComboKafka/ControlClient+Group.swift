internal import CKafka
package import ComboEdge

extension ControlClient {
  /// A member of a group, as its coordinator knows it.
  package struct Member: Equatable, Sendable, CustomStringConvertible {
    package let clientID: String
    /// Its `group.instance.id`; nil: it is a dynamic member.
    package let instance: String?
    package let host: String
    package let partitions: Int
    /// The topics of its partitions.
    package let topics: Set<String>
    /// The newest rules of the engine that it can follow; nil for 0.1.0 and for other programs.
    package var rules: Int? { MemberRules.rules(inClientID: clientID) }

    /// `client "combo-consumer", instance "a" at 10.0.0.7 with 4 partitions`.
    package var description: String {
      let name = instance.map { ", instance \"\($0)\"" } ?? ""
      return "client \"\(clientID)\"\(name) at \(host) with \(partitions) partition\(partitions == 1 ? "" : "s")"
    }
  }

  /// The members of a group; none if it does not exist. Needs the right Describe on the group.
  package func members(ofGroup group: String, withinMs: Int64) throws(EdgeError) -> [Member] {
    try attempt("cannot describe group \"\(group)\"", withinMs: withinMs) { timeoutMs in
      group.withCString { name in
        var name: UnsafePointer<CChar>? = name
        return admin(RD_KAFKA_ADMIN_OP_DESCRIBECONSUMERGROUPS, timeoutMs) { options, queue in
          rd_kafka_DescribeConsumerGroups(client.handle, &name, 1, options, queue)
        } read: { event in
          var count = 0
          let groups = rd_kafka_DescribeConsumerGroups_result_groups(rd_kafka_event_DescribeConsumerGroups_result(event), &count)
          guard count == 1, let found = groups?[0] else { return .failed(RD_KAFKA_RESP_ERR__BAD_MSG) }
          let error = rd_kafka_ConsumerGroupDescription_error(found)
          guard error == nil else {
            return .failed(rd_kafka_error_code(error), detail: rd_kafka_error_string(error).map { String(cString: $0) })
          }
          let members = (0..<rd_kafka_ConsumerGroupDescription_member_count(found)).map { index in
            let member = rd_kafka_ConsumerGroupDescription_member(found, index)
            func text(_ pointer: UnsafePointer<CChar>?) -> String { pointer.map { String(cString: $0) } ?? "" }
            let instance = text(rd_kafka_MemberDescription_group_instance_id(member))
            let assigned = rd_kafka_MemberAssignment_partitions(rd_kafka_MemberDescription_assignment(member))
            let partitions = assigned.map { UnsafeBufferPointer(start: $0.pointee.elems, count: Int($0.pointee.cnt)) }
            return Member(
              clientID: text(rd_kafka_MemberDescription_client_id(member)), instance: instance.isEmpty ? nil : instance,
              host: text(rd_kafka_MemberDescription_host(member)).trimmingPrefix("/").description,
              partitions: partitions?.count ?? 0, topics: Set(partitions?.map { text($0.topic) } ?? []))
          }
          return .done(members)
        }
      }
    }
  }
}
