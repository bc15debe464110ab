package import ComboCore
package import ComboEdge

package struct StateTopicWriter: StateWriter {
  private let output: any OutputEdge
  private let partition: Int32

  package init(_ output: any OutputEdge, _ partition: Int32) {
    self.output = output
    self.partition = partition
  }

  package func write(key: Bytes, value: Bytes?) {
    output.produce(.state, partition: partition, key: key, value: value, timestamp: nil, headers: [])
  }
}
