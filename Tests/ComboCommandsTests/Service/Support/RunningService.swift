import ComboEdge
import ComboService
import ComboSystem
import Foundation
import Synchronization
import Testing

@testable import ComboCommands
@testable import ComboTestSupport

/// A running service, in this process or in its own.
protocol RunningService: AnyObject {
  /// The lines on its standard error so far.
  var log: [String] { get }
  /// The lines on its standard output so far.
  var progress: [String] { get }
  /// Its exit code, or nil while it runs.
  var exitCode: Int32? { get }
  /// Stops it gracefully, without waiting for its end.
  func requestStop()
}

extension RunningService {
  /// Waits until the HTTP server listens, and returns its port.
  func httpPort() throws -> UInt16 {
    let line = try waitForLog("http: listening on http://")
    return try #require(line.split(separator: ":").last.flatMap { UInt16($0.dropLast()) })
  }

  /// Waits until it has logged a line with all of these words.
  /// - Parameter count: The number of such lines.
  @discardableResult
  func waitForLog(_ words: String..., count: Int = 1, withinMs: Int64 = ServiceKafka.patienceMs) throws -> String {
    var found: [String] = []
    try wait(for: "\(count) lines with \(words) in the log:\n\(text)", withinMs: withinMs) {
      let ended = exitCode != nil
      found = log.filter { line in words.allSatisfy { line.contains($0) } }
      if found.count >= count { return true }
      if ended { throw TestKafka.Failure("it ended before it said \(words):\n\(text)") }
      return false
    }
    return found[count - 1]
  }

  /// Waits for its end, and returns the exit code.
  func waitForExit(withinMs: Int64 = ServiceKafka.patienceMs) throws -> Int32 {
    try wait(for: "its end. Log:\n\(text)", withinMs: withinMs) { exitCode != nil }
    return exitCode!
  }

  /// Stops it, which must succeed.
  func stop(sourceLocation: SourceLocation = #_sourceLocation) throws {
    requestStop()
    #expect(try waitForExit() == 0, "\(text)", sourceLocation: sourceLocation)
  }

  func has(_ words: String...) -> Bool { log.contains { line in words.allSatisfy { line.contains($0) } } }

  /// The partitions that it owns, computed from its log, as a cooperative rebalance names only those that change.
  var owned: Set<Int> {
    var owned: Set<Int> = []
    for line in log {
      // It continues as another member, which begins with nothing.
      if line.contains("starting again within the process") { owned = [] }
      for (word, isComing) in [(" assigned: partitions ", true), (" revoked: partitions ", false), (" lost: partitions ", false)]
      {
        guard let place = line.range(of: word) else { continue }
        let numbers = line[place.upperBound...].components(separatedBy: ", ").compactMap { Int($0) }
        if isComing { owned.formUnion(numbers) } else { owned.subtract(numbers) }
      }
    }
    return owned
  }

  /// Its log and its latest progress.
  var text: String { (log + progress.suffix(3)).joined(separator: "\n") }
}

/// The service on a thread of this process, built as `run` builds it.
final class ServiceThread: RunningService {
  private struct State {
    var log: [String] = []
    var progress: [String] = []
    var exitCode: Int32?
  }

  /// The state that its thread holds, so that the thread does not keep the object itself alive.
  private final class Output: Sendable {
    let state = Mutex(State())
  }

  private let output = Output()
  private let stopFlag = StopFlag()

  var log: [String] { output.state.withLock { $0.log } }
  var progress: [String] { output.state.withLock { $0.progress } }
  var exitCode: Int32? { output.state.withLock { $0.exitCode } }

  /// A function that creates the service, or returns nil if it was stopped before or cannot begin, which is logged.
  typealias Build = @Sendable (ServiceOptions, ServiceLog, StopFlag) throws(EdgeError) -> Service?

  /// - Parameters:
  ///   - arguments: The arguments of `run`.
  ///   - build: Creates the service; by default as `run` does.
  init(
    _ arguments: [String],
    build: @escaping Build = { (options, log, stop) throws(EdgeError) in
      try ServiceBuilder.build(options, options.kafkaProperties(log: log), log: log, stop: stop)
    }
  ) throws {
    guard case .run(let options) = Invocation.parse(["run"] + arguments) else {
      throw TestKafka.Failure("these are no arguments of run: \(arguments)")
    }
    let thread = Thread { [output, stopFlag] in
      let code = Self.run(options, output, stopFlag, build)
      output.state.withLock { $0.exitCode = code }
    }
    thread.stackSize = 8 << 20
    thread.start()
  }

  /// Stops the service if a test throws before it does so.
  deinit { stopFlag.set() }

  private static func run(_ options: ServiceOptions, _ output: Output, _ stopFlag: StopFlag, _ build: Build) -> Int32 {
    let log = ServiceLog(options.logLevel, countsRepeats: false) { line in output.state.withLock { $0.log.append(line) } }
    do throws(EdgeError) {
      guard let service = try build(options, log, stopFlag) else {
        return stopFlag.isSet ? 0 : 1
      }
      if options.progress { service.progress = Progress { line in output.state.withLock { $0.progress.append(line) } } }
      return service.run()
    } catch {
      log.error("the service cannot continue: \(.reason, error)")
      return 1
    }
  }

  func requestStop() { stopFlag.set() }
}
