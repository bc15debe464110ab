#if DEBUG
  internal import Synchronization
#endif

/// Counts the iterations of an engine's loops whose length depends on the number of waiting or remembered items. For tests of
/// cost; compiled out of release builds.
enum Steps {
  #if DEBUG
    /// The counter of the current task, or nil if steps are not counted.
    @TaskLocal static var counter: StepCounter?
  #endif

  @inline(__always)
  static func count(_ steps: Int = 1) {
    #if DEBUG
      counter?.count.add(steps, ordering: .relaxed)
    #endif
  }
}

#if DEBUG
  final class StepCounter: Sendable {
    let count = Atomic(0)
  }
#endif
