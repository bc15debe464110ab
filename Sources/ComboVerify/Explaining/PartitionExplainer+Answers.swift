internal import ComboCore
internal import ComboRooms
internal import ComboWire

/// Follows the gifts of the one derived room.
extension PartitionExplainer: InstructionTarget {
  func said(_ record: Bytes, _ instruction: Instruction, by room: Room) { trail.follow(instruction) }
  func merged(_ banner: Int, into other: Int, by room: Room) { trail.merged(banner, into: other) }
  func summed(_ banner: Int, at: Int64, _ reason: SkipReason, by room: Room) { trail.summed(banner, at: at, reason) }
}

/// Reports the gifts of the room.
extension PartitionExplainer {
  /// Removes and returns the former dead letters of a record that was sent back. They are then not reported separately.
  func takeDeadLetters(like record: UInt64, rounds: Int) -> [Redriven.Letter] {
    guard let letter = pending.takeDeadLetter(like: record, rounds: rounds) else { return [] }
    misses.removeAll { $0.kind == .deadLetter && $0.offset == letter.offset }
    missCount -= 1
    if letter.isGuess { guessCount -= 1 }
    return (letter.redriven?.letters ?? []) + [.init(offset: letter.offset, time: letter.time, reason: letter.detail)]
  }

  func publish(_ findings: [Finding]) {
    for finding in findings where !isStopped { isStopped = !task.receive(finding, report) }
  }

  private var isPaused: Bool {
    guard let room, let partition else { return false }
    return partition.settings.values.with(room.engine.own).slots == 0
  }

  private func awayMs(of fate: GiftFate) -> Int64 {
    let end: Int64
    switch fate.end {
    case .seen(let at, _, _), .skipped(let at, _): end = at
    case .open, .forgotten: return 0
    }
    return aways.reduce(0) { $1.from >= fate.taken.at && $1.from + $1.ms <= end ? $0 + $1.ms : $0 }
  }

  /// Publishes gifts whose fate is complete, or all gifts.
  /// - Parameter provenOnly: Whether the entry in progress belongs to another input, so that the fates of its gifts are unknown.
  func publishGifts(all: Bool, provenOnly: Bool = false) {
    var count = 0
    trail.removeComplete(all: all) { fate in
      let note = notes[count]
      count += 1
      if isStopped { return }
      if provenOnly, count > provenNotes {
        add(
          GiftMiss(
            kind: .beforeJournal, partition: number, offset: note.offset, time: note.sentAt,
            detail: "the journal belongs to another input", name: GiftName(fate)))
        return
      }
      publish(
        pending.add(
          ExplainedGift(
            fate: fate, partition: number, offset: note.offset, waitingBefore: note.waitingBefore, worth: note.worth,
            firstOffset: note.firstOffset, awayMs: awayMs(of: fate), isPaused: fate.end == .open && isPaused, sentAt: note.sentAt,
            redriven: note.redriven)))
    }
    notes.removeFirst(count)
    provenNotes = max(0, provenNotes - count)
    if trail.isEmpty { aways = [] }
  }
}
