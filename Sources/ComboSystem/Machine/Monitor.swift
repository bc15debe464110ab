internal import Glibc

/// State that threads share, for threads that wait until it has changed. Where no thread waits, a `Mutex` is enough.
// Sendable: `state` and `waiting` are used under the mutex only, and POSIX lets any thread use what was initialised once.
@safe package final class Monitor<State>: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var state: State
  /// The number of waiting threads.
  private var waiting = 0

  package init(_ state: sending State) {
    self.state = state
    var attributes = pthread_condattr_t()
    unsafe pthread_condattr_init(&attributes)
    unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    unsafe mutex.initialize(to: pthread_mutex_t())
    unsafe changed.initialize(to: pthread_cond_t())
    unsafe precondition(pthread_mutex_init(mutex, nil) == 0)
    unsafe precondition(pthread_cond_init(changed, &attributes) == 0)
    unsafe pthread_condattr_destroy(&attributes)
  }

  deinit {
    unsafe pthread_cond_destroy(changed)
    unsafe pthread_mutex_destroy(mutex)
    unsafe changed.deallocate()
    unsafe mutex.deallocate()
  }

  /// Calls `body` with the state while no other thread uses it. Wakes nobody.
  package func withLock<Result>(_ body: (inout sending State) -> sending Result) -> sending Result {
    unsafe pthread_mutex_lock(mutex)
    defer { unsafe pthread_mutex_unlock(mutex) }
    return body(&state)
  }

  /// Like ``withLock(_:)``, and wakes the waiting threads afterwards.
  package func change<Result>(_ body: (inout sending State) -> sending Result) -> sending Result {
    unsafe pthread_mutex_lock(mutex)
    defer { unlockAndWake() }
    return body(&state)
  }

  /// Waits until `body`, which is called again after each change, has a result. Then wakes the other waiting threads: it may have
  /// changed the state.
  package func wait<Result>(for body: (inout sending State) -> sending Result?) -> sending Result {
    unsafe pthread_mutex_lock(mutex)
    defer { unlockAndWake() }
    while true {
      if let result = body(&state) { return result }
      waiting += 1
      unsafe pthread_cond_wait(changed, mutex)
      waiting -= 1
    }
  }

  /// Waits while `condition` is true, at most `maxMs`.
  package func wait(while condition: (State) -> Bool, maxMs: Int64) {
    var until = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &until)
    let nanoseconds = Int64(until.tv_nsec) + maxMs % 1000 * 1_000_000
    until.tv_sec += Int(maxMs / 1000 + nanoseconds / 1_000_000_000)
    until.tv_nsec = Int(nanoseconds % 1_000_000_000)
    unsafe pthread_mutex_lock(mutex)
    defer { unsafe pthread_mutex_unlock(mutex) }
    waiting += 1
    defer { waiting -= 1 }
    while condition(state) {
      if unsafe pthread_cond_timedwait(changed, mutex, &until) != 0 { return }
    }
  }

  /// Wakes outside of the lock, so that no thread wakes only to wait for the mutex.
  private func unlockAndWake() {
    let wakes = waiting > 0
    unsafe pthread_mutex_unlock(mutex)
    if wakes { unsafe pthread_cond_broadcast(changed) }
  }
}
