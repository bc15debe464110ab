import ComboCore
import ComboWire

/// A decoded event that owns its values.
struct Decoded: Equatable {
  var kind: Event.Kind
  var room: String
  var ts: Int64
  var id = ""
  var sender = ""
  var receiver = ""
  var gift = ""
  var displaySender = ""
  var displayReceiver = ""
  var displayGift = ""
  var value = 0.0
  var count: Int?
  var total: Int?
  var streak = ""
  var streakMs: Int32?
  var ends = false
  var combo = ""
  var own = OwnSettings()
}

extension String {
  init(_ bytes: Bytes) { self = String(decoding: bytes, as: UTF8.self) }
}

/// Decodes one record, whose key is the room unless another one is given.
func decode(
  _ record: [UInt8], key: [UInt8]?, _ limits: WireLimits = WireLimits(), _ decoder: EventDecoder? = nil
) throws(BadEvent) -> Decoded {
  let decoder = decoder ?? EventDecoder(limits: limits)
  let arena = BumpArena(chunkSize: 1024)
  var event = Event()
  do {
    try record.withUnsafeBytes { record in
      if let key {
        try key.withUnsafeBytes { try decoder.decode(record, key: $0, into: arena, &event) }
      } else {
        try decoder.decode(record, key: nil, into: arena, &event)
      }
    }
  } catch let bad as BadEvent {
    throw bad
  } catch {
    fatalError("the decoder throws bad events only")
  }
  var decoded = Decoded(kind: event.kind, room: String(event.room), ts: event.ts)
  switch event.kind {
  case .gift:
    decoded.id = String(event.gift.id)
    decoded.sender = String(event.gift.senderID)
    decoded.receiver = String(event.gift.receiverID)
    decoded.gift = String(event.gift.giftID)
    decoded.displaySender = String(event.gift.display.sender)
    decoded.displayReceiver = String(event.gift.display.receiver)
    decoded.displayGift = String(event.gift.display.gift)
    decoded.value = event.gift.value
    decoded.streakMs = event.gift.streakMs
    decoded.ends = event.gift.ends
    decoded.combo = String(event.gift.combo)
    switch event.gift.amount {
    case .count(let count): decoded.count = count
    case .total(let total, let streak):
      decoded.total = total
      decoded.streak = String(streak)
    }
  case .retract:
    decoded.sender = String(event.retraction.senderID)
    decoded.receiver = String(event.retraction.receiverID)
    decoded.gift = String(event.retraction.giftID)
  case .roomSettings: decoded.own = decoder.own
  case .roomClosed: break
  }
  return decoded
}

func decode(_ record: String, key: String? = "r", _ limits: WireLimits = WireLimits()) throws(BadEvent) -> Decoded {
  try decode(Array(record.utf8), key: key.map { Array($0.utf8) }, limits)
}

/// Returns why a record is bad, or nil if it is not.
func fault(_ record: String, key: String? = "r", _ limits: WireLimits = WireLimits()) -> BadEvent? {
  do throws(BadEvent) {
    _ = try decode(record, key: key, limits)
    return nil
  } catch { return error }
}
