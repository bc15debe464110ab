internal import Glibc
internal import Synchronization

/// Whether the program was asked to stop: by a signal, a key, or the end of the time given.
package final class StopSignal: Sendable {
  private let flag = Atomic<Bool>(false)
  private let actions = Mutex<[@Sendable () -> Void]>([])

  package init() {}

  /// Cheap; any thread may call it at any time.
  package var isSet: Bool { flag.load(ordering: .acquiring) }

  /// Asks to stop. Only the first time has an effect.
  package func set() {
    if flag.exchange(true, ordering: .acquiringAndReleasing) { return }
    for action in actions.withLock({ $0 }) { action() }
  }

  /// Runs `action` once it is set, on the thread that sets it; at once if it is.
  package func onSet(_ action: @escaping @Sendable () -> Void) {
    actions.withLock { $0.append(action) }
    // If it was set in between, `set()` may have missed it; an action must bear to be run twice.
    if isSet { action() }
  }

  /// Some supervisors signal a process and then its whole group: the same signal again so soon is the same request.
  package static let sameWishMs: Int64 = 500

  /// Lets SIGINT and SIGTERM set it, and SIGHUP too unless somebody else waits for that one. A second signal, of another kind or half
  /// a second later, ends the process at once.
  ///
  /// To be called once, before other threads are started: all three signals are held back from them, and a thread of its own
  /// waits for them.
  package func watchSignals(hangUp: Bool = true) {
    Signals.block([SIGINT, SIGTERM, SIGHUP])
    let first = Mutex<(signal: Int32, at: Int64)?>(nil)
    Signals.each([SIGINT, SIGTERM] + (hangUp ? [SIGHUP] : [])) { signal in
      let now = MonotonicClock.nowMs
      let before = first.withLock { first in
        defer { if first == nil { first = (signal, now) } }
        return first
      }
      if let before, before.signal == signal, now - before.at < Self.sameWishMs { return }
      if self.isSet { _exit(128 + signal) }
      self.set()
    }
  }
}
