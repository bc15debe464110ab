/// Puts together what the partitions found: what in the output was derived, what must have been and was not, and what nobody can
/// tell.
struct VerifyVerdict {
  private let index: OutputIndex
  private let outcomes: [PartitionAudit.Outcome]
  private let from: Int64
  private var found = VerifyReport()

  init(_ index: OutputIndex, _ outcomes: [PartitionAudit.Outcome], from: Int64) {
    self.index = index
    self.outcomes = outcomes
    self.from = from
  }

  func report() -> VerifyReport {
    var verdict = self
    verdict.judge()
    return verdict.found
  }

  private mutating func judge() {
    found.rooms = index.rooms.count
    found.instructions = index.records
    found.findings = index.findings
    for outcome in outcomes { found.add(outcome) }
    var claims: [ObjectIdentifier: [Claim]] = [:]
    for outcome in outcomes {
      for claim in outcome.claims { claims[ObjectIdentifier(claim.epoch), default: []].append(claim) }
    }
    let isComplete = outcomes.allSatisfy(\.isComplete)
    let knownSince = outcomes.reduce(Int64.min) { max($0, $1.knownSince) }
    for (key, room) in index.rooms {
      let isDoubtful = !isComplete && outcomes.contains { $0.everUnknown.contains(key) }
      let byEpoch = room.epochs.map { claims[ObjectIdentifier($0)] ?? [] }
      let partitions = Set(byEpoch.joined().map(\.partition))
      if partitions.count > 1 { found.movedRooms += 1 }
      var unproven = 0
      for (place, epoch) in room.epochs.enumerated() {
        found.epochs += 1
        found.screens += epoch.client.screens
        if let late = epoch.late {
          checkOrder(epoch, late, byEpoch[place], later: byEpoch[(place + 1)...].joined().map(\.partition))
        }
        judgeRepetitions(epoch, byEpoch[place])
        unproven += judge(
          epoch, byEpoch[place], mustBeDerived: isComplete || (!isDoubtful && epoch.epoch >= knownSince),
          lastMustBeDerived: !isDoubtful && epoch.lastAt > knownSince)
      }
      if unproven > 0 {
        found.unprovenRooms += 1
        found.unprovenInstructions += unproven
      }
    }
  }

  /// A room that has moved to another partition may still be spoken of from its old one; one partition's epochs follow each other.
  private mutating func checkOrder(_ epoch: OutputIndex.Epoch, _ late: Place, _ claims: [Claim], later: [Int32]) {
    guard let claim = claims.first, later.contains(claim.partition), epoch.lastAt >= from else { return }
    found.findings.add(
      .sequence,
      "room \(epoch.room.text): epoch \(epoch.epoch) goes on after a later one has begun, though both come from input partition"
        + " \(claim.partition) (\(late))", at: epoch.lastAt)
  }

  /// Those of which it is known that they must not be are told by the comparison.
  private mutating func judgeRepetitions(_ epoch: OutputIndex.Epoch, _ claims: [Claim]) {
    if epoch.repetitions.isEmpty { return }
    if outcomes.contains(where: \.isAtLeastOnce) {
      found.repetitions += epoch.repetitions.count
      return
    }
    for again in epoch.repetitions where !claims.contains(where: { $0.from <= again.seq && again.seq <= $0.upTo }) {
      found.findings.add(
        .sequence,
        "room \(epoch.room.text), epoch \(epoch.epoch), seq \(again.seq): it was said twice (the second: \(again.place))",
        at: again.at)
    }
  }

  /// - Returns: how many of its records cannot be proved.
  private mutating func judge(
    _ epoch: OutputIndex.Epoch, _ claims: [Claim], mustBeDerived: Bool, lastMustBeDerived: Bool
  ) -> Int {
    if claims.count == 1, claims[0].from == epoch.firstSeq, claims[0].upTo == epoch.end - 1 { return 0 }
    let last = claims.max { $0.upTo < $1.upTo }
    // Of a partition that was derived to its end, a room's last word is known.
    let isEndKnown = last.map { last in outcomes.first { $0.number == last.partition }?.isSteady ?? false } ?? lastMustBeDerived
    var unproven = 0
    for (place, entry) in epoch.entries.enumerated() where entry.isOld && entry.isCompared && !entry.isMissing {
      let seq = epoch.firstSeq + place
      if claims.contains(where: { $0.from <= seq && seq <= $0.upTo }) { continue }
      let isBeyond = last.map { seq > $0.upTo } ?? (seq == epoch.end - 1)
      guard mustBeDerived || (isBeyond && isEndKnown) else {
        unproven += 1
        continue
      }
      found.findings.add(
        .madeUp,
        "room \(epoch.room.text), epoch \(epoch.epoch), seq \(seq): it cannot be derived from the input and the journal"
          + " (\(Place(entry))). Does another group, or another program, write to this output?", at: epoch.firstAt)
    }
    return unproven
  }
}
