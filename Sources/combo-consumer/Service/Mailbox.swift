internal import Synchronization

/// Carries values from other threads to the loop's.
final class Mailbox<Value>: Sendable {
  private let values = Mutex<[Boxed<Value>]>([])

  func put(_ value: Value) {
    let boxed = Boxed(value)
    values.withLock { $0.append(boxed) }
  }

  func takeAll() -> [Value] {
    let taken = values.withLock { values in
      defer { values = [] }
      return values
    }
    return taken.map(\.value)
  }
}

/// A value that its sender no longer touches.
private struct Boxed<Value>: @unchecked Sendable {
  let value: Value
  init(_ value: Value) { self.value = value }
}

/// Set once, by a signal or another thread.
final class StopFlag: Sendable {
  private let flag = Atomic<Bool>(false)
  init() {}
  var isSet: Bool { flag.load(ordering: .relaxed) }
  func set() { flag.store(true, ordering: .relaxed) }
}
