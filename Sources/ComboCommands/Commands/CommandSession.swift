internal import ComboSystem
internal import Glibc

/// The setup of a command that runs until it is done or stopped: its log, and the signals that stop it.
struct CommandSession {
  let log: ServiceLog
  let stop = StopFlag()

  /// - Parameters:
  ///   - secrets: Texts that no line of the log may show.
  ///   - hangUpStops: Whether SIGHUP stops the command, too.
  init(_ level: LogLevel, _ format: LogFormat, hiding secrets: [String] = [], hangUpStops: Bool = true) {
    log = ServiceLog(level, format: format)
    log.hide(secrets)
    let signals = StopSignal()
    signals.onSet { [stop] in stop.set() }
    signals.watchSignals(hangUp: hangUpStops)
    // If the reader of the output ends, the command continues.
    signal(SIGPIPE, SIG_IGN)
  }
}
