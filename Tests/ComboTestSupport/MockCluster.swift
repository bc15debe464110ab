import CKafka
import ComboEdge

@testable import ComboKafka

/// librdkafka's own broker inside the process, without installation.
///
/// It fakes transactions (an abort hides no records, offsets are discarded), does not compact, has no admin requests, and keeps
/// 5 MiB or 100,000 records a partition. A group's first join takes 3 s.
final class MockCluster {
  /// The addresses of its brokers, on loopback; other processes may use them too.
  let brokers: String
  private let client: KafkaClient
  private let cluster: OpaquePointer

  /// - Parameter brokers: The number of brokers.
  init(brokers count: Int = 1, log: KafkaLog = .none) throws(EdgeError) {
    // The cluster needs a client to belong to, which never connects to anything.
    let nowhere = try KafkaProperties(brokers: "127.0.0.1:1", clientID: "mock-cluster", logLevel: .emergency, log: log)
    let own = [("enable.sparse.connections", "true")]
    client = try KafkaClient(.producer, nowhere, own, callbacks: ClientCallbacks(.producer, nowhere))
    guard let cluster = rd_kafka_mock_cluster_new(client.handle, Int32(count)) else {
      throw EdgeError(
        .other, "cannot make a broker inside the process: no port on loopback, or no memory. Free some and start again.")
    }
    self.cluster = cluster
    self.brokers = String(cString: rd_kafka_mock_cluster_bootstraps(cluster))
  }

  deinit { rd_kafka_mock_cluster_destroy(cluster) }

  /// Creates a topic, unless it exists.
  func createTopic(_ name: String, partitions: Int) throws(EdgeError) {
    let error = rd_kafka_mock_topic_create(cluster, name, Int32(partitions), 1)
    if error != RD_KAFKA_RESP_ERR_NO_ERROR && error != RD_KAFKA_RESP_ERR_TOPIC_ALREADY_EXISTS {
      throw EdgeError(error, failed: "cannot create topic \"\(name)\" on the broker inside the process", brokers: brokers)
    }
  }

  /// Stops a broker: connections end, and new ones are refused. Brokers are numbered from 1.
  func takeAway(broker: Int32) { rd_kafka_mock_broker_set_down(cluster, broker) }

  func bringBack(broker: Int32) { rd_kafka_mock_broker_set_up(cluster, broker) }

  /// Delays all answers of a broker.
  func delayAnswers(broker: Int32, ms: Int32) { rd_kafka_mock_broker_set_rtt(cluster, broker, ms) }

  /// Makes a broker the leader of a partition.
  func lead(_ topic: String, _ partition: Int32, by broker: Int32) {
    rd_kafka_mock_partition_set_leader(cluster, topic, partition, broker)
  }

  /// Makes a broker the coordinator of a group.
  func coordinate(group: String, by broker: Int32) { rd_kafka_mock_coordinator_set(cluster, "group", group, broker) }

  /// Answers the next produce requests with these errors, whatever became of their records.
  func answerProducing(with errors: [rd_kafka_resp_err_t]) {
    rd_kafka_mock_push_request_errors_array(cluster, 0, errors.count, errors)
  }

  /// Answers the next requests of this number in Kafka's protocol with an error, if they go to this broker.
  func answer(request number: Int16, to broker: Int32, with error: rd_kafka_resp_err_t, times: Int) {
    for _ in 0..<times { _ = combo_mock_broker_answer(cluster, broker, number, error) }
  }

  /// Disables a request from now on, by its number in Kafka's protocol.
  func leaveOut(request number: Int16) { rd_kafka_mock_set_apiversion(cluster, number, -1, -1) }

  /// Returns properties for its clients.
  func properties(
    clientID: String = "combo-consumer", overrides: [KafkaProperty] = [], log: KafkaLog = .none
  ) throws(EdgeError) -> KafkaProperties {
    try KafkaProperties(brokers: brokers, clientID: clientID, overrides: overrides, log: log)
  }
}
