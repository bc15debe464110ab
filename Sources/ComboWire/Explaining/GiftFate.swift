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
  /// The time at which the banner that showed it left the screen because of a retraction, or nil if it did not or is not tracked.
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
    buffer.append(#"{"room":"#, written: room)
    if taken.outcome != .old { buffer.append(#","epoch":"#, taken.epoch) }
    buffer.append(#","at":"#, taken.at)
    buffer.append(#","id":"#, ifAny: id)
    buffer.append(#","sender":"#, ifAny: sender)
    buffer.append(#","receiver":"#, ifAny: receiver)
    buffer.append(#","gift":"#, ifAny: gift)
    buffer.append(#","combo":"#, ifAny: combo)
    buffer.append(#","n":"#, taken.count)
    buffer.append(#","became":"#, jsonString: taken.outcome.rawValue)
    if taken.banner > 0 { buffer.append(#","banner":"#, taken.banner) }
    if taken.base > 0 { buffer.append(#","base":"#, taken.base) }
    switch end {
    case .open, .forgotten: break
    case .seen(let at, let by, let banner):
      buffer.append(#","seen_at":"#, at)
      buffer.append(#","seen_by":"#, jsonString: by)
      if banner != taken.banner { buffer.append(#","seen_in":"#, banner) }
      buffer.append(#","wait_ms":"#, at - taken.at)
    case .skipped(let at, let reason):
      buffer.append(#","skipped_at":"#, at)
      buffer.append(#","skipped":"#, jsonString: reason.rawValue)
    }
    buffer.append(#","retracted_at":"#, retractedAt)
  }
}
