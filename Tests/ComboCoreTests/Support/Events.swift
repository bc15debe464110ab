@testable import ComboCore

/// Who gives what to whom.
struct Key: Hashable, CustomStringConvertible {
  var sender = "ann"
  var receiver = ""
  var gift = "rose"
  /// Names the combo; empty: no name.
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
}

/// How many, with a streak's name that owns its bytes.
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
  /// Of a total.
  var streakMs: Int32?
  var ends = false

  /// A gift whose display data repeat its key, with a tag that tells one gift from another.
  init(id: String = "", key: Key, tag: String = "", value: Double = 1, amount: OwnedAmount = .count(1)) {
    self.id = id
    self.key = key
    display = OwnedDisplay(sender: key.sender + tag, receiver: key.receiver, gift: key.gift)
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

/// What can happen to a room.
enum Event {
  case gift(OwnedGift)
  case closed
  case retract(sender: String, receiver: String, gift: String)
  case settings(OwnSettings)
  case adopt(Settings)
  case advance
  case shift(Int64)
}

extension Array where Element == String {
  /// Lends the bytes of all. They are gone afterwards, so that whoever keeps a pointer is found out.
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

/// Lends the display data of gifts for longer than a call.
final class Lender {
  private var lent: [UnsafeMutableRawBufferPointer] = []

  deinit { takeBack() }

  func lend(_ display: Display) -> Display {
    func lend(_ bytes: Bytes) -> Bytes {
      if bytes.isEmpty { return Bytes(start: nil, count: 0) }
      let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
      memory.copyMemory(from: bytes)
      lent.append(memory)
      return Bytes(memory)
    }
    return Display(sender: lend(display.sender), receiver: lend(display.receiver), gift: lend(display.gift))
  }

  /// Whoever keeps a pointer is found out.
  func takeBack() {
    for memory in lent {
      memory.initializeMemory(as: UInt8.self, repeating: 0xff)
      memory.deallocate()
    }
    lent = []
  }
}

extension Engine {
  /// Asks for all places that a gift is likely to look at, as owners of many engines do: it must change nothing.
  private mutating func foresee(_ gift: Gift, at now: Int64) {
    var gift = gift
    gift.hash(with: GiftHasher())
    withUnsafeTemporaryAllocation(of: UnsafeRawPointer.self, capacity: Engine.prefetchMax) {
      let places = $0.baseAddress!
      for step in 0..<2 { precondition(self.prefetchAddresses(step: step, at: now, in: places) <= Engine.prefetchMax) }
      for step in 0..<3 { precondition(self.prefetchAddresses(of: gift.hashes, step: step, in: places) <= Engine.prefetchMax) }
    }
  }

  /// Lets an event happen.
  /// - Parameter lender: lends a gift's display data; nil: they are gone after the call.
  mutating func apply(_ event: Event, at now: Int64, lender: Lender? = nil, to sink: inout Recorder) {
    switch event {
    case .gift(let gift):
      var streak = ""
      if case .total(_, let name) = gift.amount { streak = name }
      let (key, display) = (gift.key, gift.display)
      [gift.id, key.sender, key.receiver, key.gift, display.sender, display.receiver, display.gift, streak, key.combo].borrowed {
        let amount: Gift.Amount
        switch gift.amount {
        case .count(let count): amount = .count(count)
        case .total(let total, _): amount = .total(total, streak: $0[7])
        }
        var lent = Gift(
          id: $0[0], senderID: $0[1], receiverID: $0[2], giftID: $0[3],
          display: Display(sender: $0[4], receiver: $0[5], gift: $0[6]), value: gift.value, amount: amount)
        lent.combo = $0[8]
        lent.streakMs = gift.streakMs
        lent.ends = gift.ends
        foresee(lent, at: now)
        if let lender {
          lent.display = lender.lend(lent.display)
          takeLent(&lent, at: now, to: &sink)
        } else {
          take(lent, at: now, to: &sink)
        }
      }
    case .closed: close(at: now, to: &sink)
    case .retract(let sender, let receiver, let gift):
      [sender, receiver, gift].borrowed {
        retract(Retraction(senderID: $0[0], receiverID: $0[1], giftID: $0[2]), at: now, to: &sink)
      }
    case .settings(let own): set(own, at: now, to: &sink)
    case .adopt(let settings): adopt(EngineSettings(settings), at: now, to: &sink)
    case .advance: advance(to: now, to: &sink)
    case .shift(let milliseconds): shift(by: milliseconds)
    }
  }
}

/// A room as the service sees it: without an engine until the first gift or settings of its own.
struct Room {
  var engine: Engine?
  var settings: EngineSettings
  var sink = Recorder()
  var lender: Lender?
  /// The first broken invariant.
  var broken: String?

  init(_ settings: Settings) { self.settings = EngineSettings(settings) }

  mutating func apply(_ event: Event, at now: Int64) {
    if engine == nil {
      switch event {
      case .gift, .settings: engine = Engine(at: now, settings: settings)
      case .adopt(let settings): self.settings = EngineSettings(settings)
      case .closed, .retract, .advance, .shift: break
      }
    }
    engine?.apply(event, at: now, lender: lender, to: &sink)
    if broken == nil { broken = engine?.brokenInvariant() }
  }
}
