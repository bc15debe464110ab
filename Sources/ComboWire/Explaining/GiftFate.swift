package import ComboCore

/// The history of one gift. Owns its texts.
package struct GiftFate: Equatable, Sendable {
  /// The outcome of a gift.
  package enum End: Equatable, Sendable {
    /// The outcome is still unknown.
    case open
    /// Shown by this instruction, the first one whose count includes it; `banner` is that instruction's banner.
    case seen(at: Int64, by: String, banner: Int)
    /// Its banner was skipped.
    case skipped(at: Int64, SkipReason)
    /// Its room began a new epoch before it was shown, as after a reset.
    case forgotten
  }

  package var id: [UInt8] = []
  package var sender: [UInt8] = []
  package var receiver: [UInt8] = []
  package var gift: [UInt8] = []
  package var combo: [UInt8] = []
  package var taken: TakenGift
  package var end = End.open
  /// The time at which the banner that showed it left the screen because of a retraction; nil if it did not or is not tracked.
  package var retractedAt: Int64?

  /// Creates the history of a gift whose bytes are borrowed.
  package init(_ gift: Gift, _ taken: TakenGift) {
    id = Array(gift.id)
    sender = Array(gift.senderID)
    receiver = Array(gift.receiverID)
    self.gift = Array(gift.giftID)
    combo = Array(gift.combo)
    self.taken = taken
  }

  /// Whether the outcome is final.
  package var isComplete: Bool { taken.banner == 0 || end != .open }

  /// Appends the history as a JSON object.
  /// - Parameter room: The room as a JSON string.
  package func write(room: Bytes, to buffer: ByteBuffer) {
    writeMembers(room: room, to: buffer)
    buffer.append(UInt8(ascii: "}"))
  }

  /// Appends the history without the object's closing bracket.
  package func writeMembers(room: Bytes, to buffer: ByteBuffer) {
    func number(_ name: StaticString, _ value: Int64) {
      buffer.append(name)
      buffer.append(value)
    }
    func text(_ name: StaticString, _ bytes: [UInt8]) {
      if bytes.isEmpty { return }
      buffer.append(name)
      bytes.withUnsafeBytes { buffer.append(jsonString: $0) }
    }
    buffer.append(#"{"room":"#)
    buffer.append(room)
    if taken.outcome != .old { number(#","epoch":"#, taken.epoch) }
    number(#","at":"#, taken.at)
    text(#","id":"#, id)
    text(#","sender":"#, sender)
    text(#","receiver":"#, receiver)
    text(#","gift":"#, gift)
    text(#","combo":"#, combo)
    number(#","n":"#, Int64(taken.count))
    buffer.append(#","became":"#)
    buffer.append(jsonString: taken.outcome.rawValue)
    if taken.banner > 0 { number(#","banner":"#, Int64(taken.banner)) }
    if taken.base > 0 { number(#","base":"#, Int64(taken.base)) }
    switch end {
    case .open, .forgotten: break
    case .seen(let at, let by, let banner):
      number(#","seen_at":"#, at)
      buffer.append(#","seen_by":"#)
      buffer.append(jsonString: by)
      if banner != taken.banner { number(#","seen_in":"#, Int64(banner)) }
      number(#","wait_ms":"#, at - taken.at)
    case .skipped(let at, let reason):
      number(#","skipped_at":"#, at)
      buffer.append(#","skipped":"#)
      buffer.append(jsonString: reason.rawValue)
    }
    if let retractedAt { number(#","retracted_at":"#, retractedAt) }
  }
}
