internal import Glibc
internal import Synchronization

/// A thread for work that blocks or takes long.
package final class WorkThread: Sendable {
  private let thread: pthread_t
  private let isJoined = Atomic(false)
  private final class Box {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  /// Starts the thread.
  package init(_ body: @escaping @Sendable () -> Void) {
    let box = unsafe Unmanaged.passRetained(Box(body))
    var thread = pthread_t()
    let error = unsafe pthread_create(
      &thread, nil,
      { context in
        unsafe Unmanaged<Box>.fromOpaque(context!).takeRetainedValue().body()
        return nil
      }, unsafe box.toOpaque())
    precondition(error == 0, "the system has no thread left (error \(error))")
    self.thread = thread
  }

  /// Detaches the thread unless it was joined: otherwise the system would keep its stack after its end.
  deinit { if !isJoined.load(ordering: .relaxed) { pthread_detach(thread) } }

  /// Waits until the thread has ended. To be called once.
  package func join() {
    isJoined.store(true, ordering: .relaxed)
    pthread_join(thread, nil)
  }
}
