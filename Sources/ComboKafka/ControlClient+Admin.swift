internal import CKafka
package import ComboEdge
internal import ComboSystem

extension ControlClient {
  /// Creates a topic and waits until each of its partitions has a leader. An existing topic is left as it is.
  ///
  /// - Parameters:
  ///   - replicationFactor: The replication factor, or nil for the broker's default.
  ///   - settings: The topic's settings, such as `cleanup.policy`.
  ///   - isTrial: Whether brokers only validate the request.
  /// - Returns: Whether the topic is new.
  @discardableResult
  package func createTopic(
    _ name: String, partitions: Int, replicationFactor: Int? = nil, settings: [(String, String)] = [], isTrial: Bool = false,
    withinMs: Int64
  ) throws(EdgeError) -> Bool {
    let deadline = Deadline(afterMs: withinMs)
    let isNew = try attempt("cannot create topic \"\(name)\"", withinMs: withinMs) { timeoutMs -> Attempt<Bool> in
      var text = [CChar](repeating: 0, count: 512)
      var topic = rd_kafka_NewTopic_new(name, Int32(clamping: partitions), Int32(clamping: replicationFactor ?? -1), &text, 512)
      guard topic != nil else { return .failed(RD_KAFKA_RESP_ERR__INVALID_ARG, detail: Self.text(text)) }
      defer { rd_kafka_NewTopic_destroy(topic) }
      for (key, value) in settings { rd_kafka_NewTopic_set_config(topic, key, value) }
      let answer = Self.admin(client, RD_KAFKA_ADMIN_OP_CREATETOPICS, timeoutMs) { options, queue in
        if isTrial { rd_kafka_AdminOptions_set_validate_only(options, 1, &text, 512) }
        rd_kafka_CreateTopics(client.handle, &topic, 1, options, queue)
      } read: { event in
        Self.result { rd_kafka_CreateTopics_result_topics(rd_kafka_event_CreateTopics_result(event), &$0) }
      }
      if case .failed(RD_KAFKA_RESP_ERR_TOPIC_ALREADY_EXISTS, _, _) = answer { return .done(false) }
      return answer.map { true }
    }
    if !isTrial { try waitForLeaders(name, atLeast: isNew ? partitions : 1, withinMs: max(1, deadline.leftMs)) }
    return isNew
  }

  /// Raises the number of partitions to `total`. It is no error if another client has already added them.
  /// - Parameter isTrial: Whether brokers only validate the request.
  package func createPartitions(_ topic: String, total: Int, isTrial: Bool = false, withinMs: Int64) throws(EdgeError) {
    let deadline = Deadline(afterMs: withinMs)
    if let count = try partitionCount(topic, withinMs: withinMs), count >= total { return }
    try attempt("cannot raise topic \"\(topic)\" to \(total) partitions", withinMs: deadline.leftMs) {
      timeoutMs -> Attempt<Void> in
      var text = [CChar](repeating: 0, count: 512)
      var more = rd_kafka_NewPartitions_new(topic, total, &text, 512)
      guard more != nil else { return .failed(RD_KAFKA_RESP_ERR__INVALID_ARG, detail: Self.text(text)) }
      defer { rd_kafka_NewPartitions_destroy(more) }
      let answer = Self.admin(client, RD_KAFKA_ADMIN_OP_CREATEPARTITIONS, timeoutMs) { options, queue in
        if isTrial { rd_kafka_AdminOptions_set_validate_only(options, 1, &text, 512) }
        rd_kafka_CreatePartitions(client.handle, &more, 1, options, queue)
      } read: { event in
        Self.result { rd_kafka_CreatePartitions_result_topics(rd_kafka_event_CreatePartitions_result(event), &$0) }
      }
      // The controller has as many or more; the broker asked before had older metadata.
      if case .failed(RD_KAFKA_RESP_ERR_INVALID_PARTITIONS, _, _) = answer, total > 0 { return .done(()) }
      return answer
    }
    if isTrial { return }
    try waitForLeaders(topic, atLeast: total, withinMs: max(1, deadline.leftMs))
  }

