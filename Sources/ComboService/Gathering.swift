internal import ComboEdge
internal import ComboRooms
internal import ComboSystem
internal import ComboWire

/// The restores that begin in one turn of the loop. The first questions to the brokers are asked for all of their partitions
/// together: a request takes about as long for a thousand partitions as for one.
///
/// Made by the loop, used by other threads.
struct Gathering: Sendable {
  struct Restore: Sendable {
    let number: Int32
    let token: Int
    let restorer: Restorer
  }

  private let restores: [Restore]
  private let topics: TopicIdentity
  private let offsets: any GroupOffsets
  private let reader: any ReadEdge
  private let endLeftOver: (@Sendable ([Int32]) -> Void)?
  private let inBackground: @Sendable (BackgroundTask, @escaping @Sendable () -> Void) -> Void
  private let results: Mailbox<RestoreResult>

  init(_ restores: [Restore], of topics: TopicIdentity, _ edges: Edges, results: Mailbox<RestoreResult>) {
    (self.restores, self.topics, self.results) = (restores, topics, results)
    (offsets, reader, endLeftOver, inBackground) = (edges.group.offsets, edges.reader, edges.endLeftOver, edges.inBackground)
  }

  /// Asks the questions, and begins the restores. If the brokers have no answer for all, because a transaction is open on one
  /// partition or its leader is down, each is asked for separately, so that none waits for another. Blocks.
  func run() {
    let numbers = restores.map(\.number)
    endLeftOver?(numbers)
    if restores.count == 1 { return ask(restores[0], InputHistory(topics, reader)) }
    guard let answers = try? askForAll(numbers) else {
      let history = InputHistory(topics, reader)
      for restore in restores { inBackground(.query) { ask(restore, history) } }
      return
    }
    let known = Dictionary(uniqueKeysWithValues: zip(numbers, answers.map(\.extents)))
    let history = InputHistory(topics, reader, known: known)
    for (restore, answer) in zip(restores, answers) { run(restore, from: answer.committed, in: answer.extents, history) }
  }

  private func askForAll(_ numbers: [Int32]) throws(EdgeError) -> [(committed: CommittedOffset, extents: Restorer.Extents)] {
    try reader.makeRoom(for: numbers.max()!)
    let committed = try offsets.committed(numbers)
    // Asked afterwards: then no transaction of an earlier owner is open on the partitions.
    let extents = try Restorer.extents(numbers, reader)
    return Array(zip(committed, extents))
  }

  private func ask(_ restore: Restore, _ history: InputHistory) {
    switch restore.restorer.ask() {
    case .answer(let committed): run(restore, from: committed, in: nil, history)
    case .noAnswer(let outcome): put(outcome, of: restore)
    }
  }

  private func run(
    _ restore: Restore, from committed: CommittedOffset, in extents: Restorer.Extents?, _ history: InputHistory
  ) {
    inBackground(.restoring) { put(restore.restorer.run(from: committed, in: extents, history: history), of: restore) }
  }

  private func put(_ outcome: sending RestoreOutcome, of restore: Restore) {
    results.put(RestoreResult(number: restore.number, token: restore.token, outcome: outcome))
  }
}
