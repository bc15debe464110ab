internal import Glibc

/// A mutex for sections that do not fit into one closure.
final class PlainMutex: @unchecked Sendable {
  // Sendable: POSIX lets any thread use it.
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)

  init() {
    mutex.initialize(to: pthread_mutex_t())
    precondition(pthread_mutex_init(mutex, nil) == 0)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  func lock() { pthread_mutex_lock(mutex) }
  func unlock() { pthread_mutex_unlock(mutex) }
}

/// Milliseconds by a clock that never jumps.
func monotonicMs() -> Int64 {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
}

/// Blocks this thread.
func sleepMs(_ ms: Int64) {
  var time = timespec(tv_sec: Int(ms / 1000), tv_nsec: Int(ms % 1000) * 1_000_000)
  var left = timespec()
  while nanosleep(&time, &left) != 0 && errno == EINTR { time = left }
}

/// Starts detached threads.
enum LogThread {
  private final class Box {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  static func start(_ body: @escaping @Sendable () -> Void) {
    let box = Unmanaged.passRetained(Box(body))
    var thread = pthread_t()
    let error = pthread_create(
      &thread, nil,
      { context in
        Unmanaged<Box>.fromOpaque(context!).takeRetainedValue().body()
        return nil
      }, box.toOpaque())
    precondition(error == 0, "the system has no thread left (error \(error))")
    pthread_detach(thread)
  }
}
