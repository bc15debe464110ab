package import ComboSystem

// The interface between the service's logic and the log that it reads and writes: Kafka, a file, or a simulation.

/// The topics that a group reads and writes.
package enum Topic: Int, CaseIterable, Sendable {
  case input, output, journal, state, deadLetter

  /// The topic's name in sentences.
  package var word: String { self == .deadLetter ? "dead-letter" : "\(self)" }
}

/// Receives the events of a group member. Called from within ``GroupEdge/poll(maxWaitMs:hold:_:)`` or `close`, on their thread.
package protocol GroupEdgeDelegate: AnyObject {
  /// Called when partitions are assigned to this member. No records of a partition are delivered before it is started.
  func assigned(_ partitions: [Int32])
  /// Called when partitions are revoked. Other members get them once this returns, so their consumed records must be committed
  /// now. If `lost`, other members have them already, and all uncommitted work must be aborted. The time for this is a small part
  /// of `max.poll.interval.ms`. No records of them are delivered afterwards.
  func revoked(_ partitions: [Int32], lost: Bool)
  /// Called with an error; the member keeps trying. The same error is not reported more often than every 30 s, except for those
  /// of a partition (`offsetOutOfRange`, `positionLost`), after which that partition delivers nothing until it is started again.
  func failed(_ error: EdgeError, partition: Int32?)
}

/// A member of the consumer group. Used by the loop's thread only.
package protocol GroupEdge: AnyObject {
  var delegate: (any GroupEdgeDelegate)? { get set }
  /// The offsets that the group has committed.
  var offsets: any GroupOffsets { get }
  /// Joins the group.
  func subscribe() throws(EdgeError)
  /// Waits up to `maxWaitMs` for a record, then delivers the available ones.
  /// - Parameter hold: 0 or 1. Lasting records of the last poll with the same value are released; those of the other one stay.
  func poll(maxWaitMs: Int32, hold: Int, _ body: (InputRecord) -> Void)
  /// Releases all delivered records: nobody reads them any more.
  func release()
  /// Starts to deliver the partitions' records, from these offsets on. After an error, any of them may have been started.
  func start(_ partitions: [(partition: Int32, offset: Int64)]) throws(EdgeError)
  /// Stops delivering the partition's records, until it is started again.
  func stop(_ partition: Int32)
  /// Stops the partition for a longer time: its records are not fetched either.
  func pause(_ partition: Int32)
  /// Commits offsets outside of any transaction, for tools that show the lag, without waiting.
  func commitWithoutWaiting(_ offsets: [CommittedOffset])
  /// Returns the end offset of a partition, as far as known, without a request.
  func end(of partition: Int32) -> Int64?
  /// Leaves the group.
  func close()
}

extension GroupEdge {
  package func release() {}
  package func pause(_ partition: Int32) { stop(partition) }
  package func end(of partition: Int32) -> Int64? { nil }
}

/// Asks for the offsets that a group has committed. Any thread.
package protocol GroupOffsets: Sendable {
  /// Returns the offset that the group has committed, once no transaction is open on it.
  func committed(_ partition: Int32) throws(EdgeError) -> CommittedOffset
  /// Returns the offsets that the group has committed, in the order of the partitions. Unlike ``committed(_:)`` it soon fails if
  /// a transaction is open on one of them.
  func committed(_ partitions: [Int32]) throws(EdgeError) -> [CommittedOffset]
  /// Returns those of the partitions whose committed offset an open transaction is about to change.
  func pendingOffsets(_ partitions: [Int32]) throws(EdgeError) -> [Int32]
}

extension GroupOffsets {
  package func committed(_ partitions: [Int32]) throws(EdgeError) -> [CommittedOffset] {
    try partitions.map { partition throws(EdgeError) in try committed(partition) }
  }

  package func pendingOffsets(_ partitions: [Int32]) throws(EdgeError) -> [Int32] { [] }
}

/// The transactional producer. ``produce(_:partition:key:value:timestamp:headers:)`` may be called by any thread, the rest by the
/// loop's thread only.
package protocol OutputEdge: AnyObject, Sendable {
  func begin() throws(TransactionFault)
  /// Produces a record, and copies its arguments. The next ``commit(_:)`` reports errors.
  /// - Parameter partition: The partition, or nil to choose it by the key, as Java's producer does.
  func produce(_ topic: Topic, partition: Int32?, key: Bytes?, value: Bytes?, timestamp: Int64?, headers: [RecordHeader])
  /// Sends the offsets and commits; returns once all of it is durable.
  func commit(_ offsets: [CommittedOffset]) throws(TransactionFault)
  /// Discards what was produced since ``begin()``. The producer cannot be used for another transaction.
  func abort() throws(TransactionFault)
  /// Replaces the producer, and ends what the old one left open.
  func renew() throws(EdgeError)
  /// Serves the client's callbacks. To be called often.
  func serve()
  /// Makes sure that this partition of journal and state can be produced to, even if it is newer than the producer.
  func prepare(_ partition: Int32) throws(EdgeError)
}

