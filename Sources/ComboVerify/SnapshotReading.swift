package import ComboEdge
package import ComboRooms
package import ComboSystem
package import ComboWire

/// The records of a partition in the state topic.
package struct SnapshotReading {
  package let state: PartitionTopics.State
  let source: PartitionTopics

  /// Reads the partition. Throws its fault if that is more than a broken record.
  package init(_ number: Int32, _ topics: TopicIdentity, _ reader: any ReadEdge, log: ServiceLog) throws {
    source = PartitionTopics(number, ServiceConfiguration(topics: topics), reader, log: log)
    do {
      state = try source.readState()
    } catch PartitionTopics.Stop.refused(let reason) {
      throw VerifyFault(reason)
    } catch PartitionTopics.Stop.kafka(let error) {
      throw error
    }
  }
}
