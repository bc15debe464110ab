internal import ComboEdge
internal import ComboSystem
internal import ComboWire
internal import Synchronization

/// Searches partitions in parallel, on several threads.
final class SearchCrew: Sendable {
  private let question: GiftQuestion
  private let reader: any ReadEdge
  private let derivation: Derivation?
  private let progress: @Sendable (Int) -> Void
  private let state: Mutex<State>

  private struct State {
    var left: [Int32]
    var found: [PartitionSearch.Found] = []
    var fault: (any Error)?
  }

  init(
    _ partitions: [Int32], _ question: GiftQuestion, _ reader: any ReadEdge, _ derivation: Derivation?,
    progress: @escaping @Sendable (Int) -> Void
  ) {
    state = Mutex(State(left: partitions.reversed()))
    self.question = question
    self.reader = reader
    self.derivation = derivation
    self.progress = progress
  }

  /// Runs the search, and returns what was found, sorted by partition.
  func run(threads: Int) throws -> [PartitionSearch.Found] {
    let count = state.withLock { $0.left.count }
    let others = (0..<max(0, min(threads, count) - 1)).map { _ in WorkThread { self.work() } }
    work()
    for thread in others { thread.join() }
    return try state.withLock { state in
      if let fault = state.fault { throw fault }
      return state.found.sorted { $0.number < $1.number }
    }
  }

  private func work() {
    while let number = state.withLock({ $0.fault == nil ? $0.left.popLast() : nil }) {
      do {
        let found = try PartitionSearch(number, question, reader, derivation).run(progress)
        state.withLock { $0.found.append(found) }
      } catch {
        state.withLock { $0.fault = $0.fault ?? error }
      }
    }
  }
}
