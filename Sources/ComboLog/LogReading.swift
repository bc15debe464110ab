package import ComboEdge

/// Readers of partitions on a ``LogFile``.
package final class LogReading: ReadEdge {
  private let log: LogFile
  private let streams: LogStreams

  package init(_ log: LogFile, names: TopicNames) throws(EdgeError) {
    self.log = log
    streams = try LogStreams(log, names)
  }

  package func bounds(_ topic: Topic, _ partition: Int32) throws(EdgeError) -> (first: Int64, end: Int64) {
    do throws(LogFault) {
      try log.refresh()
    } catch {
      throw EdgeError(error)
    }
    let found = log.bounds(streams[topic, partition])
    return (found.first, found.next)
  }

  package func stableEnd(_ topic: Topic, _ partition: Int32) throws(EdgeError) -> Int64 { try bounds(topic, partition).end }

  package func offset(_ topic: Topic, _ partition: Int32, atMs time: Int64) throws(EdgeError) -> Int64? {
    do throws(LogFault) {
      return try log.offset(streams[topic, partition], atMs: time)
    } catch {
      throw EdgeError(error)
    }
  }

  package func partitions(_ topic: Topic) -> Range<Int32> { streams.partitions(topic) }

  package func read(
    _ topic: Topic, _ partition: Int32, from start: Int64, to end: Int64, unless isCancelled: () -> Bool,
    _ take: (InputRecord) -> Bool
  ) throws(EdgeError) {
    let page = LogPage()
    let cell = UnsafeMutablePointer<LogCell>.allocate(capacity: 1)
    cell.initialize(to: LogCell())
    defer { cell.deallocate() }
    var position = start
    while position < end, !isCancelled() {
      page.removeAll()
      let next: Int64
      do throws(LogFault) {
        next = try log.read(streams[topic, partition], from: position, to: end, into: page)
      } catch {
        throw EdgeError(error)
      }
      for record in page.records {
        cell.pointee = LogCell(timestamp: record.timestamp, headers: page.headers(record))
        let handed = InputRecord(
          partition: partition, offset: record.offset, key: page.key(record), value: page.value(record),
          source: (LogCell.self, UnsafeRawPointer(cell)))
        if !take(handed) { return }
      }
      // The end of the partition, for now.
      if next <= position { return }
      position = next
    }
  }
}
