internal import ComboEdge
internal import ComboRooms
internal import ComboSystem
internal import ComboWire

/// Claims, and checks of the journal. Used by the loop.
extension MemberPartitions {
  /// The claims that are not written yet, in order.
  var unwrittenClaims: [(active: ActivePartition, takeover: PendingTakeover)] {
    if !isAwaited { return [] }
    return owned.compactMap { if case .claiming(let active, let takeover) = state(of: $0) { (active, takeover) } else { nil } }
  }

  /// Checks whether a committed claim counts.
  func confirm(_ active: ActivePartition, _ claim: JournalEntry) {
    let (reader, terms, end) = (reader(active), active.terms, active.journalEnd)
    check(active) { reader.find(claim, after: terms, from: end) }
  }

  /// Checks whether another member took over between two offsets of the journal.
  func checkJournal(of active: ActivePartition, from start: Int64, to end: Int64) {
    let reader = reader(active)
    check(active) { reader.check(from: start, to: end) }
  }

  private func reader(_ active: ActivePartition) -> JournalReader {
    JournalReader(
      number: active.number, topics: configuration.topics, reader: edges.reader, cancellation: cancellation(of: active.number))
  }

  private func check(_ active: ActivePartition, _ body: @escaping @Sendable () -> JournalCheck) {
    let mailbox = checks
    // The other thread only passes it on.
    let carried = UnsafeTransfer(active)
    edges.inBackground(.query) { mailbox.put(JournalCheckResult(active: carried.value, check: body())) }
  }

  /// Handles the results of journal checks. Claims that do not count are restored again.
  /// - Parameters:
  ///   - checked: Called with the result for an active partition.
  ///   - claimed: Called with a claim that counts.
  func takeChecks(
    checked: (ActivePartition, JournalCheck) -> Void,
    claimed: (_ active: ActivePartition, _ takeover: Int64, _ position: Int64) -> Void
  ) {
    for result in checks.takeAll() {
      let number = result.active.number
      switch state(of: number) {
      case .active(let active, _) where active === result.active, .draining(let active, _) where active === result.active:
        checked(active, result.check)
      case .claimed(let active, _, _) where active === result.active:
        switch result.check {
        case .counts(let takeover, let position):
          note(.claimCounted(owesEntry: configuration.delivery == .exactlyOnce), of: number)
          claimed(active, takeover, position)
        case .clear, .overtaken:
          log.warning("partition \(.partition, number): its last owner wrote during the takeover; restoring it again")
          note(.overtaken, of: number)
        case .failed(let reason):
          log.warning("partition \(.partition, number) could not be taken over, trying again: \(.reason, reason)")
          note(.overtaken, of: number)
        }
      case .unassigned, .waiting, .restoring, .ready, .claiming, .claimed, .active, .draining: break
      }
    }
  }
}

struct JournalCheckResult {
  let active: ActivePartition
  let check: JournalCheck
}
