extension DisplayInstruction {
  /// The well-formed fields of an instruction or of an entry of a `screen`.
  @safe private struct Fields {
    var room: String?
    var operation: JSONCursor.Text?
    var reason: JSONCursor.Text?
    var epoch: Int?
    var seq: Int?
    var at: Int?
    var banner: Int?
    var slot: Int?
    var count: Int?
    var base: Int?
    var milestone: Int?
    var times = RoomTimes()
    var sender: UnsafeBufferPointer<UInt8>?
    var receiver: UnsafeBufferPointer<UInt8>?
    var gift: UnsafeBufferPointer<UInt8>?
    var banners: [RoomBanner]?
    /// The number of banners in a sum of skips.
    var bannersCount: Int?

    mutating func read(_ name: JSONCursor.Text, _ cursor: inout JSONCursor, isEntry: Bool) throws(JSONCursor.Malformed) {
      switch Name(name) {
      case .room: room = try cursor.stringValue()?.string
      case .op: operation = try cursor.stringValue()
      case .reason: reason = try cursor.stringValue()
      case .epoch: epoch = try cursor.wholeValue()
      case .seq: seq = try cursor.wholeValue()
      case .at: at = try cursor.wholeValue()
      case .banner: banner = try cursor.wholeValue()
      case .slot: slot = try cursor.wholeValue()
      case .count: count = try cursor.wholeValue()
      case .base: base = try cursor.wholeValue()
      case .milestone: milestone = try cursor.wholeValue()
      case .slots: times.slots = try cursor.wholeValue()
      case .enterMs: times.enterMs = try cursor.wholeValue()
      case .countMs: times.countMs = try cursor.wholeValue()
      case .exitMs: times.exitMs = try cursor.wholeValue()
      case .sender: unsafe sender = try unsafe cursor.objectValue()
      case .receiver: unsafe receiver = try unsafe cursor.objectValue()
      case .gift: unsafe gift = try unsafe cursor.objectValue()
      case .banners: if isEntry { try cursor.skipValue() } else { try readBanners(&cursor) }
      case nil: try cursor.skipValue()
      }
    }

    private mutating func readBanners(_ cursor: inout JSONCursor) throws(JSONCursor.Malformed) {
      var there: [RoomBanner] = []
      var count = 0
      let isArray = try cursor.array { (cursor) throws(JSONCursor.Malformed) in
        var entry = Fields()
        let isObject = try cursor.object { (cursor, name) throws(JSONCursor.Malformed) in
          try entry.read(name, &cursor, isEntry: true)
        }
        if !isObject { try cursor.skipValue() }
        count += 1
        if isObject, count <= bannersMax, let shown = entry.shown() { there.append(shown) }
      }
      bannersCount = isArray ? nil : try cursor.wholeValue()
      banners = isArray ? there : nil
    }

    /// The banner that a `show` or an entry of a `screen` describes, or nil if it is malformed.
    func shown() -> RoomBanner? {
      guard let banner, banner > 0, let slot, slot <= slotMax, let count else { return nil }
      return unsafe RoomBanner(
        number: banner, slot: slot, count: count, base: base ?? 0, sender: DisplayData(sender), receiver: DisplayData(receiver),
        gift: DisplayData(gift))
    }

    func counted() -> ComboCount? {
      guard let banner, banner > 0, let count else { return nil }
      return unsafe ComboCount(
        banner: banner, count: count, reason: reason?.string, sender: DisplayData(sender), receiver: DisplayData(receiver),
        gift: DisplayData(gift))
    }
  }

  /// The names of the fields that are read.
  private enum Name {
    case room, op, reason, epoch, seq, at, banner, slot, count, base, milestone, sender, receiver, gift, banners
    case slots, enterMs, countMs, exitMs

    @inline(__always)
    init?(_ text: JSONCursor.Text) {
      if text.isEscaped {
        var plain = text.string
        guard let found = plain.withUTF8({ unsafe Name(bytes: $0) }) else { return nil }
        self = found
      } else if let found = unsafe Name(bytes: text.bytes) {
        self = found
      } else {
        return nil
      }
    }

