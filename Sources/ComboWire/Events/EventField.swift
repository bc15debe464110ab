/// A field of an event. This is the only list of them: add a case here for a new one, and reads it in ``EventDecoder``.
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
