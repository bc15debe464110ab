internal import Synchronization

/// The cancellation and the progress of a restorer, which it shares with the loop. Any thread.
package final class Cancellation: Sendable {
  private let flag = Atomic<Bool>(false)
  private let recordsAhead = Atomic<Int64>(0)
  private let recordsDone = Atomic<Int64>(0)

  package init() {}

  package var isCancelled: Bool { flag.load(ordering: .relaxed) }

  package func cancel() { flag.store(true, ordering: .relaxed) }

  // MARK: - Progress

  /// Records that the restorer has `count` records of the input to replay.
  package func begins(_ count: Int64) { recordsAhead.store(count, ordering: .relaxed) }

  package func came(to count: Int64) { recordsDone.store(count, ordering: .relaxed) }

  /// The share of the records that has been replayed, from 0 to 1.
  package var progress: Double {
    let all = recordsAhead.load(ordering: .relaxed)
    return all <= 0 ? 0 : min(1, Double(recordsDone.load(ordering: .relaxed)) / Double(all))
  }
}
