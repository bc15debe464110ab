import ComboCore

/// One room for nine seconds of virtual time: two viewers send gifts, and the engine emits instructions for a screen.
@main
enum Embedding {
  static func main() {
    var room = Room(at: 0)
    for step in 0..<10 { room.send("ming", "rose", 1, at: Int64(step) * 120) }
    room.send("lan", "rocket", 1, at: 1_500)
    room.send("ming", "rose", 66, at: 2_000)
    room.wait(until: 9_000)
  }
}

/// A room: an engine and a screen. One thread at a time.
struct Room {
  private var engine: Engine
  private var screen = Screen()

  init(at now: Int64) { engine = Engine(at: now, settings: EngineSettings(Settings())) }

  /// Processes a gift. The engine copies the bytes that it keeps.
  mutating func send(_ sender: String, _ gift: String, _ count: Int, at now: Int64) {
    let (sender, gift) = (Array(sender.utf8), Array(gift.utf8))
    let none = UnsafeRawBufferPointer(start: nil, count: 0)
    sender.withUnsafeBytes { sender in
      gift.withUnsafeBytes { gift in
        engine.take(
          Gift(
            id: none, senderID: sender, receiverID: none, giftID: gift,
            // The engine does not read these: a service would put JSON here.
            display: Display(sender: sender, receiver: none, gift: gift), value: 1, amount: .count(count)),
          at: now, to: &screen)
      }
    }
  }

  /// Advances the time. Each instruction has the time at which it was due.
  mutating func wait(until now: Int64) {
    while let due = engine.nextDeadline, due <= now { engine.advance(to: due, to: &screen) }
  }
}

/// A screen that prints its instructions in words.
struct Screen: InstructionSink {
  mutating func say(_ instruction: Instruction) {
    let what =
      switch instruction.operation {
      case .show(let banner, let count, _, _, let display):
        "banner \(banner) enters: \(text(display.sender)) sends \(text(display.gift)) × \(count)"
      case .update(let banner, _, let count, let added, _): "banner \(banner): × \(count) (\(added) more)"
      case .moveUp(let banner, let slot): "banner \(banner) moves to slot \(slot)"
      case .dismiss(let banner, _, let count, let reason): "banner \(banner) leaves at × \(count): \(reason)"
      case .skip(let banner, let count, let reason, _): "banner \(banner) with × \(count) is not shown: \(reason)"
      case .skipSum(let banners, let count, _, let reason): "\(banners) banners with × \(count) in all are not shown: \(reason)"
      case .final(let banner, let count, let reason, _): "banner \(banner) came to × \(count) in all: \(reason)"
      case .screen(let banners):
        "the whole screen: \(banners.map { "banner \($0.banner) × \($0.count)" }.joined(separator: ", "))"
      }
    let at = String(instruction.at)
    print("\(String(repeating: " ", count: max(0, 5 - at.count)))\(at) ms  \(what)")
  }

  private func text(_ bytes: Bytes) -> String { String(decoding: bytes, as: UTF8.self) }
}
