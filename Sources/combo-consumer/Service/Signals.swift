internal import Glibc

/// Sets a flag when the process is asked to end. A second signal ends it at once.
enum Signals {
  /// `nonisolated(unsafe)`: written once, before any signal can come; a handler may only read what is there already.
  nonisolated(unsafe) private static var flag: StopFlag?

  static func stopOnInterrupt(_ stop: StopFlag) {
    flag = stop
    var action = sigaction()
    action.__sigaction_handler.sa_handler = { _ in Signals.flag?.set() }
    action.sa_flags = Int32(bitPattern: UInt32(SA_RESETHAND))
    sigaction(SIGINT, &action, nil)
    sigaction(SIGTERM, &action, nil)
    signal(SIGPIPE, SIG_IGN)
  }
}
