package import ComboSystem

// The border between the service's logic and the log that it reads and writes: Kafka, a file, or a simulation.

/// The topics that a group reads and writes.
package enum Topic: Int, CaseIterable, Sendable {
  case input, output, journal, state, deadLetter

  /// As one says it.
  package var word: String { self == .deadLetter ? "dead-letter" : "\(self)" }
}

/// Hears of what happens to the group member. Called from within ``GroupEdge/poll(maxWaitMs:hold:_:)`` or `close`, on their thread.
package protocol GroupEdgeDelegate: AnyObject {
  /// From now on, these partitions belong to this member. No records of a partition are delivered before it is started.
  func assigned(_ partitions: [Int32])
  /// These partitions go to others once this returns, so what was taken from them is to be committed now; if `lost`, they are others'
  /// already, and whatever is uncommitted must be aborted. The time for it is a small part of `max.poll.interval.ms`. Nothing of them is
  /// handed out after it.
  func revoked(_ partitions: [Int32], lost: Bool)
  /// An error; the member keeps trying. The same error is not reported more often than every 30 s, except for those of a
  /// partition (`offsetOutOfRange`, `positionLost`), after which that partition delivers nothing until it is started again.
  func failed(_ error: EdgeError, partition: Int32?)
}

/// A member of the consumer group. Everything but ``committed(_:)`` is called by the loop's thread alone.
package protocol GroupEdge: AnyObject, Sendable {
  var delegate: (any GroupEdgeDelegate)? { get set }
  /// Joins the group.
  func subscribe() throws(EdgeError)
  /// Waits for a record, at most so long, then hands out what is there.
  /// - Parameter hold: 0 or 1: lasting records of the last poll with the same one are given back, those of the other one stay.
  func poll(maxWaitMs: Int32, hold: Int, _ take: (InputRecord) -> Void)
  /// Nobody looks any more at what was handed out.
  func release()
  /// From now on the partition's records are handed out, from this offset on.
  func start(_ partition: Int32, at offset: Int64) throws(EdgeError)
  /// No records of it are delivered until it is started again.
  func stop(_ partition: Int32)
  /// The same for longer: nothing of it is fetched either.
  func pause(_ partition: Int32)
  /// What the group has committed, once no transaction is open on it. Any thread.
  func committed(_ partition: Int32) throws(EdgeError) -> CommittedOffset
  /// Commits offsets outside of any transaction, for tools that show the lag, without waiting.
  func commitWithoutWaiting(_ offsets: [CommittedOffset])
  /// The end offset of a partition, as far as it is known, without a request.
  func end(of partition: Int32) -> Int64?
  /// Leaves the group.
  func close()
}

extension GroupEdge {
  package func release() {}
  package func pause(_ partition: Int32) { stop(partition) }
  package func end(of partition: Int32) -> Int64? { nil }
}

/// The transactional producer. ``produce(_:partition:key:value:timestamp:headers:)`` may be called by any thread, the rest by
/// the loop's alone.
package protocol OutputEdge: AnyObject, Sendable {
  func begin() throws(TransactionFault)
  /// Copies its arguments. The next ``commit(_:)`` reports errors.
  /// - Parameter partition: nil: by the key, as Java's producer does.
  func produce(_ topic: Topic, partition: Int32?, key: Bytes?, value: Bytes?, timestamp: Int64?, headers: [RecordHeader])
  /// Sends the offsets and commits; returns once all of it is durable.
  func commit(_ offsets: [CommittedOffset]) throws(TransactionFault)
  /// Throws away what was produced since ``begin()``. The producer is not good for another transaction.
  func abort() throws(TransactionFault)
  /// A new producer in place of the old one; what that left open is ended.
  func renew() throws(EdgeError)
  /// Lets what the client has to say be heard; call it often.
  func serve()
  /// Sees to it that this partition of journal and state can be produced to, also if it is newer than the producer.
  func prepare(_ partition: Int32) throws(EdgeError)
}

extension OutputEdge {
  package func prepare(_ partition: Int32) throws(EdgeError) {}
}

