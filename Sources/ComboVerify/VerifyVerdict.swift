internal import ComboSystem

/// Combines the results of the partitions: the derived part of the output, the missing part, and the part that cannot be proved.
struct VerifyVerdict {
  let common: Comparison.Common
  let outcomes: [PartitionAudit.Outcome]
  private(set) var found = VerifyReport()

  func report() -> VerifyReport {
    var verdict = self
    verdict.judge()
    return verdict.found
  }

  private mutating func judge() {
    found.rooms = common.index.rooms.count
    found.instructions = common.index.records
    found.untimed = common.index.untimed
    found.unread = common.places.unread
    found.findings = common.index.findings
    for outcome in outcomes { found.add(outcome.report) }
    judgeLetters()
    var claims: [ObjectIdentifier: [Claim]] = [:]
    for outcome in outcomes {
      for claim in outcome.claims { claims[ObjectIdentifier(claim.epoch), default: []].append(claim) }
    }
    for (key, room) in common.index.rooms {
      let byEpoch = room.epochs.map { claims[ObjectIdentifier($0)] ?? [] }
      if room.epochs.contains(where: { $0.firstSeq > 1 || !$0.earlier.isEmpty }) { judgeHoles(room, byEpoch) }
      let partitions = Set(byEpoch.joined().map(\.partition))
      if partitions.count > 1 { found.movedRooms += 1 }
      // A room's own partition emits it. The unknown parts of other partitions do not matter, unless no partition has the room.
      let own = partitions.isEmpty ? outcomes : outcomes.filter { partitions.contains($0.number) }
      let isComplete = own.allSatisfy(\.report.isComplete)
      let knownSince = own.reduce(Int64.min) { max($0, $1.knownSince) }
      let isDoubtful = !isComplete && outcomes.contains { $0.everUnknown.contains(key) }
      var unproven = outcomes.reduce(0) { $0 + ($1.doubtful[key] ?? 0) }
      for (place, epoch) in room.epochs.enumerated() {
        found.epochs += 1
        found.screens += epoch.client.screens
        if let late = epoch.late {
          // Another group's epochs may be among them.
          let begun = zip(room.epochs, byEpoch).dropFirst(place + 1).prefix { $0.0.epoch <= late.newest }
          checkOrder(epoch, late.place, byEpoch[place], later: begun.flatMap(\.1).map(\.partition))
        }
        judgeRepetitions(epoch, byEpoch[place])
        unproven += judge(
          epoch, byEpoch[place], mustBeDerived: isComplete || (!isDoubtful && epoch.epoch > knownSince),
          lastMustBeDerived: !isDoubtful && epoch.lastAt > knownSince)
      }
      if unproven > 0 {
        found.unprovenRooms += 1
        found.unprovenInstructions += unproven
      }
    }
  }

  /// Reports dead letters that have no bad record.
  private mutating func judgeLetters() {
    guard let letters = common.letters else { return }
    found.lettersCompared = outcomes.reduce(0) { $0 + $1.lettersCompared.count }
    found.lettersSentBack = letters.sentBack
    for outcome in outcomes where outcome.report.isComplete && outcome.isSteady {
      for (offset, letter) in letters.letters[outcome.number] ?? [:]
      where offset < outcome.inputEnd && !outcome.lettersCompared.contains(offset) {
        found.findings.add(
          .madeUp,
          "a dead letter (\(letter.place.text)) names offset \(offset) of input partition \(outcome.number), which is no bad record",
          at: .max)
      }
    }
  }

  /// Checks the order of epochs. The old partition of a room that has moved may still emit it; epochs of one partition follow
  /// each other.
  private mutating func checkOrder(_ epoch: OutputIndex.Epoch, _ late: Place, _ claims: [Claim], later: [Int32]) {
    guard let claim = claims.first, later.contains(claim.partition), epoch.lastAt >= common.from else { return }
    found.findings.add(
      .sequence,
      "room \(epoch.room.text): epoch \(epoch.epoch) continues after a later one has begun, though both come from input partition"
        + " \(claim.partition) (\(late))", at: epoch.lastAt)
  }

