package import ComboCore
internal import ComboSystem
package import ComboWire

/// Says in words what became of gifts: a line each, a line with the date where that changes. Times are UTC.
package struct GiftWords {
  private var day: Substring = ""

  package init() {}

  /// One gift's line, after the date if it is another one.
  package mutating func text(of gift: ExplainedGift) -> String {
    let fate = gift.fate
    let name = Self.name(of: fate.gift, count: fate.taken.count, from: fate.sender, to: fate.receiver)
    return line(at: fate.taken.at, "\(name): \(Self.story(of: gift))")
  }

  /// The same for a record of which no engine was told.
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
      case .passedOver: "passed over, \(place): the group was moved past it, by seek or because input was lost"
      case .beforeGroup: "from before the group began, \(place): \(miss.detail)"
      case .beforeJournal:
        "\(place): what became of it is not known, as \(miss.detail.isEmpty ? Self.known(reach) : miss.detail)"
      }
    let name = miss.name.map { Self.name(of: $0.gift, count: 0, from: $0.sender, to: $0.receiver) + ": " } ?? ""
    return line(at: miss.time, name + what)
  }

  private mutating func line(at time: Int64?, _ what: String) -> String {
    guard let time else { return "without a time \(what)\n" }
    let text = Timestamp.text(time)
    let halves = text.split(separator: "T", maxSplits: 1)
    let date = halves[0] == day ? "" : "\(halves[0]) (UTC)\n"
    day = halves[0]
    return "\(date)\(halves[1].dropLast()) \(what)\n"
  }

  private static func committed(_ reach: ExplainedPartition?) -> String {
    guard let clock = reach?.clock, let entry = reach?.entry else { return ": the group has committed nothing of the partition" }
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
    (gift.isEmpty ? "a gift" : shown(gift)) + (count > 0 ? " ×\(count)" : "")
      + (sender.isEmpty ? "" : " from \(shown(sender))") + (receiver.isEmpty ? "" : " to \(shown(receiver))")
  }

  private static func story(of gift: ExplainedGift) -> String {
    let taken = gift.fate.taken
    var parts: [String] = []
    switch taken.outcome {
    case .duplicate:
      let first = gift.firstOffset.map { "at offset \($0)" } ?? "before what was read"
      return
        "duplicate of the gift \(first): the id \(Sentence.quoted(String(decoding: gift.fate.id, as: UTF8.self))) is remembered"
    case .stale: return "changed nothing: its total is late, or was there before"
    case .old:
      let sent = gift.sentAt.map { "sent at \(Timestamp.text($0)), " } ?? ""
      return "too old: \(sent)older than --max-age-ms when it was taken in, so that no room saw it"
    case .joined: parts.append("joined banner \(taken.banner) on screen")
    case .waiting: parts.append("joined banner \(taken.banner) in the queue\(gift.waitingBefore.map { ", behind \($0)" } ?? "")")
    case .new: if let before = gift.waitingBefore { parts.append(before == 0 ? "queued as the next" : "queued behind \(before)") }
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
    case .skipped(let at, let reason):
      let when = at > taken.at ? " at \(clock(at)), \(duration(at - taken.at))\(away(gift.awayMs))" : ""
      // Worth tells why it, and not another one, was skipped.
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

  private static func clock(_ time: Int64) -> Substring { Timestamp.text(time).dropFirst(11).dropLast() }

  private static func duration(_ milliseconds: Int64) -> String {
    milliseconds <= 0 ? "at once" : "after \(number(Double(milliseconds) / 1000)) s"
  }

  private static func away(_ milliseconds: Int64) -> String {
    milliseconds <= 0 ? "" : " (for \(number(Double(milliseconds) / 1000)) s of them no service ran the room)"
  }

  private static func number(_ value: Double) -> String {
    value == value.rounded() && abs(value) < 1e15 ? "\(Int64(value))" : "\(value)"
  }
}

extension GiftMiss {
  /// Appends the object that says it.
  /// - Parameter room: the room that was asked about, as a JSON string.
  package func write(room: Bytes, to buffer: ByteBuffer) {
    buffer.append(#"{"room":"#)
    buffer.append(room)
    buffer.append(#","missed":"#)
    buffer.append(jsonString: kind.rawValue)
    buffer.append(#","partition":"#)
    buffer.append(Int64(partition))
    buffer.append(#","offset":"#)
    buffer.append(offset)
    if let time {
      buffer.append(#","time":"#)
      buffer.append(time)
    }
    func text(_ name: StaticString, _ bytes: [UInt8]) {
      if bytes.isEmpty { return }
      buffer.append(name)
      bytes.withUnsafeBytes { buffer.append(jsonString: $0) }
    }
    if let name {
      text(#","id":"#, name.id)
      text(#","sender":"#, name.sender)
      text(#","receiver":"#, name.receiver)
      text(#","gift":"#, name.gift)
    }
    if !detail.isEmpty {
      buffer.append(kind == .otherRoom ? #","other_room":"# : #","reason":"#)
      buffer.append(jsonString: detail)
    }
    buffer.append(UInt8(ascii: "}"))
  }
}
