internal import ComboSystem

/// The findings of a shadow so far.
package struct ShadowReport: Equatable, Sendable {
  /// The number of instructions by operation.
  package struct Count: Equatable, Sendable {
    package var group = 0
    package var here = 0
  }

  /// The differences between the group's options and those of this program, one phrase each. Empty if there are none, so that
  /// every byte must be the same.
  package var otherOptions: [String] = []
  /// Partitions that are followed now.
  package var partitions = 0
  package var entries = 0
  package var records = 0
  /// Instructions that are the same in both.
  package var equal = 0
  /// Instructions at the same place that differ.
  package var changed = 0
  /// Instructions that were derived, and that the group does not emit.
  package var onlyHere = 0
  /// Instructions that the group emits, and that were not derived.
  package var onlyInGroup = 0
  /// Instructions that at-least-once delivery repeated.
  package var repeated = 0
  /// Instructions that were not compared, as a partition was not followed at that time.
  package var uncompared = 0
  /// Partitions in which the rooms after an entry differed from the journal's.
  package var otherRooms = 0
  /// The number of times that a partition was restarted from its newest checkpoint.
  package var restarts = 0
  package var deadLetters = 0
  package var dropped = 0
  /// The numbers of instructions by the name of the operation.
  package var operations: [String: Count] = [:]
  /// The first differences, as sentences.
  package private(set) var sentences: [String] = []
  private static let sentencesMax = 10

  /// Whether every byte must be the same.
  package var isStrict: Bool { otherOptions.isEmpty }
  package var differing: Int { changed + onlyHere + onlyInGroup }
  package var isCompared: Bool { equal + differing > 0 }
  /// Whether something was compared and all that must be the same is the same.
  package var isGood: Bool { isCompared && (!isStrict || (differing == 0 && otherRooms == 0)) }

  /// - Returns: The sentence if it is one of the first, or nil.
  mutating func add(_ sentence: @autoclosure () -> String) -> String? {
    if sentences.count >= Self.sentencesMax { return nil }
    sentences.append(sentence())
    return sentences.last
  }

  /// The report for people, in lines.
  package var summary: String {
    var lines = [
      "shadow: \(Counted.text(partitions, "partitions")), \(Counted.text(entries, "entries")) and \(Counted.text(records, "records")) followed"
        + (restarts == 0 ? "" : ", restarted \(Counted.text(restarts, "times"))")
    ]
    if !isStrict {
      lines.append("the options here differ from the group's: \(otherOptions.joined(separator: ", "))")
      lines += table
    }
    lines.append(
      "instructions: \(grouped(equal)) the same in both, \(grouped(changed)) changed, \(grouped(onlyHere)) only here, \(grouped(onlyInGroup)) only in the output"
    )
    if repeated > 0 { lines.append(Counted.text(repeated, "instructions were repeated, as at-least-once delivery does")) }
    if uncompared > 0 {
      lines.append(Counted.text(uncompared, "instructions were not compared: their partition was just being started"))
    }
    if deadLetters + dropped > 0 {
      lines.append("bad events here: \(grouped(deadLetters)); records that the map drops here: \(grouped(dropped))")
    }
    if isStrict { lines += sentences.map { "DIFFERS: \($0)" } }
    lines.append(verdict)
    return lines.joined(separator: "\n") + "\n"
  }

  private var table: [String] {
    func row(_ name: String, _ group: String, _ here: String) -> String {
      func space(_ text: String, _ width: Int) -> String { String(repeating: " ", count: max(0, width - text.count)) }
      return name + space(name, 10) + space(group, 12) + group + space(here, 12) + here
    }
    return [row("", "the group", "here")]
      + operations.sorted { $0.key < $1.key }.map { row($0.key, grouped($0.value.group), grouped($0.value.here)) }
  }

  private var verdict: String {
    if !isCompared { return "nothing was compared: the group wrote nothing meanwhile. Let the shadow run longer" }
    if !isStrict { return "different options: differences are expected, and are not a fault" }
    if isGood { return "the same: this program derives what the group wrote, byte for byte" }
    let rooms =
      otherRooms == 0 ? "" : ", and in \(Counted.text(otherRooms, "partitions")) the rooms differ from the journal"
    return "NOT the same: \(Counted.text(differing, "instructions differ"))\(rooms)"
  }

  private func grouped(_ count: Int) -> String { ProgressMeter.grouped(count) }
}
