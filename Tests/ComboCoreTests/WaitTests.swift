import Testing

@testable import ComboCore

/// Waits and worth in instructions, for metrics, compared with what became of each gift.
@Suite("Waits that instructions report")
struct WaitTests {
  /// A sink that follows gifts, and compares their waits and worth with what instructions report.
  struct Follower: InstructionSink {
    private struct Unseen {
      var at: Int64
      var worth: Double
    }

    /// The worth of each one that the current gift counts.
    var value = 0.0
    /// The longest possible delay of a number change.
    var animationMs: Int64 = 0
    /// The worth of summed skips that were not emitted yet, by reason.
    private var summedWorth = 0.0
    private var closedWorth = 0.0
    private var unseen: [Int: [Unseen]] = [:]
    private(set) var faults: [String] = []
    private(set) var shows = 0
    private(set) var updates = 0
    private(set) var skips = 0
    private(set) var longest: Int64 = 0

    mutating func took(_ gift: TakenGift) {
      guard gift.banner > 0 else { return }
      unseen[gift.banner, default: []].append(Unseen(at: gift.at, worth: value * Double(gift.count)))
    }

    mutating func merged(_ banner: Int, into other: Int) {
      unseen[other, default: []] += unseen.removeValue(forKey: banner) ?? []
    }

    mutating func summed(_ banner: Int, at: Int64, _ reason: SkipReason) {
      let worth = (unseen.removeValue(forKey: banner) ?? []).reduce(0) { $0 + $1.worth }
      if reason == .closed { closedWorth += worth } else { summedWorth += worth }
    }

    mutating func say(_ instruction: Instruction) {
      switch instruction.operation {
      case .show(let banner, _, _, _, _):
        shows += 1
        let wait = wait(of: banner, at: instruction.at)
        longest = max(longest, wait ?? 0)
        if let wait, wait != instruction.waited { faults.append("show \(banner) told \(instruction.waited), not \(wait)") }
      case .update(let banner, _, _, _, _):
        updates += 1
        guard let wait = wait(of: banner, at: instruction.at) else { return }
        if abs(instruction.waited - wait) > animationMs {
          faults.append("update \(banner) told \(instruction.waited), though it was \(wait)")
        }
      case .skip(let banner, _, _, _):
        skips += 1
        let worth = (unseen.removeValue(forKey: banner) ?? []).reduce(0) { $0 + $1.worth }
        if abs(worth - instruction.worth) > 1e-6 * max(1, worth) { faults.append("skip told \(instruction.worth), not \(worth)") }
        if instruction.waited != -1 { faults.append("a skip shows no gift") }
      case .skipSum(_, _, let value, let reason):
        skips += 1
        let worth = reason == .closed ? closedWorth : summedWorth
        if reason == .closed { closedWorth = 0 } else { summedWorth = 0 }
        if abs(worth - value) > 1e-6 * max(1, worth) || value != instruction.worth {
          faults.append("a sum told \(value) and \(instruction.worth), not \(worth)")
        }
        if instruction.waited != -1 { faults.append("a skip shows no gift") }
      case .dismiss(let banner, _, _, _): unseen[banner] = nil
      case .moveUp, .final, .screen: if instruction.waited != -1 { faults.append("it shows no gift") }
      }
    }

    private mutating func wait(of banner: Int, at now: Int64) -> Int64? {
      unseen.removeValue(forKey: banner)?.map { now - $0.at }.max()
    }
  }

  static func run(_ stream: RandomStream, _ sink: inout Follower) {
    var engine = Engine(at: stream.events[0].at, settings: EngineSettings(stream.settings))
    for (at, event) in stream.events {
      switch event {
      case .gift(let gift):
        var streak = ""
        if case .total(_, let name) = gift.amount { streak = name }
        [gift.id, gift.key.sender, gift.key.receiver, gift.key.gift, gift.key.combo, streak].borrowed {
          let amount: Gift.Amount
          switch gift.amount {
          case .count(let count): amount = .count(count)
          case .total(let total, _): amount = .total(total, streak: $0[5])
          }
          let none = Bytes(start: nil, count: 0)
          var lent = Gift(
            id: $0[0], senderID: $0[1], receiverID: $0[2], giftID: $0[3],
            display: Display(sender: none, receiver: none, gift: none),
            value: gift.value, amount: amount)
          (lent.combo, lent.streakMs, lent.ends) = ($0[4], gift.streakMs, gift.ends)
          (lent.lingerMs, lent.refreshes) = (UInt16(gift.lingerMs), gift.refresh)
          sink.value = gift.value
          engine.takeFollowed(lent, at: at, to: &sink)
        }
      case .closed: engine.close(at: at, to: &sink)
      case .retract(let sender, let receiver, let gift):
        [sender, receiver, gift].borrowed {
          engine.retract(Retraction(senderID: $0[0], receiverID: $0[1], giftID: $0[2]), at: at, to: &sink)
        }
      case .settings, .adopt, .shift: continue
      case .advance: engine.advance(to: at, to: &sink)
      }
    }
    while let deadline = engine.nextDeadline { engine.advance(to: deadline, to: &sink) }
  }

  @Test(
    "a show reports its longest wait, an update one to within an animation, a skip its worth",
    arguments: RandomStream.groups(20))
  func agrees(group: Int) {
    var (shows, updates, skips, longest) = (0, 0, 0, Int64(0))
    for seed in group * 50..<(group + 1) * 50 {
      let stream = RandomStream(seed: seed, shifts: false)
      var sink = Follower()
      sink.animationMs = Int64(max(stream.settings.countMs, stream.settings.enterMs))
      Self.run(stream, &sink)
      #expect(sink.faults.isEmpty, "seed \(seed): \(sink.faults.prefix(3))")
      shows += sink.shows
      updates += sink.updates
      skips += sink.skips
      longest = max(longest, sink.longest)
    }
    #expect(shows > 100 && updates > 100 && skips > 10 && longest > 1000)
  }

  @Test("an engine knows since when its oldest banner has waited")
  func waitingSince() {
    var settings = Settings()
    settings.slots = 1
    var room = Room(settings)
    room.apply(.gift(OwnedGift(key: Key(sender: "a"))), at: 1000)
    #expect(room.engine?.waitingSince == nil)
    room.apply(.gift(OwnedGift(key: Key(sender: "b"))), at: 1200)
    room.apply(.gift(OwnedGift(key: Key(sender: "c"))), at: 1300)
    #expect(room.engine?.waitingSince == 1200)
  }
}
