internal import ComboCore
internal import ComboSystem

/// What a verification found.
package struct VerifyReport: Equatable, Sendable {
  // What was run through.
  package var partitions = 0
  package var records = 0
  package var entries = 0
  var takeovers = 0
  package var resets = 0
  package var deadLetters = 0
  /// Those that were compared with the dead-letter topic; nil: it was not read.
  var lettersCompared: Int?
  /// Those that `redrive` has sent back to the input.
  var lettersSentBack = 0
  /// Records that the map says are none of the service's.
  package var dropped = 0
  // What the output holds.
  package var rooms = 0
  package var instructions = 0
  var epochs = 0
  package var screens = 0
  /// Instructions that were written while the verification ran, and that nothing was derived for.
  var newer = 0
  /// Instructions that stand there again, as at-least-once delivery allows.
  var repetitions = 0
  /// Instructions whose record's time is the broker's, which is not compared.
  var untimed = 0
  /// Partitions of the output that were not read to their end, and the offset at which a transaction was open.
  var unread: [Int32: Int64] = [:]
  /// Rooms of which two partitions of the input spoke, as when it has gained some.
  var movedRooms = 0
  package var tally = Comparison.Counts()
  // What cannot be proved: never counted as right.
  var unprovenRooms = 0
  var unprovenInstructions = 0
  /// What the journal says that its entries led to: instructions and dead letters.
  package var said = 0
  /// All partitions were derived from their first entry on.
  var isComplete = true
  /// Entries of the journal that could not be derived.
  var entriesSkipped = 0
  /// Of them, by version, those that other versions of the engine's rules made.
  var entriesOfOtherRules: [Rules: Int] = [:]
  package var findings = Findings()

  package init() {}

  /// What is wrong, a sentence for each kind.
  package var faults: [String] { findings.sentences }
  /// The group has neither taken records in nor written instructions.
  package var isEmpty: Bool { records == 0 && said == 0 && entriesSkipped == 0 && instructions == 0 && findings.isEmpty }
  /// No difference was found, and something was compared, if there is anything.
  package var isProven: Bool { findings.isEmpty && (tally.equal > 0 || (unprovenInstructions == 0 && hasSaidNothing)) }
  /// The journal knows of no instruction.
  private var hasSaidNothing: Bool { said <= deadLetters }
  /// All that was said was compared.
  private var isAll: Bool {
    unprovenInstructions == 0 && unprovenRooms == 0 && tally.deleted == 0 && tally.skipped == 0 && tally.pending == 0
      && tally.unread == 0 && unread.isEmpty && entriesSkipped == 0 && isComplete
  }

  package mutating func add(_ outcome: PartitionAudit.Outcome) {
    partitions += 1
    records += outcome.records
    entries += outcome.entries
    takeovers += outcome.takeovers
    resets += outcome.resets
    deadLetters += outcome.deadLetters
    dropped += outcome.dropped
    said += outcome.said
    isComplete = isComplete && outcome.isComplete
    entriesSkipped += outcome.entriesSkipped
    entriesOfOtherRules.merge(outcome.entriesOfOtherRules, uniquingKeysWith: +)
    tally.add(outcome.tally)
    findings.merge(outcome.findings)
  }

  /// For people: some lines, the last of them the verdict.
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
      "seq: \(verdict([.sequence], "no gap, none twice"))",
      "screen: \(verdict([.screen], "\(n(screens, "screens are what a client has drawn"))"))",
      "conservation: "
        + verdict(
          [.conservation],
          "\(n(tally.gifts, "gifts")) accounted for, each once; "
            + (tally.countedEpochs == 1 ? "1 epoch adds up" : "\(n(tally.countedEpochs)) epochs add up")
            + (tally.openEpochs > 0 ? "; \(n(tally.openEpochs, "epochs are not over yet"))" : "")
        )
        + (tally.leftByResets > 0 ? "; \(n(tally.leftByResets, "gifts were")) never shown because of a reset" : ""),
    ]
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
    // They name rooms, whose ids anybody may have made up.
    for fault in faults { lines.append("DIFFERS: \(DisplayWidth.harmless(fault))") }
    lines.append(conclusion)
    return lines.joined(separator: "\n") + "\n"
  }

  private func verdict(_ kinds: [Findings.Kind], _ fine: String) -> String {
    let count = kinds.reduce(0) { $0 + findings.count($1) }
    return count == 0 ? fine : Counted.text(count, "faults")
  }

  private var conclusion: String {
    if !findings.isEmpty {
      let count = Findings.Kind.allCases.reduce(0) { $0 + findings.count($1) }
      return "NOT proven: \(Counted.text(count, "differences")), of each kind the first above"
    }
    if !isProven {
      let isLost = unprovenInstructions > 0 || entriesSkipped > 0
      return isLost
        ? "NOT proven: the output cannot be derived from the remaining input, journal and state"
        : "NOT proven: nothing was compared, because no derived instruction is in the part of the output that was to be compared"
    }
    let each = repetitions > 0 ? "each instruction, those that stand there again the same" : "each instruction once"
    // What was sent back stands in the input once more.
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

/// Why there can be no verdict, in a sentence.
struct VerifyFault: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
