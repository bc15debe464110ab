internal import ComboEdge
internal import ComboKafka
internal import ComboSystem
internal import Glibc

/// The setup of a command that runs until it is done or stopped: its log, and the signals that stop it.
struct CommandSession {
  let log: ServiceLog
  let stop = StopFlag()

  /// - Parameters:
  ///   - properties: The properties whose passwords no line of the log may show.
  ///   - hangUpStops: Whether SIGHUP stops the command, too.
  init(_ level: LogLevel, _ format: LogFormat, hiding properties: [KafkaProperty] = [], hangUpStops: Bool = true) {
    log = ServiceLog(level, format: format, hiding: properties)
    let signals = StopSignal()
    signals.onSet { [stop] in stop.set() }
    signals.watchSignals(hangUp: hangUpStops)
    // If the reader of the output ends, the command continues.
    signal(SIGPIPE, SIG_IGN)
  }
}

extension ServiceLog {
  /// Creates the log of a command.
  /// - Parameter properties: The properties whose passwords no line shows.
  init(_ level: LogLevel, format: LogFormat = .text, hiding properties: [KafkaProperty]) {
    self.init(level, format: format)
    hide(properties.secrets)
  }

  /// Runs the work of a command whose result is on standard output. Its failure, which must describe itself in a sentence, is
  /// reported on standard error.
  /// - Returns: The exit code.
  func exitCode(_ work: () throws -> Int32) -> Int32 {
    defer { flush() }
    do {
      return try work()
    } catch {
      Console.report("\(error)")
      return (error as? EdgeError)?.exitCode ?? 1
    }
  }
}

extension Console {
  /// Reports the failure of a command. Returns the exit code.
  static func fail(_ sentence: String) -> Int32 {
    report(sentence)
    return 1
  }
}

extension EdgeError {
  /// The exit code of a command that fails with this error.
  var exitCode: Int32 { code == .badProperty ? 2 : 1 }
}
