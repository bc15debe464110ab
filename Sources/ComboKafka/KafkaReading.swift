package import ComboEdge
internal import ComboSystem
internal import Synchronization

/// The librdkafka readers of partitions.
package final class KafkaReading: ReadEdge {
  private let properties: KafkaProperties
  private let readers: ReaderClient
  /// The client for all records, including uncommitted ones. Created when first needed.
  private let allReaders = Mutex<ReaderClient?>(nil)
  private let control: ControlClient
  private let names: TopicNames
  private let silenceMaxMs: Int64
  private static let withinMs: Int64 = 10_000
  /// The time after which callers ask for each partition separately: one whose leader is down should not hold up the others.
  private static let extentsWithinMs: Int64 = 3000

  /// - Parameter silenceMaxMs: The time without records after which reading a partition fails; the reader reports it and retries.
  package init(_ properties: KafkaProperties, control: ControlClient, names: TopicNames, silenceMaxMs: Int64 = 60_000)
    throws(EdgeError)
  {
    self.properties = properties
    readers = try ReaderClient(properties)
    self.control = control
    self.names = names
    self.silenceMaxMs = silenceMaxMs
  }

  package func bounds(_ topic: Topic, _ partition: Int32) throws(EdgeError) -> (first: Int64, end: Int64) {
    try control.watermarks(names[topic], partition, withinMs: Self.withinMs)
  }

  package func stableEnd(_ topic: Topic, _ partition: Int32) throws(EdgeError) -> Int64 {
    try control.watermarks(names[topic], partition, seenBy: readers.client, withinMs: Self.withinMs).end
  }

  package func extents(_ topic: Topic, _ partitions: [Int32]) throws(EdgeError) -> [Extent] {
    if partitions.isEmpty { return [] }
    let firsts = try control.firsts(names[topic], partitions, withinMs: Self.extentsWithinMs)
    let ends = try control.ends(names[topic], partitions, withinMs: Self.extentsWithinMs)
    // The order matters: a stable end that is read before may be below an end that has no open transaction before it.
    let stable = try control.ends(names[topic], partitions, seenBy: readers.client, withinMs: Self.extentsWithinMs)
    let (first, end, stableEnd) = (offsets(firsts), offsets(ends), offsets(stable))
    var found: [Extent] = []
    for partition in partitions {
      guard let first = first[partition], let end = end[partition], let stableEnd = stableEnd[partition] else {
        throw EdgeError(
          .other, "a broker has not reported the ends of topic \"\(names[topic])\" partition \(partition)", isRetriable: true)
      }
      found.append(Extent(first: first, end: end, stableEnd: stableEnd))
    }
    return found
  }

  private func offsets(_ found: [(partition: Int32, offset: Int64?)]) -> [Int32: Int64] {
    Dictionary(found.compactMap { partition, offset in offset.map { (partition, $0) } }) { $1 }
  }

  package func ends(_ topic: Topic, _ partitions: [Int32]) throws(EdgeError) -> [(partition: Int32, end: Int64)] {
    try control.ends(names[topic], partitions, withinMs: Self.withinMs).compactMap { partition, end in
      end.map { (partition, $0) }
    }
  }

  package func openTransactions(_ topic: Topic, _ partitions: [Int32]) throws(EdgeError) -> [OpenTransaction] {
    // The order matters: the stable end, read later, may have advanced beyond the end.
    let ends = try control.ends(names[topic], partitions, withinMs: Self.withinMs)
    let stable = try control.ends(names[topic], partitions, seenBy: readers.client, withinMs: Self.withinMs)
    let begins = Dictionary(stable.map { ($0.partition, $0.offset) }) { $1 }
    return ends.compactMap { partition, end in
      guard let end, let begin = begins[partition] ?? nil, begin < end else { return nil }
      return OpenTransaction(topic: topic, partition: partition, offset: begin, end: end)
    }
  }

  package func offset(_ topic: Topic, _ partition: Int32, atMs time: Int64) throws(EdgeError) -> Int64? {
    try control.offsets(names[topic], [partition], atMs: time, withinMs: Self.withinMs)[0].offset
  }

  package func makeRoom(for partition: Int32) throws(EdgeError) {
    for topic in [Topic.journal, .state] {
      guard let count = try control.partitionCount(names[topic], withinMs: Self.withinMs), count <= partition else { continue }
      try control.createPartitions(names[topic], total: Int(partition) + 1, withinMs: Self.withinMs)
    }
  }

  package func partitions(_ topic: Topic) throws(EdgeError) -> Range<Int32> {
    0..<Int32(try control.partitionCount(names[topic], withinMs: Self.withinMs) ?? 0)
  }

  /// Creates a reader. Retries, since the partition's previous reader may not have stopped yet.
  private func reader(
    _ readers: ReaderClient, _ topic: Topic, _ partition: Int32, from start: Int64, to end: Int64
  ) throws(EdgeError) -> PartitionReader {
    let deadline = Deadline(afterMs: Self.withinMs)
    while true {
      do throws(EdgeError) {
        return try readers.reader(names[topic], partition, from: start, to: end)
      } catch {
        if !error.isRetriable || deadline.isOver { throw error }
      }
      MonotonicClock.sleep(ms: 20)
    }
  }

  package func read(
    _ topic: Topic, _ partition: Int32, from start: Int64, to end: Int64, unless isCancelled: () -> Bool,
    _ body: (InputRecord) -> Bool
  ) throws(EdgeError) {
    try read(readers, topic, partition, from: start, to: end, unless: isCancelled, body)
  }

  package func readAll(
    _ topic: Topic, _ partition: Int32, from start: Int64, to end: Int64, _ body: (InputRecord) -> Bool
  ) throws(EdgeError) {
    let readers = try allReaders.withLock { (made) throws(EdgeError) -> ReaderClient in
      if let made { return made }
      let new = try ReaderClient(properties, isolation: .readUncommitted)
      made = new
      return new
    }
    try read(readers, topic, partition, from: start, to: end, unless: { false }, body)
  }

  private func read(
    _ readers: ReaderClient, _ topic: Topic, _ partition: Int32, from start: Int64, to end: Int64,
    unless isCancelled: () -> Bool, _ body: (InputRecord) -> Bool
  ) throws(EdgeError) {
    if start >= end { return }
    let reader = try reader(readers, topic, partition, from: start, to: end)
    let batch = MessageBatch(capacity: 4096)
    var patience = Deadline(afterMs: silenceMaxMs)
    while !isCancelled() {
      let (wasAtEnd, position) = (reader.isAtEnd, reader.position)
      try reader.read(maxWaitMs: 100, into: batch)
      defer { batch.release() }
      if reader.position == position, patience.isOver {
        let stable = try? control.watermarks(names[topic], partition, seenBy: readers.client, withinMs: Self.withinMs).end
        let isOpen = reader.isHeldUp || stable.map { $0 <= position && $0 < end } ?? false
        let why =
          isOpen
          ? "a transaction is open there. \(OpenTransaction.remedy(properties.brokers, names[topic], partition, offset: position))"
          : "no broker returns it"
        throw EdgeError(
          .timedOut,
          "topic \"\(names[topic])\" partition \(partition) returned no records from offset \(position) on for \(silenceMaxMs / 1000) s: \(why)",
          isRetriable: true)
      }
      for index in 0..<batch.count {
        let message = batch[index]
        let record = InputRecord(
          partition: partition, offset: message.offset, key: message.key, value: message.value, source: message.source)
        if !body(record) { return }
      }
      // The time that `body` took is not the brokers'.
      if reader.position > position { patience = Deadline(afterMs: silenceMaxMs) }
      if wasAtEnd || (reader.isAtEnd && batch.isEmpty) { return }
    }
  }
}
