internal import ComboCore
internal import ComboSystem

package struct VerifyReport: Equatable, Sendable {
  // The derived part.
  package var partitions = 0
  package var records = 0
  package var entries = 0
  var takeovers = 0
  package var resets = 0
  package var deadLetters = 0
  /// The number of those that were compared with the dead-letter topic, or nil if that was not read.
  var lettersCompared: Int?
  /// The number of those that `redrive` has sent back to the input.
  var lettersSentBack = 0
  /// The number of the input's records that were deleted before, or nil if unknown.
  package var evicted: Int64?
  /// Records that the map drops.
  package var dropped = 0
  // The contents of the output.
  package var rooms = 0
  package var instructions = 0
  var epochs = 0
  package var screens = 0
  /// Instructions that were written while the verification ran, and that were not derived.
  var newer = 0
  /// Instructions that occur again, as at-least-once delivery allows.
  var repetitions = 0
  /// Instructions whose record has the broker's timestamp, which is not compared.
  var untimed = 0
  /// The partitions of the output that were not read to their end, each with the offset of the open transaction.
  var unread: [Int32: Int64] = [:]
  /// Rooms that several partitions of the input emitted, as after partitions were added to it.
  var movedRooms = 0
  package var tally = Comparison.Counts()
  // The part that cannot be proved, and is never counted as right.
  var unprovenRooms = 0
  var unprovenInstructions = 0
  /// The number of instructions and dead letters that the journal's entries record.
  package var said = 0
  /// Whether all partitions were derived from their first entry on.
  var isComplete = true
  /// Entries of the journal that could not be derived.
  var entriesSkipped = 0
  /// The number of those before a checkpoint from which the rest of the partition was derived.
  var entriesBeforeCheckpoint = 0
  /// The number of those that other versions of the engine's rules made, by version.
  var entriesOfOtherRules: [Rules: Int] = [:]
  package var findings = Findings()

  /// The differences, one sentence per kind.
  package var faults: [String] { findings.sentences }
  /// Whether the group has neither processed records nor written instructions.
  package var isEmpty: Bool { records == 0 && said == 0 && entriesSkipped == 0 && instructions == 0 && findings.isEmpty }
  /// Whether no difference was found, and something was compared if there is anything.
  package var isProven: Bool { findings.isEmpty && (tally.equal > 0 || (unprovenInstructions == 0 && hasSaidNothing)) }
  /// Whether the journal records no instruction.
  private var hasSaidNothing: Bool { said <= deadLetters }
  /// Whether everything was compared.
  private var isAll: Bool {
    unprovenInstructions == 0 && unprovenRooms == 0 && tally.deleted == 0 && tally.skipped == 0 && tally.pending == 0
      && tally.unread == 0 && unread.isEmpty && entriesSkipped == 0 && isComplete
  }

  /// Adds what the derivation of a partition found. What only the verdict sets is not added.
  mutating func add(_ other: Self) {
    partitions += other.partitions
    records += other.records
    entries += other.entries
    takeovers += other.takeovers
    resets += other.resets
    deadLetters += other.deadLetters
    dropped += other.dropped
    said += other.said
    isComplete = isComplete && other.isComplete
    entriesSkipped += other.entriesSkipped
    entriesBeforeCheckpoint += other.entriesBeforeCheckpoint
    entriesOfOtherRules.merge(other.entriesOfOtherRules, uniquingKeysWith: +)
    tally.add(other.tally)
    findings.merge(other.findings)
  }

  /// The report for people, in lines, the last of which is the verdict.
  package var summary: String {
    func n(_ number: some BinaryInteger) -> String { ProgressMeter.grouped(Int(number)) }
    func n(_ number: some BinaryInteger, _ words: String) -> String { Counted.text(number, words) }
    var lines = [
      "partitions \(n(partitions)), records taken in \(n(records)), entries \(n(entries)), takeovers \(n(takeovers)), resets \(n(resets)), "
        + "dead letters \(n(deadLetters))" + (lettersCompared == nil || deadLetters == 0 ? "" : " (compared with their topic)")
        + (lettersSentBack > 0 ? ", \(n(lettersSentBack)) of them sent back by redrive" : "")
        + (dropped > 0 ? ", dropped by the map \(n(dropped))" : ""),
      "output: \(n(instructions, "instructions of")) \(n(rooms, "rooms in")) \(n(epochs, "epochs")), \(n(tally.equal)) equal byte for byte"
        + (repetitions > 0 ? ", \(n(repetitions)) repeated" : "")
        + (movedRooms > 0 ? ", \(n(movedRooms, "rooms moved to another input partition"))" : "")
        + (newer > 0 ? ", \(n(newer)) newer than the compared part" : "")
        + (tally.pending > 0 ? ", \(n(tally.pending)) not written yet" : ""),
      "seq: \(verdict(.sequence, repetitions > 0 ? "no gap, none twice except for identical repetitions" : "no gap, none twice"))",
      "screen: \(verdict(.screen, "\(n(screens, "screens are what a client has drawn"))"))",
      "conservation: " + verdict(.conservation, conservation)
        + (tally.leftByResets > 0 ? "; \(n(tally.leftByResets, "gifts were")) never shown because of a reset" : ""),
    ]
    if let evicted, evicted > 0 {
      lines.insert(
        "deleted before that: \(n(evicted, "records of the input")); what is left of it begins with record \(n(evicted + 1))",
        at: 1)
    }
    if unprovenRooms > 0 || tally.deleted > 0 || entriesSkipped > 0 {
      var reasons = ["not provable: \(n(unprovenRooms, "rooms with")) \(n(unprovenInstructions, "instructions"))"]
      if tally.deleted > 0 { reasons.append(n(tally.deleted, "instructions deleted from the output")) }
      if entriesSkipped > 0 { reasons.append(n(entriesSkipped, "entries of the journal that cannot be derived")) }
      lines.append(reasons.joined(separator: "; "))
    }
    for (version, count) in entriesOfOtherRules.sorted(by: { $0.key < $1.key }) {
      lines.append(
        "of these entries \(n(count)) \(count == 1 ? "was" : "were") made by version \(version) of the engine's rules: only a program with that version derives them"
      )
    }
    if tally.skipped > 0 { lines.append("not compared: \(n(tally.skipped, "instructions from before --from"))") }
    for (partition, offset) in unread.sorted(by: { $0.key < $1.key }) {
      lines.append(
        "not compared: partition \(partition) of the output from offset \(offset) on, where a transaction is open")
    }
    if tally.unread > 0 { lines.append("not compared: \(n(tally.unread, "instructions that may stand there"))") }
    if lettersCompared == nil, deadLetters > 0 { lines.append("not compared: the dead letters, whose topic was not read") }
    if untimed > 0 { lines.append("not compared: the times of \(n(untimed, "records")), which the broker set") }
    // The faults name rooms, whose ids anybody can make up.
    for fault in faults { lines.append("DIFFERS: \(DisplayWidth.harmless(fault))") }
    lines.append(conclusion)
    return lines.joined(separator: "\n") + "\n"
  }

  /// The result for the gifts if nothing differs.
  private var conservation: String {
    if epochs > 0, tally.countedEpochs == 0, tally.openEpochs == 0 {
      return "not compared, because no epoch begins in the compared part"
    }
    return "\(Counted.text(tally.gifts, "gifts")) accounted for, each once; "
      + (tally.countedEpochs == 1 ? "1 epoch adds up" : "\(ProgressMeter.grouped(tally.countedEpochs)) epochs add up")
      + (tally.openEpochs > 0 ? "; \(Counted.text(tally.openEpochs, "epochs are not over yet"))" : "")
      + (tally.openGifts > 0 ? ", with \(Counted.text(tally.openGifts, "gifts")) to come" : "")
  }

  private func verdict(_ kind: Findings.Kind, _ fine: String) -> String {
    let count = findings.count(kind)
    return count == 0 ? fine : Counted.text(count, "faults")
  }

  private var conclusion: String {
    if !findings.isEmpty {
      let count = Findings.Kind.allCases.reduce(0) { $0 + findings.count($1) }
      return "NOT proven: \(Counted.text(count, "differences")), of each kind the first above"
    }
    if !isProven {
      let isLost = unprovenInstructions > 0 || entriesSkipped > 0
      if isLost, let evicted, evicted > 0 {
        return
          "NOT proven: the checkpoints that the output could be derived from were deleted, as the rooms' state is large for the file,"
          + " and nothing follows the newest one. Verify while live runs, or raise --data-max-mib, which keeps an old one"
      }
      if entriesSkipped > 0, entriesBeforeCheckpoint == entriesSkipped {
        return "NOT proven: nothing was compared, because no instruction follows the checkpoint that the derivation begins from"
      }
      return isLost
        ? "NOT proven: the output cannot be derived from the remaining input, journal and state"
        : "NOT proven: nothing was compared, because no derived instruction is in the part of the output that was to be compared"
    }
    let each = repetitions > 0 ? "each instruction once, except for identical repetitions" : "each instruction once"
    // Records that were sent back are in the input once more.
    let bad = max(0, deadLetters - lettersSentBack)
    let much =
      dropped * 2 > records
      ? ". But the map dropped \(ProgressMeter.grouped(dropped)) of \(Counted.text(records, "records")): does it fit this input?"
      : bad * 2 > records
        ? ". But \(ProgressMeter.grouped(bad)) of \(Counted.text(records, "records")) \(bad == 1 ? "was" : "were") bad and led to nothing: do they need"
          + " a map, or another one?" : ""
    return isAll
      ? "proven: the output is what input and journal give, byte for byte, \(each)\(much)"
      : "proven: as far as it can be derived, the output is what input and journal give, byte for byte, \(each)\(much)"
  }
}

/// The reason why there can be no verdict, as a sentence.
struct VerifyFault: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
