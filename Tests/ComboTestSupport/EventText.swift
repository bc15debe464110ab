import ComboCore
import ComboWire

/// Returns an event as one line of text.
func text(of event: Event) -> String {
  func string(_ bytes: Bytes) -> String { String(decoding: bytes, as: UTF8.self) }
  var parts = ["\(event.kind)", string(event.room), "\(event.ts)"]
  switch event.kind {
  case .gift:
    parts += [string(event.gift.id), string(event.gift.senderID), string(event.gift.receiverID), string(event.gift.giftID)]
    parts.append("\(event.gift.value)")
    switch event.gift.amount {
    case .count(let count): parts.append("count \(count)")
    case .total(let total, let streak): parts.append("total \(total) of \(string(streak))")
    }
    if event.gift.refreshes { parts.append("refresh") }
    if event.gift.lingerMs > 0 { parts.append("linger \(event.gift.lingerMs)") }
    parts += [string(event.gift.display.sender), string(event.gift.display.receiver), string(event.gift.display.gift)]
  case .retract:
    parts += [string(event.retraction.senderID), string(event.retraction.receiverID), string(event.retraction.giftID)]
  case .roomClosed, .roomSettings: break
  }
  return parts.joined(separator: "|")
}
