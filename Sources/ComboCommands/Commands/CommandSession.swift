internal import ComboSystem
internal import Glibc

/// The start of a command that runs until it is done or stopped: its log, and the signals that stop it.
struct CommandSession {
  let log: ServiceLog
  let stop = StopFlag()

  /// - Parameters:
  ///   - secrets: what no line of the log may show.
  ///   - hangUpStops: whether a SIGHUP stops it, too.
  init(_ level: LogLevel, _ format: LogFormat, hiding secrets: [String] = [], hangUpStops: Bool = true) {
    log = ServiceLog(level, format: format)
    log.hide(secrets)
    let signals = StopSignal()
    signals.onSet { [stop] in stop.set() }
    signals.watchSignals(hangUp: hangUpStops)
    // The reader of the output may leave; that is no reason to end.
    signal(SIGPIPE, SIG_IGN)
  }
}
