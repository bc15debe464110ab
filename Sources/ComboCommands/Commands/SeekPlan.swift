internal import ComboMaps
internal import ComboSystem
internal import ComboWire

/// The effect of `seek`.
struct SeekPlan: Equatable {
  /// One partition of the input.
  struct Place: Equatable {
    var partition: Int32
    /// The first offset that still exists, and the one after the last.
    var first: Int64
    var end: Int64
    /// The group's position, or nil if it has read nothing.
    var position: Int64?
    /// Whether the group's committed offset names no journal entry.
    var isNew: Bool
    /// The new offset, or nil if it does not change.
    var target: Int64?
    /// The number of rooms that are awake, or nil if unknown.
    var rooms: Int?
    /// The number of gifts that wait in its rooms, or nil if unknown.
    var waiting: Int?
    /// The reason why the partition cannot be taken over, or nil if none is known.
    var fault: String?

    var moves: Bool { target.map { isNew ? $0 != position : $0 > position ?? first } ?? false }
    /// The fate of the waiting gifts, as the end of a sentence.
    var loss: String {
      guard let waiting else { return ": gifts that wait there are not shown" }
      return waiting == 0 ? "" : ": \(Counted.text(waiting, "gifts that wait")) there \(waiting == 1 ? "is" : "are") not shown"
    }
    /// Returns the reason why the move is refused, as the end of a sentence, or nil if it is not.
    func refusal(namesOffsets: Bool) -> String? {
      if let fault { return fault }
      guard let target else {
        return namesOffsets && isNew && position == nil
          ? "it is not among the offsets, and the group, which has not read it yet, would begin at its first record. Add \(partition):\(first)"
          : nil
      }
      if target > end { return "offset \(target) is beyond its end, offset \(end)" }
      if isNew, target < first { return "offset \(target) is deleted: the first one is \(first)" }
      if !isNew, let position, target < position {
        return
          "it is at \(position), and going back to \(target) would count \(Counted.text(position - target, "records")) twice."
          + " Use a new --group and --output for them"
      }
      return nil
    }
  }

  var places: [Place] = []
  /// The number of members that the group has now.
  var members = 0
  /// The differences between the options and those of the group until now, as sentences.
  var changes: [String] = []
  /// Partitions that were named but do not exist.
  var unknown: [Int32] = []
  /// Whether offsets were named, and not a time or the end.
  var namesOffsets = false
  /// The requested time and the present one, in milliseconds since the Unix epoch, or nil if no time was requested.
  var time: Int64?
  var now: Int64 = 0
  /// Whether the output holds records although the group has no journal entries.
  var hasForeignOutput = false

  var moves: [Place] { places.filter(\.moves) }
  var targets: [Int32: Int64] { Dictionary(uniqueKeysWithValues: moves.map { ($0.partition, $0.target!) }) }
  var isRefused: Bool { !unknown.isEmpty || places.contains { $0.refusal(namesOffsets: namesOffsets) != nil } }

  /// Adds the differences between a derivation and the previous one.
  mutating func add(changesFrom old: Derivation, to new: Derivation) {
    if old.mapping != new.mapping, !RecordMap.differInSchemas(old.mapping ?? "", new.mapping ?? "") {
      let (before, now) = (old.mapWords, new.mapWords)
      add(
        "The group ran \(before) until now, and --yes would continue \(before == now ? "with another one of that name" : now)."
          + " If that is not intended, correct --map.")
    }
    let settings = new.changes(from: old)
    if !settings.isEmpty {
      add("Settings would change: \(settings.joined(separator: ", ")). If that is not intended, give all options of run.")
    }
  }

  private mutating func add(_ change: String) {
    if !changes.contains(change) { changes.append(change) }
  }

  /// The report for people: one line per partition, then a conclusion.
  func text(isDryRun: Bool) -> String {
    var lines: [String] = []
    if let time, time > 0 {
      let text = Timestamp.text(time)
      lines.append(time > now ? "The time \(text) is in the future, so the group moves to the end." : "to \(text)")
    }
    lines += unknown.map { "partition \($0) does not exist" }
    for place in places {
      let position = place.position.map { "is at \($0)" } ?? "has not been read"
      if let refusal = place.refusal(namesOffsets: namesOffsets) {
        lines.append("partition \(place.partition): refused: \(refusal)")
      } else if !place.moves {
        lines.append("partition \(place.partition): \(position), does not move")
      } else if place.isNew {
        lines.append("partition \(place.partition): \(position), would begin at \(place.target!)")
      } else {
        let skipped = place.target! - (place.position ?? place.first)
        let rooms = place.rooms.map { "\(Counted.text($0, "rooms")) \($0 == 1 ? "begins" : "begin")" } ?? "its rooms begin"
        lines.append(
          "partition \(place.partition): \(position), would continue at \(place.target!): up to \(Counted.text(skipped, "records are skipped")),"
            + " and \(rooms) a new epoch\(place.loss)"
        )
      }
    }
    lines += changes
    if places.contains(where: { !$0.loss.isEmpty && $0.moves && !$0.isNew }), !isRefused {
      lines.append(
        "To have waiting gifts shown first, if the part to skip is not written yet: pause the producers, and wait until combo_rooms is 0."
      )
    }
    let position = places.compactMap { place in place.position.map { "\(place.partition):\($0)" } }
    if !position.isEmpty, position.count == places.count {
      lines.append("To let another group begin where this one is now: --to-offset \(position.joined(separator: ","))")
    }
    if hasForeignOutput {
      let finding = TopicFindings.foreignOutput
      lines.append("Note: \(finding.text). To change it: \(finding.fix ?? "").")
    }
    if isRefused {
      lines.append("Nothing was done.")
    } else if moves.isEmpty {
      lines.append("There is nothing to do.")
    } else if isDryRun {
      lines.append(
        "Nothing was done: this was a dry run. "
          + (members == 0
            ? "Add --yes to do it."
            : "The group has \(Counted.text(members, "members")): stop all its instances, then add --yes."))
    }
    return lines.joined(separator: "\n") + "\n"
  }
}
