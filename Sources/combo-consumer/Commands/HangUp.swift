internal import Glibc

/// Does something at each SIGHUP, on a thread of its own.
///
/// `StopSignal.watchSignals` has held the signal back from all threads before; to any other it would be the end of the process.
enum HangUp {
  static func each(_ action: @escaping @Sendable () -> Void) {
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGHUP)
    let waited = signals
    _ = WorkThread {
      var waited = waited
      while true {
        var signal: Int32 = 0
        if sigwait(&waited, &signal) == 0 { action() }
      }
    }
  }
}
