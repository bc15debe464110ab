internal import ComboEdge
internal import ComboSystem
internal import ComboWire

/// Searches partitions in parallel, on several threads.
final class SearchCrew: @unchecked Sendable {
  // Sendable: all mutable state, and `progress`, is used under the lock.
  private let lock = Lock()
  private let question: GiftQuestion
  private let reader: any ReadEdge
  private let derivation: Derivation?
  private let progress: (Int) -> Void
  private var left: [Int32]
  private var found: [PartitionSearch.Found] = []
  private var fault: (any Error)?

  init(
    _ partitions: [Int32], _ question: GiftQuestion, _ reader: any ReadEdge, _ derivation: Derivation?,
    progress: @escaping (Int) -> Void
  ) {
    left = partitions.reversed()
    self.question = question
    self.reader = reader
    self.derivation = derivation
    self.progress = progress
  }

  /// Runs the search, and returns what was found, sorted by partition.
  func run(threads: Int) throws -> [PartitionSearch.Found] {
    let others = (0..<max(0, min(threads, left.count) - 1)).map { _ in WorkThread { self.work() } }
    work()
    for thread in others { thread.join() }
    if let fault { throw fault }
    return found.sorted { $0.number < $1.number }
  }

  private func work() {
    while let number = locked({ fault == nil ? left.popLast() : nil }) {
      do {
        let found = try PartitionSearch(number, question, reader, derivation).run { [self] count in locked { progress(count) } }
        locked { self.found.append(found) }
      } catch {
        locked { fault = fault ?? error }
      }
    }
  }

  private func locked<Value>(_ body: () -> Value) -> Value {
    lock.lock()
    defer { lock.unlock() }
    return body()
  }
}