    private init?(bytes: UnsafeBufferPointer<UInt8>) {
      guard let first = unsafe bytes.first else { return nil }
      let candidate: (StaticString, Name)
      switch (bytes.count, first) {
      case (2, UInt8(ascii: "o")): candidate = ("op", .op)
      case (2, UInt8(ascii: "a")): candidate = ("at", .at)
      case (3, UInt8(ascii: "s")): candidate = ("seq", .seq)
      case (4, UInt8(ascii: "r")): candidate = ("room", .room)
      case (4, UInt8(ascii: "s")): candidate = ("slot", .slot)
      case (4, UInt8(ascii: "b")): candidate = ("base", .base)
      case (4, UInt8(ascii: "g")): candidate = ("gift", .gift)
      case (5, UInt8(ascii: "e")): candidate = ("epoch", .epoch)
      case (5, UInt8(ascii: "c")): candidate = ("count", .count)
      case (5, UInt8(ascii: "s")): candidate = ("slots", .slots)
      case (6, UInt8(ascii: "b")): candidate = ("banner", .banner)
      case (6, UInt8(ascii: "s")): candidate = ("sender", .sender)
      case (6, UInt8(ascii: "r")): candidate = ("reason", .reason)
      case (7, UInt8(ascii: "b")): candidate = ("banners", .banners)
      case (7, UInt8(ascii: "e")): candidate = ("exit_ms", .exitMs)
      case (8, UInt8(ascii: "r")): candidate = ("receiver", .receiver)
      case (8, UInt8(ascii: "e")): candidate = ("enter_ms", .enterMs)
      case (8, UInt8(ascii: "c")): candidate = ("count_ms", .countMs)
      case (9, UInt8(ascii: "m")): candidate = ("milestone", .milestone)
      default: return nil
      }
      guard unsafe bytes == candidate.0 else { return nil }
      self = candidate.1
    }
  }

  static func decode(_ bytes: UnsafeBufferPointer<UInt8>) -> DisplayInstruction? {
    guard var cursor = unsafe JSONCursor(bytes) else { return nil }
    var fields = Fields()
    do throws(JSONCursor.Malformed) {
      let isObject = try cursor.object { (cursor, name) throws(JSONCursor.Malformed) in
        try fields.read(name, &cursor, isEntry: false)
      }
      guard isObject, cursor.isAtEnd() else { return nil }
    } catch {
      return nil
    }
    guard let room = fields.room, let epoch = fields.epoch, let seq = fields.seq, let operation = fields.operation else {
      return nil
    }
    return DisplayInstruction(
      room: room, epoch: Int64(epoch), seq: Int64(seq), at: fields.at.map(Int64.init),
      operation: self.operation(operation, fields))
  }

  private static func operation(_ word: JSONCursor.Text, _ fields: Fields) -> Operation {
    if word.isEscaped {
      var plain = word.string
      return plain.withUTF8 { unsafe operation($0, fields) }
    }
    return unsafe operation(word.bytes, fields)
  }

  private static func operation(_ word: UnsafeBufferPointer<UInt8>, _ fields: Fields) -> Operation {
    let number = fields.banner.flatMap { $0 > 0 ? $0 : nil }
    let slot = fields.slot.flatMap { $0 <= slotMax ? $0 : nil }
    if unsafe word == "update" {
      guard let number, let count = fields.count else { return .malformed("update") }
      return .update(banner: number, slot: slot, count: count, milestone: fields.milestone)
    }
    if unsafe word == "show" {
      guard let shown = fields.shown() else { return .malformed("show") }
      return .show(shown, milestone: fields.milestone)
    }
    if unsafe word == "dismiss" {
      guard let number else { return .malformed("dismiss") }
      return .dismiss(banner: number, count: fields.count, reason: fields.reason?.string)
    }
    if unsafe word == "move_up" {
      guard let number, let slot else { return .malformed("move_up") }
      return .moveUp(banner: number, slot: slot)
    }
    if unsafe word == "screen" {
      guard let banners = fields.banners else { return .malformed("screen") }
      return .screen(banners, fields.times)
    }
    if unsafe word == "skip", let banners = fields.bannersCount, let count = fields.count {
      return .skipSum(banners: banners, count: count, reason: fields.reason?.string)
    }
    if unsafe word == "skip" { return fields.counted().map { .skip($0) } ?? .malformed("skip") }
    if unsafe word == "final" { return fields.counted().map { .final($0) } ?? .malformed("final") }
    return unsafe .unknown(String(decoding: word, as: UTF8.self))
  }
}

extension UnsafeBufferPointer<UInt8> {
  @inline(__always)
  static func == (bytes: Self, text: StaticString) -> Bool {
    guard bytes.count == text.utf8CodeUnitCount else { return false }
    for index in 0..<bytes.count where unsafe bytes[index] != text.utf8Start[index] { return false }
    return true
  }
}
