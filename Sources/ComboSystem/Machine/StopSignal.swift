internal import Glibc
internal import Synchronization

/// A request to stop the program: by a signal, a key, or the end of the time given.
package final class StopSignal: Sendable {
  private let flag = Atomic<Bool>(false)
  private let actions = Mutex<[@Sendable () -> Void]>([])

  package init() {}

  /// Whether a stop was requested. Cheap; any thread may call it at any time.
  package var isSet: Bool { flag.load(ordering: .acquiring) }

  /// Requests a stop. Only the first call has an effect.
  package func set() {
    if flag.exchange(true, ordering: .acquiringAndReleasing) { return }
    for action in actions.withLock({ $0 }) { action() }
  }

  /// Runs `action` once it is set, on the thread that sets it; at once if it is set already.
  package func onSet(_ action: @escaping @Sendable () -> Void) {
    actions.withLock { $0.append(action) }
    // If it was set in between, `set()` may have missed it; an action must tolerate being run twice.
    if isSet { action() }
  }

  /// The time within which a repeated signal is the same request: some supervisors signal a process and then its whole group.
  package static let sameRequestMs: Int64 = 500

  /// Sets it on SIGINT and SIGTERM, and on SIGHUP unless other code waits for that. A second signal, if it is of another kind or
  /// arrives half a second later, ends the process at once.
  ///
  /// To be called once, before other threads are started: all three signals are blocked in them, and a thread of its own waits
  /// for them.
  package func watchSignals(hangUp: Bool = true) {
    Signals.block([SIGINT, SIGTERM, SIGHUP])
    let first = Mutex<(signal: Int32, at: Int64)?>(nil)
    Signals.each([SIGINT, SIGTERM] + (hangUp ? [SIGHUP] : [])) { signal in
      let now = MonotonicClock.nowMs
      let before = first.withLock { first in
        defer { if first == nil { first = (signal, now) } }
        return first
      }
      if let before, before.signal == signal, now - before.at < Self.sameRequestMs { return }
      if self.isSet { _exit(128 + signal) }
      self.set()
    }
  }
}
