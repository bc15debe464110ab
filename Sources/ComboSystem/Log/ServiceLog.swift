internal import Dispatch
internal import Synchronization

/// The program's log on standard error, one line per event. There is one for the whole process: copies share level, format and
/// counts.
///
/// Any thread may log, and none ever waits: lines go to standard error through a ``LineWriter``. Similar warnings and errors
/// within ``LogFlood/windowMs`` are counted.
package struct ServiceLog: Sendable {
  private let core: Core
  private var input: String?

  /// - Parameters:
  ///   - level: The lowest level that is written.
  ///   - countsRepeats: Whether a flood of similar lines is counted instead of being written.
  ///   - write: Receives a line without its end, or nil to write to standard error.
  ///   - now: Returns the time by which repeats are counted.
  package init(
    _ level: LogLevel, format: LogFormat = .text, countsRepeats: Bool = true,
    write: (@Sendable (String) -> Void)? = nil,
    now: @escaping @Sendable () -> Int64 = { MonotonicClock.nowMs }
  ) {
    core = Core(level, format, countsRepeats: countsRepeats, write: write, now: now)
  }

  /// A log that writes nothing.
  package static var silent: ServiceLog { ServiceLog(.error) { _ in } }

  /// Returns the log of one of several services of this process, whose lines name its input.
  package func of(input: String) -> ServiceLog {
    var log = self
    log.input = input
    return log
  }

  /// The lowest level that is written. May change at any time.
  package var level: LogLevel {
    get { LogLevel.allCases[core.level.load(ordering: .relaxed)] }
    nonmutating set { core.level.store(newValue.rank, ordering: .relaxed) }
  }

  package var format: LogFormat {
    get { core.state.withLock { $0.format } }
    nonmutating set { core.state.withLock { $0.format = newValue } }
  }

  /// Sets the texts that no line may contain: asterisks replace them. Short ones, which are parts of ordinary words, are ignored.
  package func hide(_ secrets: [String]) {
    core.state.withLock { $0.secrets = secrets.filter { $0.utf8.count >= Self.secretBytesMin } }
  }

  static let secretBytesMin = 6

  package func error(_ message: @autoclosure () -> LogMessage) { log(.error, message()) }
  package func warning(_ message: @autoclosure () -> LogMessage) { log(.warning, message()) }
  package func info(_ message: @autoclosure () -> LogMessage) { log(.info, message()) }
  package func debug(_ message: @autoclosure () -> LogMessage) { log(.debug, message()) }

  /// Logs the counts that were not logged yet, and waits briefly until everything is written. To be called before the process
  /// ends.
  package func flush() { core.flush() }

  /// Logs the reason why the process ends, as the last line. Counts that were not logged yet precede it. Later lines are dropped,
  /// such as librdkafka's messages while it is closed.
  package func error(last message: LogMessage) {
    var message = message
    message.input = input
    core.end(with: message)
  }

  private func log(_ level: LogLevel, _ message: @autoclosure () -> LogMessage) {
    guard level.rank >= core.level.load(ordering: .relaxed) else { return }
    var message = message()
    message.input = input
    core.log(level, message)
  }

  private final class Core: Sendable {
    struct State {
      var format: LogFormat
      var secrets: [String] = []
      var flood = LogFlood()
      /// Whether a timer for the counts is running.
      var isTimed = false
      /// Whether the last line was written.
      var isOver = false
    }

    let level: Atomic<Int>
    let state: Mutex<State>
    private let countsRepeats: Bool
    private let sink: (@Sendable (String) -> Void)?
    private let now: @Sendable () -> Int64

    init(
      _ level: LogLevel, _ format: LogFormat, countsRepeats: Bool, write: (@Sendable (String) -> Void)?,
      now: @escaping @Sendable () -> Int64
    ) {
      self.level = Atomic(level.rank)
      state = Mutex(State(format: format))
      self.countsRepeats = countsRepeats
      sink = write
      self.now = now
    }

    func log(_ level: LogLevel, _ message: LogMessage) {
      let lines = state.withLock { state -> [String] in
        if state.isOver { return [] }
        guard countsRepeats, level >= .warning else { return [Self.line(level, message, state)] }
        let now = self.now()
        var lines = state.flood.due(at: now).map { Self.line($0, state) }
        if state.flood.shouldWrite(level, message, at: now) { lines.append(Self.line(level, message, state)) }
        scheduleIfNeeded(&state, at: now)
        return lines
      }
      for line in lines { write(line) }
    }

    func end(with message: LogMessage) {
      let lines = state.withLock { state -> [String] in
        if state.isOver { return [] }
        state.isOver = true
        return state.flood.rest().map { Self.line($0, state) } + [Self.line(.error, message, state)]
      }
      for line in lines { write(line) }
    }

    func flush() {
      let lines = state.withLock { state in state.flood.rest().map { Self.line($0, state) } }
      for line in lines { write(line) }
      if sink == nil { LineWriter.standardError.drain() }
    }

    private func write(_ line: String) {
      if let sink { return sink(line) }
      LineWriter.standardError.write(line) { [self] count, ms in
        state.withLock { Self.line(.warning, Self.loss(count, ms), $0) }
      }
    }

    private static func loss(_ count: Int, _ ms: Int64) -> LogMessage {
      "\(.count, count) lines of this log were dropped because standard error was not read for \(.ms, ms) ms"
    }

    private func scheduleIfNeeded(_ state: inout State, at now: Int64) {
      guard !state.isTimed, let due = state.flood.nextDue else { return }
      state.isTimed = true
      DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(Int(max(0, due - now)) + 1)) { [self] in
        let lines = self.state.withLock { state -> [String] in
          let now = self.now()
          state.isTimed = false
          defer { scheduleIfNeeded(&state, at: now) }
          return state.flood.due(at: now).map { Self.line($0, state) }
        }
        for line in lines { write(line) }
      }
    }

    private static func line(_ count: LogFlood.Count, _ state: State) -> String {
      line(count.level, count.message, more: (count.count, LogFlood.windowMs / 1000), state)
    }

    private static func line(
      _ level: LogLevel, _ message: LogMessage, more: (count: Int, seconds: Int64)? = nil, _ state: State
    ) -> String {
      LogLine.line(level, message.hiding(state.secrets), more: more, format: state.format, at: WallClock.nowMs)
    }
  }
}
