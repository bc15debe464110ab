internal import Dispatch

/// Work that runs outside of the loop.
package enum BackgroundTask {
  /// A query to the brokers.
  case query
  /// The restore of a partition, which may keep a processor busy for seconds.
  case restoring

  /// Runs work in the background. Restores have about as many threads as there are processors, none of them those of the rooms,
  /// which Dispatch keeps for `default`. A query uses no processor and may wait for seconds, so each has a thread of its own,
  /// which is what Dispatch gives to a serial queue. So neither rooms nor queries ever wait for partitions that are being
  /// restored, nor queries for others.
  package static let run: @Sendable (BackgroundTask, @escaping @Sendable () -> Void) -> Void = { task, work in
    switch task {
    case .query: DispatchQueue(label: "query", qos: .userInitiated).async(execute: work)
    case .restoring: DispatchQueue.global(qos: .utility).async(execute: work)
    }
  }
}
