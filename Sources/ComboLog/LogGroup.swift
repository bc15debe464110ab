package import ComboEdge

/// The only member of a group on a ``LogFile``. It gets all partitions at once, and has them until another member takes over.
package final class LogGroup: GroupEdge {
  package weak var delegate: (any GroupEdgeDelegate)?
  private let log: LogFile
  private let group: String
  private let streams: LogStreams
  /// The next offset of each partition that was started.
  private var positions: [Int32: Int64] = [:]
  private let pages = [LogPage(), LogPage()]
  /// The time and headers of the record that is being delivered.
  private let cell = UnsafeMutablePointer<LogCell>.allocate(capacity: 1)
  private var membership: UInt64 = 0
  private var isMember = false
  private var isNew = false

  /// The maximum number of records of one poll: enough that rooms get several gifts at once, and few enough for the processor's
  /// cache.
  static let recordsMax = 8192
  private static let bytesMax = 4 << 20

  package init(_ log: LogFile, group: String, names: TopicNames) throws(EdgeError) {
    self.log = log
    self.group = group
    streams = try LogStreams(log, names)
    cell.initialize(to: LogCell())
  }

  deinit { cell.deallocate() }

  private var memberName: String { Self.memberName(group) }

  /// Returns the name under which a group's member owns its membership.
  package static func memberName(_ group: String) -> String { "member of \(group)" }

  package func subscribe() {
    membership = log.takeOver(memberName)
    isMember = true
    isNew = true
  }

  package func poll(maxWaitMs: Int32, hold: Int, _ body: (InputRecord) -> Void) {
    pages[hold].removeAll()
    guard isMember else { return }
    if isNew {
      isNew = false
      delegate?.assigned(streams.partitions(.input).map { $0 })
    }
    if !log.isOwner(membership, of: memberName) {
      isMember = false
      positions = [:]
      delegate?.failed(EdgeError(.fenced, "another member has taken over the group \(group)"), partition: nil)
      return
    }
    // Counted before reading, so that what is appended after it still wakes this thread.
    let rings = log.appended.rings
    if deliver(pages[hold], body) || maxWaitMs <= 0 { return }
    log.appended.wait(after: rings, maxMs: Int64(maxWaitMs))
    _ = deliver(pages[hold], body)
  }

  /// - Returns: Whether there were any records.
  private func deliver(_ page: LogPage, _ body: (InputRecord) -> Void) -> Bool {
    var runs: [(partition: Int32, records: Range<Int>)] = []
    for (partition, position) in positions.sorted(by: { $0.key < $1.key }) {
      let left = Self.recordsMax - page.records.count
      if left <= 0 { break }
      let start = page.records.count
      do throws(LogFault) {
        positions[partition] = try log.read(
          streams[.input, partition], from: position, recordsMax: left, bytesMax: Self.bytesMax, into: page)
      } catch {
        positions[partition] = nil
        delegate?.failed(EdgeError(error), partition: partition)
        continue
      }
      if page.records.count > start { runs.append((partition, start..<page.records.count)) }
    }
    for (partition, records) in runs {
      for index in records {
        // A delegate may stop a partition while its records are delivered.
        if positions[partition] == nil { break }
        let record = page.records[index]
        cell.pointee = LogCell(timestamp: record.timestamp, headers: page.headers(record))
        body(
          InputRecord(
            partition: partition, offset: record.offset, key: page.key(record), value: page.value(record),
            source: (LogCell.self, UnsafeRawPointer(cell)), endsRun: index == records.upperBound - 1, isLasting: true))
      }
    }
    return !runs.isEmpty
  }

  package func release() { for page in pages { page.removeAll() } }

  package func start(_ partitions: [(partition: Int32, offset: Int64)]) throws(EdgeError) {
    for (partition, offset) in partitions { positions[partition] = offset }
  }

  package func stop(_ partition: Int32) { positions[partition] = nil }

  package func commitWithoutWaiting(_ offsets: [CommittedOffset]) {
    let positions = offsets.map {
      LogPosition(stream: streams[.input, $0.partition], offset: $0.offset ?? 0, metadata: $0.metadata)
    }
    // Only for tools that show the lag; the next commit repeats it.
    try? log.commit(LogBatch(), group: group, positions: positions)
  }

  package var offsets: any GroupOffsets { LogOffsets(log: log, group: group, streams: streams) }

  package func end(of partition: Int32) -> Int64? { log.bounds(streams[.input, partition]).next }

  package func close() {
    isMember = false
    positions = [:]
    release()
  }
}

