internal import ComboCore

/// A field of an event. This is the only list of them. A new one needs a case here and either a ``detail`` or code in
/// ``EventDecoder``.
enum EventField: Int, CaseIterable {
  case type, room, ts, id
  case sender, senderID
  case gift, giftID, giftValue
  case receiver, receiverID
  case count, total, streak, streakMs, ends, refresh, lingerMs, combo
  case settings

  var name: StaticString {
    switch self {
    case .type: "type"
    case .room: "room"
    case .ts: "ts"
    case .id, .senderID, .giftID, .receiverID: "id"
    case .sender: "sender"
    case .gift: "gift"
    case .giftValue: "value"
    case .receiver: "receiver"
    case .count: "count"
    case .total: "total"
    case .streak: "streak"
    case .streakMs: "streak_ms"
    case .ends: "ends"
    case .refresh: "refresh"
    case .lingerMs: "linger_ms"
    case .combo: "combo"
    case .settings: "settings"
    }
  }

  /// The object that contains it, or nil for a field of the event itself.
  var owner: EventField? {
    switch self {
    case .senderID: .sender
    case .giftID, .giftValue: .gift
    case .receiverID: .receiver
    default: nil
    }
  }
}

/// An integer or a boolean that few gifts have: the allowed values and the setter. ``Gift/forgetHashes()`` sets the default.
enum GiftDetail {
  case integer(ClosedRange<Int64>, @Sendable (inout Gift, Int64) -> Void)
  case boolean(@Sendable (inout Gift, Bool) -> Void)
}

extension EventField {
  /// The detail, if it is a field that few gifts have, or nil.
  var detail: GiftDetail? {
    switch self {
    case .streakMs: .integer(0...EventDecoder.longestStreakMs) { $0.streakMs = Int32(truncatingIfNeeded: $1) }
    case .ends: .boolean { $0.ends = $1 }
    case .refresh: .boolean { $0.refreshes = $1 }
    case .lingerMs: .integer(0...Int64(Gift.lingerMax)) { $0.lingerMs = UInt16(truncatingIfNeeded: $1) }
    default: nil
    }
  }

  /// The first rules that have it.
  var since: Rules {
    switch self {
    case .refresh, .lingerMs: Rules(version: 3)
    default: Rules(version: 1)
    }
  }

  /// All fields with a detail, in the order in which they are checked.
  static let details: [(field: EventField, detail: GiftDetail, since: Rules)] = allCases.compactMap { field in
    field.detail.map { (field, $0, field.since) }
  }
}
