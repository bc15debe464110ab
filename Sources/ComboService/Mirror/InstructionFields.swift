internal import ComboCore

/// What an instruction says of the screen, read from its record's bytes: the fields may stand in any order, and those that are not
/// known are passed over. Bytes are borrowed. Costs about half a microsecond for one of 400 bytes.
struct InstructionFields {
  enum Operation { case show, update, moveUp, dismiss, skip, final, screen, other }

  private(set) var operation = Operation.other
  private(set) var epoch: Int64 = -1
  private(set) var seq: Int64 = -1
  private(set) var at: Int64 = 0
  private(set) var banner = BannerFields()
  /// Of an `update`.
  private(set) var added: Int64 = 0
  /// Of a `dismiss` or `skip`, with its quotes; empty if there is none.
  private(set) var reason = Bytes(start: nil, count: 0)
  /// Of a `screen`: the array, brackets included; empty if there is none.
  private(set) var banners: Bytes

  /// nil: it is no instruction.
  init?(_ record: Bytes) {
    banners = Bytes(start: nil, count: 0)
    var text = FieldCursor(record)
    var hasOperation = false
    let isWhole = text.eachField { name, value in
      switch name.count {
      case 2 where name.elementsEqual("op".utf8):
        hasOperation = true
        operation = Self.operation(value)
      case 2 where name.elementsEqual("at".utf8): at = FieldCursor.integer(value) ?? 0
      case 3 where name.elementsEqual("seq".utf8): seq = FieldCursor.integer(value) ?? -1
      case 5 where name.elementsEqual("epoch".utf8): epoch = FieldCursor.integer(value) ?? -1
      case 5 where name.elementsEqual("added".utf8): added = FieldCursor.integer(value) ?? 0
      case 6 where name.elementsEqual("reason".utf8): reason = value
      case 7 where name.elementsEqual("banners".utf8): banners = value
      default: banner.take(name, value)
      }
    }
    guard isWhole, hasOperation, epoch >= 0, seq >= 1 else { return nil }
  }

