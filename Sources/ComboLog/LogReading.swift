package import ComboEdge

/// Reads partitions of a ``LogFile``.
package final class LogReading: ReadEdge {
  /// The contents of the state topic for a reader of a log from which old records were deleted.
  package enum History: Sendable {
    /// The newest state.
    case newest
    /// The state from which everything that is left can be derived.
    case oldest
    /// The oldest state, then the newest.
    case both
  }

  private let log: LogFile
  private let streams: LogStreams
  private let history: History

  /// Creates a reader. A file of another process is read as it is now: later changes by its owner have no effect.
  package init(_ log: LogFile, names: TopicNames, history: History = .newest) throws(EdgeError) {
    self.log = log
    self.history = history
    try EdgeError.from { () throws(LogFault) in try log.freeze() }
    streams = try LogStreams(log, names)
  }

  package func bounds(_ topic: Topic, _ partition: Int32) throws(EdgeError) -> (first: Int64, end: Int64) {
    let found = log.bounds(streams[topic, partition])
    return (found.first, found.next)
  }

  package func stableEnd(_ topic: Topic, _ partition: Int32) throws(EdgeError) -> Int64 { try bounds(topic, partition).end }

  package func offset(_ topic: Topic, _ partition: Int32, atMs time: Int64) throws(EdgeError) -> Int64? {
    try EdgeError.from { () throws(LogFault) in try log.offset(streams[topic, partition], atMs: time) }
  }

  package func partitions(_ topic: Topic) -> Range<Int32> { streams.partitions(topic) }

  package func read(
    _ topic: Topic, _ partition: Int32, from start: Int64, to end: Int64, unless isCancelled: () -> Bool,
    _ body: (InputRecord) -> Bool
  ) throws(EdgeError) {
    try EdgeError.from { () throws(LogFault) in
      let mark = topic == .state && history != .newest ? try log.base() : nil
      if let mark, try !read(topic, partition, from: start, to: end, mark: mark, unless: isCancelled, body) { return }
      if mark == nil || history == .both {
        _ = try read(topic, partition, from: start, to: end, mark: nil, unless: isCancelled, body)
      }
    }
  }

  /// - Returns: false if it was cancelled, or `body` returned false.
  private func read(
    _ topic: Topic, _ partition: Int32, from start: Int64, to end: Int64, mark: Int64?, unless isCancelled: () -> Bool,
    _ body: (InputRecord) -> Bool
  ) throws(LogFault) -> Bool {
    let page = LogPage()
    let cell = UnsafeMutablePointer<LogCell>.allocate(capacity: 1)
    cell.initialize(to: LogCell())
    defer { cell.deallocate() }
    var position = start
    while position < end {
      if isCancelled() { return false }
      page.removeAll()
      let next = try log.read(streams[topic, partition], from: position, to: end, mark: mark, into: page)
      for record in page.records {
        cell.pointee = LogCell(timestamp: record.timestamp, headers: page.headers(record))
        let delivered = InputRecord(
          partition: partition, offset: record.offset, key: page.key(record), value: page.value(record),
          source: (LogCell.self, UnsafeRawPointer(cell)))
        if !body(delivered) { return false }
      }
      // The end of the partition has been reached, for now.
      if next <= position { break }
      position = next
    }
    return true
  }
}
