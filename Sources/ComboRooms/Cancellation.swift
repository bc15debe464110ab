internal import Synchronization

/// Shared by a restorer and the loop: the loop cancels the restorer, and reads how far it has come. Any thread.
package final class Cancellation: Sendable {
  private let flag = Atomic<Bool>(false)
  private let recordsAhead = Atomic<Int64>(0)
  private let recordsDone = Atomic<Int64>(0)

  package init() {}

  package var isCancelled: Bool { flag.load(ordering: .relaxed) }

  package func cancel() { flag.store(true, ordering: .relaxed) }

  // MARK: - Progress

  /// The restorer has `count` records of the input to run again.
  package func begins(_ count: Int64) { recordsAhead.store(count, ordering: .relaxed) }

  /// It has run `count` of them.
  package func came(to count: Int64) { recordsDone.store(count, ordering: .relaxed) }

  /// The share of them that was run, from 0 to 1.
  package var progress: Double {
    let all = recordsAhead.load(ordering: .relaxed)
    return all <= 0 ? 0 : min(1, Double(recordsDone.load(ordering: .relaxed)) / Double(all))
  }
}