/// The producer without transactions, which writes at once: each record once, in order, and if one fails none after it. The
/// loop's thread alone uses it.
package protocol DirectEdge: AnyObject, Sendable {
  /// Replaces the producer. The old one reports nothing more, but its records in flight may still arrive.
  func renew() throws(EdgeError)
  /// Copies what it is given; waits while there is no room for it, up to a limit. Once a record has failed, be it for want of room,
  /// nothing more is taken or waited for.
  /// - Parameters:
  ///   - partition: nil: by the key, as Java's producer does.
  ///   - tag: not 0; ``serve(maxWaitMs:_:)`` reports the record's outcome with it.
  func produce(
    _ topic: Topic, partition: Int32?, key: Bytes?, value: Bytes?, timestamp: Int64?, headers: [RecordHeader], tag: UInt)
  /// Hands out what became of records: of those that are acknowledged by all replicas where they stand; a negative offset if that is
  /// not known, as of a record that had to be sent again and was there already. Waits for the first, at most so long.
  /// - Throws: once the producer is done for, or a record could not be delivered.
  func serve(maxWaitMs: Int32, _ acknowledged: (_ tag: UInt, _ offset: Int64) -> Void) throws(EdgeError)
  /// Sees to it that this partition of the journal can be produced to, also if it is newer than the producer.
  func prepare(_ partition: Int32) throws(EdgeError)
}

/// Reads partitions from one offset to another, `read_committed`. Any number at a time, by any threads.
package protocol ReadEdge: AnyObject, Sendable {
  /// The first offset that is still there, and the one after the last, whatever is committed of it.
  func bounds(_ topic: Topic, _ partition: Int32) throws(EdgeError) -> (first: Int64, end: Int64)
  /// The offset up to which all transactions have ended, one way or the other.
  func stableEnd(_ topic: Topic, _ partition: Int32) throws(EdgeError) -> Int64
  /// Where these partitions of a topic end, whatever is committed of it.
  func ends(_ topic: Topic, _ partitions: [Int32]) throws(EdgeError) -> [(partition: Int32, end: Int64)]
  /// The transactions that are open in these partitions of a topic. Those of producers at work are among them, so one look means nothing.
  func openTransactions(_ topic: Topic, _ partitions: [Int32]) throws(EdgeError) -> [OpenTransaction]
  /// The first offset whose record is of this time or later; nil: there is none.
  func offset(_ topic: Topic, _ partition: Int32, atMs time: Int64) throws(EdgeError) -> Int64?
  /// Makes this partition of journal and state, if the input has gained it and they have not.
  func makeRoom(for partition: Int32) throws(EdgeError)
  /// The partitions of a topic.
  func partitions(_ topic: Topic) throws(EdgeError) -> Range<Int32>
  /// Hands out all committed records from `start` on, below `end`, until `take` returns false or `isCancelled`, which is
  /// asked now and then, does not. Waits for transactions that are open.
  func read(
    _ topic: Topic, _ partition: Int32, from start: Int64, to end: Int64, unless isCancelled: () -> Bool,
    _ take: (InputRecord) -> Bool
  ) throws(EdgeError)
  /// The same, but hands out all records, also those of transactions that were aborted or are open, and waits for none.
  func readAll(
    _ topic: Topic, _ partition: Int32, from start: Int64, to end: Int64, _ take: (InputRecord) -> Bool
  ) throws(EdgeError)
}

extension ReadEdge {
  package func ends(_ topic: Topic, _ partitions: [Int32]) throws(EdgeError) -> [(partition: Int32, end: Int64)] {
    var ends: [(partition: Int32, end: Int64)] = []
    for partition in partitions { ends.append((partition, try bounds(topic, partition).end)) }
    return ends
  }

  package func openTransactions(_ topic: Topic, _ partitions: [Int32]) throws(EdgeError) -> [OpenTransaction] {
    var found: [OpenTransaction] = []
    for partition in partitions {
      // In this order: what is stable later than the end was asked for may lie behind it.
      let end = try bounds(topic, partition).end
      let stable = try stableEnd(topic, partition)
      if stable < end { found.append(OpenTransaction(topic: topic, partition: partition, offset: stable, end: end)) }
    }
    return found
  }

