/// The statistics of one librdkafka client, summed over brokers and partitions, so that the number of figures does not depend on
/// the size of the cluster.
package struct ClientFigures: Equatable, Sendable {
  package var client: String
  /// Records that wait to be sent and their bytes, and the maximum of each.
  package var queueRecords = 0.0
  package var queueBytes = 0.0
  package var queueRecordsMax = 0.0
  package var queueBytesMax = 0.0
  /// Records fetched and not consumed yet.
  package var fetchedRecords = 0.0
  package var fetchedBytes = 0.0
  package var recordsSent = 0.0
  package var recordBytesSent = 0.0
  package var recordsReceived = 0.0
  package var recordBytesReceived = 0.0
  package var requests = 0.0
  package var responses = 0.0
  package var bytesSent = 0.0
  package var bytesReceived = 0.0
  /// Operations that wait to be served by the program.
  package var operations = 0.0
  // Totals of all brokers.
  package var brokers = 0.0
  package var brokersUp = 0.0
  package var requestsWaiting = 0.0
  package var requestErrors = 0.0
  package var responseErrors = 0.0
  package var requestTimeouts = 0.0
  package var connects = 0.0
  package var disconnects = 0.0
  /// The largest of the brokers' 99th percentiles.
  package var roundTripSeconds = 0.0
  package var throttleSeconds = 0.0
  /// The number of rebalances of the consumer's group, or nil for a producer.
  package var rebalances: Double?

  package init(client: String) {
    self.client = client
  }

  package var isConsumer: Bool { rebalances != nil }
}
