internal import Dispatch

/// Work that runs next to the loop.
package enum BackgroundTask {
  /// A question to the brokers.
  case question
  /// Restoring a partition, which may keep a processor busy for seconds.
  case restoring

  /// Restoring has about as many threads as there are processors, none of them those of the rooms, which Dispatch keeps for
  /// `default`. A question takes no processor and may wait for seconds, so each has a thread of its own, which is what Dispatch gives
  /// to a serial queue. So neither rooms nor questions ever wait for partitions that are being restored, nor questions for others.
  package static let run: @Sendable (BackgroundTask, @escaping @Sendable () -> Void) -> Void = { task, work in
    switch task {
    case .question: DispatchQueue(label: "question", qos: .userInitiated).async(execute: work)
    case .restoring: DispatchQueue.global(qos: .utility).async(execute: work)
    }
  }
}
