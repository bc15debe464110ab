internal import Glibc

/// Signals that are waited for on a thread, where anything may be done, instead of caught in the midst of something else.
package enum Signals {
  /// Holds signals back from this thread, and from those it starts from now on: their defaults would end the process.
  static func block(_ signals: [Int32]) {
    var set = Self.set(signals)
    pthread_sigmask(SIG_BLOCK, &set, nil)
  }

  /// Does something at each of the signals, which all threads have blocked, on a thread of its own.
  package static func each(_ signals: [Int32], _ action: @escaping @Sendable (Int32) -> Void) {
    let set = Self.set(signals)
    _ = WorkThread {
      var set = set
      while true {
        var signal: Int32 = 0
        if sigwait(&set, &signal) == 0 { action(signal) }
      }
    }
  }

  private static func set(_ signals: [Int32]) -> sigset_t {
    var set = sigset_t()
    sigemptyset(&set)
    for signal in signals { sigaddset(&set, signal) }
    return set
  }
}
