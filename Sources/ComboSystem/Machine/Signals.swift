internal import Glibc

/// Signals for which a thread waits, so that any code may handle them; a signal handler could interrupt other code.
package enum Signals {
  /// Blocks signals in this thread, and in those it starts from now on: their defaults would end the process.
  static func block(_ signals: [Int32]) {
    var set = Self.set(signals)
    unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
  }

  /// Calls `action` for each of the signals, on a thread of its own. All threads must have blocked them.
  package static func each(_ signals: [Int32], _ action: @escaping @Sendable (Int32) -> Void) {
    let set = Self.set(signals)
    _ = WorkThread {
      var set = set
      while true {
        var signal: Int32 = 0
        if unsafe sigwait(&set, &signal) == 0 { action(signal) }
      }
    }
  }

  private static func set(_ signals: [Int32]) -> sigset_t {
    var set = sigset_t()
    unsafe sigemptyset(&set)
    for signal in signals { unsafe sigaddset(&set, signal) }
    return set
  }
}
