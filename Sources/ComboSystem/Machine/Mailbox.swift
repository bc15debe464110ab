internal import Synchronization

/// Passes values from other threads to the loop's.
package final class Mailbox<Value>: Sendable {
  private let values = Mutex<[UnsafeTransfer<Value>]>([])

  package func put(_ value: sending Value) {
    let sent = UnsafeTransfer(value)
    values.withLock { $0.append(sent) }
  }

  package func takeAll() -> [Value] {
    let taken = values.withLock { values in
      defer { values = [] }
      return values
    }
    // The most frequent case, at each turn of the loop.
    if taken.isEmpty { return [] }
    return taken.map { $0.value }
  }

  package init() {}
}

/// A flag that a signal or another thread sets for good. Until then it can hold a request for a fresh start.
package final class StopFlag: Sendable {
  private let flag = Atomic<UInt8>(0)
  private static let freshStart: UInt8 = 1
  private static let end: UInt8 = 2

  package init() {}

  /// Whether the process is to end.
  package var isSet: Bool { flag.load(ordering: .relaxed) == Self.end }
  package func set() { flag.store(Self.end, ordering: .relaxed) }

  /// Whether the service must end, either with the process or to be replaced by another one.
  package var endsService: Bool { flag.load(ordering: .relaxed) != 0 }

  /// Requests that another service replaces the running one, unless the process must end.
  package func askForFreshStart() { _ = flag.compareExchange(expected: 0, desired: Self.freshStart, ordering: .relaxed) }

  /// Returns whether a fresh start was requested, and clears the request.
  package func takeFreshStart() -> Bool {
    flag.compareExchange(expected: Self.freshStart, desired: 0, ordering: .relaxed).exchanged
  }
}
