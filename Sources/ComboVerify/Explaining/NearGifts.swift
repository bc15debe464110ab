internal import ComboCore
internal import ComboEdge
internal import ComboWire

/// Gifts of the room that nearly match the question: the sender's name is spelled differently, or the time is another one.
struct NearGifts {
  let question: GiftQuestion
  let partition: Int32
  private(set) var others: [GiftMiss] = []
  private(set) var before: GiftMiss?
  private(set) var after: GiftMiss?
  /// Whether one has the requested id, so that nothing can be nearer.
  private(set) var hasID = false

  private static let othersMax = 5

  /// The last match before the requested span, the first gifts that differ otherwise, and the first match after that span.
  var found: [GiftMiss] { [before].compactMap { $0 } + others + [after].compactMap { $0 } }

  /// Considers a gift of the room that was not requested.
  mutating func consider(_ event: Event, _ record: InputRecord, at now: Int64?) {
    let time = now ?? event.time(in: record)
    let gift = event.gift
    func miss(_ kind: GiftMiss.Kind) -> GiftMiss {
      GiftMiss(kind: kind, partition: partition, offset: record.offset, time: time, name: GiftName(gift))
    }
    if question.fits(gift) {
      if question.id != nil { hasID = true }
      if let time, time < question.since {
        before = miss(.otherTime)
      } else if after == nil {
        after = miss(.otherTime)
      }
      return
    }
    guard others.count < Self.othersMax, let kind = kind(of: gift), question.isInTime(event, record, at: now) else { return }
    others.append(miss(kind))
  }

  /// Returns how the gift differs, or nil if it differs too much.
  private mutating func kind(of gift: Gift) -> GiftMiss.Kind? {
    let isSender = question.sender.map { unsafe $0.elementsEqual(gift.senderID) } ?? true
    let isGift = question.gift.map { unsafe $0.elementsEqual(gift.giftID) } ?? true
    if let id = question.id {
      if unsafe !id.elementsEqual(gift.id) { return nil }
      hasID = true
      return isSender ? .otherGift : .otherSender
    }
    let isLikeGift = isGift || question.gift.map { unsafe Self.isAlike($0, gift.giftID) } ?? true
    if !isSender {
      return isLikeGift && question.sender.map { unsafe Self.isAlike($0, gift.senderID) } ?? false ? .otherSender : nil
    }
    return question.sender != nil || isLikeGift ? .otherGift : nil
  }

  /// Whether two ids differ only in ASCII case, and in ASCII characters that are neither letters nor digits.
  private static func isAlike(_ one: [UInt8], _ other: Bytes) -> Bool {
    func core(_ bytes: some Sequence<UInt8>) -> [UInt8] {
      bytes.compactMap { byte in
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte | 0x20
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), 0x80...: byte
        default: nil
        }
      }
    }
    let core1 = core(one)
    return unsafe !core1.isEmpty && core1 == core(other)
  }
}