  private static func operation(_ value: Bytes) -> Operation {
    switch value.count {
    case 6 where value.elementsEqual(#""show""#.utf8): .show
    case 6 where value.elementsEqual(#""skip""#.utf8): .skip
    case 7 where value.elementsEqual(#""final""#.utf8): .final
    case 8 where value.elementsEqual(#""update""#.utf8): .update
    case 8 where value.elementsEqual(#""screen""#.utf8): .screen
    case 9 where value.elementsEqual(#""move_up""#.utf8): .moveUp
    case 9 where value.elementsEqual(#""dismiss""#.utf8): .dismiss
    default: .other
    }
  }

  /// The banners of a `screen`; nil if they cannot be read.
  func screen(most: Int) -> [BannerFields]? {
    var found: [BannerFields] = []
    var text = FieldCursor(banners)
    let isWhole = text.eachElement { element in
      var fields = BannerFields()
      var inner = FieldCursor(element)
      if inner.eachField({ fields.take($0, $1) }), fields.isWhole, found.count < most { found.append(fields) }
    }
    return isWhole ? found : nil
  }
}

/// What is said of one banner.
struct BannerFields {
  var number: Int64 = -1
  var slot: Int64 = -1
  var count: Int64 = -1
  var base: Int64 = 0
  /// The objects as they stand; empty where there is none.
  var sender = Bytes(start: nil, count: 0)
  var receiver = Bytes(start: nil, count: 0)
  var gift = Bytes(start: nil, count: 0)

  /// Whether it can be drawn.
  var isWhole: Bool { number >= 1 && slot >= 0 && count >= 0 }

  mutating func take(_ name: Bytes, _ value: Bytes) {
    switch name.count {
    case 4 where name.elementsEqual("slot".utf8): slot = FieldCursor.integer(value) ?? -1
    case 4 where name.elementsEqual("base".utf8): base = FieldCursor.integer(value) ?? 0
    case 4 where name.elementsEqual("gift".utf8): gift = value
    case 5 where name.elementsEqual("count".utf8): count = FieldCursor.integer(value) ?? -1
    case 6 where name.elementsEqual("banner".utf8): number = FieldCursor.integer(value) ?? -1
    case 6 where name.elementsEqual("sender".utf8): sender = value
    case 8 where name.elementsEqual("receiver".utf8): receiver = value
    default: break
    }
  }
}

/// Walks over JSON: an object's fields or an array's elements, whose values it hands out as they stand.
struct FieldCursor {
  private let text: Bytes
  private var position = 0

  init(_ text: Bytes) { self.text = text }

  /// An integer as instructions have them; nil if it is none.
  static func integer(_ value: Bytes) -> Int64? {
    var digits = value[...]
    let isNegative = digits.first == UInt8(ascii: "-")
    if isNegative { digits = digits.dropFirst() }
    guard (1...16).contains(digits.count) else { return nil }
    var number: Int64 = 0
    for digit in digits {
      guard digit &- 0x30 <= 9 else { return nil }
      number = number * 10 + Int64(digit &- 0x30)
    }
    return isNegative ? -number : number
  }

  /// Calls `body` with each field's name, between its quotes, and its value. False if it is no whole object.
  mutating func eachField(_ body: (Bytes, Bytes) -> Void) -> Bool {
    skipBlanks()
    guard take("{") else { return false }
    skipBlanks()
    if take("}") { return isAtEnd }
    repeat {
      skipBlanks()
      let start = position
      guard skipString() else { return false }
      let name = Bytes(rebasing: text[(start + 1)..<(position - 1)])
      skipBlanks()
      guard take(":") else { return false }
      guard let value = value() else { return false }
      body(name, value)
      skipBlanks()
    } while take(",")
    return take("}") && isAtEnd
  }

  /// Calls `body` with each element. False if it is no whole array.
  mutating func eachElement(_ body: (Bytes) -> Void) -> Bool {
    skipBlanks()
    guard take("[") else { return false }
    skipBlanks()
    if take("]") { return isAtEnd }
    repeat {
      guard let value = value() else { return false }
      body(value)
      skipBlanks()
    } while take(",")
    return take("]") && isAtEnd
  }

  private var isAtEnd: Bool {
    mutating get {
      skipBlanks()
      return position == text.count
    }
  }

  private mutating func skipBlanks() {
    while position < text.count, text[position] <= 0x20 { position += 1 }
  }

  private mutating func take(_ byte: Unicode.Scalar) -> Bool {
    guard position < text.count, text[position] == UInt8(ascii: byte) else { return false }
    position += 1
    return true
  }

  /// Goes behind a string; false if there is none, or none that ends.
  private mutating func skipString() -> Bool {
    guard take("\"") else { return false }
    while position < text.count {
      let byte = text[position]
      if byte == UInt8(ascii: "\"") {
        position += 1
        return true
      }
      position += byte == UInt8(ascii: "\\") ? 2 : 1
    }
    return false
  }

  private mutating func value() -> Bytes? {
    skipBlanks()
    let start = position
    var depth = 0
    repeat {
      guard position < text.count else { return nil }
      switch text[position] {
      case UInt8(ascii: "\""):
        guard skipString() else { return nil }
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        depth += 1
        position += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        if depth == 0 { return nil }
        depth -= 1
        position += 1
      case UInt8(ascii: ","), UInt8(ascii: ":"), 0x20, 0x09, 0x0A, 0x0D:
        if depth == 0 { return nil }
        position += 1
      default:
        // A number or a word.
        while position < text.count, !Self.endsWord(text[position]) { position += 1 }
      }
    } while depth > 0
    return Bytes(rebasing: text[start..<min(position, text.count)])
  }

  private static func endsWord(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: ","), UInt8(ascii: "}"), UInt8(ascii: "]"), UInt8(ascii: ":"), UInt8(ascii: "\""), UInt8(ascii: "{"),
      UInt8(ascii: "["), 0x20, 0x09, 0x0A, 0x0D:
      true
    default: false
    }
  }
}
