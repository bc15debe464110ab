/// A transaction that is open in a partition: who reads only what is committed gets nothing of it from there on, of whatever producer.
package struct OpenTransaction: Equatable, Sendable {
  package let topic: Topic
  package let partition: Int32
  /// Of the first record of it.
  package let offset: Int64
  /// Where the partition ends.
  package let end: Int64
  /// When that record was written, in milliseconds since the Unix epoch; nil: it may not be read, or nobody has looked.
  package var since: Int64?

  package init(topic: Topic, partition: Int32, offset: Int64, end: Int64, since: Int64? = nil) {
    self.topic = topic
    self.partition = partition
    self.offset = offset
    self.end = end
    self.since = since
  }

  /// Whether both are the same transaction, as far as can be told.
  package func isSame(as other: OpenTransaction) -> Bool {
    topic == other.topic && partition == other.partition && offset == other.offset
  }

  /// What an operator does about it, as a sentence.
  /// - Parameters:
  ///   - topic: the topic's name.
  ///   - offset: of the first record; nil: not known.
  package static func remedy(_ brokers: String, _ topic: String, _ partition: Int32, offset: Int64?) -> String {
    let place = "--topic \(topic) --partition \(partition)"
    let tool = "kafka-transactions.sh --bootstrap-server \(brokers)"
    return
      "To find its producer: `\(tool) describe-producers \(place)`, and whether it is at work: `\(tool) list`. If that producer is gone, or its"
      + " ProducerId is not Ongoing there, end the transaction: `\(tool) abort \(place) --start-offset \(offset.map(String.init) ?? "OFFSET")`"
  }
}

extension Topic {
  /// What a transaction that stays open in it does, as a part of a sentence.
  package var effectOfOpenTransaction: String {
    switch self {
    case .input: "nothing is taken in from there on"
    case .output: "readers of committed records get nothing of it from there on"
    case .journal, .state, .deadLetter: "who takes the partition over may have to wait for its end"
    }
  }
}
