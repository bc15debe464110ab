internal import Foundation

/// State behind a lock of Foundation, because those of `Synchronization` need iOS 18.
// Sendable: `state` is used under the lock only.
final class Locked<State>: @unchecked Sendable {
  private let lock = NSLock()
  private var state: State

  init(_ state: sending State) { self.state = state }

  func withLock<Result>(_ body: (inout sending State) -> sending Result) -> sending Result {
    lock.lock()
    defer { lock.unlock() }
    return body(&state)
  }
}
