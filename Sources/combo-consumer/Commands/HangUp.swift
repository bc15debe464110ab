internal import Glibc

/// Does something at each SIGHUP, on a thread of its own.
///
/// The signal is held back from all threads that are made from now on, so this comes before any of them.
enum HangUp {
  static func each(_ action: @escaping @Sendable () -> Void) {
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGHUP)
    pthread_sigmask(SIG_BLOCK, &signals, nil)
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
