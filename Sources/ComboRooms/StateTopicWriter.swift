package import ComboCore
package import ComboEdge

/// Writes to a group's state topic, inside the open transaction.
package struct StateTopicWriter {
  private let output: any OutputEdge
  private let partition: Int32

  package init(_ output: any OutputEdge, _ partition: Int32) {
    self.output = output
    self.partition = partition
  }

  /// Writes a record of a partition; a value of nil deletes the key.
  package func write(key: Bytes, value: Bytes?) {
    output.produce(.state, partition: partition, key: key, value: value, timestamp: nil, headers: [])
  }
}