/// The offsets that a group on a ``LogFile`` has committed.
private struct LogOffsets: GroupOffsets {
  let log: LogFile
  let group: String
  let streams: LogStreams

  func committed(_ partition: Int32) throws(EdgeError) -> CommittedOffset {
    let found = try EdgeError.from { () throws(LogFault) in try log.position(group, streams[.input, partition]) }
    return CommittedOffset(partition: partition, offset: found?.offset, metadata: found?.metadata ?? "")
  }
}

/// The numbers of the partitions of a group's topics in a ``LogFile``.
struct LogStreams: Sendable {
  private let streams: [[Int]]

  /// - Throws: `unknownTopic`.
  init(_ log: LogFile, _ names: TopicNames) throws(EdgeError) {
    var streams: [[Int]] = []
    for topic in Topic.allCases {
      let count = log.partitions(names[topic])
      if count == 0 {
        throw EdgeError(.unknownTopic, "\(log.place.name) has no topic \"\(names[topic])\"")
      }
      streams.append((0..<Int32(count)).map { log.stream(names[topic], $0)! })
    }
    self.streams = streams
  }

  subscript(topic: Topic, partition: Int32) -> Int { streams[topic.rawValue][Int(partition)] }

  /// Returns the partition of a record: the given one, or the one of its key, as Java's producer chooses it.
  func stream(_ topic: Topic, _ partition: Int32?, _ key: Bytes?) -> Int {
    let own = streams[topic.rawValue]
    if let partition { return own[Int(partition)] }
    return own.count == 1 ? own[0] : own[key.map { KeyPartitioner.partition($0, own.count) } ?? 0]
  }

  func partitions(_ topic: Topic) -> Range<Int32> { 0..<Int32(streams[topic.rawValue].count) }
}

/// The time and headers of the record that is being delivered.
struct LogCell: RecordSource {
  var timestamp: Int64?
  var headers: Bytes?

  private static func cell(_ record: UnsafeRawPointer) -> LogCell { record.assumingMemoryBound(to: LogCell.self).pointee }

  static func time(of record: UnsafeRawPointer) -> RecordTime? { cell(record).timestamp.map { RecordTime(ms: $0) } }

  static func headers(of record: UnsafeRawPointer) -> [RecordHeader] {
    var headers: [RecordHeader] = []
    if let bytes = cell(record).headers {
      LogHeaders.forEach(bytes) { name, value in
        headers.append(RecordHeader(name: String(decoding: name, as: UTF8.self), value: value.map { [UInt8]($0) }))
      }
    }
    return headers
  }

  static func withLastHeader(_ name: String, of record: UnsafeRawPointer, _ body: (Bytes) -> Void) {
    guard let bytes = cell(record).headers else { return }
    var last: Bytes?
    LogHeaders.forEach(bytes) { own, value in if own.elementsEqual(name.utf8) { last = value } }
    if let last { body(last) }
  }
}

extension EdgeError {
  init(_ fault: LogFault) {
    let code: Code =
      switch fault.code {
      case .fenced: .fenced
      case .outOfRange: .offsetOutOfRange
      case .unknown: .unknownTopic
      case .readOnly: .notAuthorized
      case .gone, .damaged: .fatal
      case .inUse, .full, .tooLarge, .failed, .foreign, .networkDisk: .other
      }
    self.init(code, fault.message, isRetriable: fault.code == .inUse || fault.code == .full || fault.code == .failed)
  }

  /// Calls `body`, and throws its fault as an error of this kind.
  static func from<Result>(_ body: () throws(LogFault) -> Result) throws(EdgeError) -> Result {
    do throws(LogFault) {
      return try body()
    } catch {
      throw EdgeError(error)
    }
  }
}

extension LogHeaders {
  static func bytes(_ headers: [RecordHeader]) -> [UInt8] {
    var bytes: [UInt8] = []
    for header in headers {
      if let value = header.value {
        value.withUnsafeBytes { write(header.name, $0, to: &bytes) }
      } else {
        write(header.name, nil, to: &bytes)
      }
    }
    return bytes
  }
}
