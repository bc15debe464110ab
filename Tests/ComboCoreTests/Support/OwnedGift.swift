@testable import ComboCore

/// The key of a combo: who gives what to whom.
struct Key: Hashable, CustomStringConvertible {
  var sender = "ann"
  var receiver = ""
  var gift = "rose"
  /// The combo's own name, or empty if it has none.
  var combo = ""

  var description: String {
    (receiver.isEmpty ? "\(sender) \(gift)" : "\(sender) @\(receiver) \(gift)") + (combo.isEmpty ? "" : " %\(combo)")
  }
}

/// Display data that owns its bytes.
struct OwnedDisplay: Hashable {
  var sender: String
  var receiver: String
  var gift: String

  init(sender: String, receiver: String, gift: String) {
    self.sender = sender
    self.receiver = receiver
    self.gift = gift
  }

  /// Creates display data that repeat a key, with a tag that distinguishes one gift from another.
  init(_ key: Key, _ tag: String) { self.init(sender: key.sender + tag, receiver: key.receiver, gift: key.gift) }
}

/// The amount of a gift, with a streak's name that owns its bytes.
enum OwnedAmount: Hashable {
  case count(Int)
  case total(Int, streak: String)
}

/// A gift that owns its bytes.
struct OwnedGift: Hashable {
  var id = ""
  var key = Key()
  var display: OwnedDisplay
  var value = 1.0
  var amount = OwnedAmount.count(1)
  /// The time for which a total is remembered, if it has its own.
  var streakMs: Int32?
  var ends = false
  var lingerMs = 0
  var refresh = false

  /// Creates a gift whose display data repeat its key, with a tag that distinguishes one gift from another.
  init(id: String = "", key: Key, tag: String = "", value: Double = 1, amount: OwnedAmount = .count(1)) {
    self.id = id
    self.key = key
    display = OwnedDisplay(key, tag)
    self.value = value
    self.amount = amount
  }

  init(id: String, key: Key, display: OwnedDisplay, value: Double, amount: OwnedAmount) {
    self.id = id
    self.key = key
    self.display = display
    self.value = value
    self.amount = amount
  }
}

extension OwnedGift {
  /// Creates a gift from the words of a ``Trace``:
  ///
  ///     ann rose x3                     from ann, a rose, three times, worth 1 each
  ///     ann @host rose =7/s $10 #e1 ~2  to host; a total of 7 in streak s; worth 10 each; id e1; other display data
  ///     ann rose =9 %p ms500 ends       a combo's own name; a total remembered for 500 ms, the last one
  ///     ann rose #e1 lasts4000 again    its banner stays for 4000 ms at least; it keeps alive what it repeats
  init(_ words: ArraySlice<String>) throws {
    var names: [String] = []
    var tag = ""
    self.init(key: Key())
    for word in words {
      let rest = String(word.dropFirst())
      switch word.first! {
      case "@": key.receiver = rest
      case "#": id = rest
      case "%": key.combo = rest
      case "m" where Int32(rest.dropFirst()) != nil: streakMs = Int32(rest.dropFirst())
      case "e" where word == "ends": ends = true
      case "a" where word == "again": refresh = true
      case "l" where word.hasPrefix("lasts"): lingerMs = Int(word.dropFirst(5))!
      case "~": tag = word
      case "$": value = Double(rest)!
      case "=":
        let parts = rest.split(separator: "/").map(String.init)
        amount = .total(Int(parts[0])!, streak: parts.count > 1 ? parts[1] : "")
      case "x" where Int(rest) != nil: amount = .count(Int(rest)!)
      default: names.append(word)
      }
    }
    guard names.count == 2 else { throw Trace.Unreadable(line: words.joined(separator: " ")) }
    (key.sender, key.gift) = (names[0], names[1])
    display = OwnedDisplay(key, tag)
  }

  /// Adds properties that few gifts have, at random.
  /// - Parameter ownTimes: Whether the gift may have its own times.
  mutating func addDetails(_ random: inout SplitMix64, ownTimes: Bool) {
    if ownTimes, random.oneIn(3) { lingerMs = random.pick([1, 100, 700, 4000, 12_000, 60_000]) }
    refresh = random.oneIn(4)
    guard case .total = amount else { return }
    if ownTimes, random.oneIn(2) { streakMs = random.pick([0, 1, 800, 70_000, 3_600_000]) }
    ends = random.oneIn(8)
  }

  /// Lends the gift to an engine. Its bytes are gone afterwards, so that pointers that were kept are detected.
  func lend(_ body: (Gift) -> Void) {
    var streak = ""
    if case .total(_, let name) = amount { streak = name }
    [id, key.sender, key.receiver, key.gift, display.sender, display.receiver, display.gift, streak, key.combo].borrowed {
      let lentAmount: Gift.Amount
      switch amount {
      case .count(let count): lentAmount = .count(count)
      case .total(let total, _): lentAmount = .total(total, streak: $0[7])
      }
      var gift = Gift(
        id: $0[0], senderID: $0[1], receiverID: $0[2], giftID: $0[3],
        display: Display(sender: $0[4], receiver: $0[5], gift: $0[6]), value: value, amount: lentAmount)
      gift.combo = $0[8]
      gift.streakMs = streakMs
      gift.ends = ends
      gift.lingerMs = UInt16(lingerMs)
      gift.refreshes = refresh
      body(gift)
    }
  }
}

extension Array where Element == String {
  /// Lends the bytes of all. They are gone afterwards, so that pointers that were kept are detected.
  func borrowed<R>(_ body: ([Bytes]) -> R) -> R {
    let bytes = flatMap { Array<UInt8>($0.utf8) }
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
    defer { buffer.deallocate() }
    buffer.copyBytes(from: bytes)
    var parts: [Bytes] = []
    var at = 0
    for part in self {
      parts.append(Bytes(rebasing: buffer[at..<at + part.utf8.count]))
      at += part.utf8.count
    }
    let result = body(parts)
    buffer.initializeMemory(as: UInt8.self, repeating: 0xff)
    return result
  }
}
