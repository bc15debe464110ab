internal import Glibc

/// A lock with a condition: threads can wait until something has changed.
package final class Lock: @unchecked Sendable {
  // Sendable: POSIX allows any thread to call these on what was initialised once.
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  /// The number of waiting threads; guarded by the lock.
  private var waiting = 0

  package init() {
    mutex.initialize(to: pthread_mutex_t())
    changed.initialize(to: pthread_cond_t())
    precondition(pthread_mutex_init(mutex, nil) == 0)
    precondition(pthread_cond_init(changed, nil) == 0)
  }

  deinit {
    pthread_cond_destroy(changed)
    pthread_mutex_destroy(mutex)
    changed.deallocate()
    mutex.deallocate()
  }

  package func lock() { pthread_mutex_lock(mutex) }
  package func unlock() { pthread_mutex_unlock(mutex) }

  /// Releases the lock until ``wakeAll()`` or a spurious wakeup. Requires the lock.
  package func wait() {
    waiting += 1
    pthread_cond_wait(changed, mutex)
    waiting -= 1
  }

  /// Wakes the waiting threads. Requires the lock.
  package func wakeAll() {
    if waiting > 0 { pthread_cond_broadcast(changed) }
  }
}