  /// Counts repetitions. The comparison reports those that are certainly wrong.
  private mutating func judgeRepetitions(_ epoch: OutputIndex.Epoch, _ claims: [Claim]) {
    if epoch.repetitions.isEmpty { return }
    let isAtLeastOnce = outcomes.contains(where: \.isAtLeastOnce)
    for again in epoch.repetitions {
      // A repetition whose first occurrence is gone is possible only where records were deleted.
      let isAllowed = isAtLeastOnce && (!again.isLate || common.places.first[Int(again.place.partition)] > 0)
      if isAllowed {
        found.repetitions += 1
      } else if isAtLeastOnce || !claims.contains(where: { $0.from <= again.seq && again.seq <= $0.upTo }) {
        let what = again.isLate ? "it comes after later ones (" : "it was written twice (the second: "
        found.findings.add(
          .sequence, "room \(epoch.room.text), epoch \(epoch.epoch), seq \(again.seq): \(what)\(again.place))", at: again.at)
      }
    }
  }

  /// Reports gaps that any reader can detect, unless the missing records may have been deleted: then no earlier record of the
  /// room exists.
  private mutating func judgeHoles(_ room: OutputIndex.Room, _ byEpoch: [[Claim]]) {
    let beginnings = beginnings(of: room)
    for (place, epoch) in room.epochs.enumerated() {
      var next = 1
      for run in epoch.runs {
        let missing = run.firstSeq - next
        defer { next = run.end }
        guard missing > 0, run.entries[0].isCompared else { continue }
        // A partition that the room may have moved from was not read to its end.
        if common.places.mayBeUnread(room.name, elsewhereThan: run.entries[0].partition) { continue }
        if mayBeDeleted(room, place, before: run.firstSeq, beginnings, byEpoch) { continue }
        found.findings.add(
          .sequence,
          "room \(room.text), epoch \(epoch.epoch), seq \(run.firstSeq):"
            + " \(Counted.text(missing, "instructions are")) missing before it, from seq \(next) on (\(Place(run.entries[0])))",
          at: run.at)
      }
    }
  }

  /// Returns the first record of a room in each partition: the index of its epoch, and its `seq`.
  private func beginnings(of room: OutputIndex.Room) -> [Int32: (epoch: Int, seq: Int)] {
    var found: [Int32: (epoch: Int, seq: Int, offset: Int64)] = [:]
    for (place, epoch) in room.epochs.enumerated() {
      for run in epoch.runs {
        for (index, entry) in run.entries.enumerated() where entry.offset < found[entry.partition]?.offset ?? .max {
          found[entry.partition] = (place, run.firstSeq + index, entry.offset)
        }
      }
    }
    return found.mapValues { ($0.epoch, $0.seq) }
  }

  private func mayBeDeleted(
    _ room: OutputIndex.Room, _ epoch: Int, before seq: Int, _ beginnings: [Int32: (epoch: Int, seq: Int)], _ byEpoch: [[Claim]]
  ) -> Bool {
    common.places.ofRoom(room.name).contains { partition in
      if common.places.first[partition] == 0 { return false }
      guard let beginning = beginnings[Int32(partition)] else { return true }
      if (beginning.epoch, beginning.seq) >= (epoch, seq) { return true }
      // If a room has moved to another partition of the input, an older epoch may continue after a newer one's beginning.
      if beginning.epoch == epoch || room.epochs[beginning.epoch].firstSeq == 1 { return false }
      let (one, other) = (byEpoch[beginning.epoch], byEpoch[epoch])
      if one.isEmpty || other.isEmpty { return outcomes.count > 1 }
      return !one.contains { claim in other.contains { $0.partition == claim.partition } }
    }
  }

  /// Judges the records of an epoch that were not derived.
  /// - Returns: The number of records that cannot be proved.
  private mutating func judge(
    _ epoch: OutputIndex.Epoch, _ claims: [Claim], mustBeDerived: Bool, lastMustBeDerived: Bool
  ) -> Int {
    if claims.count == 1, claims[0].from == epoch.firstSeq, claims[0].upTo == epoch.end - 1 { return 0 }
    let last = claims.max { $0.upTo < $1.upTo }
    // If a partition was derived to its end, the last instruction of each room that was followed is known.
    let isEndKnown =
      last.map { last in last.isEndKnown && outcomes.first { $0.number == last.partition }?.isSteady ?? false }
      ?? lastMustBeDerived
    var unproven = 0
    for (seq, entry) in epoch.runs.lazy.flatMap({ zip($0.firstSeq..., $0.entries) }) {
      if claims.contains(where: { $0.from <= seq && seq <= $0.upTo }) { continue }
      if !entry.isCompared {
        found.tally.skipped += 1
        continue
      }
      if !entry.isOld {
        found.newer += 1
        continue
      }
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
