internal import Dispatch
internal import Glibc
internal import Synchronization

/// Work that runs outside of the loop.
package enum BackgroundTask {
  /// A query to the brokers.
  case query
  /// The restore of a partition. It mostly waits for brokers; the parts that use a processor for seconds are run by
  /// ``onProcessor(_:)``.
  case restoring

  /// Runs work in the background, on threads that are not those of the rooms. A query may wait for seconds, so each has a thread
  /// of its own: Dispatch provides one for each serial queue. Rooms and queries therefore never wait for restores, and queries
  /// never wait for each other.
  package static let run: @Sendable (BackgroundTask, @escaping @Sendable () -> Void) -> Void = { task, work in
    switch task {
    case .query: DispatchQueue(label: "query", qos: .userInitiated).async(execute: work)
    case .restoring: restores.run(work)
    }
  }

  /// Enough restores at a time that brokers always have a pending request.
  private static let restores = Lanes(16)
  private static let processors = DispatchSemaphore(value: max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))))

  /// Runs work that uses a processor or much memory: at most as many pieces at a time as there are processors.
  package static func onProcessor<Result>(_ work: () throws -> Result) rethrows -> Result {
    processors.wait()
    defer { processors.signal() }
    return try work()
  }
}

/// Runs a limited number of pieces of work at a time, in order, each on a thread of its own. Any thread.
final class Lanes: Sendable {
  private struct Work {
    var free: Int
    var waiting: [@Sendable () -> Void] = []
  }
  private let work: Mutex<Work>

  init(_ count: Int) { work = Mutex(Work(free: count)) }

  func run(_ new: @escaping @Sendable () -> Void) {
    let hasLane = work.withLock { work in
      if work.free == 0 { work.waiting.append(new) } else { work.free -= 1 }
      return work.waiting.isEmpty
    }
    if !hasLane { return }
    DispatchQueue(label: "restore", qos: .utility).async { [self] in
      var next: (@Sendable () -> Void)? = new
      while let piece = next {
        piece()
        next = takeNext()
      }
    }
  }

  /// Returns the next piece; if there is none, the lane is free again.
  private func takeNext() -> (@Sendable () -> Void)? {
    work.withLock { work in
      if work.waiting.isEmpty {
        work.free += 1
        return nil
      }
      return work.waiting.removeFirst()
    }
  }
}
