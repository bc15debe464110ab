internal import Glibc

/// Wakes threads that wait for an event. It counts its rings, so that none is missed.
package final class LogBell: @unchecked Sendable {
  // Sendable: POSIX lets any thread use these; `count` is guarded by the mutex.
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let rung = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var count: UInt64 = 0

  package init() {
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    mutex.initialize(to: pthread_mutex_t())
    rung.initialize(to: pthread_cond_t())
    precondition(pthread_mutex_init(mutex, nil) == 0)
    precondition(pthread_cond_init(rung, &attributes) == 0)
    pthread_condattr_destroy(&attributes)
  }

  deinit {
    pthread_cond_destroy(rung)
    pthread_mutex_destroy(mutex)
    rung.deallocate()
    mutex.deallocate()
  }

  /// The number of times it was rung.
  package var rings: UInt64 {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return count
  }

  package func ring() {
    pthread_mutex_lock(mutex)
    count += 1
    pthread_mutex_unlock(mutex)
    // Outside of the lock, so that no thread wakes only to wait for the mutex.
    pthread_cond_broadcast(rung)
  }

  /// Waits until it was rung more often than `before`, at most `maxMs`.
  package func wait(after before: UInt64, maxMs: Int64) {
    var until = timespec()
    clock_gettime(CLOCK_MONOTONIC, &until)
    let nanoseconds = Int64(until.tv_nsec) + maxMs % 1000 * 1_000_000
    until.tv_sec += Int(maxMs / 1000 + nanoseconds / 1_000_000_000)
    until.tv_nsec = Int(nanoseconds % 1_000_000_000)
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while count == before {
      if pthread_cond_timedwait(rung, mutex, &until) != 0 { return }
    }
  }
}
