internal import ComboCore

/// A field of an event. This is the only list of them. A new one is a case here, and either has a ``detail`` or is read in ``EventDecoder``.
enum EventField: Int, CaseIterable {
  case type, room, ts, id
  case sender, senderID
  case gift, giftID, giftValue
  case receiver, receiverID
  case count, total, streak, streakMs, ends, combo
  case settings

  /// Its name in the event, or in the object that it belongs to.
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
    case .combo: "combo"
    case .settings: "settings"
    }
  }

  /// The object that it belongs to; nil: it is the event's own.
  var owner: EventField? {
    switch self {
    case .senderID: .sender
    case .giftID, .giftValue: .gift
    case .receiverID: .receiver
    default: nil
    }
  }
}

/// An integer or a boolean that few gifts have: which values are allowed, and where a gift keeps it. ``Gift/forgetHashes()`` sets the value of gifts
/// without the field.
enum GiftDetail {
  case integer(ClosedRange<Int64>, @Sendable (inout Gift, Int64) -> Void)
  case boolean(@Sendable (inout Gift, Bool) -> Void)
}

extension EventField {
  /// How the decoder reads it, if it is one of those that few gifts have.
  var detail: GiftDetail? {
    switch self {
    case .streakMs: .integer(0...EventDecoder.longestStreakMs) { $0.streakMs = Int32(truncatingIfNeeded: $1) }
    case .ends: .boolean { $0.ends = $1 }
    default: nil
    }
  }

  /// All fields with a detail, in the order in which they are checked.
  static let details: [(field: EventField, detail: GiftDetail)] = allCases.compactMap { field in
    field.detail.map { (field, $0) }
  }
}
