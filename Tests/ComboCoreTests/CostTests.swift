import Synchronization
import Testing

@testable import ComboCore

/// Costs in steps of the engine's loops, not in time. A step is one turn of a loop over what waits or is remembered.
@Suite("What a gift costs")
struct CostTests {
  #if DEBUG
    /// Returns the number of steps that `body` takes.
    private static func steps(_ body: () -> Void) -> Int {
      let counter = StepCounter()
      Steps.$counter.withValue(counter, operation: body)
      return counter.count.load(ordering: .relaxed)
    }

    /// The number of gifts that wait, or are remembered.
    private static let many = 20_000

    private static func settings(_ change: (inout Settings) -> Void) -> Settings {
      var settings = Settings()
      settings.slots = 2
      settings.maxQueue = 1_000_000
      settings.maxHistory = 1_000_000
      settings.maxIds = 1_000_000
      settings.maxStreaks = 1_000_000
      settings.screenMs = 0
      settings.tiers = (1...20).map { Tier(value: Double($0 * 10), lingerMs: 3000, busyLingerMs: 100) }
      change(&settings)
      return settings
    }

    /// Processes gifts one by one, and compares the average number of steps a gift with `most`.
    private static func check(
      _ settings: Settings, count: Int = many, gift: (Int) -> OwnedGift, at: (Int) -> Int64 = { Int64($0 / 20) },
      max most: Int = 60, sourceLocation: SourceLocation = #_sourceLocation
    ) {
      var room = Engine(at: 0, settings: EngineSettings(settings))
      var sink = Recorder()
      let all = steps {
        for n in 0..<count {
          room.apply(.gift(gift(n)), at: at(n), to: &sink)
          sink.said = []
        }
      }
      #expect(all / count <= most, "\(all / count) steps a gift", sourceLocation: sourceLocation)
    }

    @Test("in tier order with many waiting, whatever they are worth, with promotion and turns")
    func tierOrder() {
      let settings = Self.settings {
        $0.queueOrder = .tier
        $0.promoteMs = 700
        $0.holdMs = 500
      }
      Self.check(settings, gift: { OwnedGift(key: Key(sender: "u\($0)"), value: Double($0 % 230)) })
    }

    @Test("in tier order where gifts join those that wait")
    func tierOrderJoining() {
      let settings = Self.settings { $0.queueOrder = .tier }
      Self.check(settings, gift: { OwnedGift(key: Key(sender: "u\($0 * 7919 % 5000)"), value: 3) })
    }

    @Test("where the ones worth least overflow")
    func overflow() {
      for order in QueueOrder.allCases {
        let settings = Self.settings {
          $0.queueOrder = order
          $0.maxQueue = 5000
        }
        Self.check(settings, gift: { OwnedGift(key: Key(sender: "u\($0)"), value: Double($0 * 7919 % 1000)) })
      }
    }

    @Test(
      "in a queue whose tail alone is joined, with combos that wait many times and are on screen", arguments: QueueOrder.allCases)
    func tail(order: QueueOrder) {
      let settings = Self.settings {
        $0.queueMerge = .tail
        $0.queueOrder = order
        $0.holdMs = 1
        $0.enterMs = 0
        $0.countMs = 1
        $0.lingerMs = 1
        $0.busyLingerMs = 1
        $0.exitMs = 1
        $0.slots = 3
        $0.tiers = order == .tier ? $0.tiers : []
      }
      for senders in [2, 3, 5, 100] {
        Self.check(settings, gift: { OwnedGift(key: Key(sender: "u\($0 % senders)"), value: Double($0 % 40)) })
      }
    }

    @Test("where many have been seen and wait again")
    func seen() {
      let settings = Self.settings {
        $0.holdMs = 10_000
        $0.enterMs = 1
        $0.countMs = 1
        $0.lingerMs = 1
        $0.busyLingerMs = 1
        $0.exitMs = 1
        $0.reuseMs = 86_400_000
      }
      Self.check(settings, gift: { OwnedGift(key: Key(sender: "u\($0 % 4000)")) }, at: { Int64($0) * 2 })
    }

    @Test("where ids, running totals and combos expire in another order than they came")
    func disorder() {
      var settings = Self.settings {
        $0.dedupeMs = 3_600_000
        $0.reuseMs = 3_600_000
        $0.maxIds = 4000
        $0.maxStreaks = 4000
        $0.maxHistory = 2000
        $0.finals = true
        $0.busyThreshold = 0
        $0.busyLingerMs = 0
        $0.enterMs = 0
        $0.countMs = 0
        $0.exitMs = 0
        $0.maxQueue = 100
      }
      func gift(_ n: Int) -> OwnedGift {
        var gift = OwnedGift(id: "e\(n)", key: Key(sender: "u\(n)"), amount: .total(1, streak: "s"))
        gift.streakMs = n % 2 == 0 ? 3_600_000 : Int32(n % 50)
        return gift
      }
      var room = Engine(at: 0, settings: EngineSettings(settings))
      var sink = Recorder()
      let all = Self.steps {
        for n in 0..<Self.many {
          if n == 4000 {
            settings.dedupeMs = 3
            settings.reuseMs = 7
            settings.finals = false
            room.adopt(EngineSettings(settings), at: Int64(n), to: &sink)
          }
          room.apply(.gift(gift(n)), at: Int64(n), to: &sink)
          sink.said = []
        }
      }
      #expect(all / Self.many <= 120, "\(all / Self.many) steps a gift")
      #expect(room.brokenInvariant() == nil)
    }

    @Test("settings that come with each gift order nothing anew, unless tiers change", arguments: QueueOrder.allCases)
    func settingsWithEachGift(order: QueueOrder) {
      let settings = Self.settings {
        $0.queueOrder = order
        $0.promoteMs = 700
      }
      var room = Engine(at: 0, settings: EngineSettings(settings))
      var sink = Recorder()
      let all = Self.steps {
        for n in 0..<Self.many {
          var own = OwnSettings()
          own.add(.integer(.lingerMs, n % 2 == 0 ? 100 : 200))
          own.add(.integer(.holdMs, n % 3))
          room.apply(.settings(own), at: Int64(n / 20), to: &sink)
          room.apply(.gift(OwnedGift(key: Key(sender: "u\(n)"), value: Double(n % 230))), at: Int64(n / 20), to: &sink)
          sink.said = []
        }
      }
      #expect(all / Self.many <= 80, "\(all / Self.many) steps a gift")
      #expect(room.brokenInvariant() == nil)
    }

    @Test("a retract walks what its sender gave, not what the room remembers")
    func retract() {
      let settings = Self.settings { $0.reuseMs = 3_600_000 }
      var room = Engine(at: 0, settings: EngineSettings(settings))
      var sink = Recorder()
      for n in 0..<Self.many { room.apply(.gift(OwnedGift(key: Key(sender: "u\(n)"))), at: 0, to: &sink) }
      room.apply(.retract(sender: "u1", receiver: "", gift: ""), at: 1, to: &sink)
      let all = Self.steps {
        for n in 100..<1100 { room.apply(.retract(sender: "u\(n)", receiver: "", gift: ""), at: 1, to: &sink) }
      }
      #expect(all / 1000 <= 40, "\(all / 1000) steps a retract")
    }
  #endif
}
