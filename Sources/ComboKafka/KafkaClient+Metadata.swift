internal import CKafka

/// The brokers' metadata of one topic.
struct TopicMetadata {
  let name: String
  let error: rd_kafka_resp_err_t
  let partitionCount: Int
  /// Whether each partition has a leader.
  let hasLeaders: Bool
}

extension KafkaClient {
  /// Requests metadata from the brokers, once.
  /// - Parameters:
  ///   - topic: The topic, or nil for those that the client knows.
  ///   - isOfAll: Whether to request the metadata of all topics of the cluster.
  func metadata(
    of topic: OpaquePointer?, isOfAll: Bool = false, timeoutMs: Int32
  ) -> (topics: [TopicMetadata], error: rd_kafka_resp_err_t?) {
    var answer: (topics: [TopicMetadata], error: rd_kafka_resp_err_t?) = ([], nil)
    answer.error = withMetadata(of: topic, isOfAll: isOfAll, timeoutMs: timeoutMs) { metadata in
      answer.topics = UnsafeBufferPointer(start: metadata.topics, count: Int(metadata.topic_cnt)).map(TopicMetadata.init)
    }
    return answer
  }

  /// Requests metadata from the brokers, once, and passes it to `body`.
  /// - Returns: The error, if any; `body` was not called then.
  func withMetadata(
    of topic: OpaquePointer?, isOfAll: Bool = false, timeoutMs: Int32, _ body: (rd_kafka_metadata) -> Void
  ) -> rd_kafka_resp_err_t? {
    var metadata: UnsafePointer<rd_kafka_metadata>?
    let error = rd_kafka_metadata(handle, isOfAll ? 1 : 0, topic, &metadata, timeoutMs)
    guard error == RD_KAFKA_RESP_ERR_NO_ERROR, let metadata else { return error }
    answered()
    body(metadata.pointee)
    rd_kafka_metadata_destroy(metadata)
    return nil
  }
}

extension TopicMetadata {
  init(_ topic: rd_kafka_metadata_topic) {
    let partitions = UnsafeBufferPointer(start: topic.partitions, count: Int(topic.partition_cnt))
    self.init(
      name: topic.topic.map { String(cString: $0) } ?? "", error: topic.err, partitionCount: partitions.count,
      hasLeaders: !partitions.isEmpty && partitions.allSatisfy { $0.leader >= 0 })
  }
}
