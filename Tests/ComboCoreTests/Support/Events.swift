@testable import ComboCore

/// An event of a room.
enum Event {
  case gift(OwnedGift)
  case closed
  case retract(sender: String, receiver: String, gift: String)
  case settings(OwnSettings)
  case adopt(Settings)
  case advance
  case shift(Int64)
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

  /// Overwrites and frees the lent memory, so that pointers that were kept are detected.
  func takeBack() {
    for memory in lent {
      memory.initializeMemory(as: UInt8.self, repeating: 0xff)
      memory.deallocate()
    }
    lent = []
  }
}

extension Engine {
  /// Requests all addresses that a gift is likely to access, as owners of many engines do. This must change nothing.
  private mutating func foresee(_ gift: Gift, at now: Int64) {
    var gift = gift
    gift.hash(with: GiftHasher())
    withUnsafeTemporaryAllocation(of: UnsafeRawPointer.self, capacity: Engine.prefetchMax) {
      let places = $0.baseAddress!
      for step in 0..<2 { precondition(self.prefetchAddresses(step: step, at: now, in: places) <= Engine.prefetchMax) }
      for step in 0..<3 { precondition(self.prefetchAddresses(of: gift.hashes, step: step, in: places) <= Engine.prefetchMax) }
    }
  }

  /// Applies an event.
  /// - Parameter lender: Lends a gift's display data, or nil if they are gone after the call.
  mutating func apply(_ event: Event, at now: Int64, lender: Lender? = nil, to sink: inout Recorder) {
    switch event {
    case .gift(let gift):
      gift.lend { gift in
        foresee(gift, at: now)
        if let lender {
          var lent = gift
          lent.display = lender.lend(gift.display)
          takeLent(&lent, at: now, to: &sink)
        } else {
          take(gift, at: now, to: &sink)
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

/// A room as the service sees it: without an engine until its first gift or its own settings.
struct Room {
  var engine: Engine?
  var settings: EngineSettings
  var sink = Recorder()
  var lender: Lender?
  /// The first broken invariant, or nil if there is none.
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
