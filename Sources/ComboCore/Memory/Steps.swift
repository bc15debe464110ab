/// Counts what an engine does in loops whose length depends on what waits or is remembered. For tests of cost; removed from release builds.
enum Steps {
  #if DEBUG
    /// Of this thread's task; nil: not counted.
    @TaskLocal static var counter: StepCounter?
  #endif

  @inline(__always)
  static func count(_ steps: Int = 1) {
    #if DEBUG
      counter?.count += steps
    #endif
  }
}

#if DEBUG
  final class StepCounter: @unchecked Sendable {
    // Used by one thread: it is a task's own.
    var count = 0
  }
#endif
