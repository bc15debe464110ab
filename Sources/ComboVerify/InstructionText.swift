package import ComboCore
internal import ComboWire

/// The fields of an instruction's record that a client needs to draw it, read from its bytes alone.
///
/// The fields must be in the order of the engine's table. Only ids with escapes allocate memory. Bytes are borrowed.
@safe package struct InstructionText {
  package enum Operation { case show, update, moveUp, dismiss, skip, skipSum, final, screen }

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
    var text = unsafe InstructionCursor(record)
    unsafe room = unsafe Bytes(start: nil, count: 0)
    unsafe banners = unsafe room
    guard text.skip(#"{"v":1,"room":"#), let name = unsafe text.string() else { return nil }
    unsafe room = unsafe name
    guard text.read(#","epoch":"#, &epoch), text.read(#","seq":"#, &seq), seq >= 1, text.read(#","at":"#, &at),
      text.skip(#","op":""#), readOperation(&text)
    else { return nil }
  }

  private mutating func readOperation(_ text: inout InstructionCursor) -> Bool {
    if text.skip(#"update","#) {
      operation = .update
      return readBanner(&text) && text.read(#","count":"#, &count) && text.read(#","added":"#, &added) && text.skipMilestone()
        && text.ends()
    }
    if text.skip(#"show","#) {
      operation = .show
      return readBanner(&text) && text.read(#","count":"#, &count) && text.read(#","base":"#, &base) && text.skipMilestone()
        && text.read(combo: &combo) && text.ends()
    }
    if text.skip(#"dismiss","#) {
      operation = .dismiss
      return readBanner(&text) && text.read(#","count":"#, &count) && text.skipReason() && text.ends()
    }
    if text.skip(#"move_up","#) {
      operation = .moveUp
      return readBanner(&text) && text.ends()
    }
    if text.skip(#"skip","banners":"#) {
      operation = .skipSum
      return unsafe text.integer() != nil && text.read(#","count":"#, &count) && text.skip(#","value":"#) && text.value() != nil
        && text.skipReason() && text.ends()
    }
    let isSkip = text.skip(#"skip","#)
    if isSkip || text.skip(#"final","#) {
      operation = isSkip ? .skip : .final
      return text.read(#""banner":"#, &banner) && text.read(#","count":"#, &count) && text.skipReason()
        && text.read(combo: &combo) && text.ends()
    }
    guard text.skip(#"screen","banners":["#) else { return false }
    operation = .screen
    unsafe banners = unsafe text.rest
    return forEachBanner { _ in }
  }

  private mutating func readBanner(_ text: inout InstructionCursor) -> Bool {
    text.read(#""banner":"#, &banner) && text.read(#","slot":"#, &slot)
  }

  /// Passes the banners of a `screen` to `body`. Returns false if they cannot be read.
  @discardableResult
  func forEachBanner(_ body: (ScreenClient.Banner) -> Void) -> Bool {
    var text = unsafe InstructionCursor(banners)
    if text.skip("]}") { return text.isAtEnd }
    repeat {
      var banner = ScreenClient.Banner()
      guard text.read(#"{"banner":"#, &banner.number), text.read(#","slot":"#, &banner.slot),
        text.read(#","count":"#, &banner.count), text.read(#","base":"#, &banner.base), text.read(combo: &banner.combo),
        text.skip("}")
      else { return false }
      body(banner)
    } while text.skip(",")
    return text.skip("]}") && text.isAtEnd
  }
}

/// The identity of sender, receiver and gift, in 64 bits.
enum ComboIdentity {
  @inline(__always)
  static func hash(sender: Bytes, receiver: Bytes, gift: Bytes) -> UInt64 {
    unsafe XXH3.hash(gift, seed: XXH3.hash(receiver, seed: VerifyHash.one(sender))) | 1
  }
}

extension InstructionCursor {
  /// Reads a name and the integer after it. Returns false if they do not follow.
  @inline(__always)
  fileprivate mutating func read(_ name: StaticString, _ value: inout Int64) -> Bool {
    guard skip(name), let read = integer() else { return false }
    value = read
    return true
  }

  fileprivate mutating func read(combo: inout UInt64) -> Bool {
    guard let read = self.combo() else { return false }
    combo = read
    return true
  }

  fileprivate mutating func skipMilestone() -> Bool { !skip(#","milestone":"#) || integer() != nil }

  fileprivate mutating func skipReason() -> Bool { unsafe skip(#","reason":"#) && string() != nil }

  /// Skips the end of the object. Returns whether it, and with it the text, ends here.
  fileprivate mutating func ends() -> Bool { skip("}") && isAtEnd }

  /// Parses `,"sender":{…},"receiver":{…},"gift":{…}`, in which the receiver may be missing, and returns the identity of the
  /// combo.
  mutating func combo() -> UInt64? {
    var sender: [UInt8]?
    var receiver: [UInt8]?
    var gift: [UInt8]?
    guard skip(#","sender":"#), let senderID = unsafe idOfObject(&sender) else { return nil }
    var receiverID = unsafe Bytes(start: nil, count: 0)
    if skip(#","receiver":"#) {
      guard let id = unsafe idOfObject(&receiver) else { return nil }
      unsafe receiverID = unsafe id
    }
    guard skip(#","gift":"#), let giftID = unsafe idOfObject(&gift) else { return nil }
    func hash(_ sender: Bytes, _ receiver: Bytes, _ gift: Bytes) -> UInt64 {
      unsafe ComboIdentity.hash(sender: sender, receiver: receiver, gift: gift)
    }
    if sender == nil, receiver == nil, gift == nil { return unsafe hash(senderID, receiverID, giftID) }
    return unsafe (sender ?? [UInt8](senderID)).withUnsafeBytes { sender in
      unsafe (receiver ?? [UInt8](receiverID)).withUnsafeBytes { receiver in
        unsafe (gift ?? [UInt8](giftID)).withUnsafeBytes { unsafe hash(sender, receiver, $0) }
      }
    }
  }

  /// Skips an object, and returns its `id`: the inside of a string, or an integer unchanged. An id with escapes is decoded into
  /// `meaning`.
  private mutating func idOfObject(_ meaning: inout [UInt8]?) -> Bytes? {
    guard skip("{") else { return nil }
    var found: Bytes?
    repeat {
      guard let name = unsafe string(), skip(":") else { return nil }
      let isID =
        unsafe found == nil
        && (name.elementsEqual("id".utf8) || (name.contains(UInt8(ascii: "\\")) && Self.meaning(name) == [0x69, 0x64]))
      if isID, let id = unsafe string() {
        unsafe found = unsafe id
        if unsafe id.contains(UInt8(ascii: "\\")) { meaning = unsafe Self.meaning(id) }
      } else {
        guard let value = unsafe value() else { return nil }
        if isID { unsafe found = unsafe value }
      }
    } while skip(",")
    return unsafe skip("}") ? found : nil
  }

  /// Decodes the inside of a string. Returns it unchanged if it is not valid.
  static func meaning(_ inside: Bytes) -> [UInt8] {
    let string = unsafe [UInt8(ascii: "\"")] + inside + [UInt8(ascii: "\"")]
    return unsafe string.withUnsafeBytes { unsafe JSONValue($0)?.string }.map { Array($0.utf8) } ?? Array(inside)
  }
}