extension OutputEdge {
  package func prepare(_ partition: Int32) throws(EdgeError) {}
}

/// The producer without transactions, which writes at once: each record once, in order, and none after one that failed. Used by
/// the loop's thread only.
package protocol DirectEdge: AnyObject {
  /// Replaces the producer. The old one reports nothing more, but its records in flight may still arrive.
  func renew() throws(EdgeError)
  /// Produces a record, and copies its arguments. Waits up to a limit while there is no room for it. Once a record has failed,
  /// even for lack of room, no more are accepted or waited for.
  /// - Parameters:
  ///   - partition: The partition, or nil to choose it by the key, as Java's producer does.
  ///   - tag: A number other than 0, with which ``serve(maxWaitMs:_:)`` reports the record's outcome.
  func produce(
    _ topic: Topic, partition: Int32?, key: Bytes?, value: Bytes?, timestamp: Int64?, headers: [RecordHeader], tag: UInt)
  /// Reports the records that all replicas have acknowledged, with their offsets. An offset is negative if unknown, as that of a
  /// record that had to be sent again and was there already. Waits up to `maxWaitMs` for the first record.
  /// - Throws: An error once the producer is unusable, or a record could not be delivered.
  func serve(maxWaitMs: Int32, _ acknowledged: (_ tag: UInt, _ offset: Int64) -> Void) throws(EdgeError)
  /// Makes sure that this partition of the journal can be produced to, even if it is newer than the producer.
  func prepare(_ partition: Int32) throws(EdgeError)
}

/// Reads partitions from one offset to another, `read_committed`. Any number of reads at a time, on any threads.
package protocol ReadEdge: AnyObject, Sendable {
  /// Returns the first offset that still exists, and the one after the last, whether committed or not.
  func bounds(_ topic: Topic, _ partition: Int32) throws(EdgeError) -> (first: Int64, end: Int64)
  /// Returns the offset up to which all transactions have been committed or aborted.
  func stableEnd(_ topic: Topic, _ partition: Int32) throws(EdgeError) -> Int64
  /// Returns the extents of these partitions of a topic, in their order.
  func extents(_ topic: Topic, _ partitions: [Int32]) throws(EdgeError) -> [Extent]
  /// Returns the end offsets of these partitions of a topic, whether committed or not.
  func ends(_ topic: Topic, _ partitions: [Int32]) throws(EdgeError) -> [(partition: Int32, end: Int64)]
  /// Returns the transactions open in these partitions of a topic. Producers at work have some too, so one check means nothing.
  func openTransactions(_ topic: Topic, _ partitions: [Int32]) throws(EdgeError) -> [OpenTransaction]
  /// Returns the first offset whose record is of this time or later, or nil if none.
  func offset(_ topic: Topic, _ partition: Int32, atMs time: Int64) throws(EdgeError) -> Int64?
  /// Creates the partitions of journal and state up to this one, if the input has gained them and they have not.
  func makeRoom(for partition: Int32) throws(EdgeError)
  func partitions(_ topic: Topic) throws(EdgeError) -> Range<Int32>
  /// Reads all committed records from `start` on, below `end`, until `body` returns false, or `isCancelled`, which is called now
  /// and then, returns true. Waits for open transactions.
  func read(
    _ topic: Topic, _ partition: Int32, from start: Int64, to end: Int64, unless isCancelled: () -> Bool,
    _ body: (InputRecord) -> Bool
  ) throws(EdgeError)
  /// Reads all records, even those of aborted or open transactions, and waits for none.
  func readAll(
    _ topic: Topic, _ partition: Int32, from start: Int64, to end: Int64, _ body: (InputRecord) -> Bool
  ) throws(EdgeError)
}

/// The cluster to which the brokers belong.
package enum ClusterAnswer: Equatable, Sendable {
  /// The cluster to which they belonged when this process started.
  case own
  /// Another one, as a sentence.
  case other(String)
  /// They did not respond.
  case unknown
}

/// The offsets between which a partition has records.
package struct Extent: Equatable, Sendable {
  /// The first offset that still exists, and the one after the last, whether committed or not.
  package let first: Int64
  package let end: Int64
  /// The offset up to which all transactions have been committed or aborted. It was read after the end.
  package let stableEnd: Int64

  /// The number of offsets, which is at least that of records.
  package var count: Int64 { end - first }

  package init(first: Int64, end: Int64, stableEnd: Int64) {
    self.first = first
    self.end = end
    self.stableEnd = stableEnd
  }
}

extension ReadEdge {
  package func extents(_ topic: Topic, _ partitions: [Int32]) throws(EdgeError) -> [Extent] {
    try partitions.map { partition throws(EdgeError) in
      let bounds = try bounds(topic, partition)
      return Extent(first: bounds.first, end: bounds.end, stableEnd: try stableEnd(topic, partition))
    }
  }

