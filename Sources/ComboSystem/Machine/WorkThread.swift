internal import Glibc

/// A thread of its own for work that blocks or takes long.
package final class WorkThread {
  private var thread = pthread_t()
  private var isJoined = false
  private final class Box {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  /// Starts it.
  package init(_ body: @escaping @Sendable () -> Void) {
    let box = Unmanaged.passRetained(Box(body))
    let error = pthread_create(
      &thread, nil,
      { context in
        Unmanaged<Box>.fromOpaque(context!).takeRetainedValue().body()
        return nil
      }, box.toOpaque())
    precondition(error == 0, "the system has no thread left (error \(error))")
  }

  /// The system keeps the stack of a thread that has ended until somebody waits for it, or nobody can.
  deinit { if !isJoined { pthread_detach(thread) } }

  /// Waits until it has ended. To be called once.
  package func join() {
    isJoined = true
    pthread_join(thread, nil)
  }
}
