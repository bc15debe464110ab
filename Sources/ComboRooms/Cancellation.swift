internal import Synchronization

/// Tells a restorer that it is no longer needed.
package final class Cancellation: Sendable {
  private let flag = Atomic<Bool>(false)
  package init() {}
  package var isCancelled: Bool { flag.load(ordering: .relaxed) }
  package func cancel() { flag.store(true, ordering: .relaxed) }

  // How far it is.
  private let ahead = Atomic<Int64>(0)
  private let done = Atomic<Int64>(0)

  /// The number of records of the input to run again.
  package func begins(_ count: Int64) { ahead.store(count, ordering: .relaxed) }
  /// The number of those that were run.
  package func came(to count: Int64) { done.store(count, ordering: .relaxed) }
  /// From 0 to 1.
  package var progress: Double {
    let all = ahead.load(ordering: .relaxed)
    return all <= 0 ? 0 : min(1, Double(done.load(ordering: .relaxed)) / Double(all))
  }
}
