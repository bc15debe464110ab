internal import ComboEdge
internal import ComboRooms
internal import ComboSystem

/// Claims, and checks of the journal. Used by the loop.
extension MemberPartitions {
  func add(claim: ActivePartition) { claims[claim.number] = claim }

  /// The claims that are not written yet, in order.
  var unwrittenClaims: [ActivePartition] {
    if claims.isEmpty { return [] }
    return claims.values.filter { $0.claim == nil }.sorted { $0.number < $1.number }
  }

  /// Checks whether a committed claim counts.
  func confirm(_ active: ActivePartition) {
    guard let claim = active.claim, let reader = reader(active) else { return }
    let (terms, end) = (active.terms, active.journalEnd)
    check(active) { reader.find(claim, after: terms, from: end) }
  }

  /// Checks whether another member took over between two offsets of the journal.
  func checkJournal(of active: ActivePartition, from start: Int64, to end: Int64) {
    guard let reader = reader(active) else { return }
    check(active) { reader.check(from: start, to: end) }
  }

  private func reader(_ active: ActivePartition) -> JournalReader? {
    owned[active.number].map {
      JournalReader(number: active.number, topics: configuration.topics, reader: edges.reader, cancellation: $0.cancellation)
    }
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
      if isActive(number), active[Int(number)] === result.active {
        checked(result.active, result.check)
      } else if claims[number] === result.active {
        claims[number] = nil
        switch result.check {
        case .counts(let takeover, let position):
          claimed(result.active, takeover, position)
        case .clear, .overtaken:
          log.warning("partition \(.partition, number): its last owner wrote during the takeover; restoring it again")
          restore(number)
        case .failed(let reason):
          log.warning("partition \(.partition, number) could not be taken over, trying again: \(.reason, reason)")
          restore(number)
        }
      }
    }
  }
}

struct JournalCheckResult {
  let active: ActivePartition
  let check: JournalCheck
}