  /// The same with the time of each.
  package func withTime(_ transaction: OpenTransaction) -> OpenTransaction {
    var found = transaction
    // Who may not read the topic does not learn it.
    try? readAll(found.topic, found.partition, from: found.offset, to: found.offset + 1) { record in
      found.since = record.time?.ms
      return false
    }
    return found
  }

  package func makeRoom(for partition: Int32) throws(EdgeError) {}

  /// As `read`, for what can fail: the first error of `take` ends the reading, and is thrown.
  package func scan(
    _ topic: Topic, _ partition: Int32, from start: Int64, to end: Int64, _ take: (InputRecord) throws -> Bool
  ) throws {
    var fault: (any Error)?
    try read(topic, partition, from: start, to: end, unless: { false }) { record in
      do {
        return try take(record)
      } catch {
        fault = error
        return false
      }
    }
    if let fault { throw fault }
  }

  package func readAll(
    _ topic: Topic, _ partition: Int32, from start: Int64, to end: Int64, _ take: (InputRecord) -> Bool
  ) throws(EdgeError) {
    try read(topic, partition, from: start, to: end, unless: { false }, take)
  }
}

/// A topic of the group that is not what it was.
package struct LostTopic: Equatable, Sendable {
  package let topic: Topic
  /// What happened to it, as the end of a sentence.
  package let what: String

  package init(_ topic: Topic, _ what: String) {
    self.topic = topic
    self.what = what
  }
}

/// Looks whether the topics that a service writes are still what they were. One thread at a time.
package protocol TopicWatch: AnyObject, Sendable {
  /// Blocks.
  /// - Parameter owned: the partitions that are this instance's.
  /// - Returns: the first lost one, once several looks in a row have found it so.
  func look(_ owned: [Int32]) throws(EdgeError) -> LostTopic?
}

/// What a registry says of a schema.
package enum SchemaAnswer: Equatable, Sendable {
  /// As the map reads it.
  case schema(String)
  /// There is none of this id, or not yet.
  case unknown(String)
  /// It can never be used, for this reason.
  case unusable(String)
  /// There is no answer, for this reason.
  case none(String)
}

/// Where the schemas are that records name and the map does not have.
package protocol SchemaSource: AnyObject, Sendable {
  /// Blocks; any thread.
  func ask(_ id: String) -> SchemaAnswer
  /// Whether schemas that were refused are to be asked for again; true once after each request for it.
  func takeRetry() -> Bool
}

/// What a service reads and writes with.
package struct Edges {
  package var group: any GroupEdge
  package var output: any OutputEdge
  /// Needed for at-least-once delivery only.
  package var direct: (any DirectEdge)?
  package var reader: any ReadEdge
  package var time: any TimeSource
  /// Needed where the output does not take records of any time.
  package var clockTrial: ClockTrial?
  /// Ends what the last owner of a partition left open, if that is no member of the group any more. Blocks; any thread. Not needed where
  /// the service is alone.
  package var endLeftOver: (@Sendable (Int32) -> Void)?
  /// Needed where others can delete its topics.
  package var topicWatch: (any TopicWatch)?
  /// The newest rules of the engine that every member of the group can follow, or nil if that cannot be said. Blocks; any thread. Not
  /// needed where the service is alone.
  package var groupRules: (@Sendable () -> Int?)?
  /// nil: a record that names an unknown schema is bad.
  package var schemas: (any SchemaSource)?
  /// Runs blocking work outside of the loop.
  package var inBackground: @Sendable (BackgroundTask, @escaping @Sendable () -> Void) -> Void = BackgroundTask.run

  package init(
    group: any GroupEdge, output: any OutputEdge, direct: (any DirectEdge)? = nil, reader: any ReadEdge, time: any TimeSource,
    clockTrial: ClockTrial? = nil
  ) {
    self.group = group
    self.output = output
    self.direct = direct
    self.reader = reader
    self.time = time
    self.clockTrial = clockTrial
  }
}
