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
    let (number, token) = (active.number, token(of: active.number))
    edges.inBackground(.query) { [checks] in checks.put(JournalCheckResult(number: number, token: token, check: body())) }
  }

  /// What a delivery must do after a check.
  enum CheckStep {
    case checked(ActivePartition, JournalCheck)
    case claimed(ActivePartition, takeover: Int64, position: Int64)
  }

  /// Handles the result of a journal check. A claim that does not count is restored again.
  /// - Returns: The next step; nil if there is none.
  func take(_ result: JournalCheckResult) -> CheckStep? {
    let number = result.number
    guard token(of: number) == result.token else { return nil }
    switch state(of: number) {
    case .active(let active, _, _), .draining(let active, _): return .checked(active, result.check)
    case .claimed(let active, _, _):
      switch result.check {
      case .counts(let takeover, let position):
        note(.claimCounted(owesEntry: configuration.delivery == .exactlyOnce), of: number)
        return .claimed(active, takeover: takeover, position: position)
      case .clear, .overtaken:
        log.warning("partition \(.partition, number): its last owner wrote during the takeover; restoring it again")
        note(.overtaken, of: number)
      case .failed(let reason):
        log.warning("partition \(.partition, number) could not be taken over, trying again: \(.reason, reason)")
        note(.overtaken, of: number)
      }
    case .unassigned, .waiting, .restoring, .ready, .claiming: break
    }
    return nil
  }
}

struct JournalCheckResult {
  let number: Int32
  /// The restore that the check belongs to.
  let token: Int
  let check: JournalCheck
}
