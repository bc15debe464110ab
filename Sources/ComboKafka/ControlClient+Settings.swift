internal import CKafka
package import ComboEdge
internal import ComboSystem

/// The effective settings of a topic: its own, or else the brokers' defaults.
package struct TopicSettings: Sendable {
  /// A setting.
  package struct Value: Equatable, Sendable {
    /// The value, or nil if it has none or the broker keeps it secret.
    package let text: String?
    /// Whether it was set for this topic and is not a default.
    package let isOwn: Bool
  }

  /// The values by Kafka's names.
  package let values: [String: Value]

  package subscript(name: String) -> String? { values[name]?.text }

  /// Whether a record may be removed because a newer one has the same key.
  package var isCompacted: Bool { (self["cleanup.policy"] ?? "").split(separator: ",").contains("compact") }
  /// Whether old records may be removed by age or size.
  package var isDeleted: Bool { (self["cleanup.policy"] ?? "delete").split(separator: ",").contains("delete") }
  /// The time for which records are kept, or nil if they are not removed by age, or if it is unknown.
  package var retentionMs: Int64? { isDeleted ? number("retention.ms") : nil }
  /// The number of bytes of a partition that are kept, or nil for all.
  package var retentionBytes: Int64? { number("retention.bytes") }
  /// The maximum size of a batch of records.
  package var maxMessageBytes: Int64? { number("max.message.bytes") }
  /// Whether brokers replace the producers' timestamps with their own.
  package var hasAppendTime: Bool { self["message.timestamp.type"] == "LogAppendTime" }
  /// The maximum time by which a timestamp may be before the broker's, or nil for no limit.
  package var timestampBeforeMaxMs: Int64? {
    bounded("message.timestamp.before.max.ms") ?? bounded("message.timestamp.difference.max.ms")
  }
  /// The maximum time by which a timestamp may be after the broker's, or nil for no limit.
  package var timestampAfterMaxMs: Int64? {
    bounded("message.timestamp.after.max.ms") ?? bounded("message.timestamp.difference.max.ms")
  }

  private func number(_ name: String) -> Int64? { self[name].flatMap { Int64($0) }.flatMap { $0 < 0 ? nil : $0 } }

  private func bounded(_ name: String) -> Int64? { number(name).flatMap { $0 == .max ? nil : $0 } }
}

extension ControlClient {
  /// All settings of a topic.
  /// - Throws: `unknownTopic`, `notAuthorized` (DescribeConfigs on the topic), `unreachable`.
  package func settings(of topic: String, withinMs: Int64) throws(EdgeError) -> TopicSettings {
    try attempt("cannot get the settings of topic \"\(topic)\"", withinMs: withinMs) { timeoutMs in
      var resource = rd_kafka_ConfigResource_new(RD_KAFKA_RESOURCE_TOPIC, topic)
      defer { rd_kafka_ConfigResource_destroy(resource) }
      return Self.admin(client, RD_KAFKA_ADMIN_OP_DESCRIBECONFIGS, timeoutMs) { options, queue in
        rd_kafka_DescribeConfigs(client.handle, &resource, 1, options, queue)
      } read: { event in
        Self.resource { rd_kafka_DescribeConfigs_result_resources(rd_kafka_event_DescribeConfigs_result(event), &$0) }
          .map(TopicSettings.init)
      }
    }
  }

  /// Changes some settings of a topic and keeps the others. librdkafka 2.0 can only replace all at once, so the others are read
  /// and written again: a concurrent change by another client may be lost.
  /// - Parameter isTrial: Whether brokers only validate the request.
  package func alterSettings(
    of topic: String, _ changes: [(String, String)], isTrial: Bool = false, withinMs: Int64
  ) throws(EdgeError) {
    let deadline = Deadline(afterMs: withinMs)
    var own = try settings(of: topic, withinMs: withinMs).values.filter { $0.value.isOwn }.mapValues { $0.text ?? "" }
    for (key, value) in changes { own[key] = value }
    try attempt("cannot change the settings of topic \"\(topic)\"", withinMs: deadline.leftMs) { timeoutMs -> Attempt<Void> in
      var resource = rd_kafka_ConfigResource_new(RD_KAFKA_RESOURCE_TOPIC, topic)
      defer { rd_kafka_ConfigResource_destroy(resource) }
      for (key, value) in own { rd_kafka_ConfigResource_set_config(resource, key, value) }
      var text = [CChar](repeating: 0, count: 512)
      return Self.admin(client, RD_KAFKA_ADMIN_OP_ALTERCONFIGS, timeoutMs) { options, queue in
        if isTrial { rd_kafka_AdminOptions_set_validate_only(options, 1, &text, 512) }
        rd_kafka_AlterConfigs(client.handle, &resource, 1, options, queue)
      } read: { event in
        Self.resource { rd_kafka_AlterConfigs_result_resources(rd_kafka_event_AlterConfigs_result(event), &$0) }.map { _ in }
      }
    }
  }

  /// Returns the only resource of a response. The event owns it.
  private static func resource(
    _ read: (_ count: inout Int) -> UnsafeMutablePointer<OpaquePointer?>?
  ) -> Attempt<OpaquePointer> {
    guard let found = theOne(read) else { return .failed(RD_KAFKA_RESP_ERR__BAD_MSG) }
    let error = rd_kafka_ConfigResource_error(found)
    guard error != RD_KAFKA_RESP_ERR_NO_ERROR else { return .done(found) }
    return .failed(error, detail: rd_kafka_ConfigResource_error_string(found).map { String(cString: $0) })
  }
}

extension TopicSettings {
  fileprivate init(_ resource: OpaquePointer) {
    var count = 0
    let entries = rd_kafka_ConfigResource_configs(resource, &count)
    var values: [String: Value] = [:]
    for index in 0..<count {
      guard let entry = entries?[index], let name = rd_kafka_ConfigEntry_name(entry) else { continue }
      values[String(cString: name)] = Value(
        text: rd_kafka_ConfigEntry_value(entry).map { String(cString: $0) },
        isOwn: rd_kafka_ConfigEntry_source(entry) == RD_KAFKA_CONFIG_SOURCE_DYNAMIC_TOPIC_CONFIG)
    }
    self.init(values: values)
  }
}
