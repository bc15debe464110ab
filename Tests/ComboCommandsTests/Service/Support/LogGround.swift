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
    try LogServiceThread(
      file, names,
      ["--brokers", "none:1", "--input", identity.input, "--output", identity.output, "--group", identity.group]
        + ["--commit-interval-ms", "20", "--http", "none"] + more)
  }

  func startMortal(_ more: [String]) throws -> any RunningService { try start(more) }

  /// Another member takes its place in the middle of whatever it does: what it has not committed by then is lost.
  func crash(_ service: any RunningService) throws {
    _ = file.takeOver(LogGroup.memberName(identity.group))
    _ = try service.waitForExit()
  }

  func put(_ records: [TestRecord]) throws {
    let batch = LogBatch()
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

/// A service on a ``LogGround``, on a thread.
final class LogServiceThread: RunningService {
  private struct State {
    var log: [String] = []
    var progress: [String] = []
    var exitCode: Int32?
  }

  private final class Said: Sendable {
    let state = Mutex(State())
  }

  private let said = Said()
  private let stopFlag = StopFlag()

  var log: [String] { said.state.withLock { $0.log } }
  var progress: [String] { said.state.withLock { $0.progress } }
  var exitCode: Int32? { said.state.withLock { $0.exitCode } }

  /// - Parameter arguments: of `run`.
  init(_ file: LogFile, _ names: TopicNames, _ arguments: [String]) throws {
    guard case .run(let options) = Invocation.parse(["run"] + arguments) else {
      throw TestKafka.Failure("these are no arguments of run: \(arguments)")
    }
    let thread = Thread { [said, stopFlag] in
      let log = ServiceLog(options.logLevel, countsRepeats: false) { line in said.state.withLock { $0.log.append(line) } }
      do throws(EdgeError) {
        let edges = Edges(
          group: try LogGroup(file, group: options.group, names: names),
          output: try LogOutput(file, group: options.group, names: names, held: LogStage.held),
          direct: options.delivery == .atLeastOnce ? try LogDirectOutput(file, group: options.group, names: names) : nil,
          reader: try LogReading(file, names: names), time: SystemTime())
        let service = Service(options.configuration, edges, log: log, stop: stopFlag)
        service.progress = Progress { line in said.state.withLock { $0.progress.append(line) } }
        let code = service.run()
        said.state.withLock { $0.exitCode = code }
      } catch {
        log.error("the service cannot go on: \(.reason, error)")
        said.state.withLock { $0.exitCode = 1 }
      }
    }
    thread.stackSize = 8 << 20
    thread.start()
  }

  deinit { stopFlag.set() }

  func tellToStop() { stopFlag.set() }
}
