/// A transaction of any producer that is open in a partition. Readers of committed records get nothing from its first record on.
package struct OpenTransaction: Equatable, Sendable {
  package let topic: Topic
  package let partition: Int32
  /// The offset of its first record.
  package let offset: Int64
  /// The end offset of the partition.
  package let end: Int64
  /// The timestamp of that record, in milliseconds since the Unix epoch, or nil if it was not read, or may not be.
  package var since: Int64?

  package init(topic: Topic, partition: Int32, offset: Int64, end: Int64) {
    self.topic = topic
    self.partition = partition
    self.offset = offset
    self.end = end
  }

  /// Whether both are the same transaction, as far as known.
  package func isSame(as other: OpenTransaction) -> Bool {
    topic == other.topic && partition == other.partition && offset == other.offset
  }

  /// Returns the operator's remedy, as a sentence.
  /// - Parameters:
  ///   - topic: The topic's name.
  ///   - offset: The offset of the first record, or nil if unknown.
  package static func remedy(_ brokers: String, _ topic: String, _ partition: Int32, offset: Int64?) -> String {
    let place = "--topic \(topic) --partition \(partition)"
    let tool = "kafka-transactions.sh --bootstrap-server \(brokers)"
    return
      "To find its producer: `\(tool) describe-producers \(place)`, and whether it is at work: `\(tool) list`. If that producer is gone, or its"
      + " ProducerId is not Ongoing there, end the transaction: `\(tool) abort \(place) --start-offset \(offset.map(String.init) ?? "OFFSET")`"
  }
}

extension Topic {
  /// The effect of a transaction that stays open in it, as a part of a sentence.
  package var effectOfOpenTransaction: String {
    switch self {
    case .input: "no record is processed from there on"
    case .output: "readers of committed records get nothing of it from there on"
    case .journal, .state, .deadLetter: "a takeover of the partition may have to wait for its end"
    }
  }
}
