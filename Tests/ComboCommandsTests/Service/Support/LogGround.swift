import ComboEdge
import ComboLog
import ComboRooms
import ComboService
import ComboSystem
import ComboVerify
import ComboWire
import Foundation
import Synchronization
import Testing

@testable import ComboCommands
@testable import ComboTestSupport

/// A group on a log in memory, with as many partitions as a test wants.
final class LogGround: ServiceGround {
  let file: LogFile
  let partitions: Int
  let names: TopicNames
  let identity: TopicIdentity
  var isRepeating: Bool { false }

  init(partitions: Int) throws {
    file = try LogFile(.memory)
    self.partitions = partitions
    identity = TopicIdentity(group: "g", input: "gifts", output: "out")
    names = TopicNames(
      input: identity.input, output: identity.output, journal: "gifts.g.combo-journal", state: "gifts.g.combo-state",
      deadLetter: "gifts.g.combo-dead-letter")
    for topic in Topic.allCases {
      let keeping: LogFile.Keeping = topic == .state ? .compacted : topic == .input || topic == .journal ? .held : .retained
      try file.makeTopic(names[topic], partitions: partitions, keeping)
    }
  }

  func start(_ more: [String]) throws -> any RunningService {
    try ServiceThread(
      file, names,
      ["--brokers", "none:1", "--input", identity.input, "--output", identity.output, "--group", identity.group]
        + ["--commit-interval-ms", "20", "--http", "none", "--progress"] + more)
  }

  func startMortal(_ more: [String]) throws -> any RunningService { try start(more) }

  /// Replaces the service with another member in the middle of its work. What it has not committed by then is lost.
  func crash(_ service: any RunningService) throws {
    _ = file.takeOver(LogGroup.memberName(identity.group))
    _ = try service.waitForExit()
  }

  func put(_ records: [TestRecord]) throws {
    var batch = LogBatch()
    for record in records {
      let partition = record.partition ?? record.key.map { Int32(JavaPartitioner.partition(of: $0, among: partitions)) } ?? 0
      var headers: [UInt8] = []
      for header in record.headers { header.value.with { LogHeaders.write(header.name, $0, to: &headers) } }
      record.key.with { key in
        record.value.with { value in
          batch.append(
            file.stream(identity.input, partition)!, key: key, value: value, timestamp: record.timestamp ?? WallClock.nowMs,
            headers: headers)
        }
      }
    }
    try file.append(batch)
  }

  func records(of topic: Topic) throws -> [TestRecord] {
    var found: [TestRecord] = []
    for partition in 0..<Int32(partitions) {
      let stream = file.stream(names[topic], partition)!
      let page = LogPage()
      var position = file.bounds(stream).first
      while position < file.bounds(stream).next { position = try file.read(stream, from: position, into: page) }
      for record in page.records {
        var new = TestRecord(key: page.key(record).map { [UInt8]($0) }, value: page.value(record).map { [UInt8]($0) })
        new.partition = partition
        new.offset = record.offset
        new.timestamp = record.timestamp
        if let headers = page.headers(record) {
          LogHeaders.forEach(headers) { name, value in
            new.headers.append(RecordHeader(name: String(decoding: name, as: UTF8.self), value: value.map { [UInt8]($0) }))
          }
        }
        found.append(new)
      }
    }
    return found
  }

  private func stream(_ partition: Int) -> Int { file.stream(identity.input, Int32(partition))! }

  func ends() throws -> [Int64] { (0..<partitions).map { file.bounds(stream($0)).next } }

  func committed() throws -> [CommittedOffset] {
    try (0..<partitions).map { partition in
      let found = try file.position(identity.group, stream(partition))
      return CommittedOffset(partition: Int32(partition), offset: found?.offset, metadata: found?.metadata ?? "")
    }
  }

  func prove(_ sourceLocation: SourceLocation) throws {
    let report = try Verifier(LogReading(file, names: names), topics: identity).run()
    #expect(report.isProven && report.summary.contains("resets 0"), "\(report.summary)", sourceLocation: sourceLocation)
  }
}

extension Optional where Wrapped == [UInt8] {
  fileprivate func with(_ body: (UnsafeRawBufferPointer?) -> Void) {
    if let bytes = self { bytes.withUnsafeBytes { body($0) } } else { body(nil) }
  }
}

extension ServiceThread {
  /// Starts the service on a ``LogGround``.
  /// - Parameter arguments: The arguments of `run`.
  convenience init(_ file: LogFile, _ names: TopicNames, _ arguments: [String]) throws {
    try self.init(arguments) { (options, log, stop) throws(EdgeError) in
      let edges = Edges(
        group: try LogGroup(file, group: options.group, names: names),
        output: try LogOutput(file, group: options.group, names: names, held: LogStage.held),
        reader: try LogReading(file, names: names), time: SystemTime())
      return Service(options.configuration, edges, log: log, stop: stop)
    }
  }
}
