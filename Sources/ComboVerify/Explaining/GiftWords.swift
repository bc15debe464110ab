internal import ComboCore
internal import ComboSystem
internal import ComboWire

/// Describes the fates of gifts, in one line each. The date has its own line when it changes. Times are UTC.
package struct GiftWords {
  private var day: Substring = ""

  package init() {}

  /// Returns the line of a gift, after the date if that has changed.
  package mutating func text(of gift: ExplainedGift) -> String {
    let fate = gift.fate
    let name = Self.name(of: fate.gift, count: fate.taken.count, from: fate.sender, to: fate.receiver)
    return line(at: fate.taken.at, "\(name): \(Self.text(of: gift.redriven, offset: gift.offset))\(Self.story(of: gift))")
  }

  /// Returns the line of a record that did not reach an engine, after the date if that has changed.
  package mutating func text(of miss: GiftMiss, reach: ExplainedPartition?) -> String {
    let place = "offset \(miss.offset) of partition \(miss.partition)"
    let what =
      switch miss.kind {
      case .deadLetter: "dead letter, \(place): \(miss.detail)"
      case .dropped: "dropped by the map, \(place): \(miss.detail)"
      case .otherRoom: "a gift of another room, \(Sentence.quoted(miss.detail)), \(place)"
      case .otherSender: "a gift of another sender, \(place)"
      case .otherGift: "a gift of another kind, \(place)"
      case .otherTime: "a gift of another time, \(place)"
      case .notCommitted: "not yet committed, \(place)\(miss.detail.isEmpty ? Self.committed(reach) : ": " + miss.detail)"
      case .aborted: "aborted, \(place): its producer aborted the transaction, so that nobody reads it"
      case .passedOver: "passed over, \(place): \(miss.detail)"
      case .beforeGroup: "from before the group began, \(place): \(miss.detail)"
      case .beforeJournal:
        "\(place): its fate is unknown, as \(miss.detail.isEmpty ? Self.known(reach) : miss.detail)"
      }
    let name = miss.name.map { Self.name(of: $0.gift, count: 0, from: $0.sender, to: $0.receiver) + ": " } ?? ""
    let guess = miss.isGuess ? " (a guess: the record contains what you ask for, but not in a known field)" : ""
    return line(at: miss.time, name + Self.text(of: miss.redriven, offset: miss.offset) + what + guess)
  }

  /// Describes the history of a record before it was sent back, as the beginning of a sentence.
  private static func text(of redriven: Redriven?, offset: Int64) -> String {
    guard let redriven else { return "" }
    var text = ""
    if redriven.letters.count < redriven.rounds {
      let times = redriven.rounds == 1 ? "" : redriven.rounds == 2 ? " twice" : " \(redriven.rounds) times"
      text = "sent back from the dead-letter topic\(times); "
    }
    for (index, letter) in redriven.letters.enumerated() {
      let next = index + 1 < redriven.letters.count ? redriven.letters[index + 1].offset : offset
      text += "went to the dead-letter topic\(index == 0 ? "" : " again") (offset \(letter.offset): \(letter.reason))"
      text += ", sent back as offset \(next); "
    }
    return text
  }

  private mutating func line(at time: Int64?, _ what: String) -> String {
    guard let time else { return "(no time) \(what)\n" }
    let text = Timestamp.text(time)
    let halves = text.split(separator: "T", maxSplits: 1)
    let date = halves[0] == day ? "" : "\(halves[0]) (UTC)\n"
    day = halves[0]
    return "\(date)\(halves[1].dropLast()) \(what)\n"
  }

  private static func committed(_ reach: ExplainedPartition?) -> String {
    guard let clock = reach?.clock, let entry = reach?.entry else {
      return ": the journal has no entry of the partition in the time that was searched"
    }
    return ": the group's last entry is \(entry), of \(Timestamp.text(clock))"
  }

  private static func known(_ reach: ExplainedPartition?) -> String {
    guard let since = reach?.knownSince else {
      return "journal and checkpoints do not reach back to a time at which the room is known"
    }
    return "journal and checkpoints reach back to \(Timestamp.text(since))"
  }

  private static func shown(_ bytes: [UInt8]) -> String {
    String(Sentence.quoted(String(decoding: bytes, as: UTF8.self)).dropFirst().dropLast())
  }

  private static func name(of gift: [UInt8], count: Int, from sender: [UInt8], to receiver: [UInt8]) -> String {
    // Ids may be numbers, so each is labeled.
    (gift.isEmpty ? "a gift" : "gift \(shown(gift))") + (count > 0 ? " ×\(count)" : "")
      + (sender.isEmpty ? "" : " from sender \(shown(sender))") + (receiver.isEmpty ? "" : " to receiver \(shown(receiver))")
  }

  private static func story(of gift: ExplainedGift) -> String {
    let taken = gift.fate.taken
    var parts: [String] = []
    switch taken.outcome {
    case .duplicate:
      let first = gift.firstOffset.map { "the gift at offset \($0)" } ?? "a gift before the part that was read"
      return
        "duplicate of \(first): the id \(Sentence.quoted(String(decoding: gift.fate.id, as: UTF8.self))) is remembered"
    case .stale: return "changed nothing: its total is late, or was there before"
    case .old:
      let sent = gift.sentAt.map { "sent at \(Timestamp.text($0)), " } ?? ""
      return "too old: \(sent)older than --max-age-ms when it was taken in, so that no room saw it"
    case .joined: parts.append("joined banner \(taken.banner) on screen")
    case .waiting:
      parts.append("joined banner \(taken.banner)" + (gift.waitingBefore.map { ", \(queued($0))" } ?? " in the queue"))
    case .new: if let before = gift.waitingBefore { parts.append(queued(before)) }
    }
    switch gift.fate.end {
    case .open:
      let pause = gift.isPaused ? ": the room is paused, as slots is 0" : ""
      parts.append(taken.outcome == .joined ? "its number is still to change" : "still waits\(pause)")
    case .forgotten: parts.append("never shown: the room began anew before its turn")
    case .seen(let at, let by, let banner):
      let merged = banner == taken.banner ? "" : ", which its banner \(taken.banner) had joined"
      let how = ["show": "shown", "update": "seen"][by] ?? "seen as the banner left,"
      let place = taken.outcome == .joined && merged.isEmpty ? "" : " in banner \(banner)\(merged)"
      parts.append("\(how) at \(clock(at))\(place), \(duration(at - taken.at))\(away(gift.awayMs))")
      if let retracted = gift.fate.retractedAt { parts.append("retracted at \(clock(retracted)): the banner left the screen") }
    case .skipped(let at, let reason):
      let when = at > taken.at ? " at \(clock(at)), \(duration(at - taken.at))\(away(gift.awayMs))" : ""
      // The worth explains why this gift was skipped and not another one.
      let why =
        switch reason {
        case .overflow: "the queue was full, worth \(number(gift.worth))"
        case .closed: "the room was closed"
        case .retracted: "it was retracted"
        }
      if when.isEmpty { parts = [] }
      parts.append("skipped\(when): \(why)")
    }
    return parts.joined(separator: ", ")
  }

  private static func queued(_ before: Int) -> String { before == 0 ? "queued as the next" : "queued behind \(before)" }

  private static func clock(_ time: Int64) -> Substring { Timestamp.text(time).dropFirst(11).dropLast() }

  private static func duration(_ milliseconds: Int64) -> String {
    milliseconds <= 0 ? "at once" : "after \(number(Double(milliseconds) / 1000)) s"
  }

  private static func away(_ milliseconds: Int64) -> String {
    milliseconds <= 0 ? "" : " (no service ran the room for \(number(Double(milliseconds) / 1000)) s of that time)"
  }

  private static func number(_ value: Double) -> String {
    value == value.rounded() && abs(value) < 1e15 ? "\(Int64(value))" : "\(value)"
  }
}