  package func ends(_ topic: Topic, _ partitions: [Int32]) throws(EdgeError) -> [(partition: Int32, end: Int64)] {
    try partitions.map { partition throws(EdgeError) in (partition, try bounds(topic, partition).end) }
  }

  package func openTransactions(_ topic: Topic, _ partitions: [Int32]) throws(EdgeError) -> [OpenTransaction] {
    var found: [OpenTransaction] = []
    for partition in partitions {
      // The end first: a stable end that is read later may be beyond it.
      let end = try bounds(topic, partition).end
      let stable = try stableEnd(topic, partition)
      if stable < end { found.append(OpenTransaction(topic: topic, partition: partition, offset: stable, end: end)) }
    }
    return found
  }

  /// Returns the transaction with the timestamp of its first record.
  package func withTime(_ transaction: OpenTransaction) -> OpenTransaction {
    var found = transaction
    // Without the right to read the topic, the time stays unknown.
    try? readAll(found.topic, found.partition, from: found.offset, to: found.offset + 1) { record in
      found.since = record.time?.ms
      return false
    }
    return found
  }

  package func makeRoom(for partition: Int32) throws(EdgeError) {}

  /// Reads records like `read`, with a `body` that can fail: its first error ends the reading, and is thrown.
  package func scan(
    _ topic: Topic, _ partition: Int32, from start: Int64, to end: Int64, _ body: (InputRecord) throws -> Bool
  ) throws {
    var fault: (any Error)?
    try read(topic, partition, from: start, to: end, unless: { false }) { record in
      do {
        return try body(record)
      } catch {
        fault = error
        return false
      }
    }
    if let fault { throw fault }
  }

  package func readAll(
    _ topic: Topic, _ partition: Int32, from start: Int64, to end: Int64, _ body: (InputRecord) -> Bool
  ) throws(EdgeError) {
    try read(topic, partition, from: start, to: end, unless: { false }, body)
  }
}

/// A topic of the group that was deleted, or created again.
package struct LostTopic: Equatable, Sendable {
  package let topic: Topic
  /// The event, as the end of a sentence.
  package let what: String

  package init(_ topic: Topic, _ what: String) {
    self.topic = topic
    self.what = what
  }
}

/// Checks that the topics that a service writes are still the same. Partitions that became shorter are found by other means. One
/// thread at a time.
package protocol TopicWatch: AnyObject, Sendable {
  /// Checks the topics. Blocks.
  /// - Returns: The first lost topic, once several checks in a row have found it lost.
  func check() throws(EdgeError) -> LostTopic?
}

/// A registry's answer about a schema.
package enum SchemaAnswer: Equatable, Sendable {
  /// The schema, as the map reads it.
  case schema(String)
  /// There is no schema of this id, or not yet.
  case unknown(String)
  /// The schema can never be used, for this reason.
  case unusable(String)
  /// There is no answer, for this reason.
  case none(String)
}

/// A source of schemas that records name and the map does not have.
package protocol SchemaSource: AnyObject, Sendable {
  /// Requests a schema. Blocks; any thread.
  func ask(_ id: String) -> SchemaAnswer
  /// Returns whether refused schemas must be requested again: true once after each request for a retry.
  func takeRetry() -> Bool
}

/// The interfaces through which a service reads and writes.
package struct Edges {
  package var group: any GroupEdge
  package var output: any OutputEdge
  /// Needed for at-least-once delivery only.
  package var direct: (any DirectEdge)?
  package var reader: any ReadEdge
  package var time: any TimeSource
  /// Needed if the output does not accept records of any time.
  package var clockTrial: ClockTrial?
  /// Ends what the last owners of partitions left open, if they are no longer members of the group. Blocks; any thread. Not
  /// needed if the service is alone.
  package var endLeftOver: (@Sendable ([Int32]) -> Void)?
  /// Needed if others can delete its topics.
  package var topicWatch: (any TopicWatch)?
  /// Returns whether the brokers belong to the same cluster as before. Blocks; any thread. Not needed if there can be only one.
  package var cluster: (@Sendable () -> ClusterAnswer)?
  /// Returns the newest rules of the engine that every member of the group can follow, or nil if unknown. Blocks; any thread. Not
  /// needed if the service is alone.
  package var groupRules: (@Sendable () -> Int?)?
  /// The source of schemas, or nil if a record that names an unknown schema is bad.
  package var schemas: (any SchemaSource)?
  /// Runs blocking work outside of the loop.
  package var inBackground: @Sendable (BackgroundTask, @escaping @Sendable () -> Void) -> Void = BackgroundTask.run

  package init(
    group: any GroupEdge, output: any OutputEdge, direct: (any DirectEdge)? = nil, reader: any ReadEdge, time: any TimeSource,
    clockTrial: ClockTrial? = nil
  ) {
    (self.group, self.output, self.direct, self.reader) = (group, output, direct, reader)
    (self.time, self.clockTrial) = (time, clockTrial)
  }
}
