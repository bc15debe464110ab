@testable import ComboCore

/// An instruction that owns its bytes.
struct Said: Hashable, CustomStringConvertible {
  var epoch: Int64
  var seq: Int
  var at: Int64
  var operation: Operation

  enum Operation: Hashable {
    case show(banner: Int, count: Int, base: Int, milestone: Int?, display: OwnedDisplay)
    case update(banner: Int, slot: Int, count: Int, added: Int, milestone: Int?)
    case moveUp(banner: Int, slot: Int)
    case dismiss(banner: Int, slot: Int, count: Int, reason: DismissReason)
    case skip(banner: Int, count: Int, reason: SkipReason, display: OwnedDisplay)
    case skipSum(banners: Int, count: Int, value: Double, reason: SkipReason)
    case final(banner: Int, count: Int, reason: FinalReason, display: OwnedDisplay)
    case screen([Shown])
  }

  struct Shown: Hashable {
    var banner: Int
    var slot: Int
    var count: Int
    var base: Int
    var display: OwnedDisplay
  }

  /// The instruction as in a trace: `250 < update 1@0 5 +2 milestone 5`.
  var description: String { "\(at) < \(text)" }

  /// The instruction without its time.
  var text: String {
    func passed(_ milestone: Int?) -> String { milestone.map { " milestone \($0)" } ?? "" }
    func taken(_ base: Int) -> String { base == 0 ? "" : " base \(base)" }
    func who(_ display: OwnedDisplay) -> String {
      display.receiver.isEmpty ? "\(display.sender) \(display.gift)" : "\(display.sender) @\(display.receiver) \(display.gift)"
    }
    switch operation {
    case .show(let banner, let count, let base, let milestone, let display):
      return "show \(banner) \(who(display)) \(count)\(taken(base))\(passed(milestone))"
    case .update(let banner, let slot, let count, let added, let milestone):
      return "update \(banner)@\(slot) \(count) +\(added)\(passed(milestone))"
    case .moveUp(let banner, let slot): return "move_up \(banner)@\(slot)"
    case .dismiss(let banner, let slot, let count, let reason): return "dismiss \(banner)@\(slot) \(count) \(reason)"
    case .skip(let banner, let count, let reason, let display):
      return "skip \(banner) \(who(display)) \(count) \(reason)"
    case .skipSum(let banners, let count, let value, let reason): return "skip \(banners) banners \(count) $\(value) \(reason)"
    case .final(let banner, let count, let reason, let display):
      return "final \(banner) \(who(display)) \(count) \(reason)"
    case .screen(let shown):
      if shown.isEmpty { return "screen empty" }
      let parts = shown.map { "\($0.banner)@\($0.slot) \(who($0.display)) \($0.count)\(taken($0.base))" }
      return "screen \(parts.joined(separator: ", "))"
    }
  }
}

extension OwnedDisplay {
  init(_ display: Display) {
    sender = String(decoding: display.sender, as: UTF8.self)
    receiver = String(decoding: display.receiver, as: UTF8.self)
    gift = String(decoding: display.gift, as: UTF8.self)
  }
}

/// A sink that keeps all instructions.
struct Recorder: InstructionSink {
  var said: [Said] = []

  mutating func say(_ instruction: Instruction) {
    let operation: Said.Operation
    switch instruction.operation {
    case .show(let banner, let count, let base, let milestone, let display):
      operation = .show(banner: banner, count: count, base: base, milestone: milestone, display: OwnedDisplay(display))
    case .update(let banner, let slot, let count, let added, let milestone):
      operation = .update(banner: banner, slot: slot, count: count, added: added, milestone: milestone)
    case .moveUp(let banner, let slot): operation = .moveUp(banner: banner, slot: slot)
    case .dismiss(let banner, let slot, let count, let reason):
      operation = .dismiss(banner: banner, slot: slot, count: count, reason: reason)
    case .skip(let banner, let count, let reason, let display):
      operation = .skip(banner: banner, count: count, reason: reason, display: OwnedDisplay(display))
    case .skipSum(let banners, let count, let value, let reason):
      operation = .skipSum(banners: banners, count: count, value: value, reason: reason)
    case .final(let banner, let count, let reason, let display):
      operation = .final(banner: banner, count: count, reason: reason, display: OwnedDisplay(display))
    case .screen(let banners):
      operation = .screen(
        banners.map {
          Said.Shown(banner: $0.banner, slot: $0.slot, count: $0.count, base: $0.base, display: OwnedDisplay($0.display))
        })
    }
    said.append(Said(epoch: instruction.epoch, seq: instruction.seq, at: instruction.at, operation: operation))
  }
}
