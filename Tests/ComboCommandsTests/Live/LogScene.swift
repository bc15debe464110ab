import ComboCore
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

/// A log with a service on it, and the operations of tests on both.
final class LogScene {
  let stage: LogStage
  private let folder: String?

  /// The path of the log's file, or nil if the log is in memory.
  var path: String? { folder.map { $0 + "/log.db" } }

  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// - Parameter isFile: Whether the log is in a file, rather than in memory.
  init(isFile: Bool = false, limits: LogFile.Limits = .init()) throws {
    var place = LogPlace.memory
    if isFile {
      let path = NSTemporaryDirectory() + "/combo-live-\(UInt64.random(in: 0 ... .max))"
      folder = path
      place = .file(path + "/log.db")
    } else {
      folder = nil
    }
    stage = try LogStage(place, limits: limits)
  }

  deinit { if let folder { try? FileManager.default.removeItem(atPath: folder) } }

  /// A service on a thread.
  final class Running: Sendable {
    private let lines = Mutex<[String]>([])
    private let code = Mutex<Int32?>(nil)
    private let ended = LogBell()
    private let spoke = LogBell()
    let stop = StopFlag()

    var log: [String] { lines.withLock { $0 } }

    init(_ stage: LogStage, _ configuration: ServiceConfiguration, observatory: Observatory?, inputOver: StopFlag?) {
      let thread = Thread { [self] in
        let log = ServiceLog(.info, countsRepeats: false) { line in
          self.lines.withLock { $0.append(line) }
          self.spoke.ring()
        }
        let code = stage.run(configuration, log: log, stop: stop, observatory: observatory, inputOver: inputOver)
        self.code.withLock { $0 = code }
        ended.ring()
      }
      thread.stackSize = 8 << 20
      thread.start()
    }

    /// Waits until it has logged a line with these words.
    func awaitLog(_ words: String) throws {
      let deadline = Deadline(afterMs: 60_000)
      while true {
        let rings = spoke.rings
        if log.contains(where: { $0.contains(words) }) { return }
        if deadline.isOver { throw Failure(description: "it does not log \(words):\n\(log.joined(separator: "\n"))") }
        spoke.wait(after: rings, maxMs: 1000)
      }
    }

    /// Waits for its end, and returns its exit code.
    func end() throws -> Int32 {
      if code.withLock({ $0 }) == nil { ended.wait(after: 0, maxMs: 60_000) }
      guard let code = code.withLock({ $0 }) else {
        throw Failure(description: "it does not end:\n\(log.joined(separator: "\n"))")
      }
      return code
    }
  }

  static func configuration() -> ServiceConfiguration {
    var configuration = ServiceConfiguration(
      topics: TopicIdentity(group: LogStage.group, input: LogStage.input, output: LogStage.output))
    configuration.limits.roomFromBody = true
    configuration.commitIntervalMs = 10
    return configuration
  }

  func start(
    _ configuration: ServiceConfiguration = LogScene.configuration(), observatory: Observatory? = nil, inputOver: StopFlag? = nil
  ) -> Running {
    Running(stage, configuration, observatory: observatory, inputOver: inputOver)
  }

  func give(_ records: [String]) throws {
    var batch = LogBatch()
    for record in records {
      Array(record.utf8).withUnsafeBytes { batch.append(stage.stream(.input), key: nil, value: $0, timestamp: WallClock.nowMs) }
    }
    try stage.file.append(batch)
  }

  static func gift(_ room: String, _ number: Int, sender: Int = 1) -> String {
    #"{"type":"gift","id":"\#(room)-\#(sender)-\#(number)","room":"\#(room)","sender":{"id":"u\#(sender)"},"gift":{"id":"rose","value":10}}"#
  }

  /// Waits until all input is committed.
  func settle() throws {
    let deadline = Deadline(afterMs: 60_000)
    while true {
      let rings = stage.file.committed.rings
      let input = stage.stream(.input)
      if try stage.file.position(LogStage.group, input)?.offset == stage.file.bounds(input).next { return }
      if deadline.isOver { throw Failure(description: "the input was not taken in") }
      stage.file.committed.wait(after: rings, maxMs: 1000)
    }
  }

  /// Derives the output again, and returns the report.
  func verify(_ history: LogReading.History = .newest) throws -> VerifyReport {
    var options = Verifier.Options()
    options.offsetsCountRecords = true
    return try Verifier(
      LogReading(stage.file, names: LogStage.names, history: history),
      topics: TopicIdentity(group: LogStage.group, input: LogStage.input, output: LogStage.output), options: options
    ).run()
  }

  func records(_ topic: Topic) throws -> [String] {
    let page = LogPage()
    var position: Int64 = 0
    while position < stage.file.bounds(stage.stream(topic)).next {
      position = try stage.file.read(stage.stream(topic), from: position, into: page)
    }
    return page.records.compactMap { page.value($0).map { String(decoding: $0, as: UTF8.self) } }
  }
}