  /// Waits until each partition has a leader: metadata reaches the brokers a moment after a topic is created.
  private func waitForLeaders(_ topic: String, atLeast partitions: Int, withinMs: Int64) throws(EdgeError) {
    let handle = try TopicHandle(topic, client)
    try attempt("a partition of topic \"\(topic)\" has no leader yet", withinMs: withinMs) { timeoutMs -> Attempt<Void> in
      let (topics, error) = client.metadata(of: handle.pointer, timeoutMs: timeoutMs)
      guard let found = topics.first else { return .failed(error ?? RD_KAFKA_RESP_ERR__TIMED_OUT) }
      if found.error == RD_KAFKA_RESP_ERR_NO_ERROR, found.hasLeaders, found.partitionCount >= partitions {
        return .done(())
      }
      let isTransient = [RD_KAFKA_RESP_ERR_NO_ERROR, RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART].contains(found.error)
      return .failed(isTransient ? RD_KAFKA_RESP_ERR_LEADER_NOT_AVAILABLE : found.error)
    }
  }

  // MARK: Requests

  /// Sends one admin request and reads its response.
  /// - Parameter expiresMs: The time after which librdkafka ends the request by itself, or nil for soon before the time-out.
  static func admin<Result>(
    _ client: KafkaClient, _ operation: rd_kafka_admin_op_t, _ timeoutMs: Int32, expiresMs: Int32? = nil,
    send: (_ options: OpaquePointer?, _ queue: OpaquePointer?) -> Void,
    read: (_ event: OpaquePointer) -> Attempt<Result>
  ) -> Attempt<Result> {
    let queue = rd_kafka_queue_new(client.handle)
    defer { rd_kafka_queue_destroy(queue) }
    let options = rd_kafka_AdminOptions_new(client.handle, operation)
    defer { rd_kafka_AdminOptions_destroy(options) }
    var text = [CChar](repeating: 0, count: 512)
    _ = rd_kafka_AdminOptions_set_request_timeout(options, expiresMs ?? timeoutMs, &text, 512)
    send(options, queue)
    // One more second lets librdkafka report its own error.
    guard let event = rd_kafka_queue_poll(queue, expiresMs == nil ? timeoutMs + 1000 : timeoutMs) else {
      return .failed(RD_KAFKA_RESP_ERR__TIMED_OUT)
    }
    defer { rd_kafka_event_destroy(event) }
    let error = rd_kafka_event_error(event)
    guard error == RD_KAFKA_RESP_ERR_NO_ERROR else {
      return .failed(error, detail: rd_kafka_event_error_string(event).map { String(cString: $0) })
    }
    return read(event)
  }

  /// The only element of a response, or nil if it does not have exactly one.
  /// - Parameter read: Returns the elements, and sets their number.
  static func theOne(_ read: (_ count: inout Int) -> UnsafeMutablePointer<OpaquePointer?>?) -> OpaquePointer? {
    var count = 0
    let elements = read(&count)
    return count == 1 ? elements?[0] : nil
  }

  /// The result of a request for one topic.
  package static func result(_ read: (_ count: inout Int) -> UnsafeMutablePointer<OpaquePointer?>?) -> Attempt<Void> {
    guard let result = theOne(read) else { return .failed(RD_KAFKA_RESP_ERR__BAD_MSG) }
    let error = rd_kafka_topic_result_error(result)
    guard error == RD_KAFKA_RESP_ERR_NO_ERROR else {
      return .failed(error, detail: rd_kafka_topic_result_error_string(result).map { String(cString: $0) })
    }
    return .done(())
  }

  package static func text(_ characters: [CChar]) -> String {
    String(decoding: characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}

extension ControlClient.Attempt {
  package func map<Other>(_ change: (Result) -> Other) -> ControlClient.Attempt<Other> {
    switch self {
    case .done(let result): .done(change(result))
    case .failed(let number, let detail, let isTransient): .failed(number, detail: detail, isTransient: isTransient)
    }
  }
}
