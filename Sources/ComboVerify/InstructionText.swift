package import ComboCore
internal import ComboWire

/// The fields of an instruction's record that a client needs to draw it, read from its bytes alone.
///
/// The fields must be in the order of the engine's table. Only ids with escapes allocate memory. Bytes are borrowed.
package struct InstructionText {
  package enum Operation { case show, update, moveUp, dismiss, skip, skipSum, final, screen }

  struct ScreenBanner {
    var banner: Int64
    var slot: Int64
    var count: Int64
    var base: Int64
    var combo: UInt64
  }

  package private(set) var epoch: Int64 = 0
  package private(set) var seq: Int64 = 0
  package private(set) var at: Int64 = 0
  package private(set) var operation = Operation.screen
  package private(set) var banner: Int64 = 0
  package private(set) var slot: Int64 = 0
  package private(set) var count: Int64 = 0
  package private(set) var base: Int64 = 0
  private(set) var added: Int64 = 0
  /// The identity of sender, receiver and gift (``ComboIdentity``) in a `show`, a `skip` or a `final`.
  package private(set) var combo: UInt64 = 0
  /// The room, between its quotes.
  package private(set) var room: Bytes
  /// The banners of a `screen`, up to the record's end.
  private var banners: Bytes

  /// Parses a record. Returns nil if it is not an instruction that this version knows.
  package init?(_ record: Bytes) {
    var text = InstructionCursor(record)
    room = Bytes(start: nil, count: 0)
    banners = room
    guard text.skip(#"{"v":1,"room":"#), let name = text.string(), text.skip(#","epoch":"#), let epoch = text.integer(),
      text.skip(#","seq":"#), let seq = text.integer(), seq >= 1, text.skip(#","at":"#), let at = text.integer(),
      text.skip(#","op":""#)
    else { return nil }
    room = name
    self.epoch = epoch
    self.seq = seq
    self.at = at
    guard readOperation(&text) else { return nil }
  }

  private mutating func readOperation(_ text: inout InstructionCursor) -> Bool {
    if text.skip(#"update","#) {
      operation = .update
      guard text.skip(#""banner":"#), let banner = text.integer(), text.skip(#","slot":"#), let slot = text.integer(),
        text.skip(#","count":"#), let count = text.integer(), text.skip(#","added":"#), let added = text.integer()
      else { return false }
      (self.banner, self.slot, self.count, self.added) = (banner, slot, count, added)
      if text.skip(#","milestone":"#), text.integer() == nil { return false }
      return text.skip("}") && text.isAtEnd
    }
    if text.skip(#"show","#) {
      operation = .show
      guard text.skip(#""banner":"#), let banner = text.integer(), text.skip(#","slot":"#), let slot = text.integer(),
        text.skip(#","count":"#), let count = text.integer(), text.skip(#","base":"#), let base = text.integer()
      else { return false }
      (self.banner, self.slot, self.count, self.base) = (banner, slot, count, base)
      if text.skip(#","milestone":"#), text.integer() == nil { return false }
      guard let combo = text.combo() else { return false }
      self.combo = combo
      return text.skip("}") && text.isAtEnd
    }
    if text.skip(#"dismiss","#) {
      operation = .dismiss
      guard text.skip(#""banner":"#), let banner = text.integer(), text.skip(#","slot":"#), let slot = text.integer(),
        text.skip(#","count":"#), let count = text.integer(), text.skip(#","reason":"#), text.string() != nil
      else { return false }
      (self.banner, self.slot, self.count) = (banner, slot, count)
      return text.skip("}") && text.isAtEnd
    }
    if text.skip(#"move_up","#) {
      operation = .moveUp
      guard text.skip(#""banner":"#), let banner = text.integer(), text.skip(#","slot":"#), let slot = text.integer() else {
        return false
      }
      (self.banner, self.slot) = (banner, slot)
      return text.skip("}") && text.isAtEnd
    }
    if text.skip(#"skip","#) {
      if text.skip(#""banners":"#) {
        operation = .skipSum
        guard text.integer() != nil, text.skip(#","count":"#), let count = text.integer(), text.skip(#","value":"#),
          text.value() != nil, text.skip(#","reason":"#), text.string() != nil
        else { return false }
        self.count = count
        return text.skip("}") && text.isAtEnd
      }
      operation = .skip
      guard text.skip(#""banner":"#), let banner = text.integer(), text.skip(#","count":"#), let count = text.integer(),
        text.skip(#","reason":"#), text.string() != nil, let combo = text.combo()
      else { return false }
      (self.banner, self.count, self.combo) = (banner, count, combo)
      return text.skip("}") && text.isAtEnd
    }
    if text.skip(#"final","#) {
      operation = .final
      guard text.skip(#""banner":"#), let banner = text.integer(), text.skip(#","count":"#), let count = text.integer(),
        text.skip(#","reason":"#), text.string() != nil, let combo = text.combo()
      else { return false }
      (self.banner, self.count, self.combo) = (banner, count, combo)
      return text.skip("}") && text.isAtEnd
    }
    guard text.skip(#"screen","banners":["#) else { return false }
    operation = .screen
    banners = text.rest
    return forEachBanner { _ in }
  }

  /// Passes the banners of a `screen` to `body`. Returns false if they cannot be read.
  @discardableResult
  func forEachBanner(_ body: (ScreenBanner) -> Void) -> Bool {
    var text = InstructionCursor(banners)
    if text.skip("]}") { return text.isAtEnd }
    repeat {
      guard text.skip(#"{"banner":"#), let banner = text.integer(), text.skip(#","slot":"#), let slot = text.integer(),
        text.skip(#","count":"#), let count = text.integer(), text.skip(#","base":"#), let base = text.integer(),
        let combo = text.combo(), text.skip("}")
      else { return false }
      body(ScreenBanner(banner: banner, slot: slot, count: count, base: base, combo: combo))
    } while text.skip(",")
    return text.skip("]}") && text.isAtEnd
  }
}

/// The identity of sender, receiver and gift, in 64 bits.
enum ComboIdentity {
  @inline(__always)
  static func hash(sender: Bytes, receiver: Bytes, gift: Bytes) -> UInt64 {
    XXH3.hash(gift, seed: XXH3.hash(receiver, seed: VerifyHash.one(sender))) | 1
  }
}

extension InstructionCursor {
  /// Parses `,"sender":{…},"receiver":{…},"gift":{…}`, in which the receiver may be missing, and returns the identity of the
  /// combo.
  mutating func combo() -> UInt64? {
    var sender: [UInt8]?
    var receiver: [UInt8]?
    var gift: [UInt8]?
    guard skip(#","sender":"#), let senderID = idOfObject(&sender) else { return nil }
    var receiverID = Bytes(start: nil, count: 0)
    if skip(#","receiver":"#) {
      guard let id = idOfObject(&receiver) else { return nil }
      receiverID = id
    }
    guard skip(#","gift":"#), let giftID = idOfObject(&gift) else { return nil }
    func hash(_ sender: Bytes, _ receiver: Bytes, _ gift: Bytes) -> UInt64 {
      ComboIdentity.hash(sender: sender, receiver: receiver, gift: gift)
    }
    if sender == nil, receiver == nil, gift == nil { return hash(senderID, receiverID, giftID) }
    return (sender ?? [UInt8](senderID)).withUnsafeBytes { sender in
      (receiver ?? [UInt8](receiverID)).withUnsafeBytes { receiver in
        (gift ?? [UInt8](giftID)).withUnsafeBytes { hash(sender, receiver, $0) }
      }
    }
  }

  /// Skips an object, and returns its `id`: the inside of a string, or an integer unchanged. An id with escapes is decoded into
  /// `meaning`.
  private mutating func idOfObject(_ meaning: inout [UInt8]?) -> Bytes? {
    guard skip("{") else { return nil }
    var found: Bytes?
    repeat {
      guard let name = string(), skip(":") else { return nil }
      let isID =
        found == nil
        && (name.elementsEqual("id".utf8) || (name.contains(UInt8(ascii: "\\")) && Self.meaning(name) == [0x69, 0x64]))
      if isID, let id = string() {
        found = id
        if id.contains(UInt8(ascii: "\\")) { meaning = Self.meaning(id) }
      } else {
        guard let value = value() else { return nil }
        if isID { found = value }
      }
    } while skip(",")
    return skip("}") ? found : nil
  }

  /// Decodes the inside of a string.
  static func meaning(_ inside: Bytes) -> [UInt8] {
    var meaning: [UInt8] = []
    var i = 0
    func unit(_ at: Int) -> UInt32? {
      guard at + 6 <= inside.count, inside[at] == UInt8(ascii: "\\"), inside[at + 1] == UInt8(ascii: "u") else { return nil }
      return UInt32(String(decoding: inside[(at + 2)..<(at + 6)], as: UTF8.self), radix: 16)
    }
    while i < inside.count {
      guard inside[i] == UInt8(ascii: "\\"), i + 1 < inside.count else {
        meaning.append(inside[i])
        i += 1
        continue
      }
      if var code = unit(i) {
        i += 6
        if (0xD800..<0xDC00).contains(code), let low = unit(i), (0xDC00..<0xE000).contains(low) {
          code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
          i += 6
        }
        meaning += Array(String(Character(Unicode.Scalar(code) ?? "\u{fffd}")).utf8)
        continue
      }
      switch inside[i + 1] {
      case UInt8(ascii: "b"): meaning.append(0x08)
      case UInt8(ascii: "f"): meaning.append(0x0C)
      case UInt8(ascii: "n"): meaning.append(0x0A)
      case UInt8(ascii: "r"): meaning.append(0x0D)
      case UInt8(ascii: "t"): meaning.append(0x09)
      case let other: meaning.append(other)
      }
      i += 2
    }
    return meaning
  }
}
